import MovieBox

/// Checks that each track has its requested labels, group and references (`folw`, `forc`, `chap` …).
struct LabelsAndReferencesCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  /// Checks that the movie contains the requested tracks in order, and that each track has the requested state.
  func check() throws(MovieError) {
    let requested = resolved.requested
    let ids = requested.tracks.map(\.id)
    guard planned.tracks.map(\.id) == ids else {
      throw failure("the tracks are \(planned.tracks.map(\.id)) instead of \(ids)")
    }
    let delay = requested.keepsStart ? nil : CommonDelayCheck(resolved.movie).delay
    for (requestedTrack, track) in zip(requested.tracks, planned.tracks) {
      func require(_ holds: Bool, _ what: String) throws(MovieError) {
        guard !holds else { return }
        throw failure("track \(track.id) does not have the requested \(what)", in: planned.tree.path(of: track.atom))
      }
      try require(track.mediaType == requestedTrack.mediaType, "kind of media")
      try require(track.formats == requestedTrack.formats, "formats")
      try require(track.isEnabled == requestedTrack.isEnabled, "enabled state")
      try require(track.alternateGroup == requestedTrack.alternateGroup, "alternate group")
      try require(EditedTrack.references(of: track) == requestedTrack.references, "references")
      if let subtitles = requestedTrack.generatedSubtitles {
        let expected = subtitles.input.areCuesOfMovie ? 0 : delay?.milliseconds ?? 0
        try require(subtitles.commonDelayMilliseconds == expected, "delay of its cues: \(expected) ms")
      }
      try require(requestedTrack.labels.isEquivalent(to: TrackLabels(track)), "labels")
    }
    guard
      planned.tree.child(of: planned.tree.root, "mvhd") == nil
        || planned.header.nextTrackID == requested.nextTrackID
    else { throw failure("the next track ID is \(planned.header.nextTrackID) instead of \(requested.nextTrackID)") }
  }
}
