/// The settings of a cue (WebVTT, clause 6.3, "parse the WebVTT cue settings"), such as `line:0 align:start`.
///
/// A malformed setting is ignored, but the other settings of the cue apply. If a name occurs several times, the last
/// setting applies. Percentages are in hundredths.
struct WebVTTCueSettings {
  /// The vertical position of the cue's box, or its horizontal position if the text is vertical.
  enum Line: Equatable {
    /// A line number that counts from the top, or a negative line number that counts from the bottom.
    case number(Int)
    /// A distance from the top in percent of the picture's height.
    case percent(Int)
  }

  /// The edge or center of a box that a position refers to.
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
  /// The malformed settings as written.
  private(set) var malformed: [String] = []

  /// Parses the settings on a line.
  init(_ bytes: some Collection<UInt8>) {
    malformed = Self.read(bytes) { readSetting($0, $1) }
  }

  /// Parses settings (`name:value`) of a cue or a region. Returns the settings that `readSetting` rejects, as written.
  static func read(_ bytes: some Collection<UInt8>, _ readSetting: (String, Substring) -> Bool) -> [String] {
    let items = bytes.split { Ascii.isBlank($0) || $0 == Ascii.formFeed || $0 == Ascii.lineFeed }
    return items.map { String(decoding: $0, as: UTF8.self) }.filter { text in
      let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return halves.count < 2 || halves[1].isEmpty || !readSetting(String(halves[0]), halves[1])
    }
  }

  private mutating func readSetting(_ name: String, _ value: Substring) -> Bool {
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
  /// Older files contain `middle` instead of `center`.
  private static let directions: KeyValuePairs<Substring, Anchor> = ["left": .start, "middle": .center, "right": .end]
  private static let sides: KeyValuePairs<Substring, Anchor> = [
    "line-left": .start, "center": .center, "middle": .center, "line-right": .end,
  ]

  private static func anchor(_ word: Substring, _ names: KeyValuePairs<Substring, Anchor>) -> Anchor? {
    names.first { $0.key == word }?.value
  }

  /// Parses a line number or percentage, such as `5`, `-1`, `1.5` or `84%`.
  private static func line(_ text: Substring) -> Line? {
    if text.utf8.last == UInt8(ascii: "%") { return percent(text).map(Line.percent) }
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    guard let hundredths = hundredths(isNegative ? text.dropFirst() : text) else { return nil }
    return .number((isNegative ? -1 : 1) * (hundredths / 100))
  }

  /// Parses a percentage into hundredths. Returns `nil` above 100 % ("parse a percentage string").
  static func percent(_ text: Substring) -> Int? {
    guard text.utf8.last == UInt8(ascii: "%"), let value = hundredths(text.dropLast()), value <= 10_000 else {
      return nil
    }
    return value
  }

  /// Parses a number into hundredths, rounded down. The integer part is limited to 1 000 000, far outside the picture.
  private static func hundredths(_ text: Substring) -> Int? {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Ascii.isDigit) }) else {
      return nil
    }
    let wholeNumber = parts[0].reduce(0) { min($0 * 10 + Int($1 - 0x30), 1_000_000) }
    let fraction = parts.count > 1 ? parts[1].prefix(2).reduce(0) { $0 * 10 + Int($1 - 0x30) } : 0
    return wholeNumber * 100 + (parts.count > 1 && parts[1].count == 1 ? fraction * 10 : fraction)
  }
}

/// A region of the picture in which cues are shown (WebVTT, clause 6.2). Percentages are in hundredths.
struct WebVTTRegion {
  private(set) var identifier = ""
  private var lineCount = 3
  private var anchorY = 10_000
  private var viewportAnchorY = 10_000
  private(set) var viewportAnchorX = 0
  private(set) var anchorX = 0
  private(set) var width = 10_000
  /// The unknown or unsupported settings as written.
  private(set) var ignored: [String] = []

  /// Parses the lines of a REGION block, or returns `nil` if there is no `id`.
  init?(_ bytes: [UInt8]) {
    ignored = WebVTTCueSettings.read(bytes) { readSetting($0, $1) }
    guard !identifier.isEmpty else { return nil }
  }

  private mutating func readSetting(_ name: String, _ value: Substring) -> Bool {
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
    default: return false  // This includes `scroll`, because scrolling is not supported.
    }
    return true
  }

  private static func pair(_ text: Substring) -> (x: Int, y: Int)? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let x = WebVTTCueSettings.percent(parts[0]), let y = WebVTTCueSettings.percent(parts[1])
    else { return nil }
    return (x, y)
  }

  /// The distance between the upper edges of the region and the picture. A line is 5.33 % of the picture's height.
  private var top: Int { viewportAnchorY - lineCount * 533 * anchorY / 10_000 }

  /// The vertical placement of the region. Cues fill a region from the bottom.
  var vertical: Cue.Placement.Vertical {
    if top <= 500 { return .top }
    return top + lineCount * 533 >= 9_000 ? .bottom : .fromTop(hundredthsOfPercent: min(top, 10_000))
  }

  /// The horizontal center of the region, from the left.
  var center: Int { viewportAnchorX - width * anchorX / 10_000 + width / 2 }
}

