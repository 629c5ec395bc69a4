import Foundation
import MovieBox
import MovieWriter
import Synchronization
import TestSupport
import Testing

@testable import MovieStreaming

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private final class Stop: Sendable {
  let isAsked = Atomic<Bool>(false)
}

/// A clock that the test advances.
private final class Clock: Sendable {
  let milliseconds = Atomic<UInt64>(0)
}

/// A movie in memory that can change and that counts its reads.
private final class ChangingSource: RandomAccessSource {
  private let base: MemorySource
  private let isChanged = Atomic<Bool>(false)
  let readByteCount = Mutex<UInt64>(0)

  init(_ bytes: Bytes) { base = MemorySource(bytes) }

  func change() { isChanged.store(true, ordering: .relaxed) }

  func identity() -> SourceIdentity {
    isChanged.load(ordering: .relaxed) ? SourceIdentity(byteCount: 1, tag: "other") : base.identity()
  }

  func read(_ range: ByteRange) throws -> Bytes {
    readByteCount.withLock { $0 += range.count }
    return try base.read(range)
  }
}

@Suite("serving a site")
struct HTTPServerTests {
  /// Returns the text of the answers on a connection.
  private func answers(_ bytes: String, _ site: MovieSite) throws -> String {
    var connection = HTTPConnection(at: 0)
    connection.receive(Array(bytes.utf8), at: 0)
    connection.receive([], at: 0)
    var text: [UInt8] = []
    for _ in 0..<1_000 where !connection.isFinished {
      connection.answer(at: 0) { site.response(to: $0) }
      let piece = try connection.nextPiece()
      // A client that accepts little at a time.
      let count = min(7, piece.count)
      text += piece.array.prefix(count)
      connection.sent(count, at: 0)
    }
    #expect(connection.isFinished)
    return String(decoding: text, as: UTF8.self)
  }

  private var site: MovieSite {
    var site = MovieSite()
    site.add(webVTT: Array("WEBVTT\n\nhello".utf8), at: "/1/4.vtt")
    let source = MemorySource(Bytes((0..<200).map { UInt8($0) & 63 | 64 }))
    site.add(source, source.identity(), at: "/1/movie.mp4", hasPicture: true)
    return site
  }

  @Test func answersPipelinedRequestsInOrder() throws {
    let text = try answers(
      "GET /1/4.vtt HTTP/1.1\r\nHost: a\r\n\r\nHEAD /1/movie.mp4 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
      site)
    #expect(text.components(of: "HTTP/1.1 200 OK\r\n").count == 2)
    #expect(text.contains("\r\n\r\nWEBVTT\n\nhelloHTTP/1.1 200"))
    #expect(text.contains("Content-Length: 200\r\n"))
    #expect(text.hasSuffix("\r\n\r\n404 Not Found\n"))
  }

  @Test func answersRangeRequests() throws {
    let text = try answers("GET /1/movie.mp4 HTTP/1.1\r\nHost: a\r\nRange: bytes=1-3\r\n\r\n", site)
    #expect(text.hasPrefix("HTTP/1.1 206 Partial Content\r\n"))
    #expect(text.contains("Content-Range: bytes 1-3/200\r\nContent-Length: 3\r\n"))
    #expect(text.hasSuffix("\r\n\r\nABC"))
    let none = try answers("GET /1/movie.mp4 HTTP/1.1\r\nHost: a\r\nRange: bytes=200-\r\n\r\n", site)
    #expect(none.hasPrefix("HTTP/1.1 416 "))
    #expect(none.contains("Content-Range: bytes */200\r\n"))
  }

  @Test func answersNotModifiedForCachedFiles() throws {
    let first = try answers("HEAD /1/4.vtt HTTP/1.1\r\nHost: a\r\n\r\n", site)
    let tag = try #require(first.components(of: "ETag: ").first?.prefix { $0 != "\r\n" })
    let again = try answers("GET /1/4.vtt HTTP/1.1\r\nHost: a\r\nIf-None-Match: \"x\", W/\(tag)\r\n\r\n", site)
    #expect(again.hasPrefix("HTTP/1.1 304 "))
    #expect(again.hasSuffix("\r\n\r\n"))
    let other = try answers(
      "GET /1/4.vtt HTTP/1.1\r\nHost: a\r\nRange: bytes=0-1\r\nIf-Range: \"other\"\r\n\r\n", site)
    #expect(other.hasPrefix("HTTP/1.1 200 "))
  }

