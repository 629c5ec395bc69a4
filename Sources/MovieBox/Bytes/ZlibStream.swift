/// Deflated bytes with a header before them and a checksum after (RFC 1950).
package enum ZlibStream {
  /// The bytes that a stream holds.
  ///
  /// The stream says nothing of their number: `byteCount` is what stands beside it. It is a claim; memory is taken as
  /// bytes come out. What follows the checksum is not looked at.
  ///
  /// Throws `.limit` when the claim is above `limit`, `.unsupported` for another method than deflate and for a preset
  /// dictionary, and `.malformed` or `.truncated`, with an offset from the start of `stream`, for one that is broken or
  /// holds more or fewer bytes.
  package static func inflate(_ stream: Bytes, byteCount: UInt64, limit: UInt64) throws(MovieError) -> Bytes {
    guard byteCount <= limit, let maximum = Int(exactly: byteCount) else {
      throw MovieError(.limit, at: 0, "claims to inflate to \(byteCount) bytes, the limit is \(limit)")
    }
    try checkHeader(stream)
    let largest = UInt64(stream.count).multipliedReportingOverflow(by: largestRatio)
    guard largest.overflow || byteCount <= largest.partialValue else {
      throw MovieError(
        .malformed, at: 0, "\(stream.count) deflated bytes inflate to at most \(largest.partialValue), not \(byteCount)"
      )
    }
    let (output, end) = try Inflater.inflate(stream, from: 2, maximumByteCount: maximum)
    guard let checksum = stream.load(at: end, as: UInt32.self) else {
      throw MovieError(.truncated, at: UInt64(end), "needs 4 bytes of checksum, \(stream.count - end) left")
    }
    guard output.count == maximum else {
      throw MovieError(.malformed, at: UInt64(end), "inflates to \(output.count) bytes, claims \(byteCount)")
    }
    guard checksum == adler32(output) else {
      throw MovieError(.malformed, at: UInt64(end), "the checksum (Adler-32) of the inflated bytes is another")
    }
    return Bytes(output)
  }

  /// The most bytes that a deflated byte gives: four repetitions of 258 bytes, each by a length and a distance of one
  /// bit (RFC 1951 3.2.5).
  private static let largestRatio: UInt64 = 1032

  /// Method and window, then flags, which make the two a multiple of 31 (RFC 1950 2.2).
  private static func checkHeader(_ stream: Bytes) throws(MovieError) {
    guard let header = stream.load(at: 0, as: UInt16.self) else {
      throw MovieError(.truncated, at: 0, "needs 2 bytes of zlib header, \(stream.count) left")
    }
    guard header % 31 == 0 else { throw MovieError(.malformed, at: 0, "does not begin with a zlib header") }
    guard header >> 8 & 15 == 8 else {
      throw MovieError(.unsupported, at: 0, "compression method \(header >> 8 & 15), only deflate (8) is known")
    }
    guard header >> 12 <= 7 else { throw MovieError(.malformed, at: 0, "a window of more than 32 KiB") }
    guard header & 0x20 == 0 else { throw MovieError(.unsupported, at: 1, "needs a preset dictionary") }
  }

  /// The checksum of RFC 1950 8.
  static func adler32(_ bytes: [UInt8]) -> UInt32 {
    var (a, b) = (1 as UInt32, 0 as UInt32)
    var position = 0
    while position < bytes.count {
      // So many bytes of 255 keep both sums below 2³².
      let end = Swift.min(bytes.count, position + 5552)
      for index in position..<end {
        a &+= UInt32(bytes[index])
        b &+= a
      }
      a %= 65521
      b %= 65521
      position = end
    }
    return b << 16 | a
  }
}
