/// A text with styles. Runs list the characters whose style is not plain.
///
/// LF separates the lines: CR, CR LF, U+2028 and U+2029 are converted to LF. NULs and byte order marks are removed,
/// because players show them as boxes. Two texts are equal only if they consist of equal Unicode scalars, so
/// canonically equivalent texts may differ. Offsets count Unicode scalars, as in the style records of `tx3g`.
///
///     let text = StyledText("Who is there?", runs: [StyledText.Run(0..<3, StyledText.Style(isItalic: true))])
public struct StyledText: Hashable, Sendable {
  /// Consecutive characters with equal styles.
  public struct Run: Hashable, Sendable {
    /// The range of the characters, in code points from the start of the text.
    public var range: Range<Int>
    /// The style of the characters.
    public var style: StyledText.Style

    /// Creates a run.
    public init(_ range: Range<Int>, _ style: StyledText.Style) {
      self.range = range
      self.style = style
    }
  }

  /// The characters.
  public let text: String
  /// The runs whose style is not plain. They are ordered, disjoint, not empty and within the text.
  public let runs: [Run]

  /// Creates a plain text.
  public init(_ text: String) {
    self.init(normalizing: text, runs: [])
  }

  /// Creates a text with runs. Returns `nil` unless the runs are ordered, disjoint, not empty and within the text.
  ///
  /// The ranges refer to the text before normalization.
  public init?(_ text: String, runs: [Run]) {
    var end = 0
    for run in runs {
      guard run.range.lowerBound >= end, !run.range.isEmpty else { return nil }
      end = run.range.upperBound
    }
    guard end <= text.unicodeScalars.count else { return nil }
    self.init(normalizing: text, runs: runs)
  }

  /// Creates a text and normalizes its line breaks. The runs must be ordered, disjoint, not empty and within the text.
  package init(normalizing text: String, runs: [Run]) {
    guard let (keptText, newPositions) = Self.normalized(text) else {
      self.init(text, checkedRuns: runs)
      return
    }
    let movedRuns = runs.map { Run(newPositions[$0.range.lowerBound]..<newPositions[$0.range.upperBound], $0.style) }
    self.init(keptText, checkedRuns: movedRuns.filter { !$0.range.isEmpty })
  }

  /// Returns the normalized text, or `nil` if the text is already normalized. Also returns the new position of each
  /// character and of the end.
  package static func normalized(_ text: String) -> (text: String, newPositions: [Int])? {
    guard text.utf8.contains(where: { $0 == Ascii.carriageReturn || $0 == 0 || $0 == 0xE2 || $0 == 0xEF }) else {
      return nil
    }
    var keptScalars = String.UnicodeScalarView()
    var newPositions: [Int] = []
    var count = 0
    var previousScalar: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      newPositions.append(count)
      let isSecondOfPair = scalar == "\n" && previousScalar == "\r"
      previousScalar = scalar
      switch scalar {
      case "\0", "\u{FEFF}": continue
      case _ where isSecondOfPair: continue
      case "\r", "\u{2028}", "\u{2029}": keptScalars.append("\n")
      default: keptScalars.append(scalar)
      }
      count += 1
    }
    newPositions.append(count)
    return (String(keptScalars), newPositions)
  }

  /// Creates a normalized text. The runs must be ordered, disjoint, not empty and within the text.
  package init(_ text: String, checkedRuns runs: [Run]) {
    self.text = text
    self.runs = runs
  }

  /// Whether the text has no characters.
  public var isEmpty: Bool { text.isEmpty }

  /// Whether both texts consist of equal Unicode scalars and styles. `String` treats canonically equivalent texts as
  /// equal, but their samples would differ.
  public static func == (left: StyledText, right: StyledText) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8) && left.runs == right.runs
  }

  /// Hashes the text and its styles.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(text)
    hasher.combine(runs)
  }

  /// Joins texts. Each text becomes a line.
  package static func joined(_ parts: [StyledText]) -> StyledText {
    var text = ""
    text.reserveCapacity(parts.reduce(0) { $0 + $1.text.utf8.count + 1 })
    var runs: [Run] = []
    var scalarCount = 0
    let hasRuns = parts.contains { !$0.runs.isEmpty }
    for (index, part) in parts.enumerated() {
      if index > 0 {
        text += "\n"
        scalarCount += 1
      }
      text += part.text
      guard hasRuns else { continue }
      for run in part.runs {
        runs.append(Run(run.range.lowerBound + scalarCount..<run.range.upperBound + scalarCount, run.style))
      }
      scalarCount += part.text.utf8.count { $0 & 0xC0 != 0x80 }
    }
    return StyledText(text, checkedRuns: runs)
  }

  /// The beginning of the text for messages, on one line and in quotation marks.
  package var excerpt: String { Subtitles.excerpt(text.utf8) }
}

