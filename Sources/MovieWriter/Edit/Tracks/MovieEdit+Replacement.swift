public import MovieBox

// A replacement inherits every property that a viewer or another track would miss: the group, the default, references in
// both directions and the title. A notice lists properties that are not inherited.
extension MovieEdit {
  /// Removes a track, and copies its group, its default state and its references to another track.
  ///
  /// References of other tracks to the old track then point to the new track. A new track without a title inherits the
  /// title of the old track. The new track is excluded from automatic selection if the old track was excluded. A notice
  /// warns of tags, titles in other languages and other user data that the new track does not inherit.
  ///
  /// Throws `.invalidEdit` if a track is missing or the tracks are of different kinds. Timed text and WebVTT count as one
  /// kind.
  public mutating func replace(_ old: UInt32, with new: UInt32) throws(MovieError) {
    try replace([(old, new)])
  }

  /// Replaces several tracks as ``replace(_:with:)`` does. Makes one pass over all tracks and references.
  mutating func replace(_ pairs: [(old: UInt32, new: UInt32)]) throws(MovieError) {
    let indicesByID = Dictionary(tracks.indices.map { (tracks[$0].id, $0) }) { first, _ in first }
    func index(withID id: UInt32) throws(MovieError) -> Int {
      if let index = indicesByID[id] { index } else { try self.index(of: id) }
    }
    let chapters = tracks.chapterTrackIDs
    var replaced: [(from: Int, to: Int)] = []
    for (old, new) in pairs {
      let (from, to) = (try index(withID: old), try index(withID: new))
      let areSubtitles = [from, to].allSatisfy { tracks[$0].containsModernOrLegacySubtitles(except: chapters) }
      guard old != new, tracks[from].mediaType == tracks[to].mediaType || areSubtitles else {
        throw MovieError(.invalidEdit, "track \(new) cannot replace track \(old): they are of different kinds")
      }
      let wasEnabled = (old: tracks[from].isEnabled, new: tracks[to].isEnabled)
      if tracks[from].alternateGroup != 0 {
        try move([to], toGroup: tracks[from].alternateGroup)
        tracks[to].hasExplicitGroup = true
      }
      // Keep the replacement enabled if the caller requested that, and disable the other tracks of the group. Otherwise,
      // the enabled tracks of the group do not change.
      tracks[to].isEnabled = wasEnabled.old
      if wasEnabled.new, !wasEnabled.old { try setEnabled(true, of: new) }
      for (type, ids) in tracks[from].references {
        let kept = tracks[to].references[type] ?? []
        let known = Set(kept)
        let all = kept + ids.filter { $0 != new && $0 != old && !known.contains($0) }
        tracks[to].references[type] = all.isEmpty ? nil : all
      }
      replaced.append((from, to))
    }
    let successors = Dictionary(pairs.map { ($0.old, $0.new) }) { first, _ in first }
    for place in tracks.indices { tracks[place].replaceReferences(successors) }
    ListPass.end(after: tracks.count)
    for (from, to) in replaced {
      let (old, new) = (tracks[from].id, tracks[to].id)
      let title = inheritLabels(at: to, from: tracks[from])
      recordedNotices.append(.replaced(track: old, by: new, title: title))
    }
    let removedIndices = Set(replaced.map(\.from))
    tracks = tracks.indices.filter { !removedIndices.contains($0) }.map { tracks[$0] }
  }

  /// Copies the labels of a replaced track to its replacement, unless the edit sets them, and reports labels that are
  /// lost. Returns the copied title, or `nil` if no title was copied.
  private mutating func inheritLabels(at index: Int, from old: EditedTrack) -> String? {
    var inheritedTitle: String?
    if tracks[index].labels.title == nil, let title = old.title, Self.canWriteTitle(title) {
      tracks[index].labels.title = title
      inheritedTitle = title
    }
    if old.isExcludedFromAutomaticSelection { tracks[index].labels.isExcludedFromAutomaticSelection = true }
    let lostNames = lostLabels(of: old, to: tracks[index])
    if !lostNames.isEmpty { recordedNotices.append(.notTakenOver(lostNames, from: old.id, track: tracks[index].id)) }
    return inheritedTitle
  }

  /// Returns descriptions of the labels and user data of a replaced track that its replacement lacks. Ignores the
  /// language, role and title.
  private func lostLabels(of old: EditedTrack, to new: EditedTrack) -> [String] {
    var lostNames = old.taggedCharacteristics.filter { !new.taggedCharacteristics.contains($0) }.map(\.rawValue)
    guard let track = old.old else { return lostNames }
    lostNames += track.localizedTitles(in: movie.tree).filter { $0.text != old.title }
      .map { "the title \"\($0.text)\" (\($0.language))" }
    lostNames += track.kinds.filter { !$0.isExpressedByLabels }.map { "the kind \($0.value)" }
    let types = movie.tree.children(of: track.atom, "udta").flatMap { movie.tree.children(of: $0) }
      .map { movie.tree[$0].type }.filter { !TrackLabels.userDataTypes.contains($0) }
    let lostAtoms = Set(types).union(movie.tree.children(of: track.atom, "meta").map { movie.tree[$0].type })
    return lostNames + lostAtoms.sorted { $0.rawValue < $1.rawValue }.map { "\($0) in its user data" }
  }
}

extension TrackKind {
  /// Whether media characteristics or forced samples also express the kind, so that the replacement inherits it.
  fileprivate var isExpressedByLabels: Bool { schemeURI == Self.roleScheme && Self.canBeTagged(value) }
}
