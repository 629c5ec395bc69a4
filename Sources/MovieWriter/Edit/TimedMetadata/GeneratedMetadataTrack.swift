import MovieBox
import Subtitles

/// A track of boxed timed metadata (`mebx`) that an edit generates from groups.
///
/// The track covers the whole movie: a time without a group is a sample that declares a gap, because AVFoundation
/// rejects empty samples. The time scale is microseconds, so the times of groups are exact.
struct GeneratedMetadataTrack: GeneratedTrack {
  let id: UInt32
  /// The samples that the track was encoded from.
  let schedule: TimedMetadataSchedule
  var facts: NewTrackFacts
  let sampleData: [UInt8]
  private let sampleEntry: [UInt8]
  private let sampleSizes: [UInt32]
  private let durationRuns: [SampleDurationRun]
  private let duration: UInt64

  static let timeScale: UInt32 = 1_000_000
  /// The maximum size of all samples.
  private static let byteCountLimit = 256 << 20

  /// Encodes the groups.
  init(_ schedule: TimedMetadataSchedule, as template: TrackTemplate, id: UInt32) throws(MovieError) {
    var encoder = BoxedMetadataEncoder()
    var data = ByteWriter()
    var sizes: [UInt32] = []
    var runs: [SampleDurationRun] = []
    for sample in schedule.samples {
      let start = sample.microseconds.lowerBound
      let offset = data.bytes.count
      do throws(BoxedMetadataEncoder.Failure) {
        try encoder.encode(sample.items, to: &data)
      } catch {
        throw MovieError(.invalidEdit, "the item \(error.identifier) at \(Self.text(start)) \(error.reason)")
      }
      let bytes = offset..<data.bytes.count
      var rest = UInt64(clamping: sample.microseconds.upperBound.subtractingClamped(start))
      while rest > 0 {
        guard data.bytes.count <= Self.byteCountLimit else {
          throw MovieError(.limit, "the samples of timed metadata exceed \(Self.byteCountLimit) bytes")
        }
        let part = UInt32(clamping: min(rest, UInt64(Sample.longestDuration)))
        sizes.append(UInt32(clamping: bytes.count))
        runs.add(part)
        rest -= UInt64(part)
        // Store a sample that is too long as several samples with the same items.
        if rest > 0 { data.write(Array(data.bytes[bytes])) }
      }
    }
    self.id = id
    self.schedule = schedule
    (sampleData, sampleSizes, durationRuns) = (data.take(), sizes, runs)
    sampleEntry = encoder.sampleEntry
    duration = UInt64(clamping: schedule.samples.last?.microseconds.upperBound ?? 0)
    facts = template.facts
    // The duration is rounded down, so that the track is never longer than the movie.
    facts.durationInMovieTicks =
      duration.scaled(by: UInt64(template.movie.header.timeScale), over: UInt64(Self.timeScale)) ?? 0
  }

  /// Returns a time in seconds.
  private static func text(_ microseconds: Int64) -> String { timeText(milliseconds: microseconds / 1_000) }

  var mediaType: MediaType { .metadata }
  var formats: [FourCC] { ["mebx"] }
  var labels: TrackLabels { TrackLabels(language: nil) }
  var contents: String { "timed metadata" }

  func media(at chunkOffset: UInt32, isInterleaved: Bool) -> NewTrackMedia {
    NewTrackMedia(
      timeScale: Self.timeScale, duration: duration,
      informationHeader: facts.dialect == .quickTime
        ? PlainMediaHeader.quickTime(for: "meta") : NullMediaHeader().atom("nmhd"),
      sampleEntries: [sampleEntry], sampleSizes: sampleSizes, durationRuns: durationRuns,
      chunks: ChunkPlace.chunks(
        of: sampleSizes, durationRuns, from: chunkOffset, lasting: isInterleaved ? Self.timeScale : nil))
  }
}

extension EditedTrack {
  /// The timed metadata that the edit generates the track from, or `nil` for another track.
  var generatedMetadata: GeneratedMetadataTrack? { planned as? GeneratedMetadataTrack }

  /// The number of written groups with items, or `nil` for a track that is not generated from timed metadata.
  package var timedGroupCount: Int? { generatedMetadata?.schedule.writtenGroupCount }
}
