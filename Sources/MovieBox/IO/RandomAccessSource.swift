/// A source of a movie's bytes, such as a file, memory, HTTP ranges or an object store.
///
/// To read or edit a movie, only the size of the source and ranges of its bytes are needed. ``FileSource`` and
/// ``MemorySource`` are included. You can implement another source in a dozen lines.
public protocol RandomAccessSource: Sendable {
  /// Returns the current identity of the source. An edit is carried out only if the identity has not changed since the
  /// edit was planned.
  func identity() throws -> SourceIdentity

  /// Returns all bytes of `range`.
  ///
  /// May be called concurrently. Throws if the range extends past the end of the source. If the source returns fewer
  /// bytes than requested, readers assume that the source has changed.
  func read(_ range: ByteRange) throws -> Bytes
}

/// The identity of a source's contents. It changes with every modification.
public struct SourceIdentity: Hashable, Sendable {
  /// The size in bytes.
  public let byteCount: UInt64
  /// A value that changes with the contents, such as the inode and modification time of a file, or the ETag of an
  /// object.
  public let tag: String
  /// The modification time of a file in seconds since 1970, or `nil` if the source is not a file.
  package let modificationSeconds: Int64?
  /// The identities of the sources in a ``JoinedSource``, in order. The array is empty for other sources.
  public let parts: [SourceIdentity]

  /// Creates an identity.
  public init(byteCount: UInt64, tag: String) {
    self.byteCount = byteCount
    self.tag = tag
    modificationSeconds = nil
    parts = []
  }

  /// Creates the identity of a file.
  package init(byteCount: UInt64, tag: String, modificationSeconds: Int64) {
    self.byteCount = byteCount
    self.tag = tag
    self.modificationSeconds = modificationSeconds
    parts = []
  }

  /// Creates the identity of joined sources, or returns `nil` if their total size overflows.
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

  /// The identity of the edited movie. It is the first element of ``parts``, or this identity if the source is not
  /// joined.
  public var primary: SourceIdentity { parts.first ?? self }

  /// Returns the range of the bytes from the source at `index`, or `nil` if there is no such source. If this source is
  /// not joined, index 0 refers to all its bytes.
  package func range(ofPart index: Int) -> ByteRange? {
    if parts.isEmpty { return index == 0 ? ByteRange(0..<byteCount) : nil }
    guard parts.indices.contains(index) else { return nil }
    // The sum cannot overflow, because the total size fits in 64 bits.
    let start = parts[..<index].reduce(0) { $0 &+ $1.byteCount }
    return ByteRange(start..<start &+ parts[index].byteCount)
  }
}

extension RandomAccessSource {
  /// Runs `body`. If it throws and the source no longer has `identity`, throws `.sourceChanged` instead. In this case,
  /// `body` may have read a mixture of old and new bytes.
  package func reading<Result>(since identity: SourceIdentity, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      guard try self.identity().primary != identity.primary else { throw error }
      throw MovieError(.sourceChanged, "another program changed the file while it was being read; try again")
    }
  }

  /// Reads the bytes of `range`. Throws if the source returns more or fewer bytes than requested.
  package func readExactly(_ range: ByteRange) throws -> Bytes {
    let bytes = try read(range)
    guard UInt64(bytes.count) == range.count else {
      throw MovieError(
        .sourceChanged, at: range.offset, "the source returned \(bytes.count) bytes instead of \(range.count)")
    }
    return bytes
  }
}

/// A movie in memory.
public struct MemorySource: RandomAccessSource {
  /// All bytes.
  public let bytes: Bytes

  /// Creates a source of these bytes.
  public init(_ bytes: Bytes) {
    self.bytes = bytes
  }

  /// Returns the identity. It never changes.
  public func identity() -> SourceIdentity {
    SourceIdentity(byteCount: UInt64(bytes.count), tag: "memory")
  }

  /// Returns the bytes of `range`. They are shared and not copied.
  public func read(_ range: ByteRange) throws(MovieError) -> Bytes {
    guard let offset = Int(exactly: range.offset), let count = Int(exactly: range.count),
      let slice = bytes.slice(at: offset, count: count)
    else {
      throw MovieError(
        .truncated, at: range.offset,
        "cannot read \(range.count) bytes: the source ends at byte \(bytes.count)")
    }
    return slice
  }
}

