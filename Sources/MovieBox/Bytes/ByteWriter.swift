/// Writes big-endian numbers, strings and atoms one after the other.
///
/// The size of an atom is patched when it closes: nobody computes it.
///
///     var writer = ByteWriter()
///     writer.atom("free") { $0.writeZeros(4) }
///     print(writer.bytes == [0, 0, 0, 12, 0x66, 0x72, 0x65, 0x65, 0, 0, 0, 0])  // true
package struct ByteWriter: Sendable {
  private static let zeros = [UInt8](repeating: 0, count: 4_096)

  /// The bytes that were written.
  package private(set) var bytes: [UInt8] = []

  /// A writer that has written nothing.
  package init() {}

  /// Returns the written bytes without a copy, and starts again.
  package mutating func take() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    return taken
  }

  /// Reserves room for `count` more bytes.
  package mutating func reserve(_ count: Int) {
    bytes.reserveCapacity(bytes.count + count)
    let room = bytes.capacity
    // SAFETY: the advice is about the array's own memory, and changes nothing that is in it.
    unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe SystemMemory.adviseLargePages(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: room))
    }
  }

  /// Writes a big-endian integer of at most 64 bits.
  @inlinable package mutating func write(_ value: some FixedWidthInteger) {
    write(UInt64(truncatingIfNeeded: value), byteCount: value.bitWidth / 8)
  }

  /// Writes the last bytes of a number. Not generic: tables of a million entries are written with it from other
  /// modules.
  @usableFromInline mutating func write(_ value: UInt64, byteCount: Int) {
    precondition(byteCount <= 8, "a field has at most 64 bits")
    unsafe withUnsafeBytes(of: value.bigEndian) { buffer in
      // A buffer of its own is appended at once, a slice byte by byte.
      unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[(8 - byteCount)...]))
    }
  }

  /// Writes numbers of 32 bits, big-endian, at once.
  package mutating func write(words: [UInt32]) {
    // A key path in place of the closure is looked up for each word: half of what a plan for streaming cost.
    write(bigEndianWords: words.map { $0.bigEndian })
  }

  /// Writes numbers of 32 bits that are big-endian already.
  package mutating func write(bigEndianWords words: [UInt32]) {
    // SAFETY: the buffer is read before the call ends.
    unsafe words.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
  }

  /// Writes a four-character code.
  package mutating func write(_ code: FourCC) { write(code.rawValue) }

  /// Writes bytes as they are.
  package mutating func write(_ slice: Bytes) {
    unsafe slice.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
  }

  /// Writes bytes as they are.
  package mutating func write(_ array: [UInt8]) { bytes.append(contentsOf: array) }

  /// Writes the UTF-8 of `text`, with no terminator.
  package mutating func write(utf8 text: String) { bytes.append(contentsOf: text.utf8) }

  /// Writes the UTF-8 of `text` and a NUL.
  package mutating func write(cString text: String) {
    write(utf8: text)
    bytes.append(0)
  }

  /// Writes `count` zero bytes.
  package mutating func writeZeros(_ count: Int) {
    // A block at a time: elements that are repeated are appended one by one, which took half of a plan in debug builds.
    var left = count
    unsafe Self.zeros.withUnsafeBytes { block in
      while left > 0 {
        let part = min(left, block.count)
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: block[..<part]))
        left -= part
      }
    }
  }

  /// Writes a number that is 32 bits wide in version 0 and 64 in version 1.
  ///
  /// A value that does not fit version 0 is a mistake of the caller, who chooses the version by the value.
  package mutating func writeVersioned(_ value: UInt64, _ version: UInt8) {
    if version == 0 {
      precondition(value <= UInt64(UInt32.max), "a value beyond 32 bits wants version 1")
      write(UInt32(truncatingIfNeeded: value))
    } else {
      write(value)
    }
  }

  /// Writes an atom: its header, then what `body` writes.
  ///
  /// A caller keeps atoms under 4 GiB; they are made in memory.
  package mutating func atom<Failure: Error>(
    _ type: FourCC, _ body: (inout ByteWriter) throws(Failure) -> Void
  ) throws(Failure) {
    let start = bytes.count
    write(UInt32(0))
    write(type)
    try body(&self)
    precondition(bytes.count - start <= Int(UInt32.max), "an atom made in memory stays under 4 GiB")
    patch(UInt32(truncatingIfNeeded: bytes.count - start), at: start)
  }

  /// Overwrites the big-endian integer at `offset`, which must have been written before.
  package mutating func patch(_ value: some FixedWidthInteger, at offset: Int) {
    let width = value.bitWidth / 8
    precondition(offset >= 0 && offset <= bytes.count - width, "a patch lies in what was written")
    for index in 0..<width {
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - index)))
    }
  }
}
