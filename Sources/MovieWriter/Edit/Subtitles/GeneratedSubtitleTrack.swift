import MovieBox
public import Subtitles

/// The properties that all new subtitle tracks of an edit share, in addition to ``TrackTemplate``.
///
/// Each property costs a pass over all tracks. An edit that adds thousands of tracks computes them once.
struct SubtitleTemplate {
  /// The time after which no new subtitle is shown, in movie ticks; see ``MovieStages/endOfSubtitlesInMovieTicks``.
  let end: UInt64
  /// The end of the longest track in the unedited movie, in movie ticks. Text tracks do not count. A new track ends at
  /// this time or with its last cue, whichever is later, but never after ``end``.
  let fileEnd: UInt64
  /// The time of the first picture or sound, or `nil` if the movie has neither.
  let mediaStart: MediaTime?
  /// The delay that is added to the times of the new track, or `nil` if there is none. See ``MovieStages/commonDelay``.
  let commonDelay: MediaTime?
  /// The position and size of subtitles in the picture.
  let geometry: SubtitleGeometry

  /// Creates the template for new subtitle tracks of a movie.
  ///
  /// - Parameters:
  ///   - edit: the edit of the movie.
  ///   - keepsLateCues: whether cues after the last picture and sound are kept if a track of the movie shows text
  ///     there. A track that replaces such a track loses no text.
  init(_ edit: MovieEdit, keepsLateCues: Bool = false) {
    end = keepsLateCues ? edit.stages.endInMovieTicks : edit.stages.endOfSubtitlesInMovieTicks
    fileEnd = edit.movie.endWithoutTextInMovieTicks
    mediaStart = edit.stages.mediaStart
    commonDelay = edit.stages.commonDelay
    geometry = GeneratedSubtitleTrack.geometry(in: edit.movie)
  }
}

/// A subtitle track that was encoded for a movie. It contains its samples and creates the media of the `trak` atom that
/// describes them.
///
/// The fields follow the chapter "Subtitle Media" of the QuickTime File Format. If documents disagree about a field,
/// this type uses the value with which players list the track.
struct GeneratedSubtitleTrack: GeneratedTrack {
  let id: UInt32
  let input: SubtitleInput
  /// The bytes of all samples, in order.
  var sampleData: [UInt8] { media.data }
  /// The notices about cues that were repaired, shortened or dropped.
  let notices: [SubtitleNotice]
  /// The number of cues that are shown, in whole or in part.
  let shownCueCount: Int
  /// The number of milliseconds that were added to the times of the cues, because the movie delays all its tracks.
  let commonDelayMilliseconds: Int64

  private let media: SubtitleMedia
  private var geometry: SubtitleGeometry { media.geometry }
  var facts: NewTrackFacts

  /// Encodes the cues that begin before the template's end. The samples cover the movie without gaps from 0 to its end.
  /// If the file contains only the first fragments of the movie, the samples extend to the end of the last cue.
  init(
    _ input: SubtitleInput, as template: TrackTemplate, _ subtitles: SubtitleTemplate, id: UInt32
  ) throws(SubtitleError) {
    let (movie, end, geometry) = (template.movie, subtitles.end, subtitles.geometry)
    commonDelayMilliseconds = input.areCuesOfMovie ? 0 : subtitles.commonDelay?.milliseconds ?? 0
    var timing = input.timing
    timing.offsetMilliseconds = timing.offsetMilliseconds.addingClamped(commonDelayMilliseconds)
    let times = try CueTimes(
      input.shownCues, movieDuration: end, fileEnd: subtitles.fileEnd,
      movieTimeScale: movie.header.timeScale, timing: timing, timeScale: input.format.timeScale, limits: input.limits)
    switch input.format {
    case .tx3g:
      let timeline = try CueTimeline(times)
      media = Tx3gEncoder(
        geometry: geometry.withFontSize(input.fontSize), forcing: input.containsOnlyForcedSubtitles ? .all : .asMarked
      ).encode(timeline, limits: input.limits)
      notices = timeline.notices + media.notices
      shownCueCount = timeline.shownCueCount
    case .webVTT:
      let encoded = try WebVTTEncoder.encode(times, input.shownWebVTT, geometry: geometry)
      media = encoded.media
      notices = media.notices
      shownCueCount = encoded.shownCueCount
    case .captions:
      let encoded = try CaptionTrackEncoder.encode(times, input.shownCaptions, geometry: geometry)
      media = encoded.media
      notices = media.notices
      shownCueCount = encoded.shownCueCount
    }
    var input = input
    input.containsOnlyForcedSubtitles = media.isForcedOnly
    self.input = input
    self.id = id
    // The duration is rounded down twice, so that the track is never longer than the movie.
    let duration = media.duration.scaled(by: UInt64(movie.header.timeScale), over: UInt64(media.timeScale)) ?? end
    facts = template.facts
    facts.durationInMovieTicks = duration
    Self.didEncode?()
  }

  /// A closure that is called after each encoding. Tests use it to count the encodings.
  @TaskLocal static var didEncode: (@Sendable () -> Void)?

  /// Returns the area of the subtitles: a strip along the lower edge of the movie's main picture.
  static func geometry(in movie: Movie) -> SubtitleGeometry {
    guard let picture = movie.mainPicture?.pictureSize else { return .withoutPicture }
    return SubtitleGeometry(pictureWidth: picture.width, pictureHeight: picture.height)
  }

  var mediaType: MediaType { input.mediaType }
  var formats: [FourCC] { [input.format.sampleEntryType] }

  /// The approximate duration of an interleaved chunk: a second, in ticks of the media.
  private var chunkDuration: UInt32 { media.timeScale }

  /// The labels that the input requests. Later requests of the edit may change them.
  var labels: TrackLabels { TrackLabels(input, in: facts.dialect) }

  func applyPlacement(to header: inout TrackHeader) {
    header.layer = -1  // In front of the pictures, which are at layer 0 (QTFF, "Track header atoms").
    guard input.format != .captions else { return }  // Apple's caption tracks have no size.
    header.matrix = .translation(x: 0, y: Int32(geometry.top) << 16)
    (header.width, header.height) = (UInt32(geometry.width) << 16, UInt32(geometry.height) << 16)
  }

  func media(at chunkOffset: UInt32, isInterleaved: Bool) -> NewTrackMedia {
    NewTrackMedia(
      timeScale: media.timeScale, duration: media.duration, informationHeader: informationHeader,
      sampleEntries: [media.sampleEntry()], sampleSizes: media.sampleSizes, durationRuns: media.durationRuns,
      chunks: ChunkPlace.chunks(
        of: media.sampleSizes, media.durationRuns, from: chunkOffset, lasting: isInterleaved ? chunkDuration : nil))
  }

  /// `nmhd`, or `gmhd` for captions in QuickTime movies (QTFF "Closed Caption Media").
  private var informationHeader: [UInt8] {
    input.format == .captions && facts.dialect == .quickTime
      ? PlainMediaHeader.quickTime(for: "clcp") : NullMediaHeader().atom("nmhd")
  }
}

extension EditedTrack {
  /// This track as a generated subtitle track, or `nil` if the edit does not generate it from subtitles.
  var generatedSubtitles: GeneratedSubtitleTrack? { planned as? GeneratedSubtitleTrack }

  /// The number of cues that are shown in whole or in part, or `nil` if the edit does not generate the track from
  /// subtitles.
  public var shownCueCount: Int? { generatedSubtitles?.shownCueCount }

  /// The notices about cues of a new subtitle track that were repaired, shortened or dropped.
  public var subtitleNotices: [SubtitleNotice] { generatedSubtitles?.notices ?? [] }
}
