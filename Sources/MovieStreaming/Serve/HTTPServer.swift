package import MovieBox

/// Serves a site over HTTP/1.1 with one thread for all clients.
///
/// All sockets are non-blocking, and the server does a limited amount of work for a client before it turns to the next
/// client. So no client can make other clients wait.
///
///     let server = try HTTPServer(site, at: "127.0.0.1", port: 8080)
///     try server.run { SystemCalls.receivedStopSignal != nil }
package struct HTTPServer: Sendable {
  /// The limits for clients.
  package struct Limits: Sendable {
    /// The maximum number of clients. If it is reached, a new client replaces the client that has made no progress for
    /// the longest time, or is rejected.
    package var connectionCount = 500
    /// The time in which a request must arrive.
    package var requestSeconds: UInt64 = 10
    /// The time after which an idle client is disconnected.
    package var idleSeconds: UInt64 = 60
    /// The time in which a client must accept a block of a response (64 KiB). It is long because browsers stop reading
    /// while a movie is paused.
    package var blockSeconds: UInt64 = 300
    /// The time after which a new client may replace a client that neither completes a request nor accepts a piece of a
    /// response.
    package var replaceableSeconds: UInt64 = 5
    /// The time that a client has to read the last response before the connection is closed.
    package var lingeringSeconds: UInt64 = 2

    package init() {}
  }

  /// The port on which the server listens.
  package let port: UInt16
  private let listener: FileDescriptor
  private let site: MovieSite
  private let limits: Limits
  private let clock: @Sendable () -> UInt64
  /// Whether the server is reachable only from this machine.
  private let isLoopback: Bool

  private struct Client {
    let socket: FileDescriptor
    var connection: HTTPConnection
  }

  /// The maximum number of clients accepted in one turn, so that many new clients do not delay the existing clients.
  private static let newClientLimit = 32
  /// The maximum number of rejected clients whose connections stay open until they have read the response.
  private static let lingeringClientLimit = 64
  /// The maximum number of requests that are processed before the next client's turn.
  private static let requestLimitPerTurn = 8
  /// The maximum number of pieces of a response that are sent before the next client's turn.
  private static let pieceLimitPerTurn = 4
  /// The time to wait before the stop condition is evaluated again.
  private static let waitMilliseconds: Int32 = 200
  private static let receivedByteLimit = 4 << 10

  /// Listens on a numeric address and a port. Port 0 selects a free port. Throws ``SystemError``.
  ///
  /// - Parameter clock: returns the monotonic time in nanoseconds. It measures the time limits.
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

  /// Serves clients until `isStopped` returns `true`, and then closes all connections. Calls `isStopped` about every
  /// 200 ms.
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
      // The server must not wait for new data while requests that have already arrived are unanswered.
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

  /// Accepts waiting clients. Returns `false` if the process has too many open files. The caller must then disconnect
  /// other clients first.
  private func accept(_ clients: inout [Client], at time: UInt64, on date: String) -> Bool {
    for _ in 0..<Self.newClientLimit {
      do {
        guard let socket = try SystemCalls.accept(listener) else { return true }
        var client = Client(socket: socket, connection: HTTPConnection(at: time))
        client.connection.date = date
        let lingering = clients.count { $0.connection.isLingering }
        if clients.count - lingering >= limits.connectionCount, !disconnectStalledClient(&clients, at: time) {
          client.connection.refuse(.unavailable)
          send(&client, at: time)
          if lingering >= Self.lingeringClientLimit { client.connection.abandon() }
        } else {
          serve(&client, .receiving, at: time)
        }
        if client.connection.isFinished { end(client) } else { clients.append(client) }
      } catch {
        // Accepting a client usually fails because too many files are open. Disconnecting a client closes one of these
        // files.
        return disconnectStalledClient(&clients, at: time)
      }
    }
    return true
  }

  /// Closes the connection that has made no progress for the longest time. Returns `false` if all connections have made
  /// progress recently.
  private func disconnectStalledClient(_ clients: inout [Client], at time: UInt64) -> Bool {
    let oldest = clients.indices.min { clients[$0].connection.lastProgress < clients[$1].connection.lastProgress }
    guard let oldest, seconds(from: clients[oldest].connection.lastProgress, to: time) >= limits.replaceableSeconds
    else {
      return false
    }
    end(clients.remove(at: oldest))
    return true
  }

  private func serve(_ client: inout Client, _ ready: SystemCalls.Interest, at time: UInt64) {
    do {
      if ready.contains(.receiving), client.connection.acceptsMoreBytes,
        let bytes = try SystemCalls.receive(client.socket, atMost: Self.receivedByteLimit)
      {
        client.connection.receive(bytes, at: time)
      }
    } catch {
      return client.connection.abandon()
    }
    // Several requests may have arrived. Each response is sent before the next request is processed.
    for _ in 0..<Self.requestLimitPerTurn {
      client.connection.answer(at: time) { respond(to: $0) }
      guard client.connection.isSending, send(&client, at: time) else { return }
    }
  }

  /// Returns the response to a request. Rejects requests for host names that the server does not trust.
  func respond(to request: HTTPRequest) -> HTTPResponse {
    if let host = request.authority, !ServerName(host).isTrusted(onlyThisMachine: isLoopback) {
      return HTTPResponse(.misdirected, closesConnection: true)
    }
    return site.response(to: request)
  }

  /// Sends the bytes that the client accepts, up to a number of pieces. Returns whether the response is complete.
  @discardableResult
  private func send(_ client: inout Client, at time: UInt64) -> Bool {
    do {
      for _ in 0..<Self.pieceLimitPerTurn {
        let piece = try client.connection.nextPiece()
        guard piece.count > 0 else { return true }
        let count = try SystemCalls.send(piece, to: client.socket)
        client.connection.sent(count, at: time)
        if client.connection.isLingering { try SystemCalls.shutDownSending(client.socket) }
        if client.connection.isFinished || client.connection.isLingering || count < piece.count { return false }
      }
      return !client.connection.isSending
    } catch {
      // Either the client has closed the connection, or the movie has changed. The rest of the announced length cannot
      // be sent.
      client.connection.abandon()
      return false
    }
  }

  /// Closes connections that exceed a time limit.
  private func expire(_ connection: inout HTTPConnection, at time: UInt64) {
    let silence = seconds(from: connection.lastProgress, to: time)
    if connection.isLingering {
      if silence >= limits.lingeringSeconds { connection.abandon() }
    } else if connection.isSending {
      if silence >= limits.blockSeconds { connection.abandon() }
    } else if let start = connection.requestStart {
      if seconds(from: start, to: time) >= limits.requestSeconds { connection.refuse(.requestTimeout) }
    } else if silence >= limits.idleSeconds {
      connection.abandon()
    }
  }

  private func seconds(from start: UInt64, to end: UInt64) -> UInt64 { end > start ? (end - start) / 1_000_000_000 : 0 }

  private func end(_ client: Client) { close(client.socket) }

  private func close(_ socket: FileDescriptor) {
    do {
      try SystemCalls.close(socket)
    } catch {
      // Ignore errors, because no more bytes are sent.
    }
  }
}
