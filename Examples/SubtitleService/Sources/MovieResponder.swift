import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MovieBox
import MovieStreaming
import NIOCore
import NIOPosix

/// Answers one request: a movie, its page, a file of its presentation, a range of one of these, or why not.
struct MovieResponder {
  /// How much is read at once: enough that a call's cost does not show, little for many clients at a time.
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
    // `film.mov` is the movie, `film.mov/` its page, `film.mov/hls/…` a file of its presentation.
    let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let name = parts[0]
    let wishes = wishes(request)
    do {
      // Disks are waited for on threads of their own, not on those that serve everybody.
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

  /// The file, or the part of it that is asked for.
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

  /// A block is read when the client has taken the one before. An error ends the connection: the client sees that bytes
  /// are missing.
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
