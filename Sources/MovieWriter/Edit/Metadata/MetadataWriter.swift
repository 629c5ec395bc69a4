import MovieBox

/// Writes changed metadata items into the atoms that contain them. The bytes of all other atoms are unchanged.
///
/// Each vocabulary stores items differently. A `data` atom contains one value, a `©` atom several texts, and an `ID32`
/// or `Xtra` atom many frames or items. In other vocabularies, one item is the whole payload. Therefore, changes are
/// first grouped by atom, and each atom is then rewritten once.
struct MetadataWriter: ChangeWriter {
  let tree: AtomTree
  let items: [MetadataItem]
  let changes: MetadataEdits
  private let isISO: Bool
  private let removesChapters: Bool
  /// The `trak` atom of each kept track, by track ID.
  private let trackAtoms: [UInt32: Int]
  /// The texts to add to existing `©` atoms.
  private var addedTexts: [Int: [UserDataText.Entry]] = [:]
  /// The items to add to existing ID3 tags and `Xtra` atoms.
  var addedPackets: [Int: [NewMetadataItem]] = [:]

  init(_ edit: MovieEdit) {
    let metadata = edit.changes.metadata
    (tree, items, changes) = (metadata.movie.tree, metadata.index.items, metadata.edits)
    isISO = metadata.movie.dialect == .iso
    removesChapters = edit.removesChapters
    trackAtoms = Dictionary(edit.tracks.compactMap(\.old).map { ($0.id, $0.atom) }) { first, _ in first }
  }

  func write(into resolved: inout ResolvedEdit) {
    var writer = self
    resolved.newUserData = writer.write(into: &resolved.edits)
  }

  /// Writes the changes. Returns atoms of user data for tracks that have no `udta`, by track ID.
  private mutating func write(into edits: inout AtomEdits) -> [UInt32: [[UInt8]]] {
    var userData: [UInt32: [[UInt8]]] = [:]
    let addedByTrack = Dictionary(grouping: changes.added, by: \.trackID)
    for trackID in [nil] + trackAtoms.keys.sorted().map(Optional.some) {
      let added = addedByTrack[trackID] ?? []
      guard let parent = trackID.map({ trackAtoms[$0] }) ?? tree.root, !added.isEmpty else { continue }
      let atoms = add(added, to: parent, in: &edits)
      guard !atoms.isEmpty else { continue }
      if let udta = tree.child(of: parent, "udta") {
        // ffmpeg reads 3GPP's copyright as empty and uses the last copyright that it finds, so the iTunes list must be
        // the last.
        let meta = tree.child(of: udta, "meta")
        for atom in atoms {
          let isList = atom.dropFirst(4).starts(with: "meta".utf8)
          edits.insert(atom, into: udta, before: isList ? nil : meta)
        }
      } else if let trackID {
        userData[trackID] = atoms
      } else {
        let successor =
          isISO
          ? tree.successorOfNewUserData(
            tracksWithNewMetadata: Set(changes.tracksWithNewKeys.compactMap { trackAtoms[$0] }))
          : tree.children(of: parent, "meta").first(where: tree.containsPlainMetadata)
        edits.insert(Self.container("udta", of: atoms), into: parent, before: successor)
      }
    }
    if changes.addsHandlers {
      for meta in tree.metadataListsWithoutHandler {
        edits.insert(MetadataHandler.iTunes.atom, into: meta, before: tree.children(of: meta).first { _ in true })
      }
    }
    let changedContainers = Set(
      changes.changedIndices.filter { items[$0].trackID.map { trackAtoms[$0] != nil } ?? true })
    let atoms = Set(changedContainers.compactMap { items[$0].atomLocation.atom }).union(addedTexts.keys).union(
      addedPackets.keys)
    let numbers = Dictionary(grouping: items.indices) { items[$0].atomLocation.atom ?? -1 }
    for atom in atoms.sorted() { rewrite(atom, numbers[atom] ?? [], in: &edits) }
    removeEmptiedItems(holding: atoms, in: &edits)
    removeLostNames(in: &edits)
    if removesChapters, addedByTrack[nil] == nil { removeEmptiedUserData(in: &edits) }
    return userData
  }

