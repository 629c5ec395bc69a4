// Sample tables are views of their bytes. The loops over whole tables are here: they check bounds once and work on raw
// words, so that the compiler vectorises them.

/// A table that is a view of its bytes: an entry is computed when asked for.
package protocol EntryTable: RandomAccessCollection, Hashable, Sendable where Index == Int {
  /// All bytes after the atom's header, entries and tail.
  var payload: Bytes { get }
}

extension EntryTable {
  /// Zero.
  @inlinable package var startIndex: Int { 0 }
  /// The number of entries.
  @inlinable package var endIndex: Int { count }

  /// Writes the bytes that were read.
  package func write(to writer: inout ByteWriter) { writer.write(payload) }
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
  @inlinable @inline(__always)
  package func entry<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type) -> T {
    load(at: offset, as: type) ?? 0
  }

  /// The sum of `count` numbers of 32 bits from `offset` on, one every `stride` bytes, from 4; those past the end of
  /// the bytes are left out. `count` is below 2³², so that the sum fits.
  ///
  /// A track has hundreds of thousands of sizes: bounds are checked once, so that the loop vectorises.
  @inline(__always)
  func sumOfWords(at offset: Int, count claimed: Int, stride: Int = 4) -> UInt64 {
    let words = wordCount(at: offset, upTo: claimed, stride: stride, width: 4)
    // SAFETY: that many numbers end in the bytes.
    return unsafe withUnsafeBytes { buffer in
      var sum: UInt64 = 0
      for index in 0..<words {
        let word = unsafe buffer.loadUnaligned(fromByteOffset: offset &+ index &* stride, as: UInt32.self)
        sum &+= UInt64(UInt32(bigEndian: word))
      }
      return sum
    }
  }

  /// The smallest and the largest of `count` numbers from `offset` on, one every `stride` bytes, those past the end of
  /// the bytes left out; `nil` for none. One pass, which vectorises.
  @inline(__always)
  func bounds<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    of type: Number.Type, at offset: Int, count claimed: Int, stride: Int
  ) -> ClosedRange<Number>? {
    let words = wordCount(at: offset, upTo: claimed, stride: stride, width: MemoryLayout<Number>.size)
    guard words > 0 else { return nil }
    // SAFETY: that many numbers end in the bytes.
    return unsafe withUnsafeBytes { buffer in
      var (smallest, largest) = (Number.max, Number.min)
      for index in 0..<words {
        let word = unsafe buffer.loadUnaligned(fromByteOffset: offset &+ index &* stride, as: Number.self)
        let number = Number(bigEndian: word)
        smallest = Swift.min(smallest, number)
        largest = Swift.max(largest, number)
      }
      return smallest...largest
    }
  }

  /// Whether none of `count` numbers from `offset` on is less than the one before it, `strictly` nor equal to it; those
  /// past the end of the bytes are left out. One pass, which vectorises.
  @inline(__always)
  func isAscending<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Number.Type, at offset: Int, count claimed: Int, stride: Int = MemoryLayout<Number>.size,
    strictly: Bool = false
  ) -> Bool {
    let words = wordCount(at: offset, upTo: claimed, stride: stride, width: MemoryLayout<Number>.size)
    guard words > 1 else { return true }
    // SAFETY: that many numbers end in the bytes.
    return unsafe withUnsafeBytes { buffer in
      var descents = 0
      for index in 1..<words {
        let place = offset &+ index &* stride
        let before = unsafe buffer.loadUnaligned(fromByteOffset: place &- stride, as: Number.self)
        let this = unsafe buffer.loadUnaligned(fromByteOffset: place, as: Number.self)
        let (left, right) = (Number(bigEndian: before), Number(bigEndian: this))
        descents &+= left > right || strictly && left == right ? 1 : 0
      }
      return descents == 0
    }
  }

  /// Returns the number of integers of `width` bytes, one every `stride` bytes from `offset` on, that end within the
  /// bytes.
  private func wordCount(at offset: Int, upTo claimed: Int, stride: Int, width: Int) -> Int {
    guard offset >= 0, offset <= count, stride >= width, count - offset >= width else { return 0 }
    return Swift.max(0, Swift.min(claimed, (count - offset - width) / stride + 1))
  }
}

/// A pass over tables of a track, from their first entry on: what costs something on a movie with a chunk for every
/// other sample, and what tests therefore count.
package enum TablePass: Sendable, Hashable, CaseIterable {
  /// Over the offsets alone (`stco`), many at a time.
  case offsets
  /// Over the sizes of all samples (`stsz`).
  case sizes
  /// Over the chunks: offsets, `stsc` and sizes.
  case chunks
  /// Over the samples: all tables.
  case samples
  /// Over the times of samples (`stts`).
  case times

  /// Called when a pass begins.
  @TaskLocal package static var didBegin: (@Sendable (TablePass) -> Void)?

  @inline(never)
  func begin() { Self.didBegin?(self) }
}
