/// A decompressor of DEFLATE data (RFC 1951).
///
/// The output grows only as bytes are inflated, up to a maximum. A wrong declared size therefore cannot cause a large
/// allocation.
struct Inflater {
  /// The output. Only the first `count` bytes are valid.
  private var output: [UInt8] = []
  private var count = 0
  private let maximumByteCount: Int
  private var bits: DeflateBitReader
  private var literals = HuffmanCode()
  private var distances = HuffmanCode()
  /// The fixed codes (RFC 1951 3.2.6). They are created for the first block that uses them. A block with fixed codes
  /// may have only ten bits, so creating them for each block would be slow.
  private var fixedCodes: (literals: HuffmanCode, distances: HuffmanCode)?
  private let lengthCodes = Self.lengthCodes
  private let distanceCodes = Self.distanceCodes

  /// Inflates the blocks from `position` through the last block.
  ///
  /// Returns the inflated bytes and the end of the last block. Throws `.truncated` or `.malformed` with offsets in
  /// `bytes`. Also throws `.malformed` if the output exceeds `maximumByteCount`.
  static func inflate(
    _ bytes: Bytes, from position: Int, maximumByteCount: Int
  ) throws(MovieError) -> (output: [UInt8], end: Int) {
    var inflater = Inflater(
      maximumByteCount: maximumByteCount, bits: DeflateBitReader(bytes, from: Swift.min(position, bytes.count)))
    try inflater.run()
    inflater.output.removeLast(inflater.output.count - inflater.count)
    return (inflater.output, inflater.bits.offset)
  }

  private init(maximumByteCount: Int, bits: DeflateBitReader) {
    self.maximumByteCount = maximumByteCount
    self.bits = bits
  }

  private mutating func run() throws(MovieError) {
    var isLast = false
    while !isLast {
      bits.refill()
      isLast = try bits.read(1) == 1
      switch try bits.read(2) {
      case 0: try inflateStored()
      case 1:
        try useFixedCodes()
        try inflateCodes()
      case 2:
        try readCodes()
        try inflateCodes()
      default: throw bits.failure(.malformed, "a deflate block has the reserved type")
      }
    }
  }
}

// MARK: - Blocks

extension Inflater {
  private mutating func inflateStored() throws(MovieError) {
    bits.alignToByte()
    let sizes = try bits.readBytes(4)
    let byteCount = Int(sizes[0]) | Int(sizes[1]) << 8
    guard byteCount ^ 0xFFFF == Int(sizes[2]) | Int(sizes[3]) << 8 else {
      throw bits.failure(.malformed, "the two sizes of a stored block differ")
    }
    let storedBytes = try bits.readBytes(byteCount)
    try makeRoom(byteCount)
    storedBytes.copy(from: 0, count: byteCount, into: &output, at: count)
    count += byteCount
  }

  private mutating func inflateCodes() throws(MovieError) {
    while true {
      bits.refill()  // The longest length and distance have 48 bits in total.
      let symbol = try literals.readSymbol(&bits)
      if symbol < 256 {
        if count == output.count { try makeRoom(1) }
        output[count] = UInt8(truncatingIfNeeded: symbol)
        count &+= 1  // The addition cannot overflow, because `count` was a valid index.
        continue
      }
      guard symbol > 256 else { return }
      guard symbol - 257 < lengthCodes.count else { throw bits.failure(.malformed, "a length has a reserved code") }
      let (length, lengthBits) = lengthCodes[symbol - 257]
      let byteCount = length + (try bits.read(lengthBits))
      let code = try distances.readSymbol(&bits)
      guard code < distanceCodes.count else { throw bits.failure(.malformed, "a distance has a reserved code") }
      let (base, distanceBits) = distanceCodes[code]
      try copy(byteCount, distance: base + (try bits.read(distanceBits)))
    }
  }

  /// Appends `byteCount` bytes of the earlier output, beginning `distance` bytes before its end. The copied range may
  /// overlap the appended bytes.
  @inline(__always)
  private mutating func copy(_ byteCount: Int, distance: Int) throws(MovieError) {
    guard distance <= count else {
      throw bits.failure(.malformed, "refers to data \(distance) bytes back, but only \(count) bytes precede it")
    }
    if byteCount > output.count - count { try makeRoom(byteCount) }
    // The additions cannot overflow, because both ends are within the output.
    var sourcePosition = count &- distance
    let end = count &+ byteCount
    while count < end {
      output[count] = output[sourcePosition]
      count &+= 1
      sourcePosition &+= 1
    }
  }

