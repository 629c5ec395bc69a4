package import Subtitles

/// The media of a WebVTT track: what its sample description, tables and media data are made of.
package struct WebVTTMedia: SubtitleMedia, Hashable {
  /// What the file begins with: the signature and the blocks before the first cue.
  package let header: String
  /// Where the track lies on the picture: over all of it.
  package let geometry: SubtitleGeometry
  /// All samples, one after the other.
  package let data: [UInt8]
  /// How many bytes each sample takes, in order.
  package let sampleSizes: [UInt32]
  /// The samples' durations, neighbours of one duration counted together.
  package let durationRuns: [SampleDurationRun]
  /// Ticks a second.
  package let timeScale: UInt32
  /// The sum of the samples' durations, in ticks.
  package let duration: UInt64
  /// What could not be encoded as it was, or not at all.
  package let notices: [SubtitleNotice]
  /// WebVTT has no word for that.
  package var isForcedOnly: Bool { false }

  /// The sample entry for `stsd`, header included (ISO/IEC 14496-30, clause 7.5).
  package func sampleEntry(dataReferenceIndex: UInt16) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom("wvtt") { writer in
      writer.writeZeros(6)
      writer.write(dataReferenceIndex)
      writer.atom("vttC") { $0.write(utf8: header) }
    }
    return writer.bytes
  }
}
