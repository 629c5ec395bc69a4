import MovieBox
import MovieWriter

/// The bytes of an answer, read piece by piece as the client takes them: what a client costs does not grow with the file.
struct HTTPBody: Sendable {
  private let contents: [OutputPlan.Content]
  /// Where ranges lie; `nil` where all bytes are generated.
  private let movie: ServedMovie?
  /// The content that the next byte is of, and how many of its bytes are done.
  private var index = 0
  private var done: UInt64 = 0
  /// How many bytes are left.
  private(set) var byteCount: UInt64

  /// A range of contents that lies in them.
  init(_ contents: [OutputPlan.Content], of movie: ServedMovie? = nil, _ range: ByteRange) {
    self.contents = contents
    self.movie = movie
    byteCount = range.count
    var before = range.offset
    while index < contents.count, contents[index].byteCount <= before {
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

  private mutating func gather(_ limit: Int) throws -> Bytes {
    var gathered: [UInt8] = []
    while byteCount > 0, gathered.count < limit, index < contents.count {
      let content = contents[index]
      let count = min(content.byteCount - done, byteCount, UInt64(limit - gathered.count))
      guard count > 0 else {
        (index, done) = (index + 1, 0)
        continue
      }
      let piece = try bytes(of: content, count)
      done += count
      byteCount -= count
      // Most pieces are whole: nothing is copied.
      if gathered.isEmpty, piece.count == limit || byteCount == 0 { return piece }
      if gathered.isEmpty { gathered.reserveCapacity(Int(clamping: min(byteCount + count, UInt64(limit)))) }
      gathered += piece.array
    }
    return Bytes(gathered)
  }

  private func bytes(of content: OutputPlan.Content, _ count: UInt64) throws -> Bytes {
    switch content {
    case .generated(let bytes): return bytes.slice(at: Int(clamping: done), count: Int(clamping: count)) ?? Bytes()
    case .zeros: return Bytes([UInt8](repeating: 0, count: Int(clamping: count)))
    case .source(let range):
      guard let movie else { return Bytes() }
      return try movie.source.readExactly(ByteRange(range.offset + done..<range.offset + done + count))
    }
  }
}
