import Subtitles

/// A host with an optional port, as in the fields of requests: `localhost:8080`, `[::1]:80`.
struct ServerName {
  /// The kinds of hosts.
  private enum Kind {
    case name
    case ipv4Address
    case ipv6Address
  }

  /// The host in lower case. An IPv6 address includes its brackets.
  let host: String
  /// The port, or `nil` if the text has none.
  let port: UInt16?
  private let kind: Kind?

  /// Whether the text is a host with an optional port, and nothing else.
  var isValid: Bool { kind != nil }

  /// Parses a text.
  init(_ text: String) {
    let lower = text.lowercased()
    // The brackets of an IPv6 address are part of the host. Colons between the brackets do not start a port.
    let end =
      lower.hasPrefix("[")
      ? lower.firstIndex(of: "]").map { lower.index(after: $0) } ?? lower.endIndex
      : lower.firstIndex(of: ":") ?? lower.endIndex
    host = String(lower[..<end])
    let rest = lower[end...]
    let digits = rest.dropFirst()
    let isPort = rest.first == ":" && digits.utf8.count <= 5 && digits.utf8.allSatisfy(Ascii.isDigit)
    port = isPort ? UInt16(digits) : nil
    // A colon without a port is allowed (RFC 3986, 3.2.3).
    let hasValidEnd = rest.isEmpty || isPort && (digits.isEmpty || port != nil)
    kind = hasValidEnd ? Self.kind(of: host) : nil
  }

  private static func kind(of host: String) -> Kind? {
    if host.hasPrefix("[") { return isIPv6Address(host) ? .ipv6Address : nil }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    let isNumeric = { (label: Substring) in !label.isEmpty && label.utf8.allSatisfy(Ascii.isDigit) }
    if labels.count == 4, labels.allSatisfy(isNumeric) {
      return labels.allSatisfy { $0.utf8.count <= 3 && UInt8($0) != nil } ? .ipv4Address : nil
    }
    let isName = labels.allSatisfy { label in
      !label.isEmpty && label.utf8.allSatisfy { Ascii.isDigit($0) || $0 == 0x2D || $0 == 0x5F || isLowercaseLetter($0) }
    }
    return isName ? .name : nil
  }

  private static func isLowercaseLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  /// Whether a text is an IPv6 address (RFC 4291, 2.2) in brackets, without a zone.
  private static func isIPv6Address(_ host: String) -> Bool {
    guard host.hasSuffix("]"), host.utf8.count <= 47 else { return false }
    let address = host.dropFirst().dropLast()
    guard address.utf8.contains(UInt8(ascii: ":")) else { return false }
    return address.utf8.allSatisfy { byte in
      Ascii.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) || ":.".utf8.contains(byte)
    }
  }

  /// Whether requests for this host are accepted. An attacker can make a public name point to this server (DNS
  /// rebinding). A page of another site could then read the files of this server, so public names are not trusted.
  ///
  /// Trusted names are addresses, `localhost`, single words, and names in `local` (RFC 6762), `home.arpa` (RFC 8375),
  /// `internal` and `lan`, which no public name server resolves. A server that is reachable only from this machine
  /// trusts only its loopback addresses and names.
  func isTrusted(onlyThisMachine: Bool) -> Bool {
    switch kind {
    case nil: return false
    case .ipv6Address: return !onlyThisMachine || host == "[::1]"
    case .ipv4Address: return !onlyThisMachine || host.hasPrefix("127.")
    case .name:
      if host == "localhost" || host.hasSuffix(".localhost") { return true }
      if onlyThisMachine { return false }
      return !host.contains(".") || [".local", ".home.arpa", ".internal", ".lan"].contains { host.hasSuffix($0) }
    }
  }
}

/// The origins of other sites whose pages may read the files of this site (Cross-Origin Resource Sharing; Fetch
/// Standard, 3.2).
///
/// A browser passes a response to a page of another origin only if the response lists that origin. So a player on
/// another site can read playlists and segments if its origin is listed here. If the list is empty, responses list no
/// origins and `OPTIONS` is not supported.
package struct AllowedOrigins: Sendable {
  /// An origin such as `https://example.org:8443`, normalized as browsers do.
  package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// Parses an origin, or returns `nil` if the text is not exactly a scheme, a host and a port.
    ///
    /// The scheme must be `http` or `https`. Letters are converted to lower case, and a default port and a trailing
    /// slash are removed.
    package init?(_ text: String) {
      let lower = (text.hasSuffix("/") ? String(text.dropLast()) : text).lowercased()
      guard let scheme = ["http", "https"].first(where: { lower.hasPrefix($0 + "://") }) else { return nil }
      let name = ServerName(String(lower.dropFirst(scheme.count + "://".count)))
      guard name.isValid else { return nil }
      let usualPort: UInt16 = scheme == "http" ? 80 : 443
      let port = name.port.map { $0 == usualPort ? "" : ":\($0)" } ?? ""
      description = scheme + "://" + name.host + port
    }
  }

  private let origins: Set<String>

  /// Creates a list of origins. The default is an empty list.
  package init(_ origins: [Origin] = []) {
    self.origins = Set(origins.map(\.description))
  }

  /// The value of `Allow`.
  var methods: String { origins.isEmpty ? "GET, HEAD" : "GET, HEAD, OPTIONS" }

  /// Returns the fields that depend on the origin of the request. `Vary` makes caches store the responses by origin.
  func fields(for request: HTTPRequest) -> [(name: String, value: String)] {
    guard !origins.isEmpty else { return [] }
    guard let origin = request.fields["origin"], origins.contains(origin) else { return [("Vary", "Origin")] }
    return [
      ("Vary", "Origin"), ("Access-Control-Allow-Origin", origin),
      ("Access-Control-Expose-Headers", "Accept-Ranges, Content-Range, Date, ETag"),
    ]
  }

  /// Returns the response to `OPTIONS`, or `nil` for another method or a site without origins.
  ///
  /// Allows pages of the listed origins to request ranges and to send conditional requests.
  func options(for request: HTTPRequest) -> HTTPResponse? {
    guard request.method == "OPTIONS", !origins.isEmpty else { return nil }
    var fields = fields(for: request)
    if fields.count > 1 {
      fields.append(("Access-Control-Allow-Methods", methods))
      fields.append(("Access-Control-Allow-Headers", "Range, If-Match, If-None-Match, If-Range"))
      fields.append(("Access-Control-Max-Age", "86400"))
      // With Private Network Access, browsers ask the server for permission before a public page may access a private
      // address.
      if request.fields["access-control-request-private-network"] == "true" {
        fields.append(("Access-Control-Allow-Private-Network", "true"))
      }
    }
    fields.append(("Allow", methods))
    return HTTPResponse(optionsWith: fields, closesConnection: !request.keepsConnection)
  }
}
