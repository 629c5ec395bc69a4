import MovieBox

/// Compares a movie atom with one that lists the same samples in other tables, and throws at the first atom that
/// changed and should not.
struct RewrittenMovieAtomComparison {
  /// What the tables were rewritten for.
  enum Change: Equatable {
    /// The samples of fragments are in them.
    case flattened
    /// Long chunks are split.
    case chunksSplit
    /// Samples that the file lacks are no longer listed by these `trak` atoms.
    case salvaged(old: Set<Int>, new: Set<Int>)

    /// The atoms that may come, change or go, by the type of the atom that they are in. What they say is checked sample
    /// by sample.
    fileprivate var mayDiffer: [FourCC: Set<FourCC>] {
      switch self {
      case .flattened:
        [
          "moov": ["mvex", "pssh"],
          "trak": ["edts", "senc"],
          "stbl": [
            "stts", "ctts", "cslg", "stsc", "stsz", "stz2", "stco", "co64", "stss", "sdtp", "padb", "stdp", "sbgp",
            "sgpd", "saiz", "saio", "subs",
          ],
        ]
      case .chunksSplit: ["stbl": ["stsc", "stco", "co64"]]
      case .salvaged:
        [
          "edts": ["elst"],
          "stbl": [
            "stts", "ctts", "cslg", "stsc", "stsz", "stz2", "stco", "co64", "stss", "stps", "sdtp", "padb", "stdp",
            "sbgp", "subs",
          ],
        ]
      }
    }
  }

  let old: AtomTree
  let new: AtomTree
  let change: Change

  func check() throws(MovieError) {
    let comparison = AtomTreeComparison(old, new, isStrict: true) { side, index in
      let isOld = side == .old
      return mayDiffer(isOld ? old : new, index) && isInChangedTrack(index, isOld: isOld)
    }
    try comparison.compare(old.root, new.root) { finding throws(MovieError) in
      switch finding {
      case .payload(let left, let right) where change != .chunksSplit: try compareHeaders(left, right)
      default: throw finding.refusal(old, new)
      }
    }
  }

  /// The atoms of a movie in which some may come, change or go.
  private static let containers: Set<[FourCC]> = [
    [], ["trak"], ["trak", "edts"], ["trak", "mdia"], ["trak", "mdia", "minf"], ["trak", "mdia", "minf", "stbl"],
  ]

  /// Whether an atom may come, change or go.
  private func mayDiffer(_ tree: AtomTree, _ index: Int) -> Bool {
    let type = tree[index].type
    guard let parent = tree[index].parent else { return false }
    let isEncryption = change == .flattened && type == "uuid"
    guard isEncryption || change.mayDiffer[tree[parent].type]?.contains(type) == true,
      Self.containers.contains(tree.types(to: parent))
    else { return false }
    return !isEncryption || tree.payload(of: index).slice(at: 0, count: 16) == SampleEncryption.userType
  }

  /// Whether an atom is in a track that lost samples, or any track is rewritten.
  private func isInChangedTrack(_ index: Int, isOld: Bool) -> Bool {
    guard case .salvaged(let olds, let news) = change else { return true }
    let tree = isOld ? old : new
    var atom = index
    while let parent = tree[atom].parent, parent != tree.root { atom = parent }
    return (isOld ? olds : news).contains(atom)
  }

  private func compareHeaders(_ left: Int, _ right: Int) throws(MovieError) {
    switch old.types(to: left) {
    case let path where path.first == "trak" && !isInChangedTrack(left, isOld: true):
      throw AtomTreeComparison.Finding.payload(old: left, new: right).refusal(old, new)
    case ["mvhd"]:
      try compare(left, right, MovieHeader.self) { ($0.duration, $0.version) = ($1.duration, $1.version) }
    case ["trak", "tkhd"]:
      try compare(left, right, TrackHeader.self) { ($0.duration, $0.version) = ($1.duration, $1.version) }
    case ["trak", "mdia", "mdhd"]:
      try compare(left, right, MediaHeader.self) { ($0.duration, $0.version) = ($1.duration, $1.version) }
    default: throw AtomTreeComparison.Finding.payload(old: left, new: right).refusal(old, new)
    }
  }

  /// Compares two movie atoms but for what `ignore` takes over from the new one.
  private func compare<Header: AtomPayload>(
    _ left: Int, _ right: Int, _ type: Header.Type, ignoring ignore: (inout Header, Header) -> Void
  ) throws(MovieError) {
    var before = try old.decode(type, at: left)
    let after = try new.decode(type, at: right)
    ignore(&before, after)
    guard before == after else { throw changed(left, "more than its duration changed") }
  }

  private func changed(_ index: Int, _ reason: String) -> MovieError {
    old.error(.planCheckFailed, at: index, reason)
  }
}

extension AtomTreeComparison.Finding {
  /// The error for a difference that nothing allows.
  func refusal(_ old: AtomTree, _ new: AtomTree) -> MovieError {
    func changed(_ index: Int, _ reason: String) -> MovieError {
      old.error(.planCheckFailed, at: index, reason)
    }
    return switch self {
    case .removed(let index): changed(index, "it is lost")
    case .added(let index, let parent): changed(parent, "a \(new[index].type) was added to it")
    case .payload(let index, _): changed(index, "its bytes changed")
    case .beforeChildren(let index, _), .afterChildren(let index, _):
      changed(index, "the bytes beside its children changed")
    case .order(let index, _): changed(index, "the atoms in it are in another order")
    case .sizeWidth(let index, _): changed(index, "the width of its size changed")
    }
  }
}
