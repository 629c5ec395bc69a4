package import MovieBox
import MovieWriter
package import Subtitles

/// The files that a page needs, by their paths: the page, the movies, their texts.
///
/// Whatever else a request names is not found: a path is looked up, never followed.
package struct MovieSite: Sendable {
  private var files: [String: ServedFile] = [:]
  /// Presentations, by the folder that their paths begin with, such as `/1/hls/`.
  private var streams: [String: (plan: StreamPlan, movie: ServedMovie)] = [:]

  /// The pages elsewhere that may read the files.
  package var allowedOrigins = AllowedOrigins()

  /// A site without files.
  package init() {}

  /// Adds the page, at the root.
  package mutating func add(_ page: MoviePage) {
    var file = ServedFile(page.html, type: "text/html; charset=utf-8")
    file.policy = page.policy + "; frame-ancestors 'self'"
    files["/"] = file
  }

  /// Adds a movie, at a path such as `/1/film.mov`.
  ///
  /// Its type is that of MP4 for every movie with pictures: Chromium plays QuickTime files of the codecs that it knows,
  /// and refuses their own type.
  package mutating func add(
    _ source: any RandomAccessSource, _ identity: SourceIdentity, at path: String, hasPicture: Bool
  ) {
    let movie = ServedMovie(source: source, identity: identity)
    files[path] = ServedFile(movie, type: hasPicture ? "video/mp4" : "audio/mp4")
  }

  /// Adds a text of a movie, at a path such as `/1/4.vtt`.
  package mutating func add(webVTT: [UInt8], at path: String, of movie: ServedMovie? = nil) {
    files[path] = ServedFile(webVTT, type: "text/vtt; charset=utf-8", of: movie)
  }

  /// Adds a presentation, at a folder such as `/1/hls/`. Its playlists are kept, compressed too; segments are looked up
  /// when they are asked for.
  package mutating func add(_ plan: StreamPlan, from source: any RandomAccessSource, at folder: String) {
    let movie = ServedMovie(source: source, identity: plan.source)
    streams[folder] = (plan, movie)
    for file in plan.files where [.multivariantPlaylist, .mediaPlaylist, .data].contains(file.kind) {
      files[folder + file.path] = ServedFile(file.generatedBytes.array, type: file.contentType, of: movie)
    }
  }

  private func file(_ path: String) -> ServedFile? {
    if let file = files[path] { return file }
    guard let (folder, stream) = streams.first(where: { path.hasPrefix($0.key) }) else { return nil }
    return stream.plan.file(String(path.dropFirst(folder.count))).map { file in
      ServedFile(file, of: stream.movie, tag: stream.plan.entityTag(of: file))
    }
  }

  /// The answer to a request.
  package func response(to request: HTTPRequest) -> HTTPResponse {
    if let options = allowedOrigins.options(for: request) { return options }
    return ownResponse(to: request).adding(allowedOrigins.fields(for: request))
  }

  private func ownResponse(to request: HTTPRequest) -> HTTPResponse {
    let isHead = request.method == "HEAD"
    guard isHead || request.method == "GET" else {
      return HTTPResponse(.methodNotAllowed, closesConnection: true, fields: [("Allow", allowedOrigins.methods)])
    }
    do {
      guard let file = file(request.path) else {
        return HTTPResponse(.notFound, isHead: isHead, closesConnection: !request.keepsConnection)
      }
      return try HTTPResponse(file, to: request)
    } catch let error as MovieError where error.code == .sourceChanged {
      return HTTPResponse(.unavailable, isHead: isHead, closesConnection: true)
    } catch {
      return HTTPResponse(.internalError, isHead: isHead, closesConnection: true)
    }
  }
}

extension MovieSite {
  /// Adds a movie, its texts and, where it can be streamed, its segments under a folder such as `1`, and lets the
  /// page's movie know where they are. Returns the plan of its presentation, or the reason why there is none.
  package mutating func add(
    _ shown: inout PageMovie, _ movie: Movie, from source: any RandomAccessSource, under folder: String,
    options: StreamOptions = StreamOptions(), limits: SubtitleLimits = SubtitleLimits()
  ) throws -> Result<StreamPlan, MovieError> {
    let name = movie.isQuickTime ? "movie.mov" : "movie.mp4"
    shown.source = folder + "/" + name
    let identity = try source.identity()
    add(source, identity, at: "/" + shown.source, hasPicture: shown.hasPicture)
    for index in shown.subtitles.indices {
      let path = folder + "/" + shown.subtitles[index].id + ".vtt"
      shown.subtitles[index].url = path
      let served = ServedMovie(source: source, identity: identity)
      add(webVTT: shown.subtitles[index].webVTT, at: "/" + path, of: served)
    }
    do {
      let presentation = folder + "/hls/"
      let plan = try shown.planStream(of: movie, from: source, options, limits: limits, at: presentation)
      add(plan, from: source, at: "/" + presentation)
      return .success(plan)
    } catch let error as MovieError where error.code != .sourceChanged {
      return .failure(error)  // The file itself is served, and plays in browsers that know its formats.
    }
  }
}

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