  /// Enlarges the output if it has no space for `byteCount` more bytes.
  private mutating func makeRoom(_ byteCount: Int) throws(MovieError) {
    guard byteCount <= maximumByteCount - count else {
      throw bits.failure(.malformed, "inflates to more than the declared \(maximumByteCount) bytes")
    }
    guard byteCount > output.count - count else { return }
    // Doubling the size keeps the total cost of copying linear.
    let doubledCount = count + Swift.min(count, maximumByteCount - count)
    let target = Swift.min(maximumByteCount, Swift.max(count + byteCount, doubledCount, 4096))
    output.append(contentsOf: repeatElement(0, count: target - output.count))
  }
}

// MARK: - Codes

extension Inflater {
  /// Reads the codes of a block with dynamic codes (RFC 1951 3.2.7).
  private mutating func readCodes() throws(MovieError) {
    bits.refill()
    let literalCount = try bits.read(5) + 257
    let distanceCount = try bits.read(5) + 1
    let lengthCount = try bits.read(4) + 4
    guard literalCount <= 286, distanceCount <= 30 else {
      throw bits.failure(
        .malformed,
        "a deflate block declares \(literalCount) lengths and \(distanceCount) distances: at most 286 and 30 are permitted"
      )
    }
    var lengths = [UInt8](repeating: 0, count: 19)
    for symbol in Self.lengthOrder.prefix(lengthCount) {
      bits.refill()
      lengths[symbol] = UInt8(truncatingIfNeeded: try bits.read(3))
    }
    try define(&literals, lengths[...], "code lengths")
    let codeLengths = try readLengths(literalCount + distanceCount)
    guard codeLengths[256] > 0 else { throw bits.failure(.malformed, "a deflate block has no code for its end") }
    try define(codeLengths, literalCount: literalCount)
  }

  /// Reads the lengths of the block's codes. A symbol represents a length from 0 to 15 or a repetition.
  private mutating func readLengths(_ total: Int) throws(MovieError) -> [UInt8] {
    var codeLengths: [UInt8] = []
    codeLengths.reserveCapacity(total)
    while codeLengths.count < total {
      bits.refill()
      let symbol = try literals.readSymbol(&bits)
      var length: UInt8 = 0
      var repetitions = 1
      switch symbol {
      case 16:
        guard let last = codeLengths.last else {
          throw bits.failure(.malformed, "a repetition precedes the first code length")
        }
        length = last
        repetitions = 3 + (try bits.read(2))
      case 17: repetitions = 3 + (try bits.read(3))
      case 18: repetitions = 11 + (try bits.read(7))
      default: length = UInt8(truncatingIfNeeded: symbol)
      }
      guard repetitions <= total - codeLengths.count else {
        throw bits.failure(.malformed, "has more code lengths than the declared \(total)")
      }
      codeLengths.append(contentsOf: repeatElement(length, count: repetitions))
    }
    return codeLengths
  }

  private mutating func useFixedCodes() throws(MovieError) {
    if let fixedCodes {
      (literals, distances) = fixedCodes
    } else {
      try define(Self.fixedLengths, literalCount: 288)
      fixedCodes = (literals, distances)
    }
  }

  private mutating func define(_ lengths: [UInt8], literalCount: Int) throws(MovieError) {
    try define(&literals, lengths[..<literalCount], "literals and lengths")
    try define(&distances, lengths[literalCount...], "distances")
  }

  private func define(_ code: inout HuffmanCode, _ lengths: ArraySlice<UInt8>, _ name: String) throws(MovieError) {
    do throws(HuffmanCode.Defect) {
      try code.define(lengths)
    } catch {
      throw bits.failure(.malformed, "the code of \(name) is \(error)")
    }
  }

