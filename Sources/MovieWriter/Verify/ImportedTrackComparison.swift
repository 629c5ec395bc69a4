import MovieBox

/// Compares a track in the movie that it was taken from with the same track in the edited one, and throws at the first
/// atom that changed without reason.
///
/// May differ: the ID, group, flags and duration in `tkhd`; how long edits last, by rounding; references; language,
/// title and tags; positions, which are checked one by one elsewhere.
struct ImportedTrackComparison {
  let old: AtomTree
  let new: AtomTree
  let oldTimeScale: UInt32
  let newTimeScale: UInt32
  /// Whether auxiliary information of the samples lay in fragments, and was put into tables.
  var hasNewAuxiliary = false

  private struct Pair {
    let old: Int
    let new: Int
  }

  func check(_ oldTrak: Int, _ newTrak: Int) throws(MovieError) {
    var open = [Pair(old: oldTrak, new: newTrak)]
    while let pair = open.popLast() {
      try compare(pair, &open)
    }
  }

  private func compare(_ pair: Pair, _ open: inout [Pair]) throws(MovieError) {
    if old.bytes(of: pair.old) == new.bytes(of: pair.new) { return }
    switch (old[pair.old].type, parentType(of: pair.old)) {
    case ("tkhd", "trak"): return try compareTrackHeaders(pair)
    case ("mdhd", "mdia"): return try compareMediaHeaders(pair)
    case ("elst", "edts"): return try compareEdits(pair)
    case ("stco", "stbl"), ("co64", "stbl"), ("saio", "stbl"):
      guard let reason = TreeComparison.changeBesidePositions(old, pair.old, new, pair.new) else { return }
      throw changed(pair.old, reason)
    default: break
    }
    guard old[pair.old].isContainer, new[pair.new].isContainer else { throw changed(pair.old, "its bytes changed") }
    guard old[pair.old].headerByteCount == new[pair.new].headerByteCount else {
      throw changed(pair.old, "the width of its size changed")
    }
    guard head(old, pair.old) == head(new, pair.new), old.tail(of: pair.old) == new.tail(of: pair.new) else {
      throw changed(pair.old, "the bytes beside its children changed")
    }
    // What may come and go is left out on both sides; all else is there, in its order.
    let before = old.children(of: pair.old).filter { !mayComeAndGo($0, of: old) }
    let after = new.children(of: pair.new).filter { !mayComeAndGo($0, of: new) }
    for (left, right) in zip(before, after) {
      guard TreeComparison.areSameKind(old[left].type, new[right].type) else {
        throw changed(left, "it is lost or out of order")
      }
      open.append(Pair(old: left, new: right))
    }
    if before.count > after.count { throw changed(before[after.count], "it is lost") }
    if before.count < after.count { throw changed(pair.old, "a \(new[after[before.count]].type) was added to it") }
  }

  /// Whether an atom may come, go and change: one that says what the track is to others and to people, and user data
  /// that holds nothing else.
  private func mayComeAndGo(_ index: Int, of tree: AtomTree) -> Bool {
    let type = tree[index].type
    switch tree[index].parent.map({ tree[$0].type }) {
    case "trak" where type == "udta": return tree.children(of: index).allSatisfy { mayComeAndGo($0, of: tree) }
    case "trak": return type == "tref" || type == "txas"
    case "mdia": return type == "elng"
    case "stbl": return hasNewAuxiliary && (type == "saiz" || type == "saio")
    case "udta": return TrackLabels.userDataTypes.contains(type)
    default: return false
    }
  }

  private func compareTrackHeaders(_ pair: Pair) throws(MovieError) {
    var before = try old.decode(TrackHeader.self, at: pair.old)
    let after = try new.decode(TrackHeader.self, at: pair.new)
    let isUnknown = before.duration == 0 || before.isDurationUnknown
    guard isUnknown ? after.duration == before.duration : isNearest(after.duration, to: before.duration) else {
      throw changed(pair.old, "a duration of \(before.duration) became \(after.duration)")
    }
    let isWidened = before.version == 0 && after.version == 1 && after.duration >= UInt64(UInt32.max)
    if isWidened { before.version = 1 }
    before.trackID = after.trackID
    before.alternateGroup = after.alternateGroup
    before.duration = after.duration
    before.isEnabled = after.isEnabled
    before.isInMovie = after.isInMovie
    before.isInPreview = after.isInPreview
    guard before == after else { throw changed(pair.old, "more than ID, flags, group and duration changed") }
  }

  private func compareMediaHeaders(_ pair: Pair) throws(MovieError) {
    var before = try old.decode(MediaHeader.self, at: pair.old)
    let after = try new.decode(MediaHeader.self, at: pair.new)
    before.languageCode = after.languageCode
    guard before == after else { throw changed(pair.old, "more than the language changed") }
  }

  /// Each edit ends at the tick of the new movie that is nearest to where it ended.
  private func compareEdits(_ pair: Pair) throws(MovieError) {
    var before = try old.decode(EditList.self, at: pair.old)
    let after = try new.decode(EditList.self, at: pair.new)
    guard before.entries.count == after.entries.count else { throw changed(pair.old, "the number of edits changed") }
    var end: UInt64 = 0
    var newEnd: UInt64 = 0
    for (index, edit) in after.entries.enumerated() {
      end = end.addingReportingOverflow(before.entries[index].segmentDuration).partialValue
      newEnd = newEnd.addingReportingOverflow(edit.segmentDuration).partialValue
      guard isNearest(newEnd, to: end) else {
        throw changed(pair.old, "edit \(index + 1) ended at \(end), now at \(newEnd)")
      }
      before.entries[index].segmentDuration = edit.segmentDuration
    }
    before.version = after.version
    guard before == after else { throw changed(pair.old, "more than the length of edits changed") }
  }

  /// Whether a time in the new movie is no more than half a tick from one in the old: |new·old scale − old·new scale|
  /// is no more than half the old scale.
  private func isNearest(_ time: UInt64, to oldTime: UInt64) -> Bool {
    let one = time.multipliedFullWidth(by: UInt64(oldTimeScale))
    let other = oldTime.multipliedFullWidth(by: UInt64(newTimeScale))
    let (larger, smaller) = (one.high, one.low) >= (other.high, other.low) ? (one, other) : (other, one)
    let (low, borrow) = larger.low.subtractingReportingOverflow(smaller.low)
    let high = larger.high &- smaller.high &- (borrow ? 1 : 0)
    return high == 0 && low <= UInt64(oldTimeScale) / 2
  }

  private func parentType(of index: Int) -> FourCC? {
    old[index].parent.map { old[$0].type }
  }

  /// The bytes before the first child, without the size.
  private func head(_ tree: AtomTree, _ index: Int) -> Bytes {
    tree.head(of: index).dropFirst(tree[index].headerByteCount)
  }

  private func changed(_ index: Int, _ reason: String) -> MovieError {
    MovieError(.planCheckFailed, at: old.range(of: index).offset, in: old.path(of: index), reason)
  }
}
