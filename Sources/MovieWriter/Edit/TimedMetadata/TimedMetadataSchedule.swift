import MovieBox

/// The samples of a timed metadata track: the groups of a request without overlaps, and gaps between them.
///
/// A sample contains everything that is valid at its time. Where groups overlap, the samples are divided at every start
/// and end, and contain the items of all groups. An item of a later group replaces the items with its identifier and
/// language.
struct TimedMetadataSchedule: Sendable {
  struct Sample: Sendable {
    /// The time range in the movie, in microseconds.
    let microseconds: Range<Int64>
    /// The items, or an empty array for a gap.
    let items: [MetadataItem]
  }

  /// The samples, which cover the movie without gaps or overlaps.
  private(set) var samples: [Sample] = []
  /// The number of groups that begin at or after the end of the movie, or end before its start.
  private(set) var omittedGroupCount = 0
  /// The number of groups that the start or the end of the movie shortens.
  private(set) var shortenedGroupCount = 0
  /// The number of groups with items that are within the movie, at least in part.
  private(set) var writtenGroupCount = 0
  /// The number of items that are replaced by an item of a later group during at least a part of their time.
  private(set) var replacedItemCount = 0

  /// The maximum number of items in all samples. If groups overlap, the samples can contain many more items than the
  /// groups.
  private static let itemCountLimit = 8_000_000

  /// A group within the movie.
  private struct Group {
    let range: Range<Int64>
    let items: [MetadataItem]
  }

  /// - Parameter end: the end of the movie in microseconds.
  init(_ groups: [TimedMetadataGroup], end: Int64) throws(MovieError) {
    let shown = shownGroups(groups, end: end)
    var active: [Group] = []
    var (next, time, itemCount) = (0, Int64(0), 0)
    while time < end {
      while next < shown.count, shown[next].range.lowerBound <= time {
        active.append(shown[next])
        next += 1
      }
      active.removeAll { $0.range.upperBound <= time }
      var boundary = next < shown.count ? shown[next].range.lowerBound : end
      for group in active { boundary = min(boundary, group.range.upperBound) }
      let items = active.count > 1 ? mergeItems(of: active) : active.first?.items ?? []
      itemCount += items.count + active.count
      guard itemCount <= Self.itemCountLimit else {
        throw MovieError(.limit, "overlapping groups require more than \(Self.itemCountLimit) items in the samples")
      }
      samples.append(Sample(microseconds: time..<boundary, items: items))
      time = boundary
    }
  }

  /// Returns the groups in the order of their starts, limited to the movie. A group without an end lasts until the next
  /// start.
  private mutating func shownGroups(_ groups: [TimedMetadataGroup], end: Int64) -> [Group] {
    var shown: [Group] = []
    var (start, nextStart) = (Int64.max, Int64.max)
    for group in groups.sorted(by: { $0.microseconds.lowerBound < $1.microseconds.lowerBound }).reversed() {
      // Groups that begin at the same time have the same next start.
      if group.microseconds.lowerBound < start { (start, nextStart) = (group.microseconds.lowerBound, start) }
      let groupEnd = group.microseconds.upperBound == .max ? nextStart : group.microseconds.upperBound
      if max(0, start) < min(end, groupEnd) {
        shown.append(Group(range: max(0, start)..<min(end, groupEnd), items: group.items))
        if !group.items.isEmpty { writtenGroupCount += 1 }
        // Do not count a group without its own end as shortened by the end of the movie.
        if start < 0 || groupEnd > end && group.microseconds.upperBound != .max { shortenedGroupCount += 1 }
      } else {
        omittedGroupCount += 1
      }
    }
    return shown.reversed()
  }

  /// Merges the items of groups that overlap. The groups must be in the order of their starts.
  private mutating func mergeItems(of groups: [Group]) -> [MetadataItem] {
    struct Kind: Hashable {
      let identifier: MetadataIdentifier
      let language: LanguageTag?
    }
    var known: Set<Kind> = []
    var merged: [[MetadataItem]] = []
    for group in groups.reversed() {
      let kinds = group.items.map { Kind(identifier: $0.identifier, language: $0.language) }
      let kept = zip(group.items, kinds).filter { !known.contains($0.1) }.map(\.0)
      replacedItemCount += group.items.count - kept.count
      known.formUnion(kinds)
      merged.append(kept)
    }
    return merged.reversed().flatMap { $0 }
  }
}
