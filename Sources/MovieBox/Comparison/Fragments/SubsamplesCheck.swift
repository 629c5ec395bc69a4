/// Compares what `subs` of the movie atom and of fragments says of parts of samples with `subs` of the movie without
/// fragments (ISO/IEC 14496-12 8.7.7).
struct SubsamplesCheck {
  private let trackID: UInt32
  /// By flags, which distinguish ways of dividing.
  private var plain: [UInt32: SubsampleEntries] = [:]

  /// Reads the plain atoms, and checks those that `stbl` had.
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
