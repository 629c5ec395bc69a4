package import MovieBox

/// Serves a site over HTTP/1.1, with one thread for all clients: none of them can make the others wait.
///
///     let server = try HTTPServer(site, at: "127.0.0.1", port: 8080)
///     try server.run { SystemCalls.receivedStopSignal != nil }
package struct HTTPServer: Sendable {
  /// What clients may take of the server.
  package struct Limits: Sendable {
    /// Clients at a time. One more takes the place of the one that has been silent longest, or is sent away.
    package var connectionCount = 500
    /// How long a request may take to arrive.
    package var requestSeconds: UInt64 = 10
    /// How long a client may be silent between requests.
    package var idleSeconds: UInt64 = 60
    /// How long a client may take no byte of an answer. Browsers stop reading for as long as a movie is paused.
    package var stallSeconds: UInt64 = 300
    /// How long a client must have been silent to lose its place to another.
    package var replaceableSeconds: UInt64 = 5

    package init() {}
  }

  /// The port.
  package let port: UInt16
  private let listener: FileDescriptor
  private let site: MovieSite
  private let limits: Limits
  /// Whether only this machine reaches it: then only its own names are answered, so that a page elsewhere whose name is
  /// made to lead here gets nothing.
  private let isLoopback: Bool

  private struct Client {
    let socket: FileDescriptor
    var connection: HTTPConnection
  }

  /// Takes an address, in digits, and a port, 0 for one that is free. Throws ``SystemError``.
  package init(_ site: MovieSite, at address: String, port: UInt16, limits: Limits = Limits()) throws(SystemError) {
    self.site = site
    self.limits = limits
    isLoopback = address.hasPrefix("127.") || address == "::1"
    (listener, self.port) = try SystemCalls.listen(at: address, port: port)
  }

  /// Serves until it is told to stop; then ends all connections. Asks about every 200 ms.
  package func run(until isStopped: () -> Bool) throws(SystemError) {
    var clients: [Client] = []
    defer {
      for client in clients { end(client) }
      close(listener)
    }
    while !isStopped() {
      let waits = [(listener, SystemCalls.Interest.receiving)] + clients.map { ($0.socket, interest($0.connection)) }
      let ready = try SystemCalls.wait(for: waits, milliseconds: 200)
      let time = SystemCalls.monotonicNanoseconds()
      for index in clients.indices {
        serve(&clients[index], ready[index + 1], at: time)
        expire(&clients[index].connection, at: time)
      }
      clients.removeAll { client in
        if client.connection.isFinished { end(client) }
        return client.connection.isFinished
      }
      if ready[0].contains(.receiving) { accept(&clients, at: time) }
    }
  }

  private func interest(_ connection: HTTPConnection) -> SystemCalls.Interest {
    connection.isSending ? .sending : .receiving
  }

  // MARK: - Clients

  private func accept(_ clients: inout [Client], at time: UInt64) {
    // A few at a time, so that those who are served are not kept waiting by a crowd at the door.
    for _ in 0..<32 {
      do {
        guard let socket = try SystemCalls.accept(listener) else { return }
        if clients.count >= limits.connectionCount, !makeRoom(&clients, at: time) {
          var refused = Client(socket: socket, connection: HTTPConnection(at: time))
          refused.connection.refuse(.unavailable)
          send(&refused, at: time)
          end(refused)
          continue
        }
        var client = Client(socket: socket, connection: HTTPConnection(at: time))
        serve(&client, .receiving, at: time)
        if client.connection.isFinished { end(client) } else { clients.append(client) }
      } catch {
        return  // Too many open files, say: whoever waits at the door is taken when others are gone.
      }
    }
  }

  /// Ends the connection that has been silent longest; `false` where all have been heard of just now.
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
        let bytes = try SystemCalls.receive(client.socket, atMost: 4 << 10)
      {
        client.connection.receive(bytes, at: time)
      }
    } catch {
      return client.connection.abandon()
    }
    // Several requests may wait; each is answered when the one before has gone.
    for _ in 0..<8 {
      client.connection.answer(at: time) { respond(to: $0) }
      guard client.connection.isSending, send(&client, at: time) else { return }
    }
  }

  private func respond(to request: HTTPRequest) -> HTTPResponse {
    if isLoopback, let host = request.fields["host"], !Self.isLocal(host) {
      return HTTPResponse(.misdirected, closesConnection: true)
    }
    return site.response(to: request)
  }

  /// Whether a value of `Host` means this machine by its address or as `localhost`.
  static func isLocal(_ host: String) -> Bool {
    if host.hasPrefix("[") { return host.hasPrefix("[::1]") }
    let name = host.prefix { $0 != ":" }.lowercased()
    return name == "localhost" || name.hasSuffix(".localhost")
      || name.hasPrefix("127.") && name.allSatisfy { $0.isNumber || $0 == "." }
  }

  /// Sends what the client takes, some pieces at most; `true` where the answer has gone.
  @discardableResult
  private func send(_ client: inout Client, at time: UInt64) -> Bool {
    do {
      for _ in 0..<4 {
        let piece = try client.connection.nextPiece()
        guard piece.count > 0 else { return true }
        let count = try SystemCalls.send(piece, to: client.socket)
        client.connection.sent(count, at: time)
        if client.connection.isFinished { return false }
        if count < piece.count { return false }
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
    if connection.isSending {
      if silence >= limits.stallSeconds { connection.abandon() }
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
