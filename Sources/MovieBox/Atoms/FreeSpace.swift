/// Free space whose bytes nobody needs.
///
/// `free` and `skip` atoms are padding by the standard (ISO/IEC 14496-12 8.1.2), but dash cameras, Kodak, Canon and old
/// QuickTime keep data in them. An edit in place overwrites, buries or cuts only what is empty: zeros, a movie atom
/// that an edit replaced, and what begins with ``mark``.
package enum FreeSpace {
  /// The contents of a range of free space.
  package enum Contents: Hashable, Sendable {
    /// Zeros, or no bytes at all.
    case zeros
    /// Something that an edit in place left: a movie atom that is no longer in use, or the signature of this package.
    case leftByEdit
    /// Anything else: somebody's data.
    case data
  }

  /// The first bytes of the payload of free space that an edit makes.
  package static let mark = Array("free for movtool".utf8)
  /// The header of free space, and the mark after it.
  package static let markedHeaderByteCount = 8 + UInt64(mark.count)

  /// More zeros than these are not looked for: a sparse file of many terabytes would be read for minutes. Reading a
  /// gibibyte costs less than rewriting the movie around it.
  private static let largestZeroByteCount: UInt64 = 1 << 30
  private static let pieceByteCount: UInt64 = 256 << 10
  /// Atoms that occur once in a movie atom, mostly as its first child: `cmov` in a compressed one.
  private static let movieHeaders: [FourCC] = ["mvhd", "cmov"]
  /// A movie atom begins with `udta` or `uuid` at times; these come before any track.
  private static let largestExaminedChildCount = 8

  /// Returns the contents of a free atom's payload.
  package static func contents(of payload: ByteRange, in source: some RandomAccessSource) throws -> Contents {
    let head = try head(of: payload, in: source)
    if try isLeftByEdit(head) || isMovieAtom(payload, in: source) { return .leftByEdit }
    // A mark that a power loss tore: nothing was written after it.
    let marked = payload.offset + min(payload.count, UInt64(mark.count))
    if isUnmarked(head.prefix(mark.count)) {
      return try isZero(ByteRange(marked..<payload.end), in: source) ? .zeros : .data
    }
    return try isZero(payload, in: source) ? .zeros : .data
  }

  /// Whether an edit in place left what the payload of a free atom holds. Reads its first bytes alone.
  package static func isLeftByEdit(_ payload: ByteRange, in source: some RandomAccessSource) throws -> Bool {
    try isLeftByEdit(head(of: payload, in: source)) || isMovieAtom(payload, in: source)
  }

  private static func head(of payload: ByteRange, in source: some RandomAccessSource) throws -> Bytes {
    try source.readExactly(ByteRange(payload.offset..<payload.offset + min(payload.count, 24)))
  }

  /// Whether a payload that begins with these bytes is one that an edit in place left.
  ///
  /// A mark may be cut short by the end of a file that an edit was writing when the machine stopped.
  package static func isLeftByEdit(_ head: Bytes) -> Bool {
    // Of a movie atom with a 64-bit size, that size stands before what it begins with.
    for offset in [4, 12] {
      let type = head.load(at: offset, as: UInt32.self).map { FourCC(rawValue: $0) }
      if type.map(movieHeaders.contains) == true { return true }
    }
    // The rest of a header that was 16 bytes and is 8 now may stand before a mark.
    if head.count >= 8 + mark.count, head.dropFirst(8).prefix(mark.count).elementsEqual(mark) { return true }
    return !head.isEmpty && head.prefix(mark.count).elementsEqual(mark.prefix(head.count))
  }

  /// Whether a payload is that of a movie atom whose first children are others than `mvhd`, such as `udta`.
  private static func isMovieAtom(_ payload: ByteRange, in source: some RandomAccessSource) throws -> Bool {
    var offset = payload.offset
    for _ in 0..<largestExaminedChildCount where payload.end - offset >= 8 {
      let header = try source.readExactly(ByteRange(offset..<offset + 8))
      guard let size = header.load(at: 0, as: UInt32.self), let type = header.load(at: 4, as: UInt32.self) else {
        break
      }
      if movieHeaders.contains(FourCC(rawValue: type)) { return true }
      guard size >= 8, UInt64(size) <= payload.end - offset else { break }
      offset += UInt64(size)
    }
    return false
  }

  /// Whether a place for a mark is zeros, or has part of one, at its beginning or its end, and zeros.
  package static func isUnmarked(_ place: some Collection<UInt8>) -> Bool {
    let begun = zip(place, mark).prefix { $0 == $1 }.count
    if begun < mark.count, place.dropFirst(begun).allSatisfy({ $0 == 0 }) { return true }
    // Or the other of two sectors is the one that was written.
    let zeros = place.prefix { $0 == 0 }.count
    return place.count == mark.count && zeros > 0 && place.dropFirst(zeros).elementsEqual(mark.dropFirst(zeros))
  }

  /// Whether all bytes of a range are zeros; stops at the first that is not.
  package static func isZero(_ range: ByteRange, in source: some RandomAccessSource) throws -> Bool {
    guard range.count <= largestZeroByteCount else { return false }
    var position = range.offset
    while position < range.end {
      let piece = try source.readExactly(ByteRange(position..<min(range.end, position + pieceByteCount)))
      guard piece.isZero else { return false }
      position += UInt64(piece.count)
    }
    return true
  }
}
