import MovieBox

/// An atom to be written: copied, generated, or a container of drafts.
///
/// Only the ancestors of a change are containers. All other bytes are copied as runs of old bytes.
indirect enum AtomDraft: Hashable, Sendable {
  /// Bytes of the old movie, for one or several atoms.
  case verbatim(Bytes)
  /// A new atom, including its header.
  case generated(Bytes)
  /// An old atom with new contents. The head is its header and the bytes before its first child. The tail follows the
  /// children.
  case container(head: Bytes, headerByteCount: Int, children: [AtomDraft], tail: Bytes)

  /// The size of the written atom.
  var byteCount: UInt64 {
    switch self {
    case .verbatim(let bytes), .generated(let bytes): UInt64(bytes.count)
    case .container(let head, _, let children, let tail):
      children.reduce(UInt64(head.count) + UInt64(tail.count)) { $0 &+ $1.byteCount }  // The sum fits in memory.
    }
  }

  /// Throws `.limit` if the atom does not fit in a 32-bit size. This can happen only if the caller raises the limits.
  func requireFits32BitSize() throws(MovieError) {
    guard byteCount <= UInt64(UInt32.max) else {
      throw MovieError(.limit, in: "moov", "the new movie atom has \(byteCount) bytes; the limit is \(UInt32.max)")
    }
  }

  func write(to writer: inout ByteWriter) {
    for piece in DraftedBytes(self).pieces { writer.write(piece.bytes) }
  }
}

/// The bytes of a draft as a list of slices. The old movie atom may have several megabytes, so most slices share its
/// memory.
struct DraftedBytes {
  /// The runs of bytes in order, each with the offset of its first byte.
  private(set) var pieces: [(start: Int, bytes: Bytes)] = []
  /// The size of the draft.
  private(set) var count = 0

  /// Creates the bytes of a draft whose size fits in 32 bits.
  init(_ draft: AtomDraft) {
    append(draft)
  }

  /// Appends a draft. The header of a container keeps its width and contains the new size.
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
        precondition(byteCount <= UInt64(UInt32.max), "call requireFits32BitSize() first")
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

  /// Returns a copy of the bytes in a range, or `nil` if the range exceeds the draft.
  func copy(_ range: Range<Int>) -> Bytes? {
    guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
    var writer = ByteWriter()
    writer.reserve(range.count)
    forEachPiece(in: range) { _, bytes in
      writer.write(bytes)
      return true
    }
    return Bytes(writer.take())
  }

  /// Whether the bytes in a range equal the bytes of `old` that start at `offset`. Slices of `old` itself at that
  /// offset are equal without a comparison.
  func hasBytes(in range: Range<Int>, equalTo old: Bytes, at offset: Int) -> Bool {
    guard range.lowerBound >= 0, range.upperBound <= count else { return false }
    return forEachPiece(in: range) { start, bytes in
      let oldOffset = offset + start - range.lowerBound
      return bytes.offset(in: old) == oldOffset || old.slice(at: oldOffset, count: bytes.count) == bytes
    }
  }

  /// Calls `body` with each run in a range until it returns `false`. Returns whether all calls returned `true`.
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

/// Changes to the atoms of a tree. A draft of the tree is made from them.
struct AtomEdits: Hashable, Sendable {
  private enum Modification: Hashable, Sendable {
    case replace(Bytes)
    case remove
  }

  private struct InsertionPoint: Hashable, Sendable {
    let parent: Int
    let successor: Int?
  }

  private var changes: [Int: Modification] = [:]
  private var insertions: [InsertionPoint: [Bytes]] = [:]

  /// Whether there are no changes.
  var isEmpty: Bool { changes.isEmpty && insertions.isEmpty }

  /// Returns the replacement of an atom, or `nil` if the atom is not replaced.
  func replacement(of index: Int) -> Bytes? {
    if case .replace(let atom)? = changes[index] { atom } else { nil }
  }

  /// Whether an atom is replaced or removed.
  func isChanged(_ index: Int) -> Bool { changes[index] != nil }

  /// Whether an atom is removed.
  func isRemoved(_ index: Int) -> Bool { changes[index] == .remove }

  /// Replaces an atom with `atom`. The bytes of `atom` include its header.
  mutating func replace(_ index: Int, with atom: [UInt8]) {
    changes[index] = .replace(Bytes(atom))
  }

  /// Removes an atom.
  mutating func remove(_ index: Int) {
    changes[index] = .remove
  }

  /// Inserts a child before `successor`. If `successor` is `nil`, inserts it after the last child and before the tail.
  mutating func insert(_ atom: [UInt8], into parent: Int, before successor: Int? = nil) {
    insertions[InsertionPoint(parent: parent, successor: successor), default: []].append(Bytes(atom))
  }

  /// Adds changes to other atoms, in time proportional to the added changes.
  mutating func formUnion(_ other: AtomEdits) {
    changes.merge(other.changes) { _, new in new }
    insertions.merge(other.insertions) { $0 + $1 }
  }

  /// Returns a draft of the tree, or of its atom at `index`, with the changes.
  func draft(of tree: AtomTree, at index: Int? = nil) -> AtomDraft {
    var changedAncestors: Set<Int> = []
    for start in Array(changes.keys.compactMap { tree[$0].parent }) + insertions.keys.map(\.parent) {
      var index: Int? = start
      while let this = index, changedAncestors.insert(this).inserted { index = tree[this].parent }
    }
    return draft(of: index ?? tree.root, in: tree, changedAncestors: changedAncestors)
  }

  /// Recurses along the changed ancestors. The depth is at most the limit of the tree.
  private func draft(of index: Int, in tree: AtomTree, changedAncestors: Set<Int>) -> AtomDraft {
    guard changedAncestors.contains(index) else { return .verbatim(tree.bytes(of: index)) }
    var children: [AtomDraft] = []
    for child in tree.children(of: index) {
      children += added(to: index, before: child)
      switch changes[child] {
      case .replace(let atom): children.append(.generated(atom))
      case .remove: break
      case nil: children.append(draft(of: child, in: tree, changedAncestors: changedAncestors))
      }
    }
    children += added(to: index, before: nil)
    return .container(
      head: tree.head(of: index), headerByteCount: tree[index].headerByteCount, children: children,
      tail: tree.tail(of: index))
  }

  private func added(to parent: Int, before successor: Int?) -> [AtomDraft] {
    insertions[InsertionPoint(parent: parent, successor: successor)]?.map { .generated($0) } ?? []
  }
}

extension AtomPayload {
  /// Returns the whole atom with a header of this type.
  func atom(_ type: FourCC) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom(type) { write(to: &$0) }
    return writer.bytes
  }
}
