import MovieBox

/// Writes the changes of metadata into the atoms that contain it. All other atoms keep their bytes.
struct MetadataWriter: ChangeWriter {
  let tree: AtomTree
  let items: [MetadataItem]
  let changes: MetadataEdits
  private let isISO: Bool
  /// The atom of each kept track.
  private let tracks: [UInt32: Int]
  /// The texts that are added to atoms with texts.
  private var addedTexts: [Int: [UserDataText.Entry]] = [:]
  /// The items that are added to ID3 tags and Windows lists.
  var addedPackets: [Int: [NewMetadataItem]] = [:]

  init(_ edit: MovieEdit) {
    let metadata = edit.changes.metadata
    (tree, items, changes) = (metadata.movie.tree, metadata.index.items, metadata.edits)
    isISO = metadata.movie.dialect == .iso
    tracks = Dictionary(edit.tracks.compactMap(\.old).map { ($0.id, $0.atom) }) { first, _ in first }
  }

  func write(into resolved: inout ResolvedEdit) {
    var writer = self
    resolved.newUserData = writer.write(into: &resolved.edits)
  }

  /// Writes the changes, and returns the user data for tracks without any.
  private mutating func write(into edits: inout AtomEdits) -> [UInt32: [[UInt8]]] {
    var userData: [UInt32: [[UInt8]]] = [:]
    let addedByTrack = Dictionary(grouping: changes.added, by: \.trackID)
    for trackID in [nil] + tracks.keys.sorted().map(Optional.some) {
      let added = addedByTrack[trackID] ?? []
      guard let parent = trackID.map({ tracks[$0] }) ?? tree.root, !added.isEmpty else { continue }
      let atoms = add(added, to: parent, in: &edits)
      guard !atoms.isEmpty else { continue }
      if let udta = tree.child(of: parent, "udta") {
        // ffmpeg takes 3GPP's copyright for an empty one, and of several the last: that is iTunes' then.
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
          ? tree.successorOfNewUserData(besideNewMetadataOf: Set(changes.tracksWithNewKeys.compactMap { tracks[$0] }))
          : tree.children(of: parent, "meta").first(where: tree.containsPlainMetadata)
        edits.insert(Self.container("udta", of: atoms), into: parent, before: successor)
      }
    }
    if changes.addsHandlers {
      for meta in tree.listsWithoutHandler {
        edits.insert(MetadataHandler.iTunes.atom, into: meta, before: tree.children(of: meta).first { _ in true })
      }
    }
    let changed = Set(changes.changedNumbers.filter { items[$0].trackID.map { tracks[$0] != nil } ?? true })
    let atoms = Set(changed.compactMap { items[$0].place.atom }).union(addedTexts.keys).union(addedPackets.keys)
    let numbers = Dictionary(grouping: items.indices) { items[$0].place.atom ?? -1 }
    for atom in atoms.sorted() { rewrite(atom, numbers[atom] ?? [], in: &edits) }
    removeEmptiedItems(holding: atoms, in: &edits)
    removeLostNames(in: &edits)
    return userData
  }

  // MARK: - Items that change

