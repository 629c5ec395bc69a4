package import MovieBox

// The reasons why a movie cannot be edited, and the data that an edit cannot keep correct.
extension Movie {
  /// Returns the reason why the movie cannot be edited, or `nil` if it can. Makes one pass over the sample tables.
  package func editRefusal(acceptsInitializationSegments: Bool = false) -> MovieError? {
    editRefusal(misplacedSamples: misplacedSamples(), acceptsInitializationSegments: acceptsInitializationSegments)
  }

  /// Returns the reason why the movie cannot be edited, or `nil` if it can.
  ///
  /// - Parameter misplacedSamples: the result of ``misplacedSamples()``.
  package func editRefusal(
    misplacedSamples: [MovieError], acceptsInitializationSegments: Bool = false
  ) -> MovieError? {
    let offset = movieAtom.range.offset
    if let brand = imageBrand {
      return MovieError(.unsupported, at: 0, in: "ftyp", "the file is an image (brand \(brand)), not a movie")
    }
    if let second = layout.secondMovieAtom {
      return MovieError(
        .malformed, at: second.range.offset, in: "moov", "the file has more than one movie atom; this is the second")
    }
    if isInitializationSegment, !acceptsInitializationSegments {
      return MovieError(
        .unsupported, at: offset, in: "moov", "the file is an initialization segment: its samples are in other files")
    }
    if header.timeScale == 0 {
      return MovieError(.malformed, at: offset, in: "moov/mvhd", "the movie's time scale is 0")
    }
    if let refusal = referenceMovieError { return refusal }
    if tracks.isEmpty { return MovieError(.unsupported, at: offset, in: "moov", "the movie has no tracks") }
    if let image = tracks.first(where: { $0.mediaType.rawValue == "pict" }) {
      return tree.error(
        .unsupported, at: image.atom, "the file is an image sequence (pict), not a movie")
    }
    return misplacedSamples.first
  }

  /// The image brand of the file, or `nil` for a movie. Compatible brands count only if the file has no video or audio
  /// track, because phones add image brands to movies that contain a still.
  private var imageBrand: FourCC? {
    guard let fileType else { return nil }
    if Self.imageBrands.contains(fileType.majorBrand) { return fileType.majorBrand }
    let isMovie = tracks.contains { $0.mediaType == .video || $0.mediaType == .audio }
    return isMovie ? nil : fileType.compatibleBrands.first { Self.imageBrands.contains($0) }
  }

  private static let imageBrands: Set<FourCC> = [
    "avif", "avis", "heic", "heix", "mif1", "msf1", "crx ", "jp2 ", "jpx ",
  ]

  /// Returns warnings about offsets in atoms of camera manufacturers. These offsets are wrong in a new file.
  package func newFileWarnings(keepsTrailingBytes: Bool) -> [EditNotice] {
    var warnings: [EditNotice] = []
    if tree.child(of: tree.root, "gps ") != nil { warnings.append(.cameraOffsetsCopied(in: "gps in moov")) }
    if hasCanonOffsets { warnings.append(.cameraOffsetsCopied(in: "CTBO in moov/uuid")) }
    if keepsTrailingBytes, let trailing = layout.trailing { warnings.append(.trailingBytesCopied(trailing.count)) }
    if let hiddenItem = ItemLocations.firstHidden(in: tree) {
      warnings.append(.hiddenItemOffsets(in: tree.path(of: hiddenItem)))
    }
    return warnings
  }

  /// Whether `moov` contains Canon's `uuid` atom with `CTBO`. In this atom, Canon's cameras list the offsets and sizes
  /// of the top-level atoms, as in CR3 files.
  private var hasCanonOffsets: Bool {
    tree.children(of: tree.root, "uuid").contains { uuid in
      let payload = tree.payload(of: uuid)
      return payload.slice(at: 0, count: 16) == Self.canonUUID
        && AtomList(payload, from: 16).contains { $0.type == "CTBO" }
    }
  }

  private static let canonUUID = Bytes([
    0x85, 0xC0, 0xB6, 0x87, 0x82, 0x0F, 0x11, 0xE0, 0x81, 0x11, 0xF4, 0xCE, 0x46, 0x2B, 0x6A, 0x48,
  ])

  /// The `uuid` of content credentials (C2PA Technical Specification, "Embedding manifests into BMFF").
  static let contentCredentials = Bytes([
    0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
  ])
}
