package import MovieBox

extension NewFileSink {
  /// Writes a file of these bytes: whole, or not at all.
  ///
  /// Throws ``FileError`` as ``carryOut(_:from:progress:)`` does.
  @discardableResult
  package func write(_ bytes: Bytes) throws -> SinkReport {
    let nothing = MemorySource(Bytes())
    return try carryOut(OutputPlan(of: nothing.identity(), [.generated(bytes)]), from: nothing)
  }

  /// Writes several files, all or none: where one cannot be written, those before it are removed again.
  ///
  /// A file that was replaced cannot be brought back; it stays, whole, and the error says so. Throws ``FileError``.
  package static func write(_ files: [(sink: NewFileSink, bytes: Bytes)]) throws {
    for file in files { try file.sink.checkName() }
    var written: [(sink: NewFileSink, isNew: Bool)] = []
    for file in files {
      do {
        let isNew = try file.sink.isNameFree()
        try file.sink.write(file.bytes)
        written.append((file.sink, isNew))
      } catch {
        throw try rollBack(written, after: error)
      }
    }
  }

  private static func rollBack(_ written: [(sink: NewFileSink, isNew: Bool)], after failure: any Error) throws
    -> any Error
  {
    var left: [String] = []
    for (sink, isNew) in written {
      guard isNew else {
        left.append(sink.path)
        continue
      }
      do throws(SystemError) {
        try sink.removeOutput()
      } catch {
        left.append(sink.path)
      }
    }
    guard !left.isEmpty, let error = failure as? FileError else { return failure }
    return FileError(error.code, error.path, error.reason + "; already written: " + left.joined(separator: ", "))
  }
}
