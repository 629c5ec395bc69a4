// Calls about the process: terminal, signals, clock and limits.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The number of the signal that asked the process to stop, 0 for none. A signal handler can reach nothing but a
/// global.
private let stopSignal = Atomic<Int32>(0)

/// Whether a second signal must not end the process.
private let areStopSignalsHeld = Atomic<Bool>(false)

/// The process and its surroundings: terminal, signals, clock.
extension SystemCalls {
  /// Writes all bytes to a stream: a terminal, a pipe or a file.
  package static func write(_ text: ArraySlice<UInt8>, to stream: FileDescriptor) throws(SystemError) {
    var written = 0
    while written < text.count {
      let count = try checked("write") {
        unsafe text.withUnsafeBytes { buffer in
          // SAFETY: `written` stays below the slice's count, and the call reads no further than it.
          unsafe Self.rawWrite(stream.rawValue, buffer.baseAddress.map { unsafe $0 + written }, text.count - written)
        }
      }
      guard count > 0 else { throw SystemError("write", .inputOutput) }
      written += count
    }
  }

  @unsafe
  static func rawWrite(_ file: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.write(file, buffer, count)
    #elseif canImport(Musl)
      unsafe Musl.write(file, buffer, count)
    #else
      unsafe Darwin.write(file, buffer, count)
    #endif
  }

  package static func isTerminal(_ stream: FileDescriptor) -> Bool { isatty(stream.rawValue) == 1 }

  /// Returns the number of characters in a line of the terminal; `nil` if the stream is no terminal.
  package static func terminalWidth(_ stream: FileDescriptor) -> Int? {
    var size = winsize()
    #if canImport(Musl)
      let request = Int32(TIOCGWINSZ)
    #else
      let request = UInt(TIOCGWINSZ)
    #endif
    // SAFETY: the call fills the structure, which is the one that the request takes.
    guard unsafe ioctl(stream.rawValue, request, &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// The value of an environment variable, `nil` when it is not set.
  package static func environment(_ name: String) -> String? {
    // SAFETY: the text is copied before anyone could change the environment; this package never does.
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// Nanoseconds of a clock that is never set back.
  package static func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    // SAFETY: the call fills the structure.
    guard unsafe clock_gettime(CLOCK_MONOTONIC, &time) == 0 else { return 0 }
    return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)  // Wraps after 584 years.
  }

  /// Whole seconds since 1970 began (UTC), by the clock that people set.
  package static func secondsSince1970() -> Int64 {
    var time = timespec()
    // SAFETY: the call fills the structure.
    guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
    return Int64(time.tv_sec)
  }

  /// Raises the number of files that the process may open to the system's maximum.
  package static func raiseFileLimit() {
    var limit = rlimit()
    #if canImport(Musl)
      let resource = RLIMIT_NOFILE
    #elseif canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    // SAFETY: the calls fill and read the structure.
    guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = min(limit.rlim_max, 65_536)  // What no system refuses; "unlimited" some do.
    // Where it fails, the limit stays, and is reported by whoever meets it.
    _ = unsafe setrlimit(resource, &limit)
  }

  /// Ends the process.
  package static func exit(_ code: Int32) -> Never {
    #if canImport(Glibc)
      Glibc.exit(code)
    #elseif canImport(Musl)
      Musl.exit(code)
    #else
      Darwin.exit(code)
    #endif
  }

  // MARK: - Signals

  /// From now on a request to stop (interrupt, terminate, hang-up) only sets ``receivedStopSignal``, and writing to a
  /// closed pipe or past the file size limit gives an error.
  ///
  /// A signal that the parent process chose to ignore stays ignored. A second request ends the process at once, unless
  /// ``holdStopSignals(_:)`` was set otherwise when the first came.
  package static func catchStopSignals() {
    // The handler may do little: it sets an atomic and calls `signal`, which POSIX allows there.
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let old = signal(number) { number in
        stopSignal.store(number, ordering: .sequentiallyConsistent)
        if !areStopSignalsHeld.load(ordering: .sequentiallyConsistent) { _ = signal(number, SIG_DFL) }
      }
      if isIgnored(old) { _ = signal(number, SIG_IGN) }
    }
    for number in [SIGPIPE, SIGXFSZ] { _ = signal(number, SIG_IGN) }
  }

  /// Whether a second request to stop is only noted, as the first is.
  ///
  /// Whoever holds them looks at ``receivedStopSignal`` afterwards, and before any work: what came earlier still lets
  /// the next request end the process.
  package static func holdStopSignals(_ isHeld: Bool) {
    areStopSignalsHeld.store(isHeld, ordering: .sequentiallyConsistent)
  }

  /// The number of the signal that asked to stop; `nil` while none has.
  package static var receivedStopSignal: Int32? {
    let number = stopSignal.load(ordering: .sequentiallyConsistent)
    return number == 0 ? nil : number
  }

  private static func isIgnored(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
    // SAFETY: only the addresses are compared; SIG_IGN is not a function that could be called.
    unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
