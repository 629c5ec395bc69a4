/// One atom as it lies in a file, and what lies in it.
package struct ReadAtom: Sendable {
  /// Four characters, each the byte with its number (`©` is 0xA9). Empty for the file itself.
  package let type: String
  /// The types from the top, joined by `/`; a track is named by its ID, as in `moov/trak#2/tkhd`.
  package internal(set) var path: String
  /// Where its header begins, from the start of the file.
  package let offset: UInt64
  /// 8 or 16 bytes; 0 for the file itself.
  package let headerByteCount: Int
  /// All its bytes, header included.
  package let byteCount: UInt64
  /// Whether it says that it is longer than the file.
  package let isCut: Bool
  /// What stands before the first atom in it, such as the version and flags of `meta`.
  package internal(set) var fieldByteCount = 0
  /// What stands in it, in order.
  package internal(set) var children: [ReadAtom] = []
  /// Whether it is read as a holder of atoms, if an empty one.
  package internal(set) var isContainer = false
  /// The bytes after the last atom in it which are not an atom.
  package internal(set) var tail: Range<UInt64>

  /// One past its last byte.
  package var end: UInt64 { offset + byteCount }
  /// Where its content begins.
  package var contentOffset: UInt64 { offset + UInt64(headerByteCount) }

  /// The first child of a type.
  package func child(_ type: String) -> ReadAtom? {
    children.first { $0.type == type }
  }

  /// The first atom under this one by types.
  package func descendant(_ types: String...) -> ReadAtom? {
    types.reduce(Optional(self)) { $0?.child($1) }
  }

  /// This atom and all in it, as they come in the file.
  package var flattened: [ReadAtom] {
    [self] + children.flatMap(\.flattened)
  }
}

/// Reads headers and knows which atoms hold others.
struct AtomScanner {
  let store: ByteStore

  /// Atoms that are nothing but rows of atoms.
  private static let plain: Set<String> = [
    "moov", "trak", "mdia", "minf", "stbl", "edts", "dinf", "tref", "udta", "tapt", "gmhd", "clip", "matt", "ilst",
    "mvex", "moof", "traf", "mfra", "ludt", "strk", "cmov", "rmra", "rmda",
  ]
  private static let deepest = 12

  /// The whole file as one atom without a header.
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
      // QuickTime's is a plain atom, ISO's has a version and flags: where `hdlr` stands distinguishes them.
      let begin = try store.read(atom.contentOffset, Int(min(12, atom.end - atom.contentOffset)))
      if begin.count < 8 { return }
      atom.fieldByteCount = codeText(begin, 4) == "hdlr" || begin.count < 12 ? 0 : 4
    }
    atom.isContainer = true
    (atom.children, atom.tail) = try children(
      from: atom.contentOffset + UInt64(atom.fieldByteCount), to: atom.end, of: atom, depth: depth + 1)
  }

  /// The atom at a position; nil when what stands there is none.
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
      // A file that was cut: its media or its free space is shorter than it says.
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