  /// Writes an atom again that holds the items of these numbers.
  private func rewrite(_ atom: Int, _ numbers: [Int], in edits: inout AtomEdits) {
    let type = tree[atom].type
    func replace(_ payload: [UInt8]?) {
      if let payload { edits.replace(atom, with: Self.atom(type, payload)) } else { edits.remove(atom) }
    }
    let contents = numbers.map { changes.content(of: items[$0], number: $0) }
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

  /// The texts of an atom, with those that come; `nil` where none is left.
  private func text(_ atom: Int, _ contents: [MetadataContent?]) -> [UInt8]? {
    guard var text = decodedText(atom) else {
      // One that does not parse is replaced whole.
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

  /// The texts of an atom; `nil` for one that is something else.
  private func decodedText(_ atom: Int) -> UserDataText? {
    do throws(MovieError) {
      return try tree.decode(UserDataText.self, at: atom)
    } catch {
      return nil
    }
  }

  /// Takes out items of lists whose values have all gone.
  private func removeEmptiedItems(holding atoms: Set<Int>, in edits: inout AtomEdits) {
    let gone = Set(changes.removed.compactMap { items[$0].place.atom }).intersection(atoms)
    for item in Set(gone.filter { tree[$0].type == "data" }.compactMap { tree[$0].parent }) {
      guard tree.children(of: item, "data").allSatisfy(gone.contains), !itemsGettingValues.contains(item) else {
        continue
      }
      edits.remove(item)
    }
  }

  /// Takes the names out of items whose values have none any more: that of a picture's file goes with the picture.
  private func removeLostNames(in edits: inout AtomEdits) {
    for (number, new) in changes.replaced where items[number].typeCode != nil && new.content.details["name"] == nil {
      guard items[number].details["name"] != nil, let item = items[number].place.atom.flatMap({ tree[$0].parent })
      else {
        continue
      }
      for name in tree.children(of: item, "name") where !edits.isRemoved(name) { edits.remove(name) }
    }
  }

  // MARK: - Items that come

  /// The items of lists that get another value.
  private var itemsGettingValues: Set<Int> = []

  /// Adds items to lists; gives the atoms that come into the user data of `parent`.
  private mutating func add(
    _ added: [NewMetadataItem], to parent: Int, in edits: inout AtomEdits
  ) -> [[UInt8]] {
    var userData: [[UInt8]] = []
    let isTyped: (NewMetadataItem) -> Bool = { $0.identifier.space.hasTypedItems }
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

  /// Adds items of QuickTime metadata: to the list that is there, else in a `meta` of the form that QuickTime writes.
  private func addKeyed(_ added: [NewMetadataItem], to parent: Int, in edits: inout AtomEdits) {
    guard !added.isEmpty else { return }
    let meta = tree.metas(of: parent).first { tree.child(of: $0, "keys") != nil }
    let oldKeys = meta.flatMap { tree.child(of: $0, "keys") }
    var keys = meta.flatMap { tree.keys(of: $0) } ?? MetadataKeys()
    let oldCount = keys.entries.count
    var places = Dictionary(zip(keys.identifiers, keys.entries.indices)) { first, _ in first }
    var values: [[UInt8]] = []
    for addition in added {
      let index = places[addition.identifier] ?? keys.entries.count
      if index == keys.entries.count {
        keys.entries.append(MetadataKeys.Entry(addition.identifier))
        places[addition.identifier] = index
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

  /// Whether a `meta` has the handler of iTunes' lists.
  private func isOfITunes(_ meta: Int) -> Bool { tree.handlerType(in: meta) == "mdir" }

  /// Adds items of iTunes'. Gives the `meta` that comes into the user data, where there is no list yet.
  private mutating func addToITunes(
    _ added: [NewMetadataItem], in parent: Int, _ edits: inout AtomEdits
  ) -> [UInt8]? {
    guard !added.isEmpty else { return nil }
    let meta = tree.metas(of: parent).first { meta in
      tree.child(of: meta, "keys") == nil && (tree.child(of: meta, "ilst") != nil || isOfITunes(meta))
    }
    let list = meta.flatMap { tree.child(of: $0, "ilst") }
    var known: [MetadataIdentifier: Int] = [:]
    for item in list.map({ Array(tree.children(of: $0)) }) ?? [] {
      guard let identifier = MetadataReader.identifier(ofItem: item, in: tree, keys: nil) else { continue }
      // What has a name of its own says it of all its values.
      if known[identifier] == nil, identifier.space == .iTunesLongForm || tree.child(of: item, "name") == nil {
        known[identifier] = item
      }
    }
    struct Named: Hashable {
      let identifier: MetadataIdentifier
      let name: String?
    }
    var new: [(identifier: MetadataIdentifier, values: [NewMetadataItem])] = []
    var places: [Named: Int] = [:]
    for addition in added {
      let place = Named(identifier: addition.identifier, name: addition.content.details["name"])
      if place.name == nil, let old = known[addition.identifier] {
        itemsGettingValues.insert(old)
        edits.insert(Self.data(addition.content), into: old)
      } else if let index = places[place] {
        new[index].values.append(addition)
      } else {
        places[place] = new.count
        new.append((addition.identifier, [addition]))
      }
    }
    let atoms = new.map { identifier, values in Self.item(identifier.type ?? "----", values[0], values.dropFirst()) }
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

  /// The value of an item of a list (QTFF "Data Atom").
  private static func data(_ content: MetadataContent) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom("data") { data in
      data.write(content.typeCode ?? 0)
      data.write(content.localeCode ?? 0)
      data.write(content.bytes)
    }
    return writer.bytes
  }

  /// An item of a list, with all its values.
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
  /// The two names of an item of iTunes' with a name of its own: `com.apple.iTunes` and `iTunNORM`. The first has points
  /// in it, the second mostly none.
  fileprivate var meanAndName: (mean: Substring, name: Substring)? {
    guard space == .iTunesLongForm else { return nil }
    let apple = "com.apple.iTunes."
    if key.hasPrefix(apple) { return (key.dropLast(key.count - apple.count + 1), key.dropFirst(apple.count)) }
    guard let point = key.lastIndex(of: ".") else { return (key[key.startIndex..<key.startIndex], key[...]) }
    return (key[..<point], key[key.index(after: point)...])
  }
}
