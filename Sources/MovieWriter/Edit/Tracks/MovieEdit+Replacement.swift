public import MovieBox

// A track in the place of another.
extension MovieEdit {
  /// Puts a track in the place of another, which is taken out: in its group, enabled if it was, with the references of
  /// other tracks to it and its own.
  ///
  /// Where the new track has no title it takes over that of the old one, and it is left out of automatic selection
  /// where that one was. What it does not take over is reported by a warning: tags, titles in other languages, other
  /// user data. Throws `.invalidEdit` when one is missing or when they are of different kinds; subtitles in timed text
  /// and in WebVTT are of one kind.
  public mutating func replace(_ old: UInt32, with new: UInt32) throws(MovieError) {
    try replace([(old, new)])
  }

  /// Puts tracks in the places of others. Costs a pass over all tracks and references.
  mutating func replace(_ pairs: [(old: UInt32, new: UInt32)]) throws(MovieError) {
    let places = Dictionary(tracks.indices.map { (tracks[$0].id, $0) }) { first, _ in first }
    func place(_ id: UInt32) throws(MovieError) -> Int {
      if let place = places[id] { place } else { try index(of: id) }
    }
    let chapters = tracks.chapterTrackIDs
    var replaced: [(from: Int, to: Int)] = []
    for (old, new) in pairs {
      let (from, to) = (try place(old), try place(new))
      let areSubtitles = [from, to].allSatisfy { tracks[$0].holdsSubtitlesOfAnyAge(butNot: chapters) }
      guard old != new, tracks[from].mediaType == tracks[to].mediaType || areSubtitles else {
        throw MovieError(.invalidEdit, "track \(new) cannot take the place of track \(old)")
      }
      let wasEnabled = (old: tracks[from].isEnabled, new: tracks[to].isEnabled)
      if tracks[from].alternateGroup != 0 {
        try put([to], intoGroup: tracks[from].alternateGroup)
        tracks[to].hasExplicitGroup = true
      }
      // One that was asked to be enabled stays so, alone; what else is enabled beside the old one, the movie has so.
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
      let kept = inheritLabels(at: to, from: tracks[from])
      recordedNotices.append(
        EditNotice(.removed, trackID: old, "track \(old) was removed; track \(new) takes its place" + kept))
    }
    let gone = Set(replaced.map(\.from))
    tracks = tracks.indices.filter { !gone.contains($0) }.map { tracks[$0] }
  }

  /// Gives a track the labels of the one that it replaces, but for those that the edit sets; says which.
  private mutating func inheritLabels(at place: Int, from old: EditedTrack) -> String {
    var description = ""
    if tracks[place].labels.title == nil, let title = old.title, Self.canWriteTitle(title) {
      tracks[place].labels.title = title
      description += ", with the title \"\(title)\""
    }
    if old.isExcludedFromAutomaticSelection { tracks[place].labels.isExcludedFromAutomaticSelection = true }
    let lost = lostLabels(of: old, to: tracks[place])
    if !lost.isEmpty {
      let more = lost.count > 5 ? " and \(lost.count - 5) more" : ""
      recordedNotices.append(
        EditNotice(
          .notTakenOver, trackID: tracks[place].id, isWarning: true,
          "track \(tracks[place].id) does not take over from track \(old.id): "
            + lost.prefix(5).joined(separator: ", ") + more))
    }
    return description
  }

  /// What a track of the movie says beside its language, role and title, and the one in its place does not.
  private func lostLabels(of old: EditedTrack, to new: EditedTrack) -> [String] {
    var lost = old.taggedCharacteristics.filter { !new.taggedCharacteristics.contains($0) }.map(\.rawValue)
    guard let track = old.old else { return lost }
    lost += track.localizedTitles(in: movie.tree).filter { $0.text != old.title }
      .map { "the title \"\($0.text)\" (\($0.language))" }
    lost += track.kinds.filter { !$0.isExpressedByLabels }.map { "the kind \($0.value)" }
    let types = movie.tree.children(of: track.atom, "udta").flatMap { movie.tree.children(of: $0) }
      .map { movie.tree[$0].type }.filter { !TrackLabels.userDataTypes.contains($0) }
    let others = Set(types).union(movie.tree.children(of: track.atom, "meta").map { movie.tree[$0].type })
    return lost + others.sorted { $0.rawValue < $1.rawValue }.map { "\($0) of its user data" }
  }
}

extension TrackKind {
  /// Whether tags or forcing say the same, so that it comes with them.
  fileprivate var isExpressedByLabels: Bool { schemeURI == Self.roleScheme && Self.canBeTagged(value) }
}
