#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// System calls for network connections. Only ``wait(for:milliseconds:)`` blocks.
extension SystemCalls {
  /// The events to wait for on a connection.
  package struct Interest: OptionSet, Sendable {
    package let rawValue: Int16

    package init(rawValue: Int16) {
      self.rawValue = rawValue
    }

    /// Data to receive, a connection to accept, or the end of the connection.
    package static let receiving = Interest(rawValue: Int16(POLLIN))
    /// Space for data to send.
    package static let sending = Interest(rawValue: Int16(POLLOUT))
  }

  /// Listens at a numeric IPv4 or IPv6 address and a port. Returns the listening socket and its port. Port 0 requests
  /// an unused port.
  package static func listen(at address: String, port: UInt16) throws(SystemError) -> (FileDescriptor, port: UInt16) {
    guard let name = SocketAddress(address, port: port) else { throw SystemError("listen", .invalid) }
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let number = try checked("listen") { socket(name.family, kind, 0) }
    let listener = FileDescriptor(rawValue: number)
    do throws(SystemError) {
      var yes: Int32 = 1
      // SAFETY: the call reads the four bytes of the number.
      try checked("listen") {
        unsafe setsockopt(listener.rawValue, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
      }
      try configure(listener)
      try name.bind(listener)
      #if canImport(Glibc)
        try checked("listen") { Glibc.listen(listener.rawValue, 128) }
      #elseif canImport(Musl)
        try checked("listen") { Musl.listen(listener.rawValue, 128) }
      #else
        try checked("listen") { Darwin.listen(listener.rawValue, 128) }
      #endif
      return (listener, try SocketAddress.port(of: listener))
    } catch {
      try close(listener)
      throw error
    }
  }

  /// Accepts a connection, or returns `nil` if no connection is waiting or the client aborted it.
  package static func accept(_ listener: FileDescriptor) throws(SystemError) -> FileDescriptor? {
    let socket: FileDescriptor
    do throws(SystemError) {
      socket = FileDescriptor(rawValue: try checked("accept") { acceptCall(listener.rawValue) })
    } catch {
      if error.code == .wouldBlock || error.code.rawValue == ECONNABORTED { return nil }
      throw error
    }
    do throws(SystemError) {
      try configure(socket)
    } catch {
      try close(socket)
      throw error
    }
    return socket
  }

  private static func acceptCall(_ listener: Int32) -> Int32 {
    // The address of the client is not needed, so pass no buffer for it.
    #if canImport(Glibc)
      Glibc.accept(listener, nil, nil)
    #elseif canImport(Musl)
      Musl.accept(listener, nil, nil)
    #else
      Darwin.accept(listener, nil, nil)
    #endif
  }

  /// Makes the socket non-blocking, and prevents child processes from inheriting it.
  private static func configure(_ socket: FileDescriptor) throws(SystemError) {
    let flags = try checked("listen") { fcntl(socket.rawValue, F_GETFL) }
    try checked("listen") { fcntl(socket.rawValue, F_SETFL, flags | O_NONBLOCK) }
    try checked("listen") { fcntl(socket.rawValue, F_SETFD, FD_CLOEXEC) }
    #if canImport(Darwin)
      var yes: Int32 = 1
      // SAFETY: the call reads the four bytes of the number.
      try checked("listen") {
        unsafe setsockopt(socket.rawValue, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
      }
    #endif
  }

  /// Waits until a connection is ready or the time has elapsed, and returns the events of each connection. A broken
  /// connection reports all events. A signal ends the wait early.
  package static func wait(
    for connections: [(FileDescriptor, Interest)], milliseconds: Int32
  ) throws(SystemError) -> [Interest] {
    var entries = connections.map { pollfd(fd: $0.0.rawValue, events: $0.1.rawValue, revents: 0) }
    let count = entries.count
    // SAFETY: the call reads and fills `count` entries.
    let result = unsafe poll(&entries, nfds_t(count), milliseconds)
    if result < 0 {
      let code = errno
      if code == EINTR { return connections.map { _ in [] } }
      throw SystemError("wait", .init(rawValue: code))
    }
    return entries.map { entry in
      let broken = entry.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
      return broken ? [.receiving, .sending] : Interest(rawValue: entry.revents)
    }
  }

  /// Receives at most `count` bytes. Returns an empty array at the end of the connection, or `nil` if no bytes have
  /// arrived.
  package static func receive(_ socket: FileDescriptor, atMost count: Int) throws(SystemError) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: count)
    do throws(SystemError) {
      let received = try checked("receive") {
        // SAFETY: the call writes at most the size of the buffer.
        unsafe buffer.withUnsafeMutableBytes { unsafe recv(socket.rawValue, $0.baseAddress, $0.count, 0) }
      }
      return Array(buffer.prefix(received))
    } catch {
      if error.code == .wouldBlock { return nil }
      throw error
    }
  }

