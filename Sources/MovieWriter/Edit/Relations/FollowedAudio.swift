import MovieBox

/// The audio tracks of an edit, indexed by their first follower or, without one, by language.
///
/// `link --auto` asks for each subtitle track which audio is left for it. Asked of all audio tracks each time, a file of
/// 16 000 tracks would take minutes.
struct FollowedAudio {
  /// What audio without a follower is chosen by: its language, whatever the region, and whether it is a commentary.
  private struct Voice: Hashable {
    let language: String
    let isAuxiliary: Bool
  }

  /// The audio tracks without a follower.
  private var unfollowed: [Voice: Set<Int>] = [:]
  /// The audio tracks by their first follower.
  private var followed: [UInt32: Set<Int>] = [:]
  /// All tracks that audio names as its followers.
  private var followers: Set<UInt32> = []
  /// The languages of the audio tracks.
  private var languages: Set<String> = []
  /// The first audio track that has neither a language nor a follower.
  private var firstWithoutLanguage: Int?
  /// The full subtitle tracks that name a forced-only partner and no other, by the partner.
  private var fullPartners: [UInt32: Set<UInt32>] = [:]
  /// The place of the first legible track with each ID.
  private var legible: [UInt32: Int] = [:]

  init(among tracks: [EditedTrack]) {
    for (place, track) in tracks.enumerated() {
      if let forced = track.references["forc"], forced.count == 1 {
        fullPartners[forced[0], default: []].insert(track.id)
      }
      if track.mediaType.isLegible, legible[track.id] == nil { legible[track.id] = place }
      guard track.mediaType == .audio else { continue }
      if let language = track.language?.language { languages.insert(language) }
      if let follower = track.references["folw"]?.first {
        followed[follower, default: []].insert(place)
        addFollowers(of: track)
      } else if let language = track.language?.language {
        unfollowed[Voice(language: language, isAuxiliary: track.isAuxiliary), default: []].insert(place)
      }
      if track.language == nil, track.references["folw"] == nil, firstWithoutLanguage == nil {
        firstWithoutLanguage = place
      }
    }
    ListPass.end(after: tracks.count)
  }

  /// Adds the followers of an audio track.
  ///
  /// An audio track whose follower was replaced keeps the replacement. Otherwise the audio tracks would move along a
  /// chain of `forc` references, and the moves would be as many as audio tracks times tracks of the chain.
  mutating func addFollowers(of audio: EditedTrack) {
    followers.formUnion(audio.references["folw"] ?? [])
  }

  /// The place of the track that audio names for a subtitle track: its forced-only partner, else the track itself.
  func placeOfFollower(_ track: EditedTrack, at place: Int) -> Int {
    track.references["forc"]?.first.flatMap { legible[$0] } ?? place
  }

  /// Removes and returns the places of the audio tracks that get `follower`, in order: those without a follower in the
  /// language of the subtitles, and those that a full partner of the follower follows.
  mutating func places(for subtitles: EditedTrack, follower: UInt32) -> [Int] {
    var places: Set<Int> = []
    for full in fullPartners[follower] ?? [] { places.formUnion(followed.removeValue(forKey: full) ?? []) }
    if let language = subtitles.language?.language {
      for isAuxiliary in subtitles.isAuxiliary ? [true] : [true, false] {
        places.formUnion(unfollowed.removeValue(forKey: Voice(language: language, isAuxiliary: isAuxiliary)) ?? [])
      }
    }
    ListPass.end(after: places.count)
    return places.sorted()
  }

  /// Returns the first audio track that has neither a language nor a follower, or `nil` if these subtitles follow
  /// audio or audio in their language exists.
  func withoutLanguage(for subtitles: EditedTrack) -> Int? {
    guard let language = subtitles.language?.language, !languages.contains(language),
      !followers.contains(subtitles.references["forc"]?.first ?? subtitles.id)
    else { return nil }
    return firstWithoutLanguage
  }
}