  /// The code lengths of blocks with fixed codes (RFC 1951 3.2.6), for 288 literals and lengths and 32 distances.
  private static let fixedLengths: [UInt8] =
    [UInt8](repeating: 8, count: 144) + [UInt8](repeating: 9, count: 112) + [UInt8](repeating: 7, count: 24)
    + [UInt8](repeating: 8, count: 8) + [UInt8](repeating: 5, count: 32)

  /// The order in which a block stores the lengths of the codes for code lengths (RFC 1951 3.2.7).
  private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  /// The smallest length and the number of extra bits for each symbol from 257 (RFC 1951 3.2.5).
  static let lengthCodes: [(base: Int, extraBitCount: Int)] = {
    var codes = (0..<8).map { (base: 3 + $0, extraBitCount: 0) }
    for width in 1...5 {
      for step in 0..<4 { codes.append((3 + (4 + step) << width, width)) }
    }
    codes.append((258, 0))  // The length 258 has its own symbol, without extra bits.
    return codes
  }()

  /// The smallest distance and the number of extra bits for each distance symbol.
  static let distanceCodes: [(base: Int, extraBitCount: Int)] = {
    var codes = (0..<4).map { (base: 1 + $0, extraBitCount: 0) }
    for width in 1...13 {
      for step in 0..<2 { codes.append((1 + (2 + step) << width, width)) }
    }
    return codes
  }()
}

/// A reader of bits in the order of deflate: the lowest bit of each byte is read first (RFC 1951 3.1.1).
///
/// ``refill()`` loads at least 56 bits, or all remaining bits. A caller that needs more bits must call it again.
struct DeflateBitReader {
  private let bytes: Bytes
  /// The index of the next byte to load.
  private var position: Int
  /// The loaded bits. The lowest bit is the next bit to be read. The bits above the lowest `count` bits are zeros, or
  /// equal the bits of the byte at `position`.
  private var bits: UInt64 = 0
  /// The number of loaded bits that are not used yet. It is below 64.
  private(set) var count = 0

  /// Creates a reader at `position`, which must be within the bytes or at their end.
  init(_ bytes: Bytes, from position: Int) {
    self.bytes = bytes
    self.position = position
  }

  /// The index of the byte with the next bit.
  var offset: Int { position - count / 8 }

  /// The next bits, beginning with the lowest. Bits above `count` are undefined.
  var nextBits: UInt64 { bits }

  /// Loads whole bytes until no further byte fits.
  @inline(__always)
  mutating func refill() {
    if let word = bytes.load(at: position, as: UInt64.self) {
      bits |= word.byteSwapped &<< UInt64(truncatingIfNeeded: count)
      position &+= (63 &- count) &>> 3  // The addition cannot overflow, because eight bytes were available.
      count |= 56
    } else {
      while count < 56, position < bytes.count {
        bits |= UInt64(bytes[position]) &<< UInt64(truncatingIfNeeded: count)
        position += 1
        count += 8
      }
    }
  }

  /// Skips `bitCount` bits, at most 56. Throws if fewer bits remain.
  @inline(__always)
  mutating func skip(_ bitCount: Int) throws(MovieError) {
    guard bitCount <= count else { throw failure(.truncated, "the data ends within a deflate block") }
    bits &>>= UInt64(truncatingIfNeeded: bitCount)
    count &-= bitCount
  }

  /// Reads an integer of at most 16 bits from the loaded bits.
  @inline(__always)
  mutating func read(_ width: Int) throws(MovieError) -> Int {
    let value = bits & (1 &<< UInt64(truncatingIfNeeded: width) &- 1)
    try skip(width)
    return Int(truncatingIfNeeded: value)
  }

  /// Skips the unread bits of a byte that was partly read.
  mutating func alignToByte() {
    position = offset
    bits = 0
    count = 0
  }

  /// Reads `byteCount` bytes. The caller must call ``alignToByte()`` first.
  mutating func readBytes(_ byteCount: Int) throws(MovieError) -> Bytes {
    guard let slice = bytes.slice(at: position, count: byteCount) else {
      throw failure(.truncated, "needs \(byteCount) bytes, but only \(bytes.count - position) remain")
    }
    position += byteCount
    return slice
  }

  /// Returns an error at the next bit.
  func failure(_ code: MovieError.Code, _ reason: String) -> MovieError {
    MovieError(code, at: UInt64(offset), reason)
  }
}
