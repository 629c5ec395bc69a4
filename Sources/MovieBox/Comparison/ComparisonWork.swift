import Subtitles

/// The steps of a comparison and the differences found so far.
///
/// The atoms are compared first, then the tracks. These steps also collect the ranges of media, auxiliary information
/// and items. The bytes of all ranges are compared at the end, in one pass over both files.
struct ComparisonWork<Old: RandomAccessSource, New: RandomAccessSource> {
  let old: MovieSide<Old>
  let new: MovieSide<New>
  let media: MediaComparison<Old, New>
  /// The number of equal bytes at the start of both files.
  let commonStart: UInt64

  private(set) var differences: [MovieComparison.Difference] = []
  private(set) var remarks: [MovieComparison.Remark] = []
  /// The ranges of bytes to compare. The owner of each range is an index into `owners`.
  var comparedRanges: [ComparedRange] = []
  var owners: [Owner] = []
  /// The tracks whose bytes need no comparison of their chunks.
  private var unchangedMedia = UnchangedMedia()

  /// The track, auxiliary information or item to which a range of bytes belongs.
  enum Owner {
    case samples(old: TrackSide, new: TrackSide)
    case auxiliary(trackID: UInt32)
    case item(trackID: UInt32?, old: MovieComparison.Difference.Location, new: MovieComparison.Difference.Location)
  }

  init(_ old: MovieSide<Old>, _ new: MovieSide<New>, _ media: MediaComparison<Old, New>, commonStart: UInt64) {
    (self.old, self.new, self.media, self.commonStart) = (old, new, media, commonStart)
  }

  var hasFragments: Bool { old.fragments != nil || new.fragments != nil }

  mutating func run() throws {
    try compareTopLevel()
    let oldTracks = old.tracks
    let newTracks = new.tracks
    let ids = (old: Set(oldTracks.map(\.track.id)), new: Set(newTracks.map(\.track.id)))
    let implied = ImpliedDifferences(old.movie, new.movie)
    compareMovieAtom(
      implied,
      wereAdded: newTracks.count > oldTracks.count || !ids.new.isSubset(of: ids.old),
      wereRemoved: !ids.old.isSubset(of: ids.new))
    try compareProtection()
    try compareTracks(oldTracks, newTracks, implied)
    let isMediaMoved = unchangedMedia.isMoved || comparedRanges.contains { $0.distance != 0 }
    let mismatches = try media.mismatches(&comparedRanges, commonStart: commonStart)
    for owner in mismatches.keys.sorted() { addBytes(mismatches[owner] ?? [], of: owners[owner]) }
    addRemarks(isMediaMoved: isMediaMoved, hasMismatches: !mismatches.isEmpty)
  }

  mutating func add(_ newDifferences: [MovieComparison.Difference]) {
    // A damaged file may have millions of differences, but only a limited number is reported.
    differences += newDifferences.prefix(Swift.max(0, MovieComparison.differenceLimit - differences.count))
  }

  // MARK: - Tracks