  /// Sends bytes and returns the number of sent bytes. The number is 0 if the connection cannot accept bytes now.
  package static func send(_ bytes: Bytes, to socket: FileDescriptor) throws(SystemError) -> Int {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    do throws(SystemError) {
      return try checked("send") {
        // SAFETY: the call reads at most the size of the buffer.
        unsafe bytes.withUnsafeBytes { unsafe Self.sendCall(socket.rawValue, $0.baseAddress, $0.count, flags) }
      }
    } catch {
      if error.code == .wouldBlock { return 0 }
      throw error
    }
  }

  /// Closes a connection for sending. The connection can still receive bytes.
  package static func shutDownSending(_ socket: FileDescriptor) throws(SystemError) {
    #if canImport(Darwin)
      let direction = SHUT_WR
    #else
      let direction = Int32(SHUT_WR)
    #endif
    try checked("end the answer") { shutdown(socket.rawValue, direction) }
  }

  @unsafe
  private static func sendCall(_ socket: Int32, _ buffer: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.send(socket, buffer, count, flags)
    #elseif canImport(Musl)
      unsafe Musl.send(socket, buffer, count, flags)
    #else
      unsafe Darwin.send(socket, buffer, count, flags)
    #endif
  }
}

/// A socket address: an IP address and a port.
private enum SocketAddress {
  case ipv4(sockaddr_in)
  case ipv6(sockaddr_in6)

  /// Parses a numeric address. Returns `nil` if the text is not a numeric address.
  init?(_ address: String, port: UInt16) {
    var ipv4Address = sockaddr_in()
    // SAFETY: the C string is valid during the call, which fills the structure.
    if unsafe inet_pton(AF_INET, address, &ipv4Address.sin_addr) == 1 {
      ipv4Address.sin_family = sa_family_t(AF_INET)
      ipv4Address.sin_port = port.bigEndian
      self = .ipv4(ipv4Address)
      return
    }
    var ipv6Address = sockaddr_in6()
    // SAFETY: the C string is valid during the call, which fills the structure.
    guard unsafe inet_pton(AF_INET6, address, &ipv6Address.sin6_addr) == 1 else { return nil }
    ipv6Address.sin6_family = sa_family_t(AF_INET6)
    ipv6Address.sin6_port = port.bigEndian
    self = .ipv6(ipv6Address)
  }

  var family: Int32 { if case .ipv4 = self { AF_INET } else { AF_INET6 } }

  func bind(_ socket: FileDescriptor) throws(SystemError) {
    switch self {
    case .ipv4(var name): try Self.bind(socket, &name)
    case .ipv6(var name): try Self.bind(socket, &name)
    }
  }

  private static func bind<Name>(_ socket: FileDescriptor, _ name: inout Name) throws(SystemError) {
    let count = socklen_t(MemoryLayout<Name>.size)
    try SystemCalls.checked("listen") {
      // SAFETY: the structure begins like `sockaddr`, and its size is passed.
      unsafe withUnsafePointer(to: &name) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
          #if canImport(Glibc)
            unsafe Glibc.bind(socket.rawValue, name, count)
          #elseif canImport(Musl)
            unsafe Musl.bind(socket.rawValue, name, count)
          #else
            unsafe Darwin.bind(socket.rawValue, name, count)
          #endif
        }
      }
    }
  }

  /// Returns the port of a listening socket.
  static func port(of socket: FileDescriptor) throws(SystemError) -> UInt16 {
    // IPv4 and IPv6 addresses store the port at the same offset, so the larger structure is used for both.
    var name = sockaddr_in6()
    var count = socklen_t(MemoryLayout<sockaddr_in6>.size)
    try SystemCalls.checked("listen") {
      // SAFETY: the structure has room for `count` bytes, and the call writes at most that many.
      unsafe withUnsafeMutablePointer(to: &name) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
          unsafe getsockname(socket.rawValue, name, &count)
        }
      }
    }
    return UInt16(bigEndian: name.sin6_port)
  }
}
