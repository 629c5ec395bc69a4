import MovieBox
import MovieWriter
import TestSupport
import Testing

@testable import MovieStreaming

@Suite("pages of other origins")
struct AllowedOriginsTests {
  private func site(_ origins: String...) throws -> MovieSite {
    var site = MovieSite()
    let source = MemorySource(Bytes([UInt8](repeating: 7, count: 200)))
    site.add(source, source.identity(), at: "/1/movie.mp4", hasPicture: true)
    site.allowedOrigins = AllowedOrigins(try origins.map { try #require(AllowedOrigins.Origin($0)) })
    return site
  }

  private func head(_ method: String, _ site: MovieSite, _ fields: String...) throws -> String {
    let text = (["\(method) /1/movie.mp4 HTTP/1.1", "Host: a"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
    return String(
      decoding: site.response(to: try HTTPRequest(Array(text.utf8)[...])).head(on: "now"), as: UTF8.self)
  }

  private let other = "https://player.example"

  @Test func allowsAnAllowedOriginToReadFilesAndHeaders() throws {
    let answer = try head("GET", site(other, "http://localhost:3000"), "Origin: \(other)", "Range: bytes=0-1")
    #expect(answer.hasPrefix("HTTP/1.1 206 "))
    #expect(answer.contains("\r\nAccess-Control-Allow-Origin: \(other)\r\n"))
    #expect(answer.contains("\r\nAccess-Control-Expose-Headers: Accept-Ranges, Content-Range, Date, ETag\r\n"))
    #expect(answer.contains("\r\nVary: Origin\r\n"))
    // Errors are readable too: otherwise a player would report a broken network.
    let missing = try head("GET", site(other), "Origin: \(other)", "Range: bytes=900-")
    #expect(missing.hasPrefix("HTTP/1.1 416 ") && missing.contains("Access-Control-Allow-Origin: \(other)\r\n"))
  }

  @Test(arguments: [
    "https://evil.example", "http://player.example", "https://player.example:8443",
    "https://player.example.evil.example",
    "null", "*", "", "HTTPS://PLAYER.EXAMPLE",
  ])
  func deniesOriginsThatAreNotAllowed(origin: String) throws {
    for method in ["GET", "HEAD", "OPTIONS"] {
      let answer = try head(method, site(other), "Origin: \(origin)")
      #expect(!answer.contains("Access-Control-") && answer.contains("\r\nVary: Origin\r\n"))
    }
    #expect(try !head("GET", site(other)).contains("Access-Control-"))
  }

  @Test func answersPreflightRequests() throws {
    let answer = try head(
      "OPTIONS", site(other), "Origin: \(other)", "Access-Control-Request-Method: GET",
      "Access-Control-Request-Headers: range", "Access-Control-Request-Private-Network: true")
    #expect(answer.hasPrefix("HTTP/1.1 204 No Content\r\n"))
    for line in [
      "Allow: GET, HEAD, OPTIONS", "Access-Control-Allow-Origin: \(other)",
      "Access-Control-Allow-Methods: GET, HEAD, OPTIONS",
      "Access-Control-Allow-Headers: Range, If-Match, If-None-Match, If-Range", "Access-Control-Max-Age: 86400",
      "Access-Control-Allow-Private-Network: true", "Connection: keep-alive",
    ] {
      #expect(answer.contains("\r\n\(line)\r\n"), "\(line)")
    }
    #expect(!answer.contains("Content-Length"))
    #expect(try head("OPTIONS", site(other)).hasPrefix("HTTP/1.1 204 "))
    #expect(try head("PUT", site(other), "Origin: \(other)").contains("\r\nAllow: GET, HEAD, OPTIONS\r\n"))
  }

  @Test func sharesNothingWithoutAllowedOrigins() throws {
    let answer = try head("GET", site(), "Origin: \(other)")
    #expect(!answer.contains("Access-Control-") && !answer.contains("Vary: Origin"))
    #expect(try head("OPTIONS", site(), "Origin: \(other)").hasPrefix("HTTP/1.1 405 "))
  }

  @Test(arguments: [
    ("https://player.example", "https://player.example"), ("HTTP://Localhost:3000/", "http://localhost:3000"),
    ("https://a.example:443", "https://a.example"), ("http://a.example:80", "http://a.example"),
    ("http://a.example:443", "http://a.example:443"), ("http://[::1]:8080", "http://[::1]:8080"),
    ("http://192.168.1.5", "http://192.168.1.5"),
  ])
  func normalizesOrigins(text: String, origin: String) {
    #expect(AllowedOrigins.Origin(text)?.description == origin)
  }

  @Test(arguments: [
    "", "*", "null", "player.example", "//player.example", "https://", "https:///", "ftp://a.example",
    "https://a.example/x",
    "https://a.example//", "https://user@a.example", "https://a.example:99999", "https://a.example?x",
    "https://a example",
    "https://a.example\r\nX: y", "https://ä.example", "https://*.example", "file:///tmp",
  ])
  func rejectsInvalidOrigins(text: String) {
    #expect(AllowedOrigins.Origin(text) == nil)
  }
}
