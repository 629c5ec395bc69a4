/// Compares two atom trees in parallel and reports each difference.
///
/// The callers determine which differences `diff` prints and which ones verification rejects. Atoms with an identity,
/// such as tracks, are paired by their identity. Other atoms of equal type are paired in order. If their counts differ,
/// equal atoms at the start and at the end are paired first. An atom that was added or removed in the middle is then
/// reported as a single difference.
package struct AtomTreeComparison {
  /// A difference between the trees. An atom is represented by its index in the old or new tree.
  package enum Finding: Hashable, Sendable {
    /// Only the old tree contains the atom and its descendants.
    case removed(Int)
    /// Only the new tree contains the atom and its descendants. `parent` is the index of the corresponding parent in
    /// the old tree.
    case added(Int, parent: Int)
    /// The payloads differ. At least one of the atoms has no children, or the caller requested a comparison without
    /// regard to children.
    case payload(old: Int, new: Int)
    /// The bytes before the first child differ.
    case beforeChildren(old: Int, new: Int)
    /// The bytes after the last child differ.
    case afterChildren(old: Int, new: Int)
    /// The children that both atoms contain are in a different order.
    case order(old: Int, new: Int)
    /// One atom has a 32-bit size field, and the other has a 64-bit size field.
    case sizeWidth(old: Int, new: Int)
  }

  package enum Side: Sendable {
    case old, new
  }

  package let old: AtomTree
  package let new: AtomTree
  /// Whether free space and the widths of size fields are compared. If `true`, an `stco` is also paired with a `co64`.
  private let isStrict: Bool
  /// Whether an atom of either tree is ignored. Another comparison covers the atom, or the atom may change freely.
  private let omits: (Side, Int) -> Bool
  /// Whether the payload of an atom of the old tree is compared without regard to its children.
  private let comparesWhole: (Int) -> Bool
  /// The identity that pairs children of equal type, or `nil` to pair them in order.
  private let identity: (Side, Int) -> UInt32?

  package init(
    _ old: AtomTree, _ new: AtomTree, isStrict: Bool = false,
    omits: @escaping (Side, Int) -> Bool = { _, _ in false },
    comparesWhole: @escaping (Int) -> Bool = { _ in false },
    identity: @escaping (Side, Int) -> UInt32? = { _, _ in nil }
  ) {
    (self.old, self.new, self.isStrict) = (old, new, isStrict)
    (self.omits, self.comparesWhole, self.identity) = (omits, comparesWhole, identity)
  }

  /// Compares a pair of atoms and their descendants. An error thrown by `found` ends the comparison.
  package func compare<Failure: Error>(
    _ oldIndex: Int, _ newIndex: Int, _ found: (Finding) throws(Failure) -> Void
  ) throws(Failure) {
    var open = [(oldIndex, newIndex)]
    while let (oldIndex, newIndex) = open.popLast() {
      guard old[oldIndex].isContainer, new[newIndex].isContainer, !comparesWhole(oldIndex) else {
        if old.payload(of: oldIndex) != new.payload(of: newIndex) || old[oldIndex].type != new[newIndex].type {
          try found(.payload(old: oldIndex, new: newIndex))
        } else if isStrict, old[oldIndex].headerByteCount != new[newIndex].headerByteCount {
          try found(.sizeWidth(old: oldIndex, new: newIndex))
        }
        continue
      }
      if isStrict, old[oldIndex].headerByteCount != new[newIndex].headerByteCount {
        try found(.sizeWidth(old: oldIndex, new: newIndex))
      }
      if Self.bytesBeforeChildren(old, oldIndex) != Self.bytesBeforeChildren(new, newIndex) {
        try found(.beforeChildren(old: oldIndex, new: newIndex))
      }
      if old.tail(of: oldIndex) != new.tail(of: newIndex) { try found(.afterChildren(old: oldIndex, new: newIndex)) }
      open += try matchChildren(oldIndex, newIndex, found).reversed()
    }
  }

  /// The type and identity of an atom. Two atoms are paired only if they have equal types and equal identities.
  private struct Kind: Hashable {
    let type: FourCC
    let identity: UInt32?
  }

  private func kind(_ side: Side, _ index: Int) -> Kind {
    let type = (side == .old ? old : new)[index].type
    return Kind(type: isStrict && type == "co64" ? "stco" : type, identity: identity(side, index))
  }

  private func isCompared(_ side: Side, _ index: Int) -> Bool {
    let type = (side == .old ? old : new)[index].type
    return (isStrict || type != "free" && type != "skip") && !omits(side, index)
  }

  /// Pairs the children of two atoms and reports the children without a counterpart.
  private func matchChildren<Failure: Error>(
    _ oldIndex: Int, _ newIndex: Int, _ found: (Finding) throws(Failure) -> Void
  ) throws(Failure) -> [(Int, Int)] {
    var before: [Kind: [Int]] = [:]
    var after: [Kind: [Int]] = [:]
    var order: [Kind] = []
    for child in old.children(of: oldIndex) where isCompared(.old, child) {
      let kind = kind(.old, child)
      if before[kind] == nil { order.append(kind) }
      before[kind, default: []].append(child)
    }
    for child in new.children(of: newIndex) where isCompared(.new, child) {
      let kind = kind(.new, child)
      if after[kind] == nil, before[kind] == nil { order.append(kind) }
      after[kind, default: []].append(child)
    }
    var pairs: [(Int, Int)] = []
    for kind in order {
      var one = (before[kind] ?? [])[...]
      var other = (after[kind] ?? [])[...]
      if one.count != other.count {
        while let first = one.first, let match = other.first, old.bytes(of: first) == new.bytes(of: match) {
          pairs.append((one.removeFirst(), other.removeFirst()))
        }
        while let last = one.last, let match = other.last, old.bytes(of: last) == new.bytes(of: match) {
          pairs.append((one.removeLast(), other.removeLast()))
        }
      }
      while let first = one.first, let match = other.first {
        pairs.append((first, match))
        one.removeFirst()
        other.removeFirst()
      }
      for index in one { try found(.removed(index)) }
      for index in other { try found(.added(index, parent: oldIndex)) }
    }
    pairs.sort { $0.0 < $1.0 }
    if zip(pairs, pairs.dropFirst()).contains(where: { $0.1 > $1.1 }) {
      try found(.order(old: oldIndex, new: newIndex))
    }
    return pairs
  }

  /// Returns the bytes between the header and the first child.
  private static func bytesBeforeChildren(_ tree: AtomTree, _ index: Int) -> Bytes {
    tree.head(of: index).dropFirst(tree[index].headerByteCount)
  }
}
