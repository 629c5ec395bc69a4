public import Subtitles

extension LegibleOutput {
  /// A text on the screen with all attributes that a player needs to draw it, independent of its format. It
  /// corresponds to an attributed string of AVPlayerItemLegibleOutput with the attributes of CMTextMarkup:
  ///
  /// | CMTextMarkup | here |
  /// |---|---|
  /// | `ForegroundColorARGB`, `CharacterBackgroundColorARGB` | ``Run/foregroundColor``, ``Run/backgroundColor`` |
  /// | `BoldStyle`, `ItalicStyle`, `UnderlineStyle` | ``Run/isBold``, ``Run/isItalic``, ``Run/isUnderlined`` |
  /// | `RelativeFontSize` | ``Run/relativeFontSizeInPercent`` |
  /// | `Alignment` | ``alignment`` |
  /// | `OrthogonalLinePositionPercentageRelativeToWritingDirection` | ``linePositionInPercent`` |
  public struct Text: Hashable, Sendable {
    /// Consecutive characters with equal attributes. All attributes are resolved.
    public struct Run: Hashable, Sendable {
      /// The characters.
      public let text: String
      /// The text color.
      public let foregroundColor: StyledText.Color
      /// The background color, or `nil` if there is none.
      public let backgroundColor: StyledText.Color?
      /// Whether the text is bold.
      public let isBold: Bool
      /// Whether the text is italic.
      public let isItalic: Bool
      /// Whether the text is underlined.
      public let isUnderlined: Bool
      /// The font size in percent of the player's usual size for subtitles.
      public let relativeFontSizeInPercent: Int
      /// The speaker, or `nil` if unknown.
      public let voice: String?
    }

    /// The alignment of lines.
    public enum Alignment: Hashable, Sendable {
      /// The left edge.
      case left
      /// The middle.
      case center
      /// The right edge.
      case right
    }

    /// The time at which the text appears, in milliseconds of the movie's presentation clock.
    public let startMilliseconds: Int64
    /// The time at which the text disappears, in milliseconds of the movie's presentation clock.
    public let endMilliseconds: Int64
    /// The runs of the complete text in order. LF separates lines.
    public let runs: [Run]
    /// The alignment of the lines.
    public let alignment: Alignment
    /// The distance between the upper edges of the text and the picture, in percent of the picture's height. It is 85
    /// for ordinary subtitles.
    public let linePositionInPercent: Double
    /// Whether players show the text even if subtitles are off.
    public let isForced: Bool

    /// The complete text.
    public var text: String { runs.reduce(into: "") { $0 += $1.text } }

    /// Creates the text of a cue.
    public init(_ cue: Cue) {
      startMilliseconds = cue.startMilliseconds
      endMilliseconds = cue.endMilliseconds
      runs = cue.text.styledSegments.map { Run(String($0.text), $0.style) }
      alignment =
        switch cue.placement.horizontal {
        case .left, .indented: .left
        case .center, .centeredAt: .center
        case .right, .endingAt: .right
        }
      // Assume that the text occupies a strip of 15 % of the picture's height, as subtitles do (QTFF "Subtitle track
      // header size and placement").
      linePositionInPercent =
        switch cue.placement.vertical {
        case .bottom: 85
        case .middle: 42.5
        case .top: 0
        case .fromTop(let hundredths): Double(hundredths) / 100
        }
      isForced = cue.isForced
    }
  }
}

extension LegibleOutput.Text.Run {
  fileprivate init(_ text: String, _ style: StyledText.Style) {
    self.text = text
    foregroundColor = style.color ?? .white
    backgroundColor = style.backgroundColor
    isBold = style.isBold
    isItalic = style.isItalic
    isUnderlined = style.isUnderlined
    relativeFontSizeInPercent = style.sizeInPercent ?? 100
    voice = style.voice
  }
}

/// The texts of a track by time, modeled on AVPlayerItemLegibleOutput.
///
///     let output = LegibleOutput(try movie.text(ofTrack: 4, from: source))
///     for text in output.texts(atMilliseconds: 62_500) { print(text.text, text.alignment, text.linePositionInPercent) }
///     for text in output { index(text.text, at: text.startMilliseconds) }
///
/// The collection contains all texts, ordered by start.
public struct LegibleOutput: RandomAccessCollection, Sendable {
  private let cues: [Cue]
  /// For each cue, the latest end among the cue and all cues before it. A binary search in this array finds the first
  /// cue that is still shown.
  private let latestEnds: [Int64]

  /// Creates the output of a track, in linear time.
  public init(_ track: TextTrack) {
    self.init(track.cues)
  }

  /// Creates the output of cues in any order.
  public init(_ cues: [Cue]) {
    let isOrdered = zip(cues, cues.dropFirst()).allSatisfy { $0.startMilliseconds <= $1.startMilliseconds }
    self.cues = isOrdered ? cues : LegibleOutput.ordered(cues)
    var ends: [Int64] = []
    ends.reserveCapacity(cues.count)
    for cue in self.cues { ends.append(Swift.max(ends.last ?? Int64.min, cue.endMilliseconds)) }
    latestEnds = ends
  }

  private static func ordered(_ cues: [Cue]) -> [Cue] {
    cues.enumerated().sorted {
      ($0.element.startMilliseconds, $0.offset) < ($1.element.startMilliseconds, $1.offset)
    }.map(\.element)
  }

  /// The index of the first text, always 0.
  public var startIndex: Int { 0 }
  /// The number of texts.
  public var endIndex: Int { cues.count }

  /// The text at `index`, which must be below ``endIndex``.
  public subscript(index: Int) -> LegibleOutput.Text { LegibleOutput.Text(cues[index]) }

  /// Returns the texts that are shown at a time, in milliseconds of the movie's presentation clock. The texts are
  /// ordered by start.
  ///
  /// If `onlyForced` is `true`, returns only the texts that are shown even if subtitles are off. A binary search finds
  /// the first cue that ends after the time. From this cue on, the function examines all cues that begin before the
  /// time.
  public func texts(atMilliseconds milliseconds: Int64, onlyForced: Bool = false) -> [LegibleOutput.Text] {
    let first = latestEnds.partitioningIndex { $0 > milliseconds }
    return cues[first...].prefix { $0.startMilliseconds <= milliseconds }
      .filter { $0.endMilliseconds > milliseconds && ($0.isForced || !onlyForced) }.map { LegibleOutput.Text($0) }
  }

  /// Returns the time of the next change after a time, or `nil` if there is no further change. The complexity equals
  /// the complexity of ``texts(atMilliseconds:onlyForced:)``.
  public func nextChange(afterMilliseconds milliseconds: Int64) -> Int64? {
    let first = latestEnds.partitioningIndex { $0 > milliseconds }
    var next: Int64?
    for cue in cues[first...] {
      guard cue.startMilliseconds <= milliseconds else { return Swift.min(next ?? Int64.max, cue.startMilliseconds) }
      if cue.endMilliseconds > milliseconds { next = Swift.min(next ?? Int64.max, cue.endMilliseconds) }
    }
    return next
  }
}
