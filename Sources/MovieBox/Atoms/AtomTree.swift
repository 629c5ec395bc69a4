// The tree of the movie atom: one flat array of atoms in the order of the file, each with the index of its parent and
// the end of its subtree. Walks need no recursion, and payloads are decoded only on request.

/// An atom's place in an ``AtomTree``. Payloads are not decoded.
package struct Atom: Hashable, Sendable {
  /// The four-character code.
  package let type: FourCC
  /// The first byte of the header, counted from the start of the tree's bytes.
  package let start: Int
  /// All bytes, header included.
  package let byteCount: Int
  /// 8, or 16 with a 64-bit size.
  package let headerByteCount: Int
  /// Bytes between the header and the first child; `nil` for an atom that holds no atoms.
  package let childPrefix: Int?
  /// The number of atoms around this one.
  package let depth: Int
  /// The index of the atom that this one lies in; `nil` for the root.
  package let parent: Int?
  /// The atom's position among the atoms of its type in its parent, counted from 1.
  package let number: Int
  /// Whether the parent contains no other atom of the type.
  package internal(set) var isOnlyOfType: Bool
  /// One past the index of the last atom inside this one.
  package internal(set) var subtreeEnd: Int
  /// The end of the children. Bytes between it and the atom's end are a tail (a zero terminator, odd bytes).
  package internal(set) var childrenEnd: Int

  /// One past the last byte, counted from the start of the tree's bytes.
  package var end: Int { start + byteCount }
  /// Whether the atom can hold atoms.
  package var isContainer: Bool { childPrefix != nil }
}

