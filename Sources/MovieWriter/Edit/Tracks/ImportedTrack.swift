import MovieBox

/// A track of another movie that an edit adds. It contains its `trak` atom, its edits in the movie's time scale, and
/// its media.
///
/// The `trak` atom is copied instead of rebuilt, so unknown atoms are kept. An import is rejected if the track contains
/// file offsets that cannot be rewritten.
struct ImportedTrack: PlannedTrack {
  let id: UInt32
  let input: TrackInput
  /// The number of the track's file in the joined source. File 0 is the edited movie.
  let part: Int
  /// The extents of the media in the track's original file, with their times. Extents may overlap.
  let media: [MediaExtent]
  /// The end of the original movie as text, or `nil` if the last sample does not last until this end.
  let originalEnd: String?
  /// Whether another track of the original movie refers to the track as its chapter list.
  let isChapterList: Bool
  /// The duration in ticks of the edited movie, or `nil` if the track's header declares no duration.
  let durationInMovieTicks: UInt64?
  /// The ticks of the edited movie that are added to the track's times, because one of the movies delays all its
  /// tracks.
  let shift: Int64
  /// The rescaled edits of each edit list, with the index of the `elst` atom. Empty if the time scales of the movies
  /// are equal.
  let edits: [(atom: Int, rescaled: RescaledEdits)]
  /// The tables of auxiliary information from fragments. Their bytes are written among the new samples.
  let auxiliary: [AuxiliaryTable]
  /// The edit list of a track that is shifted, or `nil` if ``shift`` is 0.
  private(set) var shiftedEdits: EditList?

  var mediaType: MediaType { input.track.mediaType }
  var formats: [FourCC] { input.track.formats }
  var headerDuration: UInt64? {
    durationInMovieTicks.map { UInt64(clamping: Int64(clamping: $0).addingClamped(shift)) }
  }
  func requiredDuration(of movie: Movie) -> UInt64? { headerDuration }
  var mediaByteCount: UInt64 { input.track.mediaByteCount }

  /// The labels that the input requests. Later requests of the edit may change them.
  var labels: TrackLabels { TrackLabels(input, in: facts.dialect) }
  var origin: TrackOrigin { .imported(self) }

  let tree: AtomTree
  let facts: MovieFacts

  /// The properties of the edited movie that determine fields of the track.
  struct MovieFacts {
    let dialect: Dialect
    let isInMovie: Bool
    let isInPreview: Bool
  }

  /// Creates a copy of a track of another movie.
  ///
  /// Throws `.unsupported` if samples are in another file, if items are located by file offsets, if the track has
  /// several sample tables, or if auxiliary information is inside the movie atom. Throws `.limit` if a time does not
  /// fit in 64 bits.
  init(
    _ input: TrackInput, of other: Movie, part: Int, id: UInt32, into movie: Movie,
    laterBy shift: Int64 = 0, auxiliary: [AuxiliaryTable] = []
  ) throws(MovieError) {
    let track = input.track
    self.auxiliary = auxiliary
    self.id = id
    self.input = input
    self.part = part
    let tree = other.tree
    self.tree = tree
    try Self.refuse(track, of: other)
    originalEnd =
      track.mediaType == .metadata && track.lastSampleIsOpen && other.hasKnownDuration
      ? Quantity.time(other.header.duration, timeScale: other.header.timeScale) : nil
    isChapterList = other.chapterTrackIDs.contains(track.id)
    // Chapters are not shifted, because their times count from 0 on the movie's clock.
    self.shift = isChapterList ? 0 : shift
    media = try Self.media(of: track, in: other)
    let (old, new) = (other.header.timeScale, movie.header.timeScale)
    var edits: [(atom: Int, rescaled: RescaledEdits)] = []
    let lists = tree.children(of: track.atom, "edts").flatMap { tree.children(of: $0, "elst") }
    for elst in old == new ? [] : lists {
      do throws(MovieError) {
        edits.append((elst, try RescaledEdits(tree.decode(EditList.self, at: elst), from: old, to: new)))
      } catch {
        guard error.path.isEmpty else { throw error }
        throw error.located(inside: tree.path(of: elst), startingAt: tree.payloadOffset(of: elst))
      }
    }
    self.edits = edits
    if track.header.duration == 0 || track.header.isDurationUnknown {
      durationInMovieTicks = nil
    } else {
      guard let duration = track.header.duration.scaledToNearest(by: UInt64(new), over: UInt64(old)) else {
        let tkhd = tree.child(of: track.atom, "tkhd") ?? track.atom
        throw tree.error(.limit, at: tkhd, "the duration does not fit in 64 bits")
      }
      durationInMovieTicks = duration
    }
    if self.shift != 0 {
      let list = edits.first?.rescaled.list ?? track.editList ?? EditList(entries: [])
      shiftedEdits = list.shifted(
        by: self.shift, in: new, presenting: durationInMovieTicks ?? 0, mediaTimeScale: track.mediaHeader.timeScale)
    }
    facts = MovieFacts(
      dialect: movie.dialect, isInMovie: movie.tracks.contains { $0.header.isInMovie },
      isInPreview: movie.tracks.contains { $0.header.isInPreview })
  }

