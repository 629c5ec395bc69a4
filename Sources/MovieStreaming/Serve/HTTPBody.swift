import MovieBox
import MovieWriter

/// The bytes of an answer, read piece by piece as the client takes them: what a client costs does not grow with the file.
struct HTTPBody: Sendable {
  private let contents: ArraySlice<OutputPlan.Content>
  /// Where ranges lie; `nil` where all bytes are generated.
  private let movie: ServedMovie?
  /// The content that the next byte is of, and how many of its bytes are done.
  private var index: Int
  private var done: UInt64 = 0
  /// How many bytes are left.
  private(set) var byteCount: UInt64

  /// A range of contents that lies in them.
  init(_ contents: ArraySlice<OutputPlan.Content>, of movie: ServedMovie? = nil, _ range: ByteRange) {
    self.contents = contents
    self.movie = movie
    byteCount = range.count
    index = contents.startIndex
    var before = range.offset
    while index < contents.endIndex, contents[index].byteCount <= before {
      before -= contents[index].byteCount
      index += 1
    }
    done = before
  }

  /// Bytes that are held in memory.
  init(_ bytes: Bytes) {
    self.init([.generated(bytes)], ByteRange(0..<UInt64(bytes.count)))
  }

  /// No bytes.
  init() { self.init(Bytes()) }

  /// The next bytes, at most so many, and fewer only at the end.
  ///
  /// Throws what the source throws, and ``MovieError`` `.sourceChanged` where the movie is no longer what it was.
  mutating func next(atMost limit: Int) throws -> Bytes {
    let bytes = try gather(limit)
    // After reading: what was read may be of a movie that changed just then.
    if bytes.count > 0 { try movie?.check() }
    return bytes
  }

  /// Ranges that lie close together in the movie are read at once: a segment may be thousands of samples.
  private mutating func gather(_ limit: Int) throws -> Bytes {
    let piece = take(limit)
    // Most pieces are one content: nothing is copied.
    if let content = piece.first, piece.count == 1 { return try bytes(of: content) }
    var gathered: [UInt8] = []
    gathered.reserveCapacity(limit)
    let source: any RandomAccessSource = movie?.source ?? MemorySource(Bytes())
    try ConcatenatedExtents(piece[...]).forEach(of: source) { bytes, part in
      gathered += bytes.array[part]  // No copy but this one: the bytes are all of their array.
    } other: { content in
      gathered += try bytes(of: content).array
    }
    return Bytes(gathered)
  }

  /// The contents of the next bytes, at most so many, which count as done.
  private mutating func take(_ limit: Int) -> [OutputPlan.Content] {
    var piece: [OutputPlan.Content] = []
    var left = min(byteCount, UInt64(clamping: limit))
    while left > 0, index < contents.endIndex {
      let content = contents[index]
      let count = min(content.byteCount - done, left)
      if count > 0 { piece.append(content.cut(done, count: count)) }
      left -= count
      byteCount -= count
      done += count
      if done == content.byteCount { (index, done) = (index + 1, 0) }
    }
    return piece
  }

  private func bytes(of content: OutputPlan.Content) throws -> Bytes {
    switch content {
    case .generated(let bytes): bytes
    case .zeros(let count): Bytes([UInt8](repeating: 0, count: Int(clamping: count)))
    case .source(let range): try movie?.source.readExactly(range) ?? Bytes()
    }
  }
}
