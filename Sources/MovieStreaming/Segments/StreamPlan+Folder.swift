public import MovieBox
import MovieWriter

extension StreamPlan {
  /// What to do with a folder that is there already.
  public enum ExistingFolder: Hashable, Sendable {
    /// Write into an empty one; else throw ``/MovieBox/FileError/Code/exists``.
    case keep
    /// Take the place of a presentation, whose files in folders of the same names are removed; others stay. A reader
    /// that has the old playlist may meet new files for as long as folders are renamed.
    case replace
  }

  /// The bytes of all files.
  public var byteCount: UInt64 { files.reduce(0) { $0.addingClamped($1.byteCount) } }

  /// Writes the presentation to a folder, which is made where it is missing; the folder that it lies in must be there.
  ///
  /// Folders get their names when all is whole in them, and the playlist that players open comes last: no reader meets
  /// half a presentation. Whatever fails or is cancelled leaves the folder as it was.
  ///
  /// `source` is what the plan was made of; of several movies, a ``/MovieBox/JoinedSource`` of them. `progress` gets the
  /// bytes done and planned; what it throws cancels. Throws ``/MovieBox/FileError``, and what `source` throws.
  public func write(
    to folder: String, from source: some RandomAccessSource, existing: ExistingFolder = .keep,
    synchronizes: Bool = false,
    progress: @escaping (_ bytesDone: UInt64, _ bytesPlanned: UInt64) throws -> Void = { _, _ in }
  ) throws {
    var writing = FolderWriting(folder: folder, replaces: existing == .replace, synchronizes: synchronizes)
    let planned = byteCount
    do {
      try requireSame(source, folder)
      try writing.prepare(for: files)
      // What refers to all others comes after them.
      try writing.writeAll(Array(files.dropLast()), from: source) { try progress($0, planned) }
      try requireSame(source, folder)
      try progress(planned, planned)
      try writing.publish()
      if let list = files.last { try writing.entrySink.write(list.generatedBytes) }
    } catch {
      throw writing.rollBack(after: error)
    }
    try writing.finish()
  }

  /// Throws what writing to a folder would throw for the folder itself, as far as that is seen without writing: it is a
  /// file, or not empty, or the folder that it is to lie in is not there.
  package static func check(_ folder: String, existing: ExistingFolder) throws(FileError) {
    _ = try FolderWriting(folder: folder, replaces: existing == .replace, synchronizes: false).checkFolder()
  }

  private func requireSame(_ source: some RandomAccessSource, _ folder: String) throws {
    guard try source.identity() != self.source else { return }
    throw FileError(.changed, folder, "the movie has changed since it was read; nothing was written")
  }
}
