/// Reads what can be read once and from its start only: pipes, terminals, standard input.
package enum StreamSource {
  /// All that a stream gives until its end, waiting for it; `nil` where the path leads nowhere, or to an ordinary file
  /// that is not asked for.
  ///
  /// A pipe is waited for until it has a writer. While nothing comes, `checkStop` is asked ten times a second and may
  /// throw. Throws ``FileError`` when the stream cannot be read, ``MovieError`` with `.limit` when it gives more than
  /// `limit` bytes.
  package static func read(
    _ path: String, atMost limit: Int, orOrdinary: Bool = false, checkStop: () throws -> Void = {}
  ) throws -> Bytes? {
    do {
      guard let status = try SystemCalls.status(at: path, followingLinks: true),
        orOrdinary || status.kind != .ordinary, status.kind != .folder
      else { return nil }
      // A call that waits for the writer of a pipe cannot be ended by a signal whose handler returns.
      let file = try SystemCalls.open(path, status.kind == .pipe ? .reading : .waiting)
      let bytes = Result { () throws in try read(file, atMost: limit, checkStop) }
      try SystemCalls.close(file)
      guard let bytes = try bytes.get() else {
        throw MovieError(.limit, "gives more than \(limit) bytes, the most that is read of it")
      }
      return Bytes(bytes)
    } catch let error as SystemError {
      throw FileError(.noInput, path, error)
    }
  }

  private static func read(
    _ file: FileDescriptor, atMost limit: Int, _ checkStop: () throws -> Void
  ) throws -> [UInt8]? {
    var bytes: [UInt8] = []
    while true {
      try checkStop()
      guard try SystemCalls.wait(for: [(file, .receiving)], milliseconds: 100) != [[]] else { continue }
      let part: [UInt8]
      do throws(SystemError) {
        part = try SystemCalls.readNext(file, atMost: 1 << 16)
      } catch {
        if error.code == .wouldBlock { continue }  // Another reader was faster.
        throw error
      }
      if part.isEmpty { return bytes }
      bytes += part
      guard bytes.count <= limit else { return nil }
    }
  }
}
