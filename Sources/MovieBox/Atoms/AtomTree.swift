/// The position of an atom in an ``AtomTree``, without its decoded payload.
package struct Atom: Hashable, Sendable {
  package let type: FourCC
  /// The offset of the header in the tree's bytes.
  package let start: Int
  /// The size of the atom, including its header.
  package let byteCount: Int
  /// The size of the header: 8 bytes, or 16 bytes if the size field has 64 bits.
  package let headerByteCount: Int
  /// The number of bytes between the header and the first child, or `nil` if the atom cannot contain atoms.
  package let childPrefixByteCount: Int?
  /// The number of ancestors.
  package let depth: Int
  /// The index of the parent, or `nil` for the root.
  package let parent: Int?
  /// The number of the atom among its siblings of the same type, from 1.
  package let number: Int
  /// Whether the parent contains no other atom of this type.
  package internal(set) var isOnlyOfType: Bool
  /// The index after the last descendant.
  package internal(set) var subtreeEnd: Int
  /// The end of the children. Any bytes between this end and the atom's end are a tail, such as a zero terminator.
  package internal(set) var childrenEnd: Int

  /// The end of the atom, as an offset in the tree's bytes.
  package var end: Int { start + byteCount }
  /// Whether the atom can contain atoms.
  package var isContainer: Bool { childPrefixByteCount != nil }
}

