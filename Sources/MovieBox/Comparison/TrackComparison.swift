import Subtitles

/// Compares a track of two movies, including its atoms, references, edits and samples.
///
/// Sample tables are compared sample by sample, because two movies may store equal samples in different tables or in
/// fragments. The comparison reads no media. It only adds the ranges of bytes to a list for
/// ``MediaComparison``.
struct TrackComparison<Old: RandomAccessSource, New: RandomAccessSource> {
  let old: MovieSide<Old>
  let new: MovieSide<New>
  let oldTrack: TrackSide
  let newTrack: TrackSide
  /// The start of each recording, or `nil` if the times of the movie start at 0.
  let starts: (old: MediaTime?, new: MediaTime?)
  /// The differences that added or removed tracks cause.
  let implied: ImpliedDifferences

  private(set) var differences: [MovieComparison.Difference] = []
  private(set) var samples: SampleComparison
  /// Whether the tables differ in their encoding but not in their contents.
  private(set) var hasDifferentTables = false
  private(set) var hasDifferentChunks = false

  /// Whether one of the movies is fragmented and the other is not.
  private var isMixed: Bool { (old.fragments == nil) != (new.fragments == nil) }
  private var hasFragments: Bool { old.fragments != nil || new.fragments != nil }
  private var trackID: UInt32 { oldTrack.track.id }

  init(
    of tracks: (old: TrackSide, new: TrackSide), in movies: (old: MovieSide<Old>, new: MovieSide<New>),
    startingAt starts: (old: MediaTime?, new: MediaTime?), _ implied: ImpliedDifferences, hasEqualMedia: Bool,
    fragments difference: MovieError?, owners: (samples: Int, auxiliary: Int), _ ranges: inout [ComparedRange]
  ) throws {
    (old, new) = movies
    (oldTrack, newTrack) = tracks
    self.starts = starts
    self.implied = implied
    let isMixed = (old.fragments == nil) != (new.fragments == nil)
    samples = SampleComparison(
      oldTrack, newTrack, isMixed ? .relativeDecodeTimes : old.fragments == nil ? .durations : .fragments,
      hasEqualMedia: hasEqualMedia, owner: owners.samples, &ranges)
    let hasAuxiliary = gatherAuxiliary(owner: owners.auxiliary, &ranges)
    compareAtoms(omitsAuxiliary: hasAuxiliary)
    compareReferences()
    if isMixed { compareEdits() }
    compareSamples()
    addFragmentDifference(difference)
    compareTables()
  }

  // MARK: - Atoms

  /// The atoms whose contents are compared sample by sample.
  private static var sampleTables: Set<FourCC> {
    ["stts", "ctts", "stsc", "stsz", "stz2", "stco", "co64", "stss"]
  }
  /// The atoms whose contents a fragmented movie may declare in its fragments.
  private static var fragmentTables: Set<FourCC> {
    ["cslg", "sdtp", "padb", "stdp", "sbgp", "sgpd", "saiz", "saio", "subs", "senc"]
  }

  private mutating func compareAtoms(omitsAuxiliary: Bool) {
    let (isMixed, sampleTables, fragmentTables) = (isMixed, Self.sampleTables, Self.fragmentTables)
    var atoms = AtomComparison(
      old.movie.tree, new.movie.tree, trackID: trackID, ignoresDurations: hasFragments
    ) { tree, index in
      let type = tree[index].type
      switch tree[index].parent.map({ tree[$0].type }) {
      case "trak": return type == "tref" || isMixed && (type == "edts" || type == "senc" || Self.isPIFF(tree, index))
      case "stbl":
        return sampleTables.contains(type) || omitsAuxiliary && type == "saio"
          || isMixed && (fragmentTables.contains(type) || Self.isPIFF(tree, index))
      case "meta": return type == "iloc"
      default: return false
      }
    }
    atoms.compare(oldTrack.track.atom, newTrack.track.atom)
    differences += atoms.differences.map { found in
      found.withCause(implied.cause(of: found.topic, oldTrack.track, newTrack.track))
    }
  }

