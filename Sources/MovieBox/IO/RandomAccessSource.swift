/// Something that bytes of a movie are read from: a file, memory, HTTP ranges, an object store.
///
/// A size, and "these bytes": that is all that reading and editing need. ``FileSource`` and ``MemorySource`` come
/// with the library; a service writes its own in a dozen lines.
public protocol RandomAccessSource: Sendable {
  /// Returns the present identity of the source. An edit is carried out only if the identity is the one that the edit
  /// was planned for.
  func identity() throws -> SourceIdentity

  /// The bytes of `range`, all of them.
  ///
  /// May be called concurrently. Throws when the range does not lie wholly in the source. A source that returns fewer
  /// bytes is treated as changed.
  func read(_ range: ByteRange) throws -> Bytes
}

/// The identity of a source. It distinguishes the source from others, and from itself after a change.
public struct SourceIdentity: Hashable, Sendable {
  /// The size in bytes.
  public let byteCount: UInt64
  /// A value that changes with the bytes: inode and modification time of a file, an ETag of an object.
  public let tag: String
  /// The modification time of a file in seconds since 1970, or `nil` if the source is not a file.
  package let modificationSeconds: Int64?
  /// The identities of a joined source's parts, in order; empty for a simple source.
  public let parts: [SourceIdentity]

  /// An identity of `byteCount` bytes.
  public init(byteCount: UInt64, tag: String) {
    self.byteCount = byteCount
    self.tag = tag
    modificationSeconds = nil
    parts = []
  }

  /// The identity of a file.
  package init(byteCount: UInt64, tag: String, modificationSeconds: Int64) {
    self.byteCount = byteCount
    self.tag = tag
    self.modificationSeconds = modificationSeconds
    parts = []
  }

  /// The identity of sources one after the other; fails where their bytes together do not fit in 64 bits.
  public init?(joining parts: [SourceIdentity]) {
    var byteCount: UInt64 = 0
    for part in parts {
      let (sum, overflow) = byteCount.addingReportingOverflow(part.byteCount)
      guard !overflow else { return nil }
      byteCount = sum
    }
    self.byteCount = byteCount
    tag = "joined"
    modificationSeconds = nil
    self.parts = parts
  }

  /// The identity of the first part, which is the movie that an edit is made of; its own where there are no parts.
  public var primary: SourceIdentity { parts.first ?? self }

  /// Returns the range of a part's bytes; a simple source is its own part 0.
  package func range(ofPart index: Int) -> ByteRange? {
    if parts.isEmpty { return index == 0 ? ByteRange(0..<byteCount) : nil }
    guard parts.indices.contains(index) else { return nil }
    let start = parts[..<index].reduce(0) { $0 &+ $1.byteCount }  // The sum of all fits.
    return ByteRange(start..<start &+ parts[index].byteCount)
  }
}

extension RandomAccessSource {
  /// Does something with a source that looked like this; where that fails and the source looks otherwise by now, that
  /// is the error: what was read may be half of the old bytes and half of the new ones.
  package func reading<Result>(since identity: SourceIdentity, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      guard try self.identity().primary != identity.primary else { throw error }
      throw MovieError(.sourceChanged, "another program changed the file while it was read; try again")
    }
  }

  /// The bytes of `range`, or an error when the source gives fewer or more.
  package func readExactly(_ range: ByteRange) throws -> Bytes {
    let bytes = try read(range)
    guard UInt64(bytes.count) == range.count else {
      throw MovieError(
        .sourceChanged, at: range.offset, "asked for \(range.count) bytes, the source gave \(bytes.count)")
    }
    return bytes
  }
}

/// A movie in memory.
public struct MemorySource: RandomAccessSource {
  /// All bytes.
  public let bytes: Bytes

  /// A source of these bytes.
  public init(_ bytes: Bytes) {
    self.bytes = bytes
  }

  /// The size; memory does not change.
  public func identity() -> SourceIdentity {
    SourceIdentity(byteCount: UInt64(bytes.count), tag: "memory")
  }

  /// The bytes of `range`, shared, not copied.
  public func read(_ range: ByteRange) throws(MovieError) -> Bytes {
    guard let offset = Int(exactly: range.offset), let count = Int(exactly: range.count),
      let slice = bytes.slice(at: offset, count: count)
    else {
      throw MovieError(
        .truncated, at: range.offset, "asked for \(range.count) bytes of a source of \(bytes.count)")
    }
    return slice
  }
}

/// A part of bytes that are put together.
package enum BytesPart {
  case bytes(Bytes)
  case range(ByteRange, of: any RandomAccessSource)
  case zeros(Int)

  var count: UInt64 {
    switch self {
    case .bytes(let bytes): UInt64(bytes.count)
    case .range(let range, _): range.count
    case .zeros(let count): UInt64(count)
    }
  }
}

