public import MovieBox
package import MovieWriter

extension StreamPlan {
  /// The treatment of an existing folder.
  public enum ExistingFolder: Hashable, Sendable {
    /// Writes into an empty folder. Throws ``/MovieBox/FileError/Code/exists`` if the folder is not empty.
    case keep
    /// Replaces a presentation. In folders that the new presentation also uses, removes the old presentation's files.
    /// Keeps all other files.
    ///
    /// A client with the old playlist may receive new files while the folders are renamed.
    case replace
  }

  /// Writes the presentation to a folder.
  ///
  /// Creates the folder if it is missing. Its parent folder must exist. No client receives an incomplete presentation:
  /// folders get their final names when their files are complete, and the multivariant playlist is written last. If
  /// writing fails or is canceled, the folder is unchanged. Throws ``/MovieBox/FileError``, and rethrows errors of
  /// `source` and `progress`.
  ///
  /// - Parameters:
  ///   - folder: the path of the folder.
  ///   - source: the source of the plan, or a ``/MovieBox/JoinedSource`` of several movies.
  ///   - existing: the treatment of an existing folder.
  ///   - synchronizes: whether to wait until the files are on the disk.
  ///   - progress: called with the numbers of written and planned bytes. An error that it throws cancels the operation.
  public func write(
    to folder: String, from source: some RandomAccessSource, existing: ExistingFolder = .keep,
    synchronizes: Bool = false,
    progress: @escaping (_ bytesDone: UInt64, _ bytesPlanned: UInt64) throws -> Void = { _, _ in }
  ) throws {
    try write(
      to: folder, from: source, existing: existing, synchronizes: synchronizes, on: LocalFileSystem(),
      progress: progress)
  }

  /// Writes the presentation to a folder of a file system, as ``write(to:from:existing:synchronizes:progress:)`` does
  /// for local folders.
  package func write(
    to folder: String, from source: some RandomAccessSource, existing: ExistingFolder = .keep,
    synchronizes: Bool = false, on disk: any FileSystem,
    progress: @escaping (_ bytesDone: UInt64, _ bytesPlanned: UInt64) throws -> Void = { _, _ in }
  ) throws {
    var writing = FolderWriter(
      folder: folder, replaces: existing == .replace, synchronizes: synchronizes, on: disk)
    let planned = byteCount
    do {
      try requireUnchanged(source, folder)
      try writing.prepare(for: files)
      // The last file, the multivariant playlist, refers to all other files.
      try writing.writeAll(Array(files.dropLast()), from: source) { try progress($0, planned) }
      try requireUnchanged(source, folder)
      try progress(planned, planned)
      try writing.setListAside()
      try writing.publish()
      if let list = files.last { try writing.listSink.write(list.generatedBytes) }
    } catch {
      throw writing.rollBack(after: error)
    }
    try writing.finish()
  }

  /// Checks a folder without writing. Throws if it is a file, is not empty, or has no parent folder.
  package static func check(_ folder: String, existing: ExistingFolder) throws(FileError) {
    _ = try FolderWriter(folder: folder, replaces: existing == .replace, synchronizes: false).checkFolder()
  }

  private func requireUnchanged(_ source: some RandomAccessSource, _ folder: String) throws {
    guard try source.identity() != self.source else { return }
    throw FileError(.changed, folder, "the movie has changed since it was read; nothing was written")
  }
}
