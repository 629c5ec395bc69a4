import MovieBox
import MovieWriter

/// What answers a request: the fields before the body, and where the body's bytes are. Nothing of it is read yet.
package struct HTTPResponse: Sendable {
  let status: HTTPStatus
  private let fields: [(name: String, value: String)]
  /// The body.
  let body: HTTPBody
  /// Whether the connection ends with it.
  let closesConnection: Bool

  private init(
    _ status: HTTPStatus, _ fields: [(name: String, value: String)], _ body: HTTPBody, isHead: Bool,
    closesConnection: Bool
  ) {
    self.status = status
    self.fields = fields + Self.always + [("Connection", closesConnection ? "close" : "keep-alive")]
    self.body = isHead ? HTTPBody() : body
    self.closesConnection = closesConnection
  }

  /// The status line, the fields and the empty line; `date` is the value of `Date`.
  func head(on date: String) -> [UInt8] {
    var text = "HTTP/1.1 \(status.rawValue) \(status.reason)\r\nDate: \(date)\r\n"
    for (name, value) in fields { text += name + ": " + value + "\r\n" }
    return Array((text + "\r\n").utf8)
  }

  /// A status, in words as its body.
  init(
    _ status: HTTPStatus, isHead: Bool = false, closesConnection: Bool, fields: [(name: String, value: String)] = []
  ) {
    let body = Bytes(Array("\(status.rawValue) \(status.reason)\n".utf8))
    self.init(
      status, [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", "\(body.count)")] + fields,
      HTTPBody(body), isHead: isHead, closesConnection: closesConnection)
  }

  /// A file, or what a request asks of it: conditions in the order of RFC 9110, 13.2.2. Ranges are those of the file as
  /// it is; whoever asks for one gets it so.
  init(_ file: ServedFile, to request: HTTPRequest) throws {
    let close = !request.keepsConnection
    let isHead = request.method == "HEAD"
    // A range is for GET alone (RFC 9110, 14.2).
    let wanted = isHead ? nil : request.fields["range"]
    let coding = ContentCoding(acceptedBy: request.fields["accept-encoding"])
    let compressed = coding == .gzip && wanted == nil ? file.compressed : nil
    let entityTag = compressed == nil ? file.entityTag : file.compressedTag
    var fields = [(name: "ETag", value: entityTag), ("Cache-Control", "no-cache"), ("Accept-Ranges", "bytes")]
    if file.compressed != nil { fields.append(("Vary", "Accept-Encoding")) }
    if let policy = file.policy { fields.append(("Content-Security-Policy", policy)) }
    if let tags = request.fields["if-match"], !Self.lists(tags, [file.entityTag, file.compressedTag], isWeak: false) {
      self.init(.preconditionFailed, isHead: isHead, closesConnection: close)
      return
    }
    if let tags = request.fields["if-none-match"], Self.lists(tags, [entityTag], isWeak: true) {
      self.init(.notModified, fields, HTTPBody(), isHead: true, closesConnection: close)
      return
    }
    // Part of another version of the file would not fit what the client has.
    let isSame = request.fields["if-range"].map { $0 == entityTag } ?? true
    let range = RequestedRange(isSame ? wanted : nil, byteCount: file.byteCount)
    fields.append(("Content-Type", file.contentType))
    let body: HTTPBody
    switch (compressed, range) {
    case (let compressed?, _):
      fields.append(("Content-Encoding", "gzip"))
      body = HTTPBody(compressed)
    case (nil, .whole): body = try file.body(ByteRange(0..<file.byteCount))
    case (nil, .part(let part)):
      fields.append(("Content-Range", "bytes \(part.offset)-\(part.end - 1)/\(file.byteCount)"))
      body = try file.body(part)
    case (nil, .none):
      self.init(
        .rangeNotSatisfiable, isHead: isHead, closesConnection: close,
        fields: [("Content-Range", "bytes */\(file.byteCount)")])
      return
    }
    fields.append(("Content-Length", "\(body.byteCount)"))
    let status: HTTPStatus = if case .part = range { .partialContent } else { .ok }
    self.init(status, fields, body, isHead: isHead, closesConnection: close)
  }

  /// What every answer has: nobody is to guess types, or to learn where a viewer comes from.
  private static let always = [
    (name: "Server", value: "movtool"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
  ]

  /// Whether a list of tags has one of these, or is `*`; weak ones count where that is said (RFC 9110, 13.1).
  private static func lists(_ list: String, _ tags: [String], isWeak: Bool) -> Bool {
    list.split(separator: ",").contains { part in
      let name = part.trimmingBlanks
      return name == "*" || tags.contains(String(isWeak && name.hasPrefix("W/") ? name.dropFirst(2) : name))
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
  private let contents: [OutputPlan.Content]
  private let source: (movie: any RandomAccessSource, identity: SourceIdentity)?

  /// The tag of the file in gzip: a client that has it so has other bytes.
  var compressedTag: String { entityTag.dropLast() + "-gzip\"" }

  /// A text that is held in memory.
  init(_ bytes: [UInt8], type: String) {
    let deflated = GzipStream.deflate(bytes)
    compressed = deflated.count < bytes.count ? Bytes(deflated) : nil
    contentType = type
    entityTag = Self.tag(of: bytes)
    byteCount = UInt64(bytes.count)
    contents = [.generated(Bytes(bytes))]
    source = nil
  }

  /// A file of a presentation; `nil` for a path that it has not.
  ///
  /// Its bytes come from the movie and the path alone, so that their tag does: nothing is read or gone through.
  init?(_ path: String, of plan: StreamPlan, from movie: any RandomAccessSource) {
    guard let file = plan.file(path) else { return nil }
    contentType = file.contentType
    byteCount = file.byteCount
    contents = file.contents
    source = (movie, plan.source)
    let name = "\(path) \(file.byteCount) \(plan.source.byteCount) \(plan.source.tag) \(movtoolVersion)"
    entityTag = Self.tag(of: Array(name.utf8))
  }

  /// A file that a source has.
  init(_ movie: any RandomAccessSource, _ identity: SourceIdentity, type: String) {
    contentType = type
    entityTag = Self.tag(of: Array("\(identity.byteCount) \(identity.tag)".utf8))
    byteCount = identity.byteCount
    contents = [.source(ByteRange(0..<identity.byteCount))]
    source = (movie, identity)
  }

  private static func tag(of bytes: [UInt8]) -> String {
    "\"" + Markup.base64(SHA256.hash(bytes).prefix(12)) + "\""
  }

  /// The bytes of a range that lies in the file. Throws where the movie has changed.
  func body(_ range: ByteRange) throws -> HTTPBody {
    if let source, try source.movie.identity() != source.identity { throw Self.changed }
    return HTTPBody(contents, from: source, range)
  }

  static var changed: MovieError {
    MovieError(.sourceChanged, "the movie has changed since it was read")
  }
}
