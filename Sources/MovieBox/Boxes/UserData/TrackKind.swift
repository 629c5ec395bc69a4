/// The purpose of a track in the words of a scheme: the `kind` atom in `udta` (ISO/IEC 14496-12 "Track Kind Box").
package struct TrackKind {
  package var version: UInt8
  package var flags: UInt32
  /// The URI as it stands.
  package var storedSchemeURI: TerminatedString
  /// The value as it stands.
  package var storedValue: TerminatedString
  package var tail: Bytes

  /// The atom for a value of a scheme, such as `caption` of `urn:mpeg:dash:role:2011`.
  package init(schemeURI: String, value: String) {
    version = 0
    flags = 0
    storedSchemeURI = TerminatedString(schemeURI)
    storedValue = TerminatedString(value)
    tail = Bytes()
  }

  /// The scheme that the value belongs to. Setting it ends it with a NUL.
  package var schemeURI: String {
    get { storedSchemeURI.text }
    set { storedSchemeURI = TerminatedString(newValue) }
  }

  /// The value; may be empty. Setting it ends it with a NUL.
  package var value: String {
    get { storedValue.text }
    set {
      storedSchemeURI.isTerminated = true  // Nothing may stand after a string without its NUL.
      storedValue = TerminatedString(newValue)
    }
  }
}

extension TrackKind: FieldedPayload {
  package static var unread: TrackKind { TrackKind(schemeURI: "", value: "") }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 0)
    try visitor.field(&storedSchemeURI, "scheme", .string)
    try visitor.field(&storedValue, "value", .string)
    try visitor.field(&tail, nil, .rest)
  }
}

/// A media characteristic of a track, such as `public.easy-to-read`: the `tagc` atom (QTFF "Media Characteristic
/// Tags").
///
/// The tag is the whole payload: no length, no NUL, no version. Apple's players ignore a tag with a NUL.
package struct TaggedCharacteristic {
  /// The tag as it stands.
  package var bytes: Bytes

  /// The atom for a tag, which is ASCII.
  package init(_ value: String) {
    bytes = Bytes(Array(value.utf8))
  }

  /// The tag without NULs at its end; setting it writes none.
  package var value: String {
    get { bytes.withoutTrailingNULs.utf8OrMacRomanText }
    set { bytes = Bytes(Array(newValue.utf8)) }
  }

  /// Whether the file has a NUL after the tag.
  package var hasTrailingNUL: Bool { bytes.last == 0 }
}

extension TaggedCharacteristic: FieldedPayload {
  /// Keeps the bytes unchanged.
  package init(payload: Bytes) {
    bytes = payload
  }

  package static var unread: TaggedCharacteristic { TaggedCharacteristic("") }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&bytes, "characteristic", .rest.shown { $0.withoutTrailingNULs.utf8OrMacRomanText })
  }
}
