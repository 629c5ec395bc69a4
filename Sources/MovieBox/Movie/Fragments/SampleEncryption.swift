/// What the samples of a track were encrypted with, where only `senc` says it (ISO/IEC 23001-7 7.2), or the `uuid` of
/// the same contents that PIFF has (Protected Interoperable File Format 1.1, 5.3.2).
///
/// Atoms of fragments become one for the whole track: `senc` in `trak`, PIFF's in `stbl`. What a sample has is not
/// looked into, since only keys and groups tell how long it is.
package struct SampleEncryption: Sendable {
  /// The type of PIFF's `uuid`.
  package static let userType = Bytes([
    0xA2, 0x39, 0x4F, 0x52, 0x5A, 0x9B, 0x4F, 0x14, 0xA2, 0x44, 0x6C, 0x42, 0x7C, 0x64, 0x8D, 0xF4,
  ])

  /// Whether the atom is PIFF's.
  package let isUserType: Bool
  /// Version, flags, and what stands before the number of samples.
  package let head: Bytes
  /// How many samples.
  package private(set) var sampleCount: Int
  /// The bytes for all samples.
  package private(set) var entries: [UInt8]

  /// Reads the atom at `index` where it is one of these; `nil` for any other. Throws when it ends early.
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
      if flags & 1 != 0 { _ = try reader.readBytes(20) }  // PIFF: algorithm, length of vectors, key.
      let head = bytes.slice(at: 0, count: reader.position) ?? Bytes()
      return (head.dropFirst(skipped), Int(try reader.read(UInt32.self)), reader.readRest())
    }
    head = parts.0
    sampleCount = parts.1
    entries = parts.2.array
  }

  /// Adds what the next samples were encrypted with; `false` where one atom cannot say both.
  package mutating func append(_ next: SampleEncryption) -> Bool {
    guard next.isUserType == isUserType, next.head == head else { return false }
    sampleCount += next.sampleCount
    entries += next.entries
    return true
  }

  /// The atom of the whole track.
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
