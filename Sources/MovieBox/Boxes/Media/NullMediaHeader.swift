/// The header of media that needs none, such as text: the `nmhd` atom (ISO/IEC 14496-12 "Null Media Header Box").
public struct NullMediaHeader {
  /// 0.
  public var version: UInt8
  /// 24 bits of flags; 0.
  public var flags: UInt32
  /// What follows the known fields.
  public var tail: Bytes

  /// A header of these values.
  public init(version: UInt8 = 0, flags: UInt32 = 0, tail: Bytes = Bytes()) {
    self.version = version
    self.flags = flags
    self.tail = tail
  }
}

extension NullMediaHeader: AtomPayload {
  /// Parses `nmhd`. Throws when the bytes end early, and for versions above 0.
  public init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upTo: 0)
    version = header.version
    flags = header.flags
    tail = reader.readRest()
  }

  /// Writes `nmhd`.
  public func write(to writer: inout ByteWriter) {
    writer.write(FullAtomHeader(version: version, flags: flags))
    writer.write(tail)
  }
}
