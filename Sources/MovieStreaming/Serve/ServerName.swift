import Subtitles

/// A host and a port, as requests and origins have them: `localhost:8080`, `[::1]:80`.
struct ServerName {
  /// The kinds of hosts.
  private enum Kind {
    case name
    case addressOfVersion4
    case addressOfVersion6
  }

  /// The host in small letters; an address of version 6 has its brackets.
  let host: String
  /// The port, or `nil` if the text has none.
  let port: UInt16?
  private let kind: Kind?

  /// Whether the text is a host, with or without a port, and nothing else.
  var isValid: Bool { kind != nil }

  /// Parses a text.
  init(_ text: String) {
    let lower = text.lowercased()
    // The brackets are part of the host, and colons within them are not before a port.
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
    if host.hasPrefix("[") { return isAddressOfVersion6(host) ? .addressOfVersion6 : nil }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    let isNumeric = { (label: Substring) in !label.isEmpty && label.utf8.allSatisfy(Ascii.isDigit) }
    if labels.count == 4, labels.allSatisfy(isNumeric) {
      return labels.allSatisfy { $0.utf8.count <= 3 && UInt8($0) != nil } ? .addressOfVersion4 : nil
    }
    let isName = labels.allSatisfy { label in
      !label.isEmpty && label.utf8.allSatisfy { Ascii.isDigit($0) || $0 == 0x2D || $0 == 0x5F || isSmallLetter($0) }
    }
    return isName ? .name : nil
  }

  private static func isSmallLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

  /// Whether a text is brackets around an address of version 6 (RFC 4291, 2.2), without a zone.
  private static func isAddressOfVersion6(_ host: String) -> Bool {
    guard host.hasSuffix("]"), host.utf8.count <= 47 else { return false }
    let address = host.dropFirst().dropLast()
    guard address.utf8.contains(UInt8(ascii: ":")) else { return false }
    return address.utf8.allSatisfy { byte in
      Ascii.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) || ":.".utf8.contains(byte)
    }
  }

  /// Whether nobody elsewhere can have made the name lead to this server: a page elsewhere must get nothing.
  ///
  /// Such names are addresses, and names that no public server gives out: `localhost`, single words, and names below
  /// `local` (RFC 6762), `home.arpa` (RFC 8375), `internal` and `lan`. A server that only this machine reaches trusts
  /// its own addresses and names alone.
  func isTrusted(onlyThisMachine: Bool) -> Bool {
    switch kind {
    case nil: return false
    case .addressOfVersion6: return !onlyThisMachine || host == "[::1]"
    case .addressOfVersion4: return !onlyThisMachine || host.hasPrefix("127.")
    case .name:
      if host == "localhost" || host.hasSuffix(".localhost") { return true }
      if onlyThisMachine { return false }
      return !host.contains(".") || [".local", ".home.arpa", ".internal", ".lan"].contains { host.hasSuffix($0) }
    }
  }
}

/// The origins whose pages may read the files of a site, by Cross-Origin Resource Sharing (Fetch Standard, 3.2).
///
/// A browser keeps what a server sends from pages of other origins, unless the server names the origin. A player page
/// elsewhere thus reads playlists and segments if its origin is here. Without origins the site has no such fields, and
/// knows no `OPTIONS`.
package struct AllowedOrigins: Sendable {
  /// An origin such as `https://example.org:8443`, written as browsers write it.
  package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// The origin of an address, or `nil` if the text is more or less than a scheme, a host and a port.
    ///
    /// The scheme is `http` or `https`. Letters become small, and the port of the scheme is left out. A slash at the end
    /// is ignored.
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

  /// The origins that may read the files; none unless some are named.
  package init(_ origins: [Origin] = []) {
    self.origins = Set(origins.map(\.description))
  }

  /// The value of `Allow`.
  var methods: String { origins.isEmpty ? "GET, HEAD" : "GET, HEAD, OPTIONS" }

  /// The fields that an answer has because of the origin of the request. Caches keep the answers to each origin apart.
  func fields(for request: HTTPRequest) -> [(name: String, value: String)] {
    guard !origins.isEmpty else { return [] }
    guard let origin = request.fields["origin"], origins.contains(origin) else { return [("Vary", "Origin")] }
    return [
      ("Vary", "Origin"), ("Access-Control-Allow-Origin", origin),
      ("Access-Control-Expose-Headers", "Accept-Ranges, Content-Range, Date, ETag"),
    ]
  }

  /// The answer to `OPTIONS`, or `nil` for a request of another method or a site without origins.
  ///
  /// It permits a page of an allowed origin to ask for ranges and on conditions.
  func options(for request: HTTPRequest) -> HTTPResponse? {
    guard request.method == "OPTIONS", !origins.isEmpty else { return nil }
    var fields = fields(for: request)
    if fields.count > 1 {
      fields.append(("Access-Control-Allow-Methods", methods))
      fields.append(("Access-Control-Allow-Headers", "Range, If-Match, If-None-Match, If-Range"))
      fields.append(("Access-Control-Max-Age", "86400"))
      // A page of a public address asks for a private one, in browsers with Private Network Access.
      if request.fields["access-control-request-private-network"] == "true" {
        fields.append(("Access-Control-Allow-Private-Network", "true"))
      }
    }
    fields.append(("Allow", methods))
    return HTTPResponse(optionsWith: fields, closesConnection: !request.keepsConnection)
  }
}
