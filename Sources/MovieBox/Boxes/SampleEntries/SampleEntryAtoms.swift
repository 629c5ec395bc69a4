/// The atoms at the end of a sample description, such as `esds` and `colr`, one after the other.
package struct SampleEntryAtoms: Hashable, Sendable {
  /// One of them.
  package struct Atom: Hashable, Sendable {
    /// The type.
    package let type: FourCC
    /// The bytes after the header.
    package let payload: Bytes

    /// An atom of these bytes.
    package init(_ type: FourCC, _ payload: Bytes) {
      self.type = type
      self.payload = payload
    }

    /// Writes header and payload.
    package func write(to writer: inout ByteWriter) {
      writer.atom(type) { $0.write(payload) }
    }
  }

  /// The atoms, in order; one of type 0, which ends some lists, is not among them.
  package let atoms: [Atom]
  /// What follows them and is no atom; empty where it is zeros, which end some lists too (QTFF "Sample Description
  /// Atoms").
  package let rest: Bytes

  /// Reads the bytes after the known fields of a sample description, or those in one of its atoms.
  package init(_ bytes: Bytes) {
    var atoms: [Atom] = []
    var left = bytes
    while let size = left.load(at: 0, as: UInt32.self).flatMap({ Int(exactly: $0) }), size >= 8, size <= left.count,
      let code = left.load(at: 4, as: UInt32.self), let payload = left.slice(at: 8, count: size - 8)
    {
      if code != 0 { atoms.append(Atom(FourCC(rawValue: code), payload)) }
      left = left.dropFirst(size)
    }
    self.atoms = atoms
    rest = left.allSatisfy { $0 == 0 } ? Bytes() : left
  }

  /// The payload of the first atom of a type.
  package subscript(type: FourCC) -> Bytes? { atoms.first { $0.type == type }?.payload }
}
