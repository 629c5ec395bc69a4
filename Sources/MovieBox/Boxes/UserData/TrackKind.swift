/// What a track is for, in some scheme's words: the `kind` atom in `udta` (ISO/IEC 14496-12 "Track Kind Box").
public struct TrackKind {
  /// 0.
  public var version: UInt8
  /// 24 bits of flags; 0.
  public var flags: UInt32
  /// The URI as it stands.
  public var storedSchemeURI: TerminatedString
  /// The value as it stands.
  public var storedValue: TerminatedString
  /// What follows the value.
  public var tail: Bytes

  /// The atom for a value of a scheme, such as `caption` of `urn:mpeg:dash:role:2011`.
  public init(schemeURI: String, value: String) {
    version = 0
    flags = 0
    storedSchemeURI = TerminatedString(schemeURI)
    storedValue = TerminatedString(value)
    tail = Bytes()
  }

  /// The scheme that the value belongs to. Setting it ends it with a NUL.
  public var schemeURI: String {
    get { storedSchemeURI.text }
    set { storedSchemeURI = TerminatedString(newValue) }
  }

  /// The value; may be empty. Setting it ends it with a NUL.
  public var value: String {
    get { storedValue.text }
    set {
      storedSchemeURI.isTerminated = true  // Nothing may stand after a string without its NUL.
      storedValue = TerminatedString(newValue)
    }
  }
}

extension TrackKind: AtomPayload {
  /// Parses `kind`. Throws for versions above 0.
  public init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upTo: 0)
    version = header.version
    flags = header.flags
    storedSchemeURI = try reader.readTerminatedString()
    storedValue = try reader.readTerminatedString()
    tail = reader.readRest()
  }

  /// Writes `kind`.
  public func write(to writer: inout ByteWriter) {
    writer.write(FullAtomHeader(version: version, flags: flags))
    writer.write(storedSchemeURI)
    writer.write(storedValue)
    writer.write(tail)
  }
}
