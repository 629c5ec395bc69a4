/// Compares the groups, dependencies, subsamples and encryption of a track in two fragmented movies.
///
/// The atoms of the fragments are compared byte by byte. Atoms that contain only times, sizes and positions are
/// ignored, because these values are compared for each sample elsewhere. The comparison requires that both movies
/// divide the samples into the same fragments.
struct FragmentComparison {
  /// Whether both movies divide the samples into the same fragments. Otherwise, no atoms are compared.
  private(set) var isComparable = true
  /// Whether the fragments of either movie contain atoms to compare.
  private(set) var hasContents = false
  /// The first atom that differs, in the old and in the new movie.
  private(set) var first: (old: Contents.AtomPosition?, new: Contents.AtomPosition?)?
  private(set) var count = 0

  /// The types of ignored atoms. Their values are positions, or are compared for each sample elsewhere.
  fileprivate static let ignoredTypes: Set<FourCC> = ["tfhd", "tfdt", "trun", "saio"]

  init(_ old: Contents, _ new: Contents, trackID: UInt32) {
    let before = old.fragmentAtoms[trackID] ?? []
    let after = new.fragmentAtoms[trackID] ?? []
    hasContents = !(before + after).allSatisfy(\.atoms.isEmpty)
    guard before.map(\.samples) == after.map(\.samples) else {
      isComparable = false
      return
    }
    for (left, right) in zip(before, after) {
      for index in 0..<Swift.max(left.atoms.count, right.atoms.count) {
        let one = left.atoms.indices.contains(index) ? left.atoms[index] : nil
        let other = right.atoms.indices.contains(index) ? right.atoms[index] : nil
        guard one?.bytes != other?.bytes else { continue }
        count += 1
        if first == nil { first = (one?.place, other?.place) }
      }
    }
  }

  fileprivate struct TrackFragmentAtoms {
    let samples: Range<Int>
    let atoms: [(bytes: Bytes, place: Contents.AtomPosition)]
  }

  /// The track fragments of a movie by track ID. Each fragment is read once for all tracks.
  struct Contents {
    /// The index of a fragment in the movie, and the index of an atom in the fragment's tree.
    typealias AtomPosition = (fragment: Int, atom: Int)

    fileprivate private(set) var fragmentAtoms: [UInt32: [TrackFragmentAtoms]] = [:]
    private let fragments: MovieFragments
    /// The trees that ``location(of:)`` has read, by the index of their fragment.
    private var trees: [Int: AtomTree] = [:]

    init(_ fragments: MovieFragments) throws(MovieError) {
      self.fragments = fragments
      for fragment in fragments.fragments {
        let tree = try fragment.tree()
        for trackFragment in fragment.trackFragments {
          guard let track = fragments.track(trackFragment.trackID) else { continue }
          let runs = track.runs[trackFragment.runs]
          guard let first = runs.first, let last = runs.last else { continue }
          let children = tree.children(of: trackFragment.atom)
          let atoms = children.filter { !FragmentComparison.ignoredTypes.contains(tree[$0].type) }
            .map { (tree.bytes(of: $0), (fragment.index, $0)) }
          fragmentAtoms[trackFragment.trackID, default: []].append(
            TrackFragmentAtoms(samples: first.firstSample..<last.samples.upperBound, atoms: atoms))
        }
      }
    }

    /// Returns the path and range of an atom. Its fragment is read again, but only once for all its atoms.
    mutating func location(of position: AtomPosition?) throws(MovieError) -> MovieComparison.Difference.Location? {
      guard let position else { return nil }
      if let tree = trees[position.fragment] { return tree.place(of: position.atom) }
      let tree = try fragments.fragments[position.fragment].tree()
      trees[position.fragment] = tree
      return tree.place(of: position.atom)
    }
  }
}

