/// The settings of a cue (WebVTT, clause 6.3, "parse the WebVTT cue settings"): `line:0 align:start`.
///
/// Each that is malformed is ignored for itself; the last of a name counts. Percentages are in hundredths.
struct WebVTTCueSettings {
  /// The position of the cue's box across the lines.
  enum Line: Equatable {
    /// Counted from the top, or below 0 from the bottom.
    case number(Int)
    /// Of the picture's height, from the top.
    case percent(Int)
  }

  /// The part of a box at the given position.
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
  /// The settings with invalid syntax, as written.
  private(set) var malformed: [String] = []

  /// The settings of a line of them.
  init(_ bytes: some Collection<UInt8>) {
    malformed = Self.read(bytes) { take($0, $1) }
  }

  /// Reads settings, `name:value` each, of a cue or a region; returns the rejected ones as written.
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

/// A part of the picture that cues are shown in (WebVTT, clause 6.2). Percentages are in hundredths.
struct WebVTTRegion {
  private(set) var identifier = ""
  private var lineCount = 3
  private var anchorY = 10_000
  private var viewportAnchorY = 10_000
  private(set) var viewportAnchorX = 0
  private(set) var anchorX = 0
  private(set) var width = 10_000
  /// The settings that are unknown or cannot be followed, as written.
  private(set) var ignored: [String] = []

  /// The region that the lines of a REGION block define; fails without an `id`.
  init?(_ bytes: [UInt8]) {
    ignored = WebVTTCueSettings.read(bytes) { take($0, $1) }
    guard !identifier.isEmpty else { return nil }
  }

  private mutating func take(_ name: String, _ value: Substring) -> Bool {
    switch name {
    case "id": identifier = String(value)
    case "width":
      guard let percent = WebVTTCueSettings.percent(value) else { return false }
      width = percent
    case "lines":
      guard value.utf8.allSatisfy(Ascii.isDigit) else { return false }
      lineCount = Int(value).map { min($0, 1_000) } ?? 1_000
    case "regionanchor":
      guard let pair = Self.pair(value) else { return false }
      (anchorX, anchorY) = pair
    case "viewportanchor":
      guard let pair = Self.pair(value) else { return false }
      (viewportAnchorX, viewportAnchorY) = pair
    default: return false  // `scroll` too: nothing scrolls.
    }
    return true
  }

  private static func pair(_ text: Substring) -> (Int, Int)? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let x = WebVTTCueSettings.percent(parts[0]), let y = WebVTTCueSettings.percent(parts[1])
    else { return nil }
    return (x, y)
  }

  /// The distance of the region's upper edge from that of the picture. A line counts as 5.33 % of the picture's height.
  private var top: Int { viewportAnchorY - lineCount * 533 * anchorY / 10_000 }

  /// The vertical position of the region. Its cues fill it from below.
  var vertical: CuePlacement.Vertical {
    if top <= 500 { return .top }
    return top + lineCount * 533 >= 9_000 ? .bottom : .below(hundredthsOfPercent: min(top, 10_000))
  }

  /// The middle of the region, from the left.
  var center: Int { viewportAnchorX - width * anchorX / 10_000 + width / 2 }
}

// Where a cue stands, as the settings of WebVTT say it (WebVTT, clause 4.4).
extension WebVTTCueSettings {
  /// The place that the settings name. In a region that is shown, the region's.
  func placement(in region: WebVTTRegion?) -> CuePlacement {
    // Vertical text stands at the left or right edge, which nothing else here does.
    guard !isVertical else { return .standard }
    guard let region = shown(region) else { return CuePlacement(vertical: vertical.place, horizontal: horizontal) }
    return CuePlacement(vertical: region.vertical, horizontal: Self.side(region.center, alignment))
  }

  /// Whether the vertical place is one of several that players could choose.
  func isApproximated(in region: WebVTTRegion?) -> Bool {
    !isVertical && (shown(region) != nil || vertical.isApproximated)
  }

  /// The settings that other formats lack, for notices.
  var inexpressible: [String] {
    if isVertical { return ["vertical writing cannot be expressed, written in lines"] }
    if size < 10_000 { return ["the width of a cue (size) cannot be expressed, ignored"] }
    return []
  }

  /// Cues that say their own place stand in no region.
  private func shown(_ region: WebVTTRegion?) -> WebVTTRegion? {
    line == nil && size == 10_000 && !isVertical ? region : nil
  }

  /// Lines are counted on a picture that has room for about 18, for WebVTT asks for a font of 5 % of its height, and
  /// some space is between lines. Subtitles stand in the last four.
  private var vertical: (place: CuePlacement.Vertical, isApproximated: Bool) {
    switch line {
    case nil: return (.bottom, false)
    case .number(0): return (.top, false)
    case .number(let number) where number >= 14 || (-4...(-1)).contains(number): return (.bottom, false)
    case .number(let number):
      let fromTop = number < 0 ? 18 + number : number
      return (fromTop > 0 ? .below(hundredthsOfPercent: fromTop * 10_000 / 18) : .top, true)
    case .percent(let percent):
      let place = place(percent)
      return (place, lineAnchor != .start && place != .middle && place != .bottom)
    }
  }

  private func place(_ percent: Int) -> CuePlacement.Vertical {
    switch lineAnchor {
    case _ where percent >= 9_000: return .bottom
    case .center where percent == 5_000: return .middle
    // Text takes about as much room as the strip that subtitles stand in.
    case .start: return percent == 0 ? .top : .below(hundredthsOfPercent: percent)
    case .center: return percent <= 750 ? .top : .below(hundredthsOfPercent: percent - 750)
    case .end: return percent <= 1_500 ? .top : .below(hundredthsOfPercent: percent - 1_500)
    }
  }

  private var horizontal: CuePlacement.Horizontal {
    switch alignment {
    case .start: return Self.side(position ?? 0, .center)
    case .end: return Self.side(position ?? 10_000, .center)
    case .center:
      let position = position ?? 5_000
      switch positionAnchor ?? .center {
      case .start: return Self.side(position + min(size, 10_000 - position) / 2, .center)
      case .center: return Self.side(position, .center)
      case .end: return Self.side(position - min(size, position) / 2, .center)
      }
    }
  }

  /// A third of the picture each; in the middle third, the alignment says which.
  private static func side(_ position: Int, _ alignment: Anchor) -> CuePlacement.Horizontal {
    if position < 3_400 { return .left }
    if position > 6_600 { return .right }
    switch alignment {
    case .start: return .left
    case .center: return .center
    case .end: return .right
    }
  }
}

extension CuePlacement.Vertical {
  /// The place in words, for notices.
  var description: String {
    switch self {
    case .bottom: "the bottom of the picture"
    case .middle: "the middle of the picture"
    case .top: "the top of the picture"
    case .below(let hundredths): "\(hundredths / 100) % below the top of the picture"
    }
  }
}
