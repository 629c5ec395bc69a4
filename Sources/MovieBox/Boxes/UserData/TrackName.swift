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
  /// Takes the bytes as they are.
  package init(payload: Bytes) {
    bytes = payload
  }

  package static var unread: TrackName { TrackName("") }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&bytes, "name", .rest.shown { $0.withoutTrailingNULs.utf8OrMacRomanText })
  }
}