  @Test func ignoresAnEmptyLineBeforeARequest() throws {
    #expect(try answers("\r\n\r\nGET /1/4.vtt HTTP/1.1\r\nHost: a\r\n\r\n", site).hasPrefix("HTTP/1.1 200 "))
    #expect(try answers("\r\n", site).isEmpty)
    // The same applies after a request that arrives together with the next one.
    let two = "GET /1/4.vtt HTTP/1.1\r\nHost: a\r\n\r\n"
    #expect(try answers(two + "\r\n" + two, site).components(of: "HTTP/1.1 200 OK\r\n").count == 2)
  }

  @Test func evaluatesConditionsInOrder() throws {
    func ask(_ lines: String, _ method: String = "GET") throws -> String {
      try answers("\(method) /1/movie.mp4 HTTP/1.1\r\nHost: a\r\n\(lines)\r\n", site)
    }
    let tag = try #require(ask("").components(of: "ETag: ").first?.prefix { $0 != "\r\n" })
    #expect(try ask("If-Match: \(tag)\r\nRange: bytes=0-0\r\n").hasPrefix("HTTP/1.1 206 "))
    #expect(try ask("If-Match: *\r\n").hasPrefix("HTTP/1.1 200 "))
    #expect(try ask("If-Match: \"other\"\r\nRange: bytes=0-0\r\n").hasPrefix("HTTP/1.1 412 "))
    #expect(try ask("If-Match: W/\(tag)\r\n").hasPrefix("HTTP/1.1 412 "))
    // A range applies to GET only.
    let head = try ask("Range: bytes=0-0\r\n", "HEAD")
    #expect(head.hasPrefix("HTTP/1.1 200 ") && head.contains("Content-Length: 200\r\n"))
  }

  /// Reads a fragmented body by ranges and limits of all sizes.
  @Test func readsABodyInPiecesOfAnySize() throws {
    let source = MemorySource(Bytes((0..<40).map { UInt8($0) }))
    let movie = ServedMovie(source: source, identity: source.identity())
    let contents: [OutputPlan.Content] = [
      .generated(Bytes([100, 101])), .source(ByteRange(3..<9)), .zeros(2), .source(ByteRange(0..<1)),
      .generated(Bytes()), .generated(Bytes([102])),
    ]
    let all: [UInt8] = [100, 101, 3, 4, 5, 6, 7, 8, 0, 0, 0, 102]
    for start in 0..<all.count {
      for end in start...all.count {
        for limit in [1, 2, 5, 64] {
          var body = HTTPBody(contents[...], of: movie, ByteRange(UInt64(start)..<UInt64(end)))
          var read: [UInt8] = []
          while body.byteCount > 0 {
            let piece = try body.next(atMost: limit)
            #expect(piece.count == min(limit, end - start - read.count))
            read += piece.array
          }
          #expect(read == Array(all[start..<end]))
        }
      }
    }
  }

  @Test func closesTheConnectionIfTheMovieChanges() throws {
    let source = ChangingSource(Bytes([UInt8](repeating: 7, count: 200_000)))
    var site = MovieSite()
    site.add(source, source.identity(), at: "/m", hasPicture: true)
    var connection = HTTPConnection(at: 0)
    connection.receive(Array("GET /m HTTP/1.1\r\nHost: a\r\n\r\n".utf8), at: 0)
    connection.answer(at: 0) { site.response(to: $0) }
    connection.sent(try connection.nextPiece().count, at: 0)
    source.change()
    #expect(throws: MovieError.self) { _ = try connection.nextPiece() }
  }

