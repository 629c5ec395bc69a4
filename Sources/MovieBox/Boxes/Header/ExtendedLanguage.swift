/// The language of a track as a BCP 47 tag: the `elng` atom (QTFF "Extended Language Tag Atom").
///
/// Some writers leave out version and flags, or the NUL; both are read and written back.
package struct ExtendedLanguage {
  /// Version 0 and flags 0; `nil` where the file has none.
  package var header: FullAtomHeader?
  /// The tag as it stands.
  package var storedTag: TerminatedString
  /// What follows the NUL.
  package var tail: Bytes

  /// The atom for `tag`, which is ASCII.
  package init(tag: String) {
    header = FullAtomHeader()
    storedTag = TerminatedString(tag)
    tail = Bytes()
  }

  /// The tag; empty, and so not valid, where the bytes are not ASCII. Setting it ends it with a NUL.
  package var tag: String {
    get { storedTag.asciiText }
    set { storedTag = TerminatedString(newValue) }
  }
}

extension ExtendedLanguage: FieldedPayload {
  /// A tag begins with a letter, which is not a version. Fewer than four bytes are a tag of two letters and its NUL, as
  /// old versions of mp4ff wrote them.
  private static func hasHeader(_ payload: Bytes) -> Bool {
    guard payload.count >= 4 else { return false }
    switch payload[0] {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): return false
    default: return true
    }
  }

  package static var unread: ExtendedLanguage { ExtendedLanguage(tag: "") }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    if let unread = visitor.unreadBytes { header = Self.hasHeader(unread) ? FullAtomHeader() : nil }
    if var present = header {
      try visitor.fullAtomHeader(&present.version, &present.flags, newest: 0)
      header = present
    }
    try visitor.field(&storedTag, "tag", .string.shown { $0.asciiText })
    try visitor.field(&tail, nil, .rest)
  }
}

extension TerminatedString {
  /// The text; empty where the bytes are not ASCII.
  fileprivate var asciiText: String { bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : "" }
}
