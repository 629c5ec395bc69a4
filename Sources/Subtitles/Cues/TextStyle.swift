/// How characters of a subtitle differ from the track's default style.
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
