import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MovieBox
import MovieStreaming
import NIOCore
import NIOPosix

/// Answers a request for a movie, its page, a file of its presentation, or a range of one of these. If the request
/// fails, the answer is an HTTP status with the reason.
struct MovieResponder {
  /// The size of a block. It is large enough that the cost of a read is negligible, and small enough for many clients
  /// at a time.
  private static let blockByteCount: UInt64 = 256 << 10

  let shelf: MovieShelf
  let hosts: TrustedHosts
  let logger: Logger

  func respond(to request: Request) async -> Response {
    guard hosts.contains(request.head.authority) else { return Response(status: .misdirectedRequest) }
    guard request.method == .get || request.method == .head else {
      return Response(status: .methodNotAllowed, headers: [.allow: "GET, HEAD"])
    }
    guard let path = request.uri.path.dropFirst().removingPercentEncoding else { return Response(status: .badRequest) }
    // `film.mov` is the movie, `film.mov/` is its page, and `film.mov/hls/…` is a file of its presentation.
    let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let name = parts[0]
    let wishes = wishes(request)
    do {
      // Reading blocks on the disk, so it is done on the threads of a pool and not on the threads that serve all
      // clients.
      let movie = try await NIOThreadPool.singleton.runIfActive { try shelf.movie(named: name, wishes) }
      guard let movie else { return Response(status: .notFound) }
      guard parts.count == 2 else { return response(to: request, movie.file) }
      let file = try await NIOThreadPool.singleton.runIfActive { () -> ServedFile? in
        if parts[1].isEmpty { return try shelf.page(of: movie, named: name) }
        guard parts[1].hasPrefix("hls/") else { return nil }
        return try shelf.presentation(of: movie).file(String(parts[1].dropFirst("hls/".count)), of: movie)
      }
      return file.map { response(to: request, $0) } ?? Response(status: .notFound)
    } catch {
      // Only the operator sees the error. Clients must not learn any paths.
      logger.error("\(name) cannot be served: \(error)")
      return Response(status: .internalServerError)
    }
  }

  /// Reads the query of a request. `?subtitles=en,es` chooses languages, an empty list chooses no subtitles, and
  /// `?fast-start` puts the movie atom first.
  private func wishes(_ request: Request) -> MovieShelf.Wishes {
    let query = request.uri.queryParameters
    let languages = query["subtitles"].map { $0.split(separator: ",").map(String.init) }
    return MovieShelf.Wishes(languages: languages, isFastStart: query["fast-start"] != nil)
  }

  /// Returns the response with the file or the requested part of it.
  private func response(to request: Request, _ file: ServedFile) -> Response {
    var headers: HTTPFields = [.eTag: file.entityTag, .acceptRanges: "bytes", .contentType: file.mediaType]
    headers[.contentSecurityPolicy] = file.policy
    let part = RequestedPart(of: file.byteCount, entityTag: file.entityTag, method: request.method.rawValue) { name in
      HTTPField.Name(name).flatMap { request.headers[$0] }
    }
    let range: ByteRange
    switch part {
    case .preconditionFailed: return Response(status: .preconditionFailed, headers: [.eTag: file.entityTag])
    case .notModified: return Response(status: .notModified, headers: [.eTag: file.entityTag])
    case .whole: range = ByteRange(0..<file.byteCount)
    case .part(let part):
      range = part
      headers[.contentRange] = "bytes \(part.offset)-\(part.end - 1)/\(file.byteCount)"
    case .notSatisfiable:
      return Response(
        status: .rangeNotSatisfiable, headers: [.eTag: file.entityTag, .contentRange: "bytes */\(file.byteCount)"])
    }
    headers[.contentLength] = String(range.count)
    return Response(
      status: headers[.contentRange] == nil ? .ok : .partialContent, headers: headers,
      body: request.method == .head ? ResponseBody() : body(range, of: file))
  }

  /// Returns a body that reads each block after the client has received the previous block. If a read fails, the
  /// connection is closed, so the client notices that bytes are missing.
  private func body(_ range: ByteRange, of file: ServedFile) -> ResponseBody {
    ResponseBody(contentLength: Int(clamping: range.count)) { writer in
      var offset = range.offset
      while offset < range.end {
        let block = ByteRange(offset..<min(range.end, offset + Self.blockByteCount))
        let bytes = try await NIOThreadPool.singleton.runIfActive { try file.read(block) }
        try await writer.write(ByteBuffer(bytes: bytes.array))
        offset = block.end
      }
      try await writer.finish(nil)
    }
  }
}
