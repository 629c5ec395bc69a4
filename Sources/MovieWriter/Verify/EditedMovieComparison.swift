import MovieBox

/// Compares the atoms of an old and a new movie, and throws at the first one that changed though the edit does not list
/// it.
struct EditedMovieComparison {
  let old: AtomTree
  let new: AtomTree
  /// The atoms inside kept tracks that may differ, by track.
  var changesByTrack: [UInt32: Set<FourCC>] = [:]
  /// The atoms of kept tracks that say what the track is to people and that may differ, by track. What they say is
  /// looked at with the track.
  var labelChangesByTrack: [UInt32: Set<FourCC>] = [:]
  var newTrackIDs: Set<UInt32> = []
  var removedTrackIDs: Set<UInt32> = []
  /// How long the longest new track lasts; the movie may last as long.
  var longestNewTrack: UInt64 = 0
  /// How long the movie is with the fragments that stay; `nil` where none do, or no track went.
  var fragmentedDurations: FragmentedDurations?
  /// The metadata that comes, goes and changes. What it says is looked at by itself.
  var metadata: RequestedMetadata?
  /// What stays of a movie that is given to others; `nil` where all does.
  var sharing: SharingPolicy?
  /// Whether the edit takes out all chapters: atoms that held nothing else go too.
  var removesChapters = false
  /// A byte of the `meta` in which empty free space may come and go, counted from the start of the file; `nil` where
  /// none may.
  var listOffset: UInt64?
  /// The place of new atoms inside the movie atom, or `nil` if the edit does not write there.
  var spaceEdit: SpaceEdit?
  /// What becomes of free space.
  var space = SpaceChange.none
  /// Free space that a new file gets beside its metadata, or `nil` if none is added.
  var room: MetadataRoom?

  /// Compares the movie atoms.
  func check() throws(MovieError) {
    let sides = try compare(old.root, new.root)
    for (id, types) in labelChangesByTrack where types.contains("stsd") {
      let reason = "more than the flags of forced subtitles changed"
      try compareSampleDescriptions(ofTrack: id, sides.old, sides.new, reason) {
        Self.differOnlyInForcing(old: $0, new: $1)
      }
    }
    for (id, types) in changesByTrack where types.contains("stsd") {
      try compareSampleDescriptions(ofTrack: id, sides.old, sides.new, ParameterSetComparison.reason) {
        ParameterSetComparison.declaresComplete(old: $0, new: $1)
      }
    }
    if let sharing { try checkNothingIsLeft(sharing, sides.new) }
    try checkSpaceOfList()
    for mvex in new.children(of: new.root, "mvex") {
      for child in new.children(of: mvex) where sides.new.identity(of: child).map(removedTrackIDs.contains) == true {
        throw new.error(.planCheckFailed, at: child, "it is of a removed track")
      }
    }
  }

  /// Compares two tracks, which may differ in the positions of their chunks alone. Costs what the two atoms do, whatever
  /// else the movies have.
  func checkTracks(_ left: Int, _ right: Int) throws(MovieError) {
    _ = try compare(left, right)
  }

