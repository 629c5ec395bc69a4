import MovieBox

/// The requested tracks. Verification compares the planned movie with them.
///
/// They are derived only from the requests and not from written atoms, so that verification does not accept an
/// incorrectly written atom.
struct RequestedTracks: Sendable {
  /// All tracks, in the order of the new movie.
  let tracks: [EditedTrack]
  let nextTrackID: UInt32
  /// Whether the samples of generated tracks are in chunks of about a second.
  var isInterleaved: Bool
  /// Whether a flattened movie keeps the clock of the recording.
  let keepsStart: Bool
  /// The kept tracks whose media is copied from other files.
  private let selfContainedTracks: Set<UInt32>
  /// The kept tracks with auxiliary information from fragments.
  private let tracksWithAuxiliary: Set<UInt32>

  init(_ edit: MovieEdit, isInterleaved: Bool) {
    self.isInterleaved = isInterleaved
    tracks = edit.tracks
    nextTrackID = edit.nextTrackID
    keepsStart = edit.stages.keepsStart
    selfContainedTracks = Set(edit.changes.media.external.keys)
    let auxiliary = zip(edit.movie.tracks, edit.stages.flattened?.auxiliary ?? []).filter { !$0.1.isEmpty }
    tracksWithAuxiliary = Set(auxiliary.map(\.0.id))
  }

  /// Creates the tracks of an unchanged movie.
  init(unchanged movie: Movie) {
    tracks = movie.tracks.map { EditedTrack($0) }
    nextTrackID = movie.header.nextTrackID
    isInterleaved = false
    keepsStart = false
    (selfContainedTracks, tracksWithAuxiliary) = ([], [])
  }

  /// The types of atoms that may change inside each kept track, by track ID.
  var changedAtoms: [UInt32: Set<FourCC>] {
    var changed: [UInt32: Set<FourCC>] = [:]
    for track in tracks {
      guard let old = track.old else { continue }
      var types: Set<FourCC> = track.hasChangedHeader ? ["tkhd"] : []
      let before = EditedTrack.references(of: old)
      let references = Set(before.keys).union(track.references.keys).filter { before[$0] != track.references[$0] }
      if !references.isEmpty { types.formUnion(references.union(["tref"])) }
      if selfContainedTracks.contains(old.id) { types.insert("dref") }
      if track.declaresParameterSetsComplete { types.insert("stsd") }
      if track.writesQuickTimeHandler { types.insert("hdlr") }
      if tracksWithAuxiliary.contains(old.id) { types.formUnion(["saiz", "saio"]) }
      if !types.isEmpty { changed[old.id, default: []].formUnion(types) }
    }
    return changed
  }

  /// Returns the types of label atoms that may be added, removed or changed inside each kept track, by track ID.
  func changedLabels(in tree: AtomTree) -> [UInt32: Set<FourCC>] {
    var changed: [UInt32: Set<FourCC>] = [:]
    for track in tracks {
      guard let old = track.old, track.hasChangedLabels else { continue }
      let types = track.labels.changedAtoms(from: TrackLabels(old))
      changed[old.id, default: []].formUnion(types)
      // `udta` may be added only to a track that has none.
      if !types.isDisjoint(with: TrackLabels.userDataTypes), tree.child(of: old.atom, "udta") == nil {
        changed[old.id, default: []].insert("udta")
      }
    }
    return changed
  }
}

extension TrackLabels {
  /// The types of atoms that contain a track's title; see ``Track/title``.
  static let titleTypes = Set(TrackTitleAtoms.allTypes)

  /// The types of atoms in a track's user data that contain labels.
  static let userDataTypes = titleTypes.union(["tagc", "kind"])

  /// Returns the types of the atoms that contain the changed labels.
  fileprivate func changedAtoms(from old: TrackLabels) -> Set<FourCC> {
    var types: Set<FourCC> = []
    if language != old.language || rewritesLanguage { types.formUnion(["mdhd", "elng"]) }
    if title != old.title || completesTitle { types.formUnion(Self.titleTypes) }
    if characteristics != old.characteristics || rewritesTags { types.insert("tagc") }
    if roles != old.roles { types.insert("kind") }
    if isExcludedFromAutomaticSelection != old.isExcludedFromAutomaticSelection { types.insert("txas") }
    if containsOnlyForcedSubtitles != old.containsOnlyForcedSubtitles { types.insert("stsd") }
    return types
  }
}
