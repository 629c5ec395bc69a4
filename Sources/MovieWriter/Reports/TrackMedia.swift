package import MovieBox

/// The samples of a track in numbers, those in fragments included.
package struct TrackMedia: Equatable, Sendable {
  /// How many samples.
  package let sampleCount: Int
  /// How many chunks; a run of samples in a fragment is one.
  package let chunkCount: Int
  /// How long the track is shown, in movie ticks.
  package let durationInMovieTicks: UInt64
  /// How long the samples last, in media ticks; `nil` when unknown.
  package let mediaDuration: UInt64?
  /// When the track begins to be shown, in movie ticks.
  package let presentationStart: UInt64

  /// The numbers of `track`, counted from `start` on the clock of the movie. Without `fragmented`, those of the movie
  /// atom.
  package init(_ track: Track, in movie: Movie, _ fragmented: FragmentedTrack?, from start: MediaTime? = nil) {
    let timeScale = movie.header.timeScale
    guard let fragmented, fragmented.startTime != nil else {
      sampleCount = track.samples.sampleCount
      chunkCount = track.samples.chunkCount
      durationInMovieTicks = track.durationInMovieTicks(movieTimeScale: timeScale)
      mediaDuration = track.mediaHeader.isDurationUnknown ? nil : track.mediaHeader.duration
      presentationStart = track.presentationStartInMovieTicks
      return
    }
    sampleCount = fragmented.sampleCount
    chunkCount = track.samples.chunkCount + fragmented.runs.count
    durationInMovieTicks = fragmented.durationInMovieTicks(of: track, movieTimeScale: timeScale, from: start)
    mediaDuration = fragmented.mediaDuration
    let edits = fragmented.flattenedEditList(of: track, movieTimeScale: timeScale, from: start)
    presentationStart = edits?.presentationStartInMovieTicks ?? 0
  }

  private init(_ media: TrackMedia, sampleCount: Int, chunkCount: Int, durationInMovieTicks: UInt64, duration: UInt64) {
    (self.sampleCount, self.chunkCount) = (sampleCount, chunkCount)
    self.durationInMovieTicks = durationInMovieTicks
    mediaDuration = duration
    presentationStart = media.presentationStart
  }

  /// The numbers of a plain movie's track without the samples that the end of the file cut off.
  func without(_ missing: MissingSamples, of track: Track, movieTimeScale: UInt32) -> TrackMedia {
    let count = Swift.max(0, sampleCount - (missing.sampleCount ?? 0))
    let end = UInt64(clamping: missing.startMilliseconds).scaled(by: UInt64(movieTimeScale), over: 1_000) ?? .max
    let firstMissing = track.samples.samples.dropFirst(count).first { _ in true }
    let chunks = track.samples.chunks.prefix { $0.firstSample < count }
    return TrackMedia(
      self, sampleCount: count, chunkCount: chunks.count, durationInMovieTicks: Swift.min(durationInMovieTicks, end),
      duration: firstMissing?.decodeTime ?? mediaDuration ?? 0)
  }
}
