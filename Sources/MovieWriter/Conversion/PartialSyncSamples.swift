import MovieBox

/// The samples at which decoding can begin though the pictures that are shown right before are missing: `stps` in
/// QuickTime movies, groups of the type `rap ` in ISO files (ISO/IEC 14496-12 10.4).
enum PartialSyncSamples {
  private static let groupingType: FourCC = "rap "
  /// Three hours at 100 pictures a second, of which every one is a point to begin at.
  private static let limit = 1_080_000

  /// `sgpd` and `sbgp` that say what `stps` does; samples are counted from 1, in order.
  static func groups(of numbers: SyncSampleTable) -> (descriptions: [UInt8], samples: [UInt8]) {
    var runs = RunLengths<UInt32>()
    for number in numbers {
      guard let index = Int(exactly: number), index > runs.count else { continue }
      runs.fill(to: index - 1, with: 0)
      runs.append(1)
    }
    return (
      SampleTableAtoms.groupDescriptions(groupingType, [Bytes([0])]),  // How many samples to leave out is not known.
      SampleTableAtoms.sampleGroups(groupingType, runs.runs.lazy.map { (count: $0.count, group: $0.value) })
    )
  }

  /// `stps` for the samples that groups say so of, but those of `stss`; `nil` where there are none.
  static func table(in stbl: Int, of tree: AtomTree, _ track: Track) throws(MovieError) -> [UInt8]? {
    for atom in tree.children(of: stbl, "sbgp") {
      let groups = try tree.decode(SampleToGroupTable.self, at: atom)
      guard groups.groupingType == groupingType else { continue }
      var sync = track.samples.syncSamples?.makeIterator()
      var nextSync = sync?.next()
      var numbers: [UInt32] = []
      var sample: UInt64 = 1
      for entry in groups {
        let end = Swift.min(sample + UInt64(entry.sampleCount), UInt64(track.samples.sampleCount) + 1)
        // One entry may claim any number: no film has a million samples that only this makes points to begin at.
        guard entry.descriptionIndex == 0 || numbers.count + Int(clamping: end - Swift.min(sample, end)) <= limit else {
          throw MovieError(.limit, in: "moov", "more than \(limit) random access points (rap) in track \(track.id)")
        }
        while sample < end, entry.descriptionIndex > 0 {
          while let number = nextSync, UInt64(number) < sample { nextSync = sync?.next() }
          if nextSync.map({ UInt64($0) }) != sample { numbers.append(UInt32(clamping: sample)) }
          sample += 1
        }
        sample = Swift.max(sample, end)
      }
      return numbers.isEmpty ? nil : SampleTableAtoms.syncSamples(numbers, as: "stps")
    }
    return nil
  }
}
