import MovieBox
import MovieStreaming

/// A file that is sent in ranges: a movie, a page or a file of a presentation.
struct ServedFile: Sendable {
  let mediaType: String
  /// The entity tag, which changes whenever a byte of the file changes.
  let entityTag: String
  let byteCount: UInt64
  /// The Content-Security-Policy of a page, or `nil` for other files.
  var policy: String?
  /// Returns a range of the file. Media is read from the disk.
  let read: @Sendable (ByteRange) throws -> Bytes
}

extension StreamPlan {
  /// Returns a file of the presentation, or `nil` if the presentation has no file at the path.
  func file(_ path: String, of movie: SubtitledMovie) throws -> ServedFile? {
    guard let whole = try response(path) else { return nil }
    return ServedFile(mediaType: whole.contentType, entityTag: whole.entityTag, byteCount: whole.byteCount) { range in
      var bytes: [UInt8] = []
      for extent in try response(path, range: range)?.extents ?? [] {
        switch extent.content {
        case .generated(let part): bytes += part.array
        case .source(let range): bytes += try movie.read(range).array
        case .zeros(let count): bytes += repeatElement(0, count: Int(clamping: count))
        }
      }
      return Bytes(bytes)
    }
  }
}

extension MoviePage {
  /// Returns the page as a file with the given entity tag.
  func file(entityTag: String) -> ServedFile {
    let bytes = Bytes(html)
    return ServedFile(
      mediaType: "text/html; charset=utf-8", entityTag: entityTag, byteCount: UInt64(bytes.count), policy: policy
    ) { range in bytes.slice(at: Int(clamping: range.offset), count: Int(clamping: range.count)) ?? Bytes() }
  }
}
