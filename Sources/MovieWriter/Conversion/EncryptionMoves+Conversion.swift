import MovieBox

extension EncryptionMoves {
  /// The bytes of a movie atom whose tables of auxiliary information name the new places; `nil` if a position does not fit.
  func relocating(_ tree: AtomTree) throws(MovieError) -> [UInt8]? {
    var bytes = tree.bytes.array
    for trak in tree.children(of: tree.root, "trak") {
      guard let stbl = tree.sampleTable(ofTrack: trak) else { continue }
      for saio in tree.children(of: stbl, "saio") {
        let offsets = try tree.decode(AuxiliaryInformationOffsets.self, at: saio)
        // After version and flags, the kind if it is there, and the number of positions.
        let start = tree[saio].start + tree[saio].headerByteCount + 4 + (offsets.kind == nil ? 0 : 8) + 4
        let width = offsets.isWide ? 8 : 4
        for (index, old) in offsets.enumerated() {
          guard let new = newPosition(of: old) else { continue }
          guard offsets.isWide || new <= UInt64(UInt32.max) else { return nil }
          for place in 0..<width {
            bytes[start + index * width + place] = UInt8(truncatingIfNeeded: new >> UInt64(8 * (width - 1 - place)))
          }
        }
      }
    }
    return bytes
  }
}