  private static func isPIFF(_ tree: AtomTree, _ index: Int) -> Bool {
    tree[index].type == "uuid" && tree.payload(of: index).slice(at: 0, count: 16) == SampleEncryption.userType
  }

  private mutating func compareReferences() {
    let types = (oldTrack.track.references + newTrack.track.references).map(\.type).withoutRepetition
    let (oldReferences, newReferences) = (oldTrack.track.referencesByType, newTrack.track.referencesByType)
    let count = differences.count
    for type in types {
      let (before, after) = (oldReferences[type]?.trackIDs ?? [], newReferences[type]?.trackIDs ?? [])
      guard before != after else { continue }
      func description(_ ids: [UInt32]) -> String {
        ids.isEmpty ? "none" : ids.map(String.init).joined(separator: ", ")
      }
      let values = MovieComparison.Difference.Values(
        field: type.description, old: before.isEmpty ? nil : description(before),
        new: after.isEmpty ? nil : description(after))
      differences.append(
        MovieComparison.Difference(
          before.isEmpty ? .added : after.isEmpty ? .removed : .changed, .references, trackID: trackID,
          old: oldReferences[type].map { old.location(ofAtom: $0.atom) },
          new: newReferences[type].map { new.location(ofAtom: $0.atom) },
          values: values,
          followsFromTracks: implied.cause(of: type, from: before, to: after),
          "\(type) referred to \(description(before)) and now refers to \(description(after))"))
    }
    // Compare the bytes of the reference atoms too. They may differ in unused slots, in the order of types or in
    // trailing bytes.
    guard differences.count == count, let one = old.movie.tree.child(of: oldTrack.track.atom, "tref"),
      let other = new.movie.tree.child(of: newTrack.track.atom, "tref")
    else { return }
    var atoms = AtomComparison(old.movie.tree, new.movie.tree, trackID: trackID)
    atoms.compare(one, other)
    differences += atoms.differences
  }

  /// Compares the edit lists. The list of a fragmented movie is first converted to its form in a flattened movie.
  private mutating func compareEdits() {
    func edits(_ side: TrackSide, _ movie: Movie, from start: MediaTime? = nil) -> [EditList.Entry] {
      let list =
        side.fragmented?.flattenedEditList(of: side.track, movieTimeScale: movie.header.timeScale, from: start)
        ?? side.track.editList
      return list?.entries ?? []
    }
    let (oldEdits, newEdits) = (edits(oldTrack, old.movie), edits(newTrack, new.movie))
    guard oldEdits != newEdits else { return }
    // The times of a flattened movie may count from the start of the recording. Edits that are equal after this shift
    // are not a difference.
    if starts.old != nil || starts.new != nil,
      edits(oldTrack, old.movie, from: starts.old) == edits(newTrack, new.movie, from: starts.new)
    {
      return
    }
    func description(_ edits: [EditList.Entry]) -> String {
      edits.isEmpty
        ? "none" : edits.map { "media from \($0.mediaTime) for \($0.segmentDuration)" }.joined(separator: ", ")
    }
    func location<Source>(_ side: MovieSide<Source>, _ track: Track) -> MovieComparison.Difference.Location? {
      side.movie.tree.descendant(of: track.atom, "edts", "elst").map { side.location(ofAtom: $0) }
    }
    differences.append(
      MovieComparison.Difference(
        .changed, .edits, trackID: trackID, old: location(old, oldTrack.track), new: location(new, newTrack.track),
        values: MovieComparison.Difference.Values(
          field: "edits", old: description(oldEdits), new: description(newEdits)),
        "edits \(description(oldEdits)) became \(description(newEdits)) (as in the unfragmented movie)"))
  }

  // MARK: - Samples

