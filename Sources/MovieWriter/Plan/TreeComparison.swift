import MovieBox

/// Compares the atoms of an old and a new movie, and throws at the first one that changed unnamed.
struct TreeComparison {
  let old: AtomTree
  let new: AtomTree
  /// The atoms inside kept tracks that may differ, by track.
  let namedByTrack: [UInt32: Set<FourCC>]
  let newTrackIDs: Set<UInt32>
  let removedTrackIDs: Set<UInt32>

  /// The pairs that are still to be compared.
  private struct Pair {
    let old: Int
    let new: Int
    let named: Set<FourCC>
  }

  /// Atoms whose numbers are positions: they may change, and the samples that they name are checked one by one.
  private static let positions: Set<FourCC> = ["stco", "co64", "saio", "iloc"]

  func check() throws(MovieError) {
    var open = [Pair(old: old.root, new: new.root, named: [])]
    while let pair = open.popLast() {
      try compare(pair, &open)
    }
  }

  private func compare(_ pair: Pair, _ open: inout [Pair]) throws(MovieError) {
    if old.bytes(of: pair.old) == new.bytes(of: pair.new) { return }
    let type = old[pair.old].type
    if type == "mvhd" { return try compareMovieHeaders(pair) }
    if Self.positions.contains(type) { return try comparePositions(pair) }
    // Of `tref` only the named kinds of reference may change: it is compared like any container.
    if pair.named.contains(type), type != "tref" { return try compareNamed(pair) }
    guard old[pair.old].isContainer, new[pair.new].isContainer else { throw changed(pair.old, "its bytes changed") }
    guard old[pair.old].headerByteCount == new[pair.new].headerByteCount else {
      throw changed(pair.old, "the width of its size changed")
    }
    guard head(old, pair.old) == head(new, pair.new), old.tail(of: pair.old) == new.tail(of: pair.new) else {
      throw changed(pair.old, "the bytes beside its children changed")
    }
    var added = Array(new.children(of: pair.new))[...]
    for child in old.children(of: pair.old) {
      let named = type == "moov" && old[child].type == "trak" ? namedAtoms(child) : pair.named
      guard let named else { continue }  // A track that was to be removed.
      while let next = added.first, isAddition(next, insteadOf: child, named: named) { added.removeFirst() }
      guard let match = added.popFirst() else {
        if named.contains(old[child].type) { continue }
        throw changed(child, "it is lost")
      }
      guard areSameKind(old[child].type, new[match].type) else { throw changed(child, "it is lost or out of order") }
      open.append(Pair(old: child, new: match, named: named))
    }
    for rest in added where !isAddition(rest, insteadOf: nil, named: pair.named) {
      throw changed(pair.old, "a \(new[rest].type) was added to it")
    }
  }

  /// What the edit names of a track; `nil` for a track that it removes.
  private func namedAtoms(_ trak: Int) -> Set<FourCC>? {
    let id = trackID(trak, in: old)
    return removedTrackIDs.contains(id) ? nil : namedByTrack[id] ?? []
  }

  private func isAddition(_ index: Int, insteadOf child: Int?, named: Set<FourCC>) -> Bool {
    let type = new[index].type
    if type == "trak" { return newTrackIDs.contains(trackID(index, in: new)) }
    guard named.contains(type) else { return false }
    return child.map { !areSameKind(old[$0].type, type) } ?? true
  }

  private func areSameKind(_ left: FourCC, _ right: FourCC) -> Bool {
    left == right || (left == "stco" && right == "co64")
  }

  /// Only the next track ID may change.
  private func compareMovieHeaders(_ pair: Pair) throws(MovieError) {
    var before = try old.decode(MovieHeader.self, at: pair.old)
    before.nextTrackID = try new.decode(MovieHeader.self, at: pair.new).nextTrackID
    guard before.payloadBytes == new.payload(of: pair.new).array else { throw changed(pair.old, "its bytes changed") }
  }

  /// Flags and group of a track header may change when the edit names it, anything of another named atom.
  private func compareNamed(_ pair: Pair) throws(MovieError) {
    guard old[pair.old].type == "tkhd" else { return }
    var before = try old.decode(TrackHeader.self, at: pair.old)
    let after = try new.decode(TrackHeader.self, at: pair.new)
    before.alternateGroup = after.alternateGroup
    before.isEnabled = after.isEnabled
    guard before.payloadBytes == new.payload(of: pair.new).array else {
      throw changed(pair.old, "more than flags and group changed")
    }
  }

  /// The number of entries, and what stands beside them, may not change.
  private func comparePositions(_ pair: Pair) throws(MovieError) {
    let before = old.payload(of: pair.old)
    let after = new.payload(of: pair.new)
    switch old[pair.old].type {
    case "stco", "co64":
      guard before.slice(at: 0, count: 8) == after.slice(at: 0, count: 8) else {
        throw changed(pair.old, "the number of chunks changed")
      }
      guard tail(before, old[pair.old].type) == tail(after, new[pair.new].type) else {
        throw changed(pair.old, "the bytes after its positions changed")
      }
    default:
      guard before.count == after.count else { throw changed(pair.old, "its size changed") }
    }
  }

  /// What stands behind the positions that a table of chunks claims.
  private func tail(_ table: Bytes, _ type: FourCC) -> Bytes {
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
