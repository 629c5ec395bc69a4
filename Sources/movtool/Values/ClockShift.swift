import Subtitles

/// A time by which dates are moved, such as `+8h`, `-1d12h` or `+45m30s`.
struct ClockShift: Hashable, Sendable {
  /// The seconds, negative for earlier. Below 200 years either way, and never 0.
  let seconds: Int64

  /// Reads numbers of days, hours, minutes and seconds (`d`, `h`, `m`, `s`), in this order, after an optional sign. Fails
  /// for other texts, and for 0.
  init?(_ text: String) {
    var rest = text[...]
    let isNegative = rest.first == "-" || rest.first == "−"
    if isNegative || rest.first == "+" { rest.removeFirst() }
    var units: [(Character, Int64)] = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)]
    var seconds: Int64 = 0
    while let unit = rest.firstIndex(where: { !$0.isNumber }) {
      guard let place = units.firstIndex(where: { $0.0 == rest[unit] }), rest[..<unit].utf8.count <= 10,
        let number = Int64(digits: rest[..<unit])
      else { return nil }
      seconds += number * units[place].1  // At most four numbers below 10^10, times 86 400.
      units.removeSubrange(...place)
      rest = rest[rest.index(after: unit)...]
    }
    guard rest.isEmpty, seconds > 0, seconds < 200 * 31_557_600 else { return nil }
    self.seconds = isNegative ? -seconds : seconds
  }

  /// The shift in words, as the option takes it: `+1d8h`.
  var text: String {
    var (rest, words) = (abs(seconds), "")
    for (unit, size) in [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)] as [(String, Int64)] where rest >= size {
      words += "\(rest / size)\(unit)"
      rest %= size
    }
    return (seconds < 0 ? "-" : "+") + words
  }
}
