import MovieBox

/// The tracks that an edit asks for: what verification holds a planned movie against.
///
/// It is taken from the request alone. What writes atoms for the request has no part in it, so that an atom written
/// wrongly does not excuse itself.
struct RequestedTracks: Sendable {
  /// All tracks, in the order of the new movie.
  let tracks: [EditedTrack]
  let nextTrackID: UInt32
  /// Whether the samples of tracks made of cues are in chunks of about a second.
  let isInterleaved: Bool
  /// Whether a movie that loses its fragments keeps the clock of the recording.
  let keepsStart: Bool
  /// The kept tracks whose media in other files is taken along.
  private let tracksTakingMediaIn: Set<UInt32>
  /// The kept tracks whose auxiliary information lay in fragments.
  private let tracksWithAuxiliary: Set<UInt32>

  init(_ edit: MovieEdit, isInterleaved: Bool) {
    self.isInterleaved = isInterleaved
    tracks = edit.tracks
    nextTrackID = edit.nextTrackID
    keepsStart = edit.stages.keepsStart
    tracksTakingMediaIn = Set(edit.changes.media.external.keys)
    let auxiliary = zip(edit.movie.tracks, edit.stages.flattened?.auxiliary ?? []).filter { !$0.1.isEmpty }
    tracksWithAuxiliary = Set(auxiliary.map(\.0.id))
  }

  /// Those of a movie that stays as it is.
  init(unchanged movie: Movie) {
    tracks = movie.tracks.map { EditedTrack($0) }
    nextTrackID = movie.header.nextTrackID
    isInterleaved = false
    keepsStart = false
    (tracksTakingMediaIn, tracksWithAuxiliary) = ([], [])
  }

  /// The types of atoms that may differ inside each kept track, by its ID.
  var changedAtoms: [UInt32: Set<FourCC>] {
    var changed: [UInt32: Set<FourCC>] = [:]
    for track in tracks {
      guard let old = track.old else { continue }
      var types: Set<FourCC> = track.hasChangedHeader ? ["tkhd"] : []
      let before = EditedTrack.references(of: old)
      let references = Set(before.keys).union(track.references.keys).filter { before[$0] != track.references[$0] }
      if !references.isEmpty { types.formUnion(references.union(["tref"])) }
      if tracksTakingMediaIn.contains(old.id) { types.insert("dref") }
      if track.declaresParameterSetsComplete { types.insert("stsd") }
      if tracksWithAuxiliary.contains(old.id) { types.formUnion(["saiz", "saio"]) }
      if !types.isEmpty { changed[old.id, default: []].formUnion(types) }
    }
    return changed
  }

  /// The types of atoms with labels that may come, go and differ inside each kept track, by its ID.
  func changedLabels(in tree: AtomTree) -> [UInt32: Set<FourCC>] {
    var changed: [UInt32: Set<FourCC>] = [:]
    for track in tracks {
      guard let old = track.old, track.hasChangedLabels else { continue }
      let types = track.labels.changedAtoms(from: TrackLabels(old))
      changed[old.id, default: []].formUnion(types)
      // A track without user data gets some; one that has some keeps the atom.
      if !types.isDisjoint(with: TrackLabels.userDataTypes), tree.child(of: old.atom, "udta") == nil {
        changed[old.id, default: []].insert("udta")
      }
    }
    return changed
  }
}

extension TrackLabels {
  /// What holds a track's title; see ``Track/title``.
  static let titleTypes = Set(TitleAtoms.allTypes)

  /// What of a track's user data labels stand for.
  static let userDataTypes = titleTypes.union(["tagc", "kind"])

  /// The types of atoms in which what differs from the old labels stands.
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
