// Decimal numbers in the text of metadata. Files with routes contain hundreds of thousands of them.

import Subtitles

extension Double {
  /// Parses a decimal number, such as `-117.3274043` or `1e-5`. Returns `nil` for other texts, such as names of numbers
  /// and hexadecimal numbers, and for more than 64 bytes.
  init?(decimal utf8: some Collection<UInt8>) {
    let isNegative = utf8.first == UInt8(ascii: "-")
    var (digits, digitCount, decimalCount, hasPoint) = (UInt64(0), 0, 0, false)
    for byte in utf8.dropFirst(isNegative || utf8.first == UInt8(ascii: "+") ? 1 : 0) {
      let digit = byte &- UInt8(ascii: "0")
      if digit < 10, digitCount < Self.exactDigitCount {
        digits = digits * 10 + UInt64(digit)
        digitCount += 1
        if hasPoint { decimalCount += 1 }
      } else if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else {
        self.init(longDecimal: utf8)
        return
      }
    }
    guard digitCount > 0 else { return nil }
    // Both numbers are exact, so the quotient is the number nearest to the text.
    self = Double(digits) / Self.powersOfTen[decimalCount]
    if isNegative { negate() }
  }

  /// Parses a number with an exponent or with many digits.
  private init?(longDecimal utf8: some Collection<UInt8>) {
    guard utf8.count <= 64, utf8.allSatisfy({ Ascii.isDigit($0) || "+-.eE".utf8.contains($0) }) else { return nil }
    self.init(String(decoding: utf8, as: UTF8.self))
  }

  /// The number of decimal digits that every floating-point number stores exactly.
  static let exactDigitCount = 15
  /// The powers of ten from 0 to ``exactDigitCount``.
  static let powersOfTen: [Double] = (0...exactDigitCount).map { count in
    (0..<count).reduce(1) { power, _ in power * 10 }
  }
}

extension Double {
  /// The shortest decimal number without an exponent. Numbers below 10⁻¹² become 0, and the magnitude must be below
  /// 2⁵³.
  var decimalText: String {
    var utf8: [UInt8] = []
    appendDecimal(to: &utf8)
    return String(decoding: utf8, as: UTF8.self)
  }

  /// Appends ``decimalText`` in UTF-8.
  func appendDecimal(to utf8: inout [UInt8]) {
    if self < 0 { utf8.append(UInt8(ascii: "-")) }
    // Coordinates have few decimals, so they are integer multiples of 10⁻⁹. With 15 digits or fewer, the number is
    // exact.
    if magnitude < 1_000_000 {
      let billionths = UInt64((magnitude * 1e9).rounded())
      if Double(billionths) / 1e9 == magnitude {
        utf8.append(billionths: billionths)
        return
      }
    }
    let text = magnitude.description
    guard magnitude < 1, text.utf8.contains(UInt8(ascii: "e")) else {
      utf8.append(contentsOf: text.utf8)
      return
    }
    // Format a number below 0.0001 without its `description`, which would contain an exponent.
    utf8.append(contentsOf: ("0." + UInt64((magnitude * 1e12).rounded()).padded(to: 12)).utf8)
  }
}

extension [UInt8] {
  /// Appends a number of billionths as a decimal number with one to nine decimals.
  fileprivate mutating func append(billionths: UInt64) {
    let (whole, fraction) = billionths.quotientAndRemainder(dividingBy: 1_000_000_000)
    append(decimal: whole)
    append(UInt8(ascii: "."))
    append(decimal: fraction, digitCount: 9)
    var zeroCount = 0
    while zeroCount < 8, self[count - 1 - zeroCount] == UInt8(ascii: "0") { zeroCount += 1 }
    removeLast(zeroCount)
  }

  /// Appends a whole number with at least `digitCount` digits. Leading zeros fill missing digits.
  package mutating func append(decimal number: UInt64, digitCount: Int = 1) {
    // Append the digits from the last to the first, and then reverse them. A number of 64 bits has at most 20 digits.
    let start = count
    var rest = number
    repeat {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
      rest = quotient
    } while rest > 0 || count - start < digitCount
    var (low, high) = (start, count - 1)
    while low < high {
      swapAt(low, high)
      (low, high) = (low + 1, high - 1)
    }
  }
}
