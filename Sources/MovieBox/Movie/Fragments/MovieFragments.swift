/// The fragments of a movie, with the samples that are not listed in `moov`.
///
/// Created by ``Movie/readFragments(of:)``.
///
///     let source = try FileSource(path: "recording.mp4")
///     let movie = try Movie(of: source)
///     let fragments = try movie.readFragments(of: source)
///     for track in fragments.tracks {
///       for sample in track.samples where sample.isSync { print(track.trackID, sample.decodeTime) }
///     }
package struct MovieFragments: Sendable {
  /// The duration of the movie with its fragments (`mehd`), or `nil` if the file does not declare it, as in most live
  /// recordings.
  package let header: MovieExtendsHeader?
  /// The sample defaults of the tracks (`trex`), in file order.
  package let extends: [TrackExtends]
  /// The fragments, in file order.
  package let fragments: [MovieFragment]
  /// The movie's tracks with all their samples, in movie order.
  package let tracks: [FragmentedTrack]
  /// Defects that do not prevent reading.
  package let defects: [MovieError]
  /// The samples that are missing because the end of the file is truncated, for each affected track in movie order.
  /// ``tracks`` excludes these samples.
  package let missingSamples: [MissingSamples]

  /// The top-level atoms that are useless without fragments. `emsg` is not included, because its events are user
  /// data.
  package static let atomTypes: Set<FourCC> = ["moof", "mfra", "sidx", "ssix", "styp", "prft"]

  /// The index in ``tracks`` of the first track with each ID.
  private let trackIndexByID: [UInt32: Int]

  init(
    header: MovieExtendsHeader?, extends: [TrackExtends], fragments: [MovieFragment], tracks: [FragmentedTrack],
    defects: [MovieError], missingSamples: [MissingSamples]
  ) {
    (self.header, self.extends, self.fragments, self.tracks) = (header, extends, fragments, tracks)
    (self.defects, self.missingSamples) = (defects, missingSamples)
    trackIndexByID = Dictionary(tracks.indices.map { (tracks[$0].trackID, $0) }) { first, _ in first }
  }

  /// Returns the samples of the track with an ID, or `nil` if no track has the ID.
  package func track(_ id: UInt32) -> FragmentedTrack? { trackIndexByID[id].map { tracks[$0] } }
}

extension Movie {
  /// Reads the fragments of the movie. The source must be the source of the movie.
  ///
  /// Reads each `moof` once and keeps it in memory, but reads no media. For a movie without fragments, the result
  /// contains the tracks with the samples of `moov`. A truncated `moof` and incomplete samples are omitted, and
  /// ``MovieFragments/missingSamples`` lists them.
  ///
  /// Throws the source's errors and ``MovieError``. The error is `.sourceChanged` if the source does not belong to
  /// the movie, and `.limit` if a limit in ``MovieLimits`` is exceeded. It is `.malformed` or `.truncated`, with path
  /// and offset, if a required atom is invalid.
  package func readFragments(of source: some RandomAccessSource) throws -> MovieFragments {
    guard try source.identity() == layout.identity else {
      throw MovieError(.sourceChanged, "the source has changed, or is not the source of the movie")
    }
    var reader = try FragmentReader(self)
    for atom in layout.atoms where atom.type == "moof" {
      if let claimed = atom.claimedByteCount {
        reader.reportCut(atom, claiming: claimed)
        continue
      }
      try reader.checkByteCount(of: atom.range)
      try reader.add(layout.read(atom.range, of: source), at: atom.range.offset)
    }
    return reader.finish()
  }
}

extension MovieFragments {
  /// Returns errors for samples of fragments at invalid positions. An invalid position is past the end of the file, in
  /// the movie atom or a `moof`, or in another run.
  ///
  /// The result contains the first error of each code and track. Sorts the runs, but reads nothing.
  /// ``Movie/misplacedSamples()`` returns the errors for samples of `moov`.
  ///
  /// - Parameter movie: the movie of these fragments.
  package func misplacedSamples(in movie: Movie) -> [MovieError] {
    let fileEnd = movie.layout.identity.byteCount
    var report = MisplacementReport(fragments: fragments)
    var occupied = ([movie.movieAtom.range] + fragments.map(\.range)).map { OccupiedRange(range: $0, run: nil) }
    occupied.reserveCapacity(tracks.reduce(occupied.count) { $0 + $1.runs.count })
    for (position, (track, movieTrack)) in zip(tracks, movie.tracks).enumerated() {
      let locator = ChunkLocator(movieTrack)
      for (index, run) in track.runs.enumerated() where run.byteCount > 0 {
        if locator.isExternal(run.chunk) {
          // If a run is in another file, the size of that file is unknown, so only an overflow is an error.
          guard run.byteRange == nil else { continue }
          report.add(.malformed, track.trackID, run, "has an invalid offset in another file")
        } else if let range = run.byteRange, range.end <= fileEnd {
          occupied.append(OccupiedRange(range: range, run: (position, index)))
        } else {
          report.add(.truncated, track.trackID, run, "reaches past the end of the file at \(fileEnd)")
        }
      }
    }
    occupied.sortInterleaved { $0.range.offset < $1.range.offset }
    occupied.forEachOverlap(by: { $0.range }) { current, before in
      if let (track, run) = current.run {
        report.add(.malformed, tracks[track].trackID, tracks[track].runs[run], description(of: before))
      } else if let (track, run) = before.run {
        report.add(.malformed, tracks[track].trackID, tracks[track].runs[run], description(of: current))
      }
    }
    return report.errors
  }

