import MovieBox
import MovieStreaming

/// Something that is sent in ranges, whatever it is made of.
struct ServedFile: Sendable {
  let mediaType: String
  /// Changes when any byte does.
  let entityTag: String
  let byteCount: UInt64
  /// The policy of a page.
  var policy: String?
  /// Bytes of it; media is read from the disk.
  let read: @Sendable (ByteRange) throws -> Bytes
}

extension StreamPlan {
  /// A file of the presentation; `nil` for a path that it has not.
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
  /// The page as a file of its own tag.
  func file(entityTag: String) -> ServedFile {
    let bytes = Bytes(html)
    return ServedFile(
      mediaType: "text/html; charset=utf-8", entityTag: entityTag, byteCount: UInt64(bytes.count), policy: policy
    ) { range in bytes.slice(at: Int(clamping: range.offset), count: Int(clamping: range.count)) ?? Bytes() }
  }
}
