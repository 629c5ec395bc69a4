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
  /// Takes the bytes as they are.
  package init(payload: Bytes) {
    bytes = payload
  }

  package static var unread: TaggedCharacteristic { TaggedCharacteristic("") }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&bytes, "characteristic", .rest.shown { $0.withoutTrailingNULs.utf8OrMacRomanText })
  }
}
