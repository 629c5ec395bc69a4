import MovieBox

/// A track that the edited movie will contain: one that it has, one of another movie, or one that the edit generates.
///
/// An edit of labels, groups and references does not depend on where a track comes from, so ``EditedTrack`` has a planned
/// track and the edits beside it. A new kind of track conforms to ``GeneratedTrack``; nothing else has to know it.
protocol PlannedTrack: Sendable {
  var id: UInt32 { get }
  var mediaType: MediaType { get }
  /// The types of the sample entries.
  var formats: [FourCC] { get }
  /// The labels of the track before the edit changes them.
  var labels: TrackLabels { get }
  /// The duration that the track header will store, in ticks of the edited movie, or `nil` if it is unknown.
  var headerDuration: UInt64? { get }
  /// The bytes of all samples. A hostile sum wraps.
  var mediaByteCount: UInt64 { get }
  /// The track as the movie has it, or `nil` for a new track.
  var kept: Track? { get }
  /// The track itself if the edit generates it, or `nil` otherwise.
  var generated: (any GeneratedTrack)? { get }
  /// The track itself if it is one of another movie, or `nil` otherwise.
  var imported: ImportedTrack? { get }
}

extension PlannedTrack {
  var kept: Track? { nil }
  var generated: (any GeneratedTrack)? { nil }
  var imported: ImportedTrack? { nil }
}

/// A track whose samples an edit generates, such as subtitles and chapters.
protocol GeneratedTrack: PlannedTrack {
  /// All samples, one after the other.
  var sampleData: [UInt8] { get }
  /// The duration that the track header will store.
  var durationInMovieTicks: UInt64 { get }

  /// Returns the `trak` atom.
  ///
  /// - Parameters:
  ///   - edited: the labels, group and references of the track.
  ///   - chunkOffset: the position of the first sample among the new samples of the movie.
  ///   - isInterleaved: whether the samples go between those of other tracks, in chunks of about a second.
  func trackAtom(as edited: EditedTrack, chunkOffset: UInt32, isInterleaved: Bool) -> [UInt8]
}

extension GeneratedTrack {
  var headerDuration: UInt64? { durationInMovieTicks }
  var mediaByteCount: UInt64 { UInt64(sampleData.count) }
  var generated: (any GeneratedTrack)? { self }
}

/// A track that the movie has.
struct KeptTrack: PlannedTrack {
  let track: Track
  let labels: TrackLabels

  init(_ track: Track) {
    self.track = track
    labels = TrackLabels(track)
  }

  var id: UInt32 { track.id }
  var mediaType: MediaType { track.mediaType }
  var formats: [FourCC] { track.formats }
  var headerDuration: UInt64? { track.header.isDurationUnknown ? nil : track.header.duration }
  var mediaByteCount: UInt64 { track.mediaByteCount }
  var kept: Track? { track }
}
