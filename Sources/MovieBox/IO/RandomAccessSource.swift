/// Something that bytes of a movie are read from: a file, memory, HTTP ranges, an object store.
///
/// A size, and "these bytes": that is all that reading and editing need. ``FileSource`` and ``MemorySource`` come
/// with the library; a service writes its own in a dozen lines.
public protocol RandomAccessSource: Sendable {
  /// What the source looks like now. An edit that was worked out is carried out only on a source that still looks the
  /// same.
  func identity() throws -> SourceIdentity

  /// The bytes of `range`, all of them.
  ///
  /// May be called concurrently. Throws when the range does not lie wholly in the source. A source that returns fewer
  /// bytes is treated as changed.
  func read(_ range: ByteRange) throws -> Bytes
}

/// How a source is distinguished from another, and from itself after a change.
public struct SourceIdentity: Hashable, Sendable {
  /// The size in bytes.
  public let byteCount: UInt64
  /// Whatever changes when the bytes do: inode and modification time of a file, an ETag of an object.
  public let tag: String
  /// The modification time of a file in seconds since 1970, or `nil` if the source is not a file.
  package let modificationSeconds: Int64?
  /// Those of the sources that a joined one is made of, in their order; empty for a source of its own.
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

  /// Where the bytes of a part lie; a source of its own is its part 0.
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
