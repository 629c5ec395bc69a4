public import MovieBox
package import MovieWriter
public import Subtitles

extension StreamPlan {
  /// Plans the presentation of a movie.
  ///
  /// Reads text samples and the headers of fragments. Rethrows errors of the source. Throws ``/MovieBox/MovieError`` if
  /// no track plays in HLS, for encrypted media and inexpressible edit lists, and if a limit is exceeded.
  public init(
    of movie: Movie, from source: some RandomAccessSource, _ options: StreamOptions = StreamOptions(),
    limits: SubtitleLimits = SubtitleLimits()
  ) throws {
    try self.init(of: [movie], from: [source], options, limits: limits)
  }

  /// Plans the presentation of several movies that are variants of each other.
  ///
  /// The presentation contains the video of all movies, and the audio and text of the first movie that has such tracks.
  /// The segments of all movies must begin at the same times.
  public init(
    of movies: [Movie], from sources: [any RandomAccessSource], _ options: StreamOptions = StreamOptions(),
    limits: SubtitleLimits = SubtitleLimits()
  ) throws {
    try self.init(of: movies, from: sources, options, limits: limits) { error, _ in
      (error as? StreamRefusal)?.error ?? error
    }
  }

  /// Plans the presentation of a movie whose page has read `contents`.
  init(
    of movie: Movie, from source: any RandomAccessSource, _ options: StreamOptions, limits: SubtitleLimits,
    contents: MovieContents
  ) throws {
    var planner = try StreamPlanner(
      [movie], from: [source], options: options, limits: limits, contents: contents
    ) { error, _ in (error as? StreamRefusal)?.error ?? error }
    self = try planner.plan()
  }

  /// Plans the presentation of several movies, for a command.
  ///
  /// - Parameters:
  ///   - recordings: the recordings from which movies were made, by the indices of the movies. The presentation contains
  ///     their timed events, because event times count from segments, which a movie without fragments does not have.
  ///   - explain: returns the error to throw in place of an error in the movie at an index. An error that a track causes
  ///     or that an option avoids is a ``StreamRefusal``.
  package init(
    of movies: [Movie], from sources: [any RandomAccessSource], _ options: StreamOptions, limits: SubtitleLimits,
    recordings: [Int: (movie: Movie, source: any RandomAccessSource)] = [:],
    explain: @escaping @Sendable (any Error, Int) -> any Error
  ) throws {
    var planner = try StreamPlanner(
      movies, from: sources, options: options, limits: limits, recordings: recordings, explain: explain)
    self = try planner.plan()
  }

  /// The index of the movie with the audio of the presentation: the first one whose audio plays in HLS, or `nil` if
  /// there is none.
  ///
  /// Reads the fragments of the movies up to that movie. Throws the same errors as planning.
  package static func audioMovieIndex(
    in movies: [Movie], from sources: [any RandomAccessSource],
    explain: @escaping @Sendable (any Error, Int) -> any Error
  ) throws -> Int? {
    for (index, (movie, source)) in zip(movies, sources).enumerated() {
      do {
        let fragments = try movie.readFragments(of: source)
        let streamed = StreamedMovie(
          index: index, movie: movie, source: source, sourceOffset: 0, fragments: fragments, prerolls: [:])
        if try streamed.hasPlayableSound { return index }
      } catch {
        throw explain(error, index)
      }
    }
    return nil
  }
}

extension StreamPlan {
  /// The treatment of an existing folder.
  public enum ExistingFolder: Hashable, Sendable {
    /// Writes into an empty folder. Throws ``/MovieBox/FileError/Code/exists`` if the folder is not empty.
    case keep
    /// Replaces a presentation. Removes its files in folders with the same names, and keeps other files.
    ///
    /// A client with the old playlist may receive new files while the folders are renamed.
    case replace
  }

  /// The total size of all files, in bytes.
  public var byteCount: UInt64 { files.reduce(0) { $0.addingClamped($1.byteCount) } }

  /// Writes the presentation to a folder.
  ///
  /// Creates the folder if it is missing; its parent folder must exist. Folders get their final names when their
  /// contents are complete, and the multivariant playlist is written last, so that no client receives an incomplete
  /// presentation. If writing fails or is cancelled, the folder is unchanged. Throws ``/MovieBox/FileError``, and
  /// rethrows errors of `source` and `progress`.
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

  /// Writes the presentation to a folder of another disk, as ``write(to:from:existing:synchronizes:progress:)`` does.
  package func write(
    to folder: String, from source: some RandomAccessSource, existing: ExistingFolder = .keep,
    synchronizes: Bool = false, on disk: any FileSystem,
    progress: @escaping (_ bytesDone: UInt64, _ bytesPlanned: UInt64) throws -> Void = { _, _ in }
  ) throws {
    var writing = FolderWriting(
      folder: folder, replaces: existing == .replace, synchronizes: synchronizes, on: disk)
    let planned = byteCount
    do {
      try requireSame(source, folder)
      try writing.prepare(for: files)
      // The last file, the multivariant playlist, refers to all other files.
      try writing.writeAll(Array(files.dropLast()), from: source) { try progress($0, planned) }
      try requireSame(source, folder)
      try progress(planned, planned)
      try writing.setListAside()
      try writing.publish()
      if let list = files.last { try writing.entrySink.write(list.generatedBytes) }
    } catch {
      throw writing.rollBack(after: error)
    }
    try writing.finish()
  }

  /// Checks a folder without writing. Throws if it is a file, is not empty, or has no parent folder.
  package static func check(_ folder: String, existing: ExistingFolder) throws(FileError) {
    _ = try FolderWriting(folder: folder, replaces: existing == .replace, synchronizes: false).checkFolder()
  }

  private func requireSame(_ source: some RandomAccessSource, _ folder: String) throws {
    guard try source.identity() != self.source else { return }
    throw FileError(.changed, folder, "the movie has changed since it was read; nothing was written")
  }
}
