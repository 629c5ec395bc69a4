import MovieBox
import MovieWriter

extension Context {
  /// Writes new files, all or none; refuses one that is an input. `option` stands before its name in the message.
  func write(
    _ files: [(path: String, bytes: Bytes)], besides inputs: [String], overwrites: Bool, option: String = "-o "
  ) throws {
    for (path, _) in files where inputs.contains(where: { $0 == path || isSameFile($0, path) }) {
      throw UsageError(.conflict, "\(option)\(path) is the movie")
    }
    holdStops(true)
    defer { holdStops(false) }
    try checkStop()
    try NewFileSink.write(
      files.map { path, bytes in
        (NewFileSink(path: path, existing: overwrites ? .replace : .keep, synchronizes: false), bytes)
      })
  }
}
