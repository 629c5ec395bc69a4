import Testing

@testable import MovieStreaming

@Suite("bytes of requests")
struct RequestBufferTests {
  private let request = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)

  /// For any split of the bytes, and any number of checks for a complete request.
  @Test func searchesEachByteOfAPartialRequestOnce() {
    var connection = HTTPConnection(at: 0)
    let head = Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 12_000)
    for byte in head {
      connection.receive([byte], at: 0)
      connection.answer(at: 0) { _ in HTTPResponse(.ok, closesConnection: false) }
      #expect(!connection.hasRequest)
    }
    #expect(connection.received.searchCost <= head.count)
    connection.receive(Array("\r\n\r\n".utf8), at: 0)
    #expect(connection.hasRequest)
    #expect(connection.received.searchCost <= head.count + 4)
  }

  @Test func findsTheEndInAnySplit() {
    let two = request + Array(request.dropLast())
    for first in 0...two.count {
      for second in first...two.count {
        var buffer = RequestBuffer()
        for part in [two[..<first], two[first..<second], two[second...]] { buffer.append(Array(part)) }
        #expect(buffer.requestEnd == request.count)
        buffer.removeFirst(request.count)
        #expect(buffer.requestEnd == nil && buffer.bytes == Array(request.dropLast()))
        buffer.append([10])
        #expect(buffer.requestEnd == request.count)
      }
    }
  }

  @Test func ignoresEmptyLinesBeforeARequest() {
    for count in 0...4 {
      let lines = [[UInt8]](repeating: [13, 10], count: count).flatMap(\.self)
      for cut in 0...lines.count {
        var buffer = RequestBuffer()
        buffer.append(Array(lines[..<cut]))
        buffer.append(lines[cut...] + request)
        #expect(buffer.bytes == request && buffer.requestEnd == request.count)
        buffer.append(lines)
        buffer.removeFirst(request.count)
        #expect(buffer.isEmpty && buffer.requestEnd == nil)
      }
    }
  }

  /// Pipelined requests cost as much as separate ones.
  @Test func searchesBufferedRequestsOnce() {
    var buffer = RequestBuffer()
    let all = [[UInt8]](repeating: request, count: 300).flatMap(\.self)
    buffer.append(all)
    while let end = buffer.requestEnd { buffer.removeFirst(end) }
    #expect(buffer.isEmpty && buffer.searchCost <= all.count)
  }
}
