import MovieBox

extension FlattenedMovie {
  /// Reads the fragments of a movie and lists their samples in the tables of `moov`.
  ///
  /// Reads `moof` and `mfra` atoms and the auxiliary information outside of them, but no media. Throws errors of the
  /// source, and ``MovieError`` for malformed fragments, for misplaced samples, and for samples that tables cannot
  /// express.
  ///
  /// - Parameter startingAt: returns the time on the recording's clock that becomes 0, or `nil` to keep the times.
  init(
    of movie: Movie, from source: some RandomAccessSource, startingAt: (MovieFragments) -> MediaTime?
  ) throws {
    let fragments = try movie.readFragments(of: source)
    let start = startingAt(fragments)
    if let misplaced = fragments.misplacedSamples(in: movie).first { throw misplaced }
    try Self.checkTimes(of: fragments.tracks)
    let tree = movie.tree
    var tracks: [TrackFlattener] = []
    var positions: [UInt32: Int] = [:]
    for (track, fragmented) in zip(movie.tracks, fragments.tracks) {
      if positions[track.id] == nil { positions[track.id] = tracks.count }
      tracks.append(try TrackFlattener(track, fragmented, in: tree, from: start))
    }
    var otherAtoms = OtherFragmentAtoms(movie)
    var blocker = FragmentRetention(movie)
    for fragment in fragments.fragments {
      let atoms = try fragment.tree()
      blocker.examine(fragment, atoms)
      otherAtoms.add(atoms)
      for part in fragment.trackFragments {
        guard let position = positions[part.trackID] else { continue }
        do {
          try tracks[position].add(part, of: atoms, source)
        } catch let error as MovieError where error.offset == nil {
          throw MovieError(error.code, at: fragment.range.offset, in: atoms.path(of: part.atom), error.reason)
        }
      }
    }
    var edits = AtomEdits()
    for track in tracks { try track.write(into: &edits, of: movie) }
    Self.writeHeader(tracks, of: movie, into: &edits)
    for mvex in tree.children(of: tree.root, "mvex") { edits.remove(mvex) }
    for pssh in otherAtoms.protectionSystems { edits.insert(pssh.array, into: tree.root) }
    var writer = ByteWriter()
    edits.draft(of: tree).write(to: &writer)
    self.original = movie
    self.fragments = fragments
    self.start = start
    self.movie = try movie.replacingMovieAtom(with: Bytes(writer.take()))
    auxiliary = tracks.map(\.auxiliary)
    try blocker.examineRest(of: source, missing: fragments.missingSamples)
    retention = blocker
    sampleNotices = Self.sampleNotices(tracks, otherAtoms, fragments, of: movie, from: start)
    notices = try Self.notices(including: sampleNotices, fragments, of: movie, from: source)
  }

  /// Rejects times that do not fit in 63 bits. Clamped sums would change the intervals between samples.
  private static func checkTimes(of tracks: [FragmentedTrack]) throws(MovieError) {
    for track in tracks {
      let ends = track.ends
      let latest = track.runs.reduce(ends.decoding) { Swift.max($0, $1.endTime) }
      guard latest < UInt64(Int64.max), ends.presentation < Int64.max else {
        throw MovieError(
          .malformed, in: "moof",
          "track \(track.trackID) cannot be flattened: its sample times do not fit in 63 bits")
      }
    }
  }

  /// Sets the duration of the movie to the duration of its longest track.
  private static func writeHeader(_ tracks: [TrackFlattener], of movie: Movie, into edits: inout AtomEdits) {
    var header = movie.header
    header.duration = tracks.map { $0.durationInMovieTicks(movie) }.max() ?? 0
    if header.duration >= UInt64(UInt32.max) { header.version = 1 }  // All ones mean an unknown duration.
    guard header != movie.header, let mvhd = movie.tree.child(of: movie.tree.root, "mvhd") else { return }
    edits.replace(mvhd, with: header.atom("mvhd"))
  }
}

/// The children of all `moof` atoms, except track fragments.
struct OtherFragmentAtoms {
  /// The protection systems (`pssh`) in fragments. They are added to `moov` (ISO/IEC 23001-7 8.1).
  private(set) var protectionSystems: [Bytes] = []
  /// The numbers of omitted atoms, by type.
  private(set) var omitted: [FourCC: Int] = [:]
  private var knownAtoms: Set<Bytes>

  init(_ movie: Movie) {
    knownAtoms = Set(movie.tree.children(of: movie.tree.root, "pssh").map { movie.tree.bytes(of: $0) })
  }

  mutating func add(_ fragment: AtomTree) {
    for atom in fragment.children(of: fragment.root) {
      switch fragment[atom].type {
      case "mfhd", "traf", "free", "skip": break
      case "pssh":
        let bytes = fragment.bytes(of: atom)
        if knownAtoms.insert(bytes).inserted { protectionSystems.append(bytes) }
      case let type: omitted[type, default: 0] += 1
      }
    }
  }
}

