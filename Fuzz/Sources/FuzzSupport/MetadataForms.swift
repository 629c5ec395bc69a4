public import MovieBox

/// Where metadata stands in a movie. The order is that of the bytes by which seeds choose one.
private enum MetadataForm: CaseIterable {
  /// `meta` as a whole.
  case meta
  /// `keys`, for items of the numbers 1 to 4.
  case keys
  /// `ilst`, as iTunes has it.
  case items
  /// A tag of ID3.
  case tag
  /// A packet of XMP.
  case packet
  /// Windows' items.
  case windows
  /// User data of QuickTime and of 3GPP.
  case userData
}

/// A small movie, all in order, that has bytes where a form of metadata stands; `nil` where no byte chooses one.
///
/// So a fuzzer changes what readers of that form read, and no sizes of atoms around it.
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
              data.write(UInt64(1) << 32)  // UTF-8, in no language.
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
