/// A movie that may have a truncated or damaged movie atom. It consists of the readable tracks and atoms, and the
/// error.
///
/// Titles, dates and chapters are often still readable, because an interrupted copy lacks only the end of the movie
/// atom, and a damaged track does not affect other tracks. A damaged movie can be shown, but is never edited.
package struct ReadableMovie: Sendable {
  /// The movie, without unreadable tracks.
  package let movie: Movie
  /// The first error, or `nil` if the movie is intact.
  package let error: MovieError?

  /// Reads a movie, and skips unreadable tracks and atoms.
  ///
  /// Throws like ``Movie/init(of:limits:)`` if even `mvhd` is unreadable.
  package init(of source: some RandomAccessSource, limits: MovieLimits = MovieLimits()) throws {
    do {
      movie = try Movie(of: source, limits: limits)
      error = nil
    } catch let error as MovieError where [.malformed, .truncated].contains(error.code) {
      do {
        movie = try Self.readDamagedMovie(of: source, limits)
      } catch is MovieError {
        throw error  // The original error is more informative.
      }
      self.error = error
    }
  }

  private static func readDamagedMovie(of source: some RandomAccessSource, _ limits: MovieLimits) throws -> Movie {
    let layout = try FileLayout(of: source, limits: limits)
    return try source.reading(since: layout.identity) {
      guard let atom = layout.first("moov"), atom.range.count <= limits.movieByteCount else {
        throw MovieError(.notAMovie, "has no movie atom (moov)")
      }
      let tree: AtomTree
      if atom.isTruncated {
        var bytes = try source.readExactly(atom.range).array
        shortenAtoms(in: &bytes)
        tree = try AtomTree(Bytes(bytes), at: atom.range.offset, limits: limits)
      } else {
        tree = try Movie.movieTree(of: source, layout: layout, limits: limits)
      }
      let fileType = try Movie.fileType(of: source, layout: layout)
      return try Movie(damagedTree: tree, layout: layout, fileType: fileType, limits: limits)
    }
  }

  /// The atoms that are read even if they are truncated. A truncated atom of any other type is dropped, because a
  /// partial value is useless. The truncated atom is always the last atom.
  private static let containers: Set<FourCC> = ["moov", "trak", "mdia", "minf", "stbl", "udta", "meta", "ilst", "edts"]

  /// Shortens all atoms that extend past the end of the bytes. The innermost of these atoms becomes free space.
  private static func shortenAtoms(in bytes: inout [UInt8]) {
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
      // In ISO files, `meta` contains version and flags before its children.
      if header.type == "meta", Self.header(in: bytes, at: position)?.type != "hdlr" { position += 4 }
    }
    // The remaining bytes are too few for an atom header, so replace them with zeros.
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

  /// Overwrites a header with a header of equal size.
  private static func patch(
    _ bytes: inout [UInt8], at position: Int, byteCount: Int, _ headerByteCount: Int, type: FourCC
  ) {
    let header = AtomHeader.bytes(UInt64(byteCount), type, isWide: headerByteCount == 16)
    guard header.count == headerByteCount, position + header.count <= bytes.count else { return }
    bytes.replaceSubrange(position..<position + header.count, with: header)
  }
}

/// Files in which a second movie was appended to the first, byte for byte.
///
/// All offsets in the second movie count from the start of its original file, and the times of its fragments restart.
/// Players present the first movie or mix both movies, so no command reads such a file.
///
/// A second movie atom without a second `ftyp` is a copy that a program left in the file. Players and all commands that
/// do not write read the first movie atom.
enum JoinedMovies {
  /// Returns an error at the start of the second movie for two joined movies, or `nil` for other files.
  static func error(of layout: FileLayout) -> MovieError? {
    guard let start = layout.startOfSecondMovie else { return nil }
    return MovieError(
      .unsupported, at: start, in: "ftyp",
      "the file has more than one movie atom: a second movie was appended to the first; split the file here")
  }
}

extension FileLayout {
  /// The second movie atom, or `nil` if there is none.
  package var secondMovieAtom: TopLevelAtom? { atoms.lazy.filter { $0.type == "moov" }.dropFirst().first }

  /// The offset of the second `ftyp` of two joined movies, or `nil` if the second movie or its `ftyp` is missing.
  package var startOfSecondMovie: UInt64? {
    guard secondMovieAtom != nil else { return nil }
    return atoms.lazy.filter { $0.type == "ftyp" }.dropFirst().first?.range.offset
  }
}
