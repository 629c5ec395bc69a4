/// Movies that were appended one to the other byte for byte.
///
/// Every position in the second movie counts from the start of a file that no longer is one, and times of its fragments
/// begin again. Players show the first movie, or mix both; so no command reads such a file.
enum JoinedMovies {
  /// Why a file cannot be read that has more than one movie atom, or `nil` if it has no second one.
  ///
  /// The offset of the error is where the second movie begins, as far as a file type atom tells.
  static func refusal(of layout: FileLayout) -> MovieError? {
    var movieAtoms = layout.atoms.lazy.filter { $0.type == "moov" }.makeIterator()
    guard movieAtoms.next() != nil, let second = movieAtoms.next() else { return nil }
    guard let start = layout.startOfSecondMovie else {
      return MovieError(
        .unsupported, at: second.range.offset, in: "moov", "the file has more than one movie atom: this is the second")
    }
    return MovieError(
      .unsupported, at: start, in: "ftyp",
      "the file has more than one movie atom: a second movie was appended to the first; split the file here")
  }
}

extension FileLayout {
  /// Where the second of two movies begins that were appended one to the other: at its file type atom. `nil` for a file
  /// of one movie, and without such an atom.
  package var startOfSecondMovie: UInt64? {
    guard atoms.count(where: { $0.type == "moov" }) > 1 else { return nil }
    return atoms.lazy.filter { $0.type == "ftyp" }.dropFirst().first?.range.offset
  }
}
