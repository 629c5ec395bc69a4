import MovieBox

/// The random access point groups (`rap `) of a track: samples at which decoding can begin although pictures shown
/// before them cannot be decoded (ISO/IEC 14496-12 10.4).
struct RandomAccessGroups {
  static let groupingType: FourCC = "rap "
  /// The description of a random access point with an unknown number of leading samples.
  static let unknownLead = Bytes([0])

  /// The `sbgp` atoms of the type.
  let sampleGroups: [Int]
  /// The `sgpd` atoms of the type.
  let descriptions: [Int]
  /// The descriptions in the first `sgpd`, or `nil` if their length is unknown.
  let entries: [Bytes]?
  /// The index of the description for samples that no `sbgp` lists. Indices count from 1; 0 means no description.
  let defaultIndex: UInt32
  private let version: UInt8
  private let tables: [SampleToGroupTable]
  private let sampleCount: Int

  /// Reads the groups of a track. Throws if an atom is damaged.
  init(in stbl: Int, of tree: AtomTree, sampleCount: Int) throws(MovieError) {
    func atoms(_ type: FourCC) -> [Int] {
      tree.children(of: stbl, type).filter {
        tree.payload(of: $0).load(at: 4, as: UInt32.self) == Self.groupingType.rawValue
      }
    }
    (sampleGroups, descriptions) = (atoms("sbgp"), atoms("sgpd"))
    self.sampleCount = sampleCount
    tables = try sampleGroups.map { atom throws(MovieError) in try tree.decode(SampleToGroupTable.self, at: atom) }
    guard let first = descriptions.first else {
      (entries, defaultIndex, version) = ([], 0, 1)
      return
    }
    let list = try tree.decode(SampleGroupDescriptions.self, at: first)
    (entries, defaultIndex, version) = (list.entries, list.defaultIndex ?? 0, max(1, list.version))
  }

  /// The description index of each sample in the first `sbgp`. Indices count from 1; 0 means no description.
  var runsOfFirstTable: RunLengths<UInt32> { runs(of: tables.first, hasDefault: true) }

  /// The indices in each `sbgp`, or only the default if there is no `sbgp`.
  var runsOfEachTable: [RunLengths<UInt32>] {
    [runsOfFirstTable] + tables.dropFirst().map { runs(of: $0, hasDefault: false) }
  }

  private func runs(of table: SampleToGroupTable?, hasDefault: Bool) -> RunLengths<UInt32> {
    var runs = RunLengths<UInt32>()
    if let table {
      for entry in table where runs.count < sampleCount {
        runs.append(entry.descriptionIndex, count: min(Int(entry.sampleCount), sampleCount - runs.count))
      }
    }
    runs.fill(to: sampleCount, with: hasDefault ? defaultIndex : 0)
    return runs
  }

  /// Returns the atoms with the samples added to the group. An unchanged atom is `nil`. Sample numbers count from 1.
  ///
  /// Throws if the descriptions of samples in the group cannot be read.
  func adding(_ numbers: [UInt32]) throws(MovieError) -> (descriptions: [UInt8]?, sampleGroups: [UInt8]?) {
    let old = runsOfFirstTable
    let existingIndex = entries?.firstIndex(of: Self.unknownLead)
    let number = UInt32(clamping: (existingIndex ?? entries?.count ?? 0) + 1)  // Stored indices begin at 1.
    var newRuns = RunLengths<UInt32>()
    var remainingNumbers = numbers.lazy.compactMap { Int(exactly: $0) }.map { $0 - 1 }.makeIterator()
    var next = remainingNumbers.next()
    for run in old.runs {
      let end = newRuns.count + run.count
      while run.value == 0, let index = next, index < end {
        newRuns.fill(to: index, with: 0)
        newRuns.append(number)
        next = remainingNumbers.next()
      }
      while let index = next, index < end { next = remainingNumbers.next() }
      newRuns.fill(to: end, with: run.value)
    }
    guard newRuns != old else { return (nil, nil) }
    guard let entries, sampleGroups.isEmpty || !descriptions.isEmpty else {
      throw MovieError(.malformed, in: "moov", "the random access point descriptions (sgpd, rap) cannot be read")
    }
    var remainingRuns = newRuns.runs[...]
    if defaultIndex == 0, remainingRuns.last?.value == 0 { remainingRuns.removeLast() }
    return (
      existingIndex == nil || descriptions.isEmpty
        ? SampleTableAtoms.groupDescriptions(
          Self.groupingType, version: version, defaultIndex: defaultIndex,
          existingIndex == nil ? entries + [Self.unknownLead] : entries) : nil,
      SampleTableAtoms.sampleGroups(
        Self.groupingType, parameter: tables.first?.parameter, remainingRuns.map { (count: $0.count, group: $0.value) })
    )
  }
}

/// The samples at which decoding can begin although the pictures shown directly before them cannot be decoded: `stps`
/// in QuickTime movies, `rap ` groups in ISO files (ISO/IEC 14496-12 10.4).
enum PartialSyncSamples {
  /// The largest number of partial sync samples: three hours at 100 pictures a second.
  private static let limit = 1_080_000

  /// Returns the numbers of the samples that `stps` lists, from 1, sorted and without duplicates.
  static func numbers(in stbl: Int, of tree: AtomTree, sampleCount: Int) throws(MovieError) -> [UInt32] {
    var numbers: [UInt32] = []
    for atom in tree.children(of: stbl, "stps") {
      numbers += try tree.decode(SyncSampleTable.self, at: atom).filter { $0 > 0 && Int($0) <= sampleCount }
    }
    let isSorted = zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
    return isSorted ? numbers : Set(numbers).sorted()
  }

  /// Returns the sorted numbers of the samples that are in a group but not in `stss`. Throws `.limit` for too many
  /// samples.
  ///
  /// A file may contain many `sbgp` atoms that each list all samples. The groups are united first, so that `stss` is
  /// read only once.
  static func numbers(
    inGroups groups: RandomAccessGroups, of track: Track
  ) throws(MovieError) -> [UInt32] {
    var ranges: [Range<Int>] = []
    for runs in groups.runsOfEachTable {
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
          // A single entry may declare any number of samples. But no film has a million random access points that
          // `stss` does not list.
          guard numbers.count < limit else {
            throw MovieError(.limit, in: "moov", "track \(track.id) has more than \(limit) random access points (rap)")
          }
          numbers.append(UInt32(clamping: sample))
        }
        sample += 1
      }
    }
    return numbers
  }
}
