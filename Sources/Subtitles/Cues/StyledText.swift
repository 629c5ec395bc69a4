/// A text and the runs of it that do not look plain.
///
/// Lines are separated by LF: CR, CR LF, U+2028 and U+2029 become one, and NULs and byte order marks, which players
/// show as boxes, are taken out. Two texts are equal when they have the same characters in the same order; letters that
/// are composed otherwise are others. Offsets count code points (Unicode scalars), as style records of `tx3g` do.
///
///     let text = StyledText("Who is there?", runs: [StyledText.Run(0..<3, TextStyle(isItalic: true))])
public struct StyledText: Hashable, Sendable {
  /// Neighbouring characters of one style.
  public struct Run: Hashable, Sendable {
    /// The characters, counted in code points from the start of the text.
    public var range: Range<Int>
    /// Their style.
    public var style: TextStyle

    /// A run of `style` over `range`.
    public init(_ range: Range<Int>, _ style: TextStyle) {
      self.range = range
      self.style = style
    }
  }

  /// The characters.
  public let text: String
  /// The runs that are not plain, ordered, disjoint, not empty, inside the text.
  public let runs: [Run]

  /// Plain text.
  public init(_ text: String) {
    self.init(normalizing: text, runs: [])
  }

  /// Text with runs; fails unless the runs are ordered, disjoint, not empty and inside the text.
  ///
  /// The ranges are those in the text as it is given.
  public init?(_ text: String, runs: [Run]) {
    var end = 0
    for run in runs {
      guard run.range.lowerBound >= end, !run.range.isEmpty else { return nil }
      end = run.range.upperBound
    }
    guard end <= text.unicodeScalars.count else { return nil }
    self.init(normalizing: text, runs: runs)
  }

  /// Text whose lines are to be separated by LF, with runs that the caller has made ordered, disjoint, not empty and
  /// inside the text.
  package init(normalizing text: String, runs: [Run]) {
    guard let (kept, places) = Self.normalized(text) else {
      self.init(text, checkedRuns: runs)
      return
    }
    let moved = runs.map { Run(places[$0.range.lowerBound]..<places[$0.range.upperBound], $0.style) }
    self.init(kept, checkedRuns: moved.filter { !$0.range.isEmpty })
  }

  /// The text with its lines separated by LF, and the new place of each of its characters and of its end; `nil` if the
  /// text has that form.
  package static func normalized(_ text: String) -> (text: String, places: [Int])? {
    guard text.utf8.contains(where: { $0 == Ascii.carriageReturn || $0 == 0 || $0 == 0xE2 || $0 == 0xEF }) else {
      return nil
    }
    var kept = String.UnicodeScalarView()
    var places: [Int] = []
    var count = 0
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      places.append(count)
      let isSecondOfPair = scalar == "\n" && previous == "\r"
      previous = scalar
      switch scalar {
      case "\0", "\u{FEFF}": continue
      case _ where isSecondOfPair: continue
      case "\r", "\u{2028}", "\u{2029}": kept.append("\n")
      default: kept.append(scalar)
      }
      count += 1
    }
    places.append(count)
    return (String(kept), places)
  }

  /// Text with runs that the caller has made ordered, disjoint, not empty and inside the text.
  package init(_ text: String, checkedRuns runs: [Run]) {
    self.text = text
    self.runs = runs
  }

  /// Whether there are no characters.
  public var isEmpty: Bool { text.isEmpty }

  /// Whether both have the same characters and styles. `String` takes canonically equivalent texts for equal, whose
  /// samples would not be.
  public static func == (left: StyledText, right: StyledText) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8) && left.runs == right.runs
  }

  /// Feeds the text and its styles.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(text)
    hasher.combine(runs)
  }

  /// The texts as lines of one text, in order.
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

  /// The beginning, on one line and in quotation marks, for messages.
  package var excerpt: String { Subtitles.excerpt(text.utf8) }
}

/// `1 line`, `2 lines`.
package func counted(_ count: Int, _ noun: String) -> String {
  count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}

/// The beginning of a text, on one line and in quotation marks, for messages.
package func excerpt(_ utf8: some Collection<UInt8>) -> String {
  let shown = 32  // Enough to find the place, and messages stay on one line.
  let scalars = String(decoding: utf8.prefix(4 * shown), as: UTF8.self).unicodeScalars
  var line = String.UnicodeScalarView()
  for scalar in scalars.prefix(shown) { line.append(scalar.value < 0x20 ? " " : scalar) }
  let isCut = scalars.count > shown || utf8.dropFirst(4 * shown).first != nil
  return "\"" + String(line) + (isCut ? "…\"" : "\"")
}

