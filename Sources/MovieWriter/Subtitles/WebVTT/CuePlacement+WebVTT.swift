/// Where a cue stands, as the settings of WebVTT say it (WebVTT, clause 4.4).
extension CuePlacement {
  /// The place that a line of settings names; each that is unknown or malformed is ignored, as players do.
  init(webVTTSettings text: String) {
    self = .standard
    var position: Double?
    for setting in text.split(whereSeparator: \.isWhitespace) {
      let halves = setting.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2 else { continue }
      let values = halves[1].split(separator: ",", omittingEmptySubsequences: false)
      let first = values.first ?? ""
      switch halves[0] {
      case "line": if let place = Self.vertical(first, alignment: values.dropFirst().first) { vertical = place }
      case "position": position = Self.percentage(first)
      case "align":
        switch first {
        case "left", "start": horizontal = .left
        case "right", "end": horizontal = .right
        default: horizontal = .center
        }
      default: break  // `vertical`, `size` and `region` name what other formats do not have.
      }
    }
    if let position, horizontal == .center { horizontal = position < 34 ? .left : position > 66 ? .right : .center }
  }

  /// `line:0`, `line:-1`, `line:84%`, `line:50%,center`.
  private static func vertical(_ value: Substring, alignment: Substring?) -> Vertical? {
    if let percent = percentage(value) {
      switch alignment {
      case "center": return percent == 50 ? .middle : below(percent)
      case "end": return percent >= 80 ? .bottom : below(percent)
      default: return percent == 0 ? .top : percent >= 90 ? .bottom : below(percent)
      }
    }
    guard let line = Int(value) else { return nil }
    // Lines are counted from the top, or below 0 from the bottom; about 18 fit on a picture.
    if line == 0 { return .top }
    return line < 0 ? (line >= -4 ? .bottom : below(Double(max(0, 18 + line)) / 0.18)) : below(Double(line) / 0.18)
  }

  private static func below(_ percent: Double) -> Vertical {
    .below(hundredthsOfPercent: Int((min(max(0, percent), 100) * 100).rounded()))
  }

  private static func percentage(_ value: Substring) -> Double? {
    guard value.hasSuffix("%"), let number = Double(value.dropLast()), (0...100).contains(number) else { return nil }
    return number
  }
}
