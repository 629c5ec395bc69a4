/// The settings of a cue (WebVTT, clause 6.3, "parse the WebVTT cue settings"): `line:0 align:start`.
///
/// Each that is malformed is ignored for itself; the last of a name counts. Percentages are in hundredths.
struct WebVTTCueSettings {
  /// Where the cue's box stands across the lines.
  enum Line: Equatable {
    /// Counted from the top, or below 0 from the bottom.
    case number(Int)
    /// Of the picture's height, from the top.
    case percent(Int)
  }

  /// Which part of a box stands at the place named.
  enum Anchor {
    case start
    case center
    case end
  }

  private(set) var isVertical = false
  private(set) var line: Line?
  private(set) var lineAnchor = Anchor.start
  private(set) var position: Int?
  private(set) var positionAnchor: Anchor?
  private(set) var size = 10_000
  private(set) var alignment = Anchor.center
  private(set) var region: String?
  /// What is not understood, as it stands there.
  private(set) var malformed: [String] = []

  /// The settings of a line of them.
  init(_ bytes: some Collection<UInt8>) {
    malformed = Self.read(bytes) { take($0, $1) }
  }

  /// Reads settings, `name:value` each, of a cue or a region; gives those that are not taken, as they stand there.
  static func read(_ bytes: some Collection<UInt8>, _ take: (String, Substring) -> Bool) -> [String] {
    let items = bytes.split { Ascii.isBlank($0) || $0 == Ascii.formFeed || $0 == Ascii.lineFeed }
    return items.map { String(decoding: $0, as: UTF8.self) }.filter { text in
      let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return halves.count < 2 || halves[1].isEmpty || !take(String(halves[0]), halves[1])
    }
  }

  private mutating func take(_ name: String, _ value: Substring) -> Bool {
    let values = value.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
    let second = values.count > 1 ? values[1] : nil
    switch (name, values[0]) {
    case ("vertical", "rl"), ("vertical", "lr"):
      guard second == nil else { return false }
      isVertical = true
    case ("line", let place):
      guard let line = Self.line(place), let anchor = Self.anchor(second ?? "start", Self.edges) else { return false }
      (self.line, lineAnchor) = (line, anchor)
    case ("position", let place):
      guard let percent = Self.percent(place) else { return false }
      let anchor = second.flatMap { Self.anchor($0, Self.sides) }
      guard second == nil || anchor != nil else { return false }
      (position, positionAnchor) = (percent, anchor)
    case ("size", _):
      guard let percent = Self.percent(value) else { return false }
      size = percent
    case ("align", _):
      guard let anchor = Self.anchor(value, Self.edges) ?? Self.anchor(value, Self.directions) else { return false }
      alignment = anchor
    case ("region", _): region = String(value)
    default: return false
    }
    return true
  }

  private static let edges: KeyValuePairs<Substring, Anchor> = ["start": .start, "center": .center, "end": .end]
  /// `middle` is what older files say for `center`.
  private static let directions: KeyValuePairs<Substring, Anchor> = ["left": .start, "middle": .center, "right": .end]
  private static let sides: KeyValuePairs<Substring, Anchor> = [
    "line-left": .start, "center": .center, "middle": .center, "line-right": .end,
  ]

  private static func anchor(_ word: Substring, _ names: KeyValuePairs<Substring, Anchor>) -> Anchor? {
    names.first { $0.key == word }?.value
  }

  /// `5`, `-1`, `1.5` or `84%`.
  private static func line(_ text: Substring) -> Line? {
    if text.utf8.last == UInt8(ascii: "%") { return percent(text).map(Line.percent) }
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    guard let hundredths = hundredths(isNegative ? text.dropFirst() : text) else { return nil }
    return .number((isNegative ? -1 : 1) * (hundredths / 100))
  }

  /// A percentage in hundredths ("parse a percentage string"): digits, a fraction perhaps, `%`; at most 100.
  static func percent(_ text: Substring) -> Int? {
    guard text.utf8.last == UInt8(ascii: "%"), let value = hundredths(text.dropLast()), value <= 10_000 else {
      return nil
    }
    return value
  }

  /// Digits with a fraction or without, in hundredths rounded down; numbers beyond all pictures become one such.
  private static func hundredths(_ text: Substring) -> Int? {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Ascii.isDigit) }) else {
      return nil
    }
    let whole = parts[0].reduce(0) { min($0 * 10 + Int($1 - 0x30), 1_000_000) }
    let fraction = parts.count > 1 ? parts[1].prefix(2).reduce(0) { $0 * 10 + Int($1 - 0x30) } : 0
    return whole * 100 + (parts.count > 1 && parts[1].count == 1 ? fraction * 10 : fraction)
  }
}
