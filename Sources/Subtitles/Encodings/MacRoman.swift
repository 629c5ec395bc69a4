/// The text encoding of classic Macintosh systems for Western languages.
///
///     print(MacRoman.decode([0x63, 0x61, 0x66, 0x8E]))  // café
package enum MacRoman {
  /// The characters of `bytes`; every byte has one.
  package static func decode(_ bytes: some Sequence<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    for byte in bytes {
      text.append(byte < 0x80 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 0x80])
    }
    return String(text)
  }

  /// The characters of the bytes from 0x80, 16 in a line.
  ///
  /// As of Mac OS 8.5: the euro sign at 0xDB. 0xCA is the no-break space, 0xF0 the apple of Unicode's private use area.
  private static let upperHalf = Array(
    ("ÄÅÇÉÑÖÜáàâäãåçéè"
      + "êëíìîïñóòôöõúùûü"
      + "†°¢£§•¶ß®©™´¨≠ÆØ"
      + "∞±≤≥¥µ∂∑∏π∫ªºΩæø"
      + "¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ"
      + "–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ"
      + "‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ"
      + "\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ").unicodeScalars)
}
