/// An atom of a file, with its children.
package struct ReadAtom: Sendable {
  /// The type of four characters, each the byte of its number (`©` is 0xA9), or empty for the file itself.
  package let type: String
  /// The types from the top, joined by `/`, with track IDs as in `moov/trak#2/tkhd`.
  package internal(set) var path: String
  /// The file offset of the header.
  package let offset: UInt64
  /// The size of the header: 8 or 16 bytes, 0 for the file itself.
  package let headerByteCount: Int
  /// The size including the header.
  package let byteCount: UInt64
  /// Whether the declared size exceeds the file.
  package let isCut: Bool
  /// The number of bytes before the first child, such as the version and flags of `meta`.
  package internal(set) var fieldByteCount = 0
  /// The children, in order.
  package internal(set) var children: [ReadAtom] = []
  /// Whether the atom is read as a container, possibly an empty one.
  package internal(set) var isContainer = false
  /// The bytes after the last child that do not form an atom.
  package internal(set) var tail: Range<UInt64>

  /// The offset after its last byte.
  package var end: UInt64 { offset + byteCount }
  /// The offset of its content.
  package var contentOffset: UInt64 { offset + UInt64(headerByteCount) }

  /// Returns the first child of a type.
  package func child(_ type: String) -> ReadAtom? {
    children.first { $0.type == type }
  }

  /// Returns the first descendant at a path of types.
  package func descendant(_ types: String...) -> ReadAtom? {
    types.reduce(Optional(self)) { $0?.child($1) }
  }

  /// The atom and all its descendants, in file order.
  package var flattened: [ReadAtom] {
    [self] + children.flatMap(\.flattened)
  }
}

/// A scanner that reads headers and knows which atoms are containers.
struct AtomScanner {
  let store: ByteStore

  /// Containers without fields of their own.
  private static let plain: Set<String> = [
    "moov", "trak", "mdia", "minf", "stbl", "edts", "dinf", "tref", "udta", "tapt", "gmhd", "clip", "matt", "ilst",
    "mvex", "moof", "traf", "mfra", "ludt", "strk", "cmov", "rmra", "rmda",
  ]
  private static let deepest = 12

  /// Returns the whole file as an atom without a header.
  func file() throws -> ReadAtom {
    var root = ReadAtom(
      type: "", path: "", offset: 0, headerByteCount: 0, byteCount: store.count, isCut: false,
      tail: store.count..<store.count)
    root.isContainer = true
    (root.children, root.tail) = try children(from: 0, to: store.count, of: root, depth: 0)
    return root
  }

  private func children(
    from start: UInt64, to end: UInt64, of parent: ReadAtom, depth: Int
  ) throws -> ([ReadAtom], Range<UInt64>) {
    var found: [ReadAtom] = []
    var position = start
    while var child = try header(at: position, end: end, isTop: depth == 0) {
      child.path = parent.path.isEmpty ? child.type : parent.path + "/" + child.type
      if child.type == "trak" { child.path += try "#\(trackID(child))" }
      try fill(&child, in: parent, depth: depth)
      found.append(child)
      position = child.end
    }
    return (found, position..<end)
  }

  private func fill(_ atom: inout ReadAtom, in parent: ReadAtom, depth: Int) throws {
    let isItem = parent.type == "ilst"
    guard depth < Self.deepest, isItem || Self.plain.contains(atom.type) || atom.type == "meta", !atom.isCut else {
      return
    }
    if atom.type == "meta" {
      // QuickTime's `meta` is a plain container, ISO's has version and flags. The position of `hdlr` distinguishes them.
      let begin = try store.read(atom.contentOffset, Int(min(12, atom.end - atom.contentOffset)))
      if begin.count < 8 { return }
      atom.fieldByteCount = codeText(begin, 4) == "hdlr" || begin.count < 12 ? 0 : 4
    }
    atom.isContainer = true
    (atom.children, atom.tail) = try children(
      from: atom.contentOffset + UInt64(atom.fieldByteCount), to: atom.end, of: atom, depth: depth + 1)
  }

  /// Returns the atom at a position, or `nil` if there is none.
  private func header(at position: UInt64, end: UInt64, isTop: Bool) throws -> ReadAtom? {
    guard end - position >= 8 else { return nil }
    let bytes = try store.read(position, Int(min(16, end - position)))
    guard let short = number(bytes, 0, 4) else { return nil }
    let type = codeText(bytes, 4)
    var size = short
    var headerByteCount = 8
    var isCut = false
    if short == 1 {
      guard let long = number(bytes, 8, 8), long >= 16 else { return nil }
      (size, headerByteCount) = (long, 16)
    } else if short == 0 {
      guard isTop, type != "\0\0\0\0" else { return nil }
      size = end - position
    }
    guard size >= 8 else { return nil }
    if size > end - position {
      // In a file that was cut off, media or free space is shorter than declared.
      guard isTop, ["mdat", "free", "skip"].contains(type) else { return nil }
      (size, isCut) = (end - position, true)
    }
    return ReadAtom(
      type: type, path: "", offset: position, headerByteCount: headerByteCount, byteCount: size, isCut: isCut,
      tail: position + size..<position + size)
  }

  private func trackID(_ trak: ReadAtom) throws -> UInt64 {
    var position = trak.contentOffset
    while let child = try header(at: position, end: trak.end, isTop: false) {
      if child.type == "tkhd" {
        let bytes = try store.read(child.contentOffset, Int(min(24, child.end - child.contentOffset)))
        return number(bytes, bytes.first == 1 ? 20 : 12, 4) ?? 0
      }
      position = child.end
    }
    return 0
  }
}
