// System calls for the process: terminal, signals, clock and limits.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The signal that requested a stop, or 0 if there was none. The variable is global, because a signal handler cannot
/// access other variables.
private let stopSignal = Atomic<Int32>(0)

/// Whether a second stop signal is ignored. If `false`, the second stop signal ends the process.
private let areStopSignalsHeld = Atomic<Bool>(false)

extension SystemCalls {
  /// Writes all bytes to a stream. The stream may be a terminal, a pipe or a file.
  package static func write(_ text: ArraySlice<UInt8>, to stream: FileDescriptor) throws(SystemError) {
    var writtenByteCount = 0
    while writtenByteCount < text.count {
      let count = try checked("write") {
        unsafe text.withUnsafeBytes { buffer in
          // SAFETY: `written` is less than the size of the slice, so the call reads within it.
          unsafe Self.rawWrite(
            stream.rawValue, buffer.baseAddress.map { unsafe $0 + writtenByteCount }, text.count - writtenByteCount)
        }
      }
      guard count > 0 else { throw SystemError("write", .inputOutput) }
      writtenByteCount += count
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

  /// Returns the number of columns of the terminal, or `nil` if the stream is not a terminal.
  package static func terminalWidth(_ stream: FileDescriptor) -> Int? {
    var size = winsize()
    #if canImport(Musl)
      let request = Int32(TIOCGWINSZ)
    #else
      let request = UInt(TIOCGWINSZ)
    #endif
    // SAFETY: the structure is the type that the request fills.
    guard unsafe ioctl(stream.rawValue, request, &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Returns the value of an environment variable, or `nil` if it is not set.
  package static func environment(_ name: String) -> String? {
    // SAFETY: the text is copied before the environment can change. This package never changes the environment.
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// Returns the nanoseconds of a monotonic clock.
  package static func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    // SAFETY: the call fills the structure.
    guard unsafe clock_gettime(CLOCK_MONOTONIC, &time) == 0 else { return 0 }
    // The result wraps around after 584 years.
    return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
  }

  /// Returns the whole seconds since the start of 1970 (UTC), by the wall clock.
  package static func secondsSince1970() -> Int64 {
    var time = timespec()
    // SAFETY: the call fills the structure.
    guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
    return Int64(time.tv_sec)
  }

  /// The number of processors that the system can use, at least 1.
  package static var processorCount: Int {
    max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  /// Raises the limit of open files to the system's maximum.
  package static func raiseFileLimit() {
    var limit = rlimit()
    #if canImport(Musl)
      let resource = RLIMIT_NOFILE
    #elseif canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    // SAFETY: the calls only fill and read the structure.
    guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = min(limit.rlim_max, 65_536)  // Some systems reject "unlimited".
    // Ignore a failure. The old limit remains, and a call that exceeds it reports an error.
    _ = unsafe setrlimit(resource, &limit)
  }

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

  /// Installs handlers for the stop signals interrupt, terminate and hang-up. The handlers set ``receivedStopSignal``.
  /// In addition, writing to a closed pipe or past the file size limit returns an error instead of raising a signal.
  ///
  /// A signal that the parent process ignores remains ignored. A second stop signal ends the process immediately,
  /// unless ``setStopSignals(areHeld:)`` was called with `true` before the first signal arrived.
  package static func catchStopSignals() {
    // The handler only sets an atomic and calls `signal`, which POSIX allows in handlers.
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let old = signal(number) { number in
        stopSignal.store(number, ordering: .sequentiallyConsistent)
        if !areStopSignalsHeld.load(ordering: .sequentiallyConsistent) { _ = signal(number, SIG_DFL) }
      }
      if isIgnored(old) { _ = signal(number, SIG_IGN) }
    }
    for number in [SIGPIPE, SIGXFSZ] { _ = signal(number, SIG_IGN) }
  }

  /// Sets the effect of a second stop signal. If `areHeld` is `true`, the signal is only recorded, like the first
  /// signal. Otherwise, it ends the process.
  ///
  /// Check ``receivedStopSignal`` after you call this function and before you begin any work. If a signal arrived
  /// before the call, the next signal still ends the process.
  package static func setStopSignals(areHeld: Bool) {
    areStopSignalsHeld.store(areHeld, ordering: .sequentiallyConsistent)
  }

  /// The number of the received stop signal, or `nil` if no signal was received.
  package static var receivedStopSignal: Int32? {
    let number = stopSignal.load(ordering: .sequentiallyConsistent)
    return number == 0 ? nil : number
  }

  private static func isIgnored(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
    // SAFETY: the addresses are only compared. SIG_IGN is not a callable function.
    unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
