/// The top-level atoms of a file, found by their headers alone.
///
/// Costs one read of the first 64 KiB and one of each atom header beyond them, whatever the size of the file.
package struct FileLayout: Sendable {
  /// A top-level atom of a file.
  package struct TopLevelAtom: Hashable, Sendable {
    /// The meaning of the size field.
    package enum SizeField: Hashable, Sendable {
      /// 32 bits.
      case compact
      /// 64 bits after the type (`largesize`).
      case wide
      /// Zero: the atom ends where the file does.
      case toEndOfFile
    }

    /// The four-character code.
    package let type: FourCC
    /// The bytes that are there, header included.
    package let range: ByteRange
    /// 8 or 16.
    package let headerByteCount: Int
    /// The form in which the size is stored.
    package let sizeField: SizeField
    /// The 16 bytes that name the type of a `uuid` atom.
    package let userType: Bytes?
    /// The size that the header claims, where it is more than the file has.
    package let claimedByteCount: UInt64?

    /// The bytes after the header.
    package var payloadRange: ByteRange {
      ByteRange(Swift.min(range.end, range.offset &+ UInt64(headerByteCount))..<range.end)
    }
    /// Whether the file ends before the atom does.
    package var isTruncated: Bool { claimedByteCount != nil }
    /// Whether the atom is padding by the standard; see ``FreeSpace`` for what is in it.
    package var isFreeSpace: Bool { type == "free" || type == "skip" }
  }

  /// The atoms, in the order of the file.
  package let atoms: [TopLevelAtom]
  /// Bytes at the end that are not an atom: odd bytes, or a vendor's trailer.
  package let trailing: ByteRange?
  /// The reason why the trailing bytes are not an atom.
  package let trailingDefect: MovieError?
  /// Free space after the trailing bytes in which an interrupted edit lies; it reaches to the end of the file.
  package let leftover: ByteRange?
  /// The size of the atom that the trailing bytes would be taken for if enough bytes followed them; `nil` where nothing
  /// that follows makes an atom of them.
  package let trailingClaim: UInt64?
  /// The identity of the source when it was read.
  package let identity: SourceIdentity
  /// The first bytes of the file, as far as they were read.
  let head: Bytes

  /// The position in ``atoms`` of the first atom of each type.
  private let positions: [FourCC: Int]

  /// The first atom of a type.
  package func first(_ type: FourCC) -> TopLevelAtom? { positions[type].map { atoms[$0] } }

  /// Reads the headers of `source`.
  ///
  /// Throws what the source throws, and ``MovieError`` when there are more atoms than `limits` allows. A file of
  /// other bytes than atoms is not an error here: it has no atoms, and trailing bytes.
  package init(of source: some RandomAccessSource, limits: MovieLimits = MovieLimits()) throws {
    let identity = try source.identity()
    self = try source.reading(since: identity) { try FileLayout(of: source, identity, limits) }
  }

  private init(of source: some RandomAccessSource, _ identity: SourceIdentity, _ limits: MovieLimits) throws {
    self.identity = identity
    let size = identity.byteCount
    let head = try source.readExactly(ByteRange(0..<Swift.min(size, Self.headByteCount)))
    var atoms: [TopLevelAtom] = []
    var trailing: ByteRange?
    var leftover: ByteRange?
    var claim: UInt64?
    var defect: MovieError?
    var position: UInt64 = 0
    while position < size {
      guard atoms.count < limits.topLevelAtomCount else {
        throw MovieError(.limit, at: position, "more than \(limits.topLevelAtomCount) top-level atoms")
      }
      let window = try Self.headerBytes(at: position, of: source, size: size, head: head)
      do throws(MovieError) {
        let atom = try Self.atom(window, at: position, fileSize: size)
        atoms.append(atom)
        position = atom.range.end
      } catch {
        leftover = try Self.leftover(in: ByteRange(position..<size), of: source)
        trailing = ByteRange(position..<(leftover?.offset ?? size))
        claim = Self.claim(of: window)
        defect = error
        position = size
      }
    }
    self.atoms = atoms
    positions = Dictionary(atoms.indices.map { (atoms[$0].type, $0) }) { first, _ in first }
    self.trailing = trailing
    self.leftover = leftover
    trailingClaim = claim
    self.head = head
    trailingDefect = defect
  }

  /// Whether the movie atom stands before the media, so that a player can begin before it has all of the file.
  ///
  /// A sixteenth of the media may stand before it: an edit in place puts a few kilobytes of subtitles there, which
  /// delay nobody.
  package var isFastStart: Bool { isFastStart(withMediaBefore: 0) }

  /// The same with so many bytes of media more before the movie atom. A sixteenth may stand before it: it arrives long
  /// before the rest, and writers put a poster or the first chunk there.
  package func isFastStart(withMediaBefore added: UInt64) -> Bool {
    let media = mediaByteCounts
    return media.after > 0 && added <= media.after / 16 && media.before <= media.after / 16 - added
  }

  /// Whether media stands before a movie atom that counts as a fast start all the same.
  package var hasLittleMediaBeforeMovie: Bool { isFastStart && mediaByteCounts.before > 0 }

  /// Whether the movie atom stands after the media, but for a sixteenth of it.
  package var isMovieAtomLast: Bool {
    let media = mediaByteCounts
    return media.before > 0 && media.after <= media.before / 16
  }

  /// The number of media bytes before the movie atom and after it.
  private var mediaByteCounts: (before: UInt64, after: UInt64) {
    guard let movie = first("moov")?.range.offset else { return (0, 0) }
    var (before, after) = (UInt64(0), UInt64(0))
    for atom in atoms where atom.type == "mdat" {
      if atom.range.offset < movie { before += atom.payloadRange.count } else { after += atom.payloadRange.count }
    }  // Parts of a file.
    return (before, after)
  }

  /// The number of bytes of the first read. Of most fast-start files it includes all of `moov`.
  static let headByteCount: UInt64 = 64 << 10

  /// The bytes of `range`, from those already read where they suffice.
  func read(_ range: ByteRange, of source: some RandomAccessSource) throws -> Bytes {
    if range.end <= UInt64(head.count), let offset = Int(exactly: range.offset), let count = Int(exactly: range.count),
      let slice = head.slice(at: offset, count: count)
    {
      return slice
    }
    return try source.readExactly(range)
  }

  private static func headerBytes(
    at position: UInt64, of source: some RandomAccessSource, size: UInt64, head: Bytes
  ) throws -> Bytes {
    let wanted = Swift.min(32, size - position)  // A header of 16 bytes, and the 16 of a user type.
    if position + wanted <= UInt64(head.count), let offset = Int(exactly: position),
      let slice = head.slice(at: offset, count: Int(wanted))
    {
      return slice
    }
    return try source.readExactly(ByteRange(position..<position + wanted))
  }

  private static func atom(_ window: Bytes, at position: UInt64, fileSize: UInt64) throws(MovieError) -> TopLevelAtom {
    let header: AtomHeader
    let room = fileSize - position
    do throws(AtomHeader.Failure) {
      header = try AtomHeader(window, at: 0)
    } catch {
      throw MovieError(.malformed, at: position, error.reason(room: window.count))
    }
    // Not of the atom that follows a short one.
    let isLongEnough = if case .bytes(let size) = header.size { size >= UInt64(header.byteCount) + 16 } else { true }
    let userType = header.type == "uuid" && isLongEnough ? window.slice(at: header.byteCount, count: 16) : nil
    let sizeField: TopLevelAtom.SizeField = header.byteCount == 16 ? .wide : .compact
    switch header.size {
    case .toEndOfFile where header.type.rawValue == 0:
      throw MovieError(.malformed, at: position, "\(room) bytes from here on begin with zeros")
    case .toEndOfFile:
      return TopLevelAtom(
        type: header.type, range: ByteRange(position..<fileSize), headerByteCount: header.byteCount,
        sizeField: .toEndOfFile, userType: userType, claimedByteCount: nil)
    case .bytes(let claimed) where claimed <= room:
      return TopLevelAtom(
        type: header.type, range: ByteRange(position..<position + claimed), headerByteCount: header.byteCount,
        sizeField: sizeField, userType: userType, claimedByteCount: nil)
    case .bytes(let claimed):
      // Only atoms that one expects at the top are believed past the end; a vendor's trailer is not.
      guard truncatable.contains(header.type) else {
        throw MovieError(
          .truncated, at: position, in: header.type.description, "claims \(claimed) bytes, \(room) left in the file")
      }
      return TopLevelAtom(
        type: header.type, range: ByteRange(position..<fileSize), headerByteCount: header.byteCount,
        sizeField: sizeField, userType: userType, claimedByteCount: claimed)
    }
  }

  /// Returns the ``trailingClaim`` of bytes that begin like this.
  private static func claim(of window: Bytes) -> UInt64? {
    do throws(AtomHeader.Failure) {
      switch try AtomHeader(window, at: 0).size {
      case .bytes(let byteCount): return byteCount
      case .toEndOfFile: return nil  // Zeros: they are not an atom, whatever follows.
      }
    } catch {
      switch error {
      case .tooShort: return 0
      case .sizeBelowHeader: return nil
      }
    }
  }

  /// The most bytes after `moov` that an edit in place writes again. No more of trailing bytes are searched for an
  /// interrupted edit.
  package static var largestRewrittenRest: UInt64 { 1 << 20 }

  /// Returns the bytes that an interrupted edit in place left after trailing bytes: a `free` atom, whole or torn, that
  /// begins with ``FreeSpace/mark``.
  ///
  /// After atoms it is an atom itself; here it has to be looked for. Few reads, and only of files that end in bytes
  /// which are not an atom.
  private static func leftover(in trailing: ByteRange, of source: some RandomAccessSource) throws -> ByteRange? {
    let searched = Swift.min(trailing.count, largestRewrittenRest + 8 + UInt64(FreeSpace.mark.count))
    let bytes = try source.readExactly(ByteRange(trailing.offset..<trailing.offset + searched))
    for start in bytes.indices where bytes[start] == 0x66 && start >= 4 {  // The f of "free".
      guard bytes.load(at: start, as: UInt32.self).map({ FourCC(rawValue: $0) }) == "free",
        let size = bytes.load(at: start - 4, as: UInt32.self)
      else { continue }
      let place = ByteRange(trailing.offset + UInt64(start - 4)..<trailing.end)
      let head = bytes.dropFirst(start + 4)
      guard UInt64(size) >= place.count, head.count >= leastMarkByteCount,
        head.prefix(FreeSpace.mark.count).elementsEqual(FreeSpace.mark.prefix(head.count))
      else { continue }
      return place
    }
    return nil
  }

  /// So much of a mark at the end of a file is taken for one that was cut short.
  private static let leastMarkByteCount = 4

  private static let truncatable: Set<FourCC> = [
    "mdat", "moov", "free", "skip", "ftyp", "moof", "meta", "uuid", "idat",
  ]
}

// Files whose end is missing: a recorder lost power, a disk was full, a download broke off.
extension FileLayout {
  /// The first byte from which on media may be missing because the file was cut off, or `nil` if the file is whole as
  /// far as its atoms tell.
  ///
  /// The cut lies in the last atom, in an atom's header, or between a `moof` and the `mdat` that belongs to it. A cut
  /// between whole fragments leaves no trace.
  package var cutOffset: UInt64? {
    if let last = atoms.last, last.isTruncated || last.type == "mdat" && last.sizeField == .toEndOfFile {
      return last.range.offset
    }
    var afterMedia: UInt64?
    for atom in atoms.reversed() {
      if atom.type == "mdat" { break }
      if atom.type == "moof" { afterMedia = atom.range.end }
    }
    return afterMedia ?? trailing?.offset
  }
}
