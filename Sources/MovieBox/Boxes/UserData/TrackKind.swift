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

extension TrackKind: FieldedPayload {
  /// Parses `kind`. Throws for versions above 0.
  public init(payload: Bytes) throws(MovieError) {
    self = try Self.reading(payload)
  }

  /// Writes `kind`.
  public func write(to writer: inout ByteWriter) {
    writeFields(to: &writer)
  }

  static var unread: TrackKind { TrackKind(schemeURI: "", value: "") }

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 0)
    try visitor.field(&storedSchemeURI, "scheme", .string)
    try visitor.field(&storedValue, "value", .string)
    try visitor.field(&tail, nil, .rest)
  }
}
