/// A Huffman code of deflate, defined by its code lengths (RFC 1951 3.2.2).
///
/// Codes of up to ten bits are looked up in a table. Longer codes are rare and are searched by length.
struct HuffmanCode {
  /// The reason why the lengths do not define a code.
  enum Defect: Error {
    case oversubscribed
    case incomplete
  }

  private static let maximumLength = 15
  private static let tableBits = 10

  /// The table for codes of up to ten bits, indexed by the next ten bits. An entry is the symbol times 16 plus the code
  /// length. It is 0 for a longer or invalid code.
  private var table = [UInt16](repeating: 0, count: 1 << tableBits)
  /// The number of codes of each length.
  private var codeCounts = [Int](repeating: 0, count: maximumLength + 1)
  /// The symbols, sorted by their codes.
  private var symbols: [UInt16] = []

  /// Creates a code without symbols.
  init() {}

  /// Defines the code in which symbol *i* has `lengths[i]` bits. Lengths are at most 15. A symbol with length 0 is
  /// unused.
  ///
  /// Throws if there are too many codes for their lengths. Like zlib, also throws if the code is incomplete, unless it
  /// is a single code of one bit. A code without symbols is accepted, but ``readSymbol(_:)`` then throws.
  mutating func define(_ lengths: ArraySlice<UInt8>) throws(Defect) {
    codeCounts = [Int](repeating: 0, count: Self.maximumLength + 1)
    for length in lengths { codeCounts[Int(length)] += 1 }
    codeCounts[0] = 0
    var freeCodeCount = 1
    var starts = [Int](repeating: 0, count: Self.maximumLength + 2)
    for length in 1...Self.maximumLength {
      freeCodeCount = freeCodeCount * 2 - codeCounts[length]
      if freeCodeCount < 0 { throw .oversubscribed }
      starts[length + 1] = starts[length] + codeCounts[length]
    }
    let usedCount = starts[Self.maximumLength + 1]
    if freeCodeCount > 0, usedCount > 0, usedCount != 1 || codeCounts[1] != 1 { throw .incomplete }
    symbols = [UInt16](repeating: 0, count: usedCount)
    for (symbol, length) in lengths.enumerated() where length > 0 {
      symbols[starts[Int(length)]] = UInt16(symbol)
      starts[Int(length)] += 1
    }
    fillTable()
  }

  private mutating func fillTable() {
    table = [UInt16](repeating: 0, count: 1 << Self.tableBits)
    var code = 0
    var first = 0
    for length in 1...Self.tableBits {
      for symbol in symbols[first..<first + codeCounts[length]] {
        let entry = symbol << 4 | UInt16(length)
        // The index contains the reversed code in its low bits, because the first bit of a code is the lowest. The
        // higher bits belong to the next code, so the entry is stored for each of their values.
        var index = Self.reversed(code, bitCount: length)
        while index < table.count {
          table[index] = entry
          index += 1 << length
        }
        code += 1
      }
      first += codeCounts[length]
      code <<= 1
    }
  }

  private static func reversed(_ code: Int, bitCount: Int) -> Int {
    var (rest, result) = (code, 0)
    for _ in 0..<bitCount {
      result = result << 1 | rest & 1
      rest >>= 1
    }
    return result
  }

  /// Reads a symbol. The reader must have loaded 15 bits, or all remaining bits.
  @inline(__always)
  func readSymbol(_ bits: inout DeflateBitReader) throws(MovieError) -> Int {
    let entry = table[Int(truncatingIfNeeded: bits.nextBits & (1 << UInt64(Self.tableBits) - 1))]
    guard entry != 0 else { return try readLongSymbol(&bits) }
    try bits.skip(Int(entry & 15))
    return Int(entry >> 4)
  }

  /// Compare the bits with the codes of each length. Codes of equal length are consecutive numbers.
  @inline(never)
  private func readLongSymbol(_ bits: inout DeflateBitReader) throws(MovieError) -> Int {
    var rest = bits.nextBits
    var code = 0
    var firstCode = 0
    var firstIndex = 0
    for length in 1...Self.maximumLength {
      code |= Int(truncatingIfNeeded: rest & 1)
      rest >>= 1
      if code - firstCode < codeCounts[length] {
        try bits.skip(length)
        return Int(symbols[firstIndex + code - firstCode])
      }
      firstIndex += codeCounts[length]
      firstCode = (firstCode + codeCounts[length]) << 1
      code <<= 1
    }
    guard bits.count >= Self.maximumLength else {
      throw bits.failure(.truncated, "the data ends within a deflate block")
    }
    throw bits.failure(.malformed, "the bits are not a valid code")
  }
}
