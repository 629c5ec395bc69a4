/// A sequence of bytes in memory.
///
/// A slice has the same type and shares its storage with the original bytes. Its indices begin at 0.
///
///     let atom = Bytes([0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65])
///     print(atom.load(at: 0, as: UInt32.self) == 8)  // true
public struct Bytes: Sendable {
  @usableFromInline let storage: ContiguousArray<UInt8>
  @usableFromInline let start: Int
  /// The number of bytes.
  public let count: Int

  /// Creates the bytes of an array. The storage is shared.
  public init(_ array: [UInt8]) {
    storage = ContiguousArray(array)
    start = 0
    count = array.count
  }

  /// Creates an empty sequence of bytes.
  public init() {
    self.init([])
  }

  private init(storage: ContiguousArray<UInt8>, start: Int, count: Int) {
    self.storage = storage
    self.start = start
    self.count = count
  }

  /// Creates bytes in new storage. `fill` writes at most `count` bytes into a buffer, and returns the number of written
  /// bytes.
  ///
  /// The buffer has `count` bytes and is valid only during the call. `count` must not be negative.
  public init<Failure: Error>(
    count: Int, filling fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    var failure: Failure?
    // SAFETY: the buffer is not used after `fill` returns, and only the bytes that it reported as written are kept.
    let filledStorage = unsafe ContiguousArray<UInt8>(unsafeUninitializedCapacity: count) { buffer, written in
      do throws(Failure) {
        let target = unsafe UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
        written = Swift.min(count, try unsafe fill(target))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    self.init(storage: filledStorage, start: 0, count: filledStorage.count)
  }

  /// Returns the big-endian integer at `offset`, or `nil` if it extends past the end.
  @inlinable @inline(__always)
  public func load<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type) -> T? {
    guard offset >= 0, offset <= count, count &- offset >= MemoryLayout<T>.size else { return nil }
    // SAFETY: the guard keeps the read within the slice. The slice is within its storage.
    return unsafe storage.withUnsafeBytes { buffer in
      unsafe T(bigEndian: buffer.loadUnaligned(fromByteOffset: start &+ offset, as: T.self))
    }
  }

  /// Returns `count` bytes from `offset`, or `nil` if they extend past the end.
  public func slice(at offset: Int, count sliceCount: Int) -> Bytes? {
    guard offset >= 0, sliceCount >= 0, offset <= count, sliceCount <= count - offset else { return nil }
    return Bytes(storage: storage, start: start + offset, count: sliceCount)
  }

  /// Returns all bytes from `offset`, or no bytes if `offset` is past the end.
  public func dropFirst(_ offset: Int) -> Bytes {
    let skippedCount = Swift.max(0, Swift.min(count, offset))
    return Bytes(storage: storage, start: start + skippedCount, count: count - skippedCount)
  }

  /// The bytes as an array. The bytes of a slice are copied.
  public var array: [UInt8] {
    count == storage.count ? Array(storage) : Array(storage[start..<start + count])
  }

  /// Returns the offset of these bytes in `whole`, or `nil` if they are not a slice of the storage of `whole`.
  package func offset(in whole: Bytes) -> Int? {
    // SAFETY: the addresses are only compared, not dereferenced.
    let isShared = unsafe storage.withUnsafeBytes { mine in
      unsafe whole.storage.withUnsafeBytes { unsafe mine.baseAddress == $0.baseAddress }
    }
    guard isShared, start >= whole.start, start + count <= whole.start + whole.count else { return nil }
    return start - whole.start
  }

  /// Calls `body` with the bytes as a raw buffer. The buffer is valid only during the call.
  @unsafe
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    // SAFETY: every initializer keeps `start` and `count` within the storage.
    try unsafe storage.withUnsafeBytes { buffer in
      try unsafe body(UnsafeRawBufferPointer(rebasing: buffer[start..<start + count]))
    }
  }

  /// Whether all bytes are zero. The result is `true` if there are no bytes.
  package var isZero: Bool {
    guard count > 1 else { return allSatisfy { $0 == 0 } }
    // Compare the bytes with themselves, shifted by one byte. If the first byte is zero and each byte equals the next,
    // all are zero.
    return self[0] == 0 && slice(at: 0, count: count - 1) == dropFirst(1)
  }

  /// Whether the bytes from `offset` equal the bytes of `range` in `array`. Returns `false` if `range` extends past the
  /// end of the array, or if too few bytes follow `offset`.
  package func matches(_ range: Range<Int>, of array: [UInt8], at offset: Int) -> Bool {
    guard let mine = slice(at: offset, count: range.count), array.indices.contains(range.lowerBound) || range.isEmpty,
      range.upperBound <= array.count
    else { return false }
    // SAFETY: the guard keeps the range within the array, and both buffers have the same size.
    return unsafe array.withUnsafeBytes { other in
      unsafe mine.withUnsafeBytes { unsafe SystemMemory.areEqual($0, UnsafeRawBufferPointer(rebasing: other[range])) }
    }
  }
}

extension Bytes: RandomAccessCollection {
  /// The index of the first byte, always 0.
  @inlinable public var startIndex: Int { 0 }
  /// The number of bytes.
  @inlinable public var endIndex: Int { count }

  /// The byte at `index`, which must be below `count`.
  @inlinable
  public subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count, "the index of the byte is outside the slice")
    return storage[start + index]
  }
}

extension Bytes: Hashable {
  /// Whether both values contain equal bytes.
  public static func == (left: Bytes, right: Bytes) -> Bool {
    guard left.count == right.count else { return false }
    // SAFETY: both buffers contain `count` bytes.
    return unsafe left.withUnsafeBytes { first in
      unsafe right.withUnsafeBytes { second in unsafe SystemMemory.areEqual(first, second) }
    }
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    // SAFETY: the buffer is only read, and only during the call.
    unsafe withUnsafeBytes { buffer in unsafe hasher.combine(bytes: buffer) }
  }
}

extension Bytes: CustomStringConvertible {
  /// The number of bytes and the first 16 bytes in hexadecimal, such as `20 bytes: 00 00 00 14 66 72 65 65 …`.
  public var description: String {
    let shownDigits = prefix(16).map { Hexadecimal.digits($0, atLeast: 2) }.joined(separator: " ")
    return "\(count) \(count == 1 ? "byte" : "bytes")" + (isEmpty ? "" : ": " + shownDigits) + (count > 16 ? " …" : "")
  }
}

extension Bytes {
  /// Copies `count` bytes from `offset` into `buffer`, beginning at index `position`. `offset` plus `count` must not
  /// exceed the number of bytes, and `position` plus `count` must not exceed the size of the buffer.
  package func copy(from offset: Int, count copiedCount: Int, into buffer: inout [UInt8], at position: Int) {
    precondition(
      offset >= 0 && copiedCount >= 0 && offset <= count && copiedCount <= count - offset,
      "the bytes must be within the slice")
    precondition(
      position >= 0 && position <= buffer.count && copiedCount <= buffer.count - position,
      "the buffer must have room for the bytes")
    // SAFETY: both ranges were checked, and exclusive access to `buffer` excludes overlap.
    unsafe withUnsafeBytes { source in
      unsafe buffer.withUnsafeMutableBytes { target in
        let part = unsafe UnsafeRawBufferPointer(rebasing: source[offset..<offset + copiedCount])
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[position..<position + copiedCount]).copyMemory(from: part)
      }
    }
  }
}
