/// Compares what the fragments of two fragmented movies say of a track's samples beside times, sizes and places:
/// groups, dependencies, subsamples, encryption.
struct FragmentComparison {
  /// Whether the samples are cut into fragments in the same way; else nothing is compared.
  private(set) var isComparable = true
  /// Whether there is something to compare.
  private(set) var hasContents = false
  /// The first atom that differs, in the old and in the new movie.
  private(set) var first: (old: Contents.Place?, new: Contents.Place?)?
  /// The number of samples that differ.
  private(set) var count = 0

  /// Atoms that are compared by samples, or that contain positions.
  fileprivate static let leftOut: Set<FourCC> = ["tfhd", "tfdt", "trun", "saio"]

  init(_ old: Contents, _ new: Contents, trackID: UInt32) {
    let before = old.parts[trackID] ?? []
    let after = new.parts[trackID] ?? []
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

  /// A track fragment.
  fileprivate struct Part {
    let samples: Range<Int>
    let atoms: [(bytes: Bytes, place: Contents.Place)]
  }

  /// The track fragments of a movie by track: each fragment is read once, however many tracks are compared.
  struct Contents {
    /// The position of a fragment in the movie, and of an atom in the fragment's tree.
    typealias Place = (fragment: Int, atom: Int)

    fileprivate private(set) var parts: [UInt32: [Part]] = [:]
    private let fragments: MovieFragments
    /// The trees of the fragments that ``place(_:)`` was asked for.
    private var trees: [Int: AtomTree] = [:]

    init(_ fragments: MovieFragments) throws(MovieError) {
      self.fragments = fragments
      for fragment in fragments.fragments {
        let tree = try fragment.tree()
        for part in fragment.trackFragments {
          guard let track = fragments.track(part.trackID) else { continue }
          let runs = track.runs[part.runs]
          guard let first = runs.first, let last = runs.last else { continue }
          let atoms = tree.children(of: part.atom).filter { !FragmentComparison.leftOut.contains(tree[$0].type) }
            .map { (tree.bytes(of: $0), (fragment.index, $0)) }
          parts[part.trackID, default: []].append(
            Part(samples: first.firstSample..<last.samples.upperBound, atoms: atoms))
        }
      }
    }

    /// Returns the path and the bytes of an atom. Reads the atom's fragment again, once for all its atoms.
    mutating func place(_ place: Place?) throws(MovieError) -> MovieDifference.Place? {
      guard let place else { return nil }
      if let tree = trees[place.fragment] { return tree.place(of: place.atom) }
      let tree = try fragments.fragments[place.fragment].tree()
      trees[place.fragment] = tree
      return tree.place(of: place.atom)
    }
  }
}

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

/// Compares what `subs` of the movie atom and of fragments says of parts of samples with `subs` of the movie without
/// fragments (ISO/IEC 14496-12 8.7.7).
struct SubsamplesCheck {
  private let trackID: UInt32
  /// By flags, which distinguish ways of dividing.
  private var plain: [UInt32: SubsampleEntries] = [:]

  /// Reads the plain atoms, and checks the ones from `stbl`.
  init(
    trackID: UInt32, fragmented: (stbl: Int, tree: AtomTree), plain: (stbl: Int, tree: AtomTree), tableSampleCount: Int
  ) throws(MovieError) {
    self.trackID = trackID
    do throws(MovieError) {
      for subs in plain.tree.children(of: plain.stbl, "subs") {
        let entries = try SubsampleEntries(plain.tree.payload(of: subs), firstSample: 0)
        guard self.plain.updateValue(entries, forKey: entries.flags) == nil else {
          throw plain.tree.error(.malformed, at: subs, "has the flags of another")
        }
      }
    } catch {
      throw error.asDifference
    }
    for subs in fragmented.tree.children(of: fragmented.stbl, "subs") {
      try check(subs, of: fragmented.tree, samples: 0..<tableSampleCount)
    }
  }

  /// The next plain entries must say what an atom does of the samples that it is about, counted from 0.
  mutating func check(_ subs: Int, of tree: AtomTree, samples: Range<Int>) throws(MovieError) {
    var entries = try SubsampleEntries(tree.payload(of: subs), firstSample: samples.lowerBound)
    while let entry = try entries.next() {
      guard samples.contains(entry.number - 1) else { continue }
      guard let found = try nextPlain(entries.flags), found == entry else {
        throw failure("the subsamples of sample \(entry.number) are missing or differ")
      }
    }
  }

  /// There must be no further entries.
  mutating func finish() throws(MovieError) {
    for flags in plain.keys.sorted() {
      if let entry = try nextPlain(flags) {
        throw failure("sample \(entry.number) has subsamples that fragments do not have")
      }
    }
  }

  private mutating func nextPlain(_ flags: UInt32) throws(MovieError) -> (number: Int, parts: [SubsampleEntries.Part])?
  {
    do throws(MovieError) {
      return try plain[flags]?.next()
    } catch {
      throw error.asDifference
    }
  }

  private func failure(_ reason: String) -> MovieError {
    MovieError(.contentsDiffer, "track \(trackID): \(reason)")
  }
}
