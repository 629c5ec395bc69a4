/// The fragments of a movie: where the samples lie that `moov` does not have.
///
/// A value, made once by ``Movie/readFragments(of:)``.
///
///     let source = try FileSource(path: "recording.mp4")
///     let movie = try Movie(of: source)
///     let fragments = try movie.readFragments(of: source)
///     for track in fragments.tracks {
///       for sample in track.samples where sample.isSync { print(track.trackID, sample.decodeTime) }
///     }
package struct MovieFragments: Sendable {
  /// The duration of the movie with its fragments (`mehd`); mostly absent in live recordings.
  package let header: MovieExtendsHeader?
  /// The sample defaults of each track (`trex`), in the order of the file.
  package let extends: [TrackExtends]
  /// The fragments, in the order of the file.
  package let fragments: [MovieFragment]
  /// The tracks of the movie with all their samples, in the order of the movie.
  package let tracks: [FragmentedTrack]
  /// Oddities that do not prevent reading.
  package let defects: [MovieError]
  /// The samples that the end of the file cut off, a value for each track that lost some, in the order of the movie.
  /// ``tracks`` does not have them.
  package let missingSamples: [MissingSamples]

  /// The top-level atoms of a file that mean nothing without fragments. `emsg` stays: its events are somebody's data.
  package static let atomTypes: Set<FourCC> = ["moof", "mfra", "sidx", "ssix", "styp", "prft"]

  /// The position in ``tracks`` of the first track with each ID.
  private let positions: [UInt32: Int]

  init(
    header: MovieExtendsHeader?, extends: [TrackExtends], fragments: [MovieFragment], tracks: [FragmentedTrack],
    defects: [MovieError], missingSamples: [MissingSamples]
  ) {
    (self.header, self.extends, self.fragments, self.tracks) = (header, extends, fragments, tracks)
    (self.defects, self.missingSamples) = (defects, missingSamples)
    positions = Dictionary(tracks.indices.map { (tracks[$0].trackID, $0) }) { first, _ in first }
  }

  /// The samples of the track with this ID.
  package func track(_ id: UInt32) -> FragmentedTrack? { positions[id].map { tracks[$0] } }
}

extension Movie {
  /// Reads the fragments of the movie from the source that the movie was read from.
  ///
  /// Costs one read of each `moof`, and memory in proportion to them; reads no media. A movie without fragments has
  /// tracks here too, with the samples of `moov`. What the end of the file cuts off is left out and listed in
  /// ``MovieFragments/missingSamples``: a `moof`, and in the media of the last ones each sample that is not whole.
  ///
  /// Throws what the source throws, and ``MovieError``: `.sourceChanged` for another source than the movie's, `.limit`
  /// beyond ``MovieLimits``, `.malformed` or `.truncated` with path and offset for atoms that a fragment cannot do
  /// without.
  package func readFragments(of source: some RandomAccessSource) throws -> MovieFragments {
    guard try source.identity() == layout.identity else {
      throw MovieError(.sourceChanged, "the source is not the one that the movie was read from, or has changed")
    }
    var reader = try FragmentReader(self)
    for atom in layout.atoms where atom.type == "moof" {
      if let claimed = atom.claimedByteCount {
        reader.reportCut(atom, claiming: claimed)
        continue
      }
      try reader.makeRoom(for: atom.range)
      try reader.add(layout.read(atom.range, of: source), at: atom.range.offset)
    }
    return reader.finish()
  }
}

