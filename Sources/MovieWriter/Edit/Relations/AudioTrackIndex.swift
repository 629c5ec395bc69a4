import MovieBox

/// An index of the audio tracks of an edit. An audio track is indexed by its first follower or, if it has no follower,
/// by its language.
///
/// `link --auto` looks up audio tracks for each subtitle track. Searching all audio tracks each time would take minutes
/// for a file of 16 000 tracks.
struct AudioTrackIndex {
  /// The key of audio tracks without a follower: the language without its region, and whether the track is auxiliary
  /// (for example, a commentary).
  private struct AudioKey: Hashable {
    let language: String
    let isAuxiliary: Bool
  }

  /// The indices of the audio tracks without a follower, by language and purpose.
  private var indicesByAudioKey: [AudioKey: Set<Int>] = [:]
  /// The indices of the audio tracks with a follower, by the ID of the first follower.
  private var indicesByFollower: [UInt32: Set<Int>] = [:]
  /// The IDs of all tracks to which audio tracks refer as followers.
  private var followers: Set<UInt32> = []
  /// The languages of the audio tracks.
  private var languages: Set<String> = []
  /// The index of the first audio track that has neither a language nor a follower.
  private var firstWithoutLanguage: Int?
  /// The IDs of the full subtitle tracks that refer to a single forced-only partner, by the ID of the partner.
  private var fullPartners: [UInt32: Set<UInt32>] = [:]
  /// The index of the first legible track with each ID.
  private var legibleTrackIndices: [UInt32: Int] = [:]

  init(among tracks: [EditedTrack]) {
    for (index, track) in tracks.enumerated() {
      if let forced = track.references["forc"], forced.count == 1 {
        fullPartners[forced[0], default: []].insert(track.id)
      }
      if track.mediaType.isLegible, legibleTrackIndices[track.id] == nil { legibleTrackIndices[track.id] = index }
      guard track.mediaType == .audio else { continue }
      if let language = track.language?.language { languages.insert(language) }
      if let follower = track.references["folw"]?.first {
        indicesByFollower[follower, default: []].insert(index)
        addFollowers(of: track)
      } else if let language = track.language?.language {
        indicesByAudioKey[AudioKey(language: language, isAuxiliary: track.isAuxiliary), default: []].insert(index)
      }
      if track.language == nil, track.references["folw"] == nil, firstWithoutLanguage == nil {
        firstWithoutLanguage = index
      }
    }
    ListPass.end(after: tracks.count)
  }

  /// Records the followers of an audio track.
  ///
  /// The index by first follower does not change, so a new follower of an audio track is not replaced again. Otherwise,
  /// a chain of `forc` references would replace the follower once for each track of the chain.
  mutating func addFollowers(of audio: EditedTrack) {
    followers.formUnion(audio.references["folw"] ?? [])
  }

  /// Returns the index of the track to which audio refers for a subtitle track: its forced-only partner, or the track
  /// itself if it has no partner.
  func indexOfFollower(_ track: EditedTrack, at index: Int) -> Int {
    track.references["forc"]?.first.flatMap { legibleTrackIndices[$0] } ?? index
  }

  /// Removes and returns the indices of the audio tracks that should refer to `follower`, in order.
  ///
  /// These are the audio tracks that are in the language of the subtitles and have no follower, and the audio tracks
  /// whose follower is a full partner of `follower`.
  mutating func audioIndices(for subtitles: EditedTrack, follower: UInt32) -> [Int] {
    var indices: Set<Int> = []
    for full in fullPartners[follower] ?? [] { indices.formUnion(indicesByFollower.removeValue(forKey: full) ?? []) }
    if let language = subtitles.language?.language {
      for isAuxiliary in subtitles.isAuxiliary ? [true] : [true, false] {
        indices.formUnion(
          indicesByAudioKey.removeValue(forKey: AudioKey(language: language, isAuxiliary: isAuxiliary)) ?? [])
      }
    }
    ListPass.end(after: indices.count)
    return indices.sorted()
  }

  /// Returns the index of the first audio track that has neither a language nor a follower. Returns `nil` if there is
  /// none, if the subtitles already follow audio, or if the movie has audio in their language.
  func firstAudioWithoutLanguage(for subtitles: EditedTrack) -> Int? {
    guard let language = subtitles.language?.language, !languages.contains(language),
      !followers.contains(subtitles.references["forc"]?.first ?? subtitles.id)
    else { return nil }
    return firstWithoutLanguage
  }
}
