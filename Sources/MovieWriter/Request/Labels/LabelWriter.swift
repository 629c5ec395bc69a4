import MovieBox

/// Writes what changed of a track's labels into its `trak` atom; all else stays as it is.
struct LabelWriter {
  let track: Track
  let tree: AtomTree
  let labels: TrackLabels
  /// The dialect of the movie that the atom is written to.
  let dialect: Dialect
  private let old: TrackLabels
  /// The media header, with the dates that the edit sets.
  private let mediaHeader: MediaHeader

  init(
    _ labels: TrackLabels, of track: Track, _ mediaHeader: MediaHeader? = nil, in tree: AtomTree, _ dialect: Dialect
  ) {
    self.mediaHeader = mediaHeader ?? track.mediaHeader
    self.track = track
    self.tree = tree
    self.labels = labels
    self.dialect = dialect
    old = TrackLabels(track)
  }

  /// Writes the changes, and `userData` with them.
  func write(into changes: inout AtomEdits, _ userData: [[UInt8]] = []) {
    writeLanguage(into: &changes)
    writeUserData(into: &changes, userData)
    writeExclusion(into: &changes)
    writeForced(into: &changes)
  }

  /// What holds a track's title; see ``Track/title``.
  private static let titleTypes: [FourCC] = EncodedTrack.titleTypes + ["©nam"]

  /// Whether the track has its title in every atom that is written for one.
  var hasWholeTitle: Bool {
    let items = userDataItems.filter { Self.titleTypes.contains(tree[$0].type) }
    let atoms = titleAtoms
    return items.count == atoms.count && items.allSatisfy { tree.bytes(of: $0).array == atoms[tree[$0].type] }
  }

  private func writeLanguage(into changes: inout AtomEdits) {
    guard labels.language != old.language || labels.rewritesLanguage, let mdia = tree.child(of: track.atom, "mdia"),
      let mdhd = tree.child(of: mdia, "mdhd")
    else { return }
    var header = mediaHeader
    header.languageCode = labels.languageCode
    changes.replace(mdhd, with: header.atom("mdhd"))
    let elngs = tree.children(of: mdia, "elng")
    // A tag of the same language that only had to be rewritten stays, though the code may say as much.
    let keepsTag = labels.language == old.language && !elngs.isEmpty
    let tag = labels.language.flatMap { $0.needsExtendedTag || keepsTag ? ExtendedLanguage(tag: $0.description) : nil }
    if let added = replace(elngs, by: tag?.atom("elng"), in: &changes) {
      changes.insert(added, into: mdia, before: successor(of: "mdhd", in: mdia))
    }
  }

  // MARK: - User data

  private var userDataItems: [Int] {
    tree.children(of: track.atom, "udta").flatMap { Array(tree.children(of: $0)) }
  }

  /// All atoms with the title: the one of classic QuickTime only where the track has it.
  private var titleAtoms: [FourCC: [UInt8]] {
    guard let title = labels.title else { return [:] }
    var atoms = EncodedTrack.titleAtoms(title, labels.languageCode, dialect)
    let text = Bytes(Array(title.utf8))
    if text.count <= Int(UInt16.max), userDataItems.contains(where: { tree[$0].type == "©nam" }) {
      atoms["©nam"] = UserDataText(entries: [.init(language: labels.languageCode, text: text)]).atom("©nam")
    }
    return atoms
  }

