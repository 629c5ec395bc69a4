import MovieBox

/// The new positions of encryption data that a movie atom contains, as ffmpeg writes it: `senc`, or PIFF's `uuid`, in
/// `stbl` or `trak`, with `saio` pointing into it.
///
/// Edits that write a new file move the positions in `saio`. Edits in place leave them: the retired movie atom stays in
/// the file, and `saio` refers to its bytes.
struct EncryptionMoves: Hashable, Sendable {
  /// The bytes of one atom.
  private struct Run: Hashable, Sendable {
    let old: ByteRange
    let newOffset: UInt64
  }

  /// In the order of the old positions.
  private var runs: [Run] = []

  /// No bytes.
  init() {}

  /// The atoms of the tracks that both movie atoms have. Positions in `new` are counted from `offset` in the file.
  init(from old: AtomTree, to new: AtomTree, at offset: UInt64 = 0) throws(MovieError) {
    let before = try Self.atoms(in: old)
    guard !before.isEmpty else { return }
    let after = try Self.atoms(in: new)
    for (id, atoms) in before {
      guard let others = after[id], others.count == atoms.count else { continue }
      for (left, right) in zip(atoms, others) where old.bytes(of: left) == new.bytes(of: right) {
        let (newOffset, overflow) = new.range(of: right).offset.addingReportingOverflow(offset)
        guard !overflow else { continue }
        runs.append(Run(old: old.range(of: left), newOffset: newOffset))
      }
    }
    runs.sort { $0.old.offset < $1.old.offset }
  }

  /// The atoms by track, in order.
  private static func atoms(in tree: AtomTree) throws(MovieError) -> [UInt32: [Int]] {
    var found: [UInt32: [Int]] = [:]
    for trak in tree.children(of: tree.root, "trak") {
      let holders = [trak] + (tree.sampleTable(ofTrack: trak).map { [$0] } ?? [])
      let atoms = holders.flatMap { tree.children(of: $0) }.filter { atom in
        tree[atom].type == "senc"
          || tree[atom].type == "uuid" && tree.payload(of: atom).slice(at: 0, count: 16) == SampleEncryption.userType
      }
      guard !atoms.isEmpty, let id = try tree.decode(TrackHeader.self, "tkhd", in: trak)?.trackID else { continue }
      found[id] = atoms
    }
    return found
  }

  var isEmpty: Bool { runs.isEmpty }

  /// The new position of a byte of such an atom, or `nil` for other bytes.
  func newPosition(of old: UInt64) -> UInt64? {
    let index = runs.partitioningIndex { $0.old.end > old }
    guard index < runs.count, runs[index].old.offset <= old else { return nil }
    return runs[index].newOffset &+ (old &- runs[index].old.offset)  // Inside the atom.
  }
}
