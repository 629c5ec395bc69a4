public import Subtitles

/// The media of a WebVTT track: what its sample description, tables and media data are made of.
public struct WebVTTMedia: SubtitleMedia, Hashable {
  /// What the file begins with: the signature and the blocks before the first cue.
  public let header: String
  /// Where the track lies on the picture: over all of it.
  public let geometry: SubtitleGeometry
  /// All samples, one after the other.
  public let data: [UInt8]
  /// How many bytes each sample takes, in order.
  public let sampleSizes: [UInt32]
  /// The samples' durations, neighbours of one duration counted together.
  public let durationRuns: [SampleDurationRun]
  /// Ticks a second.
  public let timeScale: UInt32
  /// The sum of the samples' durations, in ticks.
  public let duration: UInt64
  /// What could not be encoded as it was, or not at all.
  public let notices: [SubtitleNotice]
  /// WebVTT has no word for that.
  public var isForcedOnly: Bool { false }

  /// The sample entry for `stsd`, header included (ISO/IEC 14496-30, clause 7.5).
  public func sampleEntry(dataReferenceIndex: UInt16) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom("wvtt") { writer in
      writer.writeZeros(6)
      writer.write(dataReferenceIndex)
      writer.atom("vttC") { $0.write(utf8: header) }
    }
    return writer.bytes
  }
}
