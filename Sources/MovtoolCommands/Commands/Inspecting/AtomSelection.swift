import MovieBox
import MovieWriter
import Subtitles

/// An atom found by a path such as `moov/trak[2]/mdia/mdhd` or `uuid[2]`. A path can continue into a compressed movie
/// atom: `moov/cmov/cmvd/moov/trak[2]`.
struct AtomSelection {
  /// The path, with a number after each type that occurs more than once.
  let path: String
  let type: FourCC
  /// The type of the enclosing atom, or `nil` at the top level.
  let parent: FourCC?
  /// The range of the atom, including its header, in the file or in the inflated movie atom.
  let range: ByteRange
  /// Whether ``range`` refers to the inflated movie atom.
  let isInflated: Bool
  let headerByteCount: Int
  /// The types of the children, or `nil` if the atom is not a container.
  let children: [FourCC]?
  /// The bytes after the header. `nil` if they are larger than the limit and not in memory.
  let payload: Bytes?
  /// All bytes of the atom, or `nil` if they are not in memory.
  let bytes: Bytes?

  /// The largest size in bytes of a top-level atom that is read to decode its fields.
  private static let payloadLimit: UInt64 = 4096

  /// Finds the atom at `path`. A type without a number refers to the first atom of that type.
  ///
  /// Throws ``UsageError`` if there is no such atom. The error lists the atoms that the parent contains.
  init(
    at path: String, in layout: FileLayout, of source: any RandomAccessSource, limits: MovieLimits
  ) throws {
    let steps = try Self.steps(of: path)
    let (first, rest) = (steps[0], steps.dropFirst())  // Splitting returns at least one part.
    let matchingAtoms = layout.atoms.filter { $0.type == first.type }
    guard matchingAtoms.indices.contains(first.number - 1) else {
      throw Self.missingAtomError(first, in: "the file", layout.atoms.map(\.type), path)
    }
    let top = matchingAtoms[first.number - 1]
    if Self.containerTypes.contains(top.type) {
      let tree = try top.tree(of: source, limits: limits)
      let found = try Self.follow(rest, from: tree.root, of: tree, path)
      guard let entry = found.rest.first else {
        self.init(found.index, of: tree)
        return
      }
      let inflated = try Movie.movieTree(of: source, layout: layout, limits: limits)
      let root = inflated[inflated.root].type
      guard entry.type == root, entry.number == 1 else {
        throw Self.missingAtomError(entry, in: inflated.enclosingPath, [root], path)
      }
      let inner = try Self.follow(found.rest.dropFirst(), from: inflated.root, of: inflated, path)
      self.init(inner.index, of: inflated)
      return
    }
    if let inner = rest.first { throw Self.missingAtomError(inner, in: top.type.description, [], path) }
    self.init(
      top, path: matchingAtoms.count > 1 ? "\(top.type)[\(first.number)]" : top.type.description,
      payload: top.payloadRange.count <= Self.payloadLimit ? try source.readExactly(top.payloadRange) : nil)
  }

  private init(_ atom: FileLayout.TopLevelAtom, path: String, payload: Bytes?) {
    self.path = path
    self.payload = payload
    type = atom.type
    parent = nil
    range = atom.range
    isInflated = false
    bytes = nil
    headerByteCount = atom.headerByteCount
    children = nil
  }

  private init(_ index: Int, of tree: AtomTree) {
    let atom = tree[index]
    path = tree.path(of: index)
    type = atom.type
    parent = atom.parent.map { tree[$0].type }
    range = tree.range(of: index)
    isInflated = !tree.enclosingPath.isEmpty
    bytes = tree.bytes(of: index)
    headerByteCount = atom.headerByteCount
    children = atom.isContainer ? tree.children(of: index).map { tree[$0].type } : nil
    payload = tree.payload(of: index)
  }

  /// The top-level atoms that are containers.
  static let containerTypes: Set<FourCC> = ["moov", "moof", "mfra", "meta"]

  /// Follows the steps of a path in a tree. Returns the last atom. If the path continues in compressed data, also
  /// returns the remaining steps.
  private static func follow(
    _ steps: ArraySlice<AtomPathStep>, from start: Int, of tree: AtomTree, _ path: String
  ) throws(UsageError) -> (index: Int, rest: ArraySlice<AtomPathStep>) {
    var current = start
    for (position, step) in zip(steps.indices, steps) {
      guard let next = tree.child(of: current, at: step) else {
        if tree.enclosingPath.isEmpty, tree.path(of: current) == CompressedMovieAtom.path {
          return (current, steps[position...])
        }
        let types = tree.children(of: current).map { tree[$0].type }
        throw missingAtomError(step, in: tree.path(of: current), types, path)
      }
      current = next
    }
    return (current, [])
  }

