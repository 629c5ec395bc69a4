/// Movies that were appended one to the other byte for byte.
///
/// Every position in the second movie counts from the start of a file that no longer is one, and times of its fragments
/// begin again. Players show the first movie, or mix both; so no command reads such a file.
///
/// A second movie atom without a second file type atom is something else: a copy that a writer forgot. Players read
/// the first, and so do commands that do not write.
enum JoinedMovies {
  /// The error for a file of two movies, at the start of the second, or `nil` for any other file.
  static func refusal(of layout: FileLayout) -> MovieError? {
    guard let start = layout.startOfSecondMovie else { return nil }
    return MovieError(
      .unsupported, at: start, in: "ftyp",
      "the file has more than one movie atom: a second movie was appended to the first; split the file here")
  }
}

extension FileLayout {
  /// The second movie atom, or `nil` if there is no more than one.
  package var secondMovieAtom: TopLevelAtom? { atoms.lazy.filter { $0.type == "moov" }.dropFirst().first }

  /// Where the second of two movies begins that were appended one to the other: at its file type atom. `nil` for a file
  /// of one movie, and without such an atom.
  package var startOfSecondMovie: UInt64? {
    guard secondMovieAtom != nil else { return nil }
    return atoms.lazy.filter { $0.type == "ftyp" }.dropFirst().first?.range.offset
  }
}
