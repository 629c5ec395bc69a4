package import MovieBox

/// One client: the bytes that it sent and has not been answered yet, and what it is being sent. Knows no system calls.
package struct HTTPConnection {
  /// How many bytes are read of a movie at once, and kept where the client does not take them.
  static let pieceByteCount = 64 << 10
  /// How many bytes are taken of a client after the last answer, and passed over.
  private static let lateByteCount = 256 << 10

  private(set) var received = RequestBuffer()
  /// What is being sent, piece by piece; empty between answers.
  private var piece = Bytes()
  private var head: [UInt8] = []
  private var body = HTTPBody()
  private var closesAfterAnswer = false
  /// Whether the client sent all that it will.
  private var isHalfClosed = false
  private var lateCount = 0
  /// Whether the last answer has gone, and the client is given time to read it: to end the connection while bytes of its
  /// own arrive would take the answer from it (RFC 9112, 9.6).
  private(set) var isLingering = false
  /// Whether nothing more is to be done.
  package private(set) var isFinished = false
  /// When a request had arrived, or a piece of an answer had gone, by the server's clock. Less is no progress: a client
  /// that gives or takes a byte now and then is one that has been silent.
  private(set) var lastProgress: UInt64
  /// When the request that has begun to arrive did; `nil` between requests.
  private(set) var requestStart: UInt64?
  /// The value of `Date` in answers.
  var date = ""

  package init(at time: UInt64) {
    lastProgress = time
  }

  /// Whether there are bytes to send.
  var isSending: Bool { piece.count > 0 || !head.isEmpty || body.byteCount > 0 }

  /// Takes what has arrived, no bytes for its end.
  package mutating func receive(_ bytes: [UInt8], at time: UInt64) {
    if isLingering {
      lateCount += bytes.count
      if bytes.isEmpty || lateCount > Self.lateByteCount { isFinished = true }
      return
    }
    if bytes.isEmpty { isHalfClosed = true }
    received.append(bytes)
    requestStart = received.isEmpty ? nil : requestStart ?? time
  }

  /// Whether a whole request has arrived that is not being answered.
  var hasRequest: Bool { received.requestEnd != nil && !isSending && !isLingering }

  /// Whether more may arrive: what one request may have, and no second before the first is answered.
  var takesMore: Bool { isLingering || !isHalfClosed && !isSending && received.bytes.count <= HTTPRequest.byteLimit }

  /// Answers the request that has arrived, if one has and none is being answered.
  package mutating func answer(at time: UInt64, _ respond: (HTTPRequest) -> HTTPResponse) {
    guard !isSending, !isFinished, !isLingering else { return }
    guard let end = received.requestEnd, end <= HTTPRequest.byteLimit else {
      if received.bytes.count > HTTPRequest.byteLimit {
        refuse(HTTPRequest.isLineTooLong(in: received.bytes) ? .targetTooLong : .fieldsTooLarge)
      } else if isHalfClosed {
        isFinished = true
      }
      return
    }
    do throws(HTTPRequest.Refusal) {
      let request = try HTTPRequest(received.bytes[..<end])
      received.removeFirst(end)
      requestStart = received.isEmpty ? nil : time
      lastProgress = time
      send(respond(request))
    } catch {
      refuse(error.status)
    }
  }

  /// Sends a status and nothing else any more.
  mutating func refuse(_ status: HTTPStatus) {
    send(HTTPResponse(status, closesConnection: true))
  }

  private mutating func send(_ response: HTTPResponse) {
    head = response.head(on: date)
    body = response.body
    closesAfterAnswer = response.closesConnection
  }

  /// The next bytes to send; none between answers. Reads the movie where they are its own.
  package mutating func nextPiece() throws -> Bytes {
    if piece.count == 0, isSending {
      let next = try body.next(atMost: Self.pieceByteCount)
      // Sent on its own, a small body would wait until the client has acknowledged the head, for 40 ms and more.
      piece = head.isEmpty ? next : Bytes(head + next.array)
      head = []
    }
    return piece
  }

  /// Notes that the client took so many bytes of the piece.
  package mutating func sent(_ count: Int, at time: UInt64) {
    piece = piece.dropFirst(count)
    guard count > 0, piece.count == 0 else { return }
    lastProgress = time
    guard !isSending, closesAfterAnswer else { return }
    if isHalfClosed { isFinished = true } else { isLingering = true }
    received.removeAll()
  }

  /// Gives the connection up: half an answer is worse than none.
  mutating func abandon() {
    (piece, head, body, isFinished) = (Bytes(), [], HTTPBody(), true)
  }
}
