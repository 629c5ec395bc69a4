import Testing

@testable import MovieStreaming

@Suite("names of the server in requests")
struct ServerNameTests {
  /// Returns whether a local server trusts the name, and whether a server in a network does.
  private func trust(_ host: String) -> [Bool] {
    [true, false].map { ServerName(host).isTrusted(onlyThisMachine: $0) }
  }

  @Test(arguments: [
    "localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.255.255.255", "[::1]:80", "[::1]", "a.localhost", "localhost:",
    "127.0.0.1:65535",
  ])
  func trustsNamesOfThisMachine(host: String) {
    #expect(trust(host) == [true, true])
  }

  @Test(arguments: [
    "192.168.1.5", "10.0.0.1:8080", "[fe80::1]:80", "[::ffff:10.0.0.1]", "mac", "mac.local", "nas.lan:1", "a.home.arpa",
    "[::2]",
  ])
  func trustsUnregistrableNamesInANetwork(host: String) {
    #expect(trust(host) == [false, true])
  }

  @Test(arguments: [
    "evil.example", "127.evil.example", "localhost.evil.example", "", "1.2.3.4.evil.example", "local.example",
    "1.2.3.a",
    "1..2.3", "1.2.3.4444", "1.2.3.256", ".local", "localhost.",
  ])
  func rejectsUntrustedHostNames(host: String) {
    #expect(trust(host) == [false, false])
  }

  /// An IPv6 address ends at its bracket, and a port at the end of the text.
  @Test(arguments: [
    "[::1].evil.com", "[::1].evil.com:80", "[::1]evil", "[::1]:80.evil.com", "[::1]:80:90", "[::1", "[", "[]", "[:",
    "::1",
    "[evil.com]", "[::1%eth0]", "[::g]", "[1]", "[::1]]", "localhost:80.evil.com", "localhost:80:evil", "localhost:x",
    "localhost:65536", "localhost:-1", "localhost:1 ", "127.0.0.1:80x", "127.0.0.1]", "local host", "mac/evil",
    "[::1]\u{301}",
  ])
  func distrustsNamesWithExtraText(host: String) {
    #expect(trust(host) == [false, false])
    #expect(!ServerName(host).isValid)
  }

  @Test func separatesHostAndPort() {
    let address = ServerName("[FE80::1]:8080")
    #expect(address.host == "[fe80::1]" && address.port == 8080)
    #expect(ServerName("Example.Org").port == nil)
    #expect(ServerName("example.org:").isValid && ServerName("example.org:").port == nil)
  }
}
