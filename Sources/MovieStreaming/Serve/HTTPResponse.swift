import MovieBox
import MovieWriter
import Subtitles

/// A response: its status and fields, and the location of its body. The body is read while it is sent.
package struct HTTPResponse: Sendable {
  let status: HTTPStatus
  private var fields: [(name: String, value: String)]
  let body: HTTPBody
  /// Whether the server closes the connection after the response.
  let closesConnection: Bool

  private init(
    _ status: HTTPStatus, _ fields: [(name: String, value: String)], _ body: HTTPBody, isHead: Bool,
    closesConnection: Bool
  ) {
    self.status = status
    self.fields = fields + Self.commonFields + [("Connection", closesConnection ? "close" : "keep-alive")]
    self.body = isHead ? HTTPBody() : body
    self.closesConnection = closesConnection
  }

  /// Returns the status line, the fields and the empty line. `date` is the value of `Date`.
  func head(on date: String) -> [UInt8] {
    var text = "HTTP/1.1 \(status.rawValue) \(status.reason)\r\nDate: \(date)\r\n"
    for (name, value) in fields { text += name + ": " + value + "\r\n" }
    return Array((text + "\r\n").utf8)
  }

  /// Creates a response with a status, and the reason phrase of the status as its body.
  init(
    _ status: HTTPStatus, isHead: Bool = false, closesConnection: Bool, fields: [(name: String, value: String)] = []
  ) {
    let body = Bytes(Array("\(status.rawValue) \(status.reason)\n".utf8))
    self.init(
      status, [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", "\(body.count)")] + fields,
      HTTPBody(body), isHead: isHead, closesConnection: closesConnection)
  }

  /// Creates the response to a request for options, such as a CORS preflight of a browser.
  init(optionsWith fields: [(name: String, value: String)], closesConnection: Bool) {
    self.init(.noContent, fields, HTTPBody(), isHead: true, closesConnection: closesConnection)
  }

  /// Returns the response with more fields.
  func adding(_ more: [(name: String, value: String)]) -> HTTPResponse {
    var copy = self
    copy.fields += more
    return copy
  }

  /// Creates the response with a file, or with the range of the file that the request selects.
  ///
  /// Evaluates conditions in the order of RFC 9110, 13.2.2. Ranges always select uncompressed bytes. Throws if the
  /// movie from which the file is made has changed.
  init(_ file: ServedFile, to request: HTTPRequest) throws {
    try file.check()
    let close = !request.keepsConnection
    let isHead = request.method == "HEAD"
    // Ranges are defined only for GET (RFC 9110, 14.2).
    let rangeField = isHead ? nil : request.fields["range"]
    let coding = ContentCoding(acceptedBy: request.fields["accept-encoding"])
    let compressedBytes = coding == .gzip && rangeField == nil ? file.compressedBytes : nil
    let entityTag = compressedBytes == nil ? file.entityTag : file.compressedTag
    var fields = [(name: "ETag", value: entityTag), ("Cache-Control", "no-cache"), ("Accept-Ranges", "bytes")]
    if file.compressedBytes != nil { fields.append(("Vary", "Accept-Encoding")) }
    if let policy = file.contentSecurityPolicy { fields.append(("Content-Security-Policy", policy)) }
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
      if compressedBytes != nil { fields.append(("Content-Encoding", "gzip")) }
      body = compressedBytes.map { HTTPBody($0) } ?? file.body(ByteRange(0..<file.byteCount))
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

  /// The fields of every response. They prevent browsers from guessing media types and from sending the address of the
  /// page to other sites.
  private static let commonFields = [
    (name: "Server", value: "movtool"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
  ]
}

/// The body of a response. It is read in pieces while the client accepts them, so that the memory for a client does not
/// depend on the size of the file.
struct HTTPBody: Sendable {
  private let contents: ArraySlice<OutputPlan.Content>
  /// The movie whose ranges the body contains, or `nil` if all bytes are generated.
  private let movie: ServedMovie?
  /// The index of the content that contains the next byte, and the number of bytes of this content that have already
  /// been read.
  private var index: Int
  private var sentByteCount: UInt64 = 0
  /// The number of remaining bytes.
  private(set) var byteCount: UInt64

  /// Creates the body from a range of bytes in `contents`.
  init(_ contents: ArraySlice<OutputPlan.Content>, of movie: ServedMovie? = nil, _ range: ByteRange) {
    self.contents = contents
    self.movie = movie
    byteCount = range.count
    index = contents.startIndex
    var before = range.offset
    while index < contents.endIndex, contents[index].byteCount <= before {
      before -= contents[index].byteCount
      index += 1
    }
    sentByteCount = before
  }

  /// Creates the body from bytes in memory.
  init(_ bytes: Bytes) {
    self.init([.generated(bytes)], ByteRange(0..<UInt64(bytes.count)))
  }

  /// Creates an empty body.
  init() { self.init(Bytes()) }

  /// Returns the next bytes, at most `limit`.
  ///
  /// Throws the errors of the source, and ``MovieError`` `.sourceChanged` if the movie has changed.
  mutating func next(atMost limit: Int) throws -> Bytes {
    let bytes = try readAdjacentRanges(limit)
    // The movie may change while it is read, so check it after the read.
    if bytes.count > 0 { try movie?.check() }
    return bytes
  }

  /// Reads the next bytes. Ranges that are close together are read with one call, because a segment may have thousands
  /// of samples.
  private mutating func readAdjacentRanges(_ limit: Int) throws -> Bytes {
    let piece = consumeContents(upTo: limit)
    // If the bytes consist of a single content, as they usually do, they are not copied.
    if let content = piece.first, piece.count == 1 { return try bytes(of: content) }
    var gathered: [UInt8] = []
    gathered.reserveCapacity(limit)
    let source: any RandomAccessSource = movie?.source ?? MemorySource(Bytes())
    try ConcatenatedExtents(piece[...]).forEach(of: source) { bytes, part in
      gathered += bytes.array[part]  // The only copy, as the bytes are the whole array.
    } other: { content in
      gathered += try bytes(of: content).array
    }
    return Bytes(gathered)
  }

  /// Removes at most `limit` bytes of contents from the start of the body, and returns these contents.
  private mutating func consumeContents(upTo limit: Int) -> [OutputPlan.Content] {
    var piece: [OutputPlan.Content] = []
    var remainingByteCount = min(byteCount, UInt64(clamping: limit))
    while remainingByteCount > 0, index < contents.endIndex {
      let content = contents[index]
      let count = min(content.byteCount - sentByteCount, remainingByteCount)
      if count > 0 { piece.append(content.cut(sentByteCount, count: count)) }
      remainingByteCount -= count
      byteCount -= count
      sentByteCount += count
      if sentByteCount == content.byteCount { (index, sentByteCount) = (index + 1, 0) }
    }
    return piece
  }

  private func bytes(of content: OutputPlan.Content) throws -> Bytes {
    switch content {
    case .generated(let bytes): bytes
    case .zeros(let count): Bytes([UInt8](repeating: 0, count: Int(clamping: count)))
    case .source(let range): try movie?.source.readExactly(range) ?? Bytes()
    }
  }
}

/// The content coding of a response (RFC 9110, 8.4).
enum ContentCoding: Sendable {
  case identity
  case gzip

  /// Creates the coding that the value of `Accept-Encoding` prefers, or `identity` if the value expresses no
  /// preference.
  init(acceptedBy field: String?) {
    var weights: [String: Double] = [:]
    for item in (field ?? "").split(separator: ",") {
      let parts = item.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmingBlanks.lowercased() }
      guard let name = parts.first, !name.isEmpty, let weight = Self.weight(parts.dropFirst()) else { continue }
      weights[name] = weight
    }
    let gzip = weights["gzip"] ?? weights["x-gzip"] ?? weights["*"] ?? 0
    // A content coding that `Accept-Encoding` does not mention is allowed but not preferred.
    self = gzip > 0 && gzip >= weights["identity"] ?? 0 ? .gzip : .identity
  }

  /// Parses `q=` and a number from 0 to 1 with at most three decimals.
  private static func weight(_ parameters: ArraySlice<String>) -> Double? {
    guard let parameter = parameters.first else { return 1 }
    guard parameters.count == 1, parameter.hasPrefix("q=") else { return nil }
    let digits = parameter.dropFirst("q=".count)
    guard digits.count <= 5, digits.utf8.allSatisfy({ $0 == 0x2E || Ascii.isDigit($0) }) else { return nil }
    return Double(digits).flatMap { $0 <= 1 ? $0 : nil }
  }
}

/// Dates in the format of HTTP (RFC 9110, 5.6.7).
enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Returns a date such as `Sun, 06 Nov 1994 08:49:37 GMT`. Times before 1970 are treated as its start.
  static func text(secondsSince1970: Int64) -> String {
    let seconds = max(0, secondsSince1970)
    let date = MetadataDate(secondsSince1970: seconds)
    let time = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60].map { $0.padded(to: 2) }.joined(separator: ":")
    // 1 January 1970 was a Thursday.
    let day = days[Int(seconds / 86_400 % 7)]
    return "\(day), \((date.day ?? 1).padded(to: 2)) \(months[(date.month ?? 1) - 1]) \(date.year) \(time) GMT"
  }
}