  /// Compares two atoms that are taken for a pair, and returns the trees with what was looked up in them.
  private func compare(_ left: Int, _ right: Int) throws(MovieError) -> (old: Side, new: Side) {
    let sides = (
      old: Side(old, at: left, hasOtherMetadata: metadata != nil, isShared: sharing != nil),
      new: Side(new, at: right, hasOtherMetadata: metadata != nil, isShared: sharing != nil)
    )
    let comparison = AtomTreeComparison(
      old, new, isStrict: true,
      omits: { side, index in
        mayComeAndGo(index, on: side == .old ? sides.old : sides.new)
          || isSpaceOfList(index, in: side == .old ? old : new) || isSpaceOfEdit(index, side)
          || side == .new && isRoom(index)
      },
      identity: { side, index in (side == .old ? sides.old : sides.new).identity(of: index) })
    try comparison.compare(left, right) { finding throws(MovieError) in
      switch finding {
      case .removed(let index) where isOfRemovedTrack(index, sides.old) || mayLeaveOutSpace(index): return
      case .removed(let index) where isEmptiedOfChapters(index, sides.old) || mayBecomeRoom(index): return
      case .payload(let left, let right) where isClearedSpace(left, right): return
      case .removed(let index) where sharing?.drops(index, in: old, sides.old.items) == true: return
      // What is left of descriptions is looked at with the chunks.
      case .removed(let index) where isReel(index, sides.old) || isBuyer(index, sides.old): return
      case .beforeChildren(let left, _) where sides.old.descriptions[left] != nil: return
      case .afterChildren(let left, _) where sides.old.descriptions[left] != nil: return
      case .payload(let left, _) where isInsideOfDescription(left, sides.old): return
      case .added(let index, _) where isRequested(index, sides.new): return
      // Descriptions that get another name are compared whole.
      case .removed(let index) where isRenamed(index, sides.old): return
      case .added(let index, _) where isRenamed(index, sides.new): return
      case .payload(let left, _) where isInsideOfChanged(left, sides.old): return
      case .beforeChildren(let left, _) where isInsideOfChanged(left, sides.old): return
      case .afterChildren(let left, _) where isInsideOfChanged(left, sides.old): return
      case .payload(let left, let right): try comparePayloads(left, right, sides.old)
      default: throw finding.refusal(old, new)
      }
    }
    return sides
  }

  /// Makes sure that the new movie has nothing that was to be left out: whether it differs from the old one or not.
  private func checkNothingIsLeft(_ sharing: SharingPolicy, _ side: Side) throws(MovieError) {
    for index in new.root..<new[new.root].subtreeEnd {
      var isLeft = sharing.drops(index, in: new, side.items) || !namesUnusedKeys(index)
      let bytes = new.bytes(of: index)
      if sharing.rewrites(index, in: new, side.descriptions),
        let expected = try sharing.rewritten(bytes, new[index].type, ofMedia: side.descriptions[index]),
        expected != bytes.array
      {
        isLeft = true
      }
      guard !isLeft else {
        throw new.error(.planCheckFailed, at: index, "it was to be left out")
      }
    }
  }

  /// Whether an atom is no list of keys, or the keys in it that no item has are called so.
  private func namesUnusedKeys(_ keys: Int) -> Bool {
    guard let meta = SharingPolicy.metadata(withKeys: keys, in: new) else { return true }
    let used = Set(new.children(of: meta, "ilst").flatMap { new.children(of: $0).map { new[$0].type.rawValue } })
    return SharingPolicy.namingUnusedKeys(in: new.payload(of: keys)) { number, _ in !used.contains(number) }
      == new.bytes(of: keys).array
  }

  // MARK: - Where atoms stand

  /// One of the trees, with the IDs of its tracks, or of the one track that is compared.
  struct Side {
    let tree: AtomTree
    /// By the index of the `trak` atom; 0, which no track has of which anything may change, for one without a header.
    let trackIDs: [Int: UInt32]
    /// What the items of lists are about, by their atoms; empty where none changes.
    let items: [Int: MetadataIdentifier]
    /// The media that sample descriptions are of, by their atoms; empty where they stay as they are.
    let descriptions: [Int: FourCC]

    init(_ tree: AtomTree, at root: Int, hasOtherMetadata: Bool, isShared: Bool) {
      self.tree = tree
      items = hasOtherMetadata || isShared ? MetadataReader.identifiers(in: tree) : [:]
      descriptions = isShared ? SharingPolicy.descriptions(in: tree) : [:]
      var trackIDs: [Int: UInt32] = [:]
      for trak in tree[root].type == "trak" ? [root] : tree.children(of: root, "trak") {
        guard let tkhd = tree.child(of: trak, "tkhd") else { continue }
        do throws(MovieError) {
          trackIDs[trak] = try tree.decode(TrackHeader.self, at: tkhd).trackID
        } catch {
          continue
        }
      }
      self.trackIDs = trackIDs
    }

