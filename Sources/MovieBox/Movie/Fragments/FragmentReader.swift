/// A reader of consecutive fragments.
///
/// A track fragment without a decode time starts at the end of the track's previous fragment, and the numbers of runs
/// and samples continue across fragments. The reader therefore keeps the state of each track from one fragment to the
/// next.
struct FragmentReader {
  /// The state of a track after the fragments read so far.
  fileprivate struct TrackState {
    let trackID: UInt32
    /// Whether the movie contains the track.
    var isKnown = false
    /// The sample defaults of the track (`trex`), or `nil` if the movie has none for it.
    let defaults: TrackExtends?
    var runs: [FragmentRun] = []
    var sampleCount = 0
    var endTime: UInt64 = 0
    /// The number of ticks by which the times in `runs` are shifted, so that no time is negative.
    var ticksBeforeStart: UInt64 = 0
    /// Whether a sample or fragment of the track has been read. If it is `true`, ``ticksBeforeStart`` no longer
    /// changes.
    var hasBegun = false
    var missingMedia: FragmentCut.Loss?
    /// Whether the reader already reported that the track is unknown or has no defaults.
    var isTrackReported = false
    var isTimeReported = false
  }

  private let movie: Movie
  private let header: MovieExtendsHeader?
  private let extends: [TrackExtends]
  private let defaults: [UInt32: TrackExtends]
  private var trackStates: [UInt32: TrackState] = [:]
  private var fragments: [MovieFragment] = []
  private var defects: [MovieError] = []
  private var byteCount: UInt64 = 0
  private var implicitSampleCount: UInt64 = 0
  private let cut: FragmentCut?
  private var hasCutFragment = false

  init(_ movie: Movie) throws(MovieError) {
    self.movie = movie
    let tree = movie.tree
    var header: MovieExtendsHeader?
    var extends: [TrackExtends] = []
    for mvex in tree.children(of: tree.root, "mvex") {
      for child in tree.children(of: mvex) {
        switch tree[child].type {
        case "mehd" where header == nil: header = try tree.decode(MovieExtendsHeader.self, at: child)
        case "trex": extends.append(try tree.decode(TrackExtends.self, at: child))
        default: break
        }
      }
    }
    self.header = header
    self.extends = extends
    defaults = Dictionary(extends.map { ($0.trackID, $0) }) { first, _ in first }
    for track in movie.tracks where trackStates[track.id] == nil {
      let placed = track.samples.placedSampleCount
      let state = TrackState(
        trackID: track.id, isKnown: true, defaults: defaults[track.id], sampleCount: placed,
        endTime: track.samples.mediaDuration ?? .max, hasBegun: placed > 0)
      trackStates[track.id] = state
    }
    cut = FragmentCut(movie)
    fragments.reserveCapacity(movie.layout.atoms.count { $0.type == "moof" })
  }

  /// Throws if the total size of the `moof` atoms exceeds the limit.
  mutating func checkByteCount(of range: ByteRange) throws(MovieError) {
    byteCount = byteCount.addingClamped(range.count)
    guard byteCount <= movie.limits.fragmentByteCount else {
      throw MovieError(
        .limit, at: range.offset, in: "moof",
        "the moof atoms up to here have \(byteCount) bytes: the limit is \(movie.limits.fragmentByteCount)")
    }
  }

  /// Reports a truncated `moof`.
  mutating func reportCut(_ atom: FileLayout.TopLevelAtom, claiming claimed: UInt64) {
    hasCutFragment = true
    report(
      MovieError(
        .truncated, at: atom.range.offset, in: "moof",
        "declares \(claimed) bytes, but the file has only \(atom.range.count) left; the fragment is omitted"))
  }

  /// Adds the fragment of a `moof` at `offset` in the file.
  mutating func add(_ bytes: Bytes, at offset: UInt64) throws(MovieError) {
    let tree = try AtomTree(bytes, at: offset, limits: movie.limits)
    if let defect = tree.defects.first(where: { !$0.path.contains("meta") && !$0.path.contains("udta") }) {
      throw defect
    }
    let mfhd = try tree.decode(MovieFragmentHeader.self, "mfhd", in: tree.root)
    var trackFragments: [TrackFragment] = []
    var dataEnd: UInt64? = offset
    let trafs = tree.children(of: tree.root, "traf")
    trackFragments.reserveCapacity(trafs.count)
    for traf in trafs {
      trackFragments.append(try trackFragment(at: traf, of: tree, dataEnd: &dataEnd))
    }
    fragments.append(
      MovieFragment(
        index: fragments.count, range: tree.range(of: tree.root), sequenceNumber: mfhd?.sequenceNumber,
        trackFragments: trackFragments, bytes: bytes, limits: movie.limits))
  }

