/// When the first sample of a fragment is decoded: the `tfdt` atom, versions 0 and 1 (ISO/IEC 14496-12 8.8.12).
public struct TrackFragmentDecodeTime {
  /// 0, or 1 with a time of 64 bits.
  public var version: UInt8
  /// 24 bits of flags; 0.
  public var flags: UInt32
  /// The time, in ticks of the media from the media's start, before edit lists.
  public var baseMediaDecodeTime: UInt64
  /// What follows the known fields.
  public var tail: Bytes

  /// A time; without a version, the lowest that holds it.
  public init(version: UInt8? = nil, flags: UInt32 = 0, baseMediaDecodeTime: UInt64, tail: Bytes = Bytes()) {
    self.version = version ?? PayloadVersion.holding(baseMediaDecodeTime)
    self.flags = flags
    self.baseMediaDecodeTime = baseMediaDecodeTime
    self.tail = tail
  }
}

extension TrackFragmentDecodeTime: AtomPayload {
  /// Parses `tfdt`. Throws when the bytes end early, and for versions above 1.
  public init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upTo: 1)
    version = header.version
    flags = header.flags
    baseMediaDecodeTime = try reader.readVersioned(version)
    tail = reader.readRest()
  }

  /// Writes `tfdt`. The time must fit the version.
  public func write(to writer: inout ByteWriter) {
    writer.write(FullAtomHeader(version: version, flags: flags))
    writer.writeVersioned(baseMediaDecodeTime, version)
    writer.write(tail)
  }
}
