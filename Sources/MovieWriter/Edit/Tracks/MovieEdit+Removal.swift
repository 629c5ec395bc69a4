public import MovieBox

// Removing a track requires more than removing its atom. Other tracks may refer to it, it may be the only enabled track
// of its group, and its chapters may belong to the whole movie.
extension MovieEdit {
  /// Removes tracks and the references of other tracks to them.
  ///
  /// If a video or audio group loses its enabled track, its first track becomes the default. Otherwise, players that
  /// follow track headers would show a black screen or play no sound. A subtitle group remains without a default,
  /// because a menu of subtitles needs none. A notice warns of a lost default, and of the removal of the last video or
  /// audio track.
  ///
  /// Throws `.invalidEdit` if an ID belongs to no track or to several tracks, and if no track would remain.
  ///
  /// - Parameters:
  ///   - ids: the IDs of the tracks.
  ///   - reportsLostKinds: whether a notice reports that no video or no audio track remains.
  public mutating func remove(_ ids: Set<UInt32>, reportsLostKinds: Bool = true) throws(MovieError) {
    try tracks.requireOneTrack(ofEach: ids)
    guard tracks.contains(where: { !ids.contains($0.id) }) else {
      throw MovieError(.invalidEdit, "cannot remove every track: a movie needs at least one")
    }
    let duration = durationInMovieTicks
    let removedTracks = removeTracks(ids)
    keepChapters(removedTracks.flatMap { $0.references["chap"] ?? [] })
    replaceDefaults(removedTracks.filter(\.isEnabled))
    for type in [MediaType.video, .audio] where reportsLostKinds {
      let last = removedTracks.last { $0.mediaType == type }
      guard let last, !tracks.contains(where: { $0.mediaType == type }) else { continue }
      if type == .video, stages.converted?.type.isSoundOnly ?? false { continue }  // An audio file has no video.
      recordedNotices.append(.lastOfKindRemoved(track: last.id, type))
    }
    noteShorterMovie(oldDuration: duration)
  }

  /// Removes a track and the references to it.
  ///
  /// Throws `.invalidEdit` unless exactly one track has the ID.
  package mutating func remove(_ id: UInt32) throws(MovieError) {
    let duration = durationInMovieTicks
    _ = try tracks.uniqueIndex(of: id)
    removeTracks([id])
    noteShorterMovie(oldDuration: duration)
  }

  /// Removes the tracks with these IDs and the references to them, and returns the removed tracks. The caller reports
  /// the change of the movie's duration. Makes one pass over all tracks.
  ///
  /// - Parameter isReported: whether notices report the removed tracks as well as the removed references.
  @discardableResult
  mutating func removeTracks(_ ids: Set<UInt32>, isReported: Bool = true) -> [EditedTrack] {
    let removedTracks = tracks.filter { ids.contains($0.id) }
    tracks.removeAll { ids.contains($0.id) }
    var notices = Dictionary(
      removedTracks.map { ($0.id, isReported ? [EditNotice.trackRemoved(track: $0.id)] : []) }
    ) { first, _ in first }
    for reference in tracks.references(to: ids) {
      notices[reference.target]?.append(
        .referenceRemoved(reference.type, from: reference.trackID, to: reference.target))
    }
    for index in tracks.indices { _ = tracks[index].removeReferences(where: ids.contains) }
    ListPass.end(after: tracks.count)
    for track in removedTracks {
      let own = notices.removeValue(forKey: track.id) ?? []
      recordedNotices += isReported ? own : own.filter { !recordedNotices.contains($0) }
      discardChapters(of: track)
    }
    return removedTracks
  }

