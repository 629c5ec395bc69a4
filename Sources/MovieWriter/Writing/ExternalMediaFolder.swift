package import MovieBox

extension MovieEdit {
  /// Copies samples from files in the movie's folder or below it into the new movie, and changes the data references
  /// accordingly. A reference to any other place is rejected.
  ///
  /// Throws ``/MovieBox/FileError`` for unreadable files, and ``/MovieBox/MovieError`` for rejected references. If the
  /// function throws, the edit is unchanged.
  ///
  ///     let source = try FileSource(path: "reference.mov")
  ///     var edit = try MovieEdit(of: Movie(of: source), from: source)
  ///     try edit.makeSelfContained(inFolderOf: "reference.mov")
  ///     try MovieFileWriter(edit, to: .newFile("whole.mov", overwrites: false, synchronizes: false)).write()
  public mutating func makeSelfContained(inFolderOf path: String) throws {
    try makeSelfContained(ExternalMediaFolder(of: path).open)
  }
}

/// Follows data references to files that lie in the folder of a movie or below it, and to no others.
///
/// A movie from elsewhere could refer to any file that its reader may open, and so disclose the file in a copy. Therefore
/// a path that leaves the folder, by `..`, from the root, or through a symbolic link, is rejected, and so is a network
/// address. A file is opened only after the checks that it is in the folder and is an ordinary file. (A process that
/// renames folders there between check and opening can defeat the checks.)
package struct ExternalMediaFolder: Sendable {
  /// The folder as the caller wrote it, with a slash; empty for the current folder.
  private let shownFolder: String
  /// The folder with symbolic links resolved, and a slash.
  private let folder: String
  private let movie: FileStatus

  /// Creates the folder of the movie at `path`. If `path` is a symbolic link, this is the folder of the linked file.
  ///
  /// Throws ``FileError`` if the file does not exist.
  package init(of path: String) throws(FileError) {
    let (resolved, named, status) = try FileError.withFileErrors(.noInput, path) { () throws(SystemError) in
      let resolved = try SystemCalls.resolve(path)
      return (
        resolved, try SystemCalls.resolve(FilePath(path).folder),
        try SystemCalls.status(at: resolved, followingLinks: false)
      )
    }
    guard let status else { throw FileError(.noInput, path, "was removed a moment ago") }
    movie = status
    folder = Self.withSlash(FilePath(resolved).folder)
    let isNamedSo = Self.withSlash(named) == folder
    shownFolder =
      !isNamedSo ? folder : path.utf8.contains(UInt8(ascii: "/")) ? Self.withSlash(FilePath(path).folder) : ""
  }

  private static func withSlash(_ folder: String) -> String {
    folder.utf8.last == UInt8(ascii: "/") ? folder : folder + "/"
  }

  /// Opens the file to which a reference points.
  ///
  /// Throws ``MovieError`` for a rejected reference, including one to the movie itself, and ``FileError`` for a file that
  /// is missing, unreadable, or not an ordinary file.
  package func open(_ reference: ExternalReference) throws -> ExternalFile {
    let name = try name(reference)
    let shown = shownFolder + name
    let path: String
    let status: FileStatus?
    do {
      path = try SystemCalls.resolve(folder + name)
      guard path.utf8.starts(with: folder.utf8) else {
        throw refusal(reference, "lies in \(shown), a link that leaves the movie's folder, and is not followed")
      }
      status = try SystemCalls.status(at: path, followingLinks: false)
    } catch let error as SystemError {
      throw FileError(.noInput, shown, "\(error); the media of track \(reference.trackID) lies in this file")
    }
    if let status, status.isSameFile(as: movie) {
      throw refusal(reference, "has a reference to another file, \(shown), which is the movie itself")
    }
    if let status, status.kind != .ordinary {
      throw FileError(
        .noInput, shown,
        "is \(status.kind.rawValue), not an ordinary file; track \(reference.trackID) refers to it")
    }
    do {
      // Named by its resolved path, so that several links to one file result in one name.
      return ExternalFile(
        name: shownFolder + String(decoding: path.utf8.dropFirst(folder.utf8.count), as: UTF8.self),
        source: try FileSource(path: path))
    } catch {
      throw FileError(error.code, shown, "\(error.reason); the media of track \(reference.trackID) lies in this file")
    }
  }

  /// Returns the path in a reference, relative to the folder.
  private func name(_ reference: ExternalReference) throws(MovieError) -> String {
    switch reference.entry.location {
    case .besideMovie(let names): return names.joined(separator: "/")
    case .absolute(let path):
      let parts = path.utf8.split(separator: UInt8(ascii: "/"))
      guard path.utf8.starts(with: folder.utf8), !parts.contains(where: { $0.elementsEqual("..".utf8) }) else {
        throw outsideFolder(reference, path)
      }
      return String(decoding: path.utf8.dropFirst(folder.utf8.count), as: UTF8.self)
    case .elsewhere(let place): throw outsideFolder(reference, place)
    case .resourceFork:
      throw refusal(reference, "lies in a resource fork, which only a Macintosh can read")
    case .unknown, .sameFile:
      throw refusal(reference, "lies in another file, but the reference does not name it")
    }
  }

  private func outsideFolder(_ reference: ExternalReference, _ place: String) -> MovieError {
    refusal(reference, "lies in \(place), outside of the movie's folder, and is not followed")
  }

  private func refusal(_ reference: ExternalReference, _ reason: String) -> MovieError {
    MovieError(
      .unsupported, at: reference.offset, in: reference.path,
      "the media of track \(reference.trackID) \(reason); put the file beside the movie and refer to it by name, or keep "
        + "the reference")
  }
}
