import MovieBox

/// Compares the atoms of an old and a new movie, and throws at the first one that changed though the edit does not list it.
struct TreeComparison {
  let old: AtomTree
  let new: AtomTree
  /// The atoms inside kept tracks that may differ, by track.
  var namedByTrack: [UInt32: Set<FourCC>] = [:]
  /// The atoms of kept tracks that say what the track is to people and that may differ, by track. What they say is
  /// looked at with the track.
  var labelsByTrack: [UInt32: Set<FourCC>] = [:]
  var newTrackIDs: Set<UInt32> = []
  var removedTrackIDs: Set<UInt32> = []
  /// How long the longest new track lasts; the movie may last as long.
  var longestNewTrack: UInt64 = 0
  /// How long the movie is with the fragments that stay; `nil` where none do, or no track went.
  var fragmentedDurations: FragmentedDurations?

  /// Where an atom stands, as far as an edit may name atoms there.
  private enum Place {
    /// Inside tracks, at any depth, and elsewhere: no edit names anything there.
    case insideTrack, elsewhere
    /// The root; what it says of fragments; a track; its references, its media, its user data.
    case root, fragments, track, references, media, userData
  }

  /// The pairs that are still to be compared.
  private struct Pair {
    let old: Int
    let new: Int
    let place: Place
    /// What the edit names of the track that the pair lies in.
    var named: Set<FourCC> = []
    /// The same of what the track says of itself.
    var labels: Set<FourCC> = []
  }

  /// Compares the movie atoms.
  func check() throws(MovieError) {
    try check(Pair(old: old.root, new: new.root, place: .root))
  }

  /// Compares two tracks, which may differ in the positions of their chunks alone.
  func checkTrack(_ left: Int, _ right: Int) throws(MovieError) {
    try check(Pair(old: left, new: right, place: .track))
  }

  private func check(_ first: Pair) throws(MovieError) {
    var open = [first]
    while let pair = open.popLast() {
      try compare(pair, &open)
    }
  }

  private func compare(_ pair: Pair, _ open: inout [Pair]) throws(MovieError) {
    // Containers are compared child by child: whole, the tables above one that moved would be read once a level.
    if !old[pair.old].isContainer, old.bytes(of: pair.old) == new.bytes(of: pair.new) { return }
    let type = old[pair.old].type
    if type == "mvhd" { return try compareMovieHeaders(pair) }
    if type == "mehd", pair.place == .fragments { return try compareFragmentedDurations(pair) }
    if holdsPositions(pair) { return try comparePositions(pair) }
    if isNamedDataReference(pair) { return }  // They are looked at with the track.
    if isNamedDescriptions(pair) { return try compareSampleDescriptions(pair) }
    guard old[pair.old].isContainer, new[pair.new].isContainer else { throw changed(pair.old, "its bytes changed") }
    guard old[pair.old].headerByteCount == new[pair.new].headerByteCount else {
      throw changed(pair.old, "the width of its size changed")
    }
    guard head(old, pair.old) == head(new, pair.new), old.tail(of: pair.old) == new.tail(of: pair.new) else {
      throw changed(pair.old, "the bytes beside its children changed")
    }
    var added = new.children(of: pair.new).filter { !isOptional($0, in: new, of: pair) }[...]
    for child in old.children(of: pair.old) where !isRemovedTrack(child, of: pair) {
      if isOptional(child, in: old, of: pair) { continue }
      while let next = added.first, isAddition(next, insteadOf: child, to: pair) { added.removeFirst() }
      let isKept = added.first.map { Self.areSameKind(old[child].type, new[$0].type) } ?? false
      if !isKept, pair.place == .references, pair.named.contains(old[child].type) { continue }
      guard let match = added.popFirst() else { throw changed(child, "it is lost") }
      guard isKept else { throw changed(child, "it is lost or out of order") }
      if mayChange(child, of: pair) {
        if pair.place == .track { try compareTrackHeaders(old: child, new: match) }
        if pair.place == .media { try compareMediaHeaders(old: child, new: match) }
      } else {
        open.append(inside(pair, child, match))
      }
    }
    for rest in added where !isAddition(rest, insteadOf: nil, to: pair) {
      throw changed(pair.old, "a \(new[rest].type) was added to it")
    }
  }

  private func inside(_ pair: Pair, _ child: Int, _ match: Int) -> Pair {
    let type = old[child].type
    switch pair.place {
    case .root where type == "trak":
      let id = trackID(child, in: old)
      return Pair(
        old: child, new: match, place: .track, named: namedByTrack[id] ?? [], labels: labelsByTrack[id] ?? [])
    case .root where type == "mvex": return Pair(old: child, new: match, place: .fragments)
    case .fragments where type == "mehd": return Pair(old: child, new: match, place: .fragments)
    case .root, .fragments, .elsewhere: return Pair(old: child, new: match, place: .elsewhere)
    case .track where type == "tref": return Pair(old: child, new: match, place: .references, named: pair.named)
    case .track where type == "mdia" || type == "udta":
      return Pair(
        old: child, new: match, place: type == "mdia" ? .media : .userData,
        named: pair.named.intersection(Self.inside), labels: pair.labels)
    case .track, .insideTrack, .references, .media, .userData:
      return Pair(
        old: child, new: match, place: .insideTrack, named: pair.named.intersection(Self.inside),
        labels: pair.labels.intersection(["stsd"]))
    }
  }

