/// Compares what `subs` of the movie atom and of fragments says of parts of samples with `subs` of the new movie
/// (ISO/IEC 14496-12 8.7.7).
package struct SubsamplesCheck {
  /// One part of a sample.
  private struct Part: Equatable {
    let byteCount: UInt32
    /// Priority, whether it may be left out, what the codec says.
    let rest: Bytes
  }

  /// Walks the entries of one atom.
  private struct Entries {
    let flags: UInt32
    private let version: UInt8
    private var reader: ByteReader
    private var left: UInt32
    /// The sample of the last entry, from 1.
    private var number: Int

    init(_ subs: Int, of tree: AtomTree, firstSample: Int) throws(MovieError) {
      reader = ByteReader(tree.payload(of: subs))
      let header = try reader.readFullAtomHeader(upTo: 1)
      (version, flags) = (header.version, header.flags)
      left = try reader.read()
      number = firstSample
    }

    mutating func next() throws(MovieError) -> (number: Int, parts: [Part])? {
      guard left > 0 else { return nil }
      left -= 1
      number += Int(try reader.read(UInt32.self))
      var parts: [Part] = []
      for _ in 0..<(try reader.read(UInt16.self)) {
        let byteCount = version == 0 ? UInt32(try reader.read(UInt16.self)) : try reader.read(UInt32.self)
        parts.append(Part(byteCount: byteCount, rest: try reader.readBytes(6)))
      }
      return (number, parts)
    }
  }

  private let trackID: UInt32
  /// By flags, which distinguish ways of dividing.
  private var new: [UInt32: Entries] = [:]

  /// Reads the new atoms, and checks those that `stbl` had.
  package init(
    trackID: UInt32, old: (stbl: Int, tree: AtomTree), new: (stbl: Int, tree: AtomTree), tableSampleCount: Int
  ) throws(MovieError) {
    self.trackID = trackID
    do throws(MovieError) {
      for subs in new.tree.children(of: new.stbl, "subs") {
        let entries = try Entries(subs, of: new.tree, firstSample: 0)
        guard self.new.updateValue(entries, forKey: entries.flags) == nil else {
          throw MovieError(
            .malformed, at: new.tree.range(of: subs).offset, in: new.tree.path(of: subs), "has the flags of another")
        }
      }
    } catch {
      throw error.asPlanError
    }
    for subs in old.tree.children(of: old.stbl, "subs") {
      try check(subs, of: old.tree, samples: 0..<tableSampleCount)
    }
  }

  /// The next entries of the new movie must say what an atom does of the samples that it is about, counted from 0.
  package mutating func check(_ subs: Int, of tree: AtomTree, samples: Range<Int>) throws(MovieError) {
    var entries = try Entries(subs, of: tree, firstSample: samples.lowerBound)
    while let entry = try entries.next() {
      guard samples.contains(entry.number - 1) else { continue }
      guard let found = try nextPlanned(entries.flags), found == entry else {
        throw failure("the subsamples of sample \(entry.number) are missing or differ")
      }
    }
  }

  /// There must be no further entries.
  package mutating func finish() throws(MovieError) {
    for flags in new.keys.sorted() {
      if let entry = try nextPlanned(flags) {
        throw failure("sample \(entry.number) has subsamples that it did not have")
      }
    }
  }

  private mutating func nextPlanned(_ flags: UInt32) throws(MovieError) -> (number: Int, parts: [Part])? {
    do throws(MovieError) {
      return try new[flags]?.next()
    } catch {
      throw error.asPlanError
    }
  }

  private func failure(_ reason: String) -> MovieError {
    MovieError(.contentsDiffer, "track \(trackID): \(reason)")
  }
}
