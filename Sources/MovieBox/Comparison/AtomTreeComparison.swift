/// Compares two atom trees in parallel and reports each difference.
///
/// The comparison does not judge the differences: its callers decide which differences `diff` prints and verification
/// rejects. Atoms of equal type are paired in their order. Atoms with an identity, such as tracks, are paired by their
/// identity. If the counts differ, equal atoms at the start and at the end are paired first. An atom that was added or
/// removed in the middle is then reported as a single difference.
package struct AtomTreeComparison {
  /// A difference between the trees. An atom is represented by its index in its own tree.
  package enum Finding: Hashable, Sendable {
    /// The old tree contains an atom, with its descendants, that the new tree lacks.
    case removed(Int)
    /// The new tree contains an atom, with its descendants, that the old tree lacks. `parent` is the parent's
    /// counterpart in the old tree.
    case added(Int, parent: Int)
    /// The payloads differ. At least one of the atoms has no children, or the caller requested to compare it as a
    /// whole.
    case payload(old: Int, new: Int)
    /// The bytes before the first child differ.
    case beforeChildren(old: Int, new: Int)
    /// The bytes after the last child differ.
    case afterChildren(old: Int, new: Int)
    /// The common children are in a different order.
    case order(old: Int, new: Int)
    /// The headers store their sizes in fields of different width.
    case sizeWidth(old: Int, new: Int)
  }

  package enum Side: Sendable {
    case old, new
  }

  package let old: AtomTree
  package let new: AtomTree
  /// Whether free space and the width of sizes are compared, and `stco` and `co64` are paired.
  private let isStrict: Bool
  /// Whether the comparison ignores an atom of either tree, because another comparison covers the atom or the atom may
  /// change freely.
  private let omits: (Side, Int) -> Bool
  /// Whether an atom of the old tree is compared as a whole, without regard to its children.
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
    _ left: Int, _ right: Int, _ found: (Finding) throws(Failure) -> Void
  ) throws(Failure) {
    var open = [(left, right)]
    while let (left, right) = open.popLast() {
      guard old[left].isContainer, new[right].isContainer, !comparesWhole(left) else {
        if old.payload(of: left) != new.payload(of: right) || old[left].type != new[right].type {
          try found(.payload(old: left, new: right))
        } else if isStrict, old[left].headerByteCount != new[right].headerByteCount {
          try found(.sizeWidth(old: left, new: right))
        }
        continue
      }
      if isStrict, old[left].headerByteCount != new[right].headerByteCount {
        try found(.sizeWidth(old: left, new: right))
      }
      if Self.head(old, left) != Self.head(new, right) { try found(.beforeChildren(old: left, new: right)) }
      if old.tail(of: left) != new.tail(of: right) { try found(.afterChildren(old: left, new: right)) }
      open += try matchChildren(left, right, found).reversed()
    }
  }

  /// The type and identity that two atoms must share to be paired.
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
    _ left: Int, _ right: Int, _ found: (Finding) throws(Failure) -> Void
  ) throws(Failure) -> [(Int, Int)] {
    var before: [Kind: [Int]] = [:]
    var after: [Kind: [Int]] = [:]
    var order: [Kind] = []
    for child in old.children(of: left) where isCompared(.old, child) {
      let kind = kind(.old, child)
      if before[kind] == nil { order.append(kind) }
      before[kind, default: []].append(child)
    }
    for child in new.children(of: right) where isCompared(.new, child) {
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
      for index in other { try found(.added(index, parent: left)) }
    }
    pairs.sort { $0.0 < $1.0 }
    if zip(pairs, pairs.dropFirst()).contains(where: { $0.1 > $1.1 }) { try found(.order(old: left, new: right)) }
    return pairs
  }

  /// Returns the bytes between the header and the first child.
  private static func head(_ tree: AtomTree, _ index: Int) -> Bytes {
    tree.head(of: index).dropFirst(tree[index].headerByteCount)
  }
}
