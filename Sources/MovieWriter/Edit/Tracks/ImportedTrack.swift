import MovieBox

/// A track of another movie, as it comes into the edited one: its `trak` atom, and what it takes along of its file.
struct ImportedTrack: PlannedTrack {
  let id: UInt32
  let input: TrackInput
  /// The movie that the track is from, as a number among the parts of the source, from 1.
  let part: Int
  /// Where in its own file the media lies, and when it is shown; extents may share bytes.
  let media: [MediaExtent]
  /// Whether another track of its movie names the track as its chapter list.
  let isChapterList: Bool
  /// How long the track is shown in the edited movie, in its ticks; `nil` where its header does not say.
  let durationInMovieTicks: UInt64?
  /// The edits of its edit list, of each where it has several, by the index of its atom in the tree.
  let edits: [(atom: Int, rescaled: RescaledEdits)]
  /// Auxiliary information that lay in fragments; its bytes come to lie with the new samples.
  let auxiliary: [AuxiliaryTable]

  var mediaType: MediaType { input.track.mediaType }
  var formats: [FourCC] { input.track.formats }
  var headerDuration: UInt64? { durationInMovieTicks }
  var mediaByteCount: UInt64 { input.track.mediaByteCount }

  /// What the track says of itself in the edited movie, unless an edit says otherwise.
  var labels: TrackLabels { TrackLabels(input, in: facts.dialect) }
  var imported: ImportedTrack? { self }

  let tree: AtomTree
  let facts: MovieFacts

  /// What the track takes over from the edited movie.
  struct MovieFacts {
    let dialect: Dialect
    let isInMovie: Bool
    let isInPreview: Bool
  }

  /// Throws for what cannot be taken out of its movie: samples in another file, items by their place in the file,
  /// auxiliary information that is a part of the movie atom.
  init(
    _ input: TrackInput, of other: Movie, part: Int, id: UInt32, into movie: Movie,
    auxiliary: [AuxiliaryTable] = []
  ) throws(MovieError) {
    let track = input.track
    self.auxiliary = auxiliary
    self.id = id
    self.input = input
    self.part = part
    let tree = other.tree
    self.tree = tree
    try Self.refuse(track, of: other)
    isChapterList = other.chapterTrackIDs.contains(track.id)
    media = try Self.media(of: track, in: other)
    let (old, new) = (other.header.timeScale, movie.header.timeScale)
    var edits: [(atom: Int, rescaled: RescaledEdits)] = []
    let lists = tree.children(of: track.atom, "edts").flatMap { tree.children(of: $0, "elst") }
    for elst in old == new ? [] : lists {
      do throws(MovieError) {
        edits.append((elst, try RescaledEdits(tree.decode(EditList.self, at: elst), from: old, to: new)))
      } catch {
        guard error.path.isEmpty else { throw error }
        throw error.inside(tree.path(of: elst), startingAt: tree.payloadOffset(of: elst))
      }
    }
    self.edits = edits
    if track.header.duration == 0 || track.header.isDurationUnknown {
      durationInMovieTicks = nil
    } else {
      guard let duration = track.header.duration.scaledToNearest(by: UInt64(new), over: UInt64(old)) else {
        let tkhd = tree.child(of: track.atom, "tkhd") ?? track.atom
        throw tree.error(.limit, at: tkhd, "a duration that 64 bits do not count")
      }
      durationInMovieTicks = duration
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
      let place = tree.descendant(of: track.atom, "mdia", "minf", "dinf", "dref") ?? track.atom
      throw error(
        .unsupported, place,
        "the media of track \(track.id) lies in another file; save its movie as a self-contained one first")
    }
    let inside = track.atom..<tree[track.atom].subtreeEnd
    if let iloc = inside.first(where: { tree[$0].type == "iloc" }) {
      throw error(
        .unsupported, iloc, "track \(track.id) has items that are named by their place in the file (iloc)")
    }
    // Positions in the second would not be relocated.
    if let second = inside.filter({ tree[$0].type == "stbl" }).dropFirst().first {
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
          "\(range.count) bytes of sample auxiliary information at \(range.offset) lie outside the media")
      }
      let time = clock.microseconds(ofMediaTime: times.decodeTime(of: part.firstSample))
      extents.append(MediaExtent(range: range, time: MediaExtent.Time(microseconds: time, track: 0), use: .other))
    }
    return extents
  }
}

/// An edit list in a movie of another time scale.
///
/// Media times are as they were: they count in ticks of the media. Where an edit ends in the movie is rounded to the
/// nearest tick of the new scale, counted from the movie's start, so that no edit begins or ends off by more than half
/// a tick however many come before it. An edit of unknown length keeps that, and takes no time.
struct RescaledEdits {
  /// The list in the new scale.
  let list: EditList
  /// How many edits begin or end elsewhere than they did, by less than a tick.
  let roundedCount: Int
  /// How many edits show or wait for something too short for a tick, and last none now.
  let vanishedCount: Int

  /// Throws `.limit` where a time does not fit in 64 bits.
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
        throw MovieError(.limit, "edits that last longer than 64 bits count")
      }
      let duration = rounded - newEnd  // Later ends are not rounded to earlier ticks.
      let endsExactly = rounded.multipliedFullWidth(by: UInt64(old)) == sum.multipliedFullWidth(by: UInt64(new))
      if !isExact || !endsExactly { roundedCount += 1 }
      if duration == 0, sum > end { vanishedCount += 1 }
      rescaled.entries[index].segmentDuration = duration
      (end, newEnd, isExact) = (sum, rounded, endsExactly)
    }
    // What all ones of 32 bits would say is not known.
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
