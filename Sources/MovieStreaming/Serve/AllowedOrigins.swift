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