  // MARK: - Changed items

  /// Rewrites or removes the atom that contains the items with these numbers.
  private func rewrite(_ atom: Int, _ numbers: [Int], in edits: inout AtomEdits) {
    let type = tree[atom].type
    func replace(_ payload: [UInt8]?) {
      if let payload { edits.replace(atom, with: Self.atom(type, payload)) } else { edits.remove(atom) }
    }
    let contents = numbers.map { changes.content(of: items[$0], at: $0) }
    if type == "data" {
      guard let content = contents.first ?? nil else { return edits.remove(atom) }
      edits.replace(atom, with: Self.data(content))
    } else if type.rawValue >> 24 == 0xA9 {
      replace(text(atom, contents))
    } else if type == "Xtra" || type == "ID32" {
      replace(packet(atom, numbers))
    } else {
      replace((contents.first ?? nil)?.bytes.array)
    }
  }

  /// Returns the new payload of a `©` atom, including added texts, or `nil` if no text remains.
  private func text(_ atom: Int, _ contents: [MetadataContent?]) -> [UInt8]? {
    guard var text = decodedText(atom) else {
      // A payload that cannot be decoded is replaced as a whole.
      return (contents.first ?? nil).map { content in
        content.localeCode.map { code in
          UserDataText(entries: [.init(language: UInt16(truncatingIfNeeded: code), text: content.bytes)]).payloadBytes
        } ?? content.bytes.array
      }
    }
    text.entries = zip(text.entries, contents).compactMap { old, content in
      content.map { .init(language: UInt16(truncatingIfNeeded: $0.localeCode ?? UInt32(old.language)), text: $0.bytes) }
    }
    text.entries += addedTexts[atom] ?? []
    return text.entries.isEmpty ? nil : text.payloadBytes
  }

  /// Returns the texts of an atom, or `nil` if the payload cannot be decoded.
  private func decodedText(_ atom: Int) -> UserDataText? {
    do throws(MovieError) {
      return try tree.decode(UserDataText.self, at: atom)
    } catch {
      return nil
    }
  }

  /// Removes items of lists if all their values are removed.
  ///
  /// - Parameter atoms: the atoms of changed values.
  private func removeEmptiedItems(holding atoms: Set<Int>, in edits: inout AtomEdits) {
    let removedAtoms = Set(changes.removed.compactMap { items[$0].atomLocation.atom }).intersection(atoms)
    for item in Set(removedAtoms.filter { tree[$0].type == "data" }.compactMap { tree[$0].parent }) {
      guard tree.children(of: item, "data").allSatisfy(removedAtoms.contains), !itemsGettingValues.contains(item) else {
        continue
      }
      edits.remove(item)
    }
  }

  /// Removes the `name` atom of an item if its new value has no name, such as the file name of a replaced picture.
  private func removeLostNames(in edits: inout AtomEdits) {
    for (number, new) in changes.replaced where items[number].typeCode != nil && new.content.details["name"] == nil {
      guard items[number].details["name"] != nil,
        let item = items[number].atomLocation.atom.flatMap({ tree[$0].parent })
      else {
        continue
      }
      for name in tree.children(of: item, "name") where !edits.isRemoved(name) { edits.remove(name) }
    }
  }

  /// Removes the movie's user data atom (`udta`) if it contained only a chapter list that the edit removes.
  private func removeEmptiedUserData(in edits: inout AtomEdits) {
    for udta in tree.children(of: tree.root, "udta") where tree.tail(of: udta).allSatisfy({ $0 == 0 }) {
      let children = tree.children(of: udta)
      let isEmptied = children.allSatisfy(edits.isRemoved)
      if isEmptied, children.contains(where: { tree[$0].type == "chpl" }) { edits.remove(udta) }
    }
  }

  // MARK: - Added items

  /// The list items to which a value is added.
  private var itemsGettingValues: Set<Int> = []

