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

  func check(_ oldTrak: Int, _ newTrak: Int) throws(MovieError) {
    let comparison = AtomTreeComparison(old, new, isStrict: true) { side, index in
      mayComeAndGo(index, of: side == .old ? old : new)
    }
    try comparison.compare(oldTrak, newTrak) { finding throws(MovieError) in
      guard case .payload(let left, let right) = finding else { throw finding.refusal(old, new) }
      switch (old[left].type, old[left].parent.map { old[$0].type }) {
      case ("tkhd", "trak"): try compareTrackHeaders(left, right)
      case ("mdhd", "mdia"): try compareMediaHeaders(left, right)
      case ("elst", "edts"): try compareEdits(left, right)
      case ("stco", "stbl"), ("co64", "stbl"), ("saio", "stbl"):
        guard let reason = PositionComparison.changeBesidePositions(old, left, new, right) else { return }
        throw changed(left, reason)
      default: throw finding.refusal(old, new)
      }
    }
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

  private func compareTrackHeaders(_ left: Int, _ right: Int) throws(MovieError) {
    var before = try old.decode(TrackHeader.self, at: left)
    let after = try new.decode(TrackHeader.self, at: right)
    let isUnknown = before.duration == 0 || before.isDurationUnknown
    guard isUnknown ? after.duration == before.duration : isNearest(after.duration, to: before.duration) else {
      throw changed(left, "a duration of \(before.duration) became \(after.duration)")
    }
    let isWidened = before.version == 0 && after.version == 1 && after.duration >= UInt64(UInt32.max)
    if isWidened { before.version = 1 }
    before.trackID = after.trackID
    before.alternateGroup = after.alternateGroup
    before.duration = after.duration
    before.isEnabled = after.isEnabled
    before.isInMovie = after.isInMovie
    before.isInPreview = after.isInPreview
    guard before == after else { throw changed(left, "more than ID, flags, group and duration changed") }
  }

  private func compareMediaHeaders(_ left: Int, _ right: Int) throws(MovieError) {
    var before = try old.decode(MediaHeader.self, at: left)
    let after = try new.decode(MediaHeader.self, at: right)
    before.languageCode = after.languageCode
    guard before == after else { throw changed(left, "more than the language changed") }
  }

  /// Each edit ends at the tick of the new movie that is nearest to where it ended; one of unknown length is so still.
  private func compareEdits(_ left: Int, _ right: Int) throws(MovieError) {
    var before = try old.decode(EditList.self, at: left)
    let after = try new.decode(EditList.self, at: right)
    guard before.entries.count == after.entries.count else { throw changed(left, "the number of edits changed") }
    var end: UInt64 = 0
    var newEnd: UInt64 = 0
    for (index, edit) in after.entries.enumerated() {
      guard !before.entries[index].hasUnknownDuration else {
        guard edit.hasUnknownDuration else { throw changed(left, "edit \(index + 1) had no known length") }
        before.entries[index].segmentDuration = edit.segmentDuration
        continue
      }
      end = end.addingReportingOverflow(before.entries[index].segmentDuration).partialValue
      newEnd = newEnd.addingReportingOverflow(edit.segmentDuration).partialValue
      guard isNearest(newEnd, to: end) else {
        throw changed(left, "edit \(index + 1) ended at \(end), now at \(newEnd)")
      }
      before.entries[index].segmentDuration = edit.segmentDuration
    }
    before.version = after.version
    guard before == after else { throw changed(left, "more than the length of edits changed") }
  }

  /// Whether a time in the new movie is no more than half a tick from one in the old: |new·old scale − old·new scale|
  /// is no more than half the old scale.
  private func isNearest(_ time: UInt64, to oldTime: UInt64) -> Bool {
    let one = UInt128(time) * UInt128(oldTimeScale)  // 96 bits at most.
    let other = UInt128(oldTime) * UInt128(newTimeScale)
    return max(one, other) - min(one, other) <= UInt128(oldTimeScale) / 2
  }

  private func changed(_ index: Int, _ reason: String) -> MovieError {
    old.error(.planCheckFailed, at: index, reason)
  }
}
