import MovieBox

// Fixes of alternate groups. Each fix returns the indices of the changed tracks.
extension [EditedTrack] {
  /// Whether players offer all these tracks in one menu.
  private func areInOneMenu(_ indices: [Int]) -> Bool {
    guard let first = indices.first else { return true }
    return indices.allSatisfy { self[$0].mediaType.isOfferedTogether(with: self[first].mediaType) }
  }

  /// In each group of tracks that players offer in one menu, keeps the first enabled track that is for all viewers, and
  /// disables the others.
  mutating func keepFirstEnabled() -> [Int] {
    var disabled: [Int] = []
    let indicesByGroup = Dictionary(grouping: indices) { self[$0].alternateGroup }
    for (number, members) in groups where areInOneMenu(members) {
      guard let keptIndex = members.first(where: { self[$0].isEnabled && self[$0].isForAllViewers }) else {
        continue
      }
      disabled += enable(keptIndex, among: indicesByGroup[number] ?? [])
    }
    return disabled.sorted()
  }

  /// Enables the first track of a group that is for all viewers. Changes nothing if players offer an enabled track in
  /// the same menu.
  mutating func enableFirst(ofGroup number: UInt16) -> [Int] {
    guard let members = groups[number], areInOneMenu(members), let firstMember = members.first,
      !indices(offeredWith: self[firstMember].mediaType).contains(where: { self[$0].isEnabled }),
      let first = members.first(where: { self[$0].isForAllViewers })
    else { return [] }
    return [first] + enable(first)
  }

  /// Adds all ungrouped tracks of a kind to the only group of that kind.
  ///
  /// Changes nothing if several tracks of the kind are enabled, or if the kind is audio or video and none of its tracks
  /// is enabled. The enabled track remains enabled.
  mutating func joinGroup(_ index: Int) throws(MovieError) -> [Int] {
    guard self[index].alternateGroup == 0 else { return [] }
    let kind = indices(offeredWith: self[index].mediaType)
    let groups = self.groups
    let numbers = Set(kind.map { self[$0].alternateGroup }).subtracting([0])
    let enabledMembers = kind.filter { self[$0].isEnabled }
    guard numbers.count <= 1, numbers.allSatisfy({ areInOneMenu(groups[$0] ?? []) }), enabledMembers.count <= 1,
      enabledMembers.count == 1 || self[index].mediaType.isLegible
    else { return [] }
    let joiningMembers = kind.filter { self[$0].alternateGroup == 0 }
    try group(
      TrackGroup(members: kind.map { self[$0].id }, defaultMember: enabledMembers.first.map { self[$0].id }))
    return joiningMembers
  }

  /// Splits a group of several kinds into one group for each kind. The first kind keeps the group's number.
  ///
  /// Changes nothing if a kind also has tracks outside of the group, or if an audio or video kind has no enabled track.
  mutating func separateKinds(ofGroup number: UInt16) throws(MovieError) -> [Int] {
    guard let members = groups[number], !areInOneMenu(members) else { return [] }
    let chapters = chapterTrackIDs
    // Subtitles, text and captions are one kind.
    func mediaTypeInMenu(_ index: Int) -> MediaType {
      self[index].mediaType.isLegible ? .subtitle : self[index].mediaType
    }
    let indicesByMedia = Dictionary(
      grouping: indices.filter { !chapters.contains(self[$0].id) }, by: mediaTypeInMenu)
    let memberIndices = Set(members)
    var kinds: [[Int]] = []
    for media in members.map(mediaTypeInMenu).withoutRepetition {
      let kind = indicesByMedia[media] ?? []
      let needsOneEnabled = media == .video || media == .audio
      guard kind.allSatisfy(memberIndices.contains), !needsOneEnabled || kind.contains(where: { self[$0].isEnabled })
      else {
        return []
      }
      kinds.append(kind)
    }
    for kind in kinds { try move(kind, toGroup: 0) }
    var usedGroups = Set(map(\.alternateGroup))
    var lowest: UInt16 = 1
    for (position, kind) in kinds.enumerated() {
      // A single audio or video track needs no group.
      guard let first = kind.first, kind.count > 1 || self[first].mediaType.isLegible else { continue }
      let newNumber = try position == 0 ? number : freeGroupNumber(except: usedGroups, from: lowest)
      if position > 0 { lowest = newNumber }
      usedGroups.insert(newNumber)
      try move(kind, toGroup: newNumber)
    }
    return members.filter { self[$0].alternateGroup != number }
  }
}

extension EditedTrack {
  /// A sentence about the track's group.
  var groupSentence: String { "track \(id) is in \(groupName)" }

  /// A sentence about whether the track is enabled.
  var enabledSentence: String { "track \(id) is \(isEnabled ? "enabled" : "disabled")" }

  /// Whether the track is for all viewers: no commentary, no audio description and no enhanced speech.
  fileprivate var isForAllViewers: Bool {
    let special: [MediaCharacteristic] = [.describesVideo, .enhancesSpeechIntelligibility]
    return !isAuxiliary && !special.contains(where: taggedCharacteristics.contains)
  }
}