  private mutating func compareSamples() {
    func add(_ aspect: SampleComparison.Aspect?, _ values: MovieComparison.Difference.Values, _ description: String) {
      let tables = aspect?.tables ?? ["stsz", "stz2"]
      differences.append(
        MovieComparison.Difference(
          .changed, .samples, trackID: trackID, old: old.tableLocation(tables, of: oldTrack.track),
          new: new.tableLocation(tables, of: newTrack.track), values: values, description))
    }
    let counts = samples.counts
    if counts.old != counts.new {
      let values = MovieComparison.Difference.Values(field: "samples", old: "\(counts.old)", new: "\(counts.new)")
      add(nil, values, "\(counts.old) samples became \(counts.new)")
    }
    let sharedCount = Swift.min(counts.old, counts.new)
    for aspect in SampleComparison.Aspect.allCases {
      guard let change = samples.changes[aspect] else { continue }
      let values = MovieComparison.Difference.Values(field: aspect.rawValue, old: change.old, new: change.new)
      add(
        aspect, values,
        "\(aspect.rawValue) of \(change.count) of \(sharedCount) samples, first of sample \(change.firstSample + 1): "
          + "\(change.old) became \(change.new)")
    }
  }

  /// Checks whether the tables differ in their encoding or their chunks.
  private mutating func compareTables() {
    guard !hasFragments else { return }
    let (oldSamples, newSamples) = (oldTrack.track.samples, newTrack.track.samples)
    if samples.changes.isEmpty, samples.counts.old == samples.counts.new {
      hasDifferentTables =
        oldSamples.timeToSample != newSamples.timeToSample
        || oldSamples.compositionOffsets != newSamples.compositionOffsets
        || oldSamples.syncSamples != newSamples.syncSamples || oldSamples.sampleSizes != newSamples.sampleSizes
    }
    hasDifferentChunks =
      oldSamples.chunkCount != newSamples.chunkCount || oldSamples.sampleToChunk != newSamples.sampleToChunk
  }

  // MARK: - Auxiliary information, groups, subsamples

  /// Collects the ranges that `saiz` and `saio` declare. Returns `false` if a table is damaged or the sizes differ.
  /// In this case, the caller compares the atoms instead.
  private mutating func gatherAuxiliary(owner: Int, _ ranges: inout [ComparedRange]) -> Bool {
    guard !hasFragments else { return false }
    do throws(MovieError) {
      let before = try oldTrack.track.auxiliaryInformation(in: old.movie.tree).map(\.range)
      let after = try newTrack.track.auxiliaryInformation(in: new.movie.tree).map(\.range)
      let sum = { (ranges: [ByteRange]) in ranges.reduce(UInt64(0)) { $0.addingClamped($1.count) } }
      guard sum(before) == sum(after) else { return false }
      ranges.append(before, after, owner: owner)
      return true
    } catch {
      return false
    }
  }

  /// Adds a difference in groups, subsamples, dependencies or encryption. In one movie, fragments declare these
  /// properties. In the other movie, tables declare them.
  private mutating func addFragmentDifference(_ difference: MovieError?) {
    guard let difference else { return }
    let mark = "track \(trackID): "
    let reason = difference.reason.hasPrefix(mark) ? difference.reason.dropFirst(mark.count) : difference.reason[...]
    differences.append(
      MovieComparison.Difference(
        .changed, .samples, trackID: trackID, old: old.tableLocation([], of: oldTrack.track),
        new: new.tableLocation([], of: newTrack.track), "fragments and tables disagree: \(reason)"))
  }
}

extension Track {
  /// The IDs of the referenced tracks by reference type, with the index of the first reference atom of the type.
  fileprivate var referencesByType: [FourCC: (atom: Int, trackIDs: [UInt32])] {
    var atomsByType: [FourCC: (atom: Int, trackIDs: [UInt32])] = [:]
    for reference in references {
      atomsByType[reference.type, default: (reference.atom, [])].trackIDs += reference.trackIDs.filter { $0 != 0 }
    }
    return atomsByType
  }
}
