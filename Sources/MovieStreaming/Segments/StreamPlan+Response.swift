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
  /// The path is that of the file, without percent encoding and without a leading slash. Costs the file's extents.
  public func response(_ path: String, range: ByteRange? = nil) throws(MovieError) -> Response? {
    guard let file = file(path) else { return nil }
    let wanted = range ?? ByteRange(0..<file.byteCount)
    guard wanted.offset < file.byteCount || range == nil else { return nil }
    let cut = ByteRange(wanted.offset..<Swift.min(wanted.end, file.byteCount))
    return Response(
      byteCount: file.byteCount, range: cut, contentType: file.contentType, entityTag: entityTag(of: file),
      extents: try outputPlan(of: file).extents(in: cut))
  }

  /// A tag of a file's bytes.
  private func entityTag(of file: File) -> String {
    var tag = EntityTag()
    tag.add(file.path.utf8)
    tag.add(file.contents, of: source)
    return tag.text
  }
}