/// Compares the sample flags of a track's fragments with `sdtp`, `padb` and `stdp` of the plain movie. The sync flag is
/// compared elsewhere.
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
  private let plainFlags: SampleFlagTables

  /// Reads the tables of both movies, and compares the samples that the fragmented movie stores in `moov`.
  init(
    of track: Track, fragmented: (stbl: Int, tree: AtomTree), plain: (stbl: Int, tree: AtomTree), tableSampleCount: Int
  ) throws(MovieError) {
    (trackID, isText) = (track.id, track.mediaType.isText)
    plainFlags = SampleFlagTables(in: plain.stbl, of: plain.tree)
    let before = SampleFlagTables(in: fragmented.stbl, of: fragmented.tree)
    let count = Swift.min(tableSampleCount, Swift.max(before.sampleCount, plainFlags.sampleCount))
    for sample in 0..<count { try expect(SampleFields(before, of: sample), of: sample) }
  }

  /// Compares the samples of runs. `dependencies` is the payload of the fragment's `sdtp`. It overrides the
  /// dependencies in the runs.
  func check(_ runs: ArraySlice<FragmentRun>, dependencies: Bytes?) throws(MovieError) {
    var position = 0
    for run in runs {
      for index in 0..<run.sampleCount {
        let flags = run.table.sampleFlags(at: index) ?? run.defaults.flags
        var fields = SampleFields(isText ? flags.correctedForText : flags)
        if let dependencies, position < dependencies.count { fields.dependencies = dependencies[position] }
        try expect(fields, of: run.firstSample + index)
        position += 1
      }
    }
  }

  private func expect(_ fields: SampleFields, of sample: Int) throws(MovieError) {
    guard SampleFields(plainFlags, of: sample) == fields else {
      throw MovieError(
        .contentsDiffer, "track \(trackID): the dependencies, padding or priority of sample \(sample + 1) differ")
    }
  }
}

/// Compares the `subs` atoms of a fragmented movie with the `subs` atoms of the plain movie (ISO/IEC 14496-12 8.7.7).
struct SubsamplesCheck {
  private let trackID: UInt32
  /// The entries of the plain movie, by the flags of their `subs` atom. The flags distinguish types of subsamples.
  private var plainEntries: [UInt32: SubsampleEntries] = [:]

  /// Reads the `subs` atoms of the plain movie, and compares the `subs` atoms that the fragmented movie stores in
  /// `stbl`.
  init(
    trackID: UInt32, fragmented: (stbl: Int, tree: AtomTree), plain: (stbl: Int, tree: AtomTree), tableSampleCount: Int
  ) throws(MovieError) {
    self.trackID = trackID
    do throws(MovieError) {
      for subs in plain.tree.children(of: plain.stbl, "subs") {
        let entries = try SubsampleEntries(plain.tree.payload(of: subs), firstSample: 0)
        guard plainEntries.updateValue(entries, forKey: entries.flags) == nil else {
          throw plain.tree.error(.malformed, at: subs, "repeats the flags of another subs atom")
        }
      }
    } catch {
      throw error.asDifference
    }
    for subs in fragmented.tree.children(of: fragmented.stbl, "subs") {
      try check(subs, of: fragmented.tree, samples: 0..<tableSampleCount)
    }
  }

  /// Checks that the next entries of the plain movie equal the entries of a `subs` atom. `samples` is the range of
  /// samples that the atom describes, counted from 0.
  mutating func check(_ subs: Int, of tree: AtomTree, samples: Range<Int>) throws(MovieError) {
    var entries = try SubsampleEntries(tree.payload(of: subs), firstSample: samples.lowerBound)
    while let entry = try entries.next() {
      guard samples.contains(entry.sampleNumber - 1) else { continue }
      guard let found = try nextPlainEntry(withFlags: entries.flags), found == entry else {
        throw failure("the subsamples of sample \(entry.sampleNumber) are missing or differ")
      }
    }
  }

  /// Checks that the plain movie has no further entries.
  mutating func finish() throws(MovieError) {
    for flags in plainEntries.keys.sorted() {
      if let entry = try nextPlainEntry(withFlags: flags) {
        throw failure("sample \(entry.sampleNumber) has subsamples that the fragments lack")
      }
    }
  }

  private mutating func nextPlainEntry(withFlags flags: UInt32) throws(MovieError) -> (
    sampleNumber: Int, subsamples: [SubsampleEntries.Subsample]
  )? {
    do throws(MovieError) {
      return try plainEntries[flags]?.next()
    } catch {
      throw error.asDifference
    }
  }

  private func failure(_ reason: String) -> MovieError {
    MovieError(.contentsDiffer, "track \(trackID): \(reason)")
  }
}
