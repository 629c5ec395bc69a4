public import Subtitles

/// The media of a `tx3g` track: what its sample description, tables and media data are made of.
public struct Tx3gMedia: SubtitleMedia, Hashable {
  /// How the samples look.
  public let description: Tx3gDescription
  /// Where the track lies on the picture.
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
  /// What could not be encoded as it was.
  public let notices: [SubtitleNotice]

  /// Whether the description says that all samples are forced: the track is one of forced subtitles only.
  public var isForcedOnly: Bool { description.displayFlags.isSuperset(of: .forcedOnly) }

  /// The sample entry for `stsd`, header included.
  ///
  /// `dataReferenceIndex` counts from 1, as it stands in the file.
  public func sampleEntry(dataReferenceIndex: UInt16 = 1) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom("tx3g") { writer in
      writer.writeZeros(6)
      writer.write(dataReferenceIndex)
      description.write(to: &writer)
    }
    return writer.bytes
  }
}
