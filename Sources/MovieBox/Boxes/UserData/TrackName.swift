// The atoms for a track's name: `name` in ISO files, `tnam` in QuickTime files and `titl` in 3GPP files. `tnam` and
// `titl` declare a language.

/// The name of a track in ISO files: the `name` atom in `udta`. Its text extends to the end of the atom.
package struct TrackName {
  /// The text as stored.
  package var bytes: Bytes

  package init(_ text: String) {
    bytes = Bytes(Array(text.utf8))
  }

  /// The name without trailing NULs, decoded as UTF-8 if it is valid UTF-8, or else as Mac Roman.
  package var text: String {
    get { bytes.withoutTrailingNULs.utf8OrMacRomanText }
    set { bytes = Bytes(Array(newValue.utf8)) }
  }
}

extension TrackName: FieldedPayload {
  package init(payload: Bytes) {
    bytes = payload
  }

  package static var placeholder: TrackName { TrackName("") }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&bytes, "name", .rest.withText { $0.withoutTrailingNULs.utf8OrMacRomanText })
  }
}

/// The name of a track in one language: the `tnam` atom in `udta` (QTFF "Track Name").
package struct LocalizedTrackName {
  package var reserved: UInt32
  /// The language: a Macintosh code below 0x400, 0x7FFF if unspecified, or a packed ISO 639-2 code.
  package var languageCode: UInt16
  /// The name as stored, with its NUL.
  package var textBytes: Bytes

  /// Creates the atom for a name, encoded as UTF-8 with a NUL.
  package init(_ text: String, languageCode: UInt16) {
    reserved = 0
    self.languageCode = languageCode
    textBytes = Bytes(Array(text.utf8) + [0])
  }

  /// The name before the NUL. It is UTF-8, or UTF-16 after a byte order mark. Setting the name writes UTF-8 with a
  /// NUL.
  package var text: String {
    get { textBytes.unicodeText }
    set { textBytes = Bytes(Array(newValue.utf8) + [0]) }
  }
}

extension LocalizedTrackName: FieldedPayload {
  package static var placeholder: LocalizedTrackName { LocalizedTrackName("", languageCode: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&reserved, nil, .number)
    try visitor.field(&languageCode, "language", .language)
    try visitor.field(&textBytes, "name", .rest.withText { $0.unicodeText })
  }
}

/// The title of a track in one language: the `titl` atom in `udta` (3GPP TS 26.244, clause 8).
package struct TrackTitle {
  package var version: UInt8
  package var flags: UInt32
  /// The language as a packed ISO 639-2 code.
  package var languageCode: UInt16
  /// The title as stored, with its NUL.
  package var textBytes: Bytes

  /// Creates the atom for a title, encoded as UTF-8 with a NUL.
  package init(_ text: String, languageCode: UInt16) {
    version = 0
    flags = 0
    self.languageCode = languageCode
    textBytes = Bytes(Array(text.utf8) + [0])
  }

  /// The title before the NUL. It is UTF-8, or UTF-16 after a byte order mark. Setting the title writes UTF-8 with a
  /// NUL.
  package var text: String {
    get { textBytes.unicodeText }
    set { textBytes = Bytes(Array(newValue.utf8) + [0]) }
  }
}

extension TrackTitle: FieldedPayload {
  package static var placeholder: TrackTitle { TrackTitle("", languageCode: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newestVersion: 0)
    try visitor.field(&languageCode, "language", .language)
    try visitor.field(&textBytes, "title", .rest.withText { $0.unicodeText })
  }
}
