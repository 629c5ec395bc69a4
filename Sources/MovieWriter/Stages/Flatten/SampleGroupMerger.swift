package import MovieBox

/// Merges the sample groups of fragments into the sample groups of `stbl` (ISO/IEC 14496-12 8.9).
///
/// A fragment may contain group descriptions, with indices from 0x10001. The merger adds them to the descriptions of
/// the track, without duplicates, and assigns new indices. A sample that a fragment does not assign to a group is in
/// the fragment's default group. The merged table assigns that group explicitly, because the default of `stbl` may be
/// another group.
package struct SampleGroupMerger: Sendable {
  /// The key of a grouping.
  private struct Key: Hashable {
    let type: FourCC
    let parameter: UInt32?
  }

  /// The group descriptions of one grouping type.
  private struct Descriptions {
    let atom: Int?
    let old: SampleGroupDescriptions?
    var added: [Bytes] = []
    var indices: [Bytes: UInt32] = [:]

    var defaultIndex: UInt32 { old?.defaultIndex ?? 0 }

    /// Returns the index of a description in `stbl`. Adds the description if `stbl` does not contain it.
    mutating func index(of description: Bytes) -> UInt32 {
      if let index = indices[description] { return index }
      added.append(description)
      let index = UInt32(clamping: (old?.count ?? 0) + added.count)
      indices[description] = index
      return index
    }
  }

  /// The groups of all samples in one grouping.
  private struct Assignments {
    let atom: Int?
    let old: SampleToGroupTable?
    var column = RunLengths<UInt32>()
  }

  private let tableSampleCount: Int
  private var descriptions: [FourCC: Descriptions] = [:]
  private var assignments: [Key: Assignments] = [:]
  /// The groupings of fragments, in order of their first occurrence.
  private var keys: [Key] = []
  /// The grouping types of fragments, in order of their first occurrence.
  private var types: [FourCC] = []
  private var knownKeys: Set<Key> = []
  private var knownTypes: Set<FourCC> = []

  /// Whether `stbl` must change, because at least one fragment has sample groups.
  private(set) var hasChanges = false

  /// Creates a merger with the sample groups of `stbl`.
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

  /// Adds a sample group of a fragment.
  ///
  /// - Parameter samples: the samples of the fragment, counted from 0 in the track.
  package mutating func add(_ group: FragmentSampleGroup, to samples: Range<Int>) {
    // Omit the group descriptions of a fragment if no sample uses them.
    guard group.assignments != nil || group.defaultDescription != nil else { return }
    hasChanges = true
    let type = group.groupingType
    if knownTypes.insert(type).inserted { types.append(type) }
    // Removing the value while it changes avoids a copy.
    var mergedDescriptions = descriptions.removeValue(forKey: type) ?? Descriptions(atom: nil, old: nil)
    let standard = Self.defaultIndex(of: group, &mergedDescriptions)
    let key = Key(type: type, parameter: group.assignments?.parameter)
    if knownKeys.insert(key).inserted { keys.append(key) }
    var assigned = assignments.removeValue(forKey: key) ?? Assignments(atom: nil, old: nil)
    if assigned.column.count == 0, let old = assigned.old {
      for entry in old {
        let remainingCount = tableSampleCount - assigned.column.count
        assigned.column.append(entry.descriptionIndex, count: Swift.min(remainingCount, Int(entry.sampleCount)))
      }
    }
    assigned.column.fill(to: samples.lowerBound, with: mergedDescriptions.defaultIndex)
    if let table = group.assignments {
      for entry in table {
        let remainingCount = samples.upperBound - assigned.column.count
        let index = Self.index(entry, of: group, &mergedDescriptions)
        assigned.column.append(index, count: Swift.min(remainingCount, Int(entry.sampleCount)))
      }
    }
    assigned.column.fill(to: samples.upperBound, with: standard)
    assignments[key] = assigned
    descriptions[type] = mergedDescriptions
  }

  /// Returns the index in `stbl` of an entry's group, or 0 for no group if the description is missing.
  private static func index(
    _ entry: SampleToGroupTable.Entry, of group: FragmentSampleGroup, _ known: inout Descriptions
  ) -> UInt32 {
    if let fragmentIndex = entry.fragmentDescriptionIndex {
      guard let entries = group.descriptions?.entries, entries.indices.contains(fragmentIndex) else { return 0 }
      return known.index(of: entries[fragmentIndex])
    }
    // An index without a description must not refer to a description that is added later.
    return Int(entry.descriptionIndex) <= known.old?.count ?? 0 ? entry.descriptionIndex : 0
  }

  /// Returns the index in `stbl` of the default group, which applies to samples that the fragment assigns to no group.
  /// It is the default of the fragment's own descriptions. If they declare no default, it is the default of the track.
  private static func defaultIndex(of group: FragmentSampleGroup, _ known: inout Descriptions) -> UInt32 {
    guard let groupDefault = group.defaultDescription else { return known.defaultIndex }
    return known.index(of: groupDefault)
  }

  /// Returns the atoms for `stbl`. Each is paired with the atom that it replaces, or with `nil` if it is new.
  ///
  /// Throws `.unsupported` if descriptions must be added to descriptions of unknown length.
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
      throw MovieError(
        .unsupported, in: "sgpd", "the descriptions of the sample group \(type) do not declare their length")
    }
    let version = Swift.max(1, found.old?.version ?? 1)  // Version 0 does not declare the length.
    return SampleTableAtoms.groupDescriptions(
      type, version: version, defaultIndex: found.defaultIndex, old + found.added)
  }
}