  @Test func continuesWithBufferedRequests() throws {
    var connection = HTTPConnection(at: 0)
    let request = Array("GET /1/4.vtt HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    connection.receive(request + request + request.dropLast(), at: 0)
    for left in [true, false] {
      #expect(connection.hasRequest)
      connection.answer(at: 0) { site.response(to: $0) }
      #expect(!connection.hasRequest)
      while connection.isSending { connection.sent(try connection.nextPiece().count, at: 0) }
      #expect(connection.hasRequest == left)
    }
  }

  @Test func sendsASmallAnswerAtOnce() throws {
    var connection = HTTPConnection(at: 0)
    connection.receive(Array("GET /1/4.vtt HTTP/1.1\r\nHost: a\r\n\r\n".utf8), at: 0)
    connection.answer(at: 0) { site.response(to: $0) }
    let piece = try connection.nextPiece()
    #expect(String(decoding: piece, as: UTF8.self).hasSuffix("\r\n\r\nWEBVTT\n\nhello"))
    connection.sent(piece.count, at: 0)
    #expect(!connection.isSending)
  }

  @Test func buffersOnePiecePerClient() throws {
    let streamed = try Streamed(StreamableMovie.talk)
    let source = ChangingSource(streamed.source.bytes)
    var site = MovieSite()
    site.add(streamed.plan, from: source, at: "/1/hls/")
    site.add(source, source.identity(), at: "/1/movie.mp4", hasPicture: true)
    for file in streamed.plan.files where file.kind == .media {
      let path = "/1/hls/" + file.path
      source.readByteCount.withLock { $0 = 0 }
      let head = try answers("HEAD \(path) HTTP/1.1\r\nHost: a\r\n\r\n", site)
      #expect(head.contains("Content-Length: \(file.byteCount)\r\n"))
      #expect(source.readByteCount.withLock { $0 } == 0)
      // The answer matches the plan, with an equal tag each time.
      var connection = HTTPConnection(at: 0)
      connection.receive(Array("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n".utf8), at: 0)
      connection.answer(at: 0) { site.response(to: $0) }
      #expect(source.readByteCount.withLock { $0 } == 0)
      var received: [UInt8] = []
      while connection.isSending {
        let piece = try connection.nextPiece()
        #expect(piece.count <= 65 << 10)
        received += piece.array
        connection.sent(piece.count, at: 0)
      }
      #expect(try received.suffix(Int(file.byteCount)) == streamed.bytes(file.path)[...])
      let tag = try #require(head.components(of: "ETag: ").first?.prefix { $0 != "\r\n" })
      #expect(String(decoding: received.prefix(1_000), as: UTF8.self).contains("ETag: \(tag)\r\n"))
    }
  }

  @Test func treatsATrickleOfBytesAsNoProgress() throws {
    let source = ChangingSource(Bytes([UInt8](repeating: 7, count: 200_000)))
    var site = MovieSite()
    site.add(source, source.identity(), at: "/m", hasPicture: true)
    var connection = HTTPConnection(at: 0)
    let request = Array("GET /m HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    for (second, byte) in request.enumerated() {
      #expect(connection.lastProgress == 0)
      connection.receive([byte], at: UInt64(second))
      connection.answer(at: UInt64(second)) { site.response(to: $0) }
    }
    let start = UInt64(request.count - 1)
    #expect(connection.lastProgress == start)
    let first = try connection.nextPiece().count
    for second in 1..<UInt64(first) {
      connection.sent(1, at: start + second)
      #expect(connection.lastProgress == start)
    }
    connection.sent(1, at: start + UInt64(first))
    #expect(connection.lastProgress == start + UInt64(first))
    // Empty lines do not count as requests.
    var other = HTTPConnection(at: 0)
    for second in 1..<5 as Range<UInt64> {
      other.receive([13, 10], at: second)
      other.answer(at: second) { site.response(to: $0) }
      #expect(other.lastProgress == 0 && other.requestStart == nil)
    }
  }

  /// Of twenty clients, the maximum, half send their request byte by byte, and half receive an answer so. The test
  /// controls the clock.
  @Test func disconnectsSlowClientsIfOtherClientsWait() async throws {
    var site = site
    let byteCount = 16 << 20
    let source = MemorySource(Bytes([UInt8](repeating: 7, count: byteCount)))
    site.add(source, source.identity(), at: "/large", hasPicture: true)
    var limits = HTTPServer.Limits()
    (limits.connectionCount, limits.replaceableSeconds, limits.blockSeconds) = (20, 1, 1)
    let clock = Clock()
    let server = try HTTPServer(
      site, at: "127.0.0.1", port: 0, limits: limits, clock: { clock.milliseconds.load(ordering: .relaxed) * 1_000_000 }
    )
    let (stop, ended) = (Stop(), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      #expect(throws: Never.self) { try server.run { stop.isAsked.load(ordering: .relaxed) } }
      ended.signal()
    }
    let request = Array("GET /large HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
    let clients = try (0..<20).map { _ in try #require(SlowClient(port: server.port)) }
    for client in clients[10...] { client.send(request[...]) }
    for step in 0..<7 {
      for client in clients[..<10] { client.send(request[step..<step + 1]) }
      for client in clients[10...] { #expect(client.receive(atMost: 1) == 1) }
    }
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/1/4.vtt"))
    func status() async throws -> Int? {
      (try await URLSession.shared.data(from: url).1 as? HTTPURLResponse)?.statusCode
    }
    // By the clock, all have just made progress. A second later, the senders have not.
    #expect(try await status() == 503)
    clock.milliseconds.store(1_000, ordering: .relaxed)
    // The server may have read the clock once before that.
    _ = try await status()
    #expect(try await status() == 200)
    // Half an answer, and its end: later writes fail. The system may accept pieces until its buffers are full.
    let client = try #require(clients.last)
    var looks = 0
    while client.send([13]), looks < 1_000 {
      clock.milliseconds.wrappingAdd(1_000, ordering: .relaxed)
      _ = try await status()
      looks += 1
    }
    var received = 0
    while case let count = client.receive(atMost: 1 << 20), count > 0 { received += count }
    #expect(looks < 1_000 && received < byteCount)
    stop.isAsked.store(true, ordering: .relaxed)
    #expect(Self.hasEnded(ended))
  }

  @Test func givesRejectedClientsTimeToReadTheAnswer() throws {
    var connection = HTTPConnection(at: 0)
    connection.receive(Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n123".utf8), at: 0)
    connection.answer(at: 0) { site.response(to: $0) }
    while connection.isSending { connection.sent(try connection.nextPiece().count, at: 0) }
    #expect(connection.isLingering && !connection.isFinished && connection.acceptsMoreBytes)
    connection.receive(Array("456789".utf8), at: 0)
    connection.answer(at: 0) { _ in HTTPResponse(.ok, closesConnection: false) }
    #expect(!connection.isSending && !connection.isFinished)
    connection.receive([], at: 0)
    #expect(connection.isFinished)
  }

  @Test func compressesTextsForClientsThatAcceptIt() throws {
    var site = site
    let text = String(repeating: "#EXTINF:6.0,\nsegment.m4s\n", count: 40)
    site.add(webVTT: Array(text.utf8), at: "/1/5.vtt")
    func ask(_ lines: String) throws -> String { try answers("GET /1/5.vtt HTTP/1.1\r\nHost: a\r\n\(lines)\r\n", site) }
    let plain = try ask("")
    #expect(plain.hasSuffix(text) && !plain.contains("Content-Encoding"))
    #expect(plain.contains("\r\nVary: Accept-Encoding\r\n"))
    let compressed = try ask("Accept-Encoding: gzip, br\r\n")
    #expect(
      compressed.contains("\r\nContent-Encoding: gzip\r\n") && compressed.contains("\r\nVary: Accept-Encoding\r\n"))
    #expect(!compressed.contains("EXTINF:6.0,\nsegment.m4s\n#EXTINF") && compressed.utf8.count < plain.utf8.count / 2)
    // Each encoding has a tag of its own.
    func tag(_ answer: String) throws -> Substring {
      try #require(answer.components(of: "ETag: ").first).prefix { $0 != "\r\n" }
    }
    let tags = try (tag(plain), tag(compressed))
    #expect(tags.0 != tags.1)
    #expect(try ask("Accept-Encoding: gzip\r\nIf-None-Match: \(tags.1)\r\n").hasPrefix("HTTP/1.1 304 "))
    #expect(try ask("If-None-Match: \(tags.1)\r\n").hasPrefix("HTTP/1.1 200 "))
    // Ranges apply to the unencoded text.
    let part = try ask("Accept-Encoding: gzip\r\nRange: bytes=0-6\r\n")
    #expect(part.hasPrefix("HTTP/1.1 206 ") && part.hasSuffix("\r\n\r\n#EXTINF"))
    let other = try ask("Accept-Encoding: gzip\r\nRange: bytes=0-6\r\nIf-Range: \(tags.1)\r\n")
    #expect(other.hasPrefix("HTTP/1.1 200 ") && other.hasSuffix(text))
    // Texts that do not become smaller, and movies, are sent unencoded.
    #expect(try !answers("GET /1/4.vtt HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n", site).contains("gzip"))
    #expect(
      try !answers("GET /1/movie.mp4 HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n", site).contains("gzip"))
  }

  private static let codings: [(field: String?, coding: ContentCoding)] = [
    ("gzip", .gzip), ("br;q=1.0, GZIP ; q=0.2", .gzip), ("x-gzip", .gzip), ("*", .gzip),
    ("gzip;q=1, identity;q=1", .gzip), ("*;q=0.5, identity;q=0.4", .gzip), ("gzip;q=0.001", .gzip),
    ("deflate,\tgzip", .gzip), (nil, .identity), ("", .identity), ("br", .identity), ("gzip;q=0", .identity),
    ("gzip;q=0.000, *", .identity), ("identity;q=1, *;q=0", .identity), ("gzip;q=0.5, identity", .identity),
    ("gzip;q=2", .identity), ("gzip;q=a", .identity), ("gzip;q=0.0001", .identity), ("gzip;q=", .identity),
    ("gzip;level=9", .identity), (",,;q=1,", .identity), ("gzipped", .identity),
  ]

  @Test(arguments: codings)
  func parsesAcceptedEncodings(field: String?, coding: ContentCoding) {
    #expect(ContentCoding(acceptedBy: field) == coding)
  }

  @Test(arguments: ["PUT", "DELETE", "OPTIONS", "X"])
  func rejectsMethodsThatChangeFiles(method: String) throws {
    let text = try answers("\(method) /1/4.vtt HTTP/1.1\r\nHost: a\r\n\r\n", site)
    #expect(text.hasPrefix("HTTP/1.1 405 "))
    #expect(text.contains("Allow: GET, HEAD\r\n"))
  }

  @Test(arguments: ["/../etc/passwd", "/%2e%2e/etc/passwd", "/1/../1/4.vtt", "//1/4.vtt", "/1/4.vtt/", "/1\\4.vtt"])
  func findsOnlyItsFiles(path: String) throws {
    #expect(try answers("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n", site).hasPrefix("HTTP/1.1 404 "))
  }

  @Test func limitsTheSizeOfRequests() throws {
    let long = String(repeating: "x", count: HTTPRequest.byteLimit)
    #expect(try answers("GET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n", site).hasPrefix("HTTP/1.1 414 "))
    #expect(try answers("GET /\(long)", site).hasPrefix("HTTP/1.1 414 "))
    #expect(try answers("GET / HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\r\n", site).hasPrefix("HTTP/1.1 431 "))
    #expect(try answers("GET / HTTP/1.1\r\nHost: a\r\nX: \(long)", site).hasPrefix("HTTP/1.1 431 "))
  }

  @Test func refusesToServeAChangedMovie() throws {
    var site = MovieSite()
    let source = MemorySource(Bytes([1, 2, 3]))
    site.add(source, SourceIdentity(byteCount: 3, tag: "another"), at: "/m", hasPicture: true)
    #expect(try answers("GET /m HTTP/1.1\r\nHost: a\r\n\r\n", site).hasPrefix("HTTP/1.1 503 "))
  }

  @Test func refusesToServeFilesDerivedFromAChangedMovie() throws {
    let source = ChangingSource(Bytes(StreamableMovie.talk.bytes()))
    let movie = try Movie(of: source)
    var shown = try PageMovie(movie, from: source, at: "film.mp4")
    var site = MovieSite()
    _ = try site.add(&shown, movie, from: source, under: "1").get()
    let text = try #require(shown.subtitles.first?.url)
    for status in [200, 503] {
      for path in ["1/hls/main.m3u8", "1/hls/video/playlist.m3u8", "1/hls/video/init.mp4", text] {
        for coding in ["gzip", "identity"] {
          let answer = try answers(
            "HEAD /\(path) HTTP/1.1\r\nHost: a\r\nAccept-Encoding: \(coding)\r\n\r\n", site)
          #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(path): \(answer)")
        }
      }
      source.change()
    }
  }

  @Test func servesOverTheNetworkUntilItIsStopped() async throws {
    let server = try HTTPServer(site, at: "127.0.0.1", port: 0)
    for (target, status) in [
      ("/1/4.vtt", HTTPStatus.ok), ("http://evil.example/1/4.vtt", .misdirected), ("http://127.0.0.1/1/4.vtt", .ok),
    ] {
      let request = try HTTPRequestTests.request("GET \(target) HTTP/1.1", "Host: localhost")
      #expect(server.respond(to: request).status == status, "\(target)")
    }
    let stop = Stop()
    let port = server.port
    // A separate thread: the task pool has only as many threads as processors, and other tests need them.
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      #expect(throws: Never.self) { try server.run { stop.isAsked.load(ordering: .relaxed) } }
      ended.signal()
    }
    let url = try #require(URL(string: "http://127.0.0.1:\(port)/1/4.vtt"))
    for _ in 0..<3 {
      let (data, response) = try await URLSession.shared.data(from: url)
      #expect(String(decoding: data, as: UTF8.self) == "WEBVTT\n\nhello")
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }
    // Rejected before it has been read: the answer arrives nevertheless, and the connection is not reset.
    var long = URLRequest(url: url)
    long.setValue(String(repeating: "x", count: 100_000), forHTTPHeaderField: "X-Long")
    let (_, refusal) = try await URLSession.shared.data(for: long)
    #expect((refusal as? HTTPURLResponse)?.statusCode == 431)
    #expect((refusal as? HTTPURLResponse)?.value(forHTTPHeaderField: "Date")?.hasSuffix(" GMT") == true)
    stop.isAsked.store(true, ordering: .relaxed)
    #expect(Self.hasEnded(ended))
  }

  /// Whether the thread ends within ten seconds.
  private static func hasEnded(_ semaphore: DispatchSemaphore) -> Bool {
    semaphore.wait(timeout: .now() + 10) == .success
  }
}

/// A client that controls how much it sends and receives.
private final class SlowClient: Sendable {
  private let socket: Int32

  init?(port: UInt16) {
    #if canImport(Glibc)
      socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    // SAFETY: a socket address of this type begins with the common fields, and lives as long as the call.
    let result = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard socket >= 0, result == 0 else { return nil }
  }

  deinit { close(socket) }

  /// Sends bytes and returns whether the other side is still connected.
  @discardableResult func send(_ bytes: ArraySlice<UInt8>) -> Bool {
    #if canImport(Glibc)
      let flags = Int32(MSG_NOSIGNAL)  // A server that has ended the connection ends no test.
    #else
      let flags: Int32 = 0
    #endif
    // SAFETY: the buffer is only read, and lives as long as the call.
    return unsafe bytes.withUnsafeBytes { unsafe Foundation.send(socket, $0.baseAddress, $0.count, flags) }
      == bytes.count
  }

  /// Returns the number of bytes received; 0 or less at the end.
  func receive(atMost count: Int) -> Int {
    var bytes = [UInt8](repeating: 0, count: count)
    // SAFETY: the array has `count` bytes.
    return unsafe read(socket, &bytes, count)
  }
}