/// The atoms of a piece of a movie: a flat list in the order of the file, over bytes that were read once.
///
/// Lossless: every byte is in an atom's header, in a leaf, before the first child or in a tail. Bytes that break the
/// rules become the tail of the atom that they lie in, and a defect says what is wrong with them; the rest of the tree
/// is as usable as ever. Building costs one pass and no recursion.
///
///     let bytes = Bytes([0, 0, 0, 16, 0x6D, 0x6F, 0x6F, 0x76, 0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65])  // moov(free)
///     let tree = try AtomTree(bytes, at: 0)
///     print(tree.path(of: 1))  // moov/free
package struct AtomTree: Sendable {
  /// The bytes of all atoms.
  package let bytes: Bytes
  /// The position of the bytes in the file; 0 for an inflated movie atom.
  package let offset: UInt64
  /// The path of the atom that the bytes were inflated from, `moov/cmov/cmvd`; empty for bytes as they lie in the file.
  ///
  /// Where it is not empty, ``path(of:)`` and the paths of errors begin with it, and the positions beside them, those
  /// of ``range(of:)`` too, count from the start of the inflated bytes.
  package let enclosingPath: String
  /// The atoms, each before those inside it.
  package let atoms: [Atom]
  /// The structural errors, in the order of the file.
  package let defects: [MovieError]
  /// Whether there are more defects than ``MovieLimits/defectCount``, which are not listed.
  package let hasFurtherDefects: Bool

  /// The atoms of `bytes`, which lie at `offset` in the file and begin with an atom.
  ///
  /// Throws when there is no root atom, and when a limit is passed.
  package init(_ bytes: Bytes, at offset: UInt64, limits: MovieLimits = MovieLimits()) throws(MovieError) {
    try self.init(AtomTreeBuilder(bytes: bytes, offset: offset, limits: limits))
  }

  /// The atoms of the first bytes of an atom whose end is missing, as far as they go.
  ///
  /// Atoms that reach past the bytes end with them, and each is a defect.
  package init(cut bytes: Bytes, at offset: UInt64, limits: MovieLimits = MovieLimits()) throws(MovieError) {
    try self.init(AtomTreeBuilder(bytes: bytes, offset: offset, limits: limits, isCut: true))
  }

  /// The atoms of bytes that were inflated from the atom that `path` names.
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
    hasFurtherDefects = builder.hasFurtherDefects
    if atoms.first?.type == "moov" { Self.didParseMovieAtom?() }
  }

  /// Called after each parse of a movie atom: tests count them.
  @TaskLocal package static var didParseMovieAtom: (@Sendable () -> Void)?

  /// The atom at `index`, which must be below the number of atoms.
  package subscript(index: Int) -> Atom { atoms[index] }

  /// The index of the first atom, which holds all others.
  package var root: Int { 0 }

  /// The indices of the atoms directly inside the atom at `index`, in the order of the file.
  package func children(of index: Int) -> some Sequence<Int> {
    let end = atoms[index].subtreeEnd
    return sequence(state: index + 1) { next -> Int? in
      guard next < end else { return nil }
      defer { next = atoms[next].subtreeEnd }
      return next
    }
  }

  /// The indices of the children of one type.
  package func children(of index: Int, _ type: FourCC) -> [Int] {
    var (found, visited) = ([Int](), 0)
    for child in children(of: index) {
      visited += 1
      if atoms[child].type == type { found.append(child) }
    }
    ListPass.end(after: visited)
    return found
  }

  /// The first child of a type.
  package func child(of index: Int, _ type: FourCC) -> Int? {
    var (found, visited) = (Int?.none, 0)
    for child in children(of: index) {
      visited += 1
      if atoms[child].type == type {
        found = child
        break
      }
    }
    ListPass.end(after: visited)
    return found
  }

  /// The first atom down a path of types from the atom at `index`.
  package func descendant(of index: Int, _ types: FourCC...) -> Int? {
    var found = index
    for type in types {
      guard let next = child(of: found, type) else { return nil }
      found = next
    }
    return found
  }

  /// All bytes of the atom, header included; shared, not copied.
  package func bytes(of index: Int) -> Bytes { slice(atoms[index].start, atoms[index].end) }

  /// The bytes after the header.
  package func payload(of index: Int) -> Bytes {
    slice(atoms[index].start + atoms[index].headerByteCount, atoms[index].end)
  }

  /// The header and the bytes before the first child.
  package func head(of index: Int) -> Bytes {
    let atom = atoms[index]
    return slice(atom.start, atom.start + atom.headerByteCount + (atom.childPrefix ?? 0))
  }

  /// Returns the bytes after the last child.
  package func tail(of index: Int) -> Bytes { slice(atoms[index].childrenEnd, atoms[index].end) }

  /// Returns the atom's range in the file, or in an inflated movie atom; see ``enclosingPath``.
  package func range(of index: Int) -> ByteRange {
    let start = offset &+ UInt64(atoms[index].start)  // The root was read from the file: its end fits.
    return ByteRange(start..<start &+ UInt64(atoms[index].byteCount))
  }

  /// Returns the offset of the bytes after the header, counted as in ``range(of:)``.
  package func payloadOffset(of index: Int) -> UInt64 {
    offset &+ UInt64(atoms[index].start + atoms[index].headerByteCount)
  }

  /// Parses the payload of the atom; an error names its path and offset.
  package func decode<Payload: AtomPayload>(_ type: Payload.Type, at index: Int) throws(MovieError) -> Payload {
    try locating(index) { bytes throws(MovieError) in try Payload(payload: bytes) }
  }

  /// The first child of a type, read; `nil` where there is none.
  package func decode<Payload: AtomPayload>(
    _ payload: Payload.Type, _ type: FourCC, in index: Int
  ) throws(MovieError) -> Payload? {
    guard let found = child(of: index, type) else { return nil }
    return try decode(payload, at: found)
  }

  /// The first child of a type; throws where there is none, and calls it `usual` where that is what is missed.
  func require(_ type: FourCC, or usual: FourCC? = nil, in index: Int) throws(MovieError) -> Int {
    if let found = child(of: index, type) { return found }
    throw error(.malformed, at: index, "has no \(usual ?? type)")
  }

  /// The first child of a type, read; throws where there is none.
  func decode<Payload: AtomPayload>(
    _ payload: Payload.Type, required type: FourCC, in index: Int
  ) throws(MovieError) -> Payload {
    try decode(payload, at: require(type, in: index))
  }

  /// Calls `parse` with the payload of the atom; errors get its path and offset.
  package func locating<Result>(
    _ index: Int, _ parse: (Bytes) throws(MovieError) -> Result
  ) throws(MovieError) -> Result {
    do {
      return try parse(payload(of: index))
    } catch {
      throw error.inside(path(of: index), startingAt: payloadOffset(of: index))
    }
  }

  /// An error about an atom, with its path and offset.
  package func error(_ code: MovieError.Code, at index: Int, _ reason: String) -> MovieError {
    MovieError(code, at: range(of: index).offset, in: path(of: index), reason)
  }

  /// The types of the atoms that lead to one from below the root, its own last.
  package func types(to index: Int) -> [FourCC] {
    var types: [FourCC] = []
    var next = index
    while next != root, let parent = self[next].parent {
      types.append(self[next].type)
      next = parent
    }
    return types.reversed()
  }

  /// The types that lead to the atom, with a number from 1 where a type occurs more than once: `moov/trak[2]/mdia`.
  ///
  /// Begins with ``enclosingPath`` where there is one: `moov/cmov/cmvd/moov/trak[2]/mdia`.
  package func path(of index: Int) -> String {
    atoms.path(of: index, inside: enclosingPath, isNumbered: { !$0.isOnlyOfType })
  }

  private func slice(_ start: Int, _ end: Int) -> Bytes {
    bytes.slice(at: start, count: end - start) ?? Bytes()  // Every atom was checked to lie in the bytes.
  }
}

extension [Atom] {
  /// The path of the atom at `index`, or of a child of the type `last` that is not listed yet.
  func path(
    of index: Int?, _ last: FourCC? = nil, inside enclosingPath: String, isNumbered: (Atom) -> Bool
  ) -> String {
    var parts = last.map { [$0.description] } ?? []
    var current = index
    while let this = current {
      let atom = self[this]
      parts.append(isNumbered(atom) ? "\(atom.type)[\(atom.number)]" : atom.type.description)
      current = atom.parent
    }
    if !enclosingPath.isEmpty { parts.append(enclosingPath) }
    return parts.reversed().joined(separator: "/")
  }
}
