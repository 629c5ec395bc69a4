// The media of a new subtitle track, before it becomes atoms: samples, their durations, and the description for all of
// them.

public import Subtitles

/// The media of a subtitle track: what its sample description, tables and media data are made of.
package struct SubtitleMedia: Hashable, Sendable {
  /// The description of the samples, by their format.
  package enum Description: Hashable, Sendable {
    /// Timed text of 3GPP (`tx3g`).
    case timedText(Tx3gDescription)
    /// WebVTT (`wvtt`): the signature and the blocks before the first cue, which its file begins with.
    case webVTT(header: String)
  }

  /// The description of the samples.
  package let description: Description
  /// The place of the track on the picture.
  package let geometry: SubtitleGeometry
  /// All samples, one after the other.
  package let data: [UInt8]
  /// The number of bytes of each sample, in order.
  package let sampleSizes: [UInt32]
  /// The samples' durations, neighbours of one duration counted together.
  package let durationRuns: [SampleDurationRun]
  /// Ticks a second.
  package let timeScale: UInt32
  /// The sum of the samples' durations, in ticks.
  package let duration: UInt64
  /// Notices about text that was changed or dropped by the encoding.
  package let notices: [SubtitleNotice]

  /// Whether the description says that all samples are forced: the track is one of forced subtitles only. WebVTT has no
  /// word for that.
  package var isForcedOnly: Bool {
    switch description {
    case .timedText(let description): description.displayFlags.isSuperset(of: .forcedOnly)
    case .webVTT: false
    }
  }

  /// The sample entry for `stsd`, header included (3GPP TS 26.245 5.16; ISO/IEC 14496-30 7.5). `dataReferenceIndex`
  /// counts from 1, as it stands in the file.
  package func sampleEntry(dataReferenceIndex: UInt16 = 1) -> [UInt8] {
    var writer = ByteWriter()
    let format: SubtitleTrackFormat =
      switch description {
      case .timedText: .tx3g
      case .webVTT: .webVTT
      }
    writer.atom(format.sampleEntryType) { writer in
      writer.writeZeros(6)
      writer.write(dataReferenceIndex)
      switch description {
      case .timedText(let description): description.write(to: &writer)
      case .webVTT(let header): writer.atom("vttC") { $0.write(utf8: header) }
      }
    }
    return writer.bytes
  }
}

extension [UInt32] {
  /// The number that all are; `nil` when they differ or there are none.
  package var commonValue: UInt32? {
    guard let first, allSatisfy({ $0 == first }) else { return nil }
    return first
  }
}

/// Neighbouring samples of one duration: an entry of `stts`.
package struct SampleDurationRun: Hashable, Sendable {
  /// The number of samples.
  package var sampleCount: UInt32
  /// The duration of each, in ticks.
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

/// The format of a new subtitle track's samples. The raw value is the type of the sample entry.
public enum SubtitleTrackFormat: String, Hashable, Sendable, CaseIterable {
  /// Timed text (3GPP TS 26.245), which subtitle media of QuickTime and MP4 files have and all players know.
  case tx3g
  /// WebVTT (ISO/IEC 14496-30), in MP4 files only; few players show it from a file.
  case webVTT = "wvtt"

  /// The type of the sample entry.
  package var sampleEntryType: FourCC {
    switch self {
    case .tx3g: "tx3g"
    case .webVTT: "wvtt"
    }
  }
}

extension SubtitleFile {
  /// The notices that hold for a track of this format: in one of WebVTT, all is as the file says, and what players
  /// ignore in the file they ignore there.
  public func notices(for format: SubtitleTrackFormat) -> [SubtitleNotice] {
    guard format == .webVTT, webVTT != nil else { return notices }
    return notices.filter {
      switch $0.kind {
      case .approximatedPlacement, .strayTag, .unclosedTag: false
      case .ignoredSetting, .lateDefinition: true
      default: $0.kind.effect != .inexpressible
      }
    }
  }
}

/// The text between two changes.
package struct TimedSample: Hashable, Sendable {
  /// The longest duration of a generated sample: FFmpeg reads durations in `stts` as signed numbers.
  package static let longestDuration = UInt32(Int32.max)

  /// The duration, in ticks of the track; at least 1.
  package var duration: UInt32
  /// The text; `nil` in a gap.
  package var text: StyledText?
  /// The place on the picture; the standard place in a gap.
  package var placement: CuePlacement = .standard
  /// Whether it is shown although subtitles are off; `false` in a gap.
  package var isForced: Bool = false
  /// The line of the file that the first of the cues shown has its times in; 0 in a gap.
  package var line: Int = 0
}