// The placement of a cue according to its settings (WebVTT, clause 4.4).
extension WebVTTCueSettings {
  /// Returns the placement that the settings declare. If the settings declare no position, returns the placement of the
  /// region.
  func placement(in region: WebVTTRegion?) -> Cue.Placement {
    // Players place vertical text at the left or right edge. This placement is not supported, so use the standard
    // placement.
    guard !isVertical else { return .standard }
    guard let region = applicableRegion(region) else {
      return Cue.Placement(vertical: vertical.place, horizontal: horizontal)
    }
    return Cue.Placement(vertical: region.vertical, horizontal: Self.side(region.center, alignment))
  }

  /// Whether the vertical placement is approximate. Players may show the cue elsewhere.
  func isApproximated(in region: WebVTTRegion?) -> Bool {
    !isVertical && (applicableRegion(region) != nil || vertical.isApproximated)
  }

  /// The name and effect of a setting that other formats do not support, for notices, or `nil` if there is none.
  var inexpressible: (name: String, effect: String)? {
    if isVertical {
      return ("vertical", "vertical writing is not supported: the text is shown in horizontal lines")
    }
    if size < 10_000 {
      return (SubtitleNotice.widthSubject, "the width of a cue (size) is not supported and was ignored")
    }
    return nil
  }

  /// The row of captions, from 1, that a negative line number selects: `line:-1` is the last row. It is `nil` if the
  /// cue has no negative line number.
  var captionRow: Int? {
    guard !isVertical, case .number(let number)? = line, number < 0 else { return nil }
    return max(CaptionArea.rowCount + 1 + number, 1)
  }

  /// Returns `region`, or `nil` if the cue's settings override the region.
  private func applicableRegion(_ region: WebVTTRegion?) -> WebVTTRegion? {
    line == nil && size == 10_000 && !isVertical ? region : nil
  }

  /// The vertical position that the `line` setting declares.
  ///
  /// About 18 lines fit on a picture, because WebVTT requires a font size of 5 % of the picture's height. Subtitles use
  /// the last four lines.
  private var vertical: (place: Cue.Placement.Vertical, isApproximated: Bool) {
    switch line {
    case nil: return (.bottom, false)
    case .number(0): return (.top, false)
    case .number(let number) where number >= 14 || (-4...(-1)).contains(number): return (.bottom, false)
    case .number(let number):
      let fromTop = number < 0 ? 18 + number : number
      return (fromTop > 0 ? .fromTop(hundredthsOfPercent: fromTop * 10_000 / 18) : .top, true)
    case .percent(let percent):
      let place = place(percent)
      return (place, lineAnchor != .start && place != .middle && place != .bottom)
    }
  }

  private func place(_ percent: Int) -> Cue.Placement.Vertical {
    switch lineAnchor {
    case _ where percent >= 9_000: return .bottom
    case .center where percent == 5_000: return .middle
    // The height of the text is unknown. It is assumed to be 15 % of the picture's height, as for subtitles.
    case .start: return percent == 0 ? .top : .fromTop(hundredthsOfPercent: percent)
    case .center: return percent <= 750 ? .top : .fromTop(hundredthsOfPercent: percent - 750)
    case .end: return percent <= 1_500 ? .top : .fromTop(hundredthsOfPercent: percent - 1_500)
    }
  }

  /// The horizontal position that `position`, `size` and `align` declare: the edge or center of the cue's box at which
  /// the text is aligned.
  private var horizontal: Cue.Placement.Horizontal {
    let standard =
      switch alignment {
      case .start: 0
      case .center: 5_000
      case .end: 10_000
      }
    let position = position ?? standard  // From 0 to 10 000.
    let left: Int
    let right: Int
    // The box does not exceed the picture (WebVTT, clause 7.2).
    switch positionAnchor ?? alignment {
    case .start: (left, right) = (position, position + min(size, 10_000 - position))
    case .center:
      let half = min(size, 2 * min(position, 10_000 - position)) / 2
      (left, right) = (position - half, position + half)
    case .end: (left, right) = (position - min(size, position), position)
    }
    switch alignment {
    case .start: return left == 0 ? .left : .indented(hundredthsOfPercent: left)
    case .center:
      let center = (left + right) / 2
      return center == 5_000 ? .center : .centeredAt(hundredthsOfPercent: center)
    case .end: return right == 10_000 ? .right : .endingAt(hundredthsOfPercent: right)
    }
  }

  /// Returns the horizontal placement for a position. In the middle third of the picture, the alignment determines the
  /// placement.
  private static func side(_ position: Int, _ alignment: Anchor) -> Cue.Placement.Horizontal {
    if position < 3_400 { return .left }
    if position > 6_600 { return .right }
    switch alignment {
    case .start: return .left
    case .center: return .center
    case .end: return .right
    }
  }
}

extension Cue.Placement.Vertical {
  /// The placement in words, for notices.
  var description: String {
    switch self {
    case .bottom: "the bottom of the picture"
    case .middle: "the middle of the picture"
    case .top: "the top of the picture"
    case .fromTop(let hundredths): "\(hundredths / 100) % below the top of the picture"
    }
  }
}
