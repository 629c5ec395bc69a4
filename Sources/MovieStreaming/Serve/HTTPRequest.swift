import MovieBox

/// A request of HTTP/1.1 (RFC 9112), with the fields that a file server needs.
///
/// Parsing is strict. A malformed, ambiguous or oversized request throws a ``Refusal`` with the status of the response.
package struct HTTPRequest: Equatable, Sendable {
  /// An error in a request, with the status of the response.
  struct Refusal: Error, Equatable, Sendable {
    let status: HTTPStatus
  }

  /// The method. The server rejects all methods except `GET`, `HEAD` and, for allowed origins, `OPTIONS`.
  package let method: String
  /// The requested host and port, from the target or else from `Host` (RFC 9112, 3.2.2), or `nil` if both lack them.
  let authority: String?
  /// The decoded path, which starts with `/`.
  let path: String
  /// The field values by lower-case name. Values of repeated fields are joined by commas.
  let fields: [String: String]
  /// Whether the client wants to keep the connection open.
  let keepsConnection: Bool

  /// The maximum size of the request line and the fields.
  static let byteLimit = 16 << 10
  /// The maximum number of fields.
  static let fieldLimit = 100

  /// Whether the request line alone exceeds ``byteLimit``.
  static func isLineTooLong(in bytes: [UInt8]) -> Bool { !bytes.prefix(byteLimit).contains(UInt8(ascii: "\n")) }

  /// Parses a request line and fields, including the empty line after them.
  init(_ bytes: ArraySlice<UInt8>) throws(Refusal) {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Refusal(status: .badRequest) }
    var lines = Self.lines(of: text)
    guard lines.count >= 3, lines.suffix(2).allSatisfy(\.isEmpty) else { throw Refusal(status: .badRequest) }
    lines.removeLast(2)
    let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, Self.isToken(words[0]) else { throw Refusal(status: .badRequest) }
    guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
      throw Refusal(status: words[2].hasPrefix("HTTP/") ? .versionNotSupported : .badRequest)
    }
    let fields = try Self.fields(lines.dropFirst())
    let isCurrent = words[2] == "HTTP/1.1"
    // Reject a request without a host, because HTTP/1.1 requires one (RFC 9112, 3.2).
    guard !isCurrent || fields["host"] != nil else { throw Refusal(status: .badRequest) }
    // Only requests that change a resource have a body, and the server does not support such changes.
    guard fields["transfer-encoding"] == nil, fields["content-length"] ?? "0" == "0" else {
      throw Refusal(status: .contentTooLarge)
    }
    method = String(words[0])
    let target = try Self.target(words[1])
    path = target.path
    authority = target.authority ?? fields["host"]
    // User information is not allowed in an HTTP URI (RFC 9110, 4.2.4), and might be mistaken for the host.
    guard authority?.utf8.contains(UInt8(ascii: "@")) != true else { throw Refusal(status: .badRequest) }
    self.fields = fields
    let options = (fields["connection"] ?? "").lowercased().split(separator: ",").map(\.trimmingBlanks)
    keepsConnection = isCurrent ? !options.contains("close") : options.contains("keep-alive")
  }

  /// Splits the lines. CR LF is one character in Swift.
  private static func lines(of text: String) -> [Substring] {
    text.split(separator: "\r\n", omittingEmptySubsequences: false)
  }

  private static func fields(_ lines: ArraySlice<Substring>) throws(Refusal) -> [String: String] {
    guard lines.count <= fieldLimit else { throw Refusal(status: .fieldsTooLarge) }
    var fields: [String: String] = [:]
    for line in lines {
      // A line that starts with a space would continue the previous line. This form is obsolete (RFC 9112, 5.2).
      guard let colon = line.firstIndex(of: ":"), isToken(line[..<colon]) else { throw Refusal(status: .badRequest) }
      let name = line[..<colon].lowercased()
      let value = String(line[line.index(after: colon)...].trimmingBlanks)
      guard !value.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F }) else {
        throw Refusal(status: .badRequest)
      }
      if let other = fields[name] {
        guard name != "host", name != "content-length" else { throw Refusal(status: .badRequest) }
        fields[name] = other + ", " + value
      } else {
        fields[name] = value
      }
    }
    return fields
  }

  /// Splits a target such as `/film/main.m3u8?x` or `http://host/film`. Only the latter form has an authority.
  private static func target(_ target: Substring) throws(Refusal) -> (authority: String?, path: String) {
    var rest = target.utf8
    var authority: String?
    if target.prefix("http://".count).lowercased() == "http://" {
      rest = rest.dropFirst("http://".utf8.count)
      let name = rest.prefix { !"/?#".utf8.contains($0) }
      guard !name.isEmpty else { throw Refusal(status: .badRequest) }
      authority = String(Substring(name))
      rest = rest[name.endIndex...]
    }
    let text = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    if authority != nil, text.isEmpty { return (authority, "/") }
    guard text.first == UInt8(ascii: "/"), text.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
      let bytes = PercentEncoding.decoded(text), !bytes.contains(0), let path = String(validating: bytes, as: UTF8.self)
    else { throw Refusal(status: .badRequest) }
    return (authority, path)
  }

  /// Whether the text is a token (RFC 9110, 5.6.2).
  private static func isToken(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}

