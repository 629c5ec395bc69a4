import MovieBox

extension MovieEdit {
  /// Copies samples from files in the movie's folder or below it into the new movie, and changes the data references
  /// accordingly. A reference to any other location is rejected.
  ///
  /// Throws ``/MovieBox/FileError`` for unreadable files, and ``/MovieBox/MovieError`` for rejected references. If the
  /// function throws, the edit is unchanged.
  ///
  ///     let source = try FileSource(path: "reference.mov")
  ///     var edit = try MovieEdit(of: Movie(of: source), from: source)
  ///     try edit.makeSelfContained(inFolderOf: "reference.mov")
  ///     try MovieFileWriter(edit, to: .newFile("whole.mov", overwrites: false, synchronizes: false)).write()
  @discardableResult
  public mutating func makeSelfContained(inFolderOf path: String) throws -> [String] {
    try makeSelfContained { try ExternalMediaFolder(of: path).open($0) }.map(\.name)
  }
}

/// Opens the files to which references point if they are in the folder of a movie or below it, and rejects all other
/// references.
///
/// A movie from an untrusted source could refer to any file that its reader may open, and a copy would then disclose
/// that file. Therefore, a path that leaves the folder is rejected, whether by `..`, from the root, or through a
/// symbolic link. A network address is rejected as well. A file is opened only after verifying that it is in the folder
/// and is an ordinary file. (A process that renames folders there between the check and the opening can defeat the
/// checks.)
struct ExternalMediaFolder: Sendable {
  /// The folder as the caller wrote it, with a slash, or empty for the current folder.
  private let shownFolder: String
  /// The resolved path of the folder, without symbolic links and with a slash at its end.
  private let folder: String
  private let movie: FileStatus

  /// Creates the folder of the movie at `path`. If `path` is a symbolic link, this is the folder of the linked file.
  ///
  /// Throws ``FileError`` if the file does not exist.
  init(of path: String) throws(FileError) {
    let (resolved, named, status) = try FileError.withFileErrors(.noInput, path) { () throws(SystemError) in
      let resolved = try SystemCalls.resolve(path)
      return (
        resolved, try SystemCalls.resolve(FilePath(path).folder),
        try SystemCalls.status(at: resolved, followingLinks: false)
      )
    }
    guard let status else { throw FileError(.noInput, path, "was removed in the meantime") }
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
  /// Throws ``MovieError`` for a rejected reference, including a reference to the movie itself. Throws ``FileError``
  /// for a file that is missing, unreadable, or not an ordinary file.
  func open(_ reference: ExternalReference) throws -> ExternalFile {
    let name = try name(reference)
    let shownPath = shownFolder + name
    let path: String
    let status: FileStatus?
    do {
      path = try SystemCalls.resolve(folder + name)
      guard path.utf8.starts(with: folder.utf8) else {
        throw refusal(reference, "is in \(shownPath), a link that leaves the movie's folder and is not followed")
      }
      status = try SystemCalls.status(at: path, followingLinks: false)
    } catch let error as SystemError {
      throw FileError(.noInput, shownPath, "\(error); the media of track \(reference.trackID) is in this file")
    }
    if let status, status.isSameFile(as: movie) {
      throw refusal(reference, "has a reference to \(shownPath), which is the movie itself")
    }
    if let status, status.kind != .ordinary {
      throw FileError(
        .noInput, shownPath,
        "is \(status.kind.rawValue), not an ordinary file; track \(reference.trackID) refers to it")
    }
    do {
      // The name is the resolved path, so that several links to one file result in one name.
      return ExternalFile(
        name: shownFolder + String(decoding: path.utf8.dropFirst(folder.utf8.count), as: UTF8.self),
        source: try FileSource(path: path))
    } catch {
      throw FileError(error.code, shownPath, "\(error.reason); the media of track \(reference.trackID) is in this file")
    }
  }

  /// Returns the path in a reference, relative to the folder.
  private func name(_ reference: ExternalReference) throws(MovieError) -> String {
    switch reference.entry.location {
    case .inMovieFolder(let names): return names.joined(separator: "/")
    case .absolute(let path):
      let parts = path.utf8.split(separator: UInt8(ascii: "/"))
      guard path.utf8.starts(with: folder.utf8), !parts.contains(where: { $0.elementsEqual("..".utf8) }) else {
        throw outsideFolderError(reference, path)
      }
      return String(decoding: path.utf8.dropFirst(folder.utf8.count), as: UTF8.self)
    case .elsewhere(let place): throw outsideFolderError(reference, place)
    case .resourceFork:
      throw refusal(reference, "is in a resource fork, which only a Macintosh can read")
    case .unknown, .sameFile:
      throw refusal(reference, "is in another file, but the reference does not name that file")
    }
  }

  private func outsideFolderError(_ reference: ExternalReference, _ place: String) -> MovieError {
    refusal(reference, "is in \(place), outside the movie's folder, and is not followed")
  }

  private func refusal(_ reference: ExternalReference, _ reason: String) -> MovieError {
    MovieError(
      .unsupported, at: reference.offset, in: reference.path,
      "the media of track \(reference.trackID) \(reason); move the file to the movie's folder and refer to it by name, or keep "
        + "the reference")
  }
}
