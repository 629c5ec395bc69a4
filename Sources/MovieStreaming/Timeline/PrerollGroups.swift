import MovieBox
import MovieWriter

/// The audio sample groups `roll` and `prol`, which declare how many preceding samples must be decoded for correct
/// sound (ISO/IEC 14496-12 10.1).
///
/// The initialization segment contains their descriptions (`sgpd`). Each fragment assigns its samples to groups
/// (`sbgp`).
struct PrerollGroups: Sendable {
  private static let types: [FourCC] = ["roll", "prol"]

  /// The group descriptions as atoms of `stbl`.
  let descriptions: [Bytes]
  private var assignments: [Assignments] = []

  /// Returns the groups of all audio tracks by track ID, read from the tables in `moov` and in fragments. Throws if a
  /// table is too short for its entries. Makes a pass over each `moof`.
  static func all(in movie: Movie, _ fragments: MovieFragments) throws(MovieError) -> [UInt32: PrerollGroups] {
    let tree = movie.tree
    var tables: [UInt32: Int] = [:]
    var mergers: [UInt32: SampleGroupMerger] = [:]
    for track in movie.tracks where track.mediaType == .audio {
      guard let stbl = tree.sampleTable(ofTrack: track.atom) else { continue }
      tables[track.id] = stbl
      mergers[track.id] = try SampleGroupMerger(
        in: stbl, of: tree, tableSampleCount: fragments.track(track.id)?.tableSampleCount ?? 0)
    }
    for fragment in fragments.fragments {
      let parts = fragment.trackFragments.filter { mergers[$0.trackID] != nil && !$0.runs.isEmpty }
      guard !parts.isEmpty else { continue }
      let fragmentTree = try fragment.tree()
      for part in parts {
        let runs = fragments.track(part.trackID)?.runs[part.runs]
        guard let first = runs?.first, let last = runs?.last else { continue }
        for group in try part.sampleGroups(in: fragmentTree) where types.contains(group.groupingType) {
          mergers[part.trackID]?.add(group, to: first.firstSample..<last.samples.upperBound)
        }
      }
    }
    var groupsByTrack: [UInt32: PrerollGroups] = [:]
    for (id, stbl) in tables { groupsByTrack[id] = try PrerollGroups(in: stbl, of: tree, mergers[id]?.atoms() ?? []) }
    return groupsByTrack
  }

  /// Creates the groups of a sample table.
  ///
  /// - Parameter merged: atoms that combine groups of the table with groups of fragments, each with the index of the
  ///   atom that it replaces.
  private init(in stbl: Int, of tree: AtomTree, _ merged: [(replaced: Int?, atom: [UInt8])]) throws(MovieError) {
    let replacedAtoms = Set(merged.compactMap(\.replaced))
    var groupAtoms: [Bytes] = []
    for atom in tree.children(of: stbl, "sgpd") where !replacedAtoms.contains(atom) {
      let table = try tree.decode(SampleGroupDescriptions.self, at: atom)
      if Self.types.contains(table.groupingType) { groupAtoms.append(tree.bytes(of: atom)) }
    }
    for atom in tree.children(of: stbl, "sbgp") where !replacedAtoms.contains(atom) {
      let table = try tree.decode(SampleToGroupTable.self, at: atom)
      if Self.types.contains(table.groupingType) { assignments.append(Assignments(table)) }
    }
    for atom in merged.map({ Bytes($0.atom) }) {
      if atom.load(at: 4, as: UInt32.self) == ("sgpd" as FourCC).rawValue {
        groupAtoms.append(atom)
      } else {
        assignments.append(Assignments(try SampleToGroupTable(payload: atom.dropFirst(8))))
      }
    }
    descriptions = groupAtoms
  }

  /// Creates a value without groups.
  init() {
    descriptions = []
  }

  /// Returns the `sbgp` atoms for a fragment with these samples. The samples must follow the samples of the previous
  /// call.
  mutating func atoms(for samples: Range<Int>) -> [Bytes] {
    assignments.indices.compactMap { assignments[$0].atom(for: samples) }
  }

  /// An `sbgp` table, and the position of the next entry to read.
  private struct Assignments: Sendable {
    private let table: SampleToGroupTable
    private var entry = 0
    /// The index of the entry's first sample.
    private var start = 0

    init(_ table: SampleToGroupTable) {
      self.table = table
    }

    /// Returns an `sbgp` atom for these samples, or `nil` if the table has no entry for them.
    mutating func atom(for samples: Range<Int>) -> Bytes? {
      var runs: [(count: Int, group: UInt32)] = []
      while entry < table.count {
        let run = table[entry]
        let end = start &+ Int(run.sampleCount)  // There are at most 2³² entries of 2³² samples.
        let shared = samples.clamped(to: start..<end)
        if !shared.isEmpty {
          // An index above 0x10000 would refer to a description in the fragment. The written fragments contain no
          // descriptions, so these samples are assigned to no group.
          runs.append((shared.count, run.fragmentDescriptionIndex == nil ? run.descriptionIndex : 0))
        }
        if end > samples.upperBound { break }
        start = end
        entry += 1
      }
      guard !runs.isEmpty else { return nil }
      return Bytes(SampleTableAtoms.sampleGroups(table.groupingType, parameter: table.parameter, runs))
    }
  }
}
