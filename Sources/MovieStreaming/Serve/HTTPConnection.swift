package import MovieBox

/// The state of one client's connection: received bytes without an answer, and the answer being sent.
///
/// Makes no system calls, so that tests can drive it byte by byte.
package struct HTTPConnection {
  /// The number of bytes that are read from a movie at once and kept until the client accepts them.
  static let pieceByteCount = 64 << 10
  /// The number of bytes that are accepted and ignored after the last answer.
  private static let ignoredByteCountLimit = 256 << 10

  private(set) var received = RequestBuffer()
  /// The bytes being sent, or empty between answers.
  private var piece = Bytes()
  private var head: [UInt8] = []
  private var body = HTTPBody()
  private var closesAfterAnswer = false
  /// Whether the client has ended its side of the connection.
  private var isHalfClosed = false
  private var ignoredByteCount = 0
  /// Whether the last answer was sent, and the client is given time to read it. Closing the connection while the client
  /// still sends would discard the answer (RFC 9112, 9.6).
  private(set) var isLingering = false
  /// Whether the connection can be closed.
  package private(set) var isFinished = false
  /// The time at which a request was complete or a piece of an answer was sent, on the server's clock. Smaller steps
  /// are no progress, so a client that sends or reads single bytes counts as silent.
  private(set) var lastProgress: UInt64
  /// The time at which the first bytes of the current request arrived, or `nil` between requests.
  private(set) var requestStart: UInt64?
  /// The value of `Date` in answers.
  var date = ""

  package init(at time: UInt64) {
    lastProgress = time
  }

  /// Whether there are bytes to send.
  var isSending: Bool { piece.count > 0 || !head.isEmpty || body.byteCount > 0 }

  /// Processes received bytes. An empty array is the end of the client's data.
  package mutating func receive(_ bytes: [UInt8], at time: UInt64) {
    if isLingering {
      ignoredByteCount += bytes.count
      if bytes.isEmpty || ignoredByteCount > Self.ignoredByteCountLimit { isFinished = true }
      return
    }
    if bytes.isEmpty { isHalfClosed = true }
    received.append(bytes)
    requestStart = received.isEmpty ? nil : requestStart ?? time
  }

  /// Whether a complete request has arrived and no answer is being sent.
  var hasRequest: Bool { received.requestEnd != nil && !isSending && !isLingering }

  /// Whether more bytes are accepted: up to the limit of one request, and none while an answer is sent.
  var acceptsMoreBytes: Bool {
    isLingering || !isHalfClosed && !isSending && received.bytes.count <= HTTPRequest.byteLimit
  }

  /// Answers the received request if it is complete and no answer is being sent.
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

  /// Sends a status and closes the connection afterwards.
  mutating func refuse(_ status: HTTPStatus) {
    send(HTTPResponse(status, closesConnection: true))
  }

  private mutating func send(_ response: HTTPResponse) {
    head = response.head(on: date)
    body = response.body
    closesAfterAnswer = response.closesConnection
  }

  /// Returns the next bytes to send, or empty bytes between answers. Reads the movie if needed.
  package mutating func nextPiece() throws -> Bytes {
    if piece.count == 0, isSending {
      let next = try body.next(atMost: Self.pieceByteCount)
      // A small body sent separately would wait for the client's acknowledgement of the head, which takes 40 ms or
      // more.
      piece = head.isEmpty ? next : Bytes(head + next.array)
      head = []
    }
    return piece
  }

  /// Records that the client has accepted this many bytes.
  package mutating func sent(_ count: Int, at time: UInt64) {
    piece = piece.dropFirst(count)
    guard count > 0, piece.count == 0 else { return }
    lastProgress = time
    guard !isSending, closesAfterAnswer else { return }
    if isHalfClosed { isFinished = true } else { isLingering = true }
    received.removeAll()
  }

  /// Abandons the connection. An incomplete answer cannot be continued.
  mutating func abandon() {
    (piece, head, body, isFinished) = (Bytes(), [], HTTPBody(), true)
  }
}