  private static func refuse(_ track: Track, of other: Movie) throws(MovieError) {
    let tree = other.tree
    func error(_ code: MovieError.Code, _ index: Int, _ reason: String) -> MovieError {
      tree.error(code, at: index, reason)
    }
    if track.hasExternalMedia {
      let atom = tree.descendant(of: track.atom, "mdia", "minf", "dinf", "dref") ?? track.atom
      throw error(
        .unsupported, atom,
        "the media of track \(track.id) is in another file; first make its original movie self-contained")
    }
    let trackAtoms = track.atom..<tree[track.atom].subtreeEnd
    if let iloc = trackAtoms.first(where: { tree[$0].type == "iloc" }) {
      throw error(
        .unsupported, iloc, "track \(track.id) has items that are located by file offsets (iloc)")
    }
    // Reject a second sample table, because its offsets would not be rewritten.
    if let second = trackAtoms.filter({ tree[$0].type == "stbl" }).dropFirst().first {
      throw error(.unsupported, second, "track \(track.id) has more than one sample table")
    }
  }

  private static func media(of track: Track, in other: Movie) throws(MovieError) -> [MediaExtent] {
    let scale = other.header.timeScale
    var extents = track.mediaExtents(number: 0, movieTimeScale: scale)
    let auxiliary = try track.auxiliaryInformation(in: other.tree)
    guard !auxiliary.isEmpty else { return extents }
    var times = DecodeTimeCursor(track.samples.timeToSample)
    let clock = track.clock(movieTimeScale: scale)
    for part in auxiliary.sorted(by: { $0.firstSample < $1.firstSample }) {
      let range = part.range
      guard range.end <= other.layout.identity.byteCount, !range.overlaps(other.movieAtom.range) else {
        throw other.tree.error(
          .unsupported, at: track.atom,
          "\(range.count) bytes of sample auxiliary information at \(range.offset) are outside the media")
      }
      let time = clock.microseconds(ofMediaTime: times.decodeTime(of: part.firstSample))
      extents.append(MediaExtent(range: range, time: MediaExtent.Time(microseconds: time, track: 0), use: .other))
    }
    return extents
  }
}

extension ImportedTrack {
  /// Returns the notices about a track of `other` that is copied into `movie`.
  func notices(of other: Movie, in movie: Movie) -> [EditNotice] {
    var notices: [EditNotice] = []
    let track = input.track
    let rounded = edits.reduce(0) { $0 + $1.rescaled.roundedCount }
    if rounded > 0 {
      notices.append(.editsRounded(timeScale: movie.header.timeScale, track: id))
    }
    let vanished = edits.reduce(0) { $0 + $1.rescaled.vanishedCount }
    if vanished > 0 {
      notices.append(.editsVanished(vanished, timeScale: movie.header.timeScale, track: id))
    }
    if let duration = headerDuration, duration > movie.header.duration, movie.hasKnownDuration {
      // A dub may end a little later than the film. A much longer dub may belong to another film.
      let isMuchLonger = duration - movie.header.duration >= UInt64(movie.header.timeScale) / 2
      let new = Quantity.time(duration, timeScale: movie.header.timeScale)
      let old = Quantity.time(movie.header.duration, timeScale: movie.header.timeScale)
      // A difference below a millisecond is not reported, because both durations have the same text.
      if new != old { notices.append(.movieLengthened(to: new, from: old, track: id, isWarning: isMuchLonger)) }
    }
    if movie.dialect == .iso, other.dialect == .quickTime, let format = track.quickTimeSoundFormat {
      notices.append(.quickTimeSoundImported(format, track: id))
    }
    if track.isProtected, other.tree.child(of: other.tree.root, "pssh") != nil {
      notices.append(.keysNotImported(track: id))
    }
    return notices
  }

