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
  /// Where each of them lies.
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
  public func identity() throws -> SourceIdentity {
    try Self.identity(of: sources)
  }

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
