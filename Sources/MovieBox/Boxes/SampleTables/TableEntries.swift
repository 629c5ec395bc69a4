/// A table that is a view of its bytes: an entry is computed when asked for.
public protocol EntryTable: RandomAccessCollection, Hashable, Sendable where Index == Int {
  /// All bytes after the atom's header, entries and tail.
  var payload: Bytes { get }
}

extension EntryTable {
  /// Zero.
  @inlinable public var startIndex: Int { 0 }
  /// The number of entries.
  @inlinable public var endIndex: Int { count }

  /// Writes the bytes that were read.
  public func write(to writer: inout ByteWriter) {
    writer.write(payload)
  }
}

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
  /// The integer at `offset` of a table whose length was checked when it was read; 0 outside of it.
  @inlinable
  package func entry<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type) -> T {
    load(at: offset, as: type) ?? 0
  }

  /// The sum of `count` numbers of 32 bits from `offset` on, one every `stride` bytes, from 4; those past the end of the
  /// bytes are left out. `count` is below 2³², so that the sum fits.
  ///
  /// A track has hundreds of thousands of sizes: bounds are checked once, so that the loop vectorises.
  @inline(__always)
  func sumOfWords(at offset: Int, count claimed: Int, stride: Int = 4) -> UInt64 {
    let words = wordCount(at: offset, upTo: claimed, stride: stride)
    // SAFETY: the loads end before `offset` + `words` × `stride`, which lies in the bytes.
    return unsafe withUnsafeBytes { buffer in
      var sum: UInt64 = 0
      for index in 0..<words {
        let word = unsafe buffer.loadUnaligned(fromByteOffset: offset &+ index &* stride, as: UInt32.self)
        sum &+= UInt64(UInt32(bigEndian: word))
      }
      return sum
    }
  }

  /// The largest of the 32-bit numbers from `offset` on, those past the end of the bytes left out; 0 for none.
  func largestWord(at offset: Int, count claimed: Int) -> UInt32 {
    let words = wordCount(at: offset, upTo: claimed, stride: 4)
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

  private func wordCount(at offset: Int, upTo claimed: Int, stride: Int) -> Int {
    guard offset >= 0, offset <= count, stride >= 4 else { return 0 }
    return Swift.max(0, Swift.min(claimed, (count - offset) / stride))
  }
}

extension UInt64 {
  /// The sum, or the largest value where the sum would be larger.
  package func addingClamped(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}

extension Int64 {
  /// The sum, or the bound that it would pass.
  package func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