  /// Returns the IDs of the chapter tracks that are removed together with these tracks.
  ///
  /// If these tracks include a video or audio track, `own` contains every chapter track of the movie, regardless of the
  /// track that lists it. `shared` contains tracks that are listed as chapters but have another purpose, such as
  /// subtitles of a group.
  package func chapterTracks(of ids: Set<UInt32>) -> (own: Set<UInt32>, shared: [UInt32]) {
    let lists = tracks.chapterTrackIDs
    let includesVideoOrAudio = tracks.contains { track in
      ids.contains(track.id) && !lists.contains(track.id) && [.video, .audio].contains(track.mediaType)
    }
    guard includesVideoOrAudio else { return ([], []) }
    let listedTracks = tracks.filter { lists.contains($0.id) }
    let otherReferences = tracks.tracksReferencedForOtherPurposes
    let exclusiveIDs = Set(listedTracks.filter { $0.containsOnlyChapters(otherReferences) }.map(\.id))
    return (exclusiveIDs, listedTracks.filter { $0.mediaType.isLegible && !exclusiveIDs.contains($0.id) }.map(\.id))
  }

  /// Makes the remaining video and audio tracks refer to the chapter tracks to which only removed tracks referred.
  ///
  /// Without a reference, players would show the titles as subtitles and the pictures as a video.
  ///
  /// - Parameter lists: the IDs of the chapter tracks to which the removed tracks referred.
  private mutating func keepChapters(_ lists: [UInt32]) {
    var unlisted = Set(tracks.map(\.id)).subtracting(tracks.chapterTrackIDs)
    let orphans = lists.filter { unlisted.remove($0) != nil }
    guard !orphans.isEmpty else { return }
    let referrers = tracks.chapterReferrers(except: Set(orphans))
    for index in tracks.indices where referrers.contains(tracks[index].id) {
      tracks[index].references["chap", default: []] += orphans
      recordedNotices.append(.chaptersTakenOver(track: tracks[index].id))
    }
  }

  /// The key of tracks among which players offer a choice: tracks of one kind that are in one alternate group or in no
  /// group.
  private struct Choice: Hashable {
    let group: UInt16
    /// The media type. Text and captions have the type `.subtitle` here.
    let media: MediaType
  }

  /// The remaining tracks among which players offer a choice.
  private struct Alternatives {
    /// The index of the first track that is not a commentary, or of the first track if all are commentaries.
    let first: Int
    var isAnyEnabled: Bool
  }

  /// Enables another track if the last enabled track of a group was removed, and reports the new default. Makes one
  /// pass over all tracks, and one pass over each group with a new default.
  private mutating func replaceDefaults(_ removed: [EditedTrack]) {
    // The edit may have linked new chapter tracks. Only the unedited movie lists the removed chapter tracks.
    let chapters = tracks.chapterTrackIDs.union(movie.chapterTrackIDs)
    func choice(of track: EditedTrack) -> Choice? {
      guard !chapters.contains(track.id), track.mediaType.selectionKind != nil else { return nil }
      return Choice(group: track.alternateGroup, media: track.mediaType.isLegible ? .subtitle : track.mediaType)
    }
    var alternatives: [Choice: Alternatives] = [:]
    for (index, track) in tracks.enumerated() {
      // Players do not offer forced-only subtitles in a menu.
      guard let choice = choice(of: track), !(track.mediaType.isLegible && track.containsOnlyForcedSubtitles) else {
        continue
      }
      let isAnyEnabled = alternatives[choice]?.isAnyEnabled ?? false || track.isEnabled
      var first = alternatives[choice]?.first ?? index
      if tracks[first].isAuxiliary, !track.isAuxiliary { first = index }
      alternatives[choice] = Alternatives(first: first, isAnyEnabled: isAnyEnabled)
    }
    ListPass.end(after: tracks.count)
    let members = Dictionary(grouping: tracks.indices) { tracks[$0].alternateGroup }
    for track in removed {
      guard let choice = choice(of: track), let found = alternatives[choice], !found.isAnyEnabled else { continue }
      var successor: UInt32?
      if !track.mediaType.isLegible {
        tracks.enable(found.first, among: choice.group == 0 ? [] : members[choice.group] ?? [])
        for media in [.video, .audio, .subtitle] as [MediaType] where choice.group != 0 {
          alternatives[Choice(group: choice.group, media: media)]?.isAnyEnabled = false
        }
        alternatives[choice]?.isAnyEnabled = true
        successor = tracks[found.first].id
      }
      recordedNotices.append(.defaultRemoved(track: track.id, group: choice.group, successor: successor))
    }
  }

