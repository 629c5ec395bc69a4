import MovieBox

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A stream of the process.
private final class ProcessStream: TextSink {
  private let descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  var terminalWidth: Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    // SAFETY: the call fills the structure, which is the one that the request takes.
    let result = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
    return result == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      // SAFETY: the buffer is only read during the call.
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw ToolError(.inputOutput, code: "output", file: nil, "cannot write the output") }
      rest = rest.dropFirst(count)
    }
  }
}

extension Context {
  /// The context of the running process.
  static func process() -> Context {
    Context(
      output: ProcessStream(1),
      errors: ProcessStream(2),
      // SAFETY: the text is copied before anyone could change the environment; this program never does.
      environment: { name in unsafe getenv(name).map { unsafe String(cString: $0) } },
      clock: {
        var time = timespec()
        // SAFETY: the call fills the structure.
        guard unsafe clock_gettime(CLOCK_MONOTONIC, &time) == 0 else { return 0 }
        // Wraps after 584 years.
        return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
      },
      open: { path in throw ToolError(.ownFault, code: "not-built", file: path, "this build opens no files yet") },
      isSameFile: { _, _ in false })
  }

  /// Ends the process.
  static func exitProcess(_ code: ExitCode) -> Never {
    exit(code.rawValue)
  }
}