extension Bytes {
  /// Joins bytes, with one read for each range of a source. Files are read directly into their final place.
  ///
  /// Throws what the sources throw.
  package init(joining parts: [BytesPart]) throws {
    if parts.count == 1 {
      // Most ranges of most movies: nothing has to be put together.
      switch parts[0] {
      case .bytes(let bytes):
        self = bytes
        return
      case .range(let range, let source):
        self = try source.readExactly(range)
        return
      case .zeros: break
      }
    }
    var byteCount: UInt64 = 0
    for part in parts { byteCount = byteCount.addingClamped(part.count) }
    guard let count = Int(exactly: byteCount) else { throw MovieError(.limit, "\(byteCount) bytes at once") }
    // SAFETY: the buffer is handed on no further than the calls that fill it.
    self = try unsafe Bytes(count: count) { buffer throws(any Error) in
      unsafe SystemMemory.adviseLargePages(buffer)
      var filled = 0
      for part in parts {
        // SAFETY: `end` is at most the sum of all parts, which did not wrap and is the buffer's count.
        let end = filled + Int(clamping: part.count)
        try unsafe part.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<end]))
        filled = end
      }
      return filled
    }
  }
}

extension BytesPart {
  /// Writes the part to a buffer of its size.
  @unsafe
  fileprivate func fill(_ buffer: UnsafeMutableRawBufferPointer) throws {
    switch self {
    case .range(let range, let source as FileSource): try unsafe source.read(range, into: buffer)
    case .range(let range, let source): try unsafe Self.copy(source.readExactly(range), to: buffer)
    case .bytes(let bytes): unsafe Self.copy(bytes, to: buffer)
    case .zeros:
      unsafe SystemMemory.prepareToFill(buffer)
      // SAFETY: bytes of any value are bytes.
      unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
    }
  }

  @unsafe
  private static func copy(_ bytes: Bytes, to buffer: UnsafeMutableRawBufferPointer) {
    precondition(bytes.count == buffer.count, "a part fills its place")
    unsafe SystemMemory.prepareToFill(buffer)
    // SAFETY: the buffer is as large.
    unsafe bytes.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
  }
}

/// Several sources as one: the second begins where the first ends, and so on.
///
/// It is what an edit that takes tracks from other movies works on: the movie itself comes first.
/// It is not a movie: read each of them from its own source.
///
///     let film = try FileSource(path: "film.mov")
///     let dub = try FileSource(path: "dub.m4a")
///     let source = try JoinedSource([film, dub])
public struct JoinedSource: RandomAccessSource {
  /// The sources, in their order.
  public let sources: [any RandomAccessSource]
  /// The ranges of the parts.
  private let ranges: [ByteRange]

  /// A run of bytes of one of the sources.
  public struct Piece: Sendable {
    /// The source.
    public let source: any RandomAccessSource
    /// The bytes, counted from the start of that source.
    public let range: ByteRange
  }

  /// The sources one after the other, as large as they are now.
  ///
  /// Throws what asking them for their size throws, and ``MovieError`` where all their bytes do not fit in 64 bits.
  public init(_ sources: [any RandomAccessSource]) throws {
    self.sources = sources
    let identity = try Self.identity(of: sources)
    ranges = sources.indices.compactMap { identity.range(ofPart: $0) }
  }

  /// The identities of all sources.
  public func identity() throws -> SourceIdentity { try Self.identity(of: sources) }

  /// The bytes of `range`: one read of each source that it touches.
  public func read(_ range: ByteRange) throws -> Bytes {
    let pieces = pieces(of: range)
    guard pieces.reduce(0, { $0 &+ $1.range.count }) == range.count, range.count <= Int.max else {
      throw MovieError(
        .truncated, at: range.offset, "asked for \(range.count) bytes of sources of \(ranges.last?.end ?? 0)")
    }
    return try Bytes(joining: pieces.map { .range($0.range, of: $0.source) })
  }

  /// The parts of `range`, in order, by the source that they lie in; what lies in none is left out.
  public func pieces(of range: ByteRange) -> [Piece] {
    zip(sources, ranges).compactMap { source, place in
      place.intersection(range).map {
        Piece(source: source, range: ByteRange($0.offset - place.offset..<$0.end - place.offset))
      }
    }
  }

  private static func identity(of sources: [any RandomAccessSource]) throws -> SourceIdentity {
    guard let identity = SourceIdentity(joining: try sources.map { try $0.identity() }) else {
      throw MovieError(.limit, "sources of more than 2⁶⁴ bytes together")
    }
    return identity
  }
}

extension RandomAccessSource {
  /// The parts of a range by the source that holds them: one, but for a joined source.
  public func pieces(of range: ByteRange) -> [JoinedSource.Piece] {
    (self as? JoinedSource)?.pieces(of: range) ?? [JoinedSource.Piece(source: self, range: range)]
  }
}
