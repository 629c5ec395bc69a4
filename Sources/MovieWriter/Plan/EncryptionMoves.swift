import MovieBox

/// The new positions of encryption data within the movie atom. ffmpeg writes `senc`, or PIFF's `uuid`, in `stbl` or
/// `trak`, and `saio` points into it.
///
/// Edits that write a new file update the positions in `saio`. In-place edits do not, because the old movie atom
/// remains in the file as free space, and `saio` refers to its bytes.
struct EncryptionMoves: Hashable, Sendable {
  /// The old range and the new offset of one atom.
  private struct Move: Hashable, Sendable {
    let old: ByteRange
    let newOffset: UInt64
  }

  /// The moves, sorted by old position.
  private var moves: [Move] = []

  /// Creates an empty list of moves.
  init() {}

  /// Creates the moves of the encryption atoms in tracks that both movie atoms contain. `offset` is the file offset of
  /// `new`.
  init(from old: AtomTree, to new: AtomTree, at offset: UInt64 = 0) throws(MovieError) {
    let before = try Self.encryptionAtomsByTrack(in: old)
    guard !before.isEmpty else { return }
    let after = try Self.encryptionAtomsByTrack(in: new)
    for (id, atoms) in before {
      guard let others = after[id], others.count == atoms.count else { continue }
      for (left, right) in zip(atoms, others) where old.bytes(of: left) == new.bytes(of: right) {
        let (newOffset, overflow) = new.range(of: right).offset.addingReportingOverflow(offset)
        guard !overflow else { continue }
        moves.append(Move(old: old.range(of: left), newOffset: newOffset))
      }
    }
    moves.sort { $0.old.offset < $1.old.offset }
  }

  /// Returns the encryption atoms by track ID, in order.
  private static func encryptionAtomsByTrack(in tree: AtomTree) throws(MovieError) -> [UInt32: [Int]] {
    var atomsByTrack: [UInt32: [Int]] = [:]
    for trak in tree.children(of: tree.root, "trak") {
      let holders = [trak] + (tree.sampleTable(ofTrack: trak).map { [$0] } ?? [])
      let atoms = holders.flatMap { tree.children(of: $0) }.filter { atom in
        tree[atom].type == "senc"
          || tree[atom].type == "uuid" && tree.payload(of: atom).slice(at: 0, count: 16) == SampleEncryption.userType
      }
      guard !atoms.isEmpty, let id = try tree.decode(TrackHeader.self, "tkhd", in: trak)?.trackID else { continue }
      atomsByTrack[id] = atoms
    }
    return atomsByTrack
  }

  var isEmpty: Bool { moves.isEmpty }

  /// Returns the new position of a byte of an encryption atom, or `nil` for other bytes.
  func newPosition(of old: UInt64) -> UInt64? {
    let index = moves.partitioningIndex { $0.old.end > old }
    guard index < moves.count, moves[index].old.offset <= old else { return nil }
    return moves[index].newOffset &+ (old &- moves[index].old.offset)  // The sum is within the atom.
  }
}
