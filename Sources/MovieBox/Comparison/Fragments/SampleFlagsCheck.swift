/// Compares what the flags of fragments say of samples, beside being sync samples, with `sdtp`, `padb` and `stdp` of
/// the movie without fragments.
struct SampleFlagsCheck {
  /// The fields of one `stbl`; a table that is not there, or ends early, says 0.
  private struct Tables {
    private let sdtp: Bytes
    private let padb: Bytes
    private let stdp: Bytes

    init(in stbl: Int, of tree: AtomTree) {
      func fields(_ type: FourCC, after header: Int) -> Bytes {
        tree.child(of: stbl, type).map { tree.payload(of: $0).dropFirst(header) } ?? Bytes()
      }
      sdtp = fields("sdtp", after: 4)
      padb = fields("padb", after: 8)
      stdp = fields("stdp", after: 4)
    }

    var isEmpty: Bool { sdtp.isEmpty && padb.isEmpty && stdp.isEmpty }

    subscript(sample: Int) -> SampleFields {
      let bits = sample / 2 < padb.count ? padb[sample / 2] : 0
      return SampleFields(
        dependencies: sample < sdtp.count ? sdtp[sample] : 0, padding: (sample % 2 == 0 ? bits >> 4 : bits) & 7,
        priority: stdp.load(at: 2 * sample, as: UInt16.self) ?? 0)
    }
  }

  private struct SampleFields: Equatable {
    var dependencies: UInt8
    var padding: UInt8
    var priority: UInt16

    init(dependencies: UInt8, padding: UInt8, priority: UInt16) {
      (self.dependencies, self.padding, self.priority) = (dependencies, padding, priority)
    }

    init(_ flags: SampleFlags) {
      self.init(
        dependencies: flags.dependencyByte, padding: flags.paddingBitCount, priority: flags.degradationPriority)
    }
  }

  private let trackID: UInt32
  private let isText: Bool
  private let plain: Tables

  /// Reads the tables, and checks the samples that `moov` had.
  init(
    of track: Track, fragmented: (stbl: Int, tree: AtomTree), plain: (stbl: Int, tree: AtomTree), tableSampleCount: Int
  ) throws(MovieError) {
    (trackID, isText) = (track.id, track.mediaType.isText)
    self.plain = Tables(in: plain.stbl, of: plain.tree)
    let before = Tables(in: fragmented.stbl, of: fragmented.tree)
    guard !before.isEmpty || !self.plain.isEmpty else { return }
    for sample in 0..<tableSampleCount { try expect(before[sample], of: sample) }
  }

  /// Checks the samples of runs, whose own `sdtp` may say more.
  func check(_ runs: ArraySlice<FragmentRun>, own: Bytes?) throws(MovieError) {
    var place = 0
    for run in runs {
      for index in 0..<run.sampleCount {
        let flags = run.table.sampleFlags(at: index) ?? run.defaults.flags
        var fields = SampleFields(isText ? flags.ofText : flags)
        if let own, place < own.count { fields.dependencies = own[place] }
        try expect(fields, of: run.firstSample + index)
        place += 1
      }
    }
  }

  private func expect(_ fields: SampleFields, of sample: Int) throws(MovieError) {
    guard plain[sample] == fields else {
      throw MovieError(
        .contentsDiffer, "track \(trackID): sample \(sample + 1) does not depend on others in the same way")
    }
  }
}
