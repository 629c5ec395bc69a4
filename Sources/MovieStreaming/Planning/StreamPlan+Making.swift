public import MovieBox
import MovieWriter
public import Subtitles

extension StreamPlan {
  /// The plan of a movie.
  ///
  /// Reads the samples of text and, where there are some, the headers of fragments. Throws what the source throws, and
  /// ``/MovieBox/MovieError`` where nothing of the movie plays in HLS, for encrypted media, edit lists that cannot be
  /// expressed, and beyond limits.
  public init(
    of movie: Movie, from source: some RandomAccessSource, _ options: StreamOptions = StreamOptions(),
    limits: SubtitleLimits = SubtitleLimits()
  ) throws {
    try self.init(of: [movie], from: [source], options, limits: limits)
  }

  /// The plan of several movies that are variants of one programme: the pictures of all, sound and text of the first
  /// that has them. Their segments must begin at the same times.
  public init(
    of movies: [Movie], from sources: [any RandomAccessSource], _ options: StreamOptions = StreamOptions(),
    limits: SubtitleLimits = SubtitleLimits()
  ) throws {
    try self.init(of: movies, from: sources, options, limits: limits) { error, _ in
      (error as? StreamRefusal)?.error ?? error
    }
  }

  /// The plan of a movie whose page was made of `contents`.
  init(
    of movie: Movie, from source: any RandomAccessSource, _ options: StreamOptions, limits: SubtitleLimits,
    contents: MovieContents
  ) throws {
    var planner = try StreamPlanner(
      [movie], from: [source], options: options, limits: limits, contents: contents
    ) { error, _ in (error as? StreamRefusal)?.error ?? error }
    self = try planner.plan()
  }

  /// The plan of several movies, for a command.
  ///
  /// - Parameters:
  ///   - recordings: the recordings that movies were made of, by the movies' indices. Their timed events are those of the
  ///     presentation, for a movie that is no longer fragmented has no segments from which the events' times count.
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

  /// The index of the movie whose sound a presentation of the movies has: the first one with sound that plays in HLS, or
  /// `nil` if no movie has any.
  ///
  /// Costs the fragments of the movies up to that one. Throws as planning the presentation does.
  package static func indexOfSound(
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
