public import MovieBox
public import MovieWriter

extension StreamPlan {
  /// What a server answers: how many bytes, which of them, and where they are.
  public struct Response: Hashable, Sendable {
    /// The size of the whole file.
    public let byteCount: UInt64
    /// The bytes that are sent: `Content-Range`, and `Content-Length` is their count.
    public let range: ByteRange
    /// `Content-Type`.
    public let contentType: String
    /// `ETag`, with its quotation marks: the same as long as the file's bytes are.
    public let entityTag: String
    /// The bytes: generated ones, and ranges of the movie; offsets count from the start of the file.
    public let extents: [OutputPlan.Extent]
  }

  /// The answer to a request for a file, or for some of its bytes, cut to the end of the file; `nil` where there is no
  /// such file, or no byte of it in the range.
  ///
  /// The path is that of the file, without percent encoding and without a leading slash. Plans and reads nothing: costs
  /// the file's contents up to the end of the range.
  public func response(_ path: String, range: ByteRange? = nil) -> Response? {
    guard let file = file(path) else { return nil }
    let wanted = range ?? ByteRange(0..<file.byteCount)
    guard wanted.offset < file.byteCount || range == nil else { return nil }
    let cut = ByteRange(wanted.offset..<Swift.min(wanted.end, file.byteCount))
    return Response(
      byteCount: file.byteCount, range: cut, contentType: file.contentType, entityTag: entityTag(of: file),
      extents: Self.extents(of: file, in: cut))
  }

  /// The contents of a file in a range, cut to it.
  private static func extents(of file: File, in range: ByteRange) -> [OutputPlan.Extent] {
    var found: [OutputPlan.Extent] = []
    var offset: UInt64 = 0
    for content in file.contents {
      guard offset < range.end else { break }
      let end = offset.addingClamped(content.byteCount)
      if let part = ByteRange(offset..<end).intersection(range), part.count > 0 {
        // The part lies in the content.
        let piece = content.cut(part.offset &- offset, count: part.count)
        found.append(OutputPlan.Extent(offset: part.offset, content: piece))
      }
      offset = end
    }
    return found
  }
}
