/// The host names by which clients may reach the service.
///
/// A page of another site can make its own host name refer to this machine (DNS rebinding). The browser would then let
/// that page read all served files. Requests for other host names are therefore rejected.
struct TrustedHosts {
  private let names: Set<String>

  /// Creates a list of host names and addresses, without ports.
  init(_ names: some Sequence<String>) {
    self.names = Set(names.map { $0.lowercased() })
  }

  /// Whether a value of `Host` is one of the names, with any port. Requests without `Host` (HTTP/1.0) are accepted,
  /// because browsers always send it.
  func contains(_ host: String?) -> Bool {
    guard let host else { return true }
    return names.contains(host.prefix { $0 != ":" }.lowercased())
  }
}
