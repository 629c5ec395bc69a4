import MovieBox

// The changes of metadata edits and of sharing. RequestedMetadata and SharedMovieCheck compare the items themselves.
extension AtomChangePolicy {
  /// Returns the changes that a metadata request allows: to items, to their containers and keys, and to dates in
  /// headers.
  static func metadata(_ requested: RequestedMetadata) -> AtomChangePolicy {
    var policy = AtomChangePolicy()
    policy.needsItems = true
    let isItem: Condition = { place in
      place.owner.meets { requested.mayChange(place.index, in: place.tree, place.side.items, ofTrack: $0) }
    }
    for path in [.ending("udta", nil), .ending("ilst", nil), .ending("meta", "ID32")] as [Path] {
      policy.allow(.any(isItem), at: path, in: .anywhere)
    }
    let isContainer: Condition = { place in
      place.owner.meets { trackID in
        requested.isNewContainer(
          place.index, in: place.tree, place.side.items, ofTrack: trackID, orMayCome: place.exempts)
      }
    }
    for type in ["udta", "meta", "ilst"] as [FourCC] {
      policy.allow(.addition(isContainer), at: .ending(type), in: .anywhere)
    }
    policy.allow(
      .addition { requested.isNewHandler($0.index, in: $0.tree) }, at: .ending("meta", "hdlr"), in: .anywhere)
    let keys = PayloadChange.anyPayload { atom in
      atom.owner.meets { requested.extendsKeys(from: atom.payload, to: atom.newPayload, ofTrack: $0) }
    }
    policy.allow(.change(keys), at: .ending("meta", "keys"), in: .anywhere)
    if let dates = requested.headerDates {
      func allow<Header: AtomPayload>(_ path: Path, _ scope: Scope, _ change: @escaping (inout Header) -> Void) {
        policy.allow(.change(.fields(Header.self, "dates") { header, _, _ in change(&header) }), at: path, in: scope)
      }
      allow(["mvhd"], .movie) { (header: inout MovieHeader) in dates.apply(to: &header) }
      allow(["trak", "tkhd"], .everyTrack) { (header: inout TrackHeader) in dates.apply(to: &header) }
      allow(["trak", "mdia", "mdhd"], .everyTrack) { (header: inout MediaHeader) in dates.apply(to: &header) }
    }
    return policy
  }

  /// Returns the changes that sharing a movie allows: dates, names and unknown atoms are removed.
  ///
  /// - Parameter metadata: the metadata request, whose new items may append keys. Keys without items are renamed.
  static func sharing(_ sharing: SharingPolicy, metadata: RequestedMetadata?) -> AtomChangePolicy {
    var policy = AtomChangePolicy()
    policy.needsItems = true
    policy.allow(
      .removal { place in sharing.drops(place.index, in: place.tree, place.side.items) }, at: .ending(nil),
      in: .anywhere)
    let names = PayloadChange(subject: "dates or a name") { atom throws(MovieError) in
      guard sharing.rewrites(atom.oldIndex, in: atom.old, [:]) else { return nil }
      let header = [UInt8](repeating: 0, count: 8)  // Only the header's size matters.
      let rewritten = try sharing.rewritten(
        Bytes(header + atom.payload.array), atom.old[atom.oldIndex].type, ofMedia: nil)
      return rewritten.map { Bytes($0).dropFirst(header.count) }
    }
    policy.allow(.change(names), at: .ending(nil), in: .anywhere)
    let encoderNames = PayloadChange.fields(SampleDescriptions.self, "the names of encoders", isWhole: true) {
      list, _, atom throws(MovieError) in
      var mdia = atom.oldIndex
      while atom.old[mdia].type != "mdia", let parent = atom.old[mdia].parent { mdia = parent }
      guard let handler = atom.old.handlerType(in: mdia) else { return }
      for (place, entry) in list.entries.enumerated() {
        list.entries[place] = try SharingPolicy.clearingVendor(entry, ofMedia: handler)
      }
    }
    policy.allow(.change(encoderNames), at: .sampleTable("stsd"), in: .everyTrack)
    let keys = PayloadChange.anyPayload { atom in changesOnlyUnusedKeys(atom, metadata) }
    policy.allow(.change(keys), at: .ending("meta", "keys"), in: .anywhere)
    return policy
  }

  /// Whether the list of keys differs only in renamed keys that no item uses, and in keys appended for new items.
  private static func changesOnlyUnusedKeys(_ atom: ChangedAtom, _ metadata: RequestedMetadata?) -> Bool {
    guard let meta = atom.new[atom.newIndex].parent else { return false }
    let usedNumbers = atom.itemNumbers.numbers(in: meta)
    let after = MetadataKeys(payload: atom.newPayload).identifiers
    let before = MetadataKeys(payload: atom.payload).identifiers
    guard after.count >= before.count else { return false }
    let unusedKey = MetadataIdentifier(.quickTimeMetadata, key: SharingPolicy.unusedKey)
    return zip(UInt32(1)..., zip(before, after)).allSatisfy { number, keys in
      keys.0 == keys.1 || keys.1 == unusedKey && !usedNumbers.contains(number)
    } && after[before.count...].allSatisfy { $0 == unusedKey || metadata?.changesItems(with: $0) ?? false }
  }

  /// The numbers of the items in the lists of each `meta`. The number of an item identifies its key.
  ///
  /// Each `meta` is read once. One `meta` may contain many lists of keys, and reading it for each of them would take
  /// quadratic time.
  final class ItemNumbers {
    private let tree: AtomTree
    private var numbersByList: [Int: Set<UInt32>] = [:]

    init(in tree: AtomTree) {
      self.tree = tree
    }

    /// Returns the numbers of the items in the lists of a `meta`.
    func numbers(in meta: Int) -> Set<UInt32> {
      if let numbers = numbersByList[meta] { return numbers }
      let lists = tree.children(of: meta, "ilst")
      let numbers = Set(lists.flatMap { tree.children(of: $0).map { tree[$0].type.rawValue } })
      numbersByList[meta] = numbers
      return numbers
    }
  }

  /// Throws if the new movie atom contains something that sharing must remove. This includes atoms that the edit did
  /// not change.
  static func checkRemovals(_ sharing: SharingPolicy, in new: AtomTree) throws(MovieError) {
    let items = MetadataReader.identifiers(in: new)
    let descriptions = SharingPolicy.descriptions(in: new)
    let numbers = ItemNumbers(in: new)
    for index in new.root..<new[new.root].subtreeEnd {
      var isLeft = sharing.drops(index, in: new, items) || !hasRenamedUnusedKeys(index, in: new, numbers)
      let bytes = new.bytes(of: index)
      if sharing.rewrites(index, in: new, descriptions),
        let expected = try sharing.rewritten(bytes, new[index].type, ofMedia: descriptions[index]),
        expected != bytes.array
      {
        isLeft = true
      }
      guard !isLeft else {
        throw new.error(.planCheckFailed, at: index, "the atom is not allowed in a movie for sharing")
      }
    }
  }

  /// Whether all unused keys of a list were renamed. Returns `true` for an atom that is not a list of keys.
  private static func hasRenamedUnusedKeys(_ keys: Int, in new: AtomTree, _ numbers: ItemNumbers) -> Bool {
    guard let meta = SharingPolicy.metadata(withKeys: keys, in: new) else { return true }
    let usedNumbers = numbers.numbers(in: meta)
    return SharingPolicy.renamingUnusedKeys(in: new.payload(of: keys)) { number, _ in !usedNumbers.contains(number) }
      == new.bytes(of: keys).array
  }
}
