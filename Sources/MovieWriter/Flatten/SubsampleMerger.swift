import MovieBox

/// Brings what fragments say of parts of samples into `stbl`: `subs` (ISO/IEC 14496-12 8.7.7).
///
/// Atoms of the same flags become one; samples count on from entry to entry. An entry past the samples that its atom is
/// about says nothing, and goes: among those of other fragments it would.
struct SubsampleMerger: Sendable {
  /// The parts of samples under one meaning, which the flags tell.
  private struct Table {
    let atom: Int?
    var isWide = false
    /// The number of the last sample that has an entry, from 1.
    var lastNumber = 0
    var entryCount: UInt32 = 0
    /// The entries, each part with a size of 32 bits.
    var entries = ByteWriter()
  }

  private var tables: [UInt32: Table] = [:]
  private var order: [UInt32] = []
  /// Whether what `stbl` has is not all, or goes.
  private(set) var hasChanges = false

  /// What `stbl` has.
  init(in stbl: Int, of tree: AtomTree, tableSampleCount: Int) throws(MovieError) {
    for atom in tree.children(of: stbl, "subs") {
      try read(atom, of: tree, samples: 0..<tableSampleCount, isOld: true)
    }
  }

  /// Adds a `subs` atom of a fragment that has these samples of the track.
  mutating func add(_ subs: Int, of tree: AtomTree, samples: Range<Int>) throws(MovieError) {
    hasChanges = true
    try read(subs, of: tree, samples: samples, isOld: false)
  }

  private mutating func read(_ atom: Int, of tree: AtomTree, samples: Range<Int>, isOld: Bool) throws(MovieError) {
    var entries = try tree.locating(atom) { bytes throws(MovieError) in
      try SubsampleEntries(bytes, firstSample: samples.lowerBound)
    }
    let flags = entries.flags
    if isOld, tables[flags] != nil { throw tree.error(.malformed, at: atom, "has the flags of another one") }
    if tables[flags] == nil { order.append(flags) }
    var table = tables.removeValue(forKey: flags) ?? Table(atom: isOld ? atom : nil)
    while let entry = try tree.locating(atom, { _ throws(MovieError) in try entries.next() }) {
      guard samples.contains(entry.number - 1) else {
        hasChanges = true
        continue
      }
      guard entry.number >= table.lastNumber else {
        throw tree.error(
          .malformed, at: atom, "goes back to sample \(entry.number) after one of the same flags")
      }
      table.entries.write(UInt32(clamping: entry.number - table.lastNumber))
      table.entries.write(UInt16(clamping: entry.parts.count))  // Counted in as many bits where it was read.
      for part in entry.parts {
        table.entries.write(part.byteCount)
        table.entries.write(part.rest)
      }
      table.lastNumber = entry.number
      table.entryCount += 1
    }
    table.isWide = table.isWide || entries.isWide
    tables[flags] = table
  }

  /// The atoms of `stbl`, each with the old one that it replaces.
  func atoms() throws(MovieError) -> [(replaced: Int?, atom: [UInt8])] {
    var atoms: [(Int?, [UInt8])] = []
    for flags in order {
      guard let table = tables[flags] else { continue }
      var writer = ByteWriter()
      try writer.atom("subs") { subs throws(MovieError) in
        subs.write(FullAtomHeader(version: table.isWide ? 1 : 0, flags: flags))
        subs.write(table.entryCount)
        if table.isWide { subs.write(table.entries.bytes) } else { try Self.narrow(table, into: &subs) }
      }
      atoms.append((table.atom, writer.take()))
    }
    return atoms
  }

  /// Writes the entries with sizes of 16 bits, as all were read.
  private static func narrow(_ table: Table, into subs: inout ByteWriter) throws(MovieError) {
    var reader = ByteReader(Bytes(table.entries.bytes))
    for _ in 0..<table.entryCount {
      subs.write(try reader.read(UInt32.self))
      let count = try reader.read(UInt16.self)
      subs.write(count)
      for _ in 0..<count {
        subs.write(UInt16(truncatingIfNeeded: try reader.read(UInt32.self)))
        subs.write(try reader.readBytes(6))
      }
    }
  }
}
