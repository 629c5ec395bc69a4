extension FixedWidthInteger {
  /// The number that digits of ASCII spell, and nothing else: no sign, no blank. `nil` for other text, for none, and for
  /// a number that is too large.
  package init?(digits: some StringProtocol, radix: Int = 10) {
    guard let first = digits.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-") else { return nil }
    self.init(digits, radix: radix)
  }
}

extension BinaryInteger {
  /// The number in decimal digits, with zeros before it where they are fewer.
  package func padded(to digitCount: Int) -> String { String(self).padded(to: digitCount) }
}

extension String {
  /// The text with zeros before it, or other characters, where it has fewer characters.
  package func padded(to count: Int, with character: Character = "0") -> String {
    String(repeating: character, count: Swift.max(0, count - self.count)) + self
  }
}
