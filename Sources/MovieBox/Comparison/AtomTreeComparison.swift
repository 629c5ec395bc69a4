/// Walks two trees of atoms together, and hands over each place where they differ.
///
/// It judges nothing: what `diff` prints and what verification refuses is decided by who gets the findings. Atoms of
/// one type are matched in their order; of types that have an identity, such as tracks, by that. What stands the same
/// at the start and end of several is matched first, so that one that came or went in the middle is found as such.
package struct AtomTreeComparison {
  /// A place where the trees differ; atoms are indices in their own tree.
  package enum Finding: Hashable, Sendable {
    /// An atom, with all in it, that only the old tree has.
    case removed(Int)
    /// An atom, with all in it, that only the new tree has, in the atom that stands for `parent` of the old one.
    case added(Int, parent: Int)
    /// The payload of an atom without children in one of the trees, or of one that is compared whole.
    case payload(old: Int, new: Int)
    /// The bytes before the first child.
    case beforeChildren(old: Int, new: Int)
    /// The bytes after the last child.
    case afterChildren(old: Int, new: Int)
    /// The order of the children that both have.
    case order(old: Int, new: Int)
    /// The header stores the size in another number of bytes.
    case sizeWidth(old: Int, new: Int)
  }

  /// The tree that an atom is in.
  package enum Side: Sendable {
    case old, new
  }

  package let old: AtomTree
  package let new: AtomTree
  /// Whether free space and the width of sizes count, and tables of chunk offsets of either width are pairs.
  private let isStrict: Bool
  /// Whether an atom of one of the trees is left out: it is compared in another way, or may come, go and change.
  private let omits: (Side, Int) -> Bool
  /// Whether an atom of the old tree is compared as one, whatever it contains.
  private let comparesWhole: (Int) -> Bool
  /// The property by which children of a type form pairs; `nil` for their order.
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

  /// Compares two atoms, which are taken for a pair, and all in them. What `found` throws ends the walk.
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

  /// The properties that paired children share.
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

  /// The children that both have.
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

  /// The bytes before the first child, without the size.
  private static func head(_ tree: AtomTree, _ index: Int) -> Bytes {
    tree.head(of: index).dropFirst(tree[index].headerByteCount)
  }
}
