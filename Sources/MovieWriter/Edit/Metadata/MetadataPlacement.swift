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

// The order of tracks, user data and metadata in the `moov` of an ISO file.
//
// The format gives the order no meaning, but readers do:
//
// - mutagen and AtomicParsley parse every `meta` as a full atom (ISO/IEC 14496-12, 8.11.1). A `meta` in QuickTime's own
//   form, without version and flags, sends them past the end of the file, so they miss all tags in a later `udta`. The
//   full form is no remedy, because ExifTool then reads no keys.
// - FFmpeg applies `iTunSMPB`, the priming of a gapless song, to the track it read last before `udta`. It drops the
//   value if `udta` comes before every track, and plays the priming.
extension AtomTree {
  /// Whether the atom is or contains a `meta` in QuickTime's form, without version and flags.
  func containsPlainMetadata(_ index: Int) -> Bool {
    (index..<self[index].subtreeEnd).contains { self[$0].type == "meta" && self[$0].childPrefix == 0 }
  }

  /// The child of an ISO file's `moov` that new user data precedes, or `nil` if the user data goes last.
  ///
  /// User data follows the first track, unless that track or an atom before it contains plain metadata. In that case it
  /// follows `mvhd`.
  ///
  /// - Parameter keyed: the tracks that get plain metadata in the same edit.
  func successorOfNewUserData(besideNewMetadataOf keyed: Set<Int> = []) -> Int? {
    let atoms = Array(children(of: root))
    let start = atoms.firstIndex { self[$0].type == "mvhd" }.map { $0 + 1 } ?? 0
    guard let track = atoms.firstIndex(where: { self[$0].type == "trak" }) else {
      return atoms[start...].first(where: containsPlainMetadata)
    }
    let isPreceded = keyed.contains(atoms[track]) || atoms[...track].contains(where: containsPlainMetadata)
    let place = isPreceded ? start : track + 1
    return place < atoms.count ? atoms[place] : nil
  }

  /// Whether readers miss what is in user data of an ISO file's `moov` because of where it lies.
  ///
  /// This is so if plain metadata precedes the user data, or if no track does although user data could follow the first.
  func isUserDataMisplaced(_ udta: Int) -> Bool {
    let earlier = children(of: root).prefix { $0 < udta }
    if earlier.contains(where: containsPlainMetadata) { return true }
    guard !earlier.contains(where: { self[$0].type == "trak" }) else { return false }
    return child(of: root, "trak").map { !containsPlainMetadata($0) } ?? false
  }

  /// The child of `moov` that new tracks precede, or `nil` if they go last.
  ///
  /// New tracks follow the last track. In an ISO file they follow the user data as well, for the two reasons above.
  func successorOfNewTracks(isISO: Bool) -> Int? {
    let atoms = Array(children(of: root))
    let last = atoms.lastIndex { self[$0].type == "trak" || isISO && self[$0].type == "udta" }
    guard let last else { return nil }
    return last + 1 < atoms.count ? atoms[last + 1] : nil
  }
}

extension MetadataEdits {
  /// The tracks that get an item in QuickTime's form.
  var tracksWithNewKeys: Set<UInt32> {
    Set(
      added.filter { item in
        item.identifier.space.hasTypedItems && ![.iTunes, .iTunesLongForm, .id3].contains(item.identifier.space)
      }.compactMap(\.trackID))
  }
}

extension MovieEdit {
  /// Warnings about tracks of an ISO file that get their first QuickTime metadata although user data follows them.
  ///
  /// The new `meta` must be in the track, and an edit moves no user data.
  var hiddenTagWarnings: [EditNotice] {
    let tree = movie.tree
    let ids = changes.metadata.edits.tracksWithNewKeys
    guard movie.dialect == .iso, !ids.isEmpty, let udta = Array(tree.children(of: tree.root, "udta")).last else {
      return []
    }
    return movie.tracks.filter { ids.contains($0.id) && $0.atom < udta && !tree.containsPlainMetadata($0.atom) }
      .map { track in
        EditNotice(
          .tagsHidden, trackID: track.id, isWarning: true,
          "track \(track.id) gets QuickTime metadata before the movie's user data: mutagen and AtomicParsley then find "
            + "none of the movie's tags; use an identifier of udta, uiso or itsk for the track instead")
      }
  }
}
