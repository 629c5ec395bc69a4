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

  /// A colour, opaque unless told otherwise.
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

extension ByteReader {
  mutating func readTextColor() throws(MovieError) -> TextColor {
    let word = try read(UInt32.self)
    return TextColor(
      red: UInt8(truncatingIfNeeded: word >> 24), green: UInt8(truncatingIfNeeded: word >> 16),
      blue: UInt8(truncatingIfNeeded: word >> 8), alpha: UInt8(truncatingIfNeeded: word))
  }
}

extension ByteWriter {
  mutating func write(_ color: TextColor) {
    let upper = UInt32(color.red) << 24 | UInt32(color.green) << 16
    write(upper | UInt32(color.blue) << 8 | UInt32(color.alpha))
  }
}
