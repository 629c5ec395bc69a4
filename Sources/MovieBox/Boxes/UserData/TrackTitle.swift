/// The title of a track in one language: the `titl` atom in `udta` (3GPP TS 26.244, clause 8).
package struct TrackTitle {
  /// 0.
  package var version: UInt8
  /// 24 bits of flags; 0.
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
