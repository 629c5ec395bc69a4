/// A movie described by its contents and its layout. `build()` returns the file.
///
///     var movie = TestMovie(tracks: [TestTrack(.video, id: 1), TestTrack(.sound, id: 2)])
///     movie.layout = .movieFirst
///     let bytes = movie.bytes()
package struct TestMovie: Sendable {
  /// Whether the movie follows QuickTime's rules or ISO's.
  package enum Dialect: Sendable {
    case quickTime, iso
  }

  /// A top-level item of the file.
  package enum Piece: Sendable {
    case fileType
    case wide
    /// A `free` atom of this total size.
    case free(Int)
    case movie(HeaderForm)
    /// An `mdat`. If there are several, each contains an equal share of the chunks.
    case media(HeaderForm)
    /// A file-level `meta` with `fileItem`, located by `iloc`.
    case itemTable
    /// Arbitrary bytes: `uuid`, a vendor's trailer, one to seven stray bytes.
    case bytes([UInt8])
    /// A `free` atom with a 64-bit size over this many unwritten bytes: the file is sparse.
    case hole(UInt64)
    /// An `mdat` of this many unwritten bytes.
    case mediaHole(UInt64)
  }

  package var dialect = Dialect.quickTime
  /// The brands, `nil` for brands that suit the dialect, or an empty array for no `ftyp`.
  package var brands: [String]?
  package var timeScale = 600
  package var tracks: [TestTrack]
  package var layout: [Piece] = .movieLast
  /// Whether each track's chunks follow the chunks of the previous track, without interleaving.
  package var storesTrackAfterTrack = false
  /// Whether `mvhd` has version 1.
  package var usesLongTimes = false
  /// The next track ID, or `nil` for one more than the highest track ID.
  package var nextTrackID: UInt32?
  /// The duration in movie ticks, or `nil` for the duration of the longest track.
  package var duration: Int?
  /// The content of the movie's `udta`, or `nil` to omit the atom.
  package var userData: [UInt8]?
  /// Atoms after `mvhd`, and at the end of `moov`.
  package var atomsAfterHeader: [UInt8] = []
  package var movieAtoms: [UInt8] = []
  /// Whether the movie atom is compressed (`cmov`), by stored deflate blocks.
  package var hasCompressedMovieAtom = false
  /// An item of the file's `meta` and of the movie's.
  package var fileItem: [UInt8]?
  package var movieItem: [UInt8]?

  package init(tracks: [TestTrack]) {
    self.tracks = tracks
  }

  /// Returns a modified copy.
  package func with(_ change: (inout TestMovie) -> Void) -> TestMovie {
    var copy = self
    change(&copy)
    return copy
  }

  /// Returns the file in memory.
  package func bytes() -> [UInt8] {
    build().bytes
  }

  func ftyp() -> [UInt8] {
    let brands = brands ?? (dialect == .quickTime ? ["qt  "] : ["isom", "isom", "iso2", "mp41"])
    guard let major = brands.first else { return [] }
    return atom("ftyp") {
      code(major)
      u32(0x200)
      (brands.count == 1 ? brands : Array(brands.dropFirst())).flatMap { code($0) }
    }
  }

  func moov(_ form: HeaderForm, _ places: MediaPlaces) -> [UInt8] {
    guard hasCompressedMovieAtom else { return plainMoov(form, places) }
    let plain = plainMoov(.ordinary, places)
    return compressedMoov(zlib: storedZlib(plain), inflatedByteCount: plain.count, header: form)
  }

  private func plainMoov(_ form: HeaderForm, _ places: MediaPlaces) -> [UInt8] {
    atom("moov", header: form) {
      mvhd()
      atomsAfterHeader
      for track in tracks { track.trak(in: self, places: places) }
      if let userData { atom("udta") { userData } }
      if let movieItem {
        itemMeta(dialect, position: places[.movieItem], byteCount: movieItem.count, usesBase: true)
      }
      movieAtoms
    }
  }

  private func mvhd() -> [UInt8] {
    let created: UInt64 = 0xD900_0000
    let longest = tracks.map { $0.durationInMovieTicks(timeScale) }.max() ?? 0
    let next = nextTrackID ?? (tracks.map(\.id).max() ?? 0) &+ 1
    return fullAtom("mvhd", version: usesLongTimes ? 1 : 0) {
      usesLongTimes ? u64(created, created + 60) : u32(Int(created), Int(created) + 60)
      u32(timeScale)
      usesLongTimes ? u64(UInt64(truncatingIfNeeded: duration ?? longest)) : u32(duration ?? longest)
      u32(0x10000)
      u16(0x100)
      zeros(10)
      [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000].flatMap { u32($0) }
      zeros(24)
      u32(Int(next))
    }
  }
}

extension [TestMovie.Piece] {
  /// `ftyp wide mdat moov`, the layout of cameras and encoders.
  package static let movieLast: [TestMovie.Piece] = [.fileType, .wide, .media(.ordinary), .movie(.ordinary)]
  /// `ftyp moov mdat`: fast start.
  package static let movieFirst: [TestMovie.Piece] = [.fileType, .movie(.ordinary), .media(.ordinary)]
  /// `ftyp mdat moov mdat`.
  package static let movieBetween: [TestMovie.Piece] = [
    .fileType, .media(.ordinary), .movie(.ordinary), .media(.ordinary),
  ]
}
