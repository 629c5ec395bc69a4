import MovieBox

/// Compares the partial sync samples of a track (`stps`) and its groups of random access points (`rap `) in two types of
/// movies.
///
/// It works on runs and sorted numbers: one entry of a group may claim millions of samples.
struct RandomAccessComparison {
  let old: Track
  let new: Track
  let oldTree: AtomTree
  let newTree: AtomTree
  let type: MovieType

  /// The difference that a conversion does not make, for people, or `nil` if there is none.
  func difference() throws(MovieError) -> String? {
    guard let before = oldTree.sampleTable(ofTrack: old.atom), let after = newTree.sampleTable(ofTrack: new.atom) else {
      return nil
    }
    func bytes(_ type: FourCC) -> (old: [Bytes], new: [Bytes]) {
      (
        oldTree.children(of: before, type).filter { Self.isTable($0, in: oldTree) }.map { oldTree.bytes(of: $0) },
        newTree.children(of: after, type).filter { Self.isTable($0, in: newTree) }.map { newTree.bytes(of: $0) }
      )
    }
    let (partial, groups, descriptions) = (bytes("stps"), bytes("sbgp"), bytes("sgpd"))
    let keepsGroups = groups.old == groups.new && descriptions.old == descriptions.new
    if keepsGroups, partial.old == partial.new, type.isQuickTime == !partial.old.isEmpty { return nil }
    if type.isQuickTime {
      guard keepsGroups else { return "its groups of random access points changed" }
      guard partial.old.isEmpty else {
        return partial.old == partial.new ? nil : "its partial sync samples changed"
      }
      let known = try RandomAccessGroups(in: before, of: oldTree, sampleCount: old.samples.sampleCount)
      let numbers = try PartialSyncSamples.numbers(inGroups: known, of: old)
      let expected = numbers.isEmpty ? [] : [Bytes(SampleTableAtoms.syncSamples(numbers, as: "stps"))]
      return partial.new == expected ? nil : "its partial sync samples changed"
    }
    guard partial.new.isEmpty else { return "it has partial sync samples (stps), which only QuickTime knows" }
    if partial.old.isEmpty { return keepsGroups ? nil : "its groups of random access points changed" }
    // The first group takes the samples; others of the type stay as they are.
    func keepsOthers(_ lists: (old: [Bytes], new: [Bytes])) -> Bool {
      lists.old.dropFirst().elementsEqual(lists.new.dropFirst())
    }
    guard keepsOthers(groups), keepsOthers(descriptions) else { return "it has more groups of random access points" }
    let isJoined = try isJoined(
      RandomAccessGroups(in: before, of: oldTree, sampleCount: old.samples.sampleCount),
      RandomAccessGroups(in: after, of: newTree, sampleCount: new.samples.sampleCount),
      by: PartialSyncSamples.numbers(in: before, of: oldTree, sampleCount: old.samples.sampleCount))
    return isJoined ? nil : "its partial sync samples changed"
  }

  /// Whether an atom is a table that is compared here.
  static func isTable(_ index: Int, in tree: AtomTree) -> Bool {
    switch tree[index].type {
    case "stps": true
    case "sbgp", "sgpd":
      tree.payload(of: index).load(at: 4, as: UInt32.self) == RandomAccessGroups.groupingType.rawValue
    default: false
    }
  }

  /// Whether the samples kept their descriptions, and each listed sample without one got the description "random
  /// access point, number of leading samples unknown".
  private func isJoined(_ before: RandomAccessGroups, _ after: RandomAccessGroups, by numbers: [UInt32]) -> Bool {
    let (left, right) = (before.firstRuns, after.firstRuns)
    guard before.defaultIndex == after.defaultIndex, left.count == right.count else { return false }
    if left == right, before.entries == after.entries {
      return missing(from: left, numbers).isEmpty
    }
    guard let known = before.entries, let entries = after.entries, entries.starts(with: known),
      entries.dropFirst(known.count).allSatisfy({ $0 == RandomAccessGroups.unknownLead })
    else { return false }
    let leads = Set(entries.indices.filter { entries[$0] == RandomAccessGroups.unknownLead }.map { UInt32($0 + 1) })
    var expected = missing(from: left, numbers)[...]
    var (one, other) = (left.runs[...], right.runs[...])
    var position = 0
    var (oneLeft, otherLeft) = (one.first?.count ?? 0, other.first?.count ?? 0)
    while let was = one.first, let now = other.first {
      let count = min(oneLeft, otherLeft)
      if was.value != now.value {
        let samples = position + 1...position + count
        guard was.value == 0, leads.contains(now.value), expected.count >= count,
          zip(expected, samples).allSatisfy({ Int($0) == $1 })
        else { return false }
        expected = expected.dropFirst(count)
      }
      position += count
      (oneLeft, otherLeft) = (oneLeft - count, otherLeft - count)
      if oneLeft == 0 {
        one.removeFirst()
        oneLeft = one.first?.count ?? 0
      }
      if otherLeft == 0 {
        other.removeFirst()
        otherLeft = other.first?.count ?? 0
      }
    }
    return expected.isEmpty
  }

  /// The numbers of samples that a group does not contain.
  private func missing(from runs: RunLengths<UInt32>, _ numbers: [UInt32]) -> [UInt32] {
    var missing: [UInt32] = []
    var left = numbers[...]
    var end = 0
    for run in runs.runs {
      end += run.count
      while let number = left.first, Int(number) <= end {
        if run.value == 0 { missing.append(number) }
        left.removeFirst()
      }
    }
    return missing
  }
}
