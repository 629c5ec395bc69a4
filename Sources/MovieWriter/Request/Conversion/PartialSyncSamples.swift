import MovieBox

/// The samples at which decoding can begin though the pictures that are shown right before are missing: `stps` in
/// QuickTime movies, groups of the type `rap ` in ISO files (ISO/IEC 14496-12 10.4).
enum PartialSyncSamples {
  /// Three hours at 100 pictures a second, of which every one is a point to begin at.
  private static let limit = 1_080_000

  /// The numbers of the samples that `stps` lists, counted from 1, each once and in order.
  static func numbers(in stbl: Int, of tree: AtomTree, sampleCount: Int) throws(MovieError) -> [UInt32] {
    var numbers: [UInt32] = []
    for atom in tree.children(of: stbl, "stps") {
      numbers += try tree.decode(SyncSampleTable.self, at: atom).filter { $0 > 0 && Int($0) <= sampleCount }
    }
    let isSorted = zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
    return isSorted ? numbers : Set(numbers).sorted()
  }

  /// The numbers of the samples that groups of a track contain and `stss` does not, sorted; throws above the limit.
  ///
  /// A file may repeat `sbgp` often, and each may contain all samples, so the groups are united first: `stss` is then read
  /// once.
  static func numbers(
    inGroups groups: RandomAccessGroups, of track: Track
  ) throws(MovieError) -> [UInt32] {
    var ranges: [Range<Int>] = []
    for runs in groups.allRuns {
      var sample = 1
      for run in runs.runs {
        if run.value > 0 { ranges.append(sample..<sample + run.count) }
        sample += run.count
      }
    }
    ranges.sort { $0.lowerBound < $1.lowerBound }
    var numbers: [UInt32] = []
    var sync = track.samples.syncSamples?.makeIterator()
    var nextSync = sync?.next()
    var sample = 1
    for range in ranges where range.upperBound > sample {
      sample = max(sample, range.lowerBound)
      while sample < range.upperBound {
        while let number = nextSync, Int(number) < sample { nextSync = sync?.next() }
        if nextSync.map({ Int($0) }) != sample {
          // One entry may claim any number: no film has a million samples that only this makes points to begin at.
          guard numbers.count < limit else {
            throw MovieError(.limit, in: "moov", "more than \(limit) random access points (rap) in track \(track.id)")
          }
          numbers.append(UInt32(clamping: sample))
        }
        sample += 1
      }
    }
    return numbers
  }
}
