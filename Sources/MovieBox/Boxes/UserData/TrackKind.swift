/// The role of a track: the `kind` atom in `udta` (ISO/IEC 14496-12 "Track Kind Box"). A URI identifies the scheme that
/// defines the role's value.
package struct TrackKind {
  package var version: UInt8
  package var flags: UInt32
  package var storedSchemeURI: TerminatedString
  package var storedValue: TerminatedString
  package var tail: Bytes

  /// Creates the atom for a value of a scheme, such as `caption` of `urn:mpeg:dash:role:2011`.
  package init(schemeURI: String, value: String) {
    version = 0
    flags = 0
    storedSchemeURI = TerminatedString(schemeURI)
    storedValue = TerminatedString(value)
    tail = Bytes()
  }

  /// The URI of the scheme. Setting the URI appends a NUL.
  package var schemeURI: String {
    get { storedSchemeURI.text }
    set { storedSchemeURI = TerminatedString(newValue) }
  }

  /// The value. It may be empty. Setting the value appends a NUL.
  package var value: String {
    get { storedValue.text }
    set {
      storedSchemeURI.isTerminated = true  // Only the last string of the atom may lack its NUL.
      storedValue = TerminatedString(newValue)
    }
  }
}

extension TrackKind: FieldedPayload {
  package static var placeholder: TrackKind { TrackKind(schemeURI: "", value: "") }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newestVersion: 0)
    try visitor.field(&storedSchemeURI, "scheme", .string)
    try visitor.field(&storedValue, "value", .string)
    try visitor.field(&tail, nil, .rest)
  }
}

/// A media characteristic of a track, such as `public.easy-to-read`: the `tagc` atom (QTFF "Media Characteristic
/// Tags").
///
/// The tag is the entire payload, without a length, NUL or version. Apple's players ignore a tag with a NUL.
package struct TaggedCharacteristic {
  /// The tag as stored.
  package var bytes: Bytes

  /// Creates the atom for an ASCII tag.
  package init(_ value: String) {
    bytes = Bytes(Array(value.utf8))
  }

  /// The tag without trailing NULs. Setting the tag appends no NUL.
  package var value: String {
    get { bytes.withoutTrailingNULs.utf8OrMacRomanText }
    set { bytes = Bytes(Array(newValue.utf8)) }
  }

  /// Whether a NUL follows the tag.
  package var hasTrailingNUL: Bool { bytes.last == 0 }
}

extension TaggedCharacteristic: FieldedPayload {
  package init(payload: Bytes) {
    bytes = payload
  }

  package static var placeholder: TaggedCharacteristic { TaggedCharacteristic("") }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&bytes, "characteristic", .rest.withText { $0.withoutTrailingNULs.utf8OrMacRomanText })
  }
}
