/// The atoms at the end of a sample description, such as `esds` and `colr`, one after the other.
package struct SampleEntryAtoms: Hashable, Sendable {
  /// One of them.
  package struct Atom: Hashable, Sendable {
    /// The type.
    package let type: FourCC
    /// The bytes after the header.
    package let payload: Bytes
    /// Whether the size has 64 bits.
    package let hasWideSize: Bool

    /// An atom of these bytes.
    package init(_ type: FourCC, _ payload: Bytes, hasWideSize: Bool = false) {
      self.type = type
      self.payload = payload
      self.hasWideSize = hasWideSize
    }

    /// Writes header and payload.
    package func write(to writer: inout ByteWriter) {
      writer.write(AtomHeader.bytes(UInt64(payload.count) + (hasWideSize ? 16 : 8), type, isWide: hasWideSize))
      writer.write(payload)
    }
  }

  /// The atoms, in order; one of type 0, which ends some lists, is not among them.
  package let atoms: [Atom]
  /// What follows them and is no atom; empty where it is zeros, which end some lists too (QTFF "Sample Description
  /// Atoms").
  package let rest: Bytes

  /// Reads the bytes after the known fields of a sample description, or those in one of its atoms.
  package init(_ bytes: Bytes) {
    var list = AtomList(bytes)
    var atoms: [Atom] = []
    while let atom = list.next() {
      if atom.type.rawValue != 0 { atoms.append(Atom(atom.type, atom.payload, hasWideSize: atom.hasWideSize)) }
    }
    self.atoms = atoms
    let left = list.rest
    rest = left.allSatisfy { $0 == 0 } ? Bytes() : left
  }

  /// The payload of the first atom of a type.
  package subscript(type: FourCC) -> Bytes? { atoms.first { $0.type == type }?.payload }
}
