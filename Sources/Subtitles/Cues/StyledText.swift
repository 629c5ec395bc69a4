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
}

extension StyledText {
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
}

extension StyledText {
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
