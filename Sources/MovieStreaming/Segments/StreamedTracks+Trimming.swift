import MovieBox
import Subtitles

// Players disagree about tracks that begin later than others, so a presentation may begin where all of them play.
extension StreamedTracks {
  /// Viewers notice audio that is 45 ms early (ITU-R BT.1359); tracks that begin less apart begin together.
  static let leastLatenessInMicroseconds: Int64 = 45_000

  /// The tracks without what comes before the first key picture after all of them have begun, or `nil` if there is nothing
  /// to trim: the tracks begin together, and the edit list hides no picture.
  ///
  /// Costs a walk over the samples of each track. Throws `.unsupported` if no key picture comes after that, and
  /// `.invalidEdit` for variants whose first one has another time. `inMovie` explains errors as those of a movie.
  func trimmed(
    _ options: StreamOptions, _ inMovie: (Int, () throws -> StreamedTrack) throws -> StreamedTrack
  ) throws -> StreamedTracks? {
    let starts = all.map { $0.timeline.time($0.timeline.shownStart, in: 1_000_000) }
    guard let first = starts.min(), let last = starts.max() else { return nil }
    var hidesPictures = false
    for picture in pictures where try picture.fitted().timeline.hiddenTicksBefore > 0 { hidesPictures = true }
    guard hidesPictures || last - first >= Self.leastLatenessInMicroseconds else { return nil }
    var start: Start = (last, 1_000_000)
    var pictures: [StreamedTrack] = []
    for picture in self.pictures {
      let trimmed = try inMovie(picture.movieIndex) {
        let timeline = picture.timeline
        let begun = max(timeline.shownStart, timeline.time(last, from: 1_000_000))
        guard let key = try picture.firstKeyTime(at: begun) else {
          throw MovieError(
            .unsupported,
            "track \(picture.track.id) has no key picture after all tracks have begun, at "
              + "\(text((last, 1_000_000))), to begin with; leave out --trim-start")
        }
        if pictures.isEmpty { start = (key, timeline.timeScale) }
        let distance = Int128(key) * Int128(start.timeScale) - Int128(start.ticks) * Int128(timeline.timeScale)
        // A difference of half a picture is rounding, not another start.
        guard 2 * distance.magnitude <= (Int128(timeline.firstDuration) * Int128(start.timeScale)).magnitude else {
          throw unequalStarts(start, (key, timeline.timeScale), of: picture, options)
        }
        return try picture.fitted(trimmingTo: key)
      }
      pictures.append(trimmed)
    }
    var sounds: [StreamedTrack] = []
    for sound in self.sounds {
      let trimmed = try inMovie(sound.movieIndex) {
        let begun = sound.timeline.time(start.ticks, from: start.timeScale)
        guard sound.timeline.end > begun else {
          throw MovieError(
            .unsupported,
            "track \(sound.track.id) ends before all tracks have begun, at \(text(start)); leave out --trim-start")
        }
        return try sound.fitted(trimmingTo: begun)
      }
      sounds.append(trimmed)
    }
    return StreamedTracks(pictures: pictures, sounds: sounds)
  }

  private typealias Start = (ticks: Int64, timeScale: UInt32)

  private func text(_ start: Start) -> String {
    timeText(milliseconds: MediaTime(ticks: start.ticks, timeScale: start.timeScale)?.milliseconds ?? 0)
  }

  private func unequalStarts(
    _ first: Start, _ own: Start, of picture: StreamedTrack, _ options: StreamOptions
  ) -> MovieError {
    MovieError(
      .invalidEdit,
      "the variants do not begin at the same picture: \(options.name(ofMovie: pictures[0].movieIndex)) begins at "
        + "\(text(first)), \(options.name(ofMovie: picture.movieIndex)) at \(text(own)); encode both with key frames at the same times, or leave out --trim-start"
    )
  }
}

extension StreamedTrack {
  /// When the first sample is shown that can be decoded alone and is shown at a time or later, in ticks of the movie's
  /// time, or `nil` if there is none. Half a picture before counts, for times of edits are rounded.
  fileprivate func firstKeyTime(at start: Int64) throws(MovieError) -> Int64? {
    var found: Int64?
    try samples.forEachSample { sample throws(MovieError) in
      guard sample.isSync else { return }
      let time = sample.presentationTime.addingClamped(timeline.shift)
      guard time.addingClamped(Int64(sample.duration) / 2) >= start else { return }
      found = min(found ?? time, time)
    }
    return found
  }
}
