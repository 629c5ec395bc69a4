public import MovieBox
import MovieWriter

extension StreamPlan {
  /// What to do with a folder that is there already.
  public enum ExistingFolder: Hashable, Sendable {
    /// Write into an empty one; else throw ``/MovieBox/FileError/Code/exists``.
    case keep
    /// Replace files of the same names. The playlist that players open is removed first and written last: in between
    /// the folder holds no presentation.
    case replace
  }

  /// The bytes of all files.
  public var byteCount: UInt64 { files.reduce(0) { $0.addingClamped($1.byteCount) } }

  /// Writes the presentation to a folder, which is made where it is missing; the folder that it lies in must be there.
  ///
  /// Each file gets its name when it is whole, and the playlist that players open comes last: no reader meets half a
  /// presentation. Whatever fails or is cancelled removes what was written.
  ///
  /// `source` is what the plan was made of; of several movies, a ``/MovieBox/JoinedSource`` of them. `progress` gets the
  /// bytes done and planned; what it throws cancels. Throws ``/MovieBox/FileError``, and what `source` throws.
  public func write(
    to folder: String, from source: some RandomAccessSource, existing: ExistingFolder = .keep,
    synchronizes: Bool = false,
    progress: @escaping (_ bytesDone: UInt64, _ bytesPlanned: UInt64) throws -> Void = { _, _ in }
  ) throws {
    var writing = FolderWriting(folder: folder, replaces: existing == .replace, synchronizes: synchronizes)
    do {
      try writing.prepare(for: files.map(\.path))
      let planned = byteCount
      var done: UInt64 = 0
      for file in files {
        try writing.write(file, as: outputPlan(of: file), from: source) { [done] part in
          try progress(done + part, planned)
        }
        done += file.byteCount
      }
    } catch {
      throw writing.rollBack(after: error)
    }
  }
}

/// A folder that files are written to, and what has to go where that fails.
private struct FolderWriting {
  let folder: String
  let replaces: Bool
  let synchronizes: Bool
  private var madeFolders: [String] = []
  private var writtenFiles: [String] = []

  init(folder: String, replaces: Bool, synchronizes: Bool) {
    self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    self.replaces = replaces
    self.synchronizes = synchronizes
  }

  /// Makes the folders that files lie in.
  mutating func prepare(for paths: [String]) throws(FileError) {
    let names = try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in try namesThere() }
    if let names {
      guard replaces || names.isEmpty else { throw FileError(.exists, folder, "is a folder that is not empty") }
      if names.contains(StreamPlan.entryPath) {
        try FileError.withFileErrors(.cannotCreate, folder) { () throws(SystemError) in
          try SystemCalls.remove(folder + "/" + StreamPlan.entryPath)
        }
      }
    } else {
      try makeOrKeep(folder)
    }
    var known: Set<Substring> = []
    for path in paths {
      guard let slash = path.lastIndex(of: "/"), known.insert(path[..<slash]).inserted else { continue }
      try makeOrKeep(folder + "/" + path[..<slash])
    }
  }

  /// The names in the folder; `nil` where there is none. What is no folder cannot be listed.
  private func namesThere() throws(SystemError) -> [String]? {
    guard try SystemCalls.status(at: folder, followingLinks: true) != nil else { return nil }
    return try SystemCalls.names(in: folder, prefix: "", suffix: "").filter { $0 != "." && $0 != ".." }
  }

  private mutating func make(_ path: String) throws(SystemError) {
    try SystemCalls.makeFolder(path)
    madeFolders.append(path)
  }

  private mutating func makeOrKeep(_ path: String) throws(FileError) {
    do {
      try make(path)
    } catch {
      guard error.code == .exists, replaces else { throw FileError(.cannotCreate, path, error) }
    }
  }

  /// Writes a file.
  mutating func write(
    _ file: StreamPlan.File, as plan: OutputPlan, from source: some RandomAccessSource,
    progress: @escaping (UInt64) throws -> Void
  ) throws {
    let path = folder + "/" + file.path
    let sink = NewFileSink(path: path, existing: replaces ? .replace : .keep, synchronizes: synchronizes)
    try sink.carryOut(plan, from: source) { done, _ in try progress(done) }
    writtenFiles.append(path)
  }

  /// Removes what was made; gives the error, with what could not be removed.
  func rollBack(after failure: any Error) -> any Error {
    var left: [String] = []
    func attempt(_ path: String, _ remove: (String) throws(SystemError) -> Void) {
      do {
        try remove(path)
      } catch {
        left.append(path)
      }
    }
    for path in writtenFiles { attempt(path, SystemCalls.remove) }
    for path in madeFolders.reversed() { attempt(path, SystemCalls.removeFolder) }
    guard !left.isEmpty, let error = failure as? FileError else { return failure }
    return FileError(error.code, error.path, error.reason + "; and what was written is left: \(left[0])")
  }
}