  /// Whether the child is a removed track, or what is said of the fragments of one.
  private func isRemovedTrack(_ child: Int, of pair: Pair) -> Bool {
    switch (pair.place, old[child].type) {
    case (.root, "trak"): removedTrackIDs.contains(trackID(child, in: old))
    case (.fragments, "trex"), (.fragments, "trep"):
      old.payload(of: child).load(at: 4, as: UInt32.self).map(removedTrackIDs.contains) ?? false
    default: false
    }
  }

  /// Whether the edit names the child itself: the header of a track, or one of its references.
  private func mayChange(_ child: Int, of pair: Pair) -> Bool {
    let type = old[child].type
    switch pair.place {
    case .track: return type == "tkhd" && pair.named.contains(type)
    case .references: return pair.named.contains(type)
    case .media: return type == "mdhd" && pair.labels.contains(type)
    case .root, .fragments, .insideTrack, .userData, .elsewhere: return false
    }
  }

  /// Whether a new atom is one that the edit adds: a track, the references of a track, or one of them, the place of
  /// auxiliary information.
  private func isAddition(_ index: Int, insteadOf child: Int?, to pair: Pair) -> Bool {
    let type = new[index].type
    switch pair.place {
    case .root: return type == "trak" && newTrackIDs.contains(trackID(index, in: new))
    case .track where type != "tref": return false
    case .track, .references:
      return pair.named.contains(type) && child.map { !Self.areSameKind(old[$0].type, type) } ?? true
    case .insideTrack: return new[pair.new].type == "stbl" && Self.auxiliary.contains(type) && pair.named.contains(type)
    case .fragments, .media, .userData, .elsewhere: return false
    }
  }

  /// Whether an atom may come, go and change: one that says what the track is to people, which the edit names.
  private func isOptional(_ index: Int, in tree: AtomTree, of pair: Pair) -> Bool {
    let type = tree[index].type
    guard pair.labels.contains(type) else { return false }
    switch pair.place {
    case .track where type == "udta":
      // A track that had none gets one, and nothing but labels in it.
      return tree.tail(of: index).isEmpty
        && tree.children(of: index).allSatisfy {
          TrackLabels.userDataTypes.contains(tree[$0].type) && pair.labels.contains(tree[$0].type)
        }
    case .track: return type == "txas"
    case .media: return type == "elng"
    case .userData: return TrackLabels.userDataTypes.contains(type)
    case .root, .fragments, .references, .insideTrack, .elsewhere: return false
    }
  }

  /// What says where auxiliary information lies that was a part of fragments.
  private static let auxiliary: Set<FourCC> = ["saiz", "saio"]

  /// What an edit may name at any depth of a track.
  private static let inside = auxiliary.union(["dref"])

  /// Whether the atom's numbers are positions: they may change, and what they name is checked one by one.
  private func holdsPositions(_ pair: Pair) -> Bool {
    let parent = old[pair.old].parent.map { old[$0].type }
    switch old[pair.old].type {
    case "stco", "co64", "saio": return pair.place == .insideTrack && parent == "stbl"
    case "iloc": return parent == "meta"
    default: return false
    }
  }

  /// Whether the edit names the references of a track to its media, not those of its metadata.
  private func isNamedDataReference(_ pair: Pair) -> Bool {
    guard pair.place == .insideTrack, old[pair.old].type == "dref", pair.named.contains("dref"),
      let dinf = old[pair.old].parent, let minf = old[dinf].parent
    else { return false }
    return old[dinf].type == "dinf" && old[minf].type == "minf"
  }

  /// Whether the edit names the sample descriptions of a track.
  private func isNamedDescriptions(_ pair: Pair) -> Bool {
    guard pair.place == .insideTrack, old[pair.old].type == "stsd", pair.labels.contains("stsd"),
      let stbl = old[pair.old].parent
    else { return false }
    return old[stbl].type == "stbl"
  }

  static func areSameKind(_ left: FourCC, _ right: FourCC) -> Bool {
    left == right || (left == "stco" && right == "co64")
  }

  /// Only the next track ID may change, and the duration of a movie that a track from another one outlasts.
  private func compareMovieHeaders(_ pair: Pair) throws(MovieError) {
    var before = try old.decode(MovieHeader.self, at: pair.old)
    let after = try new.decode(MovieHeader.self, at: pair.new)
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
    guard before.payloadBytes == new.payload(of: pair.new).array else { throw changed(pair.old, "its bytes changed") }
  }

