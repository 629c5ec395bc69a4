public import MovieBox
import MovieStreaming

/// Sends the bytes of a client to a server. The first byte determines the size of the pieces. Each answer must be
/// complete and must have the declared length.
public func talk(_ bytes: Bytes) {
  guard let first = bytes.array.first else { return }
  let site = fuzzedSite
  var rest = bytes.array.dropFirst()
  var connection = HTTPConnection(at: 0)
  // Each iteration receives bytes, sends an answer, or is the last one.
  for _ in 0..<bytes.count + 8 where !connection.isFinished {
    connection.receive(Array(rest.prefix(Int(first) + 1)), at: 0)
    rest = rest.dropFirst(Int(first) + 1)
    while !connection.isFinished {
      var isHead = false
      connection.answer(at: 0) { request in
        isHead = request.method == "HEAD"
        return site.response(to: request)
      }
      let answer = sent(by: &connection)
      if answer.isEmpty { break }
      check(answer, isHead: isHead)
    }
  }
  if !connection.isFinished { fault("a client that has ended is still served") }
}

/// Returns all bytes that a connection has to send.
private func sent(by connection: inout HTTPConnection) -> [UInt8] {
  var answer: [UInt8] = []
  while let piece = attempt("piece", { try connection.nextPiece() }), piece.count > 0 {
    answer += piece.array
    connection.sent(piece.count, at: 0)
    if answer.count > 1 << 20 { fault("an answer of more bytes than there are") }
  }
  return answer
}

private func check(_ answer: [UInt8], isHead: Bool) {
  let end: [UInt8] = [13, 10, 13, 10]
  guard answer.starts(with: "HTTP/1.1 ".utf8), let blank = answer.firstRange(of: end) else {
    fault("an answer without a head")
  }
  let lines = String(decoding: answer[..<blank.lowerBound], as: UTF8.self).split(separator: "\r\n")
  let status = lines[0].dropFirst("HTTP/1.1 ".count).prefix(3)
  let length = lines.first { $0.hasPrefix("Content-Length: ") }.flatMap { Int($0.dropFirst("Content-Length: ".count)) }
  let bodyCount = answer.count - blank.upperBound
  switch (status, isHead) {
  case ("204", _), ("304", _), (_, true): if bodyCount > 0 { fault("an answer of \(status) with a body") }
  default: if bodyCount != length { fault("a body of \(bodyCount) bytes, \(length ?? -1) announced") }
  }
}

/// A site with a compressible text and a movie.
private let fuzzedSite: MovieSite = {
  var site = MovieSite()
  site.allowedOrigins = AllowedOrigins(["https://a.example"].compactMap(AllowedOrigins.Origin.init))
  site.add(webVTT: Array(String(repeating: "00:01.000 --> 00:02.000\nhello\n\n", count: 50).utf8), at: "/1/4.vtt")
  let movie = MemorySource(Bytes((0..<200_000).map { UInt8(truncatingIfNeeded: $0) }))
  site.add(movie, movie.identity(), at: "/1/movie.mp4", hasPicture: true)
  return site
}()
