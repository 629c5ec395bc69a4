public import MovieBox

/// The media of a subtitle track: what its sample description, tables and media data are made of.
public struct Tx3gMedia: Hashable, Sendable {
  /// Neighbouring samples of one duration: an entry of `stts`.
  public struct DurationRun: Hashable, Sendable {
    /// How many samples.
    public var sampleCount: UInt32
    /// How long each lasts, in ticks.
    public var duration: UInt32

    /// A run of `sampleCount` samples.
    public init(sampleCount: UInt32, duration: UInt32) {
      self.sampleCount = sampleCount
      self.duration = duration
    }
  }

  /// How the samples look.
  public let description: Tx3gDescription
  /// Where the track lies on the picture.
  public let geometry: SubtitleGeometry
  /// All samples, one behind the other.
  public let data: [UInt8]
  /// How many bytes each sample takes, in order.
  public let sampleSizes: [UInt32]
  /// The samples' durations, neighbours of one duration counted together.
  public let durationRuns: [DurationRun]
  /// Ticks a second.
  public let timeScale: UInt32
  /// The sum of the samples' durations, in ticks.
  public let duration: UInt64
  /// What could not be encoded as it was.
  public let notices: [SubtitleNotice]

  /// The size that every sample has, as `stsz` states it instead of a table; `nil` when sizes differ or there are none.
  public var uniformSampleSize: UInt32? {
    guard let first = sampleSizes.first, sampleSizes.allSatisfy({ $0 == first }) else { return nil }
    return first
  }

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
