public import Subtitles

/// A text on the screen with everything that a player needs to draw it, whatever format it came from: what
/// AVPlayerItemLegibleOutput hands over as an attributed string with the attributes of CMTextMarkup.
///
/// | CMTextMarkup | here |
/// |---|---|
/// | `ForegroundColorARGB`, `CharacterBackgroundColorARGB` | ``Run/foregroundColor``, ``Run/backgroundColor`` |
/// | `BoldStyle`, `ItalicStyle`, `UnderlineStyle` | ``Run/isBold``, ``Run/isItalic``, ``Run/isUnderlined`` |
/// | `RelativeFontSize` | ``Run/relativeFontSizeInPercent`` |
/// | `Alignment` | ``alignment`` |
/// | `OrthogonalLinePositionPercentageRelativeToWritingDirection` | ``linePositionInPercent`` |
public struct LegibleText: Hashable, Sendable {
  /// Neighbouring characters of one look. Nothing is left to defaults.
  public struct Run: Hashable, Sendable {
    /// The characters.
    public let text: String
    /// Their colour.
    public let foregroundColor: TextColor
    /// The colour under the letters; `nil` for none.
    public let backgroundColor: TextColor?
    /// Bold.
    public let isBold: Bool
    /// Italic.
    public let isItalic: Bool
    /// Underlined.
    public let isUnderlined: Bool
    /// Their size in percent of the size that a player draws subtitles in.
    public let relativeFontSizeInPercent: Int
    /// Who says it, where that is known.
    public let voice: String?
  }

  /// The side to which lines are aligned.
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
  /// The time at which it disappears.
  public let endMilliseconds: Int64
  /// The text in order, all of it; lines are separated by LF.
  public let runs: [Run]
  /// The side to which lines are aligned.
  public let alignment: Alignment
  /// The distance of the text's upper edge from that of the picture, in percent of the picture's height: 85 for
  /// ordinary subtitles.
  public let linePositionInPercent: Double
  /// Whether it is shown although subtitles are off.
  public let isForced: Bool

  /// All characters.
  public var text: String { runs.reduce(into: "") { $0 += $1.text } }

  /// The look of a cue.
  public init(_ cue: Cue) {
    startMilliseconds = cue.startMilliseconds
    endMilliseconds = cue.endMilliseconds
    runs = cue.text.pieces.map { Run(String($0.text), $0.style) }
    alignment =
      switch cue.placement.horizontal {
      case .left: .left
      case .center: .center
      case .right: .right
      }
    // Subtitles take a strip of 15 % (QTFF "Subtitle track header size and placement").
    linePositionInPercent =
      switch cue.placement.vertical {
      case .bottom: 85
      case .middle: 42.5
      case .top: 0
      case .below(let hundredths): Double(hundredths) / 100
      }
    isForced = cue.isForced
  }
}

extension LegibleText.Run {
  fileprivate init(_ text: String, _ style: TextStyle) {
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

/// The output of a text track at any time, after AVPlayerItemLegibleOutput.
///
///     let output = LegibleOutput(try movie.text(ofTrack: 4, from: source))
///     for text in output.texts(at: 62_500) { print(text.text, text.alignment, text.linePositionInPercent) }
///     for text in output { index(text.text, at: text.startMilliseconds) }
///
/// A collection of all texts, ordered by their start, for an index to search in.
public struct LegibleOutput: RandomAccessCollection, Sendable {
  private let cues: [Cue]
  /// The latest end of each cue and those before it.
  private let latestEnds: [Int64]

  /// The output of a track. Costs one pass over its cues.
  public init(_ track: TextTrack) {
    self.init(track.cues)
  }

  /// The output of cues, in any order.
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

  /// Zero.
  public var startIndex: Int { 0 }
  /// The number of texts.
  public var endIndex: Int { cues.count }

  /// The text at `index`, which must be below ``endIndex``.
  public subscript(index: Int) -> LegibleText { LegibleText(cues[index]) }

  /// Returns the texts on the screen at a time, in milliseconds of the movie's presentation clock; earlier texts come
  /// first.
  ///
  /// With `onlyForced`, what is there although subtitles are off. Costs two searches, and the cues between the first
  /// that lasts beyond the time and the last that begins before it.
  public func texts(at milliseconds: Int64, onlyForced: Bool = false) -> [LegibleText] {
    let first = latestEnds.partitioningIndex { $0 > milliseconds }
    return cues[first...].prefix { $0.startMilliseconds <= milliseconds }
      .filter { $0.endMilliseconds > milliseconds && ($0.isForced || !onlyForced) }.map { LegibleText($0) }
  }

  /// Returns the time of the screen's next change after a time; `nil` if there is none. Costs as
  /// ``texts(at:onlyForced:)`` does.
  public func nextChange(after milliseconds: Int64) -> Int64? {
    let first = latestEnds.partitioningIndex { $0 > milliseconds }
    var next: Int64?
    for cue in cues[first...] {
      guard cue.startMilliseconds <= milliseconds else { return Swift.min(next ?? Int64.max, cue.startMilliseconds) }
      if cue.endMilliseconds > milliseconds { next = Swift.min(next ?? Int64.max, cue.endMilliseconds) }
    }
    return next
  }
}
