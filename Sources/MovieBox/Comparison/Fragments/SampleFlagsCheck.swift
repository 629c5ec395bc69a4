/// Compares what the flags of fragments say of samples, beside being sync samples, with `sdtp`, `padb` and `stdp` of
/// the movie without fragments.
struct SampleFlagsCheck {
  private struct SampleFields: Equatable {
    var dependencies: UInt8
    var padding: UInt8
    var priority: UInt16

    init(dependencies: UInt8, padding: UInt8, priority: UInt16) {
      (self.dependencies, self.padding, self.priority) = (dependencies, padding, priority)
    }

    init(_ tables: SampleFlagTables, of sample: Int) {
      self.init(
        dependencies: tables.dependencies(of: sample), padding: tables.padding(of: sample),
        priority: tables.priority(of: sample))
    }

    init(_ flags: SampleFlags) {
      self.init(
        dependencies: flags.dependencyByte, padding: flags.paddingBitCount, priority: flags.degradationPriority)
    }
  }

  private let trackID: UInt32
  private let isText: Bool
  private let plain: SampleFlagTables

  /// Reads the tables, and checks the samples that `moov` had.
  init(
    of track: Track, fragmented: (stbl: Int, tree: AtomTree), plain: (stbl: Int, tree: AtomTree), tableSampleCount: Int
  ) throws(MovieError) {
    (trackID, isText) = (track.id, track.mediaType.isText)
    self.plain = SampleFlagTables(in: plain.stbl, of: plain.tree)
    let before = SampleFlagTables(in: fragmented.stbl, of: fragmented.tree)
    let count = Swift.min(tableSampleCount, Swift.max(before.sampleCount, self.plain.sampleCount))
    for sample in 0..<count { try expect(SampleFields(before, of: sample), of: sample) }
  }

  /// Checks the samples of runs, whose own `sdtp` may say more.
  func check(_ runs: ArraySlice<FragmentRun>, own: Bytes?) throws(MovieError) {
    var place = 0
    for run in runs {
      for index in 0..<run.sampleCount {
        let flags = run.table.sampleFlags(at: index) ?? run.defaults.flags
        var fields = SampleFields(isText ? flags.correctedForText : flags)
        if let own, place < own.count { fields.dependencies = own[place] }
        try expect(fields, of: run.firstSample + index)
        place += 1
      }
    }
  }

  private func expect(_ fields: SampleFields, of sample: Int) throws(MovieError) {
    guard SampleFields(plain, of: sample) == fields else {
      throw MovieError(
        .contentsDiffer, "track \(trackID): sample \(sample + 1) does not depend on others in the same way")
    }
  }
}