extension MovieFragments {
  /// Samples of fragments that do not lie where samples can: past the end of the file, inside the movie atom or
  /// a `moof`, or where samples of another run lie.
  ///
  /// The first of each track and kind. Costs a sort of the runs; reads nothing. What `moov` says of samples is
  /// ``Movie/misplacedSamples()``.
  ///
  /// - Parameter movie: the movie that the fragments were read with.
  package func misplacedSamples(in movie: Movie) -> [MovieError] {
    let fileEnd = movie.layout.identity.byteCount
    var report = MisplacementReport(fragments: fragments)
    var pieces = ([movie.movieAtom.range] + fragments.map(\.range)).map { Piece(range: $0, trackID: nil, run: nil) }
    for (track, movieTrack) in zip(tracks, movie.tracks) {
      let locator = ChunkLocator(movieTrack)
      for run in track.runs where run.byteCount > 0 {
        if locator.isExternal(run.chunk) {
          // Where another file ends is not known.
          guard run.byteRange == nil else { continue }
          report.add(.malformed, track.trackID, run, "which is another one")
        } else if let range = run.byteRange, range.end <= fileEnd {
          pieces.append(Piece(range: range, trackID: track.trackID, run: run))
        } else {
          report.add(.truncated, track.trackID, run, "reaches past the end of the file at \(fileEnd)")
        }
      }
    }
    pieces.sort { $0.range.offset < $1.range.offset }  // In place: a copy of a million would be felt.
    pieces.forEachOverlap(by: { $0.range }) { piece, before in
      if let run = piece.run, let id = piece.trackID {
        report.add(.malformed, id, run, before.description)
      } else if let run = before.run, let id = before.trackID {
        report.add(.malformed, id, run, piece.description)
      }
    }
    return report.errors
  }

  /// The movie atom, a `moof` or a run in the file.
  private struct Piece {
    let range: ByteRange
    let trackID: UInt32?
    let run: FragmentRun?

    var description: String {
      guard let trackID else { return "reaches into the moov or moof atom at \(range.offset)" }
      return "shares bytes with samples of track \(trackID) at \(range.offset)"
    }
  }

  /// Gathers errors, one of a kind for each track.
  private struct MisplacementReport {
    let fragments: [MovieFragment]
    var errors: [MovieError] = []
    private var seen: Set<Kind> = []

    private struct Kind: Hashable {
      let code: MovieError.Code
      let trackID: UInt32
    }

    init(fragments: [MovieFragment]) {
      self.fragments = fragments
    }

    mutating func add(_ code: MovieError.Code, _ trackID: UInt32, _ run: FragmentRun, _ reason: String) {
      guard seen.insert(Kind(code: code, trackID: trackID)).inserted else { return }
      let place = run.offset.map { "at \($0)" } ?? "outside the file"
      errors.append(
        MovieError(
          code, at: fragments[run.fragmentIndex].range.offset, in: "moof",
          "run \(run.index + 1) of track \(trackID), \(run.byteCount) bytes \(place), \(reason)"))
    }
  }
}

extension FragmentRun {
  /// The run as a chunk of its track; one that lies nowhere begins at the largest offset.
  fileprivate var chunk: Chunk {
    Chunk(
      index: index, offset: offset ?? .max, byteCount: byteCount, firstSample: firstSample, sampleCount: sampleCount,
      sampleDescriptionIndex: sampleDescriptionIndex)
  }
}

// A recording of a stream may start at the stream's clock: hours after 0, or at the seconds since 1970. Players begin
// such a movie with its first picture. The start of the earliest track is what separates that clock from the movie's.

extension FragmentedTrack {
  /// Returns the start of the track's presentation, in ticks of the media, apart from empty edits; `nil` without
  /// samples.
  ///
  /// Empty edits are the author's choice and do not belong to the clock. If the first sample is decoded before it is
  /// shown, the track starts at its decode time, as it does in recordings that start at 0.
  ///
  /// - Parameter omitsEmptyText: whether samples of text that show nothing are passed over at the beginning.
  func start(of track: Track, omitsEmptyText: Bool) -> Int64? {
    guard tableSampleCount == 0 else { return 0 }  // Samples of tables begin at 0.
    let emptySize: UInt64 = track.formats.contains("wvtt") ? 8 : 2
    let isText = omitsEmptyText && track.hasReadableText
    var first: Sample?
    var shown = Int64.max
    for sample in samples {
      if first == nil, isText, sample.byteRange?.count ?? 0 <= emptySize { continue }
      guard first?.chunkIndex ?? sample.chunkIndex == sample.chunkIndex else { break }
      if first == nil { first = sample }
      shown = Swift.min(shown, sample.presentationTime)
    }
    guard let first else { return nil }
    let edit = track.editList?.firstShown ?? 0
    let origin = Int64(clamping: ticksBeforeStart)
    let decoded = Int64(clamping: first.decodeTime).addingClamped(-origin)
    guard edit < decoded else { return 0 }  // The edit shows the track from the start of the movie on.
    return Swift.min(decoded, Swift.max(decoded, shown.addingClamped(-origin)).addingClamped(-edit))
  }

