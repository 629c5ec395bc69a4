import MovieBox

private final class ProcessStream: TextSink {
  private let stream: FileDescriptor
  private let name: String

  init(_ stream: FileDescriptor, name: String) {
    self.stream = stream
    self.name = name
  }

  /// The width of the terminal, 80 if it does not report one, or `nil` if the stream is not a terminal.
  var terminalWidth: Int? {
    SystemCalls.isTerminal(stream) ? SystemCalls.terminalWidth(stream) ?? 80 : nil
  }

  func write(_ bytes: ArraySlice<UInt8>) throws {
    do {
      try SystemCalls.write(bytes, to: stream)
    } catch {
      throw StreamError(stream: name, systemError: error)
    }
  }
}

extension Context {
  /// Returns the context of the running process.
  package static func process() -> Context {
    var context = Context(
      standardOutput: ProcessStream(.standardOutput, name: "standard output"),
      errors: ProcessStream(.standardError, name: "standard error"),
      environment: SystemCalls.environment,
      clock: SystemCalls.monotonicNanoseconds,
      open: { try FileSource(path: $0) },
      readStream: { path, limit in
        let isStandardInput = path == "-"
        return try StreamSource.read(
          isStandardInput ? "/dev/stdin" : path, atMost: limit, acceptsOrdinaryFiles: isStandardInput,
          checkStop: { if SystemCalls.receivedStopSignal != nil { throw Interruption() } })
      },
      listFiles: listFiles,
      listFolders: listFolders,
      isSameFile: isSameFile,
      isStopped: { SystemCalls.receivedStopSignal != nil },
      deferStops: SystemCalls.setStopSignals(areHeld:))
    context.readInput = {
      while true {
        if SystemCalls.receivedStopSignal != nil { throw Interruption() }
        // A signal interrupts the wait only if it reaches the waiting thread, so each wait is short.
        guard try SystemCalls.wait(for: [(.standardInput, .receiving)], milliseconds: 100) != [[]] else { continue }
        do {
          return try SystemCalls.readNext(.standardInput, atMost: 1 << 16)
        } catch let error as SystemError where error.code == .wouldBlock {
          continue  // Another reader consumed the data.
        } catch let error as SystemError {
          throw FileError(.noInput, "-", error)
        }
      }
    }
    context.raiseFileLimit = SystemCalls.raiseFileLimit
    return context
  }

  /// Returns the names of the files in a folder that begin with `start`. Includes regular files, and links to regular
  /// files.
  static func listFiles(in folder: String, beginning start: String) throws -> [String] {
    try SystemCalls.names(in: folder, prefix: start).filter { name in
      do {
        return try SystemCalls.status(at: folder + "/" + name, followingLinks: true)?.kind == .ordinary
      } catch {
        return false  // The path may be a link to itself.
      }
    }
  }

  /// Returns the names of the visible subfolders of a folder, without links, or `nil` if the path is not a folder.
  static func listFolders(in folder: String) throws -> [String]? {
    guard try SystemCalls.status(at: folder, followingLinks: true)?.kind == .folder else { return nil }
    return try SystemCalls.names(in: folder).filter { name in
      guard !name.hasPrefix(".") else { return false }
      return try SystemCalls.status(at: folder + "/" + name, followingLinks: false)?.kind == .folder
    }
  }

  /// Whether two paths refer to the same existing file.
  static func isSameFile(_ path: String, _ otherPath: String) -> Bool {
    do {
      guard let file = try SystemCalls.status(at: path, followingLinks: true),
        let otherFile = try SystemCalls.status(at: otherPath, followingLinks: true)
      else { return false }
      return file.isSameFile(as: otherFile)
    } catch {
      return false  // Opening the file reports the error.
    }
  }
}
