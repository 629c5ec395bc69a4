import Subtitles

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