  private func writeUserData(into changes: inout AtomEdits, _ userData: [[UInt8]]) {
    let items = userDataItems
    var added = userData
    if labels.title != old.title || labels.completesTitle {
      let atoms = titleAtoms
      for type in Self.titleTypes {
        let old = items.filter { tree[$0].type == type }
        guard let atom = replace(old, by: atoms[type], in: &changes) else { continue }
        if type == "titl", let name = items.first(where: { tree[$0].type == "name" }), let udta = tree[name].parent {
          changes.insert(atom, into: udta, before: name)
        } else {
          added.append(atom)
        }
      }
    }
    if labels.characteristics != old.characteristics || labels.rewritesTags {
      for item in items where tree[item].type == "tagc" {
        guard let tag = decoded(TaggedCharacteristic.self, item) else { continue }
        if !labels.characteristics.contains(MediaCharacteristic(rawValue: tag.value)) {
          changes.remove(item)
        } else if labels.rewritesTags, tag.hasTrailingNUL {
          changes.replace(item, with: TaggedCharacteristic(tag.value).atom("tagc"))
        }
      }
      added += labels.characteristics.filter { !old.characteristics.contains($0) }
        .map { TaggedCharacteristic($0.rawValue).atom("tagc") }
    }
    if labels.roles != old.roles {
      let gone = old.roles.subtracting(labels.roles)
      for item in items where tree[item].type == "kind" {
        guard let kind = decoded(TrackKind.self, item), kind.schemeURI == TrackKind.roleScheme else { continue }
        if gone.contains(kind.value) { changes.remove(item) }
      }
      added += labels.roles.subtracting(old.roles).sorted()
        .map { TrackKind(schemeURI: TrackKind.roleScheme, value: $0).atom("kind") }
    }
    guard !added.isEmpty else { return }
    if let udta = tree.child(of: track.atom, "udta") {
      for item in added { changes.insert(item, into: udta) }
    } else {
      var writer = ByteWriter()
      writer.atom("udta") { udta in for item in added { udta.write(item) } }
      changes.insert(writer.bytes, into: track.atom)
    }
  }

  /// An item of user data; `nil` for one that does not parse, which is left untouched.
  private func decoded<Payload: AtomPayload>(_ type: Payload.Type, _ item: Int) -> Payload? {
    do throws(MovieError) {
      return try tree.decode(type, at: item)
    } catch {
      return nil
    }
  }

  // MARK: - Choice

  private func writeExclusion(into changes: inout AtomEdits) {
    guard labels.isExcludedFromAutomaticSelection != old.isExcludedFromAutomaticSelection else { return }
    if labels.isExcludedFromAutomaticSelection {
      changes.insert(Self.exclusion, into: track.atom, before: successor(of: "tkhd", in: track.atom))
    } else {
      for txas in tree.children(of: track.atom, "txas") { changes.remove(txas) }
    }
  }

  /// A `txas`, which is empty.
  static var exclusion: [UInt8] {
    var writer = ByteWriter()
    writer.atom("txas") { _ in }
    return writer.bytes
  }

  /// QTFF "Subtitle Sample Description": both bits for a track of forced samples only, neither for a full one.
  private func writeForced(into changes: inout AtomEdits) {
    guard labels.containsOnlyForcedSubtitles != old.containsOnlyForcedSubtitles,
      let stsd = tree.descendant(of: track.atom, "mdia", "minf", "stbl", "stsd")
    else { return }
    var descriptions = track.sampleDescriptions
    for (index, entry) in descriptions.entries.enumerated() where entry.holdsTimedText {
      guard let word = entry.body.load(at: 0, as: UInt32.self) else { continue }
      let flags = Tx3gDisplayFlags(rawValue: word)
      var writer = ByteWriter()
      writer.write(
        (labels.containsOnlyForcedSubtitles ? flags.union(.forcedOnly) : flags.subtracting(.forcedOnly)).rawValue)
      writer.write(entry.body.dropFirst(4))
      descriptions.entries[index].body = Bytes(writer.bytes)
    }
    changes.replace(stsd, with: descriptions.atom("stsd"))
  }

  /// Puts an atom in the place of the first of its kind, and takes the others out; gives it back where there was none.
  private func replace(_ old: [Int], by atom: [UInt8]?, in changes: inout AtomEdits) -> [UInt8]? {
    for surplus in old.dropFirst() { changes.remove(surplus) }
    guard let first = old.first else { return atom }
    if let atom { changes.replace(first, with: atom) } else { changes.remove(first) }
    return nil
  }

  /// The atom after the first of a type.
  private func successor(of type: FourCC, in parent: Int) -> Int? {
    guard let first = tree.child(of: parent, type) else { return nil }
    return tree.children(of: parent).first { $0 > first }
  }
}
