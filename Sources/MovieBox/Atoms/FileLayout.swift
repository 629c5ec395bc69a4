/// The top-level atoms of a file. Only the headers of the atoms are read.
///
/// Reading the layout requires one read of the first 64 KiB, and one short read for each later atom header. In a
/// fragmented movie, the read of a `moof` header returns the whole `moof` if the atom is about as large as the previous
/// `moof`. The media is not read, so the time does not depend on the size of the file.
package struct FileLayout: Sendable {
  package struct TopLevelAtom: Hashable, Sendable {
    /// The encoding of an atom's size.
    package enum SizeField: Hashable, Sendable {
      /// 32 bits.
      case compact
      /// 64 bits after the type (`largesize`).
      case wide
      /// Zero: the atom extends to the end of the file.
      case toEndOfFile
    }

    package let type: FourCC
    /// The range of the atom in the file, including its header. If the atom is truncated, the range ends with the
    /// file.
    package let range: ByteRange
    /// The size of the header: 8 or 16 bytes.
    package let headerByteCount: Int
    package let sizeField: SizeField
    /// The 16-byte extended type, or `nil` if the atom is not a `uuid` atom.
    package let userType: Bytes?
    /// The declared size of a truncated atom, or `nil` if the atom is not truncated.
    package let claimedByteCount: UInt64?

    package var payloadRange: ByteRange {
      ByteRange(Swift.min(range.end, range.offset &+ UInt64(headerByteCount))..<range.end)
    }
    /// Whether the atom extends past the end of the file.
    package var isTruncated: Bool { claimedByteCount != nil }
    /// Whether the atom is a `free` or `skip` atom. Some programs store data in these atoms, so ``FreeSpace`` examines
    /// their contents.
    package var isFreeSpace: Bool { type == "free" || type == "skip" }
  }

  /// The atoms, in file order.
  package let atoms: [TopLevelAtom]
  /// The bytes at the end that do not form an atom, such as a vendor's trailer, or `nil` if there are none.
  package let trailing: ByteRange?
  /// The reason why the trailing bytes do not form an atom.
  package let trailingDefect: MovieError?
  /// The free space that an interrupted edit left at the end of the file, after a vendor's trailer, or `nil` if there
  /// is none.
  package let leftoverFreeSpace: ByteRange?
  /// The size that the trailing bytes declare if they are the start of an incomplete atom. The size is 0 if the
  /// trailing bytes are too short to declare one, or `nil` if they cannot be the start of an atom.
  package let trailingAtomByteCount: UInt64?
  /// The identity of the file when its layout was read.
  package let identity: SourceIdentity
  /// The first bytes of the file, up to ``headByteCount``.
  let head: Bytes
  /// The bytes of `moof` atoms that were read together with the headers, by the offset of the atom.
  private let fragments: [UInt64: Bytes]

  /// The index in ``atoms`` of the first atom of each type.
  private let atomIndexByType: [FourCC: Int]

  /// Returns the first atom of a type, or `nil` if the file contains no such atom.
  package func first(_ type: FourCC) -> TopLevelAtom? { atomIndexByType[type].map { atoms[$0] } }

  /// Reads the atom headers of `source`.
  ///
  /// Throws the source's errors, and a ``MovieError`` if there are more atoms than `limits` permits. A file without
  /// atoms is not an error: all its bytes are trailing bytes.
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
    var leftoverFreeSpace: ByteRange?
    var trailingClaim: UInt64?
    var defect: MovieError?
    var position: UInt64 = 0
    var reader = HeaderReader(head: head, fileByteCount: size, fragmentByteLimit: limits.fragmentByteCount)
    while position < size {
      guard atoms.count < limits.topLevelAtomCount else {
        throw MovieError(.limit, at: position, "the file has more than \(limits.topLevelAtomCount) top-level atoms")
      }
      let window = try reader.read(at: position, of: source)
      do throws(MovieError) {
        let atom = try Self.atom(window, at: position, fileSize: size)
        atoms.append(atom)
        reader.keepFragment(atom)
        position = atom.range.end
      } catch {
        leftoverFreeSpace = try Self.leftoverFreeSpace(in: ByteRange(position..<size), of: source)
        trailing = ByteRange(position..<(leftoverFreeSpace?.offset ?? size))
        trailingClaim = Self.declaredByteCount(of: window)
        defect = error
        position = size
      }
    }
    self.atoms = atoms
    atomIndexByType = Dictionary(atoms.indices.map { (atoms[$0].type, $0) }) { first, _ in first }
    self.trailing = trailing
    self.leftoverFreeSpace = leftoverFreeSpace
    trailingAtomByteCount = trailingClaim
    self.head = head
    fragments = reader.fragments
    trailingDefect = defect
  }

  /// Whether the movie atom precedes the media. In this case, a player can start before it has loaded the whole file.
  ///
  /// Up to a sixteenth of the media may precede the movie atom. For example, an edit in place may add a few kilobytes
  /// of subtitles before it. The subtitles cause no noticeable delay.
  package var isFastStart: Bool { isFastStart(withMediaBefore: 0) }

  /// Whether the movie would have a fast start if an edit added `addedByteCount` bytes of media before the movie atom.
  ///
  /// Up to a sixteenth of the media may precede the movie atom, because some writers store a poster or the first chunk
  /// there.
  package func isFastStart(withMediaBefore addedByteCount: UInt64) -> Bool {
    let media = mediaByteCounts
    return media.after > 0 && addedByteCount <= media.after / 16 && media.before <= media.after / 16 - addedByteCount
  }

  /// Whether the layout counts as fast start, but some media precedes the movie atom.
  package var hasLittleMediaBeforeMovie: Bool { isFastStart && mediaByteCounts.before > 0 }

  /// Whether the movie atom follows the media. Up to a sixteenth of the media may follow the movie atom.
  package var isMovieAtomLast: Bool {
    let media = mediaByteCounts
    return media.before > 0 && media.after <= media.before / 16
  }

  /// The number of media bytes before and after the movie atom.
  private var mediaByteCounts: (before: UInt64, after: UInt64) {
    guard let movie = first("moov")?.range.offset else { return (0, 0) }
    var (before, after) = (UInt64(0), UInt64(0))
    for atom in atoms where atom.type == "mdat" {
      if atom.range.offset < movie { before += atom.payloadRange.count } else { after += atom.payloadRange.count }
    }  // The sums cannot overflow, because the atoms are disjoint ranges of one file.
    return (before, after)
  }

  /// The size of the first read. It covers all of `moov` in most fast-start files.
  static let headByteCount: UInt64 = 64 << 10

  /// Returns the bytes of `range`. Uses bytes that were read with the layout if they contain the range.
  func read(_ range: ByteRange, of source: some RandomAccessSource) throws -> Bytes {
    if let slice = head.slice(range, from: 0) ?? fragments[range.offset]?.slice(range, from: range.offset) {
      return slice
    }
    return try source.readExactly(range)
  }

  /// Reads atom headers. If the next atom is probably a `moof`, a single read returns the whole `moof` and the header
  /// after it, because each read of a remote file is a request to the server.
  private struct HeaderReader {
    let head: Bytes
    let fileByteCount: UInt64
    /// The largest total size of the `moof` atoms that are kept.
    let fragmentByteLimit: UInt64
    private(set) var fragments: [UInt64: Bytes] = [:]
    private var fragmentByteCount: UInt64 = 0
    /// The bytes of the last read beyond ``head``, and their offset in the file.
    private var window: (offset: UInt64, bytes: Bytes) = (0, Bytes())
    /// The size of the last `moof`, or 0 before the first `moof`.
    private var lastFragmentByteCount: UInt64 = 0
    /// Whether the last atom contains the media of a fragment. Another fragment probably follows.
    private var followsFragment = false

    /// The maximum size of a header: 16 bytes, followed by a 16-byte extended type.
    private static let headerByteCount: UInt64 = 32
    /// The maximum size of a `moof` that is read together with its header.
    private static let maximumFragmentByteCount: UInt64 = 256 << 10
    /// The expected size of all `moof` atoms from which large pages take less time than they cost.
    private static let byteCountForLargePages: UInt64 = 2 << 20

    init(head: Bytes, fileByteCount: UInt64, fragmentByteLimit: UInt64) {
      (self.head, self.fileByteCount, self.fragmentByteLimit) = (head, fileByteCount, fragmentByteLimit)
    }

    /// Returns the bytes of the header at `position`, and possibly bytes after it.
    mutating func read(at position: UInt64, of source: some RandomAccessSource) throws -> Bytes {
      let available = fileByteCount - position
      let range = ByteRange(position..<position + Swift.min(Self.headerByteCount, available))
      if let slice = head.slice(range, from: 0) ?? window.bytes.slice(range, from: window.offset) { return slice }
      var byteCount = range.count
      if followsFragment, lastFragmentByteCount <= Self.maximumFragmentByteCount {
        // Read the whole next `moof` and the header after it at once. Consecutive `moof` atoms differ by only a few
        // `trun` entries, so the size of the last `moof` is a good guess.
        byteCount = lastFragmentByteCount + lastFragmentByteCount / 8 + Self.headerByteCount
      }
      let bytes = try source.readExactly(ByteRange(position..<position + Swift.min(byteCount, available)))
      window = (position, bytes)
      return bytes.slice(at: 0, count: Int(range.count)) ?? bytes
    }

    /// Keeps the bytes of a `moof` that was read completely.
    mutating func keepFragment(_ atom: TopLevelAtom) {
      followsFragment = atom.type == "mdat" && lastFragmentByteCount > 0
      guard atom.type == "moof" else { return }
      lastFragmentByteCount = atom.range.count
      guard fragmentByteCount.addingClamped(atom.range.count) <= fragmentByteLimit,
        let bytes = window.bytes.slice(atom.range, from: window.offset)
      else { return }
      // A slice keeps the whole read in memory, so a short atom in a long read is copied.
      fragments[atom.range.offset] = bytes.count < window.bytes.count / 2 ? Bytes(bytes.array) : bytes
      fragmentByteCount += atom.range.count
      if fragments.count == 2, expectedFragmentByteCount(after: atom.range.end) >= Self.byteCountForLargePages {
        SystemMemory.adviseLargePagesForSmallBlocks()
      }
    }

    /// Returns the expected total size of all `moof` atoms, if the rest of the file is like the first `offset` bytes.
    private func expectedFragmentByteCount(after offset: UInt64) -> UInt64 {
      let (size, overflow) = (fileByteCount / max(offset, 1)).multipliedReportingOverflow(by: fragmentByteCount)
      return overflow ? .max : size
    }
  }

  private static func atom(_ window: Bytes, at position: UInt64, fileSize: UInt64) throws(MovieError) -> TopLevelAtom {
    let header: AtomHeader
    let room = fileSize - position
    do throws(AtomHeader.Failure) {
      header = try AtomHeader(window, at: 0)
    } catch {
      throw MovieError(.malformed, at: position, error.reason(room: window.count))
    }
    // Check that the atom contains all 16 bytes of the extended type. Otherwise, the first bytes of the next atom would
    // be read as a part of the extended type.
    let isLongEnough = if case .bytes(let size) = header.size { size >= UInt64(header.byteCount) + 16 } else { true }
    let userType = header.type == "uuid" && isLongEnough ? window.slice(at: header.byteCount, count: 16) : nil
    let sizeField: TopLevelAtom.SizeField = header.byteCount == 16 ? .wide : .compact
    switch header.size {
    case .toEndOfFile where header.type.rawValue == 0:
      throw MovieError(
        .malformed, at: position, "the last \(room) bytes of the file are not an atom: they begin with zeros")
    case .toEndOfFile:
      return TopLevelAtom(
        type: header.type, range: ByteRange(position..<fileSize), headerByteCount: header.byteCount,
        sizeField: .toEndOfFile, userType: userType, claimedByteCount: nil)
    case .bytes(let claimed) where claimed <= room:
      return TopLevelAtom(
        type: header.type, range: ByteRange(position..<position + claimed), headerByteCount: header.byteCount,
        sizeField: sizeField, userType: userType, claimedByteCount: nil)
    case .bytes(let claimed):
      // A declared size past the end of the file is accepted only for common top-level types. Bytes with any other type
      // are probably a vendor's trailer.
      guard truncatableTypes.contains(header.type) else {
        throw MovieError(
          .truncated, at: position, in: header.type.description,
          "declares \(claimed) bytes, but the file has only \(room) left")
      }
      return TopLevelAtom(
        type: header.type, range: ByteRange(position..<fileSize), headerByteCount: header.byteCount,
        sizeField: sizeField, userType: userType, claimedByteCount: claimed)
    }
  }

  /// Returns the ``trailingAtomByteCount`` for trailing bytes that begin with `window`.
  private static func declaredByteCount(of window: Bytes) -> UInt64? {
    do throws(AtomHeader.Failure) {
      switch try AtomHeader(window, at: 0).size {
      case .bytes(let byteCount): return byteCount
      case .toEndOfFile: return nil  // The header consists of zeros, which never form an atom.
      }
    } catch {
      switch error {
      case .tooShort: return 0
      case .sizeBelowHeader: return nil
      }
    }
  }

  /// The maximum number of bytes after `moov` that an edit in place rewrites. The search for the `free` atom of an
  /// interrupted edit skips at most this number of trailing bytes.
  package static var maximumRewrittenByteCount: UInt64 { 1 << 20 }

  /// Returns the `free` atom of an interrupted edit in place, or `nil` if there is none. The edit wrote the atom after
  /// the trailing bytes of the old file. The payload begins with ``FreeSpace/mark``, and may be partly written.
  ///
  /// The trailing bytes of the old file are not atoms, so the atom is found by a search for its type. The search reads
  /// once, and only in files with trailing bytes.
  private static func leftoverFreeSpace(in trailing: ByteRange, of source: some RandomAccessSource) throws -> ByteRange?
  {
    let searchedByteCount = Swift.min(trailing.count, maximumRewrittenByteCount + 8 + UInt64(FreeSpace.mark.count))
    let bytes = try source.readExactly(ByteRange(trailing.offset..<trailing.offset + searchedByteCount))
    for start in bytes.indices where bytes[start] == 0x66 && start >= 4 {  // The byte is the f of "free".
      guard bytes.load(at: start, as: UInt32.self).map({ FourCC(rawValue: $0) }) == "free",
        let size = bytes.load(at: start - 4, as: UInt32.self)
      else { continue }
      let atomRange = ByteRange(trailing.offset + UInt64(start - 4)..<trailing.end)
      let head = bytes.dropFirst(start + 4)
      guard UInt64(size) >= atomRange.count, head.count >= minimumMarkByteCount,
        head.prefix(FreeSpace.mark.count).elementsEqual(FreeSpace.mark.prefix(head.count))
      else { continue }
      return atomRange
    }
    return nil
  }

  /// The shortest prefix of a mark that is recognized at the end of a file.
  private static let minimumMarkByteCount = 4

  private static let truncatableTypes: Set<FourCC> = [
    "mdat", "moov", "free", "skip", "ftyp", "moof", "meta", "uuid", "idat",
  ]
}

extension Bytes {
  /// Returns the bytes of `range`, a range of the file, or `nil` if `self` does not contain all of them. The first byte
  /// of `self` is at `offset` in the file.
  fileprivate func slice(_ range: ByteRange, from offset: UInt64) -> Bytes? {
    guard range.offset >= offset, let start = Int(exactly: range.offset - offset), let count = Int(exactly: range.count)
    else { return nil }
    return slice(at: start, count: count)
  }
}

// Detection of truncated files. A file is truncated if a recorder loses power, the disk is full or a download is
// interrupted.
extension FileLayout {
  /// The first offset from which media may be missing because the file is truncated, or `nil` if the atoms show no
  /// truncation.
  ///
  /// The file may end in the last atom, in an atom's header, or between a `moof` and its `mdat`. If a file was
  /// truncated between whole fragments, the truncation is not detectable.
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