extension FragmentSampleGroup {
  /// The description of samples that the fragment does not assign to a group, or `nil` if the fragment's own
  /// descriptions declare no default.
  ///
  /// Some writers count the fragment's own descriptions from 1, and others from 0x10001. Both numberings are accepted.
  var defaultDescription: Bytes? {
    guard let index = descriptions?.defaultIndex, index > 0, let entries = descriptions?.entries else { return nil }
    let entryIndex = Int(index > 0x1_0000 ? index - 0x1_0001 : index - 1)
    return entries.indices.contains(entryIndex) ? entries[entryIndex] : nil
  }
}

/// Merges the subsample information of fragments into `stbl` (`subs`, ISO/IEC 14496-12 8.7.7).
///
/// Atoms with equal flags become one atom, in which each entry stores the distance to the sample of the previous entry.
/// An entry past the samples of its own fragment has no effect. It is dropped, because after merging it would apply to
/// samples of another fragment.
struct SubsampleMerger: Sendable {
  /// The merged entries of atoms with equal flags. The flags declare the meaning of the subsamples.
  private struct Table {
    let atom: Int?
    var isWide = false
    /// The number of the last sample with an entry, counted from 1, or 0 if there is none.
    var lastNumber = 0
    var entryCount: UInt32 = 0
    /// The encoded entries. The sizes of subsamples have 32 bits.
    var entries = ByteWriter()
  }

  private var tables: [UInt32: Table] = [:]
  private var order: [UInt32] = []
  /// Whether the atoms of `stbl` must change, because entries were added to them or dropped from them.
  private(set) var hasChanges = false

  /// Creates a merger with the subsample information of `stbl`.
  init(in stbl: Int, of tree: AtomTree, tableSampleCount: Int) throws(MovieError) {
    for atom in tree.children(of: stbl, "subs") {
      try read(atom, of: tree, samples: 0..<tableSampleCount, isOld: true)
    }
  }

  /// Adds a `subs` atom of a fragment.
  ///
  /// - Parameter samples: the samples of the fragment, counted from 0 in the track.
  mutating func add(_ subs: Int, of tree: AtomTree, samples: Range<Int>) throws(MovieError) {
    hasChanges = true
    try read(subs, of: tree, samples: samples, isOld: false)
  }

  private mutating func read(_ atom: Int, of tree: AtomTree, samples: Range<Int>, isOld: Bool) throws(MovieError) {
    var entries = try tree.locating(atom) { bytes throws(MovieError) in
      try SubsampleEntries(bytes, firstSample: samples.lowerBound)
    }
    let flags = entries.flags
    if isOld, tables[flags] != nil { throw tree.error(.malformed, at: atom, "has the same flags as another subs atom") }
    if tables[flags] == nil { order.append(flags) }
    var table = tables.removeValue(forKey: flags) ?? Table(atom: isOld ? atom : nil)
    while let entry = try tree.locating(atom, { _ throws(MovieError) in try entries.next() }) {
      guard samples.contains(entry.sampleNumber - 1) else {
        hasChanges = true
        continue
      }
      guard entry.sampleNumber >= table.lastNumber else {
        throw tree.error(
          .malformed, at: atom,
          "has an entry for sample \(entry.sampleNumber), but an earlier entry with the same subs flags "
            + "is for a later sample")
      }
      table.entries.write(UInt32(clamping: entry.sampleNumber - table.lastNumber))
      table.entries.write(UInt16(clamping: entry.subsamples.count))  // The original count also had 16 bits.
      for subsample in entry.subsamples {
        table.entries.write(subsample.byteCount)
        table.entries.write(subsample.properties)
      }
      table.lastNumber = entry.sampleNumber
      table.entryCount += 1
    }
    table.isWide = table.isWide || entries.isWide
    tables[flags] = table
  }

  /// Returns the atoms for `stbl`. Each is paired with the atom that it replaces, or with `nil` if it is new.
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

  /// Writes the entries with 16-bit sizes, because all original sizes had 16 bits.
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
