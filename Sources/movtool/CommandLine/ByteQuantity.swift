import Subtitles

/// A number of bytes as people type it: `65536`, `64K`, `1M`, `2G`.
enum ByteQuantity {
  /// The number of bytes; `nil` for anything else. K, M and G stand for 1024, its square and its cube.
  static func bytes(_ text: some StringProtocol) -> UInt64? {
    let units: [Character: UInt64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = text.last.flatMap { units[Character($0.uppercased())] }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard let number = UInt64(digits: digits) else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
    return overflow ? nil : product
  }
}
