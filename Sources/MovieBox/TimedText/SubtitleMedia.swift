package import Subtitles

/// The media of a subtitle track, whatever its format: what its sample description, tables and media data are made of.
package protocol SubtitleMedia: Sendable {
  /// Where the track lies on the picture.
  var geometry: SubtitleGeometry { get }
  /// All samples, one after the other.
  var data: [UInt8] { get }
  /// How many bytes each sample takes, in order.
  var sampleSizes: [UInt32] { get }
  /// The samples' durations, neighbours of one duration counted together.
  var durationRuns: [SampleDurationRun] { get }
  /// Ticks a second.
  var timeScale: UInt32 { get }
  /// The sum of the samples' durations, in ticks.
  var duration: UInt64 { get }
  /// What could not be encoded as it was.
  var notices: [SubtitleNotice] { get }
  /// Whether the description says that all samples are forced: the track is one of forced subtitles only.
  var isForcedOnly: Bool { get }

  /// The sample entry for `stsd`, header included. `dataReferenceIndex` counts from 1, as it stands in the file.
  func sampleEntry(dataReferenceIndex: UInt16) -> [UInt8]
}

extension SubtitleMedia {
  /// The size that every sample has, as `stsz` states it instead of a table; `nil` when sizes differ or there are none.
  package var uniformSampleSize: UInt32? {
    guard let first = sampleSizes.first, sampleSizes.allSatisfy({ $0 == first }) else { return nil }
    return first
  }
}

/// Neighbouring samples of one duration: an entry of `stts`.
package struct SampleDurationRun: Hashable, Sendable {
  /// How many samples.
  package var sampleCount: UInt32
  /// How long each lasts, in ticks.
  package var duration: UInt32

  /// A run of `sampleCount` samples.
  package init(sampleCount: UInt32, duration: UInt32) {
    self.sampleCount = sampleCount
    self.duration = duration
  }
}

extension [SampleDurationRun] {
  /// Counts in a sample of this duration.
  package mutating func add(_ duration: UInt32) {
    if let last, last.duration == duration, last.sampleCount < UInt32.max {
      self[count - 1].sampleCount += 1
    } else {
      append(SampleDurationRun(sampleCount: 1, duration: duration))
    }
  }
}