  /// A byte range of the file that contains the movie atom, a `moof`, or the samples of a run.
  private struct OccupiedRange {
    let range: ByteRange
    /// The indices of the track and of its run, or `nil` for an atom. A movie may have a million runs, so the values to
    /// sort are small.
    let run: (track: Int, index: Int)?
  }

  private func description(of occupied: OccupiedRange) -> String {
    guard let run = occupied.run else { return "reaches into the moov or moof atom at \(occupied.range.offset)" }
    return "overlaps samples of track \(tracks[run.track].trackID) at \(occupied.range.offset)"
  }

  /// A collector of errors that keeps the first error of each code and track.
  private struct MisplacementReport {
    let fragments: [MovieFragment]
    var errors: [MovieError] = []
    private var reportedKinds: Set<Kind> = []

    private struct Kind: Hashable {
      let code: MovieError.Code
      let trackID: UInt32
    }

    init(fragments: [MovieFragment]) {
      self.fragments = fragments
    }

    mutating func add(_ code: MovieError.Code, _ trackID: UInt32, _ run: FragmentRun, _ reason: String) {
      guard reportedKinds.insert(Kind(code: code, trackID: trackID)).inserted else { return }
      let position = run.offset.map { "at \($0)" } ?? "outside the file"
      errors.append(
        MovieError(
          code, at: fragments[run.fragmentIndex].range.offset, in: "moof",
          "run \(run.index + 1) of track \(trackID) (\(run.byteCount) bytes \(position)) \(reason)"))
    }
  }
}

extension FragmentRun {
  /// The run as a chunk of its track. If the run has no offset, the chunk has the offset `UInt64.max`.
  fileprivate var chunk: Chunk {
    Chunk(
      index: index, offset: offset ?? .max, byteCount: byteCount, firstSample: firstSample, sampleCount: sampleCount,
      sampleDescriptionIndex: sampleDescriptionIndex)
  }
}

// A recording of a stream may keep the times of the stream. These times may start hours after 0 or count from 1970.
// Players start the recording with its first picture. The start of the earliest track is the difference between the
// times in the file and the times in the player.

extension FragmentedTrack {
  /// Returns the start of the track's presentation, in media ticks, or `nil` if the track has no samples. Empty edits
  /// are not counted.
  ///
  /// An author adds empty edits deliberately, so they are not part of the recording's start time. If the first sample
  /// is decoded before it is presented, the track starts at the decode time, as in recordings that start at 0.
  ///
  /// - Parameter omitsEmptyText: whether to skip leading text samples that show nothing.
  func start(of track: Track, omitsEmptyText: Bool) -> Int64? {
    guard tableSampleCount == 0 else { return 0 }  // Samples in tables begin at 0.
    let emptySize: UInt64 = track.formats.contains("wvtt") ? 8 : 2
    let isText = omitsEmptyText && track.hasReadableText
    var first: Sample?
    var presentedStart = Int64.max
    for sample in samples {
      if first == nil, isText, sample.byteRange?.count ?? 0 <= emptySize { continue }
      guard first?.chunkIndex ?? sample.chunkIndex == sample.chunkIndex else { break }
      if first == nil { first = sample }
      presentedStart = Swift.min(presentedStart, sample.presentationTime)
    }
    guard let first else { return nil }
    let edit = track.editList?.firstPresentedMediaTime ?? 0
    let origin = Int64(clamping: ticksBeforeStart)
    let decodedTime = Int64(clamping: first.decodeTime).addingClamped(-origin)
    guard edit < decodedTime else { return 0 }  // The edit presents the track from the start of the movie.
    return Swift.min(decodedTime, Swift.max(decodedTime, presentedStart.addingClamped(-origin)).addingClamped(-edit))
  }

  /// Returns the edit list. If the last edit ends where the samples of the movie atom end, the edit is extended over
  /// the fragments.
  ///
  /// Writers end the edit there, because they write the movie atom before they know of any fragments.
  package func continuedEditList(of track: Track, movieTimeScale: UInt32) -> EditList? {
    guard var list = track.editList, lastEditEndsWithTable(list, track, movieTimeScale) else { return track.editList }
    list.entries[list.entries.count - 1].segmentDuration = 0
    return list
  }

