package import MovieBox

/// Serves a site over HTTP/1.1, with one thread for all clients: none of them can make the others wait.
///
///     let server = try HTTPServer(site, at: "127.0.0.1", port: 8080)
///     try server.run { SystemCalls.receivedStopSignal != nil }
package struct HTTPServer: Sendable {
  /// What clients may take of the server.
  package struct Limits: Sendable {
    /// Clients at a time. One more takes the place of the one that made no progress for longest, or is sent away.
    package var connectionCount = 500
    /// How long a request may take to arrive.
    package var requestSeconds: UInt64 = 10
    /// How long a client may take until it asks for something more.
    package var idleSeconds: UInt64 = 60
    /// How long a client may take over a piece of an answer, 64 KiB. Browsers stop reading for as long as a movie is
    /// paused.
    package var pieceSeconds: UInt64 = 300
    /// How long a client must have made no progress to lose its place to another: no request, and no piece of an answer.
    package var replaceableSeconds: UInt64 = 5
    /// How long a client that was sent away may take to read why.
    package var lingeringSeconds: UInt64 = 2

    package init() {}
  }

  /// The port.
  package let port: UInt16
  private let listener: FileDescriptor
  private let site: MovieSite
  private let limits: Limits
  private let clock: @Sendable () -> UInt64
  /// Whether only this machine reaches it.
  private let isLoopback: Bool

  private struct Client {
    let socket: FileDescriptor
    var connection: HTTPConnection
  }

  /// How many clients are taken at once, so that those who are served are not kept waiting by a crowd at the door.
  private static let acceptedAtOnce = 32
  /// How many that were sent away may linger at a time.
  private static let lingeringCount = 64
  /// How many requests of a client, and pieces of an answer, are dealt with before the next client's turn.
  private static let requestsAtOnce = 8
  private static let piecesAtOnce = 4
  /// How long the server sleeps before it asks whether to stop.
  private static let waitMilliseconds: Int32 = 200
  private static let receivedAtOnce = 4 << 10

  /// Takes an address, in digits, and a port, 0 for one that is free. Throws ``SystemError``.
  ///
  /// - Parameter clock: The time in nanoseconds, which never goes back; limits are kept by it.
  package init(
    _ site: MovieSite, at address: String, port: UInt16, limits: Limits = Limits(),
    clock: @escaping @Sendable () -> UInt64 = { SystemCalls.monotonicNanoseconds() }
  ) throws(SystemError) {
    self.site = site
    self.limits = limits
    self.clock = clock
    isLoopback = address.hasPrefix("127.") || address == "::1"
    (listener, self.port) = try SystemCalls.listen(at: address, port: port)
  }

  /// Serves until it is told to stop; then ends all connections. Asks about every 200 ms.
  package func run(until isStopped: () -> Bool) throws(SystemError) {
    var clients: [Client] = []
    var acceptsClients = true
    defer {
      for client in clients { end(client) }
      close(listener)
    }
    while !isStopped() {
      let waits =
        [(listener, acceptsClients ? SystemCalls.Interest.receiving : [])]
        + clients.map { ($0.socket, interest($0.connection)) }
      // Requests that have arrived together are dealt with in several turns.
      let hasWork = clients.contains(where: \.connection.hasRequest)
      let ready = try SystemCalls.wait(for: waits, milliseconds: hasWork ? 0 : Self.waitMilliseconds)
      let time = clock()
      let date = HTTPDate.text(secondsSince1970: SystemCalls.secondsSince1970())
      for index in clients.indices where !isStopped() {
        clients[index].connection.date = date
        serve(&clients[index], ready[index + 1], at: time)
        expire(&clients[index].connection, at: time)
      }
      clients.removeAll { client in
        if client.connection.isFinished { end(client) }
        return client.connection.isFinished
      }
      acceptsClients = ready[0].contains(.receiving) ? accept(&clients, at: time, on: date) : true
    }
  }

  private func interest(_ connection: HTTPConnection) -> SystemCalls.Interest {
    connection.isSending ? .sending : .receiving
  }

  // MARK: - Clients

  /// Takes those who wait; `false` where they must wait for others to go, since the process has no room for more files.
  private func accept(_ clients: inout [Client], at time: UInt64, on date: String) -> Bool {
    for _ in 0..<Self.acceptedAtOnce {
      do {
        guard let socket = try SystemCalls.accept(listener) else { return true }
        var client = Client(socket: socket, connection: HTTPConnection(at: time))
        client.connection.date = date
        let lingering = clients.count { $0.connection.isLingering }
        if clients.count - lingering >= limits.connectionCount, !makeRoom(&clients, at: time) {
          client.connection.refuse(.unavailable)
          send(&client, at: time)
          if lingering >= Self.lingeringCount { client.connection.abandon() }
        } else {
          serve(&client, .receiving, at: time)
        }
        if client.connection.isFinished { end(client) } else { clients.append(client) }
      } catch {
        // Too many open files, say.
        return makeRoom(&clients, at: time)
      }
    }
    return true
  }

  /// Ends the connection that made no progress for longest; `false` where all made some just now.
  private func makeRoom(_ clients: inout [Client], at time: UInt64) -> Bool {
    let oldest = clients.indices.min { clients[$0].connection.lastProgress < clients[$1].connection.lastProgress }
    guard let oldest, seconds(clients[oldest].connection.lastProgress, time) >= limits.replaceableSeconds else {
      return false
    }
    end(clients.remove(at: oldest))
    return true
  }

  private func serve(_ client: inout Client, _ ready: SystemCalls.Interest, at time: UInt64) {
    do {
      if ready.contains(.receiving), client.connection.takesMore,
        let bytes = try SystemCalls.receive(client.socket, atMost: Self.receivedAtOnce)
      {
        client.connection.receive(bytes, at: time)
      }
    } catch {
      return client.connection.abandon()
    }
    // Several requests may wait; each is answered when the one before has gone.
    for _ in 0..<Self.requestsAtOnce {
      client.connection.answer(at: time) { respond(to: $0) }
      guard client.connection.isSending, send(&client, at: time) else { return }
    }
  }

  /// The answer to a request, whose name for this server must be one of its own.
  func respond(to request: HTTPRequest) -> HTTPResponse {
    if let host = request.authority, !ServerName(host).isTrusted(onlyThisMachine: isLoopback) {
      return HTTPResponse(.misdirected, closesConnection: true)
    }
    return site.response(to: request)
  }

  /// Sends what the client takes, some pieces at most; `true` where the answer has gone.
  @discardableResult
  private func send(_ client: inout Client, at time: UInt64) -> Bool {
    do {
      for _ in 0..<Self.piecesAtOnce {
        let piece = try client.connection.nextPiece()
        guard piece.count > 0 else { return true }
        let count = try SystemCalls.send(piece, to: client.socket)
        client.connection.sent(count, at: time)
        if client.connection.isLingering { try SystemCalls.shutDownSending(client.socket) }
        if client.connection.isFinished || client.connection.isLingering || count < piece.count { return false }
      }
      return !client.connection.isSending
    } catch {
      // The client is gone, or the movie is no longer what it was; the length that was announced stays unfulfilled.
      client.connection.abandon()
      return false
    }
  }

  /// Ends connections that take too long.
  private func expire(_ connection: inout HTTPConnection, at time: UInt64) {
    let silence = seconds(connection.lastProgress, time)
    if connection.isLingering {
      if silence >= limits.lingeringSeconds { connection.abandon() }
    } else if connection.isSending {
      if silence >= limits.pieceSeconds { connection.abandon() }
    } else if let start = connection.requestStart {
      if seconds(start, time) >= limits.requestSeconds { connection.refuse(.requestTimeout) }
    } else if silence >= limits.idleSeconds {
      connection.abandon()
    }
  }

  private func seconds(_ start: UInt64, _ end: UInt64) -> UInt64 { end > start ? (end - start) / 1_000_000_000 : 0 }

  private func end(_ client: Client) { close(client.socket) }

  private func close(_ socket: FileDescriptor) {
    do {
      try SystemCalls.close(socket)
    } catch {
      // Nothing was promised to the other side that closing could still break.
    }
  }
}
