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
