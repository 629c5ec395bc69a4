package import MovieBox

/// The state of one client's connection: the received requests that have no response yet, and the response being sent.
///
/// Makes no system calls, so that tests can drive it byte by byte.
package struct HTTPConnection {
  /// The number of bytes that one call reads from a movie. They are kept until the client accepts them.
  static let pieceByteCount = 64 << 10
  /// The largest number of bytes that are received and ignored after the last response.
  private static let ignoredByteCountLimit = 256 << 10

  private(set) var received = RequestBuffer()
  /// The bytes being sent. They are empty if no response is being sent.
  private var piece = Bytes()
  private var head: [UInt8] = []
  private var body = HTTPBody()
  private var closesAfterResponse = false
  /// Whether the client has ended its side of the connection.
  private var isHalfClosed = false
  private var ignoredByteCount = 0
  /// Whether the connection stays open after the last response. Closing it while the client still sends would discard
  /// the response before the client reads it (RFC 9112, 9.6).
  private(set) var isLingering = false
  /// Whether the connection can be closed.
  package private(set) var isFinished = false
  /// The last time, on the server's clock, at which a complete request was received or a complete piece of a response
  /// was sent. A client that sends or reads single bytes makes no progress.
  private(set) var lastProgress: UInt64
  /// The time at which the first bytes of the current request arrived, or `nil` between requests.
  private(set) var requestStart: UInt64?
  /// The value of `Date` in responses.
  var date = ""

  package init(at time: UInt64) {
    lastProgress = time
  }

  /// Whether there are bytes to send.
  var isSending: Bool { piece.count > 0 || !head.isEmpty || body.byteCount > 0 }

  /// Processes received bytes. An empty array means that the client sends no more bytes.
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

  /// Whether a complete request has arrived and no response is being sent.
  var hasRequest: Bool { received.requestEnd != nil && !isSending && !isLingering }

  /// Whether more bytes are read from the client. No bytes are read while a response is sent, or after the limit of a
  /// request is reached.
  var acceptsMoreBytes: Bool {
    isLingering || !isHalfClosed && !isSending && received.bytes.count <= HTTPRequest.byteLimit
  }

  /// Responds to the received request if it is complete and no response is being sent.
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

  /// Sends a response with a status, and closes the connection afterwards.
  mutating func refuse(_ status: HTTPStatus) {
    send(HTTPResponse(status, closesConnection: true))
  }

  private mutating func send(_ response: HTTPResponse) {
    head = response.head(on: date)
    body = response.body
    closesAfterResponse = response.closesConnection
  }

  /// Returns the next bytes to send, or empty bytes if no response is being sent. Reads the movie if needed.
  package mutating func nextPiece() throws -> Bytes {
    if piece.count == 0, isSending {
      let next = try body.next(atMost: Self.pieceByteCount)
      // Head and body are sent together. A small body that is sent separately would wait 40 ms or more until the client
      // acknowledges the head.
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
    guard !isSending, closesAfterResponse else { return }
    if isHalfClosed { isFinished = true } else { isLingering = true }
    received.removeAll()
  }

  /// Ends the connection without sending the rest of a response.
  mutating func abandon() {
    (piece, head, body, isFinished) = (Bytes(), [], HTTPBody(), true)
  }
}