  /// The number of media bytes to which only removed tracks refer.
  var removedMediaByteCount: UInt64 {
    let remainingIDs = Set(tracks.map(\.id))
    guard movie.tracks.contains(where: { !remainingIDs.contains($0.id) }) else { return 0 }
    let totalByteCount = MediaRanges(movie.tracks).byteCount
    return totalByteCount
      - Swift.min(totalByteCount, MediaRanges(movie.tracks.filter { remainingIDs.contains($0.id) }).byteCount)
  }
}

// A replacement inherits every property that a viewer or another track would miss: the group, the default, references
// in both directions and the title. A notice lists properties that are not inherited.
extension MovieEdit {
  /// Removes a track, and copies its group, its default state and its references to another track.
  ///
  /// References of other tracks to the old track then point to the new track. A new track without a title inherits the
  /// title of the old track. The new track is excluded from automatic selection if the old track was excluded. A notice
  /// warns of tags, titles in other languages and other user data that the new track does not inherit.
  ///
  /// Throws `.invalidEdit` if a track is missing or the tracks are of different kinds. Timed text and WebVTT count as
  /// one kind.
  public mutating func replace(_ old: UInt32, with new: UInt32) throws(MovieError) {
    try atomically { edit throws(MovieError) in try edit.replace([(old, new)]) }
  }

  /// Replaces several tracks as ``replace(_:with:)`` does. Makes one pass over all tracks and references.
  ///
  /// - Parameters:
  ///   - pairs: the tracks and their replacements.
  ///   - isReported: whether notices report the removed tracks.
  mutating func replace(_ pairs: [(old: UInt32, new: UInt32)], isReported: Bool = true) throws(MovieError) {
    let indicesByID = Dictionary(tracks.indices.map { (tracks[$0].id, $0) }) { first, _ in first }
    func index(withID id: UInt32) throws(MovieError) -> Int {
      if let index = indicesByID[id] { index } else { try tracks.index(of: id) }
    }
    let chapters = tracks.chapterTrackIDs
    var replaced: [(from: Int, to: Int)] = []
    for (old, new) in pairs {
      let (from, to) = (try index(withID: old), try index(withID: new))
      let (first, second) = (tracks[from], tracks[to])
      let areSubtitles = [first, second].allSatisfy { $0.containsModernOrLegacySubtitles(except: chapters) }
      // The handler of the old track may not match its format.
      let haveOneKind = first.legibleKind != nil && first.legibleKind == second.legibleKind && !chapters.contains(old)
      guard old != new, first.mediaType == second.mediaType || areSubtitles || haveOneKind else {
        throw MovieError(.invalidEdit, "track \(new) cannot replace track \(old): they are of different kinds")
      }
      let wasEnabled = (old: tracks[from].isEnabled, new: tracks[to].isEnabled)
      if tracks[from].alternateGroup != 0 {
        try tracks.move([to], toGroup: tracks[from].alternateGroup)
        tracks[to].hasExplicitGroup = true
      }
      // Keep the replacement enabled if the caller requested that, and disable the other tracks of the group.
      // Otherwise, the enabled tracks of the group do not change.
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
      if isReported { recordedNotices.append(.replaced(track: old, by: new, title: title)) }
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
  func lostLabels(of old: EditedTrack, to new: EditedTrack) -> [String] {
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
  /// Whether media characteristics or the forced flag also express the role. A replacement inherits them, and therefore
  /// the role.
  fileprivate var isExpressedByLabels: Bool { schemeURI == Self.roleScheme && Self.canBeTagged(value) }
}
