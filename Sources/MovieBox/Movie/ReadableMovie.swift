/// The readable parts of a movie whose movie atom is cut off or broken, and the error.
///
/// Titles, dates and chapters are often in parts that are whole: an interrupted copy lacks only the end of the movie
/// atom, a broken track does not affect the others. Such a movie can be shown, and is never edited.
package struct ReadableMovie: Sendable {
  /// The movie, without the tracks that cannot be read.
  package let movie: Movie
  /// The first thing that is wrong, or `nil` for a movie that is whole.
  package let error: MovieError?

  /// Reads what can be read of a movie.
  ///
  /// Throws what reading a movie throws if not even the header of the movie can be read.
  package init(of source: some RandomAccessSource, limits: MovieLimits = MovieLimits()) throws {
    do {
      movie = try Movie(of: source, limits: limits)
      error = nil
    } catch let error as MovieError where [.malformed, .truncated].contains(error.code) {
      do {
        movie = try Self.remains(of: source, limits)
      } catch is MovieError {
        throw error  // The first reason says more than what is wrong with the remains.
      }
      self.error = error
    }
  }

  private static func remains(of source: some RandomAccessSource, _ limits: MovieLimits) throws -> Movie {
    let layout = try FileLayout(of: source, limits: limits)
    return try source.reading(since: layout.identity) {
      guard let atom = layout.first("moov"), atom.range.count <= limits.movieByteCount else {
        throw MovieError(.notAMovie, "has no movie atom (moov)")
      }
      let tree: AtomTree
      if atom.isTruncated {
        var bytes = try source.readExactly(atom.range).array
        closeAtoms(in: &bytes)
        tree = try AtomTree(Bytes(bytes), at: atom.range.offset, limits: limits)
      } else {
        tree = try Movie.movieTree(of: source, layout: layout, limits: limits)
      }
      let fileType = try Movie.fileType(of: source, layout: layout)
      return try Movie(readablePartsOf: tree, layout: layout, fileType: fileType, limits: limits)
    }
  }

  /// The atoms that are read although they are cut off. The last atom that is cut off is none of these, and part of a
  /// value is no value.
  private static let containers: Set<FourCC> = ["moov", "trak", "mdia", "minf", "stbl", "udta", "meta", "ilst", "edts"]

  /// Ends all atoms that reach beyond the end of the bytes there. The innermost becomes free space.
  private static func closeAtoms(in bytes: inout [UInt8]) {
    var (position, parent) = (0, FourCC(rawValue: 0))
    while let header = header(in: bytes, at: position) {
      let left = bytes.count - position
      if position > 0, let size = header.size, size <= left {
        position += size
        continue
      }
      let isItem = parent == "ilst"
      let isOpen = isItem || containers.contains(header.type)
      patch(&bytes, at: position, byteCount: left, header.byteCount, type: isOpen ? header.type : "free")
      guard isOpen else { return }
      parent = header.type
      position += header.byteCount
      // ISO's `meta` has a version and flags before its children.
      if header.type == "meta", Self.header(in: bytes, at: position)?.type != "hdlr" { position += 4 }
    }
    // Less than a header is left.
    guard position < bytes.count else { return }
    bytes.replaceSubrange(position..., with: repeatElement(0, count: bytes.count - position))
  }

  private static func header(in bytes: [UInt8], at position: Int) -> (type: FourCC, size: Int?, byteCount: Int)? {
    do throws(AtomHeader.Failure) {
      let header = try AtomHeader(Bytes(Array(bytes.dropFirst(position).prefix(16))), at: 0)
      let size: Int? = if case .bytes(let size) = header.size { Int(exactly: size) } else { nil }
      return (header.type, size, header.byteCount)
    } catch {
      return nil
    }
  }

  /// Writes a header of the same width.
  private static func patch(
    _ bytes: inout [UInt8], at position: Int, byteCount: Int, _ headerByteCount: Int, type: FourCC
  ) {
    let header = AtomHeader.bytes(UInt64(byteCount), type, isWide: headerByteCount == 16)
    guard header.count == headerByteCount, position + header.count <= bytes.count else { return }
    bytes.replaceSubrange(position..<position + header.count, with: header)
  }
}

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

  /// The start of the second of two appended movies: its file type atom. `nil` for a file of one movie, and without
  /// such an atom.
  package var startOfSecondMovie: UInt64? {
    guard secondMovieAtom != nil else { return nil }
    return atoms.lazy.filter { $0.type == "ftyp" }.dropFirst().first?.range.offset
  }
}
