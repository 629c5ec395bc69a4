// The media of a new subtitle track before it is written as atoms: the samples, their durations and their common
// description.

public import Subtitles

/// The media of a subtitle track, with its sample description, tables and media data.
package struct SubtitleMedia: Hashable, Sendable {
  /// The sample description of a format.
  package enum Description: Hashable, Sendable {
    /// Timed text of 3GPP (`tx3g`).
    case timedText(Tx3gDescription)
    /// WebVTT (`wvtt`). The header consists of the signature and the blocks before the first cue.
    case webVTT(header: String)
    /// Closed captions of CEA-608 (`c608`).
    case captions
  }

  /// The description of the samples.
  package let description: Description
  /// The position of the track on the picture.
  package let geometry: SubtitleGeometry
  /// The bytes of all samples, concatenated.
  package let data: [UInt8]
  /// The size of each sample in bytes.
  package let sampleSizes: [UInt32]
  /// The run-length encoded durations of the samples.
  package let durationRuns: [SampleDurationRun]
  /// The time scale in ticks per second.
  package let timeScale: UInt32
  /// The sum of the sample durations, in ticks.
  package let duration: UInt64
  /// Notices about text that the encoder changed or dropped.
  package let notices: [SubtitleNotice]

  /// Whether the description declares all samples as forced. WebVTT cannot declare this.
  package var isForcedOnly: Bool {
    switch description {
    case .timedText(let description): description.displayFlags.isSuperset(of: .forcedOnly)
    case .webVTT, .captions: false
    }
  }

  /// Returns the sample entry for `stsd`, including its header (3GPP TS 26.245 5.16; ISO/IEC 14496-30 7.5; QTFF "Closed
  /// Caption Sample Description").
  /// `dataReferenceIndex` counts from 1, as stored.
  package func sampleEntry(dataReferenceIndex: UInt16 = 1) -> [UInt8] {
    var writer = ByteWriter()
    let format: SubtitleTrackFormat =
      switch description {
      case .timedText: .tx3g
      case .webVTT: .webVTT
      case .captions: .captions
      }
    writer.atom(format.sampleEntryType) { writer in
      writer.writeZeros(6)
      writer.write(dataReferenceIndex)
      switch description {
      case .timedText(let description): description.write(to: &writer)
      case .webVTT(let header): writer.atom("vttC") { $0.write(utf8: header) }
      case .captions: break
      }
    }
    return writer.bytes
  }
}

extension [UInt32] {
  /// The value that all elements have in common, or `nil` if the elements differ or the array is empty.
  package var commonValue: UInt32? {
    guard let first, allSatisfy({ $0 == first }) else { return nil }
    return first
  }
}

/// Consecutive samples of equal duration: an entry of `stts`.
package struct SampleDurationRun: Hashable, Sendable {
  package var sampleCount: UInt32
  /// The duration of each sample, in ticks.
  package var duration: UInt32

  package init(sampleCount: UInt32, duration: UInt32) {
    self.sampleCount = sampleCount
    self.duration = duration
  }
}

extension [SampleDurationRun] {
  /// Appends a sample with a duration.
  package mutating func add(_ duration: UInt32) {
    if let last, last.duration == duration, last.sampleCount < UInt32.max {
      self[count - 1].sampleCount += 1
    } else {
      append(SampleDurationRun(sampleCount: 1, duration: duration))
    }
  }
}

/// The sample format of a new subtitle track. The raw value is the type of the sample entry.
public enum SubtitleTrackFormat: String, Hashable, Sendable, CaseIterable {
  /// Timed text (3GPP TS 26.245), used in QuickTime and MP4 subtitle tracks. All players support it.
  case tx3g
  /// WebVTT (ISO/IEC 14496-30), used only in MP4 files. Few players show it.
  case webVTT = "wvtt"
  /// Closed captions (CEA-608). Players of Apple, ffmpeg and GStreamer show them.
  case captions = "c608"

  package var sampleEntryType: FourCC {
    switch self {
    case .tx3g: "tx3g"
    case .webVTT: "wvtt"
    case .captions: "c608"
    }
  }

  /// The time scale of the samples, in ticks per second.
  package var timeScale: UInt32 { self == .captions ? CaptionTrackEncoder.timeScale : 1_000 }
}

extension SubtitleFile {
  /// Returns the notices that apply to a track of a format. A WebVTT track contains the file's source unchanged, so
  /// notices about approximations do not apply to it. A caption track contains all channels of a caption file, and the
  /// rows that negative line numbers of WebVTT declare.
  public func notices(for format: SubtitleTrackFormat) -> [SubtitleNotice] {
    if format == .captions {
      return notices.filter { captions == nil ? $0.appliesToCaptions : $0.kind != .otherServices }
    }
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

/// A sample of a subtitle track: the text between two changes.
package struct TimedSample: Hashable, Sendable {
  /// The duration in ticks of the track, at least 1.
  package var duration: UInt32
  /// The text, or `nil` in a gap.
  package var text: StyledText?
  /// The placement of the text, or the standard placement in a gap.
  package var placement: Cue.Placement = .standard
  /// Whether players show the sample even if subtitles are off. The value is `false` in a gap.
  package var isForced: Bool = false
  /// The line number of the first shown cue in its file, or 0 in a gap.
  package var line: Int = 0
}
