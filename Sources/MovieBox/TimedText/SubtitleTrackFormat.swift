import Subtitles

/// What samples of a new subtitle track are written in. The raw value is the type of the sample entry.
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