extension StyledText {
  /// The text with the name of who speaks before their words, as `Ann: `, and without voices.
  ///
  /// The name has the style of the words that it stands before, and stands there once until another speaks.
  public var namingVoices: StyledText {
    guard runs.contains(where: { $0.style.voice != nil }) else { return self }
    var scalars = String.UnicodeScalarView()
    var kept: [Run] = []
    var rest = text.unicodeScalars[...]
    var position = 0
    var added = 0
    var speaker: String?
    for run in runs {
      scalars.append(contentsOf: rest.prefix(run.range.lowerBound - position))
      rest = rest.dropFirst(run.range.lowerBound - position)
      let start = run.range.lowerBound + added
      if let voice = run.style.voice, voice != speaker {
        let name = (voice + ": ").unicodeScalars
        scalars.append(contentsOf: name)
        added += name.count
      }
      speaker = run.style.voice ?? speaker
      scalars.append(contentsOf: rest.prefix(run.range.count))
      rest = rest.dropFirst(run.range.count)
      position = run.range.upperBound
      var style = run.style
      style.voice = nil
      if style != .plain { kept.append(Run(start..<position + added, style)) }
    }
    scalars.append(contentsOf: rest)
    return StyledText(normalizing: String(scalars), runs: kept)
  }
}

/// A builder for styled text: characters that are added after a change of style have the new style.
struct StyledTextBuilder {
  /// The characters so far.
  private(set) var utf8: [UInt8] = []
  /// The number of characters in the first `countedByteCount` bytes; counted only where styles change.
  private var scalarCount = 0
  private var countedByteCount = 0
  private var runs: [StyledText.Run] = []
  private var runStart = 0
  /// The style of the next characters.
  var style = TextStyle.plain { willSet { if newValue != style { closeRun() } } }

  /// Begins a new text, of plain style.
  mutating func removeAll() {
    style = .plain
    utf8.removeAll(keepingCapacity: true)
    (scalarCount, countedByteCount, runStart) = (0, 0, 0)
    runs = []
  }

  mutating func append(_ bytes: some Sequence<UInt8>) { utf8.append(contentsOf: bytes) }

  mutating func append(_ byte: UInt8) { utf8.append(byte) }

  /// Adds a line break, unless nothing stands before it. Blanks before it are taken off, as they are at the ends of
  /// lines.
  mutating func breakLine() {
    removeLast(while: Ascii.isBlank)
    if !utf8.isEmpty { utf8.append(Ascii.lineFeed) }
  }

  /// Removes blanks and line breaks at the end. Without `normalizing`, the text has no character that ``StyledText``
  /// removes.
  mutating func finish(normalizing: Bool = true) -> StyledText {
    style = .plain
    removeLast { Ascii.isBlank($0) || $0 == Ascii.lineFeed }
    let text = String(decoding: utf8, as: UTF8.self)
    return normalizing ? StyledText(normalizing: text, runs: runs) : StyledText(text, checkedRuns: runs)
  }

  /// Removes characters from the end, all of them ASCII, and from the runs.
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
  /// Adds a run after the others, unless it is empty or plain; the last one grows where it has the same style and ends
  /// there.
  package mutating func appendRun(_ range: Range<Int>, _ style: TextStyle) {
    guard !range.isEmpty, style != .plain else { return }
    if let last, last.style == style, last.range.upperBound == range.lowerBound {
      self[count - 1].range = last.range.lowerBound..<range.upperBound
    } else {
      append(StyledText.Run(range, style))
    }
  }
}

/// The differences of a character's style from the track's default style.
public struct TextStyle: Hashable, Sendable {
  /// Bold.
  public var isBold: Bool
  /// Italic.
  public var isItalic: Bool
  /// Underlined.
  public var isUnderlined: Bool
  /// The colour; `nil` is the track's default.
  public var color: TextColor?
  /// The colour under the characters; `nil` is the track's default. Subtitle tracks of a movie have none.
  public var backgroundColor: TextColor?
  /// Who says it, as WebVTT's voices tell; `nil` where nothing does. Subtitle tracks of a movie have none.
  public var voice: String?
  /// The size of the letters in percent of the track's; `nil` is the same.
  public var sizeInPercent: Int?

  /// A style; without arguments it is that of plain text.
  public init(
    isBold: Bool = false, isItalic: Bool = false, isUnderlined: Bool = false, color: TextColor? = nil,
    backgroundColor: TextColor? = nil, voice: String? = nil, sizeInPercent: Int? = nil
  ) {
    self.isBold = isBold
    self.isItalic = isItalic
    self.isUnderlined = isUnderlined
    self.color = color
    self.backgroundColor = backgroundColor
    self.voice = voice
    self.sizeInPercent = sizeInPercent
  }

  /// No difference.
  public static let plain = TextStyle()
}

/// A colour of timed text: red, green, blue and alpha, a byte each.
///
/// Alpha 255 is opaque, 0 transparent (3GPP TS 26.245).
///
///     let yellow = TextColor(red: 255, green: 255, blue: 0)
public struct TextColor: Hashable, Sendable {
  /// Red, 0 to 255.
  public var red: UInt8
  /// Green, 0 to 255.
  public var green: UInt8
  /// Blue, 0 to 255.
  public var blue: UInt8
  /// Opacity: 255 is opaque, 0 transparent.
  public var alpha: UInt8

  /// A colour, opaque unless set otherwise.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Opaque white.
  public static let white = TextColor(red: 255, green: 255, blue: 255)
  /// Nothing to be seen: four zero bytes.
  public static let transparent = TextColor(red: 0, green: 0, blue: 0, alpha: 0)
}
