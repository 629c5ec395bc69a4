package import MovieBox

/// Brings the sample groups of fragments into `stbl` (ISO/IEC 14496-12 8.9).
///
/// A fragment may have descriptions of its own, which it counts from 0x10001: they are added to those of the track,
/// each once. A sample that a fragment does not mention is in the default group, if there is one, and that is written
/// down.
package struct SampleGroupMerger: Sendable {
  /// What distinguishes ways of grouping.
  private struct Key: Hashable {
    let type: FourCC
    let parameter: UInt32?
  }

  /// The descriptions of one way of grouping.
  private struct Descriptions {
    let atom: Int?
    let old: SampleGroupDescriptions?
    var added: [Bytes] = []
    var indices: [Bytes: UInt32] = [:]

    var defaultIndex: UInt32 { old?.defaultIndex ?? 0 }

    /// The number of a description in `stbl`, where it is put if it is not there yet.
    mutating func index(of description: Bytes) -> UInt32 {
      if let index = indices[description] { return index }
      added.append(description)
      let index = UInt32(clamping: (old?.count ?? 0) + added.count)
      indices[description] = index
      return index
    }
  }

  private struct Assignments {
    let atom: Int?
    let old: SampleToGroupTable?
    var column = RunLengths<UInt32>()
  }

  private let tableSampleCount: Int
  private var descriptions: [FourCC: Descriptions] = [:]
  private var assignments: [Key: Assignments] = [:]
  /// In the order in which they came.
  private var keys: [Key] = []
  private var types: [FourCC] = []
  private var knownKeys: Set<Key> = []
  private var knownTypes: Set<FourCC> = []

  /// Whether some fragment has groups.
  private(set) var hasChanges = false

  /// The groups that `stbl` has.
  package init(in stbl: Int, of tree: AtomTree, tableSampleCount: Int) throws(MovieError) {
    self.tableSampleCount = tableSampleCount
    for atom in tree.children(of: stbl, "sgpd") {
      let old = try tree.decode(SampleGroupDescriptions.self, at: atom)
      guard descriptions[old.groupingType] == nil else { continue }
      var found = Descriptions(atom: atom, old: old)
      for (index, entry) in (old.entries ?? []).enumerated() where found.indices[entry] == nil {
        found.indices[entry] = UInt32(clamping: index + 1)
      }
      descriptions[old.groupingType] = found
    }
    for atom in tree.children(of: stbl, "sbgp") {
      let old = try tree.decode(SampleToGroupTable.self, at: atom)
      let key = Key(type: old.groupingType, parameter: old.parameter)
      if assignments[key] == nil { assignments[key] = Assignments(atom: atom, old: old) }
    }
  }

  /// Adds the groups of a fragment for its samples, counted from 0 among those of the track.
  package mutating func add(_ group: FragmentSampleGroup, to samples: Range<Int>) {
    // Descriptions that nobody uses are omitted.
    guard group.assignments != nil || group.defaultDescription != nil else { return }
    hasChanges = true
    let type = group.groupingType
    if knownTypes.insert(type).inserted { types.append(type) }
    // Taken out while it changes, so that nothing is copied.
    var known = descriptions.removeValue(forKey: type) ?? Descriptions(atom: nil, old: nil)
    let standard = Self.defaultIndex(of: group, &known)
    let key = Key(type: type, parameter: group.assignments?.parameter)
    if knownKeys.insert(key).inserted { keys.append(key) }
    var assigned = assignments.removeValue(forKey: key) ?? Assignments(atom: nil, old: nil)
    if assigned.column.count == 0, let old = assigned.old {
      for entry in old {
        let left = tableSampleCount - assigned.column.count
        assigned.column.append(entry.descriptionIndex, count: Swift.min(left, Int(entry.sampleCount)))
      }
    }
    assigned.column.fill(to: samples.lowerBound, with: known.defaultIndex)
    if let table = group.assignments {
      for entry in table {
        let left = samples.upperBound - assigned.column.count
        let index = Self.index(entry, of: group, &known)
        assigned.column.append(index, count: Swift.min(left, Int(entry.sampleCount)))
      }
    }
    assigned.column.fill(to: samples.upperBound, with: standard)
    assignments[key] = assigned
    descriptions[type] = known
  }

  /// The number in `stbl` of the group that an entry names; 0, none, for a description that is not there.
  private static func index(
    _ entry: SampleToGroupTable.Entry, of group: FragmentSampleGroup, _ known: inout Descriptions
  ) -> UInt32 {
    if let own = entry.fragmentDescription {
      guard let entries = group.descriptions?.entries, entries.indices.contains(own) else { return 0 }
      return known.index(of: entries[own])
    }
    // A number of no description must not become that of one that is added.
    return Int(entry.descriptionIndex) <= known.old?.count ?? 0 ? entry.descriptionIndex : 0
  }

  /// The number in `stbl` of the group of samples that the fragment does not mention: the default of its own
  /// descriptions, else that of the track.
  private static func defaultIndex(of group: FragmentSampleGroup, _ known: inout Descriptions) -> UInt32 {
    guard let own = group.defaultDescription else { return known.defaultIndex }
    return known.index(of: own)
  }

  /// The atoms of `stbl`, each with the old one that it replaces.
  ///
  /// Throws `.unsupported` for descriptions of the track that cannot be distinguished, so that none can be added.
  package func atoms() throws(MovieError) -> [(replaced: Int?, atom: [UInt8])] {
    var atoms: [(Int?, [UInt8])] = []
    for type in types {
      guard let found = descriptions[type], !found.added.isEmpty else { continue }
      atoms.append((found.atom, try Self.atom(found, type)))
    }
    for key in keys {
      guard let found = assignments[key] else { continue }
      let runs = found.column.runs.lazy.map { (count: $0.count, group: $0.value) }
      atoms.append((found.atom, SampleTableAtoms.sampleGroups(key.type, parameter: key.parameter, runs)))
    }
    return atoms
  }

  private static func atom(_ found: Descriptions, _ type: FourCC) throws(MovieError) -> [UInt8] {
    guard let old = found.old?.entries ?? (found.old == nil ? [] : nil) else {
      throw MovieError(.unsupported, in: "sgpd", "the descriptions of the groups \(type) do not say how long they are")
    }
    let version = Swift.max(1, found.old?.version ?? 1)  // Version 0 does not say how long they are.
    return SampleTableAtoms.groupDescriptions(
      type, version: version, defaultIndex: found.defaultIndex, old + found.added)
  }
}

extension FragmentSampleGroup {
  /// The description of samples that the fragment does not mention; `nil` where its own descriptions name none.
  ///
  /// Both ways of counting the fragment's own descriptions are met, from 1 and from 0x10001.
  var defaultDescription: Bytes? {
    guard let index = descriptions?.defaultIndex, index > 0, let entries = descriptions?.entries else { return nil }
    let own = Int(index > 0x1_0000 ? index - 0x1_0001 : index - 1)
    return entries.indices.contains(own) ? entries[own] : nil
  }
}

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
