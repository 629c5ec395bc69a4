import MovieBox
import MovieWriter
import Testing

@testable import MovieStreaming

@Suite("requests of HTTP")
struct HTTPRequestTests {
  static func request(_ lines: String...) throws -> HTTPRequest {
    try HTTPRequest(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)[...])
  }

  static func status(_ text: String) -> HTTPStatus? {
    do throws(HTTPRequest.Refusal) {
      _ = try HTTPRequest(Array(text.utf8)[...])
      return nil
    } catch {
      return error.status
    }
  }

  @Test func parsesRequestsOfBrowsers() throws {
    let request = try Self.request("GET /1/a%20b.mp4?x=1 HTTP/1.1", "Host: localhost:80", "Range: bytes=0-", "X: \t y ")
    #expect(request.method == "GET")
    #expect(request.path == "/1/a b.mp4")
    #expect(request.fields["range"] == "bytes=0-")
    #expect(request.fields["x"] == "y")
    #expect(request.keepsConnection)
  }

  /// The host of the target takes precedence over `Host` (RFC 9112, 3.2.2).
  @Test(arguments: [
    ("/a?http://b/", "localhost:80", "/a"), ("http://evil.example/a", "evil.example", "/a"),
    ("HTTP://evil.example:80", "evil.example:80", "/"), ("http://evil.example?a=/b", "evil.example", "/"),
    ("http://evil.example#/b", "evil.example", "/"), ("http://evil.example/\u{301}", "evil.example", "/\u{301}"),
    ("//evil.example/a", "localhost:80", "//evil.example/a"),
  ])
  func prefersTheHostOfTheTarget(target: String, authority: String, path: String) throws {
    let request = try Self.request("GET \(target) HTTP/1.1", "Host: localhost:80")
    #expect(request.authority == authority && request.path == path)
    #expect(try Self.request("GET \(target) HTTP/1.0").authority == (authority == "localhost:80" ? nil : authority))
  }

  @Test func closesTheConnectionOnRequest() throws {
    #expect(try !Self.request("GET / HTTP/1.1", "Host: a", "Connection: Close").keepsConnection)
    #expect(try !Self.request("GET / HTTP/1.0").keepsConnection)
    #expect(try Self.request("GET / HTTP/1.0", "Connection: keep-alive").keepsConnection)
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\n\r\n", HTTPStatus.badRequest),  // no host
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", .badRequest),
    ("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET a HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET http://localhost:80@b/ HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET / HTTP/1.1\r\nHost: localhost:80@b\r\n\r\n", .badRequest),
    ("GET http://b/a HTTP/1.1\r\n\r\n", .badRequest),
    ("GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET /% HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET /\u{1} HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", .versionNotSupported),
    ("GET /\r\nHost: a\r\n\r\n", .badRequest),
    ("\r\n\r\n", .badRequest),
    ("G\u{0}T / HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n", .contentTooLarge),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", .contentTooLarge),
  ])
  func rejectsInvalidRequests(text: String, status: HTTPStatus) {
    #expect(Self.status(text) == status)
  }

  @Test func rejectsTooManyFields() {
    let fields = (0..<101).map { "X\($0): y\r\n" }.joined()
    #expect(Self.status("GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n") == .fieldsTooLarge)
  }

  @Test func survivesAnyChangedByteOfARequest() {
    let bytes = Array("GET /a%20b HTTP/1.1\r\nHost: a\r\nRange: bytes=0-1\r\n\r\n".utf8)
    for index in bytes.indices {
      for value in UInt8.min...UInt8.max {
        var changed = bytes
        changed[index] = value
        do throws(HTTPRequest.Refusal) { _ = try HTTPRequest(changed[...]) } catch {}
      }
    }
  }

  @Test(arguments: [
    ("bytes=0-0", RequestedRange.part(ByteRange(0..<1))), ("bytes=0-", .part(ByteRange(0..<10))),
    ("bytes=3-99", .part(ByteRange(3..<10))), ("bytes=-4", .part(ByteRange(6..<10))),
    ("bytes=-99", .part(ByteRange(0..<10))), ("bytes=9-9", .part(ByteRange(9..<10))), ("bytes=10-", .none),
    ("bytes=-0", .none), ("bytes=5-4", .whole), ("bytes=a-b", .whole), ("bytes=", .whole), ("bytes=-", .whole),
    ("bytes=0-1,3-4", .whole), ("lines=0-1", .whole), ("bytes=--1", .whole), ("bytes=+1-2", .whole),
    ("bytes=99999999999999999999-", .none), ("bytes=0-99999999999999999999", .part(ByteRange(0..<10))),
  ])
  func parsesRanges(field: String, range: RequestedRange) {
    #expect(RequestedRange(field, byteCount: 10) == range)
  }

  @Test func evaluatesConditionsBeforeTheRange() {
    func part(_ fields: [String: String], method: String = "GET") -> RequestedPart {
      RequestedPart(of: 10, entityTag: "\"1\"", otherTags: ["\"1-gzip\""], method: method) { fields[$0] }
    }
    let range = ["range": "bytes=0-4"]
    #expect(part(range) == .part(ByteRange(0..<5)) && part(["range": "bytes=10-"]) == .notSatisfiable)
    #expect(part(range, method: "HEAD") == .whole && part([:]) == .whole)
    #expect(part(["if-match": "\"2\", \"1-gzip\""].merging(range) { $1 }) == .part(ByteRange(0..<5)))
    #expect(part(["if-match": "W/\"1\"", "if-none-match": "\"1\""].merging(range) { $1 }) == .preconditionFailed)
    #expect(part(["if-none-match": "\"2\", W/\"1\""].merging(range) { $1 }) == .notModified)
    #expect(
      part(["if-none-match": "\"1-gzip\"", "if-range": "\"1\""].merging(range) { $1 }) == .part(ByteRange(0..<5)))
    #expect(part(["if-range": "W/\"1\""].merging(range) { $1 }) == .whole)
  }

  @Test func assignsDifferentTagsToDifferentBytes() throws {
    func tag(_ contents: [OutputPlan.Content], of source: String = "a") throws -> String {
      try OutputPlan(of: SourceIdentity(byteCount: 100, tag: source), contents).entityTag
    }
    let contents: [OutputPlan.Content] = [.generated(Bytes([1, 2])), .source(ByteRange(0..<50))]
    let tags = try [
      tag(contents), tag(contents, of: "b"), tag([.generated(Bytes([1, 3])), contents[1]]),
      tag([contents[0], .source(ByteRange(1..<51))]), tag(contents + [.zeros(1)]),
    ]
    #expect(Set(tags).count == tags.count && tags.allSatisfy { $0.count == 18 && $0.hasPrefix("\"") })
    #expect(try tag(contents) == tags[0])
  }

  @Test func rejectsRangesOfAnEmptyFile() {
    #expect(RequestedRange("bytes=0-", byteCount: 0) == .none)
    #expect(RequestedRange("bytes=-1", byteCount: 0) == .none)
    #expect(RequestedRange(nil, byteCount: 0) == .whole)
  }

  @Test(arguments: [
    (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (-5, "Thu, 01 Jan 1970 00:00:00 GMT"),
  ])
  func formatsAndParsesDates(seconds: Int64, date: String) {
    #expect(HTTPDate.text(secondsSince1970: seconds) == date)
  }
}
