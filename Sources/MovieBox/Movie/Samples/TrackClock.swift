/// When the media of a track is shown in the movie, as its first edits say.
///
/// Good for putting media in an order: edits after the first that shows media are not followed.
package struct TrackClock: Equatable {
  private let mediaTimeScale: UInt64
  private let firstMediaTime: UInt64
  /// When the movie shows it.
  private let startInMicroseconds: UInt64

  /// From the start of the movie, of a decoding or a presentation time; media before what is shown first counts as the
  /// movie's start.
  package func microseconds(ofMediaTime time: UInt64) -> UInt64 {
    let played = time > firstMediaTime ? time - firstMediaTime : 0
    return startInMicroseconds.addingClamped(played.scaled(by: 1_000_000, over: mediaTimeScale) ?? .max)
  }
}

extension Track {
  /// The clock of the track in a movie of this time scale.
  package func clock(movieTimeScale: UInt32) -> TrackClock {
    TrackClock(self, movieTimeScale: movieTimeScale)
  }
}

extension TrackClock {
  fileprivate init(_ track: Track, movieTimeScale: UInt32) {
    mediaTimeScale = UInt64(track.mediaHeader.timeScale)
    firstMediaTime = UInt64(Swift.max(0, track.presentationStartInMediaTicks))
    startInMicroseconds =
      track.presentationStartInMovieTicks.scaled(by: 1_000_000, over: UInt64(movieTimeScale)) ?? 0
  }
}
