import MovieBox

/// The atoms of a file, a line each, as `inspect --atoms` shows them.
struct AtomListing {
  let layout: FileLayout
  /// The deepest level that is shown, from 1; `nil` for all.
  let depth: Int?
  private let offsetWidth: Int
  private let sizeWidth: Int

  init(_ layout: FileLayout, depth: Int?) {
    self.layout = layout
    self.depth = depth
    offsetWidth = max(6, String(layout.identity.byteCount).utf8.count)
    let largest = layout.atoms.map { max($0.range.count, $0.claimedByteCount ?? 0) }.max() ?? 0
    sizeWidth = max(4, String(largest).utf8.count)
  }

  /// Calls `body` with each line, in the order of the file.
  ///
  /// `tree` gives the atoms inside one at the top, where they are known; it is not asked when they are not shown.
  func forEachLine<Failure: Error>(
    tree: (FileLayout.TopLevelAtom) throws(Failure) -> AtomTree?, _ body: (String) throws(Failure) -> Void
  ) throws(Failure) {
    try body(row("offset", "size", "atom"))
    for atom in layout.atoms {
      try body(line(of: atom))
      guard depth ?? .max > 1, let tree = try tree(atom) else { continue }
      try inside(tree, body)
    }
    if let trailing = layout.trailing {
      let reason = layout.trailingDefect?.reason ?? ""
      try body(row(String(trailing.offset), String(trailing.count), "no atom: \(reason)"))
    }
    if let leftover = layout.leftover {
      try body(row(String(leftover.offset), String(leftover.count), "free: left by an interrupted edit"))
    }
  }

  private func line(of atom: FileLayout.TopLevelAtom) -> String {
    var parts = [atom.type.description]
    if let userType = atom.userType { parts.append(Self.uuid(userType)) }
    switch atom.sizeField {
    case .compact: break
    case .wide: parts.append("(64-bit size)")
    case .toEndOfFile: parts.append("(size 0: to the end of the file)")
    }
    if let claimed = atom.claimedByteCount { parts.append("! claims \(claimed) bytes") }
    return row(String(atom.range.offset), String(atom.range.count), parts.joined(separator: " "))
  }

  private func inside<Failure: Error>(
    _ tree: AtomTree, _ body: (String) throws(Failure) -> Void
  ) throws(Failure) {
    var defects: [UInt64: String] = [:]
    for defect in tree.defects where defects[defect.offset ?? 0] == nil {
      defects[defect.offset ?? 0] = defect.reason
    }
    var open: [Int] = [tree.root]
    for index in tree.atoms.indices.dropFirst() {
      while let last = open.last, tree[last].subtreeEnd <= index {
        try tail(of: open.removeLast(), in: tree, defects, body)
      }
      let atom = tree[index]
      if atom.isContainer { open.append(index) }
      guard atom.depth < depth ?? .max else { continue }
      let offset = tree.range(of: index).offset
      let defect = defects[offset].map { " ! " + $0 } ?? ""
      let indentation = String(repeating: "  ", count: atom.depth)
      try body(row(String(offset), String(atom.byteCount), indentation + atom.type.description + defect))
    }
    while let last = open.popLast() { try tail(of: last, in: tree, defects, body) }
  }

  /// What follows the last child: a terminator, odd bytes, or what could not be read as atoms.
  private func tail<Failure: Error>(
    of index: Int, in tree: AtomTree, _ defects: [UInt64: String], _ body: (String) throws(Failure) -> Void
  ) throws(Failure) {
    let bytes = tree.tail(of: index)
    guard tree[index].isContainer, !bytes.isEmpty, tree[index].depth + 1 < depth ?? .max else { return }
    let offset = tree.offset + UInt64(tree[index].childrenEnd)
    let parts =
      defects[offset].map { "! \($0)" } ?? (bytes.allSatisfy { $0 == 0 } ? "zeros" : "bytes after the last atom")
    let indentation = String(repeating: "  ", count: tree[index].depth + 1)
    try body(row(String(offset), String(bytes.count), indentation + "(\(parts))"))
  }

  private func row(_ offset: String, _ size: String, _ parts: String) -> String {
    func padded(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }
    return padded(offset, offsetWidth) + "  " + padded(size, sizeWidth) + "  " + parts
  }

  /// The 16 bytes as RFC 9562 writes them.
  static func uuid(_ bytes: Bytes) -> String {
    let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { range in
      range.filter { $0 < bytes.count }.map { HexDump.digits(bytes[$0]) }.joined()
    }
    return groups.joined(separator: "-")
  }
}

extension FileLayout.TopLevelAtom {
  /// The atoms inside, as far as the file has them; reads the whole atom.
  func tree(of source: any RandomAccessSource, limits: MovieLimits) throws -> AtomTree {
    guard range.count <= limits.movieByteCount else {
      throw MovieError(
        .limit, at: range.offset, in: type.description,
        "\(range.count) bytes to look into, the limit is \(limits.movieByteCount)")
    }
    let bytes = try source.readExactly(range)
    return isTruncated
      ? try AtomTree(cut: bytes, at: range.offset, limits: limits)
      : try AtomTree(bytes, at: range.offset, limits: limits)
  }
}