  /// A movie that was said to last as long as its longest track with fragments may lose that track.
  private func compareFragmentedDurations(_ pair: Pair) throws(MovieError) {
    var before = try old.decode(MovieExtendsHeader.self, at: pair.old)
    if let fragmentedDurations, fragmentedDurations.isOfLongestTrack(before.fragmentDuration) {
      before.fragmentDuration = Swift.min(before.fragmentDuration, fragmentedDurations.after)
    }
    guard before.payloadBytes == new.payload(of: pair.new).array else { throw changed(pair.old, "its bytes changed") }
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

  /// Flags and group of a track header may change when the edit names it.
  private func compareTrackHeaders(old left: Int, new right: Int) throws(MovieError) {
    var before = try old.decode(TrackHeader.self, at: left)
    let after = try new.decode(TrackHeader.self, at: right)
    before.alternateGroup = after.alternateGroup
    before.isEnabled = after.isEnabled
    guard before.payloadBytes == new.payload(of: right).array else {
      throw changed(left, "more than flags and group changed")
    }
  }

  /// The language of a media header may change when the edit names it.
  private func compareMediaHeaders(old left: Int, new right: Int) throws(MovieError) {
    var before = try old.decode(MediaHeader.self, at: left)
    let after = try new.decode(MediaHeader.self, at: right)
    before.languageCode = after.languageCode
    guard before.payloadBytes == new.payload(of: right).array else {
      throw changed(left, "more than the language changed")
    }
  }

  /// What says that all samples are forced may change when the edit names the sample descriptions.
  private func compareSampleDescriptions(_ pair: Pair) throws(MovieError) {
    let before = try old.decode(SampleDescriptions.self, at: pair.old)
    let after = try new.decode(SampleDescriptions.self, at: pair.new)
    guard Self.differOnlyInForcing(old: before, new: after) else {
      throw changed(pair.old, "more than the flags of forced subtitles changed")
    }
  }

  /// Whether two lists of sample descriptions are the same but for the flags of forced subtitles.
  static func differOnlyInForcing(old before: SampleDescriptions, new after: SampleDescriptions) -> Bool {
    func withoutFlags(_ descriptions: SampleDescriptions) -> SampleDescriptions {
      var plain = descriptions
      for index in plain.entries.indices where plain.entries[index].format == "tx3g" {
        var body = plain.entries[index].body.array
        if !body.isEmpty { body[0] &= 0x3F }
        plain.entries[index].body = Bytes(body)
      }
      return plain
    }
    return withoutFlags(before) == withoutFlags(after)
  }

  private func comparePositions(_ pair: Pair) throws(MovieError) {
    if let reason = Self.changeBesidePositions(old, pair.old, new, pair.new) { throw changed(pair.old, reason) }
  }

  /// What changed of a table of positions though it may not: the number of entries, what stands beside them; `nil`
  /// where nothing did.
  static func changeBesidePositions(_ old: AtomTree, _ left: Int, _ new: AtomTree, _ right: Int) -> String? {
    let before = old.payload(of: left)
    let after = new.payload(of: right)
    switch old[left].type {
    case "stco", "co64":
      guard before.slice(at: 0, count: 8) == after.slice(at: 0, count: 8) else { return "the number of chunks changed" }
      guard tail(before, old[left].type) == tail(after, new[right].type) else {
        return "the bytes after its positions changed"
      }
    case "saio":
      // Version and flags, the type of the information where they say so, and the number of positions.
      let isTyped = (before.load(at: 0, as: UInt32.self) ?? 0) & 1 != 0
      guard before.count == after.count, before.prefix(isTyped ? 16 : 8).elementsEqual(after.prefix(isTyped ? 16 : 8))
      else { return "more than its positions changed" }
    default:
      guard before.count == after.count else { return "its size changed" }
    }
    return nil
  }

  /// What stands after the positions that a table of chunks claims.
  private static func tail(_ table: Bytes, _ type: FourCC) -> Bytes {
    let claimed = Int(clamping: table.load(at: 4, as: UInt32.self) ?? 0)
    return table.dropFirst(8 + claimed * (type == "co64" ? 8 : 4))
  }

  /// The bytes before the first child, without the size.
  private func head(_ tree: AtomTree, _ index: Int) -> Bytes {
    tree.head(of: index).dropFirst(tree[index].headerByteCount)
  }

  private func trackID(_ trak: Int, in tree: AtomTree) -> UInt32 {
    guard let tkhd = tree.child(of: trak, "tkhd") else { return 0 }
    do throws(MovieError) {
      return try tree.decode(TrackHeader.self, at: tkhd).trackID
    } catch {
      return 0  // No track has this ID, so that nothing of it may change.
    }
  }

  private func changed(_ index: Int, _ reason: String) -> MovieError {
    MovieError(.planCheckFailed, at: old.range(of: index).offset, in: old.path(of: index), reason)
  }
}
