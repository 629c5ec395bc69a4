public import MovieBox

/// A form of metadata in a movie. Seeds select a form by its index, so the order of the cases must not change.
private enum MetadataForm: CaseIterable {
  /// The contents of `meta`.
  case meta
  /// The contents of `keys`, for items with the key indices 1 to 4.
  case keys
  /// The contents of an iTunes list (`ilst`).
  case items
  /// An ID3 tag.
  case tag
  /// An XMP packet.
  case packet
  /// The items of Windows (`Xtra`).
  case windows
  /// User data of QuickTime or 3GPP.
  case userData
}

/// Returns a small intact movie with metadata whose form is selected by the first byte and whose contents are the other
/// bytes. Returns `nil` if there are no bytes.
///
/// The fuzzer therefore changes only the contents of the metadata, and not the sizes of the enclosing atoms.
public func movie(stating bytes: Bytes) -> Bytes? {
  guard let first = bytes.first else { return nil }
  let form = MetadataForm.allCases[Int(first) % MetadataForm.allCases.count]
  let payload = bytes.dropFirst(1)
  var writer = ByteWriter()
  switch form {
  case .meta: writer.atom("meta") { $0.write(payload) }
  case .keys:
    writer.atom("meta") { meta in
      write(handler: "mdta", to: &meta)
      meta.atom("keys") { $0.write(payload) }
      meta.atom("ilst") { list in
        for number in 1...4 as ClosedRange<UInt32> {
          list.atom(FourCC(rawValue: number)) { item in
            item.atom("data") { data in
              data.write(UInt64(1) << 32)  // The type UTF-8, without a language.
              data.write(UInt32(0x3230_3236))
            }
          }
        }
      }
    }
  case .items:
    userData(in: &writer) { udta in
      udta.atom("meta") { meta in
        meta.write(UInt32(0))
        write(handler: "mdir", to: &meta)
        meta.atom("ilst") { $0.write(payload) }
      }
    }
  case .tag:
    writer.atom("meta") { meta in
      meta.write(UInt32(0))
      write(handler: "ID32", to: &meta)
      meta.atom("ID32") { $0.write(payload) }
    }
  case .packet: userData(in: &writer) { udta in udta.atom("XMP_") { $0.write(payload) } }
  case .windows: userData(in: &writer) { udta in udta.atom("Xtra") { $0.write(payload) } }
  case .userData: userData(in: &writer) { udta in udta.write(payload) }
  }
  return Bytes(textMovie(.timedText, entry: TextKind.timedText.entry, samples: [[0, 1, 65]], stating: writer.bytes))
}

private func userData(in writer: inout ByteWriter, _ content: (inout ByteWriter) -> Void) {
  writer.atom("udta") { content(&$0) }
}

private func write(handler type: FourCC, to writer: inout ByteWriter) {
  writer.atom("hdlr") { handler in
    handler.write(UInt64(0))
    handler.write(type)
    handler.writeZeros(13)
  }
}
