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

  /// Which side the lines keep to.
  public enum Alignment: Hashable, Sendable {
    /// The left edge.
    case left
    /// The middle.
    case center
    /// The right edge.
    case right
  }

  /// When the text appears, in milliseconds of the movie's presentation clock.
  public let startMilliseconds: Int64
  /// When it disappears.
  public let endMilliseconds: Int64
  /// The text in order, all of it; lines are separated by LF.
  public let runs: [Run]
  /// Which side the lines keep to.
  public let alignment: Alignment
  /// How far the text's upper edge stands below that of the picture, in percent of the picture's height: 85 where
  /// subtitles stand unless set otherwise.
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
