import MovieBox
import MovieWriter

/// What answers a request: the lines before the body, and where the body's bytes are. Nothing of it is read yet.
struct HTTPResponse: Sendable {
  /// A run of the body.
  enum Part: Sendable {
    case bytes(Bytes)
    case source(any RandomAccessSource, ByteRange)

    var byteCount: UInt64 {
      switch self {
      case .bytes(let bytes): UInt64(bytes.count)
      case .source(_, let range): range.count
      }
    }
  }

  let status: HTTPStatus
  /// The status line, the fields and the empty line.
  let head: [UInt8]
  /// The body.
  let parts: [Part]
  /// Whether the connection ends with it.
  let closesConnection: Bool

  private init(
    _ status: HTTPStatus, _ fields: [(String, String)], _ parts: [Part], isHead: Bool, closesConnection: Bool
  ) {
    self.status = status
    var text = "HTTP/1.1 \(status.rawValue) \(status.reason)\r\n"
    for (name, value) in fields + [("Connection", closesConnection ? "close" : "keep-alive")] {
      text += name + ": " + value + "\r\n"
    }
    head = Array((text + "\r\n").utf8)
    self.parts = isHead ? [] : parts
    self.closesConnection = closesConnection
  }

  /// A status, in words as its body.
  init(_ status: HTTPStatus, isHead: Bool = false, closesConnection: Bool, fields: [(String, String)] = []) {
    let body = Bytes(Array("\(status.rawValue) \(status.reason)\n".utf8))
    self.init(
      status,
      [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", "\(body.count)")] + Self.always + fields,
      [.bytes(body)], isHead: isHead, closesConnection: closesConnection)
  }

  /// A file, or what a request asks of it. Ranges are those of the file as it is; whoever asks for one gets it so.
  init(_ file: ServedFile, to request: HTTPRequest) throws {
    let close = !request.keepsConnection
    let isHead = request.method == "HEAD"
    let coding = ContentCoding(acceptedBy: request.fields["accept-encoding"])
    let compressed = coding == .gzip && request.fields["range"] == nil ? file.compressed : nil
    let entityTag = compressed == nil ? file.entityTag : file.compressedTag
    var fields = [("ETag", entityTag), ("Cache-Control", "no-cache"), ("Accept-Ranges", "bytes")] + Self.always
    if file.compressed != nil { fields.append(("Vary", "Accept-Encoding")) }
    if let policy = file.policy { fields.append(("Content-Security-Policy", policy)) }
    if let tags = request.fields["if-none-match"], Self.matches(tags, entityTag) {
      self.init(.notModified, fields, [], isHead: true, closesConnection: close)
      return
    }
    fields.append(("Content-Type", file.contentType))
    if let compressed {
      fields += [("Content-Encoding", "gzip"), ("Content-Length", "\(compressed.count)")]
      self.init(.ok, fields, [.bytes(compressed)], isHead: isHead, closesConnection: close)
      return
    }
    // Part of another version of the file would not fit what the client has.
    let isSame = request.fields["if-range"].map { $0 == entityTag } ?? true
    let range: ByteRange
    switch RequestedRange(isSame ? request.fields["range"] : nil, byteCount: file.byteCount) {
    case .whole:
      range = ByteRange(0..<file.byteCount)
      fields.append(("Content-Length", "\(file.byteCount)"))
    case .part(let part):
      range = part
      fields.append(("Content-Range", "bytes \(part.offset)-\(part.end - 1)/\(file.byteCount)"))
      fields.append(("Content-Length", "\(part.count)"))
      self.init(.partialContent, fields, isHead ? [] : try file.parts(range), isHead: isHead, closesConnection: close)
      return
    case .none:
      self.init(
        .rangeNotSatisfiable, isHead: isHead, closesConnection: close,
        fields: [("Content-Range", "bytes */\(file.byteCount)")])
      return
    }
    self.init(.ok, fields, isHead ? [] : try file.parts(range), isHead: isHead, closesConnection: close)
  }

  /// What every answer has: nobody is to guess types, or to learn where a viewer comes from.
  private static let always = [
    ("Server", "movtool"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
  ]

  /// Whether a list of tags has this one; weak ones count (RFC 9110, 13.1.2).
  private static func matches(_ tags: String, _ tag: String) -> Bool {
    tags.split(separator: ",").contains { part in
      let name = part.drop { $0 == " " }
      let strong = name.hasPrefix("W/") ? name.dropFirst(2) : name
      return name == "*" || strong.prefix { $0 != " " } == tag
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
  /// The bytes of a range that lies in the file.
  let parts: @Sendable (ByteRange) throws -> [HTTPResponse.Part]

  /// The tag of the file in gzip: a client that has it so has other bytes.
  var compressedTag: String { entityTag.dropLast() + "-gzip\"" }

  /// A text that is held in memory.
  init(_ bytes: [UInt8], type: String) {
    let deflated = GzipStream.deflate(bytes)
    compressed = deflated.count < bytes.count ? Bytes(deflated) : nil
    let all = Bytes(bytes)
    contentType = type
    entityTag = "\"" + Markup.base64(SHA256.hash(bytes).prefix(12)) + "\""
    byteCount = UInt64(all.count)
    parts = { range in
      guard let offset = Int(exactly: range.offset), let count = Int(exactly: range.count),
        let part = all.slice(at: offset, count: count)
      else { return [] }
      return [.bytes(part)]
    }
  }

  /// A file of a presentation.
  init?(_ path: String, of plan: StreamPlan, from source: any RandomAccessSource) throws(MovieError) {
    guard let whole = try plan.response(path) else { return nil }
    contentType = whole.contentType
    entityTag = whole.entityTag
    byteCount = whole.byteCount
    let identity = plan.source
    parts = { range in
      guard try source.identity() == identity else { throw Self.changed }
      let extents = try plan.response(path, range: range)?.extents ?? []
      return extents.map { extent -> HTTPResponse.Part in
        switch extent.content {
        case .generated(let bytes): return .bytes(bytes)
        case .source(let range): return .source(source, range)
        case .zeros(let count): return .bytes(Bytes([UInt8](repeating: 0, count: Int(clamping: count))))
        }
      }
    }
  }

  private static var changed: MovieError {
    MovieError(.sourceChanged, "the movie has changed since it was read")
  }

  /// A file that a source has.
  init(_ source: any RandomAccessSource, _ identity: SourceIdentity, type: String) {
    contentType = type
    let name = "\(identity.byteCount) \(identity.tag)"
    entityTag = "\"" + Markup.base64(SHA256.hash(Array(name.utf8)).prefix(12)) + "\""
    byteCount = identity.byteCount
    parts = { range in
      guard try source.identity() == identity else { throw Self.changed }
      return [.source(source, range)]
    }
  }
}
