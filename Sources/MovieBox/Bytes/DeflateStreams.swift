// The two file formats for deflated data: zlib for compressed movie atoms, and gzip for HTTP. zlib is read, and gzip is
// written.

/// A zlib stream (RFC 1950). It consists of a header, deflated data and a checksum.
package enum ZlibStream {
  /// Inflates a stream.
  ///
  /// `byteCount` is the inflated size that the file declares outside the stream. The declared size may be wrong, so
  /// memory is allocated only as bytes are inflated. Bytes after the checksum are ignored.
  ///
  /// Throws `.limit` if `byteCount` is above `limit`. Throws `.unsupported` for a preset dictionary and for compression
  /// methods other than deflate. Throws `.malformed` or `.truncated`, with an offset in `stream`, if the stream is
  /// damaged or its inflated size is not `byteCount`.
  package static func inflate(_ stream: Bytes, byteCount: UInt64, limit: UInt64) throws(MovieError) -> Bytes {
    guard byteCount <= limit, let maximum = Int(exactly: byteCount) else {
      throw MovieError(.limit, at: 0, "declares an inflated size of \(byteCount) bytes: the limit is \(limit)")
    }
    try checkHeader(stream)
    let maximumSize = UInt64(stream.count).multipliedReportingOverflow(by: maximumCompressionRatio)
    guard maximumSize.overflow || byteCount <= maximumSize.partialValue else {
      throw MovieError(
        .malformed, at: 0,
        "declares an inflated size of \(byteCount) bytes, but \(stream.count) bytes inflate to at most \(maximumSize.partialValue)"
      )
    }
    let (output, end) = try Inflater.inflate(stream, from: 2, maximumByteCount: maximum)
    guard let checksum = stream.load(at: end, as: UInt32.self) else {
      throw MovieError(
        .truncated, at: UInt64(end), "needs a checksum of 4 bytes, but has only \(stream.count - end) left")
    }
    guard output.count == maximum else {
      throw MovieError(.malformed, at: UInt64(end), "inflates to \(output.count) bytes, but declares \(byteCount)")
    }
    guard checksum == adler32(output) else {
      throw MovieError(.malformed, at: UInt64(end), "the checksum (Adler-32) does not match the inflated bytes")
    }
    return Bytes(output)
  }

  /// The maximum compression ratio of deflate. Length and distance codes may have one bit each, so a byte may contain
  /// four repetitions of 258 bytes (RFC 1951 3.2.5).
  private static let maximumCompressionRatio: UInt64 = 1032

  /// Checks the method, the window size and the flags. The first two bytes must form a multiple of 31 (RFC 1950 2.2).
  private static func checkHeader(_ stream: Bytes) throws(MovieError) {
    guard let header = stream.load(at: 0, as: UInt16.self) else {
      throw MovieError(.truncated, at: 0, "needs a zlib header of 2 bytes, but has only \(stream.count)")
    }
    guard header % 31 == 0 else { throw MovieError(.malformed, at: 0, "does not begin with a zlib header") }
    guard header >> 8 & 15 == 8 else {
      throw MovieError(
        .unsupported, at: 0, "uses compression method \(header >> 8 & 15): only deflate (8) is supported")
    }
    guard header >> 12 <= 7 else { throw MovieError(.malformed, at: 0, "has a window of more than 32 KiB") }
    guard header & 0x20 == 0 else { throw MovieError(.unsupported, at: 1, "needs a preset dictionary") }
  }

  /// Returns the Adler-32 checksum (RFC 1950, 8.2).
  static func adler32(_ bytes: [UInt8]) -> UInt32 {
    var (a, b) = (1 as UInt32, 0 as UInt32)
    var position = 0
    while position < bytes.count {
      // Reduce the sums only once for each 5552 bytes. Even if each of these bytes is 255, both sums stay below 2³².
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

/// A gzip stream (RFC 1952). It consists of a header, deflated data, a checksum and the inflated size.
package enum GzipStream {
  /// Compresses bytes by replacing repetitions within the last 32 KiB, with the fixed codes of deflate (RFC 1951
  /// 3.2.6).
  ///
  /// This method is suitable for repetitive text such as playlists, which shrink to an eighth or less. Bytes without
  /// repetitions grow by up to an eighth. The result is deterministic.
  package static func deflate(_ bytes: [UInt8]) -> [UInt8] {
    var deflater = Deflater()
    deflater.add(bytes)
    // The header declares the method deflate, no file name, no time and an unknown operating system.
    return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255] + deflater.finish() + littleEndian(crc32(bytes))
      + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
  }

  private static func littleEndian(_ value: UInt32) -> [UInt8] {
    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// Returns the CRC-32 checksum (RFC 1952, 8).
  static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(~0) { sum, byte in checksums[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8 }
  }

  private static let checksums: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
  }
}

/// A writer of a single deflate block.
private struct Deflater {
  private static let windowByteCount = 32 << 10
  private static let shortestLength = 3
  private static let longestLength = 258
  /// The number of earlier positions that are compared to find a match. Comparing more positions hardly makes playlists
  /// smaller.
  private static let candidateCount = 8
  private static let hashBitCount = 13

  private var output: [UInt8] = []
  /// The bits that do not form a complete byte yet. The first bit is the lowest.
  private var bits: UInt64 = 0
  private var pendingBitCount = 0

  init() {
    write(0b011, bitCount: 3)  // The header of the last block, with fixed codes.
  }

  mutating func add(_ bytes: [UInt8]) {
    /// For each hash, the latest position with this hash, or -1. For each position, `previousPositions` contains the
    /// latest earlier position with an equal hash.
    var latestPositions = [Int](repeating: -1, count: 1 << Self.hashBitCount)
    var previousPositions = [Int](repeating: -1, count: min(bytes.count, Self.windowByteCount))
    func note(_ position: Int) {
      guard position + Self.shortestLength <= bytes.count else { return }
      let hash = Self.hash(bytes, position)
      previousPositions[position % Self.windowByteCount] = latestPositions[hash]
      latestPositions[hash] = position
    }
    var position = 0
    while position < bytes.count {
      var (length, distance) = (0, 0)
      if position + Self.shortestLength <= bytes.count {
        var candidate = latestPositions[Self.hash(bytes, position)]
        var count = Self.candidateCount
        while candidate >= 0, position - candidate < Self.windowByteCount, count > 0, length < Self.longestLength {
          let found = Self.commonLength(in: bytes, at: candidate, and: position)
          if found > length { (length, distance) = (found, position - candidate) }
          candidate = previousPositions[candidate % Self.windowByteCount]
          count -= 1
        }
      }
      if length >= Self.shortestLength {
        writeRepetition(length, distance)
      } else {
        length = 1
        writeSymbol(Int(bytes[position]))
      }
      for skipped in position..<position + length { note(skipped) }
      position += length
    }
  }

  /// Ends the block and returns it.
  mutating func finish() -> [UInt8] {
    writeSymbol(256)
    if pendingBitCount > 0 { write(0, bitCount: 7 - (pendingBitCount + 7) % 8) }
    return output
  }

  private static func hash(_ bytes: [UInt8], _ position: Int) -> Int {
    let word = UInt32(bytes[position]) | UInt32(bytes[position + 1]) << 8 | UInt32(bytes[position + 2]) << 16
    return Int((word &* 0x9E37_79B1) >> UInt32(32 - hashBitCount))
  }

  private static func commonLength(in bytes: [UInt8], at first: Int, and second: Int) -> Int {
    let limit = min(longestLength, bytes.count - second)
    var length = 0
    while length < limit, bytes[first + length] == bytes[second + length] { length += 1 }
    return length
  }

  // MARK: - Codes

  private mutating func writeRepetition(_ length: Int, _ distance: Int) {
    let lengthIndex = Inflater.lengthCodes.partitioningIndex { $0.0 > length } - 1
    let (shortestLength, lengthBitCount) = Inflater.lengthCodes[lengthIndex]
    writeSymbol(257 + lengthIndex)
    write(length - shortestLength, bitCount: lengthBitCount)
    let distanceIndex = Inflater.distanceCodes.partitioningIndex { $0.0 > distance } - 1
    let (nearestDistance, distanceBitCount) = Inflater.distanceCodes[distanceIndex]
    writeCode(distanceIndex, bitCount: 5)
    write(distance - nearestDistance, bitCount: distanceBitCount)
  }

  /// Writes a literal, a length or the end of the block.
  private mutating func writeSymbol(_ symbol: Int) {
    switch symbol {
    case ..<144: writeCode(0x30 + symbol, bitCount: 8)
    case ..<256: writeCode(0x190 + symbol - 144, bitCount: 9)
    case ..<280: writeCode(symbol - 256, bitCount: 7)
    default: writeCode(0xC0 + symbol - 280, bitCount: 8)
    }
  }

  /// Writes a Huffman code. Codes are packed from their highest bit, and other integers are packed from their lowest
  /// bit (RFC 1951 3.1.1).
  private mutating func writeCode(_ code: Int, bitCount: Int) {
    var reversed = 0
    for bit in 0..<bitCount { reversed |= (code >> bit & 1) << (bitCount - 1 - bit) }
    write(reversed, bitCount: bitCount)
  }

  private mutating func write(_ value: Int, bitCount: Int) {
    bits |= UInt64(value) << UInt64(pendingBitCount)
    pendingBitCount += bitCount
    while pendingBitCount >= 8 {
      output.append(UInt8(truncatingIfNeeded: bits))
      bits >>= 8
      pendingBitCount -= 8
    }
  }
}
