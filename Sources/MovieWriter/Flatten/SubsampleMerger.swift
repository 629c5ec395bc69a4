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
    let parsed = try tree.locating(atom) { bytes throws(MovieError) in try Self.parse(bytes) }
    if isOld, tables[parsed.flags] != nil {
      throw tree.error(.malformed, at: atom, "has the flags of another one")
    }
    if tables[parsed.flags] == nil {
      order.append(parsed.flags)
      tables[parsed.flags] = Table(atom: isOld ? atom : nil)
    }
    var table = tables.removeValue(forKey: parsed.flags) ?? Table(atom: nil)
    var number = samples.lowerBound
    for entry in parsed.entries {
      number += Int(entry.delta)
      guard samples.contains(number - 1) else {
        hasChanges = true
        continue
      }
      guard number >= table.lastNumber else {
        throw tree.error(
          .malformed, at: atom, "goes back to sample \(number) after one of the same flags")
      }
      table.entries.write(UInt32(clamping: number - table.lastNumber))
      table.entries.write(entry.parts)
      table.lastNumber = number
      table.entryCount += 1
    }
    table.isWide = table.isWide || parsed.isWide
    tables[parsed.flags] = table
  }

  private struct Parsed {
    let flags: UInt32
    let isWide: Bool
    /// The distance to the sample before, and number and fields of the parts, sizes of 32 bits.
    var entries: [(delta: UInt32, parts: [UInt8])] = []
  }

  private static func parse(_ payload: Bytes) throws(MovieError) -> Parsed {
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upTo: 1)
    var parsed = Parsed(flags: header.flags, isWide: header.version == 1)
    for _ in 0..<(try reader.read(UInt32.self)) {  // Ends with the bytes: the reader throws.
      let delta = try reader.read(UInt32.self)
      let count = try reader.read(UInt16.self)
      var parts = ByteWriter()
      parts.write(count)
      for _ in 0..<count {
        parts.write(try reader.readVersioned16(header.version))
        parts.write(try reader.readBytes(6))  // Priority, discardable, codec's parameters.
      }
      parsed.entries.append((delta, parts.take()))
    }
    return parsed
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

extension ByteReader {
  /// A number that is 16 bits wide in version 0 and 32 in version 1.
  fileprivate mutating func readVersioned16(_ version: UInt8) throws(MovieError) -> UInt32 {
    version == 0 ? UInt32(try read(UInt16.self)) : try read(UInt32.self)
  }
}
