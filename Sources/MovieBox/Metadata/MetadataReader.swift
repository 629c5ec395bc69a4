/// Reads metadata from atoms in file order.
///
/// Many programs write metadata, and some of it is invalid. If an item cannot be decoded, its value is its raw bytes.
/// An item that is too short for a value is skipped.
package struct MetadataReader: Sendable {
  private let tree: AtomTree
  private let isQuickTime: Bool
  /// The track that the atoms describe, or `nil` for the movie.
  private var trackID: UInt32?
  private let isInMovieAtom: Bool
  private(set) var items: [MetadataItem] = []
  /// The ID3 and Windows atoms with bytes that the parser does not understand. Their items cannot be changed.
  private(set) var uneditableAtoms: Set<Int> = []

  /// Creates a reader for the atoms of a movie or a track, or for an atom outside the movie atom.
  init(_ tree: AtomTree, isQuickTime: Bool, trackID: UInt32? = nil, isInMovieAtom: Bool = true) {
    self.tree = tree
    self.isQuickTime = isQuickTime
    self.trackID = trackID
    self.isInMovieAtom = isInMovieAtom
  }

  init(readingAllOf movie: Movie) {
    self.init(movie.tree, isQuickTime: movie.isQuickTime)
    read(in: tree.root)
    for track in movie.tracks {
      trackID = track.id
      read(in: track.atom)
      if let media = tree.child(of: track.atom, "mdia") { read(in: media) }
    }
    Self.didReadMovie?()
  }

  /// A function that is called after each reading of a movie's metadata, so that tests can count the readings.
  @TaskLocal static var didReadMovie: (@Sendable () -> Void)?

  /// Reads the metadata directly inside an atom: its `meta` child and its user data.
  mutating func read(in parent: Int) {
    for child in tree.children(of: parent) {
      switch tree[child].type {
      case "meta": readMeta(child)
      case "udta": readUserData(child)
      default: break
      }
    }
  }

  private func atomLocation(of index: Int, number: Int = 0) -> MetadataItem.AtomLocation {
    MetadataItem.AtomLocation(
      trackID: trackID, path: tree.path(of: index), offset: tree.range(of: index).offset,
      atom: isInMovieAtom ? index : nil, number: number)
  }

  // MARK: - meta

  /// Reads a `meta` atom. It contains QuickTime metadata if it has keys, or iTunes metadata otherwise. Also reads its
  /// ID3 tags.
  mutating func readMeta(_ meta: Int) {
    let keys = tree.keys(of: meta)?.identifiers
    for child in tree.children(of: meta) {
      switch tree[child].type {
      case "ilst": for item in tree.children(of: child) { read(item, keys) }
      case "ID32": readID3(child)
      case "xml ", "bxml": if !isInMovieAtom { readXML(child, handler: tree.handlerType(in: meta)) }
      default: break
      }
    }
  }

  /// Reads a top-level XML document. The document of a camera yields its properties, and any other document becomes a
  /// single item.
  private mutating func readXML(_ atom: Int, handler: FourCC?) {
    let bytes = tree.payload(of: atom)
    if handler == "nrtm", let document = CameraXML(bytes) {
      for (number, fact) in document.properties.enumerated() {
        items.append(
          MetadataItem(
            MetadataIdentifier(.sonyXML, key: fact.key), .text(fact.text), Bytes(Array(fact.text.utf8)),
            at: atomLocation(of: atom, number: number)))
      }
    } else {
      let key = handler.flatMap { $0.rawValue == 0 ? nil : $0.description } ?? "meta"
      items.append(MetadataItem(MetadataIdentifier(.xml, key: key), .data(bytes), bytes, at: atomLocation(of: atom)))
    }
  }

  /// Returns the identifiers of the items in `ilst` atoms, by the index of the item's atom. Omits items whose number
  /// has no key.
  package static func identifiers(in tree: AtomTree) -> [Int: MetadataIdentifier] {
    var identifiers: [Int: MetadataIdentifier] = [:]
    // A `meta` atom may contain many lists, so decode its keys only once.
    var (last, keys): (Int?, [MetadataIdentifier]?) = (nil, nil)
    for list in tree.root..<tree[tree.root].subtreeEnd where tree[list].type == "ilst" {
      guard let meta = tree[list].parent, tree[meta].type == "meta" else { continue }
      if meta != last { (last, keys) = (meta, tree.keys(of: meta)?.identifiers) }
      for item in tree.children(of: list) { identifiers[item] = identifier(ofItem: item, in: tree, keys: keys) }
    }
    return identifiers
  }

  /// Returns the identifier of an item in `ilst`, or `nil` if its number has no key.
  package static func identifier(
    ofItem item: Int, in tree: AtomTree, keys: [MetadataIdentifier]?
  ) -> MetadataIdentifier? {
    let type = tree[item].type
    if let keys {
      guard let index = Int(exactly: type.rawValue), index > 0, index <= keys.count else { return nil }
      return keys[index - 1]
    }
    guard type == "----" else { return MetadataIdentifier(.iTunes, type) }
    return MetadataIdentifier(
      .iTunesLongForm, key: text(of: "mean", ofItem: item, in: tree) + "." + text(of: "name", ofItem: item, in: tree))
  }

  private static func text(of type: FourCC, ofItem item: Int, in tree: AtomTree) -> String {
    tree.children(of: item, type).last
      .map { String(decoding: tree.payload(of: $0).dropFirst(4).array, as: UTF8.self) } ?? ""
  }

  /// Reads an item in `ilst`. Each of its values becomes an item.
  private mutating func read(_ item: Int, _ keys: [MetadataIdentifier]?) {
    guard let identifier = Self.identifier(ofItem: item, in: tree, keys: keys) else { return }
    if tree[item].type == "----", tree.child(of: item, "data") == nil {
      // List an item that has a name but no value, so that edits can remove it. They cannot change it.
      uneditableAtoms.insert(item)
      return items.append(MetadataItem(identifier, .data(Bytes()), Bytes(), at: atomLocation(of: item)))
    }
    let name = identifier.space == .iTunesLongForm ? "" : Self.text(of: "name", ofItem: item, in: tree)
    let details = name.isEmpty ? [:] : ["name": name]
    for data in tree.children(of: item, "data") {
      let payload = tree.payload(of: data)
      guard let code = payload.load(at: 0, as: UInt32.self), let country = payload.load(at: 4, as: UInt16.self),
        let language = payload.load(at: 6, as: UInt16.self)
      else { continue }
      let bytes = payload.dropFirst(8)
      items.append(
        MetadataItem(
          identifier, Self.value(bytes, typeCode: code, of: identifier), typeCode: code, bytes,
          language: Self.language(language, country: country),
          localeCode: UInt32(country) << 16 | UInt32(language), details: details, at: atomLocation(of: data)))
    }
  }

  static func value(_ bytes: Bytes, typeCode: UInt32, of identifier: MetadataIdentifier) -> MetadataValue {
    guard typeCode == 0, identifier.space == .iTunes else { return MetadataValue(bytes, typeCode: typeCode) }
    switch identifier.type {
    case "trkn", "disk":
      guard let number = bytes.load(at: 2, as: UInt16.self), let count = bytes.load(at: 4, as: UInt16.self) else {
        break
      }
      return .part(number, of: count)
    case "gnre": return bytes.load(at: 0, as: UInt16.self).map { .unsignedInteger(UInt64($0)) } ?? .data(bytes)
    // Some writers omit the type of items whose name begins with `©`, so read these items as text.
    case let type? where type.rawValue >> 24 == 0xA9: return MetadataValue(bytes, typeCode: 1)
    default: break
    }
    return .data(bytes)
  }

  /// Returns the language of a locale (QTFF "Data Atom"). A country without a language is ignored. Small codes are
  /// ignored too: they are indices into lists of locales, which no known writer creates.
  private static func language(_ code: UInt16, country: UInt16) -> LanguageTag? {
    guard code > 0xFF, let language = MediaLanguage.resolve(mediaHeaderCode: code, extendedTag: nil) else { return nil }
    let letters = [UInt8(country >> 8), UInt8(country & 0xFF)]
    guard letters.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else { return language }
    return LanguageTag(language.description + "-" + String(decoding: letters, as: UTF8.self)) ?? language
  }

  // MARK: - User data

  /// Atoms with their own structure, or with data other than metadata.
  private static let structuralTypes: Set<FourCC> = ["hnti", "hinf", "ludt", "strk"]

  private mutating func readUserData(_ udta: Int) {
    for child in tree.children(of: udta) {
      let type = tree[child].type
      switch type {
      case "meta": readMeta(child)
      case "free", "skip": break
      case "XMP_":
        let bytes = tree.payload(of: child)
        items.append(
          MetadataItem(
            MetadataIdentifier(.xmp, key: "packet"), MetadataValue(bytes, typeCode: 1), bytes,
            at: atomLocation(of: child)))
      case "Xtra": readXtra(child)
      case let type where Self.structuralTypes.contains(type): break
      case let type where type.rawValue >> 24 == 0xA9: readInternationalText(child)
      default: readOtherItem(child)
      }
    }
  }

  private mutating func readInternationalText(_ item: Int) {
    let identifier = MetadataIdentifier(.quickTimeUserData, tree[item].type)
    do throws(MovieError) {
      for (number, entry) in try tree.decode(UserDataText.self, at: item).entries.enumerated() {
        items.append(
          MetadataItem(
            identifier, .text(entry.string), entry.text,
            language: MediaLanguage.resolve(mediaHeaderCode: entry.language, extendedTag: nil),
            localeCode: UInt32(entry.language), at: atomLocation(of: item, number: number)))
      }
    } catch {
      let bytes = tree.payload(of: item)
      items.append(MetadataItem(identifier, .data(bytes), bytes, at: atomLocation(of: item)))
    }
  }

  /// Reads an item whose type does not begin with `©`. If its bytes match a format of 3GPP or Apple, they are
  /// decoded. Otherwise, the value is the raw bytes.
  private mutating func readOtherItem(_ item: Int) {
    let type = tree[item].type
    let bytes = tree.payload(of: item)
    let decodedItem = ISOUserDataItem(type, bytes)
    // QuickTime movies that were converted from other file types still contain 3GPP items, so decode these items too.
    let isISOItem = !isQuickTime || decodedItem != nil && ISOUserDataItem.isoOnlyTypes.contains(type)
    items.append(
      MetadataItem(
        MetadataIdentifier(isISOItem ? .isoUserData : .quickTimeUserData, type), decodedItem?.value ?? .data(bytes),
        bytes,
        language: decodedItem?.language,
        details: decodedItem?.details ?? [:],
        at: atomLocation(of: item)))
  }

  private mutating func readXtra(_ xtra: Int) {
    let list = WindowsMetadata(tree.payload(of: xtra))
    if !list.isComplete { uneditableAtoms.insert(xtra) }
    for (number, value) in list.values.enumerated() {
      items.append(
        MetadataItem(
          MetadataIdentifier(.windows, key: value.name), WindowsMetadata.value(value.bytes, type: value.type),
          value.bytes,
          details: ["type": String(value.type)], at: atomLocation(of: xtra, number: number)))
    }
  }

  // MARK: - ID3

  private mutating func readID3(_ atom: Int) {
    let payload = tree.payload(of: atom)
    let language = ID3Tag.language(ofAtom: payload)
    let tag = ID3Tag(payload.dropFirst(6))
    if tag?.isPlain != true { uneditableAtoms.insert(atom) }
    for (number, frame) in (tag?.frames ?? []).enumerated() {
      items.append(
        MetadataItem(
          MetadataIdentifier(.id3, frame.type), frame.value, frame.bytes, language: frame.language ?? language,
          details: frame.details, at: atomLocation(of: atom, number: number)))
    }
  }
}
