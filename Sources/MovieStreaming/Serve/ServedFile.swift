import MovieBox
import MovieWriter

/// A file that is served: its type, its tag and where its bytes are.
struct ServedFile: Sendable {
  let contentType: String
  /// With its quotation marks.
  let entityTag: String
  let byteCount: UInt64
  /// The policy of a page.
  var policy: String?
  /// The file in gzip, where that is smaller: of texts that are held in memory.
  private(set) var compressed: Bytes?
  private let contents: ArraySlice<OutputPlan.Content>
  private let movie: ServedMovie?

  /// The tag of the file in gzip: a client that has it so has other bytes.
  var compressedTag: String { entityTag.dropLast() + "-gzip\"" }

  /// A text that is held in memory; `movie` is what it was made of, where that is one movie.
  init(_ bytes: [UInt8], type: String, of movie: ServedMovie? = nil) {
    let deflated = GzipStream.deflate(bytes)
    compressed = deflated.count < bytes.count ? Bytes(deflated) : nil
    contentType = type
    entityTag = EntityTag(bytes).text
    byteCount = UInt64(bytes.count)
    contents = [.generated(Bytes(bytes))]
    self.movie = movie
  }

  /// A file of a presentation, with its tag.
  init(_ file: StreamPlan.File, of movie: ServedMovie, tag: String) {
    self.init(of: movie, type: file.contentType, tag: tag, file.contents, byteCount: file.byteCount)
  }

  /// A movie as it is.
  init(_ movie: ServedMovie, type: String) {
    let byteCount = movie.identity.byteCount
    var tag = EntityTag()
    tag.add(movie.identity)
    self.init(of: movie, type: type, tag: tag.text, [.source(ByteRange(0..<byteCount))], byteCount: byteCount)
  }

  private init(
    of movie: ServedMovie, type: String, tag: String, _ contents: ArraySlice<OutputPlan.Content>, byteCount: UInt64
  ) {
    contentType = type
    entityTag = tag
    self.byteCount = byteCount
    self.contents = contents
    self.movie = movie
  }

  /// Throws ``MovieError`` `.sourceChanged` where the movie that it is made of is no longer what it was.
  func check() throws { try movie?.check() }

  /// The bytes of a range that lies in the file.
  func body(_ range: ByteRange) -> HTTPBody { HTTPBody(contents, of: movie, range) }
}

/// A movie that files are made of, and what it was when they were planned.
package struct ServedMovie: Sendable {
  let source: any RandomAccessSource
  let identity: SourceIdentity

  /// Throws ``MovieError`` `.sourceChanged` where it is no longer what it was.
  func check() throws {
    guard try source.identity() == identity else {
      throw MovieError(.sourceChanged, "the movie has changed since it was read")
    }
  }
}