  /// Whether there are fragments and the last edit ends where the samples of the movie atom end, within a tolerance of
  /// one movie or media tick.
  package func lastEditEndsWithTable(_ list: EditList, _ track: Track, _ movieTimeScale: UInt32) -> Bool {
    guard tableSampleCount > 0, hasFragmentSamples, movieTimeScale > 0, let last = list.entries.last,
      last.mediaTime >= 0, last.knownDuration > 0
    else { return false }
    // Compare in a unit of which the ticks of both time scales are multiples.
    let (media, movie) = (Int128(track.mediaHeader.timeScale), Int128(movieTimeScale))
    let end = Int128(last.mediaTime) * movie + Int128(last.segmentDuration) * media
    // Some writers set the edit's duration to the duration of the whole media, even if the edit skips the start of the
    // media. The edit then ends after the media. The difference is the media time of the edit.
    let (decodeEnd, presentationEnd) = tableEnds
    return [decodeEnd, presentationEnd, decodeEnd.addingClamped(last.mediaTime)].contains {
      (Int128($0) * movie - end).magnitude <= Swift.max(media, movie).magnitude
    }
  }
}

extension MovieFragments {
  /// Returns the time in the movie at which its earliest track starts, or `nil` if that time is not after 0.
  ///
  /// Text samples that show nothing are ignored unless the movie contains only text, because some writers fill the time
  /// before the first cue with empty samples. Examines the first run of each track and, for text, all samples before
  /// the first visible sample.
  ///
  /// - Parameter movie: the movie of these fragments.
  package func start(in movie: Movie) -> MediaTime? { Self.start(of: tracks, in: movie) }

  /// Returns ``start(in:)`` for the tracks of a movie. `tracks` must be in movie order.
  static func start(of tracks: [FragmentedTrack], in movie: Movie) -> MediaTime? {
    ListPass.end(after: tracks.count)
    let pairs = zip(tracks, movie.tracks)
    let omitsEmptyText = pairs.contains { $0.sampleCount > 0 && !$1.hasReadableText }
    var earliest: MediaTime?
    for (fragmented, track) in pairs {
      guard let ticks = fragmented.start(of: track, omitsEmptyText: omitsEmptyText),
        let start = MediaTime(ticks: ticks, timeScale: track.mediaHeader.timeScale)
      else { continue }
      if let known = earliest, !start.isBefore(known) { continue }
      earliest = start
    }
    return earliest.flatMap { $0.ticks > 0 ? $0 : nil }
  }
}

/// A movie whose edit lists include its fragments. Its times are relative to the start of its earliest track.
package struct PresentedMovie: Sendable {
  /// The movie with adjusted edit lists. They include the fragments, and their times are relative to ``start``.
  package let movie: Movie
  /// The fragments as stored in the file, or `nil` if the movie has none.
  package let fragments: MovieFragments?
  /// The time that the edit lists subtract from the file's times, or `nil` if they subtract none.
  package let start: MediaTime?

  /// Creates a movie with its fragments, subtracting `start` from its times.
  package init(_ movie: Movie, _ fragments: MovieFragments?, from start: MediaTime?) {
    self.fragments = fragments
    self.start = start
    guard let fragments else {
      self.movie = movie
      return
    }
    let tracks = zip(movie.tracks, fragments.tracks).map { track, fragmented in
      track.replacingEditList(fragmented.editList(of: track, movie.header.timeScale, from: start))
    }
    self.movie = Movie(movie, tracks: tracks)
  }

  /// Creates a movie whose edit lists already include the fragments.
  package init(adjusted movie: Movie, _ fragments: MovieFragments?) {
    (self.movie, self.fragments, start) = (movie, fragments, nil)
  }
}

extension Movie {
  /// Returns the movie with its fragments. If `keepingStart` is `true`, the times are the times in the file. Otherwise,
  /// they count from the start of the earliest track.
  ///
  /// A movie without fragments is returned unchanged, without reading. Throws like ``readFragments(of:)``.
  package func includingFragments(
    from source: some RandomAccessSource, keepingStart: Bool = false, _ known: MovieFragments? = nil
  ) throws -> PresentedMovie {
    guard isFragmented else { return PresentedMovie(self, nil, from: nil) }
    let fragments = try known ?? readFragments(of: source)
    return PresentedMovie(self, fragments, from: keepingStart ? nil : fragments.start(in: self))
  }
}

extension FragmentedTrack {
  /// Returns the edit list, changed to present the media earlier by `start`.
  fileprivate func editList(of track: Track, _ movieTimeScale: UInt32, from start: MediaTime?) -> EditList? {
    let list = continuedEditList(of: track, movieTimeScale: movieTimeScale)
    guard let start, sampleCount > 0 else { return list }
    let shift = start.ticks(of: track.mediaHeader.timeScale)
    guard var shifted = list, !shifted.entries.isEmpty else {
      return EditList(entries: [EditList.Entry(segmentDuration: 0, mediaTime: shift)])
    }
    for index in shifted.entries.indices where shifted.entries[index].mediaTime >= 0 {
      shifted.entries[index].mediaTime = shifted.entries[index].mediaTime.addingClamped(shift)
    }
    return shifted
  }
}

extension EditList {
  /// The media time of the first edit that presents anything, or `nil` if there is none.
  fileprivate var firstPresentedMediaTime: Int64? {
    entries.indices.first { entries[$0].mediaTime >= 0 && (entries[$0].knownDuration > 0 || isOpen(at: $0)) }
      .map { entries[$0].mediaTime }
  }
}