  private mutating func compareTracks(
    _ oldTracks: [TrackSide], _ newTracks: [TrackSide], _ implied: ImpliedDifferences
  ) throws {
    var matches: [[UInt32]: TrackSide] = [:]
    for side in newTracks { matches[side.key] = side }
    var otherTables: [UInt32] = []
    var otherChunks: [UInt32] = []
    var externalTrackIDs: [UInt32] = []
    var contents = try fragmentContents()
    // The start of a recording is determined only if it is needed, because this requires a pass over all tracks.
    let isMixed = (old.fragments == nil) != (new.fragments == nil)
    let starts =
      isMixed ? (old.fragments?.start(in: old.movie), new.fragments?.start(in: new.movie)) : (nil, nil)
    let pairs = oldTracks.map { side in matches[side.key].flatMap { side.corresponds(to: $0) ? $0 : nil } }
    let fragmentDifferences = isMixed ? try fragmentDifferences(of: oldTracks, and: pairs) : [:]
    if !hasFragments {
      unchangedMedia = try UnchangedMedia(
        zip(oldTracks, pairs).map { side, match in match.map { (side.track, $0.track) } }, in: media,
        commonStart: commonStart)
    }
    // Most chunks of the other tracks add a range to the list. If the list grew step by step, each step would copy
    // megabytes. The sum cannot overflow, because each chunk has an offset in the movie atom.
    comparedRanges.reserveCapacity(
      oldTracks.indices.reduce(0) {
        unchangedMedia.pairs.contains($1) ? $0 : $0 &+ oldTracks[$1].track.samples.chunkCount
      })
    for (position, side) in oldTracks.enumerated() {
      guard let match = pairs[position] else {
        add([Self.difference(.removed, of: side, at: old.location(ofAtom: side.track.atom))])
        continue
      }
      matches[side.key] = nil
      owners += [.samples(old: side, new: match), .auxiliary(trackID: side.track.id)]
      let track = try TrackComparison(
        of: (side, match), in: (old, new), startingAt: starts, implied,
        hasEqualMedia: unchangedMedia.pairs.contains(position),
        fragments: fragmentDifferences[position], owners: (samples: owners.count - 2, auxiliary: owners.count - 1),
        &comparedRanges)
      add(track.differences)
      if track.hasDifferentTables { otherTables.append(side.track.id) }
      if track.hasDifferentChunks { otherChunks.append(side.track.id) }
      if track.samples.omitsExternalSamples { externalTrackIDs.append(side.track.id) }
      gatherItems(
        (old.movie.tree, side.track.atom), (new.movie.tree, match.track.atom), trackID: side.track.id)
      if contents != nil { try compareFragments(&contents, side.track.id) }
    }
    for side in newTracks where matches[side.key] != nil {
      add([Self.difference(.added, of: side, at: new.location(ofAtom: side.track.atom))])
    }
    func remark(_ kind: MovieComparison.Remark.Kind, _ ids: [UInt32], _ description: String) {
      guard !ids.isEmpty else { return }
      let tracks = (ids.count == 1 ? "track " : "tracks ") + ids.map(String.init).joined(separator: ", ")
      remarks.append(MovieComparison.Remark(kind, "\(tracks): \(description)"))
    }
    remark(.tables, otherTables, "the tables differ only in their encoding")
    remark(.chunks, otherChunks, "the samples are divided into different chunks")
    remark(
      .notCompared, externalTrackIDs, "the samples of one movie are in another file, and their bytes were not compared")
  }

  private static func difference(
    _ kind: MovieComparison.Difference.Kind, of side: TrackSide, at place: MovieComparison.Difference.Location
  ) -> MovieComparison.Difference {
    let formats = Set(side.track.formats.map(\.description)).sorted().joined(separator: ", ")
    let parts = [side.track.mediaType.name, formats, "\(side.sampleCount) samples", side.track.displayName]
    return MovieComparison.Difference(
      kind, .track, trackID: side.track.id, old: kind == .removed ? place : nil, new: kind == .added ? place : nil,
      parts.filter { !$0.isEmpty }.joined(separator: ", "))
  }

  private func fragmentContents() throws(MovieError) -> (
    old: FragmentComparison.Contents, new: FragmentComparison.Contents
  )? {
    guard let oldFragments = old.fragments, let newFragments = new.fragments else { return nil }
    return (try FragmentComparison.Contents(oldFragments), try FragmentComparison.Contents(newFragments))
  }