  private static func steps(of path: String) throws(UsageError) -> [AtomPathStep] {
    do throws(MovieError) {
      return try AtomPathStep.steps(of: path)
    } catch {
      throw UsageError(.invalidValue, "--atom \(path): \(error.reason)")
    }
  }

  private static func missingAtomError(
    _ step: AtomPathStep, in place: String, _ types: [FourCC], _ path: String
  ) -> UsageError {
    let count = types.count { $0 == step.type }
    if count > 0 {
      return UsageError(.noMatch, "--atom \(path): \(place) has \(count) \(step.name), not \(step.number)")
    }
    var distinct: [String] = []
    for type in types.map(\.description) where !distinct.contains(type) { distinct.append(type) }
    let list = distinct.isEmpty ? "it contains no atoms" : "it contains " + distinct.prefix(20).joined(separator: ", ")
    let isCompressed = types.contains("cmov")
    let hint = isCompressed ? "; the movie atom is compressed, so use \(CompressedMovieAtom.path)/moov" : ""
    return UsageError(.noMatch, "--atom \(path): \(place) has no \(step.name); \(list)\(hint)")
  }
}

/// The view of an atom in `inspect --atom`: its fields, or all its bytes.
struct AtomView {
  let atom: AtomSelection

  init(_ atom: AtomSelection) {
    self.atom = atom
  }

  /// The number of bytes that are shown if the fields of an atom are unknown.
  private static let previewByteCount: UInt64 = 64

  /// The number of bytes that one call reads and shows. It limits the memory.
  private static let pieceByteCount: UInt64 = 64 << 10

  /// Prints the view. With `isHex`, prints only a hex dump. Its offsets count from the start of the file, or of the
  /// inflated movie atom.
  func show(isHex: Bool, of source: any RandomAccessSource, in context: Context) throws {
    if isHex {
      try dump(atom.range, of: source, in: context)
      return
    }
    let space = atom.isInflated ? " of the inflated movie atom" : ""
    try context.print([
      "\(atom.path) at byte \(atom.range.offset)\(space), \(Quantity.exactBytes(atom.range.count)), "
        + "\(atom.headerByteCount) of them header"
    ])
    let fields: [(String, String)]?
    do throws(MovieError) {
      fields = try atom.payload.flatMap { payload throws(MovieError) in
        try AtomFields.fields(of: atom.type, in: atom.parent, payload)
      }
    } catch {
      try preview(of: source, in: context)
      throw error.located(inside: atom.path, startingAt: atom.range.offset + UInt64(atom.headerByteCount))
    }
    if let fields, !fields.isEmpty {
      var table = TextTable([.init(""), .init("")])
      for field in fields { table.add([field.0, field.1]) }
      try context.print(table.lines.dropFirst().map { "  " + $0 })
    } else if let children = atom.children {
      try context.print(["  " + (children.isEmpty ? "contains no atoms" : "contains " + Self.typesWithCounts(children))]
      )
    } else if fields == nil {
      try preview(of: source, in: context)
    }
  }

  /// Returns the types with their counts: `mvhd, 4 trak, udta`.
  private static func typesWithCounts(_ types: [FourCC]) -> String {
    var order: [FourCC] = []
    var counts: [FourCC: Int] = [:]
    for type in types {
      if counts[type] == nil { order.append(type) }
      counts[type, default: 0] += 1
    }
    return order.map { type in counts[type].map { $0 > 1 ? "\($0) \(type)" : "\(type)" } ?? "" }
      .joined(separator: ", ")
  }

  private func preview(of source: any RandomAccessSource, in context: Context) throws {
    let start = min(atom.range.end, atom.range.offset + UInt64(atom.headerByteCount))
    let end = min(atom.range.end, start + Self.previewByteCount)
    try dump(ByteRange(start..<end), of: source, in: context)
    if end < atom.range.end { try context.print(["… \(atom.range.end - end) more bytes; --hex shows all bytes"]) }
  }

  /// Returns a range of the atom's bytes from memory, or `nil` if the bytes are only in the file. The bytes of an
  /// inflated movie atom are always in memory.
  private func bytesInMemory(_ part: ByteRange) -> Bytes? {
    guard let bytes = atom.bytes, part.offset >= atom.range.offset, part.end <= atom.range.end else { return nil }
    return bytes.slice(at: Int(clamping: part.offset - atom.range.offset), count: Int(clamping: part.count))
  }

  private func dump(_ range: ByteRange, of source: any RandomAccessSource, in context: Context) throws {
    var position = range.offset
    while position < range.end {
      try context.checkStop()
      let end = min(range.end, position + Self.pieceByteCount)
      let part = ByteRange(position..<end)
      let piece = try bytesInMemory(part) ?? source.readExactly(part)
      try context.output.write(HexDump.lines(piece, at: position))
      position = end
    }
  }
}
