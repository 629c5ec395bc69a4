extension ByteReader {
  /// Reads a count of entries, and refuses one that the bytes after it have no room for.
  ///
  /// `bitsPerEntry` may be 4, as in `stz2`.
  mutating func readEntryCount(bitsPerEntry: UInt64) throws(MovieError) -> Int {
    let start = UInt64(position)
    let declared = UInt64(try read(UInt32.self))
    let room = UInt64(remaining) * 8 / bitsPerEntry
    guard declared <= room else {
      throw MovieError(.malformed, at: start, "claims \(declared) entries, room for \(room)")
    }
    return Int(declared)
  }
}

extension Bytes {
  /// The integer at `offset` of a table whose length was checked when it was read.
  @inlinable
  package func entry<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type) -> T {
    guard let value = load(at: offset, as: type) else {
      preconditionFailure("an entry lies inside its table")
    }
    return value
  }

  /// The sum of `count` numbers of 32 bits from `offset` on, which must lie in the bytes; `count` is below 2³², so that
  /// the sum fits.
  ///
  /// A track has hundreds of thousands of sizes: bounds are checked once, so that the loop vectorises.
  func sumOfWords(at offset: Int, count words: Int) -> UInt64 {
    precondition(offset >= 0 && offset <= count && words <= (count - offset) / 4, "the numbers lie inside their table")
    // SAFETY: the loads end before `offset` + `words` × 4, which lies in the bytes.
    return unsafe withUnsafeBytes { buffer in
      var sum: UInt64 = 0
      for index in 0..<words {
        let word = unsafe buffer.loadUnaligned(fromByteOffset: offset &+ index &* 4, as: UInt32.self)
        sum &+= UInt64(UInt32(bigEndian: word))
      }
      return sum
    }
  }

  /// The largest of the 32-bit numbers from `offset` on; 0 for none.
  func largestWord(at offset: Int, count words: Int) -> UInt32 {
    precondition(offset >= 0 && offset <= count && words <= (count - offset) / 4, "the numbers lie inside their table")
    // SAFETY: the loads end before `offset` + `words` × 4, which lies in the bytes.
    return unsafe withUnsafeBytes { buffer in
      var largest: UInt32 = 0
      for index in 0..<words {
        let word = unsafe buffer.loadUnaligned(fromByteOffset: offset &+ index &* 4, as: UInt32.self)
        largest = Swift.max(largest, UInt32(bigEndian: word))
      }
      return largest
    }
  }
}

extension UInt64 {
  /// The sum, or the largest value where the sum would be larger.
  package func addingClamped(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
