import MovieBox
import MovieWriter

/// What answers a request: the fields before the body, and where the body's bytes are. Nothing of it is read yet.
package struct HTTPResponse: Sendable {
  let status: HTTPStatus
  private var fields: [(name: String, value: String)]
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

  /// The answer to a request for the options of the server, such as the request that a browser sends before a page of
  /// another origin may set fields.
  init(optionsWith fields: [(name: String, value: String)], closesConnection: Bool) {
    self.init(.noContent, fields, HTTPBody(), isHead: true, closesConnection: closesConnection)
  }

  /// The response with more fields.
  func adding(_ more: [(name: String, value: String)]) -> HTTPResponse {
    var copy = self
    copy.fields += more
    return copy
  }

  /// A file, or what a request asks of it: conditions in the order of RFC 9110, 13.2.2. Ranges are those of the file as
  /// it is; whoever asks for one gets it so. Throws where the movie has changed that the file is made of.
  init(_ file: ServedFile, to request: HTTPRequest) throws {
    try file.check()
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
    let part = RequestedPart(
      of: file.byteCount, entityTag: entityTag, otherTags: [file.entityTag, file.compressedTag],
      method: request.method
    ) { request.fields[$0] }
    if part != .notModified { fields.append(("Content-Type", file.contentType)) }
    let body: HTTPBody
    switch part {
    case .preconditionFailed:
      self.init(.preconditionFailed, isHead: isHead, closesConnection: close)
      return
    case .notModified:
      self.init(.notModified, fields, HTTPBody(), isHead: true, closesConnection: close)
      return
    case .whole:
      if compressed != nil { fields.append(("Content-Encoding", "gzip")) }
      body = compressed.map { HTTPBody($0) } ?? file.body(ByteRange(0..<file.byteCount))
    case .part(let range):
      fields.append(("Content-Range", "bytes \(range.offset)-\(range.end - 1)/\(file.byteCount)"))
      body = file.body(range)
    case .notSatisfiable:
      self.init(
        .rangeNotSatisfiable, isHead: isHead, closesConnection: close,
        fields: [("Content-Range", "bytes */\(file.byteCount)")])
      return
    }
    fields.append(("Content-Length", "\(body.byteCount)"))
    let status: HTTPStatus = if case .part = part { .partialContent } else { .ok }
    self.init(status, fields, body, isHead: isHead, closesConnection: close)
  }

  /// What every answer has: nobody is to guess types, or to learn where a viewer comes from.
  private static let always = [
    (name: "Server", value: "movtool"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
  ]
}