/// Formats a count, such as `1 line` or `2 lines`.
package func counted(_ count: Int, _ noun: String) -> String {
  count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}

/// Returns the beginning of a text for messages, on one line and in quotation marks.
package func excerpt(_ utf8: some Collection<UInt8>) -> String {
  let shownCount = 32  // This is enough to find the text, but short enough for one line.
  let scalars = String(decoding: utf8.prefix(4 * shownCount), as: UTF8.self).unicodeScalars
  var line = String.UnicodeScalarView()
  for scalar in scalars.prefix(shownCount) { line.append(scalar.value < 0x20 ? " " : scalar) }
  let isCut = scalars.count > shownCount || utf8.dropFirst(4 * shownCount).first != nil
  return "\"" + String(line) + (isCut ? "…\"" : "\"")
}

extension StyledText: ExpressibleByStringLiteral {
  /// Creates a plain text from a string literal.
  public init(stringLiteral text: String) {
    self.init(text)
  }
}

extension StyledText {
  /// The text with each voice replaced by the name of the speaker, such as `Ann: `.
  ///
  /// The name precedes the speaker's words and has their style. It is repeated only if another speaker spoke in
  /// between.
  public var namingVoices: StyledText {
    guard runs.contains(where: { $0.style.voice != nil }) else { return self }
    var scalars = String.UnicodeScalarView()
    var keptRuns: [Run] = []
    var rest = text.unicodeScalars[...]
    var position = 0
    var addedCount = 0
    var speaker: String?
    for run in runs {
      scalars.append(contentsOf: rest.prefix(run.range.lowerBound - position))
      rest = rest.dropFirst(run.range.lowerBound - position)
      let start = run.range.lowerBound + addedCount
      if let voice = run.style.voice, voice != speaker {
        let name = (voice + ": ").unicodeScalars
        scalars.append(contentsOf: name)
        addedCount += name.count
      }
      speaker = run.style.voice ?? speaker
      scalars.append(contentsOf: rest.prefix(run.range.count))
      rest = rest.dropFirst(run.range.count)
      position = run.range.upperBound
      var style = run.style
      style.voice = nil
      if style != .plain { keptRuns.append(Run(start..<position + addedCount, style)) }
    }
    scalars.append(contentsOf: rest)
    return StyledText(normalizing: String(scalars), runs: keptRuns)
  }
}

extension StyledText {
  /// The text, divided at each change of style.
  package var styledSegments: [(text: Substring, style: StyledText.Style)] {
    if runs.isEmpty { return isEmpty ? [] : [(text[...], .plain)] }
    var segments: [(Substring, StyledText.Style)] = []
    let scalars = text.unicodeScalars
    var position = scalars.startIndex
    var count = 0
    func addSegment(to end: Int, _ style: StyledText.Style) {
      guard end > count else { return }
      let next = scalars.index(position, offsetBy: end - count, limitedBy: scalars.endIndex) ?? scalars.endIndex
      segments.append((Substring(scalars[position..<next]), style))
      (position, count) = (next, end)
    }
    for run in runs {
      addSegment(to: run.range.lowerBound, .plain)
      addSegment(to: run.range.upperBound, run.style)
    }
    if position < scalars.endIndex { segments.append((Substring(scalars[position...]), .plain)) }
    return segments
  }
}

/// Builds a styled text. Appended characters receive the current ``style``.
struct StyledTextBuilder {
  private(set) var utf8: [UInt8] = []
  /// The number of characters in the first `countedByteCount` bytes. It is updated only when the style changes.
  private var scalarCount = 0
  private var countedByteCount = 0
  private var runs: [StyledText.Run] = []
  private var runStart = 0
  /// The style of the next characters.
  var style = StyledText.Style.plain { willSet { if newValue != style { closeRun() } } }

  /// Begins a new plain text.
  mutating func removeAll() {
    style = .plain
    utf8.removeAll(keepingCapacity: true)
    (scalarCount, countedByteCount, runStart) = (0, 0, 0)
    runs = []
  }

  mutating func append(_ bytes: some Sequence<UInt8>) { utf8.append(contentsOf: bytes) }

  mutating func append(_ byte: UInt8) { utf8.append(byte) }