    /// The ID of the track that an atom is in.
    func trackID(holding index: Int) -> UInt32 {
      var next = index
      while let parent = tree[next].parent, parent != tree.root { next = parent }
      return trackIDs[next] ?? 0
    }

    /// The ID of the track that an atom is in, as metadata has it: `nil` for an atom of the movie.
    func subject(of index: Int) -> UInt32? {
      tree.types(to: index).first == "trak" ? trackID(holding: index) : nil
    }

    /// What tells tracks, and what `mvex` says of them, from one another.
    func identity(of index: Int) -> UInt32? {
      switch tree[index].type {
      case "trak" where tree[index].parent == tree.root: trackIDs[index] ?? 0
      case "trex", "trep": tree.payload(of: index).load(at: 4, as: UInt32.self)
      default: nil
      }
    }
  }

  // MARK: - What was requested

  /// Whether an atom may come, go and change: a reference or a label that the edit changes, which are looked at
  /// with the track.
  private func mayComeAndGo(_ index: Int, on side: Side) -> Bool {
    let tree = side.tree
    let type = tree[index].type
    if let metadata, metadata.mayChange(index, in: tree, side.items, ofTrack: side.subject(of: index)) { return true }
    guard let parent = tree[index].parent, ["tref", "trak", "mdia", "udta"].contains(tree[parent].type)
    else {
      return false
    }
    func labels() -> Set<FourCC> { labelChangesByTrack[side.trackID(holding: index)] ?? [] }
    switch tree.types(to: parent) {
    case ["trak", "tref"]: return changesByTrack[side.trackID(holding: index)]?.contains(type) ?? false
    case ["trak"] where type == "udta":
      // A track that had none gets one, and nothing but labels in it.
      let labels = labels()
      return labels.contains(type) && tree.tail(of: index).isEmpty
        && tree.children(of: index).allSatisfy {
          TrackLabels.userDataTypes.contains(tree[$0].type) && labels.contains(tree[$0].type)
        }
    case ["trak"]: return type == "txas" && labels().contains(type)
    case ["trak", "mdia"]: return type == "elng" && labels().contains(type)
    case ["trak", "udta"]: return TrackLabels.userDataTypes.contains(type) && labels().contains(type)
    default: return false
    }
  }

  /// Whether an atom of the old movie is a removed track, or what is said of the fragments of one.
  private func isOfRemovedTrack(_ index: Int, _ side: Side) -> Bool {
    switch old.types(to: index) {
    case ["trak"], ["mvex", "trex"], ["mvex", "trep"]:
      side.identity(of: index).map(removedTrackIDs.contains) ?? false
    default: false
    }
  }

  /// Whether an atom of the old movie held what the removal of chapters takes out, and nothing else.
  private func isEmptiedOfChapters(_ index: Int, _ side: Side) -> Bool {
    let held: [[FourCC]: FourCC] = [["trak", "tref"]: "chap", ["udta"]: "chpl"]
    guard removesChapters, let type = held[old.types(to: index)] else { return false }
    let (children, tail) = (old.children(of: index), old.tail(of: index))
    return (tail.isEmpty || type == "chpl" && tail.allSatisfy { $0 == 0 })
      && children.contains { old[$0].type == type } && children.allSatisfy { mayComeAndGo($0, on: side) }
  }

  /// Whether an atom of the new movie is one that the edit adds: a track, the references of a track, the place of
  /// auxiliary information.
  private func isRequested(_ index: Int, _ side: Side) -> Bool {
    func isRequestedChange() -> Bool {
      changesByTrack[side.trackID(holding: index)]?.contains(new[index].type) ?? false
    }
    switch new.types(to: index) {
    case ["trak"]: return newTrackIDs.contains(side.trackIDs[index] ?? 0)
    case ["trak", "tref"]:
      return isRequestedChange() && new.tail(of: index).isEmpty
        && new.children(of: index).allSatisfy { mayComeAndGo($0, on: side) }
    case ["trak", "mdia", "minf", "stbl", "saiz"], ["trak", "mdia", "minf", "stbl", "saio"]: return isRequestedChange()
    case let path where path.last == "hdlr": return metadata?.isNewHandler(index, in: new) ?? false
    case let path where ["udta", "meta", "ilst"].contains(path.last):
      return metadata?.isNewContainer(index, in: new, side.items, ofTrack: side.subject(of: index)) {
        mayComeAndGo($0, on: side) || isRoom($0)
      }
        ?? false
    default: return false
    }
  }

