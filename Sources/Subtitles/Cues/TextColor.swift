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
