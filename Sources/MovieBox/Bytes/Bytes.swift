/// A run of bytes in memory: a slice that shares its storage with the run it was cut from.
///
/// Cutting a slice copies nothing. An index counts from the start of the slice.
///
///     let atom = Bytes([0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65])
///     print(atom.load(at: 0, as: UInt32.self) == 8)  // true
public struct Bytes: Sendable {
  @usableFromInline let storage: ContiguousArray<UInt8>
  @usableFromInline let start: Int
  /// The number of bytes.
  public let count: Int

  /// The bytes of an array; shares the array's storage.
  public init(_ array: [UInt8]) {
    storage = ContiguousArray(array)
    start = 0
    count = array.count
  }

  /// No bytes.
  public init() {
    self.init([])
  }

  private init(storage: ContiguousArray<UInt8>, start: Int, count: Int) {
    self.storage = storage
    self.start = start
    self.count = count
  }

  /// `count` bytes that `fill` writes; it returns how many it wrote, at most `count`.
  package init<Failure: Error>(
    count: Int, filling fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    var failure: Failure?
    // SAFETY: the buffer is not used after `fill` returns, and only as many bytes are kept as it says it wrote.
    let filled = unsafe ContiguousArray<UInt8>(unsafeUninitializedCapacity: count) { buffer, written in
      do throws(Failure) {
        let target = unsafe UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
        written = Swift.min(count, try unsafe fill(target))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    self.init(storage: filled, start: 0, count: filled.count)
  }

  /// The big-endian integer at `offset`, or `nil` when it does not lie wholly in the bytes.
  @inlinable @inline(__always)
  public func load<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type) -> T? {
    guard offset >= 0, offset <= count, count &- offset >= MemoryLayout<T>.size else { return nil }
    // SAFETY: the guard above keeps the read inside the slice, and the slice lies inside its storage.
    return unsafe storage.withUnsafeBytes { buffer in
      unsafe T(bigEndian: buffer.loadUnaligned(fromByteOffset: start &+ offset, as: T.self))
    }
  }

  /// The `count` bytes from `offset`, or `nil` when they do not lie wholly in the bytes.
  public func slice(at offset: Int, count wanted: Int) -> Bytes? {
    guard offset >= 0, wanted >= 0, offset <= count, wanted <= count - offset else { return nil }
    return Bytes(storage: storage, start: start + offset, count: wanted)
  }

  /// All bytes from `offset` on; none when `offset` lies past the end.
  public func dropFirst(_ offset: Int) -> Bytes {
    let kept = Swift.max(0, Swift.min(count, offset))
    return Bytes(storage: storage, start: start + kept, count: count - kept)
  }

  /// The bytes as an array; a copy unless they are the whole storage.
  public var array: [UInt8] {
    count == storage.count ? Array(storage) : Array(storage[start..<start + count])
  }

  /// Returns the offset of these bytes in `whole`, if both are slices of the same memory; `nil` if they are not, equal
  /// or not.
  package func offset(in whole: Bytes) -> Int? {
    // SAFETY: the addresses are compared, and nothing is read through them.
    let isShared = unsafe storage.withUnsafeBytes { mine in
      unsafe whole.storage.withUnsafeBytes { unsafe mine.baseAddress == $0.baseAddress }
    }
    guard isShared, start >= whole.start, start + count <= whole.start + whole.count else { return nil }
    return start - whole.start
  }

  /// Lends the bytes as a raw buffer for the length of a call.
  @unsafe
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    // SAFETY: start and count lie inside the storage since every initialiser made it so.
    try unsafe storage.withUnsafeBytes { buffer in
      try unsafe body(UnsafeRawBufferPointer(rebasing: buffer[start..<start + count]))
    }
  }

  /// Whether all are zeros; so are none.
  package var isZero: Bool {
    guard count > 1 else { return allSatisfy { $0 == 0 } }
    // Each byte is the one after it.
    return self[0] == 0 && slice(at: 0, count: count - 1) == dropFirst(1)
  }

  /// Whether the bytes from `offset` on are those of a range of an array; `false` where either ends before.
  package func holds(_ array: [UInt8], _ range: Range<Int>, at offset: Int) -> Bool {
    guard let mine = slice(at: offset, count: range.count), array.indices.contains(range.lowerBound) || range.isEmpty,
      range.upperBound <= array.count
    else { return false }
    // SAFETY: the guard keeps the range inside the array, and the comparison inside both buffers.
    return unsafe array.withUnsafeBytes { other in
      unsafe mine.withUnsafeBytes { unsafe SystemMemory.areEqual($0, UnsafeRawBufferPointer(rebasing: other[range])) }
    }
  }
}

extension Bytes: RandomAccessCollection {
  /// Zero.
  @inlinable public var startIndex: Int { 0 }
  /// The number of bytes.
  @inlinable public var endIndex: Int { count }

  /// The byte at `index`, which must be below `count`.
  @inlinable
  public subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count, "index of a byte outside the slice")
    return storage[start + index]
  }
}

extension Bytes: Hashable {
  /// Whether both hold the same bytes, wherever they lie.
  public static func == (left: Bytes, right: Bytes) -> Bool {
    guard left.count == right.count else { return false }
    // SAFETY: both buffers hold `count` bytes.
    return unsafe left.withUnsafeBytes { first in
      unsafe right.withUnsafeBytes { second in unsafe SystemMemory.areEqual(first, second) }
    }
  }

  /// Feeds the bytes to `hasher`.
  public func hash(into hasher: inout Hasher) {
    // SAFETY: the buffer is only read during the call.
    unsafe withUnsafeBytes { buffer in unsafe hasher.combine(bytes: buffer) }
  }
}

extension Bytes: CustomStringConvertible {
  /// The number of bytes, and the first of them in hexadecimal: `20 bytes: 00 00 00 14 66 72 65 65 …`.
  public var description: String {
    let shown = prefix(16).map { Hexadecimal.digits($0, atLeast: 2) }.joined(separator: " ")
    return "\(count) bytes" + (isEmpty ? "" : ": " + shown) + (count > 16 ? " …" : "")
  }
}

extension Bytes {
  /// Copies `count` bytes from `offset` into `buffer` from `position` on. Both must have so many.
  package func copy(from offset: Int, count wanted: Int, into buffer: inout [UInt8], at position: Int) {
    precondition(offset >= 0 && wanted >= 0 && offset <= count && wanted <= count - offset, "bytes that are there")
    precondition(position >= 0 && position <= buffer.count && wanted <= buffer.count - position, "room that is there")
    // SAFETY: both ranges were checked above, and the two do not share memory: `buffer` is held alone by this call.
    unsafe withUnsafeBytes { source in
      unsafe buffer.withUnsafeMutableBytes { target in
        let part = unsafe UnsafeRawBufferPointer(rebasing: source[offset..<offset + wanted])
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[position..<position + wanted]).copyMemory(from: part)
      }
    }
  }
}
