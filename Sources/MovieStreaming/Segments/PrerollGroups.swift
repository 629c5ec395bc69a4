import MovieBox

/// The groups of samples of sound that say how many samples before one must be decoded for it to sound right: `roll` and
/// `prol` (ISO/IEC 14496-12 10.1).
///
/// The initialization segment has their descriptions (`sgpd`); each fragment says which of its samples are in which
/// group (`sbgp`).
struct PrerollGroups: Sendable {
  private static let types: [FourCC] = ["roll", "prol"]

  /// The descriptions, as atoms of `stbl`.
  let descriptions: [Bytes]
  private var assignments: [Assignments] = []

  /// Those of a track's tables in `moov`; throws for tables without room for what they claim.
  init(of track: Track, in movie: Movie) throws(MovieError) {
    let tree = movie.tree
    guard track.mediaType == .audio, let stbl = tree.descendant(of: track.atom, "mdia", "minf", "stbl") else {
      descriptions = []
      return
    }
    var found: [Bytes] = []
    for atom in tree.children(of: stbl, "sgpd") {
      let table = try tree.decode(SampleGroupDescriptions.self, at: atom)
      if Self.types.contains(table.groupingType) { found.append(tree.bytes(of: atom)) }
    }
    descriptions = found
    for atom in tree.children(of: stbl, "sbgp") {
      let table = try tree.decode(SampleToGroupTable.self, at: atom)
      if Self.types.contains(table.groupingType) { assignments.append(Assignments(table)) }
    }
  }

  /// What a fragment says of these samples, which come after those of the call before.
  mutating func atoms(for samples: Range<Int>) -> [Bytes] {
    assignments.indices.compactMap { assignments[$0].atom(for: samples) }
  }

  /// A table, and how far it was read.
  private struct Assignments: Sendable {
    private let table: SampleToGroupTable
    private var entry = 0
    /// The first sample of the entry.
    private var start = 0

    init(_ table: SampleToGroupTable) {
      self.table = table
    }

    /// The entries of these samples; `nil` where the table has none.
    mutating func atom(for samples: Range<Int>) -> Bytes? {
      var runs: [UInt32] = []
      while entry < table.count {
        let run = table[entry]
        let end = start &+ Int(run.sampleCount)  // Below 2³² entries of below 2³² samples.
        let shared = samples.clamped(to: start..<end)
        if !shared.isEmpty {
          // What lies above 0x10000 would be a description of the fragment's own, and there is none.
          runs += [UInt32(clamping: shared.count), run.fragmentDescription == nil ? run.descriptionIndex : 0]
        }
        if end > samples.upperBound { break }
        start = end
        entry += 1
      }
      guard !runs.isEmpty else { return nil }
      var writer = ByteWriter()
      writer.atom("sbgp") { writer in
        writer.write(FullAtomHeader(version: table.parameter == nil ? 0 : 1))
        writer.write(table.groupingType)
        if let parameter = table.parameter { writer.write(parameter) }
        writer.write(UInt32(clamping: runs.count / 2))
        writer.write(words: runs)
      }
      return Bytes(writer.take())
    }
  }
}
