package import MovieBox

extension MovieEdit {
  /// Takes along the samples that lie in files of the movie's folder or below it: the new movie has them itself, and
  /// its references say so. A reference that leads elsewhere is refused.
  ///
  /// Throws ``/MovieBox/FileError`` for files that cannot be read, and ``/MovieBox/MovieError`` for references that are
  /// not followed. The edit is then unchanged.
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
/// A reference may name any file that whoever opens the movie may read. A path that leaves the folder, by `..`, from
/// the root, or through a symbolic link, is refused, and so is a network; nothing is opened before a file is known to
/// lie in the folder and to be an ordinary one. (Who can rename folders there at that very moment can lead it astray.)
package struct ExternalMediaFolder: Sendable {
  /// The folder as the caller names it, with a slash, or nothing for the current one.
  private let shownFolder: String
  /// The folder without symbolic links, with a slash.
  private let folder: String
  private let movie: FileStatus

  /// The folder of the movie that `path` names; of what a symbolic link points to, where it is one.
  ///
  /// Throws ``FileError`` where there is no such file.
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

  /// The file that a reference leads to.
  ///
  /// Throws ``MovieError`` for a reference that is not followed, or leads to the movie itself; ``FileError`` for a file
  /// that is missing, may not be read, or is not an ordinary one.
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
      throw refusal(reference, "is said to lie in another file, \(shown), which is the movie itself")
    }
    if let status, status.kind != .ordinary {
      throw FileError(
        .noInput, shown,
        "is \(status.kind.rawValue), not an ordinary file; the media of track \(reference.trackID) is said to lie in it"
      )
    }
    do {
      // Links to one file have one name, that of what they lead to.
      return ExternalFile(
        name: shownFolder + String(decoding: path.utf8.dropFirst(folder.utf8.count), as: UTF8.self),
        source: try FileSource(path: path))
    } catch {
      throw FileError(error.code, shown, "\(error.reason); the media of track \(reference.trackID) lies in this file")
    }
  }

  /// What a reference names, from the folder on.
  private func name(_ reference: ExternalReference) throws(MovieError) -> String {
    switch reference.entry.location {
    case .besideMovie(let names): return names.joined(separator: "/")
    case .absolute(let path):
      let parts = path.utf8.split(separator: UInt8(ascii: "/"))
      guard path.utf8.starts(with: folder.utf8), !parts.contains(where: { $0.elementsEqual("..".utf8) }) else {
        throw leaving(reference, path)
      }
      return String(decoding: path.utf8.dropFirst(folder.utf8.count), as: UTF8.self)
    case .elsewhere(let place): throw leaving(reference, place)
    case .resourceFork:
      throw refusal(reference, "lies in a resource fork, which only a Macintosh can read")
    case .unknown, .sameFile:
      throw refusal(reference, "lies in another file, and the reference does not say in which")
    }
  }

  private func leaving(_ reference: ExternalReference, _ place: String) -> MovieError {
    refusal(reference, "lies in \(place), outside of the movie's folder, and is not followed")
  }

  private func refusal(_ reference: ExternalReference, _ reason: String) -> MovieError {
    MovieError(
      .unsupported, at: reference.offset, in: reference.path,
      "the media of track \(reference.trackID) \(reason); have the file beside the movie and named as such, or keep the "
        + "reference")
  }
}
