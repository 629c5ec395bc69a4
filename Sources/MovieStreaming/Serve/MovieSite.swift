package import MovieBox
import MovieWriter
package import Subtitles

/// The files of a site by path: the page, the movies and their texts.
///
/// Paths are looked up in a table and never resolved in the file system, so that a request cannot reach other files.
package struct MovieSite: Sendable {
  private var files: [String: ServedFile] = [:]
  /// The presentations by their path prefix, such as `/1/hls/`.
  private var streams: [String: (plan: StreamPlan, movie: ServedMovie)] = [:]

  /// The origins of other sites whose pages may read the files.
  package var allowedOrigins = AllowedOrigins()

  /// Creates a site without files.
  package init() {}

  /// Adds the page as the root of the site.
  package mutating func add(_ page: MoviePage) {
    var pageFile = ServedFile(page.html, type: "text/html; charset=utf-8")
    pageFile.contentSecurityPolicy = page.policy + "; frame-ancestors 'self'"
    files["/"] = pageFile
  }

  /// Adds a movie at a path such as `/1/film.mov`.
  ///
  /// Every movie with video gets the media type of MP4. Chromium rejects the media type of QuickTime files, but plays
  /// these files if it supports their codecs.
  package mutating func add(
    _ source: any RandomAccessSource, _ identity: SourceIdentity, at path: String, hasPicture: Bool
  ) {
    let movie = ServedMovie(source: source, identity: identity)
    files[path] = ServedFile(movie, type: hasPicture ? "video/mp4" : "audio/mp4")
  }

  /// Adds a text of a movie at a path such as `/1/4.vtt`.
  package mutating func add(webVTT: [UInt8], at path: String, of movie: ServedMovie? = nil) {
    files[path] = ServedFile(webVTT, type: "text/vtt; charset=utf-8", of: movie)
  }

  /// Adds a presentation at a path prefix such as `/1/hls/`. Playlists are kept in memory, both uncompressed and
  /// compressed. Segments are looked up on request.
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

  /// Returns the response to a request.
  package func response(to request: HTTPRequest) -> HTTPResponse {
    if let options = allowedOrigins.options(for: request) { return options }
    return fileResponse(to: request).adding(allowedOrigins.fields(for: request))
  }

  private func fileResponse(to request: HTTPRequest) -> HTTPResponse {
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
  /// Adds a movie, its texts and its segments under a folder such as `1`, and sets their URLs in the page's movie.
  /// Returns the plan of the presentation, or the error if the movie cannot be streamed.
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
      return .failure(error)  // Browsers that support its formats can play the file itself.
    }
  }
}

/// A served file: its media type, its entity tag and the location of its bytes.
struct ServedFile: Sendable {
  let contentType: String
  /// The entity tag with its quotation marks.
  let entityTag: String
  let byteCount: UInt64
  /// The content security policy of a page.
  var contentSecurityPolicy: String?
  /// The text compressed by gzip, or `nil` if compression does not save space or the file is not a text in memory.
  private(set) var compressedBytes: Bytes?
  private let contents: ArraySlice<OutputPlan.Content>
  private let movie: ServedMovie?

  /// The entity tag of the compressed text. It differs from ``entityTag``, because the bytes differ.
  var compressedTag: String { entityTag.dropLast() + "-gzip\"" }

  /// Creates a file from text in memory. `movie` is the movie from which the text was made, or `nil` if the text was
  /// not made from a single movie.
  init(_ bytes: [UInt8], type: String, of movie: ServedMovie? = nil) {
    let deflated = GzipStream.deflate(bytes)
    compressedBytes = deflated.count < bytes.count ? Bytes(deflated) : nil
    contentType = type
    entityTag = EntityTag(bytes).text
    byteCount = UInt64(bytes.count)
    contents = [.generated(Bytes(bytes))]
    self.movie = movie
  }

  /// Creates a file of a presentation.
  init(_ file: StreamPlan.File, of movie: ServedMovie, tag: String) {
    self.init(of: movie, type: file.contentType, tag: tag, file.contents, byteCount: file.byteCount)
  }

  /// Creates a file that is the movie itself.
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

  /// Throws ``MovieError`` `.sourceChanged` if the movie from which the file is made has changed.
  func check() throws { try movie?.check() }

  /// Returns the bytes of a range, which must be within the file.
  func body(_ range: ByteRange) -> HTTPBody { HTTPBody(contents, of: movie, range) }
}

/// A movie from which files are made, with the identity that its source had when the files were planned.
package struct ServedMovie: Sendable {
  let source: any RandomAccessSource
  let identity: SourceIdentity

  /// Throws ``MovieError`` `.sourceChanged` if the movie has changed.
  func check() throws {
    guard try source.identity() == identity else {
      throw MovieError(.sourceChanged, "the movie has changed since it was read")
    }
  }
}
