/// The classification of free space as empty or used.
///
/// The standard defines `free` and `skip` atoms as padding (ISO/IEC 14496-12 8.1.2), but dash cameras, Kodak, Canon
/// and old QuickTime store data in these atoms. An edit in place therefore reuses or removes only empty free space:
/// zeros, a movie atom that an edit replaced, and payloads that begin with ``mark``.
package enum FreeSpace {
  /// The contents of a range of free space.
  package enum Contents: Hashable, Sendable {
    /// Zeros, or no bytes.
    case zeros
    /// The remains of an edit in place: a replaced movie atom, or a payload that begins with ``mark``.
    case leftByEdit
    /// Any other bytes. They may be someone's data.
    case data
  }

  /// The first bytes of the payload in free space that an edit creates.
  package static let mark = Array("free for movtool".utf8)
  /// The size of a free space header and the mark after it.
  package static let markedHeaderByteCount = 8 + UInt64(mark.count)

  /// The maximum size of a range that is checked for zeros. Checking 1 GiB takes less time than rewriting a movie with
  /// 1 GiB of free space. Checking a sparse file of many terabytes would take minutes.
  private static let maximumZeroByteCount: UInt64 = 1 << 30
  private static let blockByteCount: UInt64 = 256 << 10
  /// Atoms that occur once in a movie atom, usually as its first child. A compressed movie atom contains `cmov`.
  private static let movieHeaderTypes: [FourCC] = ["mvhd", "cmov"]
  /// The maximum number of children that are searched for a header atom. Some movie atoms begin with `udta` or
  /// `uuid`, but a header atom always precedes the tracks.
  private static let maximumExaminedChildCount = 8

  /// Returns the contents of a `free` atom's payload.
  package static func contents(of payload: ByteRange, in source: some RandomAccessSource) throws -> Contents {
    let head = try head(of: payload, in: source)
    if try isLeftByEdit(head) || isMovieAtom(payload, in: source) { return .leftByEdit }
    // After a power loss, the mark may be partly written. In this case, the edit wrote nothing after the mark.
    let markEnd = payload.offset + min(payload.count, UInt64(mark.count))
    if isIncompleteMark(head.prefix(mark.count)) {
      return try isZero(ByteRange(markEnd..<payload.end), in: source) ? .zeros : .data
    }
    return try isZero(payload, in: source) ? .zeros : .data
  }

  /// Whether the payload of a free atom was written by an edit in place. Reads only the start of the payload and the
  /// headers of atoms in the payload.
  package static func isLeftByEdit(_ payload: ByteRange, in source: some RandomAccessSource) throws -> Bool {
    try isLeftByEdit(head(of: payload, in: source)) || isMovieAtom(payload, in: source)
  }

  private static func head(of payload: ByteRange, in source: some RandomAccessSource) throws -> Bytes {
    try source.readExactly(ByteRange(payload.offset..<payload.offset + min(payload.count, 24)))
  }

  /// Whether a payload that begins with `head` was written by an edit in place.
  ///
  /// The mark may be incomplete at the end of a file if the machine stopped while an edit was writing.
  package static func isLeftByEdit(_ head: Bytes) -> Bool {
    // The type of the first child is at offset 4. If the movie atom had a 64-bit size, the last 8 bytes of its header
    // precede the child.
    for offset in [4, 12] {
      let type = head.load(at: offset, as: UInt32.self).map { FourCC(rawValue: $0) }
      if type.map(movieHeaderTypes.contains) == true { return true }
    }
    // An edit may replace a 16-byte header by an 8-byte header. The last 8 bytes of the old header then precede the
    // mark.
    if head.count >= 8 + mark.count, head.dropFirst(8).prefix(mark.count).elementsEqual(mark) { return true }
    return !head.isEmpty && head.prefix(mark.count).elementsEqual(mark.prefix(head.count))
  }

  /// Whether the payload is the payload of a movie atom. Atoms such as `udta` may precede the movie header.
  private static func isMovieAtom(_ payload: ByteRange, in source: some RandomAccessSource) throws -> Bool {
    var offset = payload.offset
    for _ in 0..<maximumExaminedChildCount where payload.end - offset >= 8 {
      let header = try source.readExactly(ByteRange(offset..<offset + 8))
      guard let size = header.load(at: 0, as: UInt32.self), let type = header.load(at: 4, as: UInt32.self) else {
        break
      }
      if movieHeaderTypes.contains(FourCC(rawValue: type)) { return true }
      guard size >= 8, UInt64(size) <= payload.end - offset else { break }
      offset += UInt64(size)
    }
    return false
  }

  /// Whether `bytes` are the result of an interrupted write of the mark: zeros, except for the beginning or end of the
  /// mark.
  package static func isIncompleteMark(_ bytes: some Collection<UInt8>) -> Bool {
    let matchCount = zip(bytes, mark).prefix { $0 == $1 }.count
    if matchCount < mark.count, bytes.dropFirst(matchCount).allSatisfy({ $0 == 0 }) { return true }
    // The mark may extend over two disk sectors. A power loss may prevent the write of the first sector. Zeros then
    // precede the end of the mark.
    let zeros = bytes.prefix { $0 == 0 }.count
    return bytes.count == mark.count && zeros > 0 && bytes.dropFirst(zeros).elementsEqual(mark.dropFirst(zeros))
  }

  /// Whether all bytes of a range are zeros. Reading stops at the first byte that is not zero. Returns `false` for a
  /// range of more than 1 GiB.
  package static func isZero(_ range: ByteRange, in source: some RandomAccessSource) throws -> Bool {
    guard range.count <= maximumZeroByteCount else { return false }
    var position = range.offset
    while position < range.end {
      let piece = try source.readExactly(ByteRange(position..<min(range.end, position + blockByteCount)))
      guard piece.isZero else { return false }
      position += UInt64(piece.count)
    }
    return true
  }
}
