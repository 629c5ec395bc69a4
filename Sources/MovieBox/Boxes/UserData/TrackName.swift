// The three atoms that contain a track's name: `name` in ISO files, `tnam` in QuickTime and `titl` in 3GPP, the last
// two by language.

/// The name of a track as ISO files have it: the `name` atom in `udta`, bare text to the end of the atom.
package struct TrackName {
  /// The text as it stands.
  package var bytes: Bytes

  /// The atom for a name.
  package init(_ text: String) {
    bytes = Bytes(Array(text.utf8))
  }

  /// The name without NULs at its end; UTF-8 where it is valid UTF-8, else Mac Roman.
  package var text: String {
    get { bytes.withoutTrailingNULs.utf8OrMacRomanText }
    set { bytes = Bytes(Array(newValue.utf8)) }
  }
}

extension TrackName: FieldedPayload {
  /// Keeps the bytes unchanged.
  package init(payload: Bytes) {
    bytes = payload
  }

  package static var unread: TrackName { TrackName("") }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&bytes, "name", .rest.shown { $0.withoutTrailingNULs.utf8OrMacRomanText })
  }
}

/// The name of a track in one language: the `tnam` atom in `udta` (QTFF "Track Name").
package struct LocalizedTrackName {
  package var reserved: UInt32
  /// A Macintosh code below 0x400, 0x7FFF for none, else three packed letters.
  package var languageCode: UInt16
  /// The name with its NUL, as it stands.
  package var textBytes: Bytes

  /// The atom for a name, which is written as UTF-8 and a NUL.
  package init(_ text: String, languageCode: UInt16) {
    reserved = 0
    self.languageCode = languageCode
    textBytes = Bytes(Array(text.utf8) + [0])
  }

  /// The name: UTF-8, or UTF-16 after a byte order mark, up to the NUL. Setting it writes UTF-8 and a NUL.
  package var text: String {
    get { textBytes.unicodeText }
    set { textBytes = Bytes(Array(newValue.utf8) + [0]) }
  }
}

extension LocalizedTrackName: FieldedPayload {
  package static var unread: LocalizedTrackName { LocalizedTrackName("", languageCode: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&reserved, nil, .number)
    try visitor.field(&languageCode, "language", .language)
    try visitor.field(&textBytes, "name", .rest.shown { $0.unicodeText })
  }
}

/// The title of a track in one language: the `titl` atom in `udta` (3GPP TS 26.244, clause 8).
package struct TrackTitle {
  package var version: UInt8
  package var flags: UInt32
  /// Three packed letters.
  package var languageCode: UInt16
  /// The title with its NUL, as it stands.
  package var textBytes: Bytes

  /// The atom for a title, which is written as UTF-8 and a NUL.
  package init(_ text: String, languageCode: UInt16) {
    version = 0
    flags = 0
    self.languageCode = languageCode
    textBytes = Bytes(Array(text.utf8) + [0])
  }

  /// The title: UTF-8, or UTF-16 after a byte order mark, up to the NUL. Setting it writes UTF-8 and a NUL.
  package var text: String {
    get { textBytes.unicodeText }
    set { textBytes = Bytes(Array(newValue.utf8) + [0]) }
  }
}

extension TrackTitle: FieldedPayload {
  package static var unread: TrackTitle { TrackTitle("", languageCode: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 0)
    try visitor.field(&languageCode, "language", .language)
    try visitor.field(&textBytes, "title", .rest.shown { $0.unicodeText })
  }
}
