/// The name of a track in one language: the `tnam` atom in `udta` (QTFF "Track Name").
package struct LocalizedTrackName {
  /// 0.
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
