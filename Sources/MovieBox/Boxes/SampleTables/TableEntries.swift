// Views of sample tables, and loops over whole tables. A loop checks its bounds once and reads raw integers, so the
// compiler can vectorize it.

/// A table that is a view of its bytes. An entry is decoded when it is accessed.
package protocol EntryTable: RandomAccessCollection, Hashable, Sendable where Index == Int {
  /// The bytes after the atom's header, including entries and tail.
  var payload: Bytes { get }
}

extension EntryTable {
  @inlinable package var startIndex: Int { 0 }
  @inlinable package var endIndex: Int { count }

  /// Writes the table's bytes unchanged.
  package func write(to writer: inout ByteWriter) { writer.write(payload) }
}

extension ByteReader {
  /// Reads a count of entries. Throws if the entries do not fit in the remaining bytes.
  ///
  /// `bitsPerEntry` may be 4, as in `stz2`.
  mutating func readEntryCount(bitsPerEntry: UInt64) throws(MovieError) -> Int {
    let start = UInt64(position)
    let declaredCount = UInt64(try read(UInt32.self))
    let room = UInt64(remaining) * 8 / bitsPerEntry
    guard declaredCount <= room else {
      throw MovieError(.malformed, at: start, "declares \(declaredCount) entries, but has room for only \(room)")
    }
    return Int(declaredCount)
  }
}

extension Bytes {
  /// Returns the integer at `offset` of a table. The initializer of the table must have checked that the integer is
  /// inside the table. Otherwise, the result is 0.
  @inlinable @inline(__always)
  package func entry<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type) -> T {
    load(at: offset, as: type) ?? 0
  }

  /// Returns the sum of `count` 32-bit integers. The first integer is at `offset`, and consecutive integers are
  /// `stride` bytes apart. Integers past the end are ignored. `count` must be below 2³², so the sum cannot overflow.
  ///
  /// The compiler vectorizes the loop, because its bounds are checked once. A track may have hundreds of thousands of
  /// sizes.
  @inline(__always)
  func sumOfWords(at offset: Int, count claimedCount: Int, stride: Int = 4) -> UInt64 {
    let words = wordCount(at: offset, upTo: claimedCount, stride: stride, width: 4)
    // SAFETY: the last of the `words` integers ends within the bytes.
    return unsafe withUnsafeBytes { buffer in
      var sum: UInt64 = 0
      for index in 0..<words {
        let word = unsafe buffer.loadUnaligned(fromByteOffset: offset &+ index &* stride, as: UInt32.self)
        sum &+= UInt64(UInt32(bigEndian: word))
      }
      return sum
    }
  }

  /// Returns an upper bound for `count` 32-bit integers from `offset`, or 0 if there are none. The bound has all bits
  /// that are set in any of the integers, so it is at most twice the largest integer. Integers past the end are
  /// ignored. Makes one vectorized pass, which is faster than a search for the largest integer.
  func upperBoundOfWords(at offset: Int, count claimedCount: Int) -> UInt32 {
    let words = wordCount(at: offset, upTo: claimedCount, stride: 4, width: 4)
    // SAFETY: the last of the `words` integers ends within the bytes.
    return unsafe withUnsafeBytes { buffer in
      var bits: UInt32 = 0
      for index in 0..<words {
        bits |= unsafe buffer.loadUnaligned(fromByteOffset: offset &+ index &* 4, as: UInt32.self)
      }
      return UInt32(bigEndian: bits)
    }
  }

  /// Returns the smallest and largest of `count` integers, or `nil` if there are none. The first integer is at
  /// `offset`, and consecutive integers are `stride` bytes apart. Integers past the end are ignored. Makes one
  /// vectorized pass.
  @inline(__always)
  func bounds<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    of type: Number.Type, at offset: Int, count claimedCount: Int, stride: Int
  ) -> ClosedRange<Number>? {
    let words = wordCount(at: offset, upTo: claimedCount, stride: stride, width: MemoryLayout<Number>.size)
    guard words > 0 else { return nil }
    // SAFETY: the last of the `words` integers ends within the bytes.
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

  /// Whether `count` integers from `offset` are in ascending order. If `strictly` is `true`, neighbors must not be
  /// equal. Integers past the end are ignored. Makes one vectorized pass.
  @inline(__always)
  func isAscending<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Number.Type, at offset: Int, count claimedCount: Int, stride: Int = MemoryLayout<Number>.size,
    strictly: Bool = false
  ) -> Bool {
    let words = wordCount(at: offset, upTo: claimedCount, stride: stride, width: MemoryLayout<Number>.size)
    guard words > 1 else { return true }
    // SAFETY: the last of the `words` integers ends within the bytes.
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

  /// Calls `body` with each run of equal 32-bit integers. The first integer is at `offset`, and consecutive integers
  /// are `stride` bytes apart. Integers past the end are ignored.
  @inline(__always)
  func forEachRunOfWords(
    at offset: Int, count claimedCount: Int, stride: Int, _ body: (_ value: UInt32, _ count: Int) -> Void
  ) {
    let words = wordCount(at: offset, upTo: claimedCount, stride: stride, width: 4)
    guard words > 0 else { return }
    // SAFETY: `words` integers end within the bytes.
    unsafe withUnsafeBytes { buffer in
      var value = unsafe buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      var first = 0
      for index in 1..<words {
        let word = unsafe buffer.loadUnaligned(fromByteOffset: offset &+ index &* stride, as: UInt32.self)
        guard word != value else { continue }
        body(UInt32(bigEndian: value), index &- first)
        (value, first) = (word, index)
      }
      body(UInt32(bigEndian: value), words &- first)
    }
  }

  /// Returns 32-bit integers without changing their byte order. The first integer is at `offset`, and consecutive
  /// integers are `stride` bytes apart. Integers past the end are ignored.
  func words(at offset: Int, count claimedCount: Int, stride: Int) -> [UInt32] {
    let words = wordCount(at: offset, upTo: claimedCount, stride: stride, width: 4)
    // SAFETY: `words` integers end within the bytes, and all of them are written.
    return unsafe withUnsafeBytes { buffer in
      unsafe [UInt32](unsafeUninitializedCapacity: words) { target, written in
        for index in 0..<words {
          unsafe target[index] = buffer.loadUnaligned(fromByteOffset: offset &+ index &* stride, as: UInt32.self)
        }
        written = words
      }
    }
  }

  /// Returns the number of integers that end within the bytes, but at most `claimedCount`.
  private func wordCount(at offset: Int, upTo claimedCount: Int, stride: Int, width: Int) -> Int {
    guard offset >= 0, offset <= count, stride >= width, count - offset >= width else { return 0 }
    return Swift.max(0, Swift.min(claimedCount, (count - offset - width) / stride + 1))
  }
}

/// A pass over one or more sample tables. A pass is expensive if chunks contain only two samples each, so tests count
/// the passes.
package enum TablePass: Sendable, Hashable, CaseIterable {
  /// A pass over the offsets (`stco`) in blocks, without the other tables.
  case offsets
  /// A pass over the sizes of all samples (`stsz`).
  case sizes
  /// A pass over the chunks. It uses the offsets, `stsc` and the sizes.
  case chunks
  /// A pass over the samples. It uses all tables.
  case samples
  /// A pass over the sample times (`stts`).
  case times

  /// A function that is called at the start of each pass.
  @TaskLocal package static var didBegin: (@Sendable (TablePass) -> Void)?

  @inline(never)
  func begin() { Self.didBegin?(self) }
}
