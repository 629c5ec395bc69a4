import MovieBox

/// A track of the edited movie before its labels, group and references change. It is a kept track, a track of another
/// movie or a generated track.
///
/// Labels, groups and references change in the same way for every origin, so ``EditedTrack`` stores them separately
/// from the planned track. A new kind of generated track only has to conform to ``GeneratedTrack``.
protocol PlannedTrack: Sendable {
  var id: UInt32 { get }
  var mediaType: MediaType { get }
  /// The formats of the sample descriptions.
  var formats: [FourCC] { get }
  /// The labels of the track before the edit changes them.
  var labels: TrackLabels { get }
  /// The duration that the track header will store, in ticks of the edited movie, or `nil` if it is unknown.
  var headerDuration: UInt64? { get }
  /// Returns the duration that a movie must have to contain the track, in ticks of the edited movie, or `nil` if the
  /// track requires none.
  func requiredDuration(of movie: Movie) -> UInt64?
  /// The total size of the samples in bytes. The sum wraps around if a malformed table exceeds 64 bits.
  var mediaByteCount: UInt64 { get }
  /// The source of the track, with the properties that only tracks of this source have.
  var origin: TrackOrigin { get }
}

/// The source of a track of the edited movie.
enum TrackOrigin: Sendable {
  /// The track is a track of the unedited movie.
  case kept(Track)
  /// The edit generates the track.
  case generated(any GeneratedTrack)
  /// The track is from another movie.
  case imported(ImportedTrack)
}

/// A track of the unedited movie that the edit keeps.
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
  func requiredDuration(of movie: Movie) -> UInt64? { nil }
  var mediaByteCount: UInt64 { track.mediaByteCount }
  var origin: TrackOrigin { .kept(track) }
}
