/// Where an atom of an ``AtomTree`` lies; it decodes nothing.
public struct Atom: Hashable, Sendable {
  /// The four-character code.
  public let type: FourCC
  /// The first byte of the header, counted from the start of the tree's bytes.
  public let start: Int
  /// All bytes, header included.
  public let byteCount: Int
  /// 8, or 16 with a 64-bit size.
  public let headerByteCount: Int
  /// Bytes between the header and the first child; `nil` for an atom that holds no atoms.
  public let childPrefix: Int?
  /// How many atoms this one lies in.
  public let depth: Int
  /// The index of the atom that this one lies in; `nil` for the root.
  public let parent: Int?
  /// One past the index of the last atom inside this one.
  public internal(set) var subtreeEnd: Int
  /// Where the children end; what lies between this and the atom's end is a tail (a zero terminator, odd bytes).
  public internal(set) var childrenEnd: Int

  /// One past the last byte, counted from the start of the tree's bytes.
  public var end: Int { start + byteCount }
  /// Whether the atom can hold atoms.
  public var isContainer: Bool { childPrefix != nil }
}
