import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MovieBox
import NIOCore
import NIOPosix

/// Answers one request: a movie, a range of it, or why not.
struct MovieResponder {
  /// How much is read at once: enough that a call's cost does not show, little for many clients at a time.
  private static let blockByteCount: UInt64 = 256 << 10

  let shelf: MovieShelf
  let logger: Logger

  func respond(to request: Request) async -> Response {
    guard request.method == .get || request.method == .head else {
      return Response(status: .methodNotAllowed, headers: [.allow: "GET, HEAD"])
    }
    guard let name = request.uri.path.dropFirst().removingPercentEncoding else { return Response(status: .badRequest) }
    let wishes = wishes(request)
    do {
      // Disks are waited for on threads of their own, not on those that serve everybody.
      let movie = try await NIOThreadPool.singleton.runIfActive { try shelf.movie(named: name, wishes) }
      guard let movie else { return Response(status: .notFound) }
      return response(to: request, movie)
    } catch {
      // What is wrong with a file is for whoever keeps it; clients learn no paths.
      logger.error("\(name) cannot be served: \(error)")
      return Response(status: .internalServerError)
    }
  }

  /// `?subtitles=en,es` chooses languages, none where it is empty; `?fast-start` puts the movie atom first.
  private func wishes(_ request: Request) -> MovieShelf.Wishes {
    let query = request.uri.queryParameters
    let languages = query["subtitles"].map { $0.split(separator: ",").map(String.init) }
    return MovieShelf.Wishes(languages: languages, isFastStart: query["fast-start"] != nil)
  }

  /// The conditions in the order of RFC 9110 §13.2.2, then the range.
  private func response(to request: Request, _ movie: SubtitledMovie) -> Response {
    var headers: HTTPFields = [.eTag: movie.entityTag, .acceptRanges: "bytes", .contentType: movie.mediaType]
    if let tags = request.headers[.ifMatch], !Self.lists(tags, movie.entityTag) {
      return Response(status: .preconditionFailed, headers: [.eTag: movie.entityTag])
    }
    // A weak comparison, §13.1.2.
    if let tags = request.headers[.ifNoneMatch], Self.lists(tags.replacing("W/", with: ""), movie.entityTag) {
      return Response(status: .notModified, headers: [.eTag: movie.entityTag])
    }
    // A client that has the beginning of another movie gets the whole of this one, §13.1.5.
    let hasSameMovie = request.headers[.ifRange].map { $0 == movie.entityTag } ?? true
    let value = request.method == .get && hasSameMovie ? request.headers[.range] : nil
    let range: ByteRange
    switch RangeRequest(value, of: movie.byteCount) {
    case .whole: range = ByteRange(0..<movie.byteCount)
    case .part(let part):
      range = part
      headers[.contentRange] = "bytes \(part.offset)-\(part.end - 1)/\(movie.byteCount)"
    case .unsatisfiable:
      return Response(
        status: .rangeNotSatisfiable, headers: [.eTag: movie.entityTag, .contentRange: "bytes */\(movie.byteCount)"])
    }
    headers[.contentLength] = String(range.count)
    return Response(
      status: headers[.contentRange] == nil ? .ok : .partialContent, headers: headers,
      body: request.method == .head ? ResponseBody() : body(range, of: movie))
  }

  /// Whether a list of entity tags has this one.
  private static func lists(_ tags: String, _ tag: String) -> Bool {
    tags.split(separator: ",").contains { ["*", tag].contains($0.trimmingCharacters(in: .whitespaces)) }
  }

  /// A block is read when the client has taken the one before. An error ends the connection: the client sees that bytes
  /// are missing.
  private func body(_ range: ByteRange, of movie: SubtitledMovie) -> ResponseBody {
    ResponseBody(contentLength: Int(clamping: range.count)) { writer in
      var offset = range.offset
      while offset < range.end {
        let block = ByteRange(offset..<min(range.end, offset + Self.blockByteCount))
        let bytes = try await NIOThreadPool.singleton.runIfActive { try movie.read(block) }
        try await writer.write(ByteBuffer(bytes: bytes.array))
        offset = block.end
      }
      try await writer.finish(nil)
    }
  }
}
