import MovieBox

// An ID3 tag (`ID32`) or the list of Windows items (`Xtra`) stores many items in one atom. The atom is rewritten, but
// the bytes of unchanged items are kept.
extension MetadataWriter {
  /// Adds frames to the ID3 tag in their language, or to a new tag if there is no such tag.
  mutating func addFrames(_ added: [NewMetadataItem], to parent: Int, in edits: inout AtomEdits) {
    let metas = tree.metas(of: parent)
    let tags = metas.flatMap { tree.children(of: $0, "ID32") }
    var newFrames: [UInt16: [ID3Tag.NewFrame]] = [:]
    for addition in added {
      guard let type = addition.identifier.type else { continue }
      let storesLanguage = ID3Tag.storesLanguage(type)
      let tag = tags.first { tag in
        let payload = tree.payload(of: tag)
        return ID3Tag(payload.dropFirst(6))?.isPlain == true
          && (storesLanguage || ID3Tag.language(ofAtom: payload) == addition.language)
      }
      if let tag {
        addedPackets[tag, default: []].append(addition)
      } else {
        let code =
          addition.language.flatMap { storesLanguage ? nil : LanguageCode.packed(for: $0) } ?? LanguageCode.undetermined
        newFrames[code, default: []].append((type, addition.content.bytes))
      }
    }
    let atoms = newFrames.sorted { $0.key < $1.key }.map { code, frames in
      var writer = ByteWriter()
      writer.atom("ID32") { atom in
        atom.write(UInt32(0))
        atom.write(code)
        atom.write(ID3Tag.tag(of: frames))
      }
      return writer.bytes
    }
    guard !atoms.isEmpty else { return }
    if let meta = metas.first(where: { tree.containsID3Frames($0) }) {
      for atom in atoms { edits.insert(atom, into: meta) }
    } else {
      var writer = ByteWriter()
      writer.atom("meta") { meta in
        meta.write(UInt32(0))
        meta.write(MetadataHandler.id3.atom)
        for atom in atoms { meta.write(atom) }
      }
      edits.insert(writer.bytes, into: parent)
    }
  }

  /// Adds items to the movie's `Xtra` atom. If the movie has no such atom, returns a new atom for the user data, and
  /// otherwise `nil`.
  mutating func addWindowsItems(_ added: [NewMetadataItem], to parent: Int) -> [UInt8]? {
    guard !added.isEmpty else { return nil }
    let old = tree.children(of: parent, "udta").flatMap { tree.children(of: $0, "Xtra") }
      .first { WindowsMetadata(tree.payload(of: $0)).isComplete }
    if let old {
      addedPackets[old, default: []] += added
      return nil
    }
    let newItems = added.map { ($0.identifier.key, $0.content) }
    return WindowsMetadata(Bytes()).changing([], adding: newItems).map { Self.atom("Xtra", $0) }
  }

  /// Returns the new payload of an ID3 tag or `Xtra` atom, including added items, or `nil` if no item remains.
  func packet(_ atom: Int, _ numbers: [Int]) -> [UInt8]? {
    let payload = tree.payload(of: atom)
    let addedBytes = addedPackets[atom] ?? []
    let contents = numbers.map { changes.content(of: items[$0], at: $0) }
    guard tree[atom].type == "ID32" else {
      return WindowsMetadata(payload).changing(contents, adding: addedBytes.map { ($0.identifier.key, $0.content) })
    }
    let frames = zip(numbers, contents).map { number, content -> ID3Tag.FrameChange in
      guard let content else { return .removed }
      return content == MetadataContent(items[number]) ? .kept : .replaced(content.bytes)
    }
    let new = addedBytes.compactMap { item in item.identifier.type.map { ($0, item.content.bytes) } }
    return ID3Tag.changing(frames, adding: new, in: payload.dropFirst(6)).map { payload.prefix(6) + $0 }
  }
}
