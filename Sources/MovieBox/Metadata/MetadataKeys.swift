/// The keys of QuickTime metadata, by whose number from 1 items say what they are about (`keys`, QTFF "Metadata Item
/// Keys Atom").
package struct MetadataKeys {
  /// What an item is about, as it stands in the list.
  package struct Entry: Equatable {
    /// The entry whole: its size, the space of its name, and the name.
    fileprivate let bytes: Bytes
    /// What it says.
    package let identifier: MetadataIdentifier

    /// The entry of an identifier.
    package init(_ identifier: MetadataIdentifier) {
      var writer = ByteWriter()
      writer.atom(FourCC(identifier.space.rawValue) ?? "mdta") { entry in
        if let type = identifier.type { entry.write(type) } else { entry.write(utf8: identifier.key) }
      }
      self.init(Bytes(writer.bytes), identifier)
    }

    fileprivate init(_ bytes: Bytes, _ identifier: MetadataIdentifier) {
      (self.bytes, self.identifier) = (bytes, identifier)
    }
  }

  private let versionAndFlags: UInt32
  /// The keys in order.
  package var entries: [Entry] = []
  /// What follows the last key.
  package var trailingBytes = Bytes()

  /// No keys.
  package init() {
    versionAndFlags = 0
  }

  /// The keys of a payload; what does not parse ends the list.
  package init(payload: Bytes) {
    versionAndFlags = payload.load(at: 0, as: UInt32.self) ?? 0
    var rest = payload.dropFirst(8)  // The bytes that are there count more than what the count claims.
    while let size = rest.load(at: 0, as: UInt32.self), size >= 8, let bytes = rest.slice(at: 0, count: Int(size)) {
      entries.append(Entry(bytes, Self.identifier(of: bytes)))
      rest = rest.dropFirst(Int(size))
    }
    trailingBytes = rest
  }

  private static func identifier(of entry: Bytes) -> MetadataIdentifier {
    let space = entry.load(at: 4, as: UInt32.self).map { FourCC(rawValue: $0) } ?? "mdta"
    let name = entry.dropFirst(8)
    if space == "udta", name.count == 4, let type = name.load(at: 0, as: UInt32.self) {
      return MetadataIdentifier(.quickTimeUserData, FourCC(rawValue: type))
    }
    return MetadataIdentifier(
      MetadataIdentifier.Space(rawValue: space.description), key: String(decoding: name.array, as: UTF8.self))
  }

  /// What the keys say.
  package var identifiers: [MetadataIdentifier] { entries.map(\.identifier) }

  /// The `keys` atom.
  package var atom: [UInt8] {
    var writer = ByteWriter()
    writer.atom("keys") { keys in
      keys.write(versionAndFlags)
      keys.write(UInt32(clamping: entries.count))
      for entry in entries { keys.write(entry.bytes) }
      keys.write(trailingBytes)
    }
    return writer.bytes
  }
}

extension AtomTree {
  /// The keys of a `meta`; `nil` where it has none.
  package func keys(of meta: Int) -> MetadataKeys? {
    child(of: meta, "keys").map { MetadataKeys(payload: payload(of: $0)) }
  }
}