/// Bytes to be joined with other bytes. They are in memory, or in a range of a source.
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
  /// Joins the bytes of `parts`. Each range of a source requires one read. Files are read directly into the result.
  ///
  /// Throws the errors of the sources.
  package init(joining parts: [BytesPart]) throws {
    if parts.count == 1 {
      // A single element requires no copy, and most callers pass only one.
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
    guard let count = Int(exactly: byteCount) else {
      throw MovieError(.limit, "cannot join \(byteCount) bytes in memory")
    }
    // SAFETY: the buffer is only passed to the calls that fill it.
    self = try unsafe Bytes(count: count) { buffer throws(any Error) in
      unsafe SystemMemory.adviseLargePages(buffer)
      var filled = 0
      for part in parts {
        // SAFETY: `end` is at most the total size of the parts, which is the size of the buffer.
        let end = filled + Int(clamping: part.count)
        try unsafe part.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<end]))
        filled = end
      }
      return filled
    }
  }
}

extension BytesPart {
  /// Writes the part to a buffer of equal size.
  @unsafe
  fileprivate func fill(_ buffer: UnsafeMutableRawBufferPointer) throws {
    switch self {
    case .range(let range, let source as FileSource): try unsafe source.read(range, into: buffer)
    case .range(let range, let source): try unsafe Self.copy(source.readExactly(range), to: buffer)
    case .bytes(let bytes): unsafe Self.copy(bytes, to: buffer)
    case .zeros:
      unsafe SystemMemory.prepareToFill(buffer)
      // SAFETY: any byte value is valid.
      unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
    }
  }

  @unsafe
  private static func copy(_ bytes: Bytes, to buffer: UnsafeMutableRawBufferPointer) {
    precondition(bytes.count == buffer.count, "the bytes must have the size of the buffer")
    unsafe SystemMemory.prepareToFill(buffer)
    // SAFETY: the buffer has the size of the bytes.
    unsafe bytes.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
  }
}

/// Several sources as one source. Each source begins at the end of the previous source.
///
/// An edit that adds tracks of other movies uses a joined source. The first source is the edited movie. The joined
/// bytes are not a movie, so each movie must be read from its own source.
///
///     let film = try FileSource(path: "film.mov")
///     let dub = try FileSource(path: "dub.m4a")
///     let source = try JoinedSource([film, dub])
public struct JoinedSource: RandomAccessSource {
  /// The sources, in order.
  public let sources: [any RandomAccessSource]
  /// The range of each source in the joined bytes.
  private let ranges: [ByteRange]

  /// A range of bytes in one of the joined sources.
  public struct Piece: Sendable {
    /// The source of the bytes.
    public let source: any RandomAccessSource
    /// The range of the bytes in that source.
    public let range: ByteRange
  }

  /// Joins sources with their current sizes.
  ///
  /// Throws the errors of the sources, and ``MovieError`` if their total size overflows.
  public init(_ sources: [any RandomAccessSource]) throws {
    self.sources = sources
    let identity = try Self.identity(of: sources)
    ranges = sources.indices.compactMap { identity.range(ofPart: $0) }
  }

  /// Returns the joined identities of all sources.
  public func identity() throws -> SourceIdentity { try Self.identity(of: sources) }

  /// Returns the bytes of `range`. Each source that contains some of the bytes is read once.
  public func read(_ range: ByteRange) throws -> Bytes {
    let pieces = pieces(of: range)
    guard pieces.reduce(0, { $0 &+ $1.range.count }) == range.count, range.count <= Int.max else {
      throw MovieError(
        .truncated, at: range.offset,
        "cannot read \(range.count) bytes: the joined sources end at byte \(ranges.last?.end ?? 0)")
    }
    return try Bytes(joining: pieces.map { .range($0.range, of: $0.source) })
  }

  /// Splits `range` at the boundaries of the sources. Returns the ranges in order. Bytes outside the sources are
  /// omitted.
  public func pieces(of range: ByteRange) -> [Piece] {
    zip(sources, ranges).compactMap { source, position in
      position.intersection(range).map {
        Piece(source: source, range: ByteRange($0.offset - position.offset..<$0.end - position.offset))
      }
    }
  }

  private static func identity(of sources: [any RandomAccessSource]) throws -> SourceIdentity {
    guard let identity = SourceIdentity(joining: try sources.map { try $0.identity() }) else {
      throw MovieError(.limit, "the sources have more than 2⁶⁴ bytes in total")
    }
    return identity
  }
}

extension RandomAccessSource {
  /// Splits `range` at the boundaries of the joined sources. Returns the whole range if the source is not a
  /// ``JoinedSource``.
  public func pieces(of range: ByteRange) -> [JoinedSource.Piece] {
    (self as? JoinedSource)?.pieces(of: range) ?? [JoinedSource.Piece(source: self, range: range)]
  }
}