  consuming func finish() -> MovieFragments {
    var seenIDs: Set<UInt32> = []
    let tracks = movie.tracks.map { track in
      // If two tracks have an equal ID, the fragments belong to the first track.
      let isFirst = seenIDs.insert(track.id).inserted
      let placed = track.samples.placedSampleCount
      let own = isFirst ? trackStates[track.id] : nil
      return FragmentedTrack(
        trackID: track.id, table: track.samples, tableSampleCount: placed, runs: own?.runs ?? [],
        ticksBeforeStart: own?.ticksBeforeStart ?? 0, endTime: own?.endTime ?? track.samples.mediaDuration ?? .max)
    }
    let lostSamples = missingSamples(of: tracks)
    return MovieFragments(
      header: header, extends: extends, fragments: fragments, tracks: tracks, defects: defects,
      missingSamples: lostSamples)
  }

  // MARK: - One track of a fragment

  /// Reads a `traf`. `dataEnd` is the end of the preceding track's data. On return, it is the end of this track's
  /// data.
  private mutating func trackFragment(
    at traf: Int, of tree: AtomTree, dataEnd: inout UInt64?
  ) throws(MovieError) -> TrackFragment {
    let tfhd = try tree.require("tfhd", in: traf)
    let header = try tree.decode(TrackFragmentHeader.self, at: tfhd)
    let tfdt = try tree.decode(TrackFragmentDecodeTime.self, "tfdt", in: traf)
    // The state is removed from the dictionary so that appending a run does not copy the array of runs.
    var state =
      trackStates.removeValue(forKey: header.trackID)
      ?? TrackState(trackID: header.trackID, defaults: defaults[header.trackID])
    checkTrack(at: tfhd, of: tree, &state)
    let time = tfdt.map { state.time(of: $0) } ?? state.endTime
    if tfdt != nil { checkTime(time, at: traf, of: tree, &state) }
    state.hasBegun = true
    // The base is the explicit offset, or else the start of `moof`, or else the end of the preceding track's data
    // (ISO/IEC 14496-12 8.8.7.1).
    let base = header.baseDataOffset ?? (header.isBaseMovieFragment ? tree.offset : dataEnd)
    let sampleDefaults = SampleDefaults(header, state.defaults)
    var runs: [FragmentRun] = []
    var sampleCount = state.sampleCount
    var position = RunStart(base: base, offset: base, time: time)
    for trun in tree.children(of: traf, "trun") {
      let table = try tree.decode(TrackRun.self, at: trun)
      if state.isKnown { try countSamples(table, sampleDefaults, at: trun, of: tree) }
      let run = FragmentRun(
        index: state.runs.count + runs.count, fragmentIndex: fragments.count, table: table, defaults: sampleDefaults,
        offset: table.dataOffset.map { position.base?.moved(by: $0) } ?? position.offset,
        byteCount: table.byteCount(of: 0..<table.count, default: sampleDefaults.size), decodeTime: position.time,
        duration: table.duration(of: 0..<table.count, default: sampleDefaults.duration),
        firstSample: sampleCount)
      if state.isKnown {
        runs.append(run)
        sampleCount = run.samples.upperBound
      }
      position.offset = run.byteRange?.end
      position.time = run.endTime
      dataEnd = position.offset
    }
    // A fragment with runs is not empty, even if its flags declare that it is.
    let isEmpty = header.isDurationEmpty && tree.child(of: traf, "trun") == nil
    state.endTime = isEmpty ? time.addingClamped(UInt64(sampleDefaults.duration)) : position.time
    let loss = cut?.loss(of: runs, at: traf, in: tree, ofTrack: header.trackID)
    if let loss {
      runs = loss.keptRuns
      sampleCount = runs.last?.samples.upperBound ?? state.sampleCount
      if state.missingMedia?.add(loss) == nil { state.missingMedia = loss }
    }
    let firstRun = state.runs.count
    let keptCount = loss == nil ? nil : sampleCount - state.sampleCount
    state.runs += runs
    state.sampleCount = sampleCount
    trackStates[header.trackID] = state
    return TrackFragment(
      atom: traf, header: header, defaults: sampleDefaults, baseOffset: base,
      runs: firstRun..<state.runs.count, keptSampleCount: keptCount)
  }

  /// The offset and time at which the next run starts.
  private struct RunStart {
    let base: UInt64?
    var offset: UInt64?
    var time: UInt64
  }

