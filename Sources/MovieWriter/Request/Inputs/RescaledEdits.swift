import MovieBox

/// An edit list in a movie of another time scale.
///
/// Media times are as they were: they count in ticks of the media. Where an edit ends in the movie is rounded to the
/// nearest tick of the new scale, counted from the movie's start, so that no edit begins or ends off by more than half
/// a tick however many come before it. An edit of unknown length keeps that, and takes no time.
struct RescaledEdits {
  /// The list in the new scale.
  let list: EditList
  /// How many edits begin or end elsewhere than they did, by less than a tick.
  let roundedCount: Int
  /// How many edits show or wait for something too short for a tick, and last none now.
  let vanishedCount: Int

  /// Throws `.limit` where a time does not fit in 64 bits.
  init(_ list: EditList, from old: UInt32, to new: UInt32) throws(MovieError) {
    var rescaled = list
    var roundedCount = 0
    var vanishedCount = 0
    var end = UInt64(0)
    var newEnd = UInt64(0)
    var isExact = true
    for index in list.entries.indices where !list.entries[index].hasUnknownDuration {
      let (sum, overflow) = end.addingReportingOverflow(list.entries[index].segmentDuration)
      guard !overflow, let rounded = sum.scaledToNearest(by: UInt64(new), over: UInt64(old)) else {
        throw MovieError(.limit, "edits that last longer than 64 bits count")
      }
      let duration = rounded - newEnd  // Later ends are not rounded to earlier ticks.
      let endsExactly = rounded.multipliedFullWidth(by: UInt64(old)) == sum.multipliedFullWidth(by: UInt64(new))
      if !isExact || !endsExactly { roundedCount += 1 }
      if duration == 0, sum > end { vanishedCount += 1 }
      rescaled.entries[index].segmentDuration = duration
      (end, newEnd, isExact) = (sum, rounded, endsExactly)
    }
    // What all ones of 32 bits would say is not known.
    if zip(list.entries, rescaled.entries).contains(where: { old, new in
      !old.hasUnknownDuration && new.segmentDuration >= UInt64(UInt32.max)
    }) {
      rescaled.version = 1
      for index in list.entries.indices where list.entries[index].hasUnknownDuration {
        rescaled.entries[index].segmentDuration = .max
      }
    }
    self.list = rescaled
    self.roundedCount = roundedCount
    self.vanishedCount = vanishedCount
  }
}
