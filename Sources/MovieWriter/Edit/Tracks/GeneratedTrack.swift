import MovieBox

/// A track whose samples an edit generates, such as subtitles and chapters.
///
/// A new kind of track needs only a type that conforms to this protocol, and a request that passes a value of the type
/// to ``MovieEdit/addGeneratedTrack(_:_:)``. The value provides:
///
/// * its ID, media type, formats and first labels (``PlannedTrack``);
/// * its samples, as bytes and as sample tables (``media(at:isInterleaved:)``). If the samples are forced subtitles,
///   its sample descriptions declare that;
/// * the header fields that it copies from its movie, and its own duration (``facts``);
/// * its position in the picture and its edit list, if it has them.
///
/// ``trackAtom(as:chunkOffset:isInterleaved:)`` writes everything else for every kind: the enabled state, the alternate
/// group, the references (`tref`), the language (`mdhd`, `elng`), the title, tags and roles (`udta`), and the exclusion
/// from automatic selection (`txas`). Requests about tracks therefore work for every kind. Verification encodes the
/// track once more and compares it with the planned movie.
protocol GeneratedTrack: PlannedTrack {
  /// The bytes of all samples in decoding order.
  var sampleData: [UInt8] { get }
  /// The header fields that the track copies from its movie, and the track's duration.
  var facts: NewTrackFacts { get set }
  /// The edit list, or `nil` if the media begins with the movie.
  var edits: EditList? { get }
  /// A word for the contents of the track, for the list that `metadata --for-sharing` prints.
  var contents: String { get }

  /// Sets the layer, matrix and size of the track in its header. Before the call, the matrix is the identity matrix,
  /// and the other fields are 0.
  func applyPlacement(to header: inout TrackHeader)

  /// Returns the sample tables.
  ///
  /// - Parameters:
  ///   - chunkOffset: the offset of the first sample in the new media of the edit.
  ///   - isInterleaved: whether the samples are interleaved with other tracks, in chunks of about a second.
  func media(at chunkOffset: UInt32, isInterleaved: Bool) -> NewTrackMedia
}

extension GeneratedTrack {
  var edits: EditList? { nil }
  var contents: String { mediaType.name }
  func applyPlacement(to header: inout TrackHeader) {}

  var headerDuration: UInt64? { facts.durationInMovieTicks }
  var mediaByteCount: UInt64 { UInt64(sampleData.count) }

  func requiredDuration(of movie: Movie) -> UInt64? {
    movie.header.duration(
      withSubtitlesEndingAt: facts.durationInMovieTicks, otherTracksEndingAt: movie.endInMovieTicks)
  }

  var origin: TrackOrigin { .generated(self) }

  /// Returns the `trak` atom.
  ///
  /// - Parameters:
  ///   - edited: the labels, group and references of the track.
  ///   - chunkOffset: the offset of the first sample in the new media of the edit.
  ///   - isInterleaved: whether the samples are interleaved with other tracks, in chunks of about a second.
  func trackAtom(as edited: EditedTrack, chunkOffset: UInt32, isInterleaved: Bool) -> [UInt8] {
    var header = facts.header(id, as: edited)
    applyPlacement(to: &header)
    var writer = ByteWriter()
    writer.atom("trak") { trak in
      trak.write(header.atom("tkhd"))
      if edited.labels.isExcludedFromAutomaticSelection { trak.write(TrackLabels.exclusionAtom) }
      if let edits { trak.atom("edts") { $0.write(edits.atom("elst")) } }
      if let tref = edited.referencesAtom { trak.write(tref) }
      media(at: chunkOffset, isInterleaved: isInterleaved).write(to: &trak, of: mediaType, edited.labels, facts)
      let items = edited.labels.userDataItems(in: facts.dialect)
      if !items.isEmpty { trak.atom("udta") { udta in for item in items { udta.write(item) } } }
    }
    return writer.bytes
  }
}

extension TrackLabels {
  /// Returns the items of user data that contain the title, tags and roles of a new track.
  fileprivate func userDataItems(in dialect: Dialect) -> [[UInt8]] {
    var items: [[UInt8]] = []
    if let title {
      let atoms = TrackTitleAtoms(title, languageCode: languageCode, dialect).atoms
      items += TrackTitleAtoms.types.compactMap { atoms[$0] }
    }
    items += characteristics.map { TaggedCharacteristic($0.rawValue).atom("tagc") }
    items += roles.sorted().map { TrackKind(schemeURI: TrackKind.roleScheme, value: $0).atom("kind") }
    return items
  }
}
