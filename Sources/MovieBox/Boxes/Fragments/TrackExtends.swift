/// What the samples of a track are in fragments that do not say otherwise: the `trex` atom (ISO/IEC 14496-12 8.8.3).
public struct TrackExtends {
  /// 0; the only version.
  public var version: UInt8
  /// 24 bits of flags; 0.
  public var flags: UInt32
  /// The track.
  public var trackID: UInt32
  /// The number of the samples' description in `stsd`, counted from 1 as stored.
  public var sampleDescriptionIndex: UInt32
  /// How long a sample lasts, in ticks of the media.
  public var sampleDuration: UInt32
  /// How many bytes a sample has.
  public var sampleSize: UInt32
  /// How a sample depends on others.
  public var sampleFlags: SampleFlags
  /// What follows the known fields.
  public var tail: Bytes

  /// Defaults of these values.
  public init(
    version: UInt8 = 0, flags: UInt32 = 0, trackID: UInt32, sampleDescriptionIndex: UInt32 = 1,
    sampleDuration: UInt32 = 0, sampleSize: UInt32 = 0, sampleFlags: SampleFlags = SampleFlags(rawValue: 0),
    tail: Bytes = Bytes()
  ) {
    self.version = version
    self.flags = flags
    self.trackID = trackID
    self.sampleDescriptionIndex = sampleDescriptionIndex
    self.sampleDuration = sampleDuration
    self.sampleSize = sampleSize
    self.sampleFlags = sampleFlags
    self.tail = tail
  }
}

extension TrackExtends: AtomPayload {
  /// Parses `trex`. Throws when the bytes end early, and for versions above 0.
  public init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upTo: 0)
    version = header.version
    flags = header.flags
    trackID = try reader.read()
    sampleDescriptionIndex = try reader.read()
    sampleDuration = try reader.read()
    sampleSize = try reader.read()
    sampleFlags = SampleFlags(rawValue: try reader.read())
    tail = reader.readRest()
  }

  /// Writes `trex`.
  public func write(to writer: inout ByteWriter) {
    writer.write(FullAtomHeader(version: version, flags: flags))
    writer.write(trackID)
    writer.write(sampleDescriptionIndex)
    writer.write(sampleDuration)
    writer.write(sampleSize)
    writer.write(sampleFlags.rawValue)
    writer.write(tail)
  }
}