  /// Counts the samples of runs without table entries, and throws if there are too many. If the samples contain bytes,
  /// the limit is at least the size of the file, because each sample requires a byte of the file.
  private mutating func countSamples(
    _ table: TrackRun, _ defaults: SampleDefaults, at trun: Int, of tree: AtomTree
  ) throws(MovieError) {
    guard !table.hasEntryFields else { return }
    let sum = implicitSampleCount.addingClamped(UInt64(table.count))
    let byteLimit = defaults.size > 0 ? movie.layout.identity.byteCount : 0
    let limit = Swift.max(UInt64(movie.limits.implicitSampleCount), byteLimit)
    guard sum <= limit else {
      throw tree.error(
        .limit, at: trun,
        "declares \(table.count) samples of \(defaults.size) bytes without table entries, for a total of \(sum) in the "
          + "file: the limit is \(limit)"
      )
    }
    implicitSampleCount = sum
  }

  // MARK: - Defects

  private mutating func checkTrack(at tfhd: Int, of tree: AtomTree, _ state: inout TrackState) {
    guard !state.isTrackReported, !state.isKnown || state.defaults == nil else { return }
    let id = state.trackID
    let reason: String
    if !state.isKnown {
      reason = "has samples for track \(id), which does not exist in the movie"
    } else if state.defaults == nil {
      reason = "has samples for track \(id), which has no defaults (trex)"
    } else {
      return
    }
    state.isTrackReported = true
    report(tree.error(.malformed, at: tfhd, reason))
  }

  private mutating func checkTime(_ time: UInt64, at traf: Int, of tree: AtomTree, _ state: inout TrackState) {
    guard time < state.endTime, !state.isTimeReported else { return }
    state.isTimeReported = true
    report(
      tree.error(
        .malformed, at: traf,
        "track \(state.trackID) continues at tick \(state.mediaTime(time)), but its earlier samples end at "
          + "\(state.mediaTime(state.endTime))"))
  }

  // MARK: - Truncation

  /// Returns the samples that are missing because the end of the file is truncated.
  private func missingSamples(of tracks: [FragmentedTrack]) -> [MissingSamples] {
    var missingSamples: [MissingSamples] = []
    guard hasCutFragment || trackStates.values.contains(where: { $0.missingMedia != nil }) else { return [] }
    let hasNoFragments = !tracks.contains(where: \.hasFragmentSamples)
    let clockStart = MovieFragments.start(of: tracks, in: movie) ?? .zero
    var seenIDs: Set<UInt32> = []
    for (track, fragmented) in zip(movie.tracks, tracks) where seenIDs.insert(track.id).inserted {
      guard let state = trackStates[track.id] else { continue }
      let isListCut = hasCutFragment && (hasNoFragments || fragmented.hasFragmentSamples || state.missingMedia != nil)
      guard state.missingMedia != nil || isListCut else { continue }
      let time = state.missingMedia?.presentationTime ?? fragmented.presentationEndWithoutGaps
      let origin = clockStart.ticks(of: track.mediaHeader.timeScale)
      let mediaTime = time.addingClamped(-Int64(clamping: state.ticksBeforeStart)).addingClamped(-origin)
      let start = track.clock(movieTimeScale: movie.header.timeScale).microseconds(
        ofMediaTime: UInt64(clamping: mediaTime))
      let missing = MissingSamples(
        trackID: track.id, startMilliseconds: Int64(clamping: start / 1_000),
        sampleCount: isListCut ? nil : state.missingMedia?.sampleCount)
      missingSamples.append(missing)
    }
    return missingSamples
  }

  private mutating func report(_ error: MovieError) {
    guard defects.count < movie.limits.defectCount else { return }
    defects.append(error)
  }
}

extension FragmentReader.TrackState {
  /// Returns the decode time, in ticks from the first decode time of the track (``FragmentedTrack/ticksBeforeStart``).
  /// If a later fragment starts before the first fragment, the result is 0.
  mutating fileprivate func time(of tfdt: TrackFragmentDecodeTime) -> UInt64 {
    let shift = tfdt.ticksBeforeStart
    guard shift > 0 else { return tfdt.baseMediaDecodeTime.addingClamped(ticksBeforeStart) }
    if !hasBegun { ticksBeforeStart = shift }
    return ticksBeforeStart - Swift.min(ticksBeforeStart, shift)
  }

  /// Returns the time counted from the start of the media.
  fileprivate func mediaTime(_ time: UInt64) -> Int64 {
    Int64(clamping: time).addingClamped(-Int64(clamping: ticksBeforeStart))
  }
}