extension Substring {
  /// The text without spaces and tabs at its ends (`OWS` of RFC 9110, 5.6.3).
  var trimmingBlanks: Substring {
    let front = drop { $0 == " " || $0 == "\t" }
    return front.lastIndex { $0 != " " && $0 != "\t" }.map { front[...$0] } ?? ""
  }
}

/// The status codes that the server sends (RFC 9110, 15).
enum HTTPStatus: Int, Sendable {
  case ok = 200
  case noContent = 204
  case partialContent = 206
  case notModified = 304
  case badRequest = 400
  case notFound = 404
  case methodNotAllowed = 405
  case requestTimeout = 408
  case preconditionFailed = 412
  case contentTooLarge = 413
  case targetTooLong = 414
  case rangeNotSatisfiable = 416
  case misdirected = 421
  case fieldsTooLarge = 431
  case internalError = 500
  case unavailable = 503
  case versionNotSupported = 505

  /// The reason phrase.
  var reason: String {
    switch self {
    case .ok: "OK"
    case .noContent: "No Content"
    case .partialContent: "Partial Content"
    case .notModified: "Not Modified"
    case .badRequest: "Bad Request"
    case .notFound: "Not Found"
    case .methodNotAllowed: "Method Not Allowed"
    case .requestTimeout: "Request Timeout"
    case .preconditionFailed: "Precondition Failed"
    case .contentTooLarge: "Content Too Large"
    case .targetTooLong: "URI Too Long"
    case .rangeNotSatisfiable: "Range Not Satisfiable"
    case .misdirected: "Misdirected Request"
    case .fieldsTooLarge: "Request Header Fields Too Large"
    case .internalError: "Internal Server Error"
    case .unavailable: "Service Unavailable"
    case .versionNotSupported: "HTTP Version Not Supported"
    }
  }
}

/// The received requests that have no response yet, and the end of the first request.
///
/// The search for that end resumes where it stopped, so each byte is searched once. Otherwise, a client that sends a
/// request byte by byte would make the server search all of the request's bytes repeatedly.
struct RequestBuffer {
  /// The received bytes. Empty lines before a request, which some clients send, are removed (RFC 9112, 2.2).
  private(set) var bytes: [UInt8] = []
  /// The end of the first request, after its empty line, or `nil` if the request is incomplete.
  private(set) var requestEnd: Int?
  /// The number of bytes in which the search has found no end of a request.
  private var searchedCount = 0
  /// The number of positions searched since the buffer was created.
  private(set) var searchCost = 0

  private static let emptyLine: [UInt8] = [13, 10]

  var isEmpty: Bool { bytes.isEmpty }

  /// Appends received bytes.
  mutating func append(_ more: [UInt8]) {
    bytes += more
    skipEmptyLines()
    search()
  }

  /// Removes the first `count` bytes, such as the bytes of the first request.
  mutating func removeFirst(_ count: Int) {
    bytes.removeFirst(min(count, bytes.count))
    (requestEnd, searchedCount) = (nil, 0)
    skipEmptyLines()
    search()
  }

  /// Removes all bytes.
  mutating func removeAll() {
    (bytes, requestEnd, searchedCount) = ([], nil, 0)
  }

  private mutating func skipEmptyLines() {
    guard searchedCount == 0, requestEnd == nil else { return }
    var start = 0
    while bytes[start...].starts(with: Self.emptyLine) { start += 2 }
    if start > 0 { bytes.removeFirst(start) }
  }

  private mutating func search() {
    guard requestEnd == nil else { return }
    while searchedCount + 4 <= bytes.count {
      let start = searchedCount
      searchedCount += 1
      searchCost += 1
      guard bytes[start] == 13, bytes[start + 1] == 10, bytes[start + 2] == 13, bytes[start + 3] == 10 else { continue }
      requestEnd = start + 4
      return
    }
  }
}