  private func comparePayloads(_ left: Int, _ right: Int, _ side: Side) throws(MovieError) {
    let path = old.types(to: left)
    let type = old[left].type
    let parent = old[left].parent.map { old[$0].type }
    func names(_ byTrack: [UInt32: Set<FourCC>]) -> Bool {
      byTrack[side.trackID(holding: left)]?.contains(type) ?? false
    }
    switch path {
    case ["mvhd"]: return try compareMovieHeaders(left, right)
    case ["mvex", "mehd"]: return try compareFragmentedDurations(left, right)
    case ["trak", "tkhd"] where names(changesByTrack) || metadata?.headerDates != nil:
      return try compareTrackHeaders(left, right, mayChangeUse: names(changesByTrack))
    case _ where type == "keys" && parent == "meta":
      let isLonger = metadata?.isLonger(
        old.payload(of: left), than: new.payload(of: right), ofTrack: side.subject(of: left))
      guard isLonger == true || namesUnusedKeys(left, right) else { throw changed(left, "its bytes changed") }
      return
    case ["trak", "mdia", "mdhd"] where names(labelChangesByTrack) || metadata?.headerDates != nil:
      return try compareMediaHeaders(left, right, mayChangeLanguage: names(labelChangesByTrack))
    case _ where sharing?.rewrites(left, in: old, side.descriptions) == true:
      let rewritten = try sharing?.rewritten(old.bytes(of: left), type, ofMedia: side.descriptions[left])
      let expected = rewritten ?? old.bytes(of: left).array
      guard new.bytes(of: right).array == expected else { throw changed(left, "more than dates or a name changed") }
      return
    default: break
    }
    // Positions may change, and what they refer to is checked one by one.
    let isTable =
      ["stco", "co64", "saio"].contains(type) && parent == "stbl"
      && (path.first == "trak" || old[old.root].type == "trak")
    guard isTable || type == "iloc" && parent == "meta" else {
      throw AtomTreeComparison.Finding.payload(old: left, new: right).refusal(old, new)
    }
    if let reason = PositionComparison.changeBesidePositions(old, left, new, right) { throw changed(left, reason) }
  }

  /// Whether an atom is one of, or in, the sample descriptions or data references of a track, where the edit changes
  /// these: what they say is looked at whole.
  private func isInsideOfChanged(_ index: Int, _ side: Side) -> Bool {
    let path = old.types(to: index)
    let id = side.trackID(holding: index)
    return path.starts(with: ["trak", "mdia", "minf", "stbl", "stsd"])
      && (labelChangesByTrack[id]?.contains("stsd") == true || changesByTrack[id]?.contains("stsd") == true)
      || path.starts(with: ["trak", "mdia", "minf", "dinf", "dref"]) && changesByTrack[id]?.contains("dref") == true
  }

  // MARK: - Payloads

  /// Whether keys differ only where no item has them any more, and are called that.
  private func namesUnusedKeys(_ left: Int, _ right: Int) -> Bool {
    guard sharing != nil, let meta = new[right].parent else { return false }
    let used = Set(new.children(of: meta, "ilst").flatMap { new.children(of: $0).map { new[$0].type.rawValue } })
    let after = MetadataKeys(payload: new.payload(of: right)).identifiers
    let before = MetadataKeys(payload: old.payload(of: left)).identifiers
    guard after.count >= before.count else { return false }
    let unused = MetadataIdentifier(.quickTimeMetadata, key: SharingPolicy.unusedKey)
    return zip(UInt32(1)..., zip(before, after)).allSatisfy { number, keys in
      keys.0 == keys.1 || keys.1 == unused && !used.contains(number)
    } && after[before.count...].allSatisfy { $0 == unused || metadata?.adds($0) ?? false }
  }