extension FlattenedMovie {
  /// Returns the notices about a flattened movie. Reads the versions of events.
  ///
  /// - Parameters:
  ///   - sampleNotices: the notices about the samples. The result includes them.
  ///   - fragments: the fragments of the movie.
  ///   - movie: the movie.
  ///   - source: the source of the movie.
  static func notices(
    including sampleNotices: [EditNotice], _ fragments: MovieFragments, of movie: Movie,
    from source: some RandomAccessSource
  ) throws -> [EditNotice] {
    let count = fragments.fragments.count
    var notices: [EditNotice] = [.flattened(fragmentCount: count)]
    notices += sampleNotices
    if try movie.layout.atoms.contains(where: { try EventTime.isRelative(in: $0, of: source) }) {
      notices.append(.relativeEventsKept)
    }
    return notices
  }

  /// Returns the notices about the samples of a flattened movie.
  ///
  /// - Parameter start: the time on the recording's clock that became 0, or `nil` if times did not change.
  static func sampleNotices(
    _ tracks: [TrackFlattener], _ otherAtoms: OtherFragmentAtoms, _ fragments: MovieFragments, of movie: Movie,
    from start: MediaTime?
  ) -> [EditNotice] {
    var notices = start.map { [EditNotice(.startSubtracted, $0.subtractionNote)] } ?? []
    notices += tracks.flatMap { Self.notices($0, of: movie) + editNotices($0, of: movie) }
    var types = otherAtoms.omitted
    for track in tracks { types.merge(track.omitted, uniquingKeysWith: +) }
    if !types.isEmpty { notices.append(.unknownFragmentAtoms(types)) }
    let unknownTracks = Set(fragments.fragments.flatMap(\.trackFragments).map(\.trackID)).subtracting(
      movie.tracks.map(\.id))
    notices += unknownTracks.sorted().map { .samplesOfUnknownTrack($0) }
    notices += EditNotice.notices(of: fragments.missingSamples)
    return notices
  }

  /// Returns the notices about the times of a track.
  private static func notices(_ track: TrackFlattener, of movie: Movie) -> [EditNotice] {
    let id = track.track.id
    let adjustments = track.columns.adjustments
    var notices: [EditNotice] = []
    let firstDecodeTime = track.firstDecodeTime ?? 0
    let start = track.editList(in: movie)?.presentationStartInMovieTicks ?? 0
    if firstDecodeTime > 0, start > track.track.presentationStartInMovieTicks {
      let delay = track.fragmented.compositionDelay
      let time =
        MediaTime(
          ticks: firstDecodeTime.addingClamped(delay), timeScale: track.track.mediaHeader.timeScale) ?? .zero
      let isExact = (Int128(time.ticks) * Int128(movie.header.timeScale)).isMultiple(of: Int128(time.timeScale))
      notices.append(.startsAfterEmptyEdit(at: time.text, isExact: isExact, track: id))
    }
    if firstDecodeTime < 0, !track.track.hasReadableText {
      let time = Quantity.time(firstDecodeTime.magnitude, timeScale: track.track.mediaHeader.timeScale)
      notices.append(.startsBeforeMovie(by: time, track: id))
    }
    if firstDecodeTime > 0, let start = track.fragmented.startTime,
      let shown = track.fragmented.fragmentPresentationStart, shown < Int64(clamping: start)
    {
      notices.append(.shownBeforeDecoding(ticks: Int64(clamping: start) - shown, track: id))
    }
    if adjustments.lengthenedCount > 0 { notices.append(.gapsClosed(adjustments.lengthenedCount, track: id)) }
    if adjustments.shortenedCount > 0 { notices.append(.overlapsRemoved(adjustments.shortenedCount, track: id)) }
    if adjustments.delayedCount > 0 { notices.append(.samplesDelayed(adjustments.delayedCount, track: id)) }
    return notices
  }

  /// Returns the notices about edits that flattening extended and about edits that end before the samples.
  private static func editNotices(_ track: TrackFlattener, of movie: Movie) -> [EditNotice] {
    let (id, scale) = (track.track.id, movie.header.timeScale)
    guard track.fragmented.hasFragmentSamples, let old = track.track.editList else { return [] }
    if track.fragmented.lastEditEndsWithTable(old, track.track, scale) {
      return [.lastEditExtended(track: id)]
    }
    guard !old.isOpen, let last = track.editList(in: movie)?.entries.last(where: { $0.mediaTime >= 0 }),
      case let mediaScale = UInt64(track.track.mediaHeader.timeScale), mediaScale > 0
    else { return [] }
    let shown = last.segmentDuration.scaledToNearest(by: mediaScale, over: UInt64(Swift.max(1, scale))) ?? .max
    let shownEnd = Int64(clamping: shown).addingClamped(last.mediaTime)
    let first = Int64(clamping: track.fragmented.startTime ?? 0)
    let end = track.fragmented.presentationEndTime.addingClamped(-first)
    let hiddenDuration = end.addingClamped(-shownEnd)
    // A part of the last sample, such as codec padding, may be hidden. A whole sample must not be hidden.
    guard hiddenDuration > 0, hiddenDuration >= Int64(track.columns.durations.last ?? 0) else { return [] }
    return [.editListTooShort(by: Quantity.time(hiddenDuration.magnitude, timeScale: UInt32(mediaScale)), track: id)]
  }
}