  /// Returns the first difference in groups, subsamples, dependencies or encryption for each pair of tracks, by the
  /// index of the pair. In one movie, fragments declare these properties. In the other movie, tables declare them.
  private func fragmentDifferences(of oldTracks: [TrackSide], and newTracks: [TrackSide?]) throws -> [Int: MovieError] {
    func differences<Fragmented, Plain>(
      _ fragmented: MovieSide<Fragmented>, _ plain: MovieSide<Plain>,
      _ pair: (_ old: TrackSide, _ new: TrackSide) -> (fragmented: TrackSide, plain: TrackSide)
    ) throws -> [Int: MovieError] {
      var positions: [Int] = []
      var tracks: [FragmentContentsCheck.TrackPair] = []
      for (position, (old, new)) in zip(oldTracks, newTracks).enumerated() {
        // Skip tracks whose numbers of samples differ, because this difference was already reported.
        guard let new, old.sampleCount == new.sampleCount else { continue }
        let (one, other) = pair(old, new)
        guard let samples = one.fragmented else { continue }
        positions.append(position)
        tracks.append((one.track, samples, other.track))
      }
      let file = ByteRange(0..<fragmented.movie.layout.identity.byteCount)
      let found = try FragmentContentsCheck.differences(of: tracks, from: fragmented, to: plain, file: file)
      return Dictionary(uniqueKeysWithValues: found.map { (positions[$0.key], $0.value) })
    }
    return old.fragments != nil
      ? try differences(old, new) { ($0, $1) } : try differences(new, old) { ($1, $0) }
  }

  private mutating func compareFragments(
    _ sides: inout (old: FragmentComparison.Contents, new: FragmentComparison.Contents)?, _ trackID: UInt32
  ) throws {
    guard let (before, after) = sides else { return }
    let contents = FragmentComparison(before, after, trackID: trackID)
    if let first = contents.first {
      let description = "\(contents.count) atoms of fragments differ in groups, dependencies, subsamples or encryption"
      let (old, new) = (try sides?.old.location(of: first.old), try sides?.new.location(of: first.new))
      add([MovieComparison.Difference(.changed, .samples, trackID: trackID, old: old, new: new, description)])
    } else if !contents.isComparable, contents.hasContents {
      remarks.append(
        MovieComparison.Remark(
          .notCompared,
          "track \(trackID): the fragments begin at different samples, and their groups, dependencies and encryption "
            + "were not compared"))
    }
  }

  // MARK: - Bytes

  private mutating func addBytes(_ mismatches: [MediaComparison<Old, New>.Mismatch], of owner: Owner) {
    guard let first = mismatches.first else { return }
    let byteCount = mismatches.reduce(UInt64(0)) { $0.addingClamped($1.range.count) }
    var ranges = (
      MovieComparison.Difference.Location(path: nil, offset: first.range.offset, byteCount: byteCount),
      MovieComparison.Difference.Location(path: nil, offset: first.newOffset, byteCount: byteCount)
    )
    let positions = description(of: first)
    switch owner {
    case .samples(let side, _):
      let touched = side.samples(overlapping: mismatches.map(\.range))
      let sample = touched.first.map { ", first of sample \($0 + 1)" } ?? ""
      let description = "bytes of \(touched.count) of \(side.sampleCount) samples\(sample), \(positions)"
      add([
        MovieComparison.Difference(.changed, .bytes, trackID: side.track.id, old: ranges.0, new: ranges.1, description)
      ])
    case .auxiliary(let trackID):
      let description = "auxiliary information of samples, \(positions)"
      add([MovieComparison.Difference(.changed, .bytes, trackID: trackID, old: ranges.0, new: ranges.1, description)])
    case .item(let trackID, let oldLocation, let newLocation):
      ranges = (
        MovieComparison.Difference.Location(path: oldLocation.path, offset: first.range.offset, byteCount: byteCount),
        MovieComparison.Difference.Location(path: newLocation.path, offset: first.newOffset, byteCount: byteCount)
      )
      let description = "bytes of items, \(positions)"
      add([MovieComparison.Difference(.changed, .bytes, trackID: trackID, old: ranges.0, new: ranges.1, description)])
    }
  }

  /// Returns text such as `first at byte 4000, 5000 in the new file`. If a file ends before this byte, the text also
  /// contains the offset at which the file ends.
  private func description(of mismatch: MediaComparison<Old, New>.Mismatch) -> String {
    let (oldOffset, newOffset) = (mismatch.range.offset, mismatch.newOffset)
    var description = "first at byte \(oldOffset)" + (oldOffset == newOffset ? "" : ", \(newOffset) in the new file")
    let ends = (old.movie.layout.identity.byteCount, new.movie.layout.identity.byteCount)
    if oldOffset >= ends.0 { description += "; the old file ends at byte \(ends.0)" }
    if newOffset >= ends.1 { description += "; the new file ends at byte \(ends.1)" }
    return description
  }

