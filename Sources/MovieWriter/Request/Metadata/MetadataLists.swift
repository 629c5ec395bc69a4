import MovieBox

extension AtomTree {
  /// The `meta` atoms that are about the movie or a track.
  func metas(of parent: Int) -> [Int] {
    let media = child(of: parent, "mdia").map { children(of: $0, "meta") } ?? []
    return children(of: parent, "meta") + media
      + children(of: parent, "udta").flatMap { children(of: $0, "meta") }
  }

  /// The list of keys that new items of QuickTime metadata extend, if it has items whose number no key has. Returns `nil`
  /// if any number of keys may be added.
  func fullKeyList(about parent: Int) -> FullKeyList? {
    guard let meta = metas(of: parent).first(where: { child(of: $0, "keys") != nil }),
      let keys = keys(of: meta)?.identifiers
    else { return nil }
    let numbers = children(of: meta, "ilst").flatMap { children(of: $0) }.map { Int(self[$0].type.rawValue) }
    return numbers.filter { $0 > keys.count }.min().map { FullKeyList(keys: Set(keys), room: $0 - keys.count - 1) }
  }

  /// Whether a `meta` contains ID3 frames.
  func holdsFrames(_ meta: Int) -> Bool {
    child(of: meta, "ID32") != nil || handlerType(in: meta) == "ID32"
  }
}

/// A list of keys with items that have no key, which an added key could name.
struct FullKeyList {
  /// The keys of the list.
  let keys: Set<MetadataIdentifier>
  /// The number of keys that may be added.
  let room: Int

  /// Whether an item may be added beside the items with these identifiers.
  func hasRoom(for identifier: MetadataIdentifier, beside others: Set<MetadataIdentifier>) -> Bool {
    keys.contains(identifier) || others.contains(identifier) || others.count < room
  }
}

/// The handlers of the kinds of `meta` that are written.
enum MetadataHandler: CaseIterable {
  /// QuickTime metadata (QTFF "Metadata Handler Atom").
  case quickTime
  /// iTunes metadata; without it no reader looks at the list.
  case iTunes
  /// Frames of ID3.
  case id3

  /// The `hdlr` atom, as QuickTime, iTunes and packagers write it.
  var atom: [UInt8] {
    switch self {
    case .quickTime: atom("mdta", nameByteCount: 2)
    case .iTunes: atom("mdir", manufacturer: "appl")
    case .id3: atom("ID32")
    }
  }

  /// No component type, and an empty name.
  private func atom(_ type: FourCC, manufacturer: FourCC? = nil, nameByteCount: Int = 1) -> [UInt8] {
    HandlerReference(
      componentType: FourCC(rawValue: 0), handlerType: type, manufacturer: manufacturer?.rawValue ?? 0,
      nameBytes: Bytes([UInt8](repeating: 0, count: nameByteCount))
    ).atom("hdlr")
  }
}
