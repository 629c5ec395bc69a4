/// What tracks that were added, or removed, bring about in the rest of a movie.
struct ImpliedDifferences {
  private let addedIDs: Set<UInt32>
  private let removedIDs: Set<UInt32>
  private let groupsOfAdded: Set<UInt16>
  private let groupsOfNewDefaults: Set<UInt16>
  private let groupsOfOldDefaults: Set<UInt16>
  private let kindsOfOldDefaults: Set<MediaType>
  private let becameLonger: Bool
  private let becameShorter: Bool

  init(_ old: Movie, _ new: Movie) {
    let (oldIDs, newIDs) = (Set(old.tracks.map(\.id)), Set(new.tracks.map(\.id)))
    (addedIDs, removedIDs) = (newIDs.subtracting(oldIDs), oldIDs.subtracting(newIDs))
    let added = new.tracks.filter { !oldIDs.contains($0.id) }
    let oldDefaults = old.tracks.filter { !newIDs.contains($0.id) && $0.isEnabled }
    func groups(_ tracks: [Track]) -> Set<UInt16> { Set(tracks.map(\.alternateGroup)).subtracting([0]) }
    groupsOfAdded = groups(added)
    groupsOfNewDefaults = groups(added.filter(\.isEnabled))
    groupsOfOldDefaults = groups(oldDefaults)
    kindsOfOldDefaults = Set(oldDefaults.map(\.mediaType))
    becameLonger = new.header.duration > old.header.duration
    becameShorter = new.header.duration < old.header.duration
  }

  /// What a difference of the movie atom follows from; `nil` where it stands alone.
  func cause(ofMovieField field: String?, wereAdded: Bool, wereRemoved: Bool) -> MovieDifference.Kind? {
    switch field {
    case "next track ID": wereAdded ? .added : wereRemoved ? .removed : nil
    case "duration": wereAdded && becameLonger ? .added : wereRemoved && becameShorter ? .removed : nil
    default: nil
    }
  }

  /// What a difference between a track and itself follows from: a group that was made for the new track, a default that
  /// gave way or took the place of another.
  func cause(of topic: MovieDifference.Topic, _ old: Track, _ new: Track) -> MovieDifference.Kind? {
    switch topic {
    case .group where old.alternateGroup == 0: groupsOfAdded.contains(new.alternateGroup) ? .added : nil
    case .enabled where old.isEnabled: groupsOfNewDefaults.contains(new.alternateGroup) ? .added : nil
    case .enabled:
      groupsOfOldDefaults.contains(new.alternateGroup) || kindsOfOldDefaults.contains(new.mediaType) ? .removed : nil
    default: nil
    }
  }

  /// What other references of a type follow from. A track has one selection follower: the new one takes the old one's
  /// place.
  func cause(of type: FourCC, from before: [UInt32], to after: [UInt32]) -> MovieDifference.Kind? {
    let (gone, come) = (Set(before).subtracting(after), Set(after).subtracting(before))
    if !come.isEmpty, come.isSubset(of: addedIDs), gone.isEmpty || type == "folw" { return .added }
    return !gone.isEmpty && come.isEmpty && gone.isSubset(of: removedIDs) ? .removed : nil
  }
}
