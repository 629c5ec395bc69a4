/// A writer of consecutive big-endian integers, strings and atoms.
///
/// The size of an atom is filled in at the end of the atom, so callers need not compute it in advance.
///
///     var writer = ByteWriter()
///     writer.atom("free") { $0.writeZeros(4) }
///     print(writer.bytes == [0, 0, 0, 12, 0x66, 0x72, 0x65, 0x65, 0, 0, 0, 0])  // true
package struct ByteWriter: Sendable {
  private static let zeros = [UInt8](repeating: 0, count: 4_096)

  /// The written bytes.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Returns the written bytes without copying them, and resets the writer.
  package mutating func take() -> [UInt8] {
    var takenBytes: [UInt8] = []
    swap(&takenBytes, &bytes)
    return takenBytes
  }

  /// Reserves capacity for `count` more bytes.
  package mutating func reserve(_ count: Int) {
    bytes.reserveCapacity(bytes.count + count)
    let room = bytes.capacity
    // SAFETY: the advice concerns the array's own memory and does not change its contents.
    unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe SystemMemory.adviseLargePages(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: room))
    }
  }

  /// Writes a big-endian integer of at most 64 bits.
  @inlinable package mutating func write(_ value: some FixedWidthInteger) {
    write(UInt64(truncatingIfNeeded: value), byteCount: value.bitWidth / 8)
  }

  /// Writes the low `byteCount` bytes of an integer. Other modules use the method to write tables of a million entries.
  /// The compiler would not specialize a generic method for other modules, so the method is not generic.
  @usableFromInline mutating func write(_ value: UInt64, byteCount: Int) {
    precondition(byteCount <= 8, "a field has at most 64 bits")
    unsafe withUnsafeBytes(of: value.bigEndian) { buffer in
      // Rebase the slice. `append` copies a buffer in bulk, but copies a slice of a buffer byte by byte.
      unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[(8 - byteCount)...]))
    }
  }

  /// Writes 32-bit integers as big-endian, in bulk.
  package mutating func write(words: [UInt32]) {
    // Don't replace the closure by a key path. Looking up the key path for each word took half of the time of planning
    // a stream.
    write(bigEndian: words.map { $0.bigEndian })
  }

  /// Writes integers that are already big-endian, in bulk.
  package mutating func write(bigEndian integers: [some FixedWidthInteger & BitwiseCopyable]) {
    // SAFETY: the buffer is only used during the call, and integers have no padding.
    unsafe integers.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
  }

  package mutating func write(_ code: FourCC) { write(code.rawValue) }

  /// Writes bytes unchanged.
  package mutating func write(_ slice: Bytes) {
    unsafe slice.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
  }

  /// Writes bytes unchanged.
  package mutating func write(_ array: [UInt8]) { bytes.append(contentsOf: array) }

  /// Writes `text` as UTF-8 without a terminator.
  package mutating func write(utf8 text: String) { bytes.append(contentsOf: text.utf8) }

  /// Writes `text` as UTF-8 with a NUL.
  package mutating func write(cString text: String) {
    write(utf8: text)
    bytes.append(0)
  }

  package mutating func writeZeros(_ count: Int) {
    // Write zeros in blocks. `repeatElement` appends one byte at a time, and took half the time of a plan in debug
    // builds.
    var remainingCount = count
    unsafe Self.zeros.withUnsafeBytes { block in
      while remainingCount > 0 {
        let part = min(remainingCount, block.count)
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: block[..<part]))
        remainingCount -= part
      }
    }
  }

  /// Writes an integer of 32 bits in version 0 and 64 bits in version 1.
  ///
  /// The caller must choose a version whose field can store `value`.
  package mutating func writeVersioned(_ value: UInt64, _ version: UInt8) {
    if version == 0 {
      precondition(value <= UInt64(UInt32.max), "a value beyond 32 bits needs version 1")
      write(UInt32(truncatingIfNeeded: value))
    } else {
      write(value)
    }
  }

  /// Writes an atom with the payload that `body` writes.
  ///
  /// The atom must be smaller than 4 GiB.
  package mutating func atom<Failure: Error>(
    _ type: FourCC, _ body: (inout ByteWriter) throws(Failure) -> Void
  ) throws(Failure) {
    let start = bytes.count
    write(UInt32(0))
    write(type)
    try body(&self)
    precondition(bytes.count - start <= Int(UInt32.max), "an atom in memory must be smaller than 4 GiB")
    patch(UInt32(truncatingIfNeeded: bytes.count - start), at: start)
  }

  /// Overwrites the big-endian integer at `offset`, which must be within the written bytes.
  package mutating func patch(_ value: some FixedWidthInteger, at offset: Int) {
    let width = value.bitWidth / 8
    precondition(offset >= 0 && offset <= bytes.count - width, "a patch must be within the written bytes")
    for index in 0..<width {
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - index)))
    }
  }
}