  /// Only the next track ID may change, the duration of a movie that a track from another one outlasts, and dates as
  /// requested.
  private func compareMovieHeaders(_ left: Int, _ right: Int) throws(MovieError) {
    var before = try old.decode(MovieHeader.self, at: left)
    if sharing?.keepsDates == false { (before.creationTime, before.modificationTime) = (0, 0) }
    metadata?.headerDates?.apply(to: &before)
    let after = try new.decode(MovieHeader.self, at: right)
    before.nextTrackID = after.nextTrackID
    if before.duration != 0, !before.isDurationUnknown {
      let longest = removedTrackIDs.isEmpty ? nil : try longestTrack(in: old)
      if longest == before.duration, let longestNow = try longestTrack(in: new) {
        before.duration = longestNow
      } else {
        before.duration = max(before.duration, longestNewTrack)
      }
      if before.duration >= UInt64(UInt32.max) { before.version = 1 }
    }
    guard before.payloadBytes == new.payload(of: right).array else { throw changed(left, "its bytes changed") }
  }

  /// A movie that was said to last as long as its longest track with fragments may lose that track.
  private func compareFragmentedDurations(_ left: Int, _ right: Int) throws(MovieError) {
    var before = try old.decode(MovieExtendsHeader.self, at: left)
    if let fragmentedDurations, fragmentedDurations.isOfLongestTrack(before.fragmentDuration) {
      before.fragmentDuration = Swift.min(before.fragmentDuration, fragmentedDurations.after)
    }
    guard before.payloadBytes == new.payload(of: right).array else { throw changed(left, "its bytes changed") }
  }

  /// How long the longest track of a movie lasts; `nil` where that of one is unknown.
  private func longestTrack(in tree: AtomTree) throws(MovieError) -> UInt64? {
    var longest: UInt64 = 0
    for trak in tree.children(of: tree.root, "trak") {
      guard let tkhd = tree.child(of: trak, "tkhd") else { return nil }
      let header = try tree.decode(TrackHeader.self, at: tkhd)
      if header.isDurationUnknown { return nil }
      longest = max(longest, header.duration)
    }
    return longest
  }

  /// Flags and group of a track header may change where the edit changes it, and dates as requested.
  private func compareTrackHeaders(_ left: Int, _ right: Int, mayChangeUse: Bool) throws(MovieError) {
    var before = try old.decode(TrackHeader.self, at: left)
    if sharing?.keepsDates == false { (before.creationTime, before.modificationTime) = (0, 0) }
    metadata?.headerDates?.apply(to: &before)
    let after = try new.decode(TrackHeader.self, at: right)
    if mayChangeUse { (before.alternateGroup, before.isEnabled) = (after.alternateGroup, after.isEnabled) }
    guard before.payloadBytes == new.payload(of: right).array else {
      throw changed(left, "more than flags and group changed")
    }
  }

  /// The language of a media header may change where the edit changes it, and dates as requested.
  private func compareMediaHeaders(_ left: Int, _ right: Int, mayChangeLanguage: Bool) throws(MovieError) {
    var before = try old.decode(MediaHeader.self, at: left)
    if sharing?.keepsDates == false { (before.creationTime, before.modificationTime) = (0, 0) }
    metadata?.headerDates?.apply(to: &before)
    let after = try new.decode(MediaHeader.self, at: right)
    if mayChangeLanguage { before.languageCode = after.languageCode }
    guard before.payloadBytes == new.payload(of: right).array else {
      throw changed(left, "more than the language changed")
    }
  }

  func changed(_ index: Int, _ reason: String) -> MovieError {
    old.error(.planCheckFailed, at: index, reason)
  }
}
