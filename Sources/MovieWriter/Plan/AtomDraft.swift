import MovieBox

/// An atom as it will be written: as it was, generated, or a container of such.
///
/// Only the spine above a change is a container; everything beside it is one copy of old bytes.
indirect enum AtomDraft: Hashable, Sendable {
  /// Bytes of the old movie, one atom or several.
  case verbatim(Bytes)
  /// A new atom, header included.
  case generated(Bytes)
  /// An old atom with other contents: its header and the bytes before its first child, its children, its tail.
  case container(head: Bytes, headerByteCount: Int, children: [AtomDraft], tail: Bytes)

  /// How many bytes will be written.
  var byteCount: UInt64 {
    switch self {
    case .verbatim(let bytes), .generated(let bytes): UInt64(bytes.count)
    case .container(let head, _, let children, let tail):
      children.reduce(UInt64(head.count) + UInt64(tail.count)) { $0 &+ $1.byteCount }  // In memory, or parts of it.
    }
  }

  /// Makes sure that sizes of 32 bits hold the atom and all in it, as limits that were raised do not.
  func requireFits32BitSize() throws(MovieError) {
    guard byteCount <= UInt64(UInt32.max) else {
      throw MovieError(.limit, in: "moov", "the new movie atom has \(byteCount) bytes, \(UInt32.max) at most")
    }
  }

  /// Writes the atom.
  func write(to writer: inout ByteWriter) {
    for piece in DraftedBytes(self).pieces { writer.write(piece.bytes) }
  }
}

/// The bytes of a draft where they lie: most of them are slices of the old movie atom, which may be megabytes.
struct DraftedBytes {
  /// The bytes in their order, each run by the place of its first.
  private(set) var pieces: [(start: Int, bytes: Bytes)] = []
  /// How many bytes the draft has.
  private(set) var count = 0

  /// The bytes of a draft whose size fits 32 bits.
  init(_ draft: AtomDraft) {
    append(draft)
  }

  /// The header of a container keeps its width, and gets the size of what is in it.
  private mutating func append(_ draft: AtomDraft) {
    switch draft {
    case .verbatim(let bytes), .generated(let bytes): append(bytes)
    case .container(let head, let headerByteCount, let children, let tail):
      let byteCount = draft.byteCount
      var writer = ByteWriter()
      writer.write(head)
      if headerByteCount == 16 {
        writer.patch(byteCount, at: 8)
      } else {
        precondition(byteCount <= UInt64(UInt32.max), "whoever writes an atom has made sure that it is one")
        writer.patch(UInt32(truncatingIfNeeded: byteCount), at: 0)
      }
      append(Bytes(writer.take()))
      for child in children { append(child) }
      append(tail)
    }
  }

  private mutating func append(_ bytes: Bytes) {
    guard !bytes.isEmpty else { return }
    pieces.append((count, bytes))
    count += bytes.count
  }

  /// A copy of the bytes of a range; `nil` where it passes the end.
  func copy(_ range: Range<Int>) -> Bytes? {
    guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
    var writer = ByteWriter()
    forEachPiece(in: range) { _, bytes in
      writer.write(bytes)
      return true
    }
    return Bytes(writer.take())
  }

  /// Whether the bytes of a range are those of `old` from `offset` on. Looks at none that are a slice of `old` there.
  func holds(_ range: Range<Int>, of old: Bytes, at offset: Int) -> Bool {
    guard range.lowerBound >= 0, range.upperBound <= count else { return false }
    return forEachPiece(in: range) { start, bytes in
      let place = offset + start - range.lowerBound
      return bytes.offset(in: old) == place || old.slice(at: place, count: bytes.count) == bytes
    }
  }

  /// Goes over the pieces of a range until `body` says no; `false` then.
  @discardableResult
  private func forEachPiece(in range: Range<Int>, _ body: (_ start: Int, _ bytes: Bytes) -> Bool) -> Bool {
    for piece in pieces {
      if piece.start >= range.upperBound { break }
      let part = range.clamped(to: piece.start..<piece.start + piece.bytes.count)
      guard !part.isEmpty, let bytes = piece.bytes.slice(at: part.lowerBound - piece.start, count: part.count) else {
        continue
      }
      guard body(part.lowerBound, bytes) else { return false }
    }
    return true
  }
}

/// Changes to the atoms of a tree, and the draft that they make of it.
struct AtomEdits: Hashable, Sendable {
  private enum Fate: Hashable, Sendable {
    case replace(Bytes)
    case remove
  }

  private struct Place: Hashable, Sendable {
    let parent: Int
    let successor: Int?
  }

  private var changes: [Int: Fate] = [:]
  private var insertions: [Place: [Bytes]] = [:]

  /// Whether nothing changes.
  var isEmpty: Bool { changes.isEmpty && insertions.isEmpty }

  /// What comes in the place of an atom; `nil` where it stays, or goes.
  func replacement(of index: Int) -> Bytes? {
    if case .replace(let atom)? = changes[index] { atom } else { nil }
  }

  /// Whether another atom comes in the place of one, or it goes.
  func isChanged(_ index: Int) -> Bool { changes[index] != nil }

  /// Whether an atom goes.
  func isRemoved(_ index: Int) -> Bool { changes[index] == .remove }

  /// Puts another atom in the place of one; `atom` has its header.
  mutating func replace(_ index: Int, with atom: [UInt8]) {
    changes[index] = .replace(Bytes(atom))
  }

  /// Leaves an atom out.
  mutating func remove(_ index: Int) {
    changes[index] = .remove
  }

  /// Adds a child before another child, or after the last one (and before a tail).
  mutating func insert(_ atom: [UInt8], into parent: Int, before successor: Int? = nil) {
    insertions[Place(parent: parent, successor: successor), default: []].append(Bytes(atom))
  }

  /// Adds changes to other atoms. Costs what the added changes count, not what is there.
  mutating func formUnion(_ other: AtomEdits) {
    changes.merge(other.changes) { _, new in new }
    insertions.merge(other.insertions) { $0 + $1 }
  }

  /// The tree, or the atom at `index` of it, with the changes.
  func draft(of tree: AtomTree, at index: Int? = nil) -> AtomDraft {
    var spine: Set<Int> = []
    for start in Array(changes.keys.compactMap { tree[$0].parent }) + insertions.keys.map(\.parent) {
      var index: Int? = start
      while let this = index, spine.insert(this).inserted { index = tree[this].parent }
    }
    return draft(of: index ?? tree.root, in: tree, spine: spine)
  }

  /// As deep as the spine, which is no deeper than the tree's limit.
  private func draft(of index: Int, in tree: AtomTree, spine: Set<Int>) -> AtomDraft {
    guard spine.contains(index) else { return .verbatim(tree.bytes(of: index)) }
    var children: [AtomDraft] = []
    for child in tree.children(of: index) {
      children += added(to: index, before: child)
      switch changes[child] {
      case .replace(let atom): children.append(.generated(atom))
      case .remove: break
      case nil: children.append(draft(of: child, in: tree, spine: spine))
      }
    }
    children += added(to: index, before: nil)
    return .container(
      head: tree.head(of: index), headerByteCount: tree[index].headerByteCount, children: children,
      tail: tree.tail(of: index))
  }

  private func added(to parent: Int, before successor: Int?) -> [AtomDraft] {
    insertions[Place(parent: parent, successor: successor)]?.map { .generated($0) } ?? []
  }
}

extension AtomPayload {
  /// The whole atom, with a header of this type.
  func atom(_ type: FourCC) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom(type) { write(to: &$0) }
    return writer.bytes
  }
}