/// The atoms inside `moov`, `moof` or another atom, as a flat array in file order.
///
/// Each atom stores the index of its parent and the end of its subtree. A pass over the tree therefore needs no
/// recursion and can skip a subtree in one step. Payloads are decoded only on request. Building the tree requires one
/// pass.
///
/// The tree is lossless: every byte is in a header, in a leaf, before a first child or in a tail. Invalid bytes
/// become the tail of the enclosing atom and add a defect, and the rest of the tree remains usable.
///
///     let bytes = Bytes([0, 0, 0, 16, 0x6D, 0x6F, 0x6F, 0x76, 0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65])  // moov(free)
///     let tree = try AtomTree(bytes, at: 0)
///     print(tree.path(of: 1))  // moov/free
package struct AtomTree: Sendable {
  package let bytes: Bytes
  /// The offset of the bytes in the file, or 0 for an inflated movie atom.
  package let offset: UInt64
  /// The path of the atom from which the bytes were inflated, `moov/cmov/cmvd`. The path is empty if the bytes are
  /// stored in the file.
  ///
  /// ``path(of:)`` and errors add this prefix to their paths. In an inflated movie atom, ``range(of:)`` and the
  /// offsets of errors count from the start of the inflated bytes.
  package let enclosingPath: String
  /// The atoms. Each atom precedes its descendants.
  package let atoms: [Atom]
  /// The structural errors, in file order.
  package let defects: [MovieError]
  /// Whether there are more than ``MovieLimits/defectCount`` defects. ``defects`` then contains only the first of them.
  package let hasUnlistedDefects: Bool

  /// Lists the atoms of `bytes`. The first atom is at `offset` in the file.
  ///
  /// Throws if the bytes have no root atom or exceed a limit.
  package init(_ bytes: Bytes, at offset: UInt64, limits: MovieLimits = MovieLimits()) throws(MovieError) {
    try self.init(AtomTreeBuilder(bytes: bytes, offset: offset, limits: limits))
  }

  /// Lists the atoms in the first bytes of a truncated atom.
  ///
  /// An atom that extends past the end of the bytes is cut there and adds a defect.
  package init(truncated bytes: Bytes, at offset: UInt64, limits: MovieLimits = MovieLimits()) throws(MovieError) {
    try self.init(AtomTreeBuilder(bytes: bytes, offset: offset, limits: limits, isTruncated: true))
  }

  /// Lists the atoms of bytes that were inflated from the atom at `path`.
  init(inflated bytes: Bytes, from path: String, limits: MovieLimits) throws(MovieError) {
    try self.init(AtomTreeBuilder(bytes: bytes, offset: 0, limits: limits, enclosingPath: path))
  }

  private init(_ builder: AtomTreeBuilder) throws(MovieError) {
    var builder = builder
    try builder.run()
    bytes = builder.bytes
    offset = builder.offset
    enclosingPath = builder.enclosingPath
    atoms = builder.atoms
    defects = builder.defects
    hasUnlistedDefects = builder.hasUnlistedDefects
    if atoms.first?.type == "moov" { Self.didParseMovieAtom?() }
  }

  /// Returns a copy of the tree at another offset in the file, without parsing.
  package func moved(to offset: UInt64) -> AtomTree { AtomTree(self, at: offset) }

  private init(_ other: AtomTree, at offset: UInt64) {
    self.offset = offset
    (bytes, enclosingPath, atoms) = (other.bytes, other.enclosingPath, other.atoms)
    (defects, hasUnlistedDefects) = (other.defects, other.hasUnlistedDefects)
  }

  /// A function that is called after each parse of a movie atom. Tests use it to count the parses.
  @TaskLocal package static var didParseMovieAtom: (@Sendable () -> Void)?

  package subscript(index: Int) -> Atom { atoms[index] }

  /// The index of the first atom. This atom contains all other atoms.
  package var root: Int { 0 }

  /// Returns the indices of the children of the atom at `index`, in file order.
  package func children(of index: Int) -> some Sequence<Int> {
    let end = atoms[index].subtreeEnd
    return sequence(state: index + 1) { next -> Int? in
      guard next < end else { return nil }
      defer { next = atoms[next].subtreeEnd }
      return next
    }
  }

  /// Returns the indices of the children of one type.
  package func children(of index: Int, _ type: FourCC) -> [Int] {
    var (matches, visitedCount, child) = ([Int](), 0, index + 1)
    while child < atoms[index].subtreeEnd {
      visitedCount += 1
      if atoms[child].type == type { matches.append(child) }
      child = atoms[child].subtreeEnd
    }
    ListPass.end(after: visitedCount)
    return matches
  }

  /// Returns the first child of a type, or `nil` if there is no such child.
  package func child(of index: Int, _ type: FourCC) -> Int? {
    var (visitedCount, child) = (0, index + 1)
    defer { ListPass.end(after: visitedCount) }
    while child < atoms[index].subtreeEnd {
      visitedCount += 1
      if atoms[child].type == type { return child }
      child = atoms[child].subtreeEnd
    }
    return nil
  }

  /// Returns the atom at a path of types below the atom at `index`, or `nil` if there is none. The path leads through
  /// the first child of each type.
  package func descendant(of index: Int, _ types: FourCC...) -> Int? {
    var descendant = index
    for type in types {
      guard let next = child(of: descendant, type) else { return nil }
      descendant = next
    }
    return descendant
  }

  /// Returns all bytes of the atom, including the header. The bytes are shared and not copied.
  package func bytes(of index: Int) -> Bytes { slice(from: atoms[index].start, to: atoms[index].end) }

  /// Returns the bytes after the header.
  package func payload(of index: Int) -> Bytes {
    slice(from: atoms[index].start + atoms[index].headerByteCount, to: atoms[index].end)
  }

  /// Returns the header and the bytes before the first child.
  package func head(of index: Int) -> Bytes {
    let atom = atoms[index]
    return slice(from: atom.start, to: atom.start + atom.headerByteCount + (atom.childPrefixByteCount ?? 0))
  }

  package func tail(of index: Int) -> Bytes { slice(from: atoms[index].childrenEnd, to: atoms[index].end) }

  /// Returns the atom's range in the file, or in the inflated bytes of a compressed movie atom (see
  /// ``enclosingPath``).
  package func range(of index: Int) -> ByteRange {
    // The sum cannot overflow, because the root was read from the file.
    let start = offset &+ UInt64(atoms[index].start)
    return ByteRange(start..<start &+ UInt64(atoms[index].byteCount))
  }

  /// Returns the offset of the bytes after the header. It counts from the same byte as the offset of ``range(of:)``.
  package func payloadOffset(of index: Int) -> UInt64 {
    offset &+ UInt64(atoms[index].start + atoms[index].headerByteCount)
  }

  /// Parses the payload of the atom. Errors contain the path and offset of the atom.
  package func decode<Payload: AtomPayload>(_ type: Payload.Type, at index: Int) throws(MovieError) -> Payload {
    try locating(index) { bytes throws(MovieError) in try Payload(payload: bytes) }
  }

  /// Parses the first child of a type, or returns `nil` if there is no such child.
  package func decode<Payload: AtomPayload>(
    _ payload: Payload.Type, _ type: FourCC, in index: Int
  ) throws(MovieError) -> Payload? {
    guard let childIndex = child(of: index, type) else { return nil }
    return try decode(payload, at: childIndex)
  }

  /// Returns the first child of a type. Throws if there is no such child. If `usual` is not `nil`, the error names
  /// `usual` as the missing type instead of `type`.
  func require(_ type: FourCC, named usualType: FourCC? = nil, in index: Int) throws(MovieError) -> Int {
    if let childIndex = child(of: index, type) { return childIndex }
    throw error(.malformed, at: index, "has no \(usualType ?? type)")
  }

  /// Parses the first child of a type. Throws if there is no such child.
  func decode<Payload: AtomPayload>(
    _ payload: Payload.Type, required type: FourCC, in index: Int
  ) throws(MovieError) -> Payload {
    try decode(payload, at: require(type, in: index))
  }

  /// Calls `parse` with the payload of the atom. Errors contain the atom's path and offset.
  package func locating<Result>(
    _ index: Int, _ parse: (Bytes) throws(MovieError) -> Result
  ) throws(MovieError) -> Result {
    do {
      return try parse(payload(of: index))
    } catch {
      throw error.located(inside: path(of: index), startingAt: payloadOffset(of: index))
    }
  }

  /// Returns an error with the path and offset of an atom.
  package func error(_ code: MovieError.Code, at index: Int, _ reason: String) -> MovieError {
    MovieError(code, at: range(of: index).offset, in: path(of: index), reason)
  }

  /// Returns the types on the path from the root to the atom. The root's type is excluded, and the atom's type is
  /// last.
  package func types(to index: Int) -> [FourCC] {
    var types: [FourCC] = []
    var next = index
    while next != root, let parent = self[next].parent {
      types.append(self[next].type)
      next = parent
    }
    return types.reversed()
  }

  /// Returns the path of the atom, such as `moov/trak[2]/mdia`. A type is followed by a number if the parent contains
  /// several atoms of the type.
  ///
  /// The path begins with ``enclosingPath`` if that path is not empty: `moov/cmov/cmvd/moov/trak[2]/mdia`.
  package func path(of index: Int) -> String {
    atoms.path(of: index, inside: enclosingPath, isNumbered: { !$0.isOnlyOfType })
  }

  private func slice(from start: Int, to end: Int) -> Bytes {
    bytes.slice(at: start, count: end - start) ?? Bytes()  // The builder checked that every atom is within the bytes.
  }
}

extension [Atom] {
  /// Returns the path of the atom at `index`. If `last` is not `nil`, returns the path of a child of the type `last`.
  /// This child need not be in the array of atoms yet.
  func path(
    of index: Int?, _ last: FourCC? = nil, inside enclosingPath: String, isNumbered: (Atom) -> Bool
  ) -> String {
    var parts = last.map { [$0.description] } ?? []
    var current = index
    while let currentIndex = current {
      let atom = self[currentIndex]
      parts.append(isNumbered(atom) ? "\(atom.type)[\(atom.number)]" : atom.type.description)
      current = atom.parent
    }
    if !enclosingPath.isEmpty { parts.append(enclosingPath) }
    return parts.reversed().joined(separator: "/")
  }
}
