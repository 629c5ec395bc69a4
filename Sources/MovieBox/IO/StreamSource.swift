/// Reads what can be read once and from its start only: pipes, terminals, standard input.
package enum StreamSource {
  /// All that a stream gives until its end, waiting for it; `nil` where the path leads nowhere, or to an ordinary file
  /// that is not asked for.
  ///
  /// Throws ``FileError`` when it cannot be read, ``MovieError`` with `.limit` when it gives more than `limit` bytes.
  package static func read(_ path: String, atMost limit: Int, orOrdinary: Bool = false) throws -> Bytes? {
    do {
      guard let status = try SystemCalls.status(at: path, followingLinks: true),
        orOrdinary || status.kind != .ordinary, status.kind != .folder
      else { return nil }
      let file = try SystemCalls.open(path, .waiting)
      let bytes = Result { () throws(SystemError) in try read(file, atMost: limit) }
      try SystemCalls.close(file)
      guard let bytes = try bytes.get() else {
        throw MovieError(.limit, "gives more than \(limit) bytes, the most that is read of it")
      }
      return Bytes(bytes)
    } catch let error as SystemError {
      throw FileError(.noInput, path, error)
    }
  }

  private static func read(_ file: FileDescriptor, atMost limit: Int) throws(SystemError) -> [UInt8]? {
    var bytes: [UInt8] = []
    while true {
      let part = try SystemCalls.readNext(file, atMost: 1 << 16)
      if part.isEmpty { return bytes }
      bytes += part
      guard bytes.count <= limit else { return nil }
    }
  }
}
