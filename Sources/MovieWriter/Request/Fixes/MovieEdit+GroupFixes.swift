import MovieBox

extension MovieEdit {
  /// Whether all are offered beside each other.
  private func areOfOneKind(_ places: [Int]) -> Bool {
    guard let first = places.first else { return true }
    return places.allSatisfy { tracks[$0].mediaType.isOfferedBeside(tracks[first].mediaType) }
  }

  /// Of each group of one kind only the first enabled track that is for everybody stays so. Gives the places of the
  /// tracks that changed, as all fixes of groups do.
  mutating func keepFirstEnabled() -> [Int] {
    var disabled: [Int] = []
    for (_, members) in tracks.groups where areOfOneKind(members) {
      guard let kept = members.first(where: { tracks[$0].isEnabled && tracks[$0].isForEverybody }) else { continue }
      disabled += enable(kept)
    }
    return disabled.sorted()
  }

  /// Where nothing else of the kind is enabled, the first track that is for everybody becomes it.
  mutating func enableFirst(ofGroup number: UInt16) -> [Int] {
    guard let members = tracks.groups[number], areOfOneKind(members), let first = members.first,
      !tracks.places(offeredBeside: tracks[first].mediaType).contains(where: { tracks[$0].isEnabled }),
      let place = members.first(where: { tracks[$0].isForEverybody })
    else { return [] }
    return [place] + enable(place)
  }

  /// Puts all tracks of a kind that are in no group into its one group; what is enabled stays so, which must be no
  /// more than one track, and for sound and picture exactly one.
  mutating func joinGroup(_ place: Int) throws(MovieError) -> [Int] {
    guard tracks[place].alternateGroup == 0 else { return [] }
    let kind = tracks.places(offeredBeside: tracks[place].mediaType)
    let groups = tracks.groups
    let numbers = Set(kind.map { tracks[$0].alternateGroup }).subtracting([0])
    let enabled = kind.filter { tracks[$0].isEnabled }
    guard numbers.count <= 1, numbers.allSatisfy({ areOfOneKind(groups[$0] ?? []) }), enabled.count <= 1,
      enabled.count == 1 || tracks[place].mediaType.isLegible
    else { return [] }
    let joining = kind.filter { tracks[$0].alternateGroup == 0 }
    try group(TrackGroup(members: kind.map { tracks[$0].id }, defaultMember: enabled.first.map { tracks[$0].id }))
    return joining
  }

  /// Gives each kind in a group a group of its own; the first keeps the number. No kind may have tracks in
  /// other groups or in none, and sound and picture must have an enabled track.
  mutating func separateKinds(ofGroup number: UInt16) throws(MovieError) -> [Int] {
    guard let members = tracks.groups[number], !areOfOneKind(members) else { return [] }
    var kinds: [[Int]] = []
    for place in members {
      let kind = tracks.places(offeredBeside: tracks[place].mediaType)
      guard !kinds.contains(kind) else { continue }
      let needsOneEnabled = [.video, .audio].contains(tracks[place].mediaType)
      guard kind.allSatisfy(members.contains), !needsOneEnabled || kind.contains(where: { tracks[$0].isEnabled }) else {
        return []
      }
      kinds.append(kind)
    }
    for kind in kinds { try put(kind, intoGroup: 0) }
    for kind in kinds {
      guard let first = kind.first else { continue }
      let isChoice = kind.count > 1 || tracks[first].mediaType.isLegible
      let own = isChoice ? (kind == kinds.first ? number : try freeGroupNumber()) : 0
      try put(kind, intoGroup: own)
    }
    return members.filter { tracks[$0].alternateGroup != number }
  }
}

extension OutputTrack {
  /// In which group the track is, in a sentence.
  var groupSentence: String { "track \(id) is in \(groupName)" }

  /// Whether the track is enabled, in a sentence.
  var enabledSentence: String { "track \(id) is \(isEnabled ? "enabled" : "disabled")" }

  /// Whether the track is neither a commentary nor for some viewers.
  fileprivate var isForEverybody: Bool {
    let special: [MediaCharacteristic] = [.describesVideo, .enhancesSpeechIntelligibility]
    return !isAuxiliary && !special.contains(where: taggedCharacteristics.contains)
  }
}
