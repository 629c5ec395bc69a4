/// The auxiliary information of a fragment's samples, such as encryption parameters. An `saiz` atom declares the sizes,
/// and an `saio` atom of the same type declares the positions.
package struct AuxiliaryInformation: Hashable, Sendable {
  /// The type of information, or `nil` if the sample description implies it.
  package let kind: AuxiliaryInformationType?
  /// The sizes of the samples' information. Samples beyond the last size have no information.
  package let sizes: AuxiliaryInformationSizes
  /// The ranges in the file. There is one range for all samples, or one range for each run of the fragment.
  package let ranges: [ByteRange]
  /// The index of `saiz` in the fragment's tree.
  package let sizesAtom: Int
  /// The index of `saio` in the fragment's tree.
  package let offsetsAtom: Int
}

extension TrackFragment {
  /// Returns the auxiliary information that `saiz` and `saio` declare, in file order.
  ///
  /// The bytes of the information are usually in `senc` of the same fragment. Throws an error with the path and offset
  /// if the atoms are damaged, contradict each other or do not match the fragment.
  ///
  /// - Parameter tree: the fragment's tree.
  package func auxiliaryInformation(in tree: AtomTree) throws(MovieError) -> [AuxiliaryInformation] {
    var counts: [Int] = []
    for trun in tree.children(of: atom, "trun") { counts.append(try tree.decode(TrackRun.self, at: trun).count) }
    let sampleCount = counts.reduce(0, +)  // The sum cannot overflow, because each count is below 2³².
    var offsetTables: [AuxiliaryInformationType?: (atom: Int, table: AuxiliaryInformationOffsets)] = [:]
    for saio in tree.children(of: atom, "saio") {
      let table = try tree.decode(AuxiliaryInformationOffsets.self, at: saio)
      if offsetTables[table.kind] == nil { offsetTables[table.kind] = (saio, table) }
    }
    var information: [AuxiliaryInformation] = []
    for saiz in tree.children(of: atom, "saiz") {
      let sizes = try tree.decode(AuxiliaryInformationSizes.self, at: saiz)
      // Each `saio` is used for only one `saiz` (ISO/IEC 14496-12 8.7.9.1). The number of ranges is therefore at most
      // the number of positions in `saio` atoms.
      guard let place = offsetTables.removeValue(forKey: sizes.kind) else {
        throw failure(saiz, of: tree, "has no saio atom that matches it")
      }
      guard sizes.count <= sampleCount else {
        throw failure(saiz, of: tree, "has sizes for \(sizes.count) samples, but the fragment has only \(sampleCount)")
      }
      let kept = keptSampleCount.map { sizes.prefix($0) } ?? sizes
      let ranges = try ranges(of: kept, at: place, runs: counts, in: tree)
      information.append(
        AuxiliaryInformation(
          kind: kept.kind, sizes: kept, ranges: ranges, sizesAtom: saiz, offsetsAtom: place.atom))
    }
    return information
  }

  private func ranges(
    of sizes: AuxiliaryInformationSizes, at place: (atom: Int, table: AuxiliaryInformationOffsets), runs: [Int],
    in tree: AtomTree
  ) throws(MovieError) -> [ByteRange] {
    let (saio, offsets) = place
    let parts = offsets.count == 1 ? [sizes.count] : runs
    guard offsets.count == parts.count else {
      throw failure(saio, of: tree, "has \(offsets.count) positions, but the fragment has \(runs.count) runs")
    }
    var ranges: [ByteRange] = []
    var first = 0
    for (offset, sampleCount) in zip(offsets, parts) {
      let end = Swift.min(first + sampleCount, sizes.count)
      guard let base = baseOffset, let start = ByteRange(offset: base, count: offset)?.end,
        let range = ByteRange(offset: start, count: sizes.byteCount(of: first..<end))
      else {
        throw failure(
          saio, of: tree, "has the position \(offset), but the end of the information at this position exceeds 64 bits")
      }
      ranges.append(range)
      first = end
    }
    return ranges
  }

  private func failure(_ index: Int, of tree: AtomTree, _ reason: String) -> MovieError {
    tree.error(.malformed, at: index, reason)
  }
}

/// The encryption parameters of a track's samples, in `senc` (ISO/IEC 23001-7 7.2) or in PIFF's `uuid` atom (Protected
/// Interoperable File Format 1.1, 5.3.2). Both atoms have the same format.
///
/// The atoms of all fragments are joined into one atom for the track: `senc` in `trak`, or PIFF's atom in `stbl`.
/// Entries are not parsed, because `tenc` and the sample groups determine the lengths of the entries.
package struct SampleEncryption: Sendable {
  /// The extended type of PIFF's `uuid`.
  package static let userType = Bytes([
    0xA2, 0x39, 0x4F, 0x52, 0x5A, 0x9B, 0x4F, 0x14, 0xA2, 0x44, 0x6C, 0x42, 0x7C, 0x64, 0x8D, 0xF4,
  ])

  /// Whether the atom is PIFF's `uuid` atom.
  package let isUserType: Bool
  /// The version and flags, and any fields before the sample count.
  package let head: Bytes
  package private(set) var sampleCount: Int
  /// The entries of all samples.
  package private(set) var entries: [UInt8]

  /// Reads the parameters in the atom at `index`. Returns `nil` if the atom has another type, and throws if it ends too
  /// early.
  package init?(at index: Int, of tree: AtomTree) throws(MovieError) {
    let type = tree[index].type
    isUserType = type == "uuid"
    guard type == "senc" || isUserType && tree.payload(of: index).slice(at: 0, count: 16) == Self.userType else {
      return nil
    }
    let skipped = isUserType ? 16 : 0
    let parts = try tree.locating(index) { bytes throws(MovieError) -> (Bytes, Int, Bytes) in
      var reader = ByteReader(bytes)
      _ = try reader.readBytes(skipped)
      let flags = try reader.readFullAtomHeader().flags
      // In PIFF, flag 1 declares 20 more bytes before the sample count: an algorithm, the size of an initialization
      // vector and a key ID.
      if flags & 1 != 0 { _ = try reader.readBytes(20) }
      let head = bytes.slice(at: 0, count: reader.position) ?? Bytes()
      return (head.dropFirst(skipped), Int(try reader.read(UInt32.self)), reader.readRest())
    }
    head = parts.0
    sampleCount = parts.1
    entries = parts.2.array
  }

  /// Appends the parameters of the following samples. Returns `false` if a single atom cannot contain all of them.
  package mutating func append(_ next: SampleEncryption) -> Bool {
    guard next.isUserType == isUserType, next.head == head else { return false }
    sampleCount += next.sampleCount
    entries += next.entries
    return true
  }

  /// The atom for the whole track.
  package var atom: [UInt8] {
    var writer = ByteWriter()
    writer.atom(isUserType ? "uuid" : "senc") { atom in
      if isUserType { atom.write(Self.userType) }
      atom.write(head)
      atom.write(UInt32(clamping: sampleCount))
      atom.write(entries)
    }
    return writer.take()
  }
}
