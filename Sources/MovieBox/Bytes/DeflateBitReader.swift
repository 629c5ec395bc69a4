/// Reads bits as deflate packs them: from the lowest bit of each byte up (RFC 1951 3.1.1).
///
/// ``refill()`` loads at least 56 bits, or all that are left; whoever reads more than one number calls it in between.
struct DeflateBitReader {
  private let bytes: Bytes
  /// The next byte to load.
  private var position: Int
  /// The bits that were loaded, the next one lowest. Above `count` there may be bits of the byte at `position`, as they
  /// will be loaded, or zeros.
  private var bits: UInt64 = 0
  /// How many bits were loaded and not used; below 64.
  private(set) var count = 0

  /// A reader of `bytes` from `position` on, which lies in them or at their end.
  init(_ bytes: Bytes, from position: Int) {
    self.bytes = bytes
    self.position = position
  }

  /// The byte that the next bit lies in, counted from the start of the bytes.
  var offset: Int { position - count / 8 }

  /// The next bits, lowest first; those past the last one that was loaded are of no meaning.
  var next: UInt64 { bits }

  /// Loads as many bits as there is room for.
  @inline(__always)
  mutating func refill() {
    if let word = bytes.load(at: position, as: UInt64.self) {
      bits |= word.byteSwapped &<< UInt64(truncatingIfNeeded: count)
      position &+= (63 &- count) &>> 3  // Eight bytes are there.
      count |= 56
    } else {
      while count < 56, position < bytes.count {
        bits |= UInt64(bytes[position]) &<< UInt64(truncatingIfNeeded: count)
        position += 1
        count += 8
      }
    }
  }

  /// Uses up `wanted` bits, at most 56. Throws when fewer were loaded, which means that the bytes are at their end.
  @inline(__always)
  mutating func skip(_ wanted: Int) throws(MovieError) {
    guard wanted <= count else { throw failure(.truncated, "ends inside a deflate block") }
    bits &>>= UInt64(truncatingIfNeeded: wanted)
    count &-= wanted
  }

  /// The next number of `width` bits, at most 16, of those that were loaded.
  @inline(__always)
  mutating func read(_ width: Int) throws(MovieError) -> Int {
    let value = bits & (1 &<< UInt64(truncatingIfNeeded: width) &- 1)
    try skip(width)
    return Int(truncatingIfNeeded: value)
  }

  /// Leaves out the rest of a byte of which a part was used.
  mutating func alignToByte() {
    position = offset
    bits = 0
    count = 0
  }

  /// The next `wanted` bytes, after ``alignToByte()``.
  mutating func readBytes(_ wanted: Int) throws(MovieError) -> Bytes {
    guard let slice = bytes.slice(at: position, count: wanted) else {
      throw failure(.truncated, "needs \(wanted) bytes, \(bytes.count - position) left")
    }
    position += wanted
    return slice
  }

  /// An error at the next bit.
  func failure(_ code: MovieError.Code, _ reason: String) -> MovieError {
    MovieError(code, at: UInt64(offset), reason)
  }
}