  /// Removes trailing blanks and adds a line break. Does nothing if the text is empty.
  mutating func breakLine() {
    removeLast(while: Ascii.isBlank)
    if !utf8.isEmpty { utf8.append(Ascii.lineFeed) }
  }

  /// Removes trailing blanks and line breaks, and returns the text. `normalizing` may be `false` only if the text needs
  /// no normalization.
  mutating func finish(normalizing: Bool = true) -> StyledText {
    style = .plain
    removeLast { Ascii.isBlank($0) || $0 == Ascii.lineFeed }
    let text = String(decoding: utf8, as: UTF8.self)
    return normalizing ? StyledText(normalizing: text, runs: runs) : StyledText(text, checkedRuns: runs)
  }

  /// Removes ASCII characters that satisfy `isRemoved` from the end of the text, and shortens the runs.
  private mutating func removeLast(while isRemoved: (UInt8) -> Bool) {
    while let last = utf8.last, isRemoved(last) { utf8.removeLast() }
    guard utf8.count < countedByteCount else { return }
    scalarCount -= countedByteCount - utf8.count
    countedByteCount = utf8.count
    runStart = min(runStart, scalarCount)
    while let last = runs.last, last.range.upperBound > scalarCount {
      runs.removeLast()
      runs.appendRun(min(last.range.lowerBound, scalarCount)..<scalarCount, last.style)
    }
  }

  private mutating func closeRun() {
    for byte in utf8[countedByteCount...] where byte & 0xC0 != 0x80 { scalarCount += 1 }
    countedByteCount = utf8.count
    runs.appendRun(runStart..<scalarCount, style)
    runStart = scalarCount
  }
}

extension [StyledText.Run] {
  /// Appends a run unless it is empty or plain. If the last run is adjacent and has an equal style, extends that run
  /// instead.
  package mutating func appendRun(_ range: Range<Int>, _ style: StyledText.Style) {
    guard !range.isEmpty, style != .plain else { return }
    if let last, last.style == style, last.range.upperBound == range.lowerBound {
      self[count - 1].range = last.range.lowerBound..<range.upperBound
    } else {
      append(StyledText.Run(range, style))
    }
  }
}

extension StyledText {
  /// The differences between the style of characters and the default style of a track.
  public struct Style: Hashable, Sendable {
    /// Whether the text is bold.
    public var isBold: Bool
    /// Whether the text is italic.
    public var isItalic: Bool
    /// Whether the text is underlined.
    public var isUnderlined: Bool
    /// The text color, or `nil` for the track's default color.
    public var color: StyledText.Color?
    /// The background color, or `nil` for the track's default. Subtitle tracks of movies do not support background
    /// colors.
    public var backgroundColor: StyledText.Color?
    /// The speaker, as in voices of WebVTT, or `nil` if unknown. Subtitle tracks of movies do not support speakers.
    public var voice: String?
    /// The font size in percent of the track's font size, or `nil` if the text has the track's font size.
    public var sizeInPercent: Int?

    /// Creates a style. The default is plain text.
    public init(
      isBold: Bool = false, isItalic: Bool = false, isUnderlined: Bool = false, color: StyledText.Color? = nil,
      backgroundColor: StyledText.Color? = nil, voice: String? = nil, sizeInPercent: Int? = nil
    ) {
      self.isBold = isBold
      self.isItalic = isItalic
      self.isUnderlined = isUnderlined
      self.color = color
      self.backgroundColor = backgroundColor
      self.voice = voice
      self.sizeInPercent = sizeInPercent
    }

    /// The plain style. It does not differ from the track's default.
    public static let plain = StyledText.Style()
  }
}

extension StyledText {
  /// A color of timed text, with one byte each for red, green, blue and alpha (3GPP TS 26.245).
  ///
  ///     let yellow = StyledText.Color(red: 255, green: 255, blue: 0)
  public struct Color: Hashable, Sendable {
    /// The red component.
    public var red: UInt8
    /// The green component.
    public var green: UInt8
    /// The blue component.
    public var blue: UInt8
    /// The opacity, from 0 (transparent) to 255 (opaque).
    public var alpha: UInt8

    /// Creates a color. It is opaque by default.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
      self.red = red
      self.green = green
      self.blue = blue
      self.alpha = alpha
    }

    /// Opaque white.
    public static let white = StyledText.Color(red: 255, green: 255, blue: 255)
    /// Transparent black. It is stored as four zero bytes.
    public static let transparent = StyledText.Color(red: 0, green: 0, blue: 0, alpha: 0)
  }
}
