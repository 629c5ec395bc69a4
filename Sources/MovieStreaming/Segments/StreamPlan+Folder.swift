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
      // What refers to others comes after all of them.
      let media = files.prefix { $0.kind != .mediaPlaylist }
      let done = try writing.writeAll(Array(media), of: self, from: source) { try progress($0, planned) }
      try writing.nameFolders()
      var position = done
      for file in files.dropFirst(media.count) {
        try writing.sink(for: file.path).write(file.generatedBytes)
        writing.didWrite(file.path)
        position += file.byteCount
        try progress(position, planned)
      }
    } catch {
      throw writing.rollBack(after: error)
    }
  }
}