  /// Returns a notice if the last sample lasts until the end of the movie, and the edited movie ends at another time
  /// than the original movie.
  func lastSampleNotice(ending end: UInt64, in movie: Movie) -> EditNotice? {
    guard let old = originalEnd else { return nil }
    let new = Quantity.time(end, timeScale: movie.header.timeScale)
    return new == old ? nil : .lastSampleIsOpen(until: new, insteadOf: old, track: id)
  }
}

extension EditedTrack {
  /// Whether the track was imported and is a chapter list in its original movie.
  var isChapterListElsewhere: Bool {
    imported?.isChapterList ?? false
  }
}

extension Track {
  /// Whether the last sample has no duration, and no edit limits it. Such a sample lasts until the end of the movie.
  fileprivate var lastSampleIsOpen: Bool {
    samples.timeToSample.last?.duration == 0 && (editList?.isOpen ?? true)
  }

  /// The first sound format whose sample description is not valid in ISO files, or `nil` if there is none.
  fileprivate var quickTimeSoundFormat: FourCC? {
    guard mediaType == .audio else { return nil }
    return sampleDescriptions.entries.first { entry in
      if Self.quickTimeSound.contains(entry.format) { return true }
      do throws(MovieError) {
        return try SoundDescription(body: entry.body).version > 0
      } catch {
        return false
      }
    }?.format
  }

  /// The sound formats for which MP4 files have no sample description (QTFF "Sound Media").
  private static let quickTimeSound: Set<FourCC> = [
    "raw ", "twos", "sowt", "NONE", "in24", "in32", "fl32", "fl64", "lpcm", "ima4", "MAC3", "MAC6", "ulaw", "alaw",
    "QDM2", "QDMC",
  ]

  /// Whether samples are encrypted (ISO/IEC 14496-12, 8.12).
  fileprivate var isProtected: Bool {
    formats.contains { ["enca", "encv", "encs", "enct"].contains($0) }
  }
}

/// An edit list that was converted to the time scale of another movie.
///
/// Media times are unchanged, because they are in ticks of the media. The end of each edit, counted from the start of
/// the movie, is rounded to the nearest tick of the new scale. Therefore, no start or end is displaced by more than
/// half a tick. Rounding the durations would accumulate errors. An edit with an unknown duration keeps that duration
/// and counts as 0 ticks.
struct RescaledEdits {
  /// The list in the new scale.
  let list: EditList
  /// The number of edits whose start or end was rounded.
  let roundedCount: Int
  /// The number of edits whose duration became 0.
  let vanishedCount: Int

  /// Throws `.limit` if a time does not fit in 64 bits.
  init(_ list: EditList, from old: UInt32, to new: UInt32) throws(MovieError) {
    var rescaled = list
    var roundedCount = 0
    var vanishedCount = 0
    var end = UInt64(0)
    var newEnd = UInt64(0)
    var isExact = true
    for index in list.entries.indices where !list.entries[index].hasUnknownDuration {
      let (sum, overflow) = end.addingReportingOverflow(list.entries[index].segmentDuration)
      guard !overflow, let rounded = sum.scaledToNearest(by: UInt64(new), over: UInt64(old)) else {
        throw MovieError(.limit, "the total duration of the edits does not fit in 64 bits")
      }
      let duration = rounded - newEnd  // Not negative, because rounding preserves the order.
      let endsExactly = rounded.multipliedFullWidth(by: UInt64(old)) == sum.multipliedFullWidth(by: UInt64(new))
      if !isExact || !endsExactly { roundedCount += 1 }
      if duration == 0, sum > end { vanishedCount += 1 }
      rescaled.entries[index].segmentDuration = duration
      (end, newEnd, isExact) = (sum, rounded, endsExactly)
    }
    // In version 0, 0xFFFFFFFF means an unknown duration, so a known duration of this size or more needs version 1.
    if zip(list.entries, rescaled.entries).contains(where: { old, new in
      !old.hasUnknownDuration && new.segmentDuration >= UInt64(UInt32.max)
    }) {
      rescaled.version = 1
      for index in list.entries.indices where list.entries[index].hasUnknownDuration {
        rescaled.entries[index].segmentDuration = .max
      }
    }
    self.list = rescaled
    self.roundedCount = roundedCount
    self.vanishedCount = vanishedCount
  }
}
