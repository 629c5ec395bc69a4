import MovieBox

/// Writes the labels and media header dates of kept tracks, and the user data that other writers add to these tracks.
struct LabelsWriter: ChangeWriter {
  private let edit: MovieEdit

  init(_ edit: MovieEdit) {
    self.edit = edit
  }

  func write(into resolved: inout ResolvedEdit) {
    let (movie, dates) = (edit.movie, edit.headerDateChange)
    for track in edit.tracks {
      guard let old = track.old else { continue }
      var mediaHeader = old.mediaHeader
      dates?.apply(to: &mediaHeader)
      if mediaHeader != old.mediaHeader, let mdhd = movie.tree.descendant(of: old.atom, "mdia", "mdhd") {
        resolved.edits.replace(mdhd, with: mediaHeader.atom("mdhd"))
      }
      let userData = resolved.newUserData[old.id] ?? []
      guard track.hasChangedLabels || !userData.isEmpty else { continue }
      LabelWriter(track.labels, of: old, mediaHeader, in: movie.tree, movie.dialect)
        .write(into: &resolved.edits, userData)
    }
  }
}

/// Writes the changed labels of one track into its `trak` atom. All other atoms are unchanged.
struct LabelWriter {
  let track: Track
  let tree: AtomTree
  let labels: TrackLabels
  /// The dialect of the movie to which the atom is written.
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

  /// Writes the changed labels, and adds the items of `userData`.
  func write(into changes: inout AtomEdits, _ userData: [[UInt8]] = []) {
    writeLanguage(into: &changes)
    writeUserData(into: &changes, userData)
    writeExclusion(into: &changes)
    writeForced(into: &changes)
  }

  private func writeLanguage(into changes: inout AtomEdits) {
    guard labels.language != old.language || labels.rewritesLanguage, let mdia = tree.child(of: track.atom, "mdia"),
      let mdhd = tree.child(of: mdia, "mdhd")
    else { return }
    var header = mediaHeader
    header.languageCode = labels.languageCode
    changes.replace(mdhd, with: header.atom("mdhd"))
    let elngs = tree.children(of: mdia, "elng")
    // If the language does not change, keep an existing tag, even if the language code expresses the complete tag.
    let keepsTag = labels.language == old.language && !elngs.isEmpty
    let tag = labels.language.flatMap { $0.needsExtendedTag || keepsTag ? ExtendedLanguage(tag: $0.description) : nil }
    if let addedLanguage = replace(elngs, by: tag?.atom("elng"), in: &changes) {
      changes.insert(addedLanguage, into: mdia, before: successor(of: "mdhd", in: mdia))
    }
  }

  // MARK: - User data

  private func writeUserData(into changes: inout AtomEdits, _ userData: [[UInt8]]) {
    let items = tree.userDataItems(of: track.atom)
    var addedAtoms = userData
    if labels.title != old.title || labels.completesTitle {
      let atoms = TrackTitleAtoms(labels, of: track, in: tree, dialect).atoms
      for type in TrackTitleAtoms.allTypes {
        let old = items.filter { tree[$0].type == type }
        guard let atom = replace(old, by: atoms[type], in: &changes) else { continue }
        if type == "titl", let name = items.first(where: { tree[$0].type == "name" }), let udta = tree[name].parent {
          changes.insert(atom, into: udta, before: name)
        } else {
          addedAtoms.append(atom)
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
      addedAtoms += labels.characteristics.filter { !old.characteristics.contains($0) }
        .map { TaggedCharacteristic($0.rawValue).atom("tagc") }
    }
    if labels.roles != old.roles {
      let removedRoles = old.roles.subtracting(labels.roles)
      for item in items where tree[item].type == "kind" {
        guard let kind = decoded(TrackKind.self, item), kind.schemeURI == TrackKind.roleScheme else { continue }
        if removedRoles.contains(kind.value) { changes.remove(item) }
      }
      addedAtoms += labels.roles.subtracting(old.roles).sorted()
        .map { TrackKind(schemeURI: TrackKind.roleScheme, value: $0).atom("kind") }
    }
    guard !addedAtoms.isEmpty else { return }
    if let udta = tree.child(of: track.atom, "udta") {
      for item in addedAtoms { changes.insert(item, into: udta) }
    } else {
      var writer = ByteWriter()
      writer.atom("udta") { udta in for item in addedAtoms { udta.write(item) } }
      changes.insert(writer.bytes, into: track.atom)
    }
  }

  /// Returns the decoded item of user data, or `nil` if it is unreadable and is kept unchanged.
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
      changes.insert(TrackLabels.exclusionAtom, into: track.atom, before: successor(of: "tkhd", in: track.atom))
    } else {
      for txas in tree.children(of: track.atom, "txas") { changes.remove(txas) }
    }
  }

  /// QTFF "Subtitle Sample Description": a forced-only track sets both bits, and a full track sets neither bit.
  private func writeForced(into changes: inout AtomEdits) {
    guard labels.containsOnlyForcedSubtitles != old.containsOnlyForcedSubtitles,
      let stsd = tree.descendant(of: track.atom, "mdia", "minf", "stbl", "stsd")
    else { return }
    var descriptions = track.sampleDescriptions
    for (index, entry) in descriptions.entries.enumerated() where entry.isTimedText {
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

  /// Replaces the first old atom and removes the other old atoms. Returns the new atom if there was no old atom.
  private func replace(_ old: [Int], by atom: [UInt8]?, in changes: inout AtomEdits) -> [UInt8]? {
    for surplus in old.dropFirst() { changes.remove(surplus) }
    guard let first = old.first else { return atom }
    if let atom { changes.replace(first, with: atom) } else { changes.remove(first) }
    return nil
  }

  /// Returns the child of `parent` that follows the first child of a type, or `nil` if there is none.
  private func successor(of type: FourCC, in parent: Int) -> Int? {
    guard let first = tree.child(of: parent, type) else { return nil }
    return tree.children(of: parent).first { $0 > first }
  }
}