  // MARK: - The files

  private mutating func addRemarks(isMediaMoved: Bool, hasMismatches: Bool) {
    if isMediaMoved {
      let isSame = !hasMismatches && !differences.contains { $0.topic == .samples }
      remarks.append(
        MovieComparison.Remark(.mediaElsewhere, "the media was moved" + (isSame ? ", but its bytes are equal" : "")))
    }
    func isFirst(_ movie: Movie) -> Bool? {
      movie.layout.first("mdat").map { _ in movie.layout.isFastStart }  // This is consistent with `inspect`.
    }
    if let before = isFirst(old.movie), let after = isFirst(new.movie), before != after {
      remarks.append(
        MovieComparison.Remark(
          .movieAtomMoved,
          "the movie atom moved from \(before ? "before" : "after") the media to "
            + "\(before ? "after" : "before") the media"))
    }
    if (old.fragments == nil) != (new.fragments == nil) {
      let description =
        old.fragments == nil ? "only the new movie is fragmented" : "only the old movie is fragmented"
      remarks.append(MovieComparison.Remark(.fragments, description))
      addStartRemark()
    }
    if old.movie.hasCompressedMovieAtom != new.movie.hasCompressedMovieAtom {
      let was = old.movie.hasCompressedMovieAtom
      remarks.append(
        MovieComparison.Remark(
          .compressedMovieAtom,
          "only the \(was ? "old" : "new") movie atom is compressed"
        )
      )
    }
  }

  /// Adds a remark if the fragmented movie starts after 0, but the plain movie starts at 0. This is not a difference,
  /// because flattening may move the start of a movie to 0.
  private mutating func addStartRemark() {
    let wasRecording = old.fragments != nil
    let recording = wasRecording ? old.movie : new.movie
    let plainMovie = wasRecording ? new.movie : old.movie
    guard let fragments = old.fragments ?? new.fragments, let start = fragments.start(in: recording) else { return }
    let plainTracks = Dictionary(plainMovie.tracks.map { ($0.id, $0) }) { first, _ in first }
    let scale = recording.header.timeScale
    let isMoved = zip(recording.tracks, fragments.tracks).contains { track, fragmented in
      guard let other = plainTracks[track.id], fragmented.hasFragmentSamples else { return false }
      func edits(from start: MediaTime?) -> [EditList.Entry] {
        fragmented.flattenedEditList(of: track, movieTimeScale: scale, from: start)?.entries ?? []
      }
      let found = other.editList?.entries ?? []
      return found != edits(from: nil) && found == edits(from: start)
    }
    guard isMoved else { return }
    let change = wasRecording ? "was \(start.text) and is 0" : "was 0 and is \(start.text)"
    remarks.append(MovieComparison.Remark(.startMoved, "the times are shifted: the start of the movie \(change)"))
  }
}

extension TrackSide {
  /// Returns the number of samples that overlap any of the ranges, and the index of the first such sample. Makes a pass
  /// over all samples.
  fileprivate func samples(overlapping ranges: [ByteRange]) -> (count: Int, first: Int?) {
    let touchedRanges = ByteRangeSet(ranges)
    var count = 0
    var first: Int?
    for run in SampleRuns(track, fragmented) {
      guard let range = run.range, range.count > 0 else { continue }
      var counted = 0  // The samples of the run that are already counted.
      for part in touchedRanges.ranges(within: range) {
        // If packets determine the size of a run, divide its bytes equally among the samples.
        func sample(_ byte: UInt64) -> Int {
          Int(clamping: byte.scaled(by: UInt64(run.count), over: range.count) ?? 0)
        }
        let from = Swift.max(counted, sample(part.offset - range.offset))
        let to = sample(part.end - 1 - range.offset) + 1
        if to > from {
          count += to - from
          if first == nil { first = run.firstSample + from }
          counted = to
        }
      }
    }
    return (count, first)
  }
}
