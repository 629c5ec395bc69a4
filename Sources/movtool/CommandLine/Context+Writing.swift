import MovieBox
import MovieWriter

extension Context {
  /// Writes new files, all or none; refuses one that is an input. The message shows its path as it was given, after the
  /// option; `nil` where several options give paths.
  func write(
    _ files: [(path: String, bytes: Bytes)], besides inputs: [String], overwrites: Bool,
    givenBy option: String? = "-o"
  ) throws {
    for (path, _) in files where inputs.contains(where: { $0 == path || isSameFile($0, path) }) {
      throw UsageError(.conflict, "\(option.map { "\($0) " } ?? "")\(path) is the movie")
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
