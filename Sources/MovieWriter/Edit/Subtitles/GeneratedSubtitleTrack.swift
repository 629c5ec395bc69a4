import MovieBox
import Subtitles

/// A subtitle track that was encoded for a movie. It contains its samples and creates the `trak` atom that describes
/// them.
///
/// The fields follow the chapter "Subtitle Media" of the QuickTime File Format. If sources disagree about a field, this
/// type uses the value with which players list the track.
struct GeneratedSubtitleTrack: GeneratedTrack {
  let id: UInt32
  let input: SubtitleInput
  /// The bytes of all samples, in order.
  var sampleData: [UInt8] { media.data }
  /// The notices about cues that were repaired, shortened or dropped.
  let notices: [SubtitleNotice]
  /// The number of cues that are shown, in whole or in part.
  let shownCueCount: Int

  private let media: SubtitleMedia
  private var geometry: SubtitleGeometry { media.geometry }
  private let movie: NewTrackFacts

  /// Encodes the cues that begin before the template's end. The samples cover the movie without gaps from 0 to its end.
  /// If the file contains only the first fragments of the movie, they extend to the end of the last cue.
  init(_ input: SubtitleInput, as template: TrackTemplate, id: UInt32) throws(SubtitleError) {
    let (movie, end, geometry) = (template.movie, template.end, template.geometry)
    let times = try CueTimes(
      input.shownCues, movieDuration: end, fileEnd: template.fileEnd,
      movieTimeScale: movie.header.timeScale, timing: input.timing, limits: input.limits)
    switch input.format {
    case .tx3g:
      let timeline = try CueTimeline(times)
      media = Tx3gEncoder(
        geometry: geometry.with(input.fontSize), forcing: input.containsOnlyForcedSubtitles ? .all : .asMarked
      ).encode(timeline, limits: input.limits)
      notices = timeline.notices + media.notices
      shownCueCount = timeline.shownCueCount
    case .webVTT:
      let encoded = try WebVTTEncoder.encode(times, input.shownWebVTT, geometry: geometry)
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
    var facts = template.facts
    facts.durationInMovieTicks = duration
    self.movie = facts
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

  /// The duration in the track's header, in ticks of the movie.
  var durationInMovieTicks: UInt64 { movie.durationInMovieTicks }

  /// The approximate duration of an interleaved chunk: a second, in ticks of subtitle media.
  private static let chunkDuration: UInt32 = 1000

  /// The labels before the edit changes them.
  var labels: TrackLabels { TrackLabels(input, in: movie.dialect) }

  /// Returns the `trak` atom.
  ///
  /// - Parameters:
  ///   - chunkOffset: the offset of the samples among the new samples of the movie.
  ///   - isInterleaved: whether the samples are in many chunks, which can be interleaved with the chunks of other tracks,
  ///     instead of one chunk.
  func trackAtom(as edited: EditedTrack, chunkOffset: UInt32, isInterleaved: Bool) -> [UInt8] {
    let chunks = media.chunks(from: chunkOffset, lasting: isInterleaved ? Self.chunkDuration : nil)
    var writer = ByteWriter()
    writer.atom("trak") { trak in
      trak.write(header(as: edited).atom("tkhd"))
      if edited.labels.isExcludedFromAutomaticSelection { trak.write(TrackLabels.exclusionAtom) }
      if !edited.references.isEmpty { trak.write(Self.referencesAtom(edited.references)) }
      NewTrackMedia(
        facts: movie, mediaType: mediaType, labels: edited.labels, timeScale: media.timeScale, duration: media.duration,
        informationHeader: NullMediaHeader().atom("nmhd"), sampleEntries: [media.sampleEntry()],
        sampleSizes: media.sampleSizes, durationRuns: media.durationRuns, chunks: chunks
      ).write(to: &trak)
      writeUserData(to: &trak, edited.labels)
    }
    return writer.bytes
  }

  /// Returns a `tref` atom with these references.
  static func referencesAtom(_ references: [FourCC: [UInt32]]) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom("tref") { tref in
      for (type, ids) in references.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        tref.write(TrackReference(trackIDs: ids).atom(type))
      }
    }
    return writer.bytes
  }

  private func header(as edited: EditedTrack) -> TrackHeader {
    var header = movie.header(id, as: edited)
    header.layer = -1  // In front of the pictures, which are at layer 0 (QTFF, "Track header atoms").
    header.matrix = .translation(x: 0, y: Int32(geometry.top) << 16)
    (header.width, header.height) = (UInt32(geometry.width) << 16, UInt32(geometry.height) << 16)
    return header
  }

  private func writeUserData(to trak: inout ByteWriter, _ labels: TrackLabels) {
    var items: [[UInt8]] = []
    if let title = labels.title {
      let atoms = TitleAtoms(title, languageCode: labels.languageCode, movie.dialect).atoms
      items += TitleAtoms.types.compactMap { atoms[$0] }
    }
    items += labels.characteristics.map { TaggedCharacteristic($0.rawValue).atom("tagc") }
    items += labels.roles.sorted().map { TrackKind(schemeURI: TrackKind.roleScheme, value: $0).atom("kind") }
    guard !items.isEmpty else { return }
    trak.atom("udta") { udta in for item in items { udta.write(item) } }
  }
}

extension SubtitleMedia {
  /// Divides the samples into chunks. The first chunk begins at the offset `start`. A chunk ends before the first sample
  /// that begins at least `duration` ticks after the chunk. If `duration` is `nil`, there is only one chunk.
  func chunks(from start: UInt32, lasting duration: UInt32?) -> [ChunkPlace] {
    guard !sampleSizes.isEmpty else { return [] }
    guard let duration else {
      return [ChunkPlace(offset: UInt64(start), sampleCount: UInt32(clamping: sampleSizes.count))]
    }
    var chunks: [ChunkPlace] = []
    var chunk = (offset: UInt64(start), sampleCount: UInt32(0), ticks: UInt64(0))
    var durations = durationRuns.lazy.flatMap { repeatElement($0.duration, count: Int($0.sampleCount)) }.makeIterator()
    var offset = UInt64(start)
    for size in sampleSizes {
      if chunk.sampleCount > 0, chunk.ticks >= UInt64(duration) {
        chunks.append(ChunkPlace(offset: chunk.offset, sampleCount: chunk.sampleCount))
        chunk = (offset, 0, 0)
      }
      chunk.sampleCount += 1
      chunk.ticks += UInt64(durations.next() ?? 0)
      offset &+= UInt64(size)  // Cannot overflow, because the media is in memory.
    }
    chunks.append(ChunkPlace(offset: chunk.offset, sampleCount: chunk.sampleCount))
    return chunks
  }
}
