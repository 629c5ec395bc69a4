/// Compares what `subs` of the movie atom and of fragments says of parts of samples with `subs` of the movie without
/// fragments (ISO/IEC 14496-12 8.7.7).
struct SubsamplesCheck {
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
  private var plain: [UInt32: Entries] = [:]

  /// Reads the plain atoms, and checks those that `stbl` had.
  init(
    trackID: UInt32, fragmented: (stbl: Int, tree: AtomTree), plain: (stbl: Int, tree: AtomTree), tableSampleCount: Int
  ) throws(MovieError) {
    self.trackID = trackID
    do throws(MovieError) {
      for subs in plain.tree.children(of: plain.stbl, "subs") {
        let entries = try Entries(subs, of: plain.tree, firstSample: 0)
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
    var entries = try Entries(subs, of: tree, firstSample: samples.lowerBound)
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

  private mutating func nextPlain(_ flags: UInt32) throws(MovieError) -> (number: Int, parts: [Part])? {
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
