package import MovieBox

extension MovieEdit {
  /// Why a movie cannot be edited; `nil` when it can. Costs one pass over the sample tables.
  package static func refusal(of movie: Movie, exceptOfInitializationSegments takesSegments: Bool = false)
    -> MovieError?
  {
    refusal(
      of: movie, misplacedSamples: movie.misplacedSamples(), exceptOfInitializationSegments: takesSegments)
  }

  /// The refusal of an edit of an initialization segment that changes more than metadata, or `nil` if the edit is
  /// possible.
  ///
  /// The samples are in other files, which name tracks by their numbers and rely on all else in the movie atom.
  var initializationSegmentRefusal: MovieError? {
    guard movie.isInitializationSegment, stages.flattened == nil else { return nil }
    let changesMetadataAtMost =
      !changesTracks && stages.converted == nil && changes.sharing == nil && changes.chapters == nil
      && !stages.mustFlatten
    return changesMetadataAtMost ? nil : Self.refusal(of: movie)
  }

  /// Why a movie cannot be edited whose ``Movie/misplacedSamples()`` are known; `nil` when it can.
  package static func refusal(
    of movie: Movie, misplacedSamples: [MovieError], exceptOfInitializationSegments takesSegments: Bool = false
  ) -> MovieError? {
    let offset = movie.movieAtom.range.offset
    if let brand = imageBrand(of: movie) {
      return MovieError(.unsupported, at: 0, in: "ftyp", "an image file (brand \(brand)), not a movie")
    }
    if let second = movie.layout.secondMovieAtom {
      return MovieError(
        .malformed, at: second.range.offset, in: "moov", "the file has more than one movie atom; this is the second")
    }
    if movie.isInitializationSegment, !takesSegments {
      return MovieError(
        .unsupported, at: offset, in: "moov", "an initialization segment: its samples are in other files")
    }
    if movie.header.timeScale == 0 {
      return MovieError(.malformed, at: offset, in: "moov/mvhd", "the movie's time scale is 0")
    }
    if let refusal = movie.refusalAsReferenceMovie { return refusal }
    if movie.tracks.isEmpty { return MovieError(.unsupported, at: offset, in: "moov", "the movie has no tracks") }
    if let image = movie.tracks.first(where: { $0.mediaType.rawValue == "pict" }) {
      return movie.tree.error(
        .unsupported, at: image.atom, "an image sequence (pict), not a movie")
    }
    return misplacedSamples.first
  }

  /// The brand that makes the file one of images: the major one, or a compatible one where no track is of pictures or
  /// sound. Movies of phones name image brands beside their own, for a still that they carry along.
  private static func imageBrand(of movie: Movie) -> FourCC? {
    guard let fileType = movie.fileType else { return nil }
    if imageBrands.contains(fileType.majorBrand) { return fileType.majorBrand }
    let isMovie = movie.tracks.contains { $0.mediaType == .video || $0.mediaType == .audio }
    return isMovie ? nil : fileType.compatibleBrands.first { imageBrands.contains($0) }
  }

  /// Notices about the movie itself that every edit of it has.
  var noticesAboutMovie: [EditNotice] {
    let movie = stages.original
    var notes: [EditNotice] = []
    if movie.hasCompressedMovieAtom {
      notes.append(EditNotice(.movieAtomInflated, "the movie atom was compressed (cmov); it is no longer"))
    }
    for track in movie.tracks {
      guard track.hasExternalMedia, changes.media.external[track.id] == nil else { continue }
      notes.append(
        EditNotice(
          .externalMedia, trackID: track.id, isWarning: true,
          "track \(track.id) has its media in another file; the reference is kept, and leads there from the same folder "
            + "only"))
    }
    if movie.layout.atoms.contains(where: { $0.userType == Self.contentCredentials }) {
      let message = "the file carries a signature (C2PA); an edit invalidates it"
      notes.append(EditNotice(.signature, isWarning: true, message))
    }
    return notes
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
  /// What a new file cannot keep true: positions of vendors' own that nobody rewrites.
  public var warningsForNewFile: [EditNotice] {
    var messages: [String] = []
    if movie.tree.child(of: movie.tree.root, "gps ") != nil {
      messages.append("the camera's own table of positions (gps in moov) is copied as it is")
    }
    if hasCanonPositions {
      messages.append("the camera's own table of positions (CTBO in moov/uuid) is copied as it is")
    }
    if let trailing = movie.layout.trailing, changes.sharing == nil {
      messages.append(
        "\(trailing.count) bytes at the end of the file are copied as they are; file offsets in them may be wrong now")
    }
    if let hidden = ItemLocations.firstHidden(in: movie.tree) {
      messages.append(
        "\(movie.tree.path(of: hidden)) has positions of items (iloc) among bytes that are not atoms; they may be wrong now"
      )
    }
    return messages.map { EditNotice(.vendorPosition, isWarning: true, $0) }
  }

  /// Whether `moov` holds Canon's `uuid` atom with a `CTBO` in it: positions and sizes of top-level atoms,
  /// counted from its start (as in CR3 files and the movies of the same cameras).
  private var hasCanonPositions: Bool {
    movie.tree.children(of: movie.tree.root, "uuid").contains { uuid in
      let payload = movie.tree.payload(of: uuid)
      return payload.slice(at: 0, count: 16) == Self.canon && AtomList(payload, from: 16).contains { $0.type == "CTBO" }
    }
  }

  private static let canon = Bytes([
    0x85, 0xC0, 0xB6, 0x87, 0x82, 0x0F, 0x11, 0xE0, 0x81, 0x11, 0xF4, 0xCE, 0x46, 0x2B, 0x6A, 0x48,
  ])
}
