import MovieBox

extension AtomTree {
  /// Returns the `meta` atoms of the movie or of a track.
  func metas(of parent: Int) -> [Int] {
    let media = child(of: parent, "mdia").map { children(of: $0, "meta") } ?? []
    return children(of: parent, "meta") + media
      + children(of: parent, "udta").flatMap { children(of: $0, "meta") }
  }

  /// Returns the list of keys that new QuickTime metadata extends, or `nil` if any number of keys may be added. The
  /// number is limited if an item has a key number beyond the end of the list.
  func limitedKeyList(about parent: Int) -> LimitedKeyList? {
    guard let meta = metas(of: parent).first(where: { child(of: $0, "keys") != nil }),
      let keys = keys(of: meta)?.identifiers
    else { return nil }
    let numbers = children(of: meta, "ilst").flatMap { children(of: $0) }.map { Int(self[$0].type.rawValue) }
    return numbers.filter { $0 > keys.count }.min().map {
      LimitedKeyList(keys: Set(keys), remainingKeyCount: $0 - keys.count - 1)
    }
  }

  /// Whether a `meta` atom contains ID3 frames.
  func containsID3Frames(_ meta: Int) -> Bool {
    child(of: meta, "ID32") != nil || handlerType(in: meta) == "ID32"
  }
}

/// A list of keys for which some items have key numbers beyond the end of the list. A key that is added must not get
/// such a number, because these items would then refer to it.
struct LimitedKeyList {
  /// The keys of the list.
  let keys: Set<MetadataIdentifier>
  /// The number of keys that may be added.
  let remainingKeyCount: Int

  /// Whether an item with this identifier may be added in an edit that also adds items with the identifiers `others`.
  func allowsKey(for identifier: MetadataIdentifier, inAdditionTo others: Set<MetadataIdentifier>) -> Bool {
    keys.contains(identifier) || others.contains(identifier) || others.count < remainingKeyCount
  }
}

/// The handlers of new `meta` atoms.
enum MetadataHandler: CaseIterable {
  /// QuickTime metadata (QTFF "Metadata Handler Atom").
  case quickTime
  /// iTunes metadata. Without the handler, readers ignore the list.
  case iTunes
  /// ID3 frames.
  case id3

  /// The `hdlr` atom, as QuickTime, iTunes and packagers write it.
  var atom: [UInt8] {
    switch self {
    case .quickTime: atom("mdta", nameByteCount: 2)
    case .iTunes: atom("mdir", manufacturer: "appl")
    case .id3: atom("ID32")
    }
  }

  /// Returns a handler atom without a component type and with an empty name.
  private func atom(_ type: FourCC, manufacturer: FourCC? = nil, nameByteCount: Int = 1) -> [UInt8] {
    HandlerReference(
      componentType: FourCC(rawValue: 0), handlerType: type, manufacturer: manufacturer?.rawValue ?? 0,
      nameBytes: Bytes([UInt8](repeating: 0, count: nameByteCount))
    ).atom("hdlr")
  }
}

// The order of tracks, user data and metadata in the `moov` of an ISO file.
//
// The format assigns no meaning to the order, but some readers do:
//
// - mutagen and AtomicParsley parse every `meta` as a full atom (ISO/IEC 14496-12, 8.11.1). If a `meta` has QuickTime's
//   form, without version and flags, they read past the end of the file, so they miss all tags in a later `udta`. Using
//   the full form does not help, because ExifTool then reads no keys.
// - FFmpeg applies `iTunSMPB`, the priming of a gapless song, to the last track that precedes `udta`. It drops the
//   value if `udta` precedes every track, and then plays the priming.
extension AtomTree {
  /// Whether the atom is or contains a `meta` in QuickTime's form, without version and flags.
  func containsPlainMetadata(_ index: Int) -> Bool {
    (index..<self[index].subtreeEnd).contains { self[$0].type == "meta" && self[$0].childPrefixByteCount == 0 }
  }

  /// Returns the child of an ISO file's `moov` before which new user data is inserted, or `nil` to append it.
  ///
  /// User data follows the first track, unless that track or an atom before it contains plain metadata. In that case,
  /// user data follows `mvhd`.
  ///
  /// - Parameter keyed: the tracks that get plain metadata in the same edit.
  func successorOfNewUserData(tracksWithNewMetadata keyed: Set<Int> = []) -> Int? {
    let atoms = Array(children(of: root))
    let start = atoms.firstIndex { self[$0].type == "mvhd" }.map { $0 + 1 } ?? 0
    guard let track = atoms.firstIndex(where: { self[$0].type == "trak" }) else {
      return atoms[start...].first(where: containsPlainMetadata)
    }
    let isPreceded = keyed.contains(atoms[track]) || atoms[...track].contains(where: containsPlainMetadata)
    let successor = isPreceded ? start : track + 1
    return successor < atoms.count ? atoms[successor] : nil
  }

  /// Whether some readers miss the user data of an ISO file's `moov` because of its position.
  ///
  /// Readers miss the user data if plain metadata precedes it. Readers also miss it if all tracks follow it. In this
  /// case, the position counts as wrong only if the first track contains no plain metadata, because the user data could
  /// then follow this track.
  func isUserDataMisplaced(_ udta: Int) -> Bool {
    let earlierChildren = children(of: root).prefix { $0 < udta }
    if earlierChildren.contains(where: containsPlainMetadata) { return true }
    guard !earlierChildren.contains(where: { self[$0].type == "trak" }) else { return false }
    return child(of: root, "trak").map { !containsPlainMetadata($0) } ?? false
  }

  /// Returns the child of `moov` before which new tracks are inserted, or `nil` to append them.
  ///
  /// New tracks follow the last track. In an ISO file, they also follow the user data, so that all readers find the
  /// movie's tags.
  func successorOfNewTracks(isISO: Bool) -> Int? {
    let atoms = Array(children(of: root))
    let last = atoms.lastIndex { self[$0].type == "trak" || isISO && self[$0].type == "udta" }
    guard let last else { return nil }
    return last + 1 < atoms.count ? atoms[last + 1] : nil
  }
}

extension MetadataEdits {
  /// The IDs of the tracks to which the edit adds QuickTime metadata.
  var tracksWithNewKeys: Set<UInt32> {
    Set(
      added.filter { item in
        item.identifier.space.storesValueTypes && ![.iTunes, .iTunesLongForm, .id3].contains(item.identifier.space)
      }.compactMap(\.trackID))
  }
}

extension MetadataChange {
  /// Warnings about tracks of an ISO file that get their first QuickTime metadata and precede the user data.
  ///
  /// The new `meta` must be in the track, and the edit does not move user data in front of the track.
  var hiddenTagWarnings: [EditNotice] {
    let tree = movie.tree
    let ids = edits.tracksWithNewKeys
    guard movie.dialect == .iso, !ids.isEmpty, let udta = Array(tree.children(of: tree.root, "udta")).last else {
      return []
    }
    return movie.tracks.filter { ids.contains($0.id) && $0.atom < udta && !tree.containsPlainMetadata($0.atom) }
      .map { track in
        .tagsHidden(byTrack: track.id)
      }
  }
}
