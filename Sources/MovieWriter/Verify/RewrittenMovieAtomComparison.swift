import MovieBox

/// Compares a movie atom with one that lists the same samples in other tables, and throws at the first atom that
/// changed and should not.
struct RewrittenMovieAtomComparison {
  /// What the tables were rewritten for.
  enum Change {
    /// The samples of fragments are in them.
    case flattened
    /// Long chunks are split.
    case chunksSplit

    /// The atoms that may come, change or go, by the type of the atom that they are in. What they say is checked sample
    /// by sample.
    fileprivate var named: [FourCC: Set<FourCC>] {
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
      }
    }
  }

  let old: AtomTree
  let new: AtomTree
  let change: Change

  func check() throws(MovieError) {
    var open = [(old: old.root, new: new.root)]
    while let pair = open.popLast() {
      if old.bytes(of: pair.old) == new.bytes(of: pair.new) { continue }
      switch old[pair.old].type {
      case "mvhd" where change == .flattened:
        try compare(pair.old, pair.new, MovieHeader.self) { ($0.duration, $0.version) = ($1.duration, $1.version) }
      case "tkhd" where change == .flattened:
        try compare(pair.old, pair.new, TrackHeader.self) { ($0.duration, $0.version) = ($1.duration, $1.version) }
      case "mdhd" where change == .flattened:
        try compare(pair.old, pair.new, MediaHeader.self) { ($0.duration, $0.version) = ($1.duration, $1.version) }
      case "moov", "trak", "mdia", "minf", "stbl": open += try children(pair.old, pair.new)
      default: throw changed(pair.old, "its bytes changed")
      }
    }
  }

  /// The children that must be there still, in pairs.
  private func children(_ left: Int, _ right: Int) throws(MovieError) -> [(old: Int, new: Int)] {
    let named = change.named[old[left].type] ?? []
    func isNamed(_ index: Int, _ tree: AtomTree) -> Bool {
      named.contains(tree[index].type)
        || change == .flattened && tree[index].type == "uuid"
          && tree.payload(of: index).slice(at: 0, count: 16) == SampleEncryption.userType
    }
    let before = old.children(of: left).filter { !isNamed($0, old) }
    let after = new.children(of: right).filter { !isNamed($0, new) }
    guard before.map({ old[$0].type }) == after.map({ new[$0].type }) else {
      throw changed(left, "atoms in it were added, lost or put in another order")
    }
    guard old.tail(of: left) == new.tail(of: right) else { throw changed(left, "the bytes after its atoms changed") }
    return Array(zip(before, after))
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
    MovieError(.planCheckFailed, at: old.range(of: index).offset, in: old.path(of: index), reason)
  }
}
