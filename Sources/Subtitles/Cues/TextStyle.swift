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