  /// The edit list of the track in a movie whose fragments go on: an edit that ends where the samples of the movie atom
  /// end shows those of the fragments too.
  ///
  /// Writers close the edit when they write the movie atom, before they know of any fragment.
  package func continuedEditList(of track: Track, movieTimeScale: UInt32) -> EditList? {
    guard var list = track.editList, endsWithTable(list, track, movieTimeScale) else { return track.editList }
    list.entries[list.entries.count - 1].segmentDuration = 0
    return list
  }

  /// Whether the last edit ends where the samples of the movie atom do, to a tick of the movie or of the media, though
  /// fragments go on.
  package func endsWithTable(_ list: EditList, _ track: Track, _ movieTimeScale: UInt32) -> Bool {
    guard tableSampleCount > 0, hasFragmentSamples, movieTimeScale > 0, let last = list.entries.last,
      last.mediaTime >= 0, last.knownDuration > 0
    else { return false }
    // In parts of a second that both scales count in.
    let (media, movie) = (Int128(track.mediaHeader.timeScale), Int128(movieTimeScale))
    let end = Int128(last.mediaTime) * movie + Int128(last.segmentDuration) * media
    // Some writers give the edit the duration of the media, and so its end lies after the part that it leaves out.
    let (decoding, presentation) = tableEnds
    return [decoding, presentation, decoding.addingClamped(last.mediaTime)].contains {
      (Int128($0) * movie - end).magnitude <= Swift.max(media, movie).magnitude
    }
  }
}

extension MovieFragments {
  /// The start of the earliest track on the clock of the movie, or `nil` if that is 0 or before.
  ///
  /// Samples of text that show nothing do not count, unless the movie has nothing but text: some writers fill the time
  /// from 0 to the first cue with them. Costs the first run of each track, and for text all samples before the first one
  /// that shows something.
  ///
  /// - Parameter movie: the movie that the fragments were read with.
  package func start(in movie: Movie) -> MediaTime? { Self.start(of: tracks, in: movie) }

  /// ``start(in:)`` of the tracks of a movie, in its order.
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

/// The movie with edit lists that cover its fragments and count from the start of its earliest track.
package struct PresentedMovie: Sendable {
  /// The movie. Its edit lists differ from those of the file: they cover fragments and count from ``start``.
  package let movie: Movie
  /// The fragments, as they are in the file; `nil` for a movie without any.
  package let fragments: MovieFragments?
  /// The time that the edit lists subtract from the times of the file; `nil` where these start at 0 or are kept.
  package let start: MediaTime?

  /// A movie whose fragments have been read, with `start` subtracted from its times.
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
}

extension Movie {
  /// The movie with its fragments, on a clock that starts when its earliest track does, or on its own clock.
  ///
  /// Of a movie without fragments nothing is read, and nothing changes. Throws what ``readFragments(of:)`` throws.
  package func presented(
    from source: some RandomAccessSource, keepingStart: Bool = false, _ known: MovieFragments? = nil
  ) throws -> PresentedMovie {
    guard isFragmented else { return PresentedMovie(self, nil, from: nil) }
    let fragments = try known ?? readFragments(of: source)
    return PresentedMovie(self, fragments, from: keepingStart ? nil : fragments.start(in: self))
  }
}

extension FragmentedTrack {
  /// The edit list that shows media earlier by `start`.
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
  /// The media time of the first edit that shows anything; `nil` where none does.
  fileprivate var firstShown: Int64? {
    entries.indices.first { entries[$0].mediaTime >= 0 && (entries[$0].knownDuration > 0 || isOpen(at: $0)) }
      .map { entries[$0].mediaTime }
  }
}
