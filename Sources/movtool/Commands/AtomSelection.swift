import MovieBox

/// One atom of a file, found by a path such as `moov/trak[2]/mdia/mdhd` or `uuid[2]`.
struct AtomSelection {
  /// The path, with a number wherever a type occurs more than once.
  let path: String
  let type: FourCC
  /// The type of the atom that this one lies in; `nil` at the top.
  let parent: FourCC?
  /// All bytes, header included.
  let range: ByteRange
  let headerByteCount: Int
  /// The types of the atoms inside; `nil` for an atom that holds none.
  let children: [FourCC]?
  /// The bytes after the header, where they are in memory or few.
  let payload: Bytes?

  /// The most bytes of an atom at the top that are read to decode it.
  private static let payloadLimit: UInt64 = 4096

  /// Finds the atom that `path` names; a type without a number is the first of its kind.
  ///
  /// Throws ``UsageError`` where there is none, saying what is there instead.
  init(at path: String, in layout: FileLayout, of source: any RandomAccessSource) throws {
    let steps = try path.split(separator: "/", omittingEmptySubsequences: false).map { part throws(UsageError) in
      try Step(part, in: path)
    }
    let (first, rest) = (steps[0], steps.dropFirst())  // Splitting gives one part at least.
    let same = layout.atoms.filter { $0.type == first.type }
    guard same.indices.contains(first.number - 1) else {
      throw Self.missing(first, same.count, in: "the file", layout.atoms.map(\.type), path)
    }
    let top = same[first.number - 1]
    if Self.holdsAtoms.contains(top.type) {
      let tree = try top.tree(of: source)
      self.init(try Self.index(Array(rest), of: tree, path), of: tree)
      return
    }
    if let inner = rest.first { throw Self.missing(inner, 0, in: top.type.description, [], path) }
    self.init(
      top, path: same.count > 1 ? "\(top.type)[\(first.number)]" : top.type.description,
      payload: top.payloadRange.count <= Self.payloadLimit ? try source.readExactly(top.payloadRange) : nil)
  }

  private init(_ atom: FileLayout.TopLevelAtom, path: String, payload: Bytes?) {
    self.path = path
    self.payload = payload
    type = atom.type
    parent = nil
    range = atom.range
    headerByteCount = atom.headerByteCount
    children = nil
  }

  private init(_ index: Int, of tree: AtomTree) {
    let atom = tree[index]
    path = tree.path(of: index)
    type = atom.type
    parent = atom.parent.map { tree[$0].type }
    range = tree.range(of: index)
    headerByteCount = atom.headerByteCount
    children = atom.isContainer ? tree.children(of: index).map { tree[$0].type } : nil
    payload = tree.payload(of: index)
  }

  /// Atoms at the top that hold atoms.
  static let holdsAtoms: Set<FourCC> = ["moov", "moof", "mfra", "meta"]

  private static func index(_ steps: [Step], of tree: AtomTree, _ path: String) throws(UsageError) -> Int {
    var current = tree.root
    for step in steps {
      let same = tree.children(of: current, step.type)
      guard same.indices.contains(step.number - 1) else {
        let types = tree.children(of: current).map { tree[$0].type }
        throw missing(step, same.count, in: tree.path(of: current), types, path)
      }
      current = same[step.number - 1]
    }
    return current
  }

  private static func missing(
    _ step: Step, _ count: Int, in place: String, _ types: [FourCC], _ path: String
  ) -> UsageError {
    if count > 0 {
      return UsageError(.noMatch, "--atom \(path): \(place) has \(count) \(step.name), not \(step.number)")
    }
    var distinct: [String] = []
    for type in types.map(\.description) where !distinct.contains(type) { distinct.append(type) }
    let list = distinct.isEmpty ? "it holds no atoms" : "it has " + distinct.prefix(20).joined(separator: ", ")
    return UsageError(.noMatch, "--atom \(path): \(place) has no \(step.name); \(list)")
  }
}

/// A type and which of its kind, from 1.
private struct Step {
  let type: FourCC
  let number: Int
  /// The type as it was written.
  let name: Substring

  /// Reads `trak` or `trak[2]`; a type of fewer than four characters is filled up with blanks, as in `gps `.
  init(_ part: Substring, in path: String) throws(UsageError) {
    let pieces = part.split(separator: "[", maxSplits: 1, omittingEmptySubsequences: false)
    name = pieces[0]
    let padded = name + String(repeating: " ", count: max(0, 4 - name.count))
    guard !name.isEmpty, let type = FourCC(padded) else {
      throw UsageError(.invalidValue, "--atom \(path): \"\(part)\" is no type of an atom")
    }
    self.type = type
    guard pieces.count == 2 else {
      number = 1
      return
    }
    guard pieces[1].last == "]", let number = Int(pieces[1].dropLast()), number > 0 else {
      throw UsageError(.invalidValue, "--atom \(path): after \(name) stands a number from 1, as in trak[2]")
    }
    self.number = number
  }
}