  /// Adds items to the lists of `parent`. Returns the atoms to add to its user data.
  private mutating func add(
    _ added: [NewMetadataItem], to parent: Int, in edits: inout AtomEdits
  ) -> [[UInt8]] {
    var userData: [[UInt8]] = []
    let isTyped: (NewMetadataItem) -> Bool = { $0.identifier.space.storesValueTypes }
    let isITunes: (NewMetadataItem) -> Bool = { [.iTunes, .iTunesLongForm].contains($0.identifier.space) }
    addKeyed(added.filter { isTyped($0) && !isITunes($0) }, to: parent, in: &edits)
    addFrames(added.filter { $0.identifier.space == .id3 }, to: parent, in: &edits)
    if let items = addWindowsItems(added.filter { $0.identifier.space == .windows }, to: parent) {
      userData.append(items)
    }
    var texts: [FourCC: [UserDataText.Entry]] = [:]
    for addition in added where !isTyped(addition) && ![.id3, .windows].contains(addition.identifier.space) {
      let type = addition.identifier.type
      if addition.identifier.space == .xmp {
        userData.append(Self.atom("XMP_", addition.content.bytes.array))
      } else if let type, let code = addition.content.localeCode {
        let entry = UserDataText.Entry(
          language: UInt16(truncatingIfNeeded: code), text: addition.content.bytes)
        if let old = tree.child(of: parent, "udta").flatMap({ tree.child(of: $0, type) }), decodedText(old) != nil {
          addedTexts[old, default: []].append(entry)
        } else {
          texts[type, default: []].append(entry)
        }
      } else if let type {
        userData.append(Self.atom(type, addition.content.bytes.array))
      }
    }
    for (type, entries) in texts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      userData.append(UserDataText(entries: entries).atom(type))
    }
    if let meta = addToITunes(added.filter(isITunes), in: parent, &edits) { userData.append(meta) }
    return userData
  }

  /// Adds QuickTime metadata items to the existing list, or in a new `meta` in the form that QuickTime writes.
  private func addKeyed(_ added: [NewMetadataItem], to parent: Int, in edits: inout AtomEdits) {
    guard !added.isEmpty else { return }
    let meta = tree.metas(of: parent).first { tree.child(of: $0, "keys") != nil }
    let oldKeys = meta.flatMap { tree.child(of: $0, "keys") }
    var keys = meta.flatMap { tree.keys(of: $0) } ?? MetadataKeys()
    let oldCount = keys.entries.count
    var keyIndices = Dictionary(zip(keys.identifiers, keys.entries.indices)) { first, _ in first }
    var values: [[UInt8]] = []
    for addition in added {
      let index = keyIndices[addition.identifier] ?? keys.entries.count
      if index == keys.entries.count {
        keys.entries.append(MetadataKeys.Entry(addition.identifier))
        keyIndices[addition.identifier] = index
      }
      values.append(Self.item(FourCC(rawValue: UInt32(index + 1)), addition))
    }
    if let meta, let oldKeys {
      if keys.entries.count > oldCount { edits.replace(oldKeys, with: keys.atom) }
      if let list = tree.child(of: meta, "ilst") {
        for value in values { edits.insert(value, into: list) }
      } else {
        edits.insert(Self.container("ilst", of: values), into: meta)
      }
      return
    }
    edits.insert(
      Self.container("meta", of: [MetadataHandler.quickTime.atom, keys.atom, Self.container("ilst", of: values)]),
      into: parent)
  }

  /// Returns whether a `meta` has the handler of iTunes lists.
  private func isITunesList(_ meta: Int) -> Bool { tree.handlerType(in: meta) == "mdir" }

  /// Adds iTunes items. If the movie has no iTunes list, returns a new `meta` for the user data, and otherwise `nil`.
  private mutating func addToITunes(
    _ added: [NewMetadataItem], in parent: Int, _ edits: inout AtomEdits
  ) -> [UInt8]? {
    guard !added.isEmpty else { return nil }
    let meta = tree.metas(of: parent).first { meta in
      tree.child(of: meta, "keys") == nil && (tree.child(of: meta, "ilst") != nil || isITunesList(meta))
    }
    let list = meta.flatMap { tree.child(of: $0, "ilst") }
    var firstItems: [MetadataIdentifier: Int] = [:]
    for item in list.map({ Array(tree.children(of: $0)) }) ?? [] {
      guard let identifier = MetadataReader.identifier(ofItem: item, in: tree, keys: nil) else { continue }
      // A `name` atom applies to all values of its item, so no value is added to an item with a `name` atom.
      if firstItems[identifier] == nil, identifier.space == .iTunesLongForm || tree.child(of: item, "name") == nil {
        firstItems[identifier] = item
      }
    }
    struct NamedItem: Hashable {
      let identifier: MetadataIdentifier
      let name: String?
    }
    var newItems: [(identifier: MetadataIdentifier, values: [NewMetadataItem])] = []
    var indices: [NamedItem: Int] = [:]
    for addition in added {
      let namedItem = NamedItem(identifier: addition.identifier, name: addition.content.details["name"])
      if namedItem.name == nil, let old = firstItems[addition.identifier] {
        itemsGettingValues.insert(old)
        edits.insert(Self.data(addition.content), into: old)
      } else if let index = indices[namedItem] {
        newItems[index].values.append(addition)
      } else {
        indices[namedItem] = newItems.count
        newItems.append((addition.identifier, [addition]))
      }
    }
    let atoms = newItems.map { identifier, values in Self.item(identifier.type ?? "----", values[0], values.dropFirst())
    }
    if let list {
      for atom in atoms { edits.insert(atom, into: list) }
      return nil
    }
    guard !atoms.isEmpty else { return nil }
    if let meta {
      edits.insert(Self.container("ilst", of: atoms), into: meta)
      return nil
    }
    var writer = ByteWriter()
    writer.atom("meta") { meta in
      meta.write(UInt32(0))
      meta.write(MetadataHandler.iTunes.atom)
      meta.write(Self.container("ilst", of: atoms))
    }
    return writer.bytes
  }

  // MARK: - Atoms

  static func atom(_ type: FourCC, _ payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom(type) { $0.write(payload) }
    return writer.bytes
  }

  private static func container(_ type: FourCC, of atoms: [[UInt8]]) -> [UInt8] {
    atom(type, Array(atoms.joined()))
  }

  /// Returns a value of a list item (QTFF "Data Atom").
  private static func data(_ content: MetadataContent) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom("data") { data in
      data.write(content.typeCode ?? 0)
      data.write(content.localeCode ?? 0)
      data.write(content.bytes)
    }
    return writer.bytes
  }

  /// Returns a list item with its values.
  private static func item(
    _ type: FourCC, _ first: NewMetadataItem, _ others: ArraySlice<NewMetadataItem> = []
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom(type) { item in
      if type == "----", let (mean, name) = first.identifier.meanAndName {
        for (type, text) in [("mean", mean), ("name", name)] as [(FourCC, Substring)] {
          item.write(atom(type, [0, 0, 0, 0] + Array(text.utf8)))
        }
      } else if let name = first.content.details["name"] {
        item.write(atom("name", [0, 0, 0, 0] + Array(name.utf8)))
      }
      for value in [first] + others { item.write(data(value.content)) }
    }
    return writer.bytes
  }
}

extension MetadataIdentifier {
  /// The contents of the `mean` and `name` atoms of an iTunes long-form item, such as `com.apple.iTunes` and
  /// `iTunNORM`.
  ///
  /// The key joins the two contents with a point. A key that begins with `com.apple.iTunes.` is split after that
  /// prefix. Any other key is split at its last point, because names rarely contain a point.
  fileprivate var meanAndName: (mean: Substring, name: Substring)? {
    guard space == .iTunesLongForm else { return nil }
    let apple = "com.apple.iTunes."
    if key.hasPrefix(apple) { return (key.dropLast(key.count - apple.count + 1), key.dropFirst(apple.count)) }
    guard let point = key.lastIndex(of: ".") else { return (key[key.startIndex..<key.startIndex], key[...]) }
    return (key[..<point], key[key.index(after: point)...])
  }
}
