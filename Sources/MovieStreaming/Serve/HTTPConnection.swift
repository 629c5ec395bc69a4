import MovieBox

/// One client: the bytes that it sent and has not been answered yet, and what it is being sent. Knows no system calls.
struct HTTPConnection {
  /// How many bytes are read of a movie at once, and kept where the client does not take them.
  static let pieceByteCount: UInt64 = 64 << 10

  private var received: [UInt8] = []
  /// What is being sent, piece by piece; empty between answers.
  private var piece = Bytes()
  private var parts: ArraySlice<HTTPResponse.Part> = []
  private var closesAfterAnswer = false
  /// Whether the client sent all that it will.
  private(set) var isHalfClosed = false
  /// Whether nothing more is to be done.
  private(set) var isFinished = false
  /// When bytes went one way or the other, by the server's clock.
  private(set) var lastProgress: UInt64
  /// When the request that has begun to arrive did; `nil` between requests.
  private(set) var requestStart: UInt64?

  init(at time: UInt64) {
    lastProgress = time
  }

  /// Whether there are bytes to send.
  var isSending: Bool { piece.count > 0 || !parts.isEmpty }

  /// Whether it waits for a request of which nothing has come.
  var isIdle: Bool { !isSending && received.isEmpty }

  /// Takes what has arrived, no bytes for its end.
  mutating func receive(_ bytes: [UInt8], at time: UInt64) {
    if bytes.isEmpty { isHalfClosed = true } else { lastProgress = time }
    received += bytes
    if requestStart == nil, !received.isEmpty { requestStart = time }
  }

  /// Whether more may arrive: what one request may have, and no second before the first is answered.
  var takesMore: Bool { !isHalfClosed && !isSending && received.count <= HTTPRequest.byteLimit }

  /// Answers the request that has arrived, if one has and none is being answered.
  mutating func answer(at time: UInt64, _ respond: (HTTPRequest) -> HTTPResponse) {
    guard !isSending, !isFinished else { return }
    guard let end = HTTPRequest.end(in: received) else {
      if received.count > HTTPRequest.byteLimit {
        send(HTTPResponse(.fieldsTooLarge, closesConnection: true))
      } else if isHalfClosed {
        isFinished = true
      }
      return
    }
    guard end <= HTTPRequest.byteLimit else { return send(HTTPResponse(.fieldsTooLarge, closesConnection: true)) }
    do throws(HTTPRequest.Refusal) {
      let request = try HTTPRequest(received[..<end])
      received.removeFirst(end)
      requestStart = received.isEmpty ? nil : time
      send(respond(request))
    } catch {
      send(HTTPResponse(error.status, closesConnection: true))
    }
  }

  /// Sends a status and nothing else any more.
  mutating func refuse(_ status: HTTPStatus) {
    send(HTTPResponse(status, closesConnection: true))
  }

  private mutating func send(_ response: HTTPResponse) {
    piece = Bytes(response.head)
    parts = response.parts.drop { $0.byteCount == 0 }
    closesAfterAnswer = response.closesConnection
  }

  /// The next bytes to send; none between answers. Reads the movie where they are its own.
  mutating func nextPiece() throws -> Bytes {
    while piece.count == 0, let part = parts.popFirst() {
      switch part {
      case .bytes(let bytes): piece = bytes
      case .source(let source, let range):
        let count = min(range.count, Self.pieceByteCount)
        piece = try source.readExactly(ByteRange(range.offset..<range.offset + count))
        if count < range.count {
          // The slice keeps its place: what was taken is put back, shorter.
          parts.insert(.source(source, ByteRange(range.offset + count..<range.end)), at: parts.startIndex)
        }
      }
    }
    return piece
  }

  /// Notes that the client took so many bytes of the piece.
  mutating func sent(_ count: Int, at time: UInt64) {
    guard count > 0 else { return }
    lastProgress = time
    piece = piece.dropFirst(count)
    if !isSending, closesAfterAnswer { isFinished = true }
  }

  /// Gives the connection up: half an answer is worse than none.
  mutating func abandon() {
    (piece, parts, isFinished) = (Bytes(), [], true)
  }
}
