/// Where an atom of an ``AtomTree`` lies; it decodes nothing.
package struct Atom: Hashable, Sendable {
  /// The four-character code.
  package let type: FourCC
  /// The first byte of the header, counted from the start of the tree's bytes.
  package let start: Int
  /// All bytes, header included.
  package let byteCount: Int
  /// 8, or 16 with a 64-bit size.
  package let headerByteCount: Int
  /// Bytes between the header and the first child; `nil` for an atom that holds no atoms.
  package let childPrefix: Int?
  /// How many atoms this one lies in.
  package let depth: Int
  /// The index of the atom that this one lies in; `nil` for the root.
  package let parent: Int?
  /// The atom's position among the atoms of its type in its parent, counted from 1.
  package let number: Int
  /// Whether the parent contains no other atom of the type.
  package internal(set) var isOnlyOfType: Bool
  /// One past the index of the last atom inside this one.
  package internal(set) var subtreeEnd: Int
  /// Where the children end; what lies between this and the atom's end is a tail (a zero terminator, odd bytes).
  package internal(set) var childrenEnd: Int

  /// One past the last byte, counted from the start of the tree's bytes.
  package var end: Int { start + byteCount }
  /// Whether the atom can hold atoms.
  package var isContainer: Bool { childPrefix != nil }
}
