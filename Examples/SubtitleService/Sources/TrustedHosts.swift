/// The names by which clients call the service.
///
/// A page elsewhere can have a name of its own lead to this machine (DNS rebinding), and a browser would let it read what is
/// served here: whoever calls the service by another name gets nothing.
struct TrustedHosts {
  private let names: Set<String>

  /// Names and addresses, without ports.
  init(_ names: some Sequence<String>) {
    self.names = Set(names.map { $0.lowercased() })
  }

  /// Whether a value of `Host` has one of the names, on whichever port. What sends none (HTTP/1.0) is not a browser.
  func contains(_ host: String?) -> Bool {
    guard let host else { return true }
    return names.contains(host.prefix { $0 != ":" }.lowercased())
  }
}
