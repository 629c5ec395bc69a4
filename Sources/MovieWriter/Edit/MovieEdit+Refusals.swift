package import MovieBox

extension MovieEdit {
  /// Returns the reason why a movie cannot be edited, or `nil` if it can. Makes one pass over the sample tables.
  package static func refusal(of movie: Movie, exceptOfInitializationSegments takesSegments: Bool = false)
    -> MovieError?
  {
    refusal(
      of: movie, misplacedSamples: movie.misplacedSamples(), exceptOfInitializationSegments: takesSegments)
  }

  /// The error for an edit that changes more than the metadata of an initialization segment, or `nil` if the edit is
  /// possible.
  ///
  /// The samples are in other files, which identify tracks by their IDs and depend on the rest of the movie atom.
  var initializationSegmentRefusal: MovieError? {
    guard movie.isInitializationSegment, stages.flattened == nil else { return nil }
    let changesMetadataAtMost =
      !changesTracks && stages.converted == nil && changes.sharing == nil && changes.chapters == nil
      && !stages.mustFlatten
    return changesMetadataAtMost ? nil : Self.refusal(of: movie)
  }

  /// Returns the reason why a movie cannot be edited, or `nil` if it can.
  ///
  /// - Parameter misplacedSamples: the known ``Movie/misplacedSamples()``.
  package static func refusal(
    of movie: Movie, misplacedSamples: [MovieError], exceptOfInitializationSegments takesSegments: Bool = false
  ) -> MovieError? {
    let offset = movie.movieAtom.range.offset
    if let brand = imageBrand(of: movie) {
      return MovieError(.unsupported, at: 0, in: "ftyp", "the file is an image (brand \(brand)), not a movie")
    }
    if let second = movie.layout.secondMovieAtom {
      return MovieError(
        .malformed, at: second.range.offset, in: "moov", "the file has more than one movie atom; this is the second")
    }
    if movie.isInitializationSegment, !takesSegments {
      return MovieError(
        .unsupported, at: offset, in: "moov", "the file is an initialization segment: its samples are in other files")
    }
    if movie.header.timeScale == 0 {
      return MovieError(.malformed, at: offset, in: "moov/mvhd", "the movie's time scale is 0")
    }
    if let refusal = movie.referenceMovieError { return refusal }
    if movie.tracks.isEmpty { return MovieError(.unsupported, at: offset, in: "moov", "the movie has no tracks") }
    if let image = movie.tracks.first(where: { $0.mediaType.rawValue == "pict" }) {
      return movie.tree.error(
        .unsupported, at: image.atom, "the file is an image sequence (pict), not a movie")
    }
    return misplacedSamples.first
  }

  /// Returns the brand that makes the file an image: the major brand, or a compatible brand if the file has no video or
  /// audio track. Phones add compatible image brands to movies that contain a still.
  private static func imageBrand(of movie: Movie) -> FourCC? {
    guard let fileType = movie.fileType else { return nil }
    if imageBrands.contains(fileType.majorBrand) { return fileType.majorBrand }
    let isMovie = movie.tracks.contains { $0.mediaType == .video || $0.mediaType == .audio }
    return isMovie ? nil : fileType.compatibleBrands.first { imageBrands.contains($0) }
  }

  /// Notices about the movie itself, regardless of the requests.
  var noticesAboutMovie: [EditNotice] {
    let movie = stages.original
    var notices: [EditNotice] = []
    if movie.hasCompressedMovieAtom {
      notices.append(.movieAtomInflated)
    }
    for track in movie.tracks {
      guard track.hasExternalMedia, changes.media.external[track.id] == nil else { continue }
      notices.append(.externalMediaKept(track: track.id))
    }
    if movie.layout.atoms.contains(where: { $0.userType == Self.contentCredentials }) {
      notices.append(.signatureInvalidated)
    }
    return notices
  }

  /// The `uuid` of content credentials (C2PA Technical Specification, "Embedding manifests into BMFF").
  private static let contentCredentials = Bytes([
    0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
  ])

  private static let imageBrands: Set<FourCC> = [
    "avif", "avis", "heic", "heix", "mif1", "msf1", "crx ", "jp2 ", "jpx ",
  ]
}

extension MovieEdit {
  /// Warnings about offsets in atoms of camera manufacturers. These offsets are wrong in a new file.
  package var warningsForNewFile: [EditNotice] {
    var warnings: [EditNotice] = []
    if movie.tree.child(of: movie.tree.root, "gps ") != nil { warnings.append(.cameraOffsets(in: "gps in moov")) }
    if hasCanonOffsets { warnings.append(.cameraOffsets(in: "CTBO in moov/uuid")) }
    if let trailing = movie.layout.trailing, changes.sharing == nil { warnings.append(.trailingBytes(trailing.count)) }
    if let hiddenItem = ItemLocations.firstHidden(in: movie.tree) {
      warnings.append(.hiddenItemOffsets(in: movie.tree.path(of: hiddenItem)))
    }
    return warnings
  }

  /// Whether `moov` contains Canon's `uuid` atom with `CTBO`. Like CR3 files, movies from these cameras list the offsets
  /// and sizes of top-level atoms there.
  private var hasCanonOffsets: Bool {
    movie.tree.children(of: movie.tree.root, "uuid").contains { uuid in
      let payload = movie.tree.payload(of: uuid)
      return payload.slice(at: 0, count: 16) == Self.canonUUID
        && AtomList(payload, from: 16).contains { $0.type == "CTBO" }
    }
  }

  private static let canonUUID = Bytes([
    0x85, 0xC0, 0xB6, 0x87, 0x82, 0x0F, 0x11, 0xE0, 0x81, 0x11, 0xF4, 0xCE, 0x46, 0x2B, 0x6A, 0x48,
  ])
}
