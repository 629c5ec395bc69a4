import MovieBox
import MovieWriter

/// The list of atoms that `inspect --atoms` prints.
///
/// Rows are produced one at a time, because a file can contain millions of atoms. The list accounts for every byte of
/// the file. So bytes that do not form an atom have rows too, such as terminators and damaged atoms.
struct AtomListing {
  /// An atom, or bytes that do not form an atom.
  struct Row {
    let offset: UInt64
    let byteCount: UInt64
    /// The nesting depth, 0 for a top-level atom.
    let depth: Int
    /// The type, or `nil` for bytes that do not form an atom.
    let type: FourCC?
    /// The path, such as `moov/trak[2]/tkhd`, or `nil` for bytes that do not form an atom.
    var path: String?
    /// The extended type of a top-level `uuid` atom.
    var userType: Bytes?
    /// The encoding of a top-level atom's size.
    var sizeField = FileLayout.TopLevelAtom.SizeField.compact
    /// The size that an atom declares if it extends past the end of the file.
    var claimedByteCount: UInt64?
    /// A description of a defect, or of bytes that do not form an atom.
    var remark: String?
    /// Whether the remark describes a defect.
    var isDefect = false
  }

  let layout: FileLayout
  /// The number of levels that are shown, or `nil` for all.
  let depth: Int?
  /// The paths of the top-level atoms, or `nil` if paths are not needed. Numbering the atoms in paths requires a pass
  /// over all top-level atoms.
  private let topPaths: [String]?
  private let offsetWidth: Int
  private let sizeWidth: Int

  init(_ layout: FileLayout, depth: Int?, hasPaths: Bool = false) {
    self.layout = layout
    self.depth = depth
    topPaths = hasPaths ? Self.topPaths(of: layout) : nil
    offsetWidth = max(6, String(layout.identity.byteCount).utf8.count)
    let largestByteCount = layout.atoms.map { max($0.range.count, $0.claimedByteCount ?? 0) }.max() ?? 0
    sizeWidth = max(4, String(largestByteCount).utf8.count)
  }

  private static func topPaths(of layout: FileLayout) -> [String] {
    let counts = Dictionary(layout.atoms.map { ($0.type, 1) }, uniquingKeysWith: +)
    var numbers: [FourCC: Int] = [:]
    return layout.atoms.map { atom in
      numbers[atom.type, default: 0] += 1
      return counts[atom.type] == 1 ? atom.type.description : "\(atom.type)[\(numbers[atom.type] ?? 0)]"
    }
  }

  /// Calls `body` with each row, in file order.
  ///
  /// - Parameter tree: returns the atoms inside a top-level atom, or `nil` if it contains none. It is called only if
  ///   these atoms are shown.
  func forEachRow<Failure: Error>(
    tree: (FileLayout.TopLevelAtom) throws(Failure) -> AtomTree?, _ body: (Row) throws(Failure) -> Void
  ) throws(Failure) {
    for (index, atom) in layout.atoms.enumerated() {
      try body(
        Row(
          offset: atom.range.offset, byteCount: atom.range.count, depth: 0, type: atom.type, path: topPaths?[index],
          userType: atom.userType,
          sizeField: atom.sizeField, claimedByteCount: atom.claimedByteCount))
      guard depth ?? .max > 1, let tree = try tree(atom) else { continue }
      try forEachChild(tree, topPaths?[index], body)
    }
    if let trailing = layout.trailing {
      let remark = layout.trailingDefect?.reason ?? ""
      try body(
        Row(
          offset: trailing.offset, byteCount: trailing.count, depth: 0, type: nil, remark: remark, isDefect: true))
    }
    if let leftover = layout.leftoverFreeSpace {
      try body(
        Row(
          offset: leftover.offset, byteCount: leftover.count, depth: 0, type: nil,
          remark: "left by an interrupted edit"))
    }
  }

  private func forEachChild<Failure: Error>(
    _ tree: AtomTree, _ path: String?, _ body: (Row) throws(Failure) -> Void
  ) throws(Failure) {
    let root = tree.path(of: tree.root)
    var defects: [UInt64: String] = [:]
    for defect in tree.defects where defects[defect.offset ?? 0] == nil {
      defects[defect.offset ?? 0] = defect.reason
    }
    var openAtoms: [Int] = [tree.root]
    for index in tree.atoms.indices.dropFirst() {
      while let last = openAtoms.last, tree[last].subtreeEnd <= index {
        try forBytesAfterChildren(of: openAtoms.removeLast(), in: tree, defects, body)
      }
      let atom = tree[index]
      if atom.isContainer { openAtoms.append(index) }
      guard atom.depth < depth ?? .max else { continue }
      let offset = tree.range(of: index).offset
      try body(
        Row(
          offset: offset, byteCount: UInt64(clamping: atom.byteCount), depth: atom.depth, type: atom.type,
          path: path.map { $0 + tree.path(of: index).dropFirst(root.count) }, remark: defects[offset],
          isDefect: defects[offset] != nil))
    }
    while let last = openAtoms.popLast() { try forBytesAfterChildren(of: last, in: tree, defects, body) }
  }

  /// Calls `body` with the bytes after the last child: a terminator, or bytes of a damaged atom.
  private func forBytesAfterChildren<Failure: Error>(
    of index: Int, in tree: AtomTree, _ defects: [UInt64: String], _ body: (Row) throws(Failure) -> Void
  ) throws(Failure) {
    let bytes = tree.tail(of: index)
    guard tree[index].isContainer, !bytes.isEmpty, tree[index].depth + 1 < depth ?? .max else { return }
    let offset = tree.offset + UInt64(tree[index].childrenEnd)
    let remark = defects[offset] ?? (bytes.allSatisfy { $0 == 0 } ? "zeros" : "bytes after the last atom")
    try body(
      Row(
        offset: offset, byteCount: UInt64(bytes.count), depth: tree[index].depth + 1, type: nil, remark: remark,
        isDefect: defects[offset] != nil))
  }

  // MARK: - Lines

  /// The column titles.
  var headLine: String { line("offset", "size", "atom") }

  /// Returns a row as a line of the text output.
  func line(of row: Row) -> String {
    let indentation = String(repeating: "  ", count: row.depth)
    let remark = row.remark.map { row.isDefect ? "! " + $0 : $0 }
    var parts: [String]
    if let type = row.type {
      parts = [type.description]
      if let userType = row.userType { parts.append(MovieReport.uuid(userType)) }
      switch row.sizeField {
      case .compact: break
      case .wide: parts.append("(64-bit size)")
      case .toEndOfFile: parts.append("(size 0: to the end of the file)")
      }
      if let claimed = row.claimedByteCount { parts.append("! claims \(claimed) bytes") }
      if let remark { parts.append(remark) }
    } else if row.depth > 0 {
      parts = ["(\(remark ?? ""))"]
    } else {
      parts = [row.isDefect ? "no atom:" : "free:", row.remark ?? ""]
    }
    return line(String(row.offset), String(row.byteCount), indentation + parts.joined(separator: " "))
  }

  private func line(_ offset: String, _ size: String, _ parts: String) -> String {
    func padded(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }
    return padded(offset, offsetWidth) + "  " + padded(size, sizeWidth) + "  " + parts
  }

}

extension AtomListing.Row {
  /// Writes the members of the row.
  func write(to json: inout JSONWriter) {
    json.member("type", type?.description)
    json.member("path", path)
    json.member("depth", depth)
    json.member("offset", offset)
    json.member("byteCount", byteCount)
    json.member("claimedByteCount", claimedByteCount)
    json.member("hasWideSize", sizeField == .wide)
    json.member("reachesToEndOfFile", sizeField == .toEndOfFile)
    json.member("uuid", userType.map(MovieReport.uuid))
    json.member("remark", remark)
    json.member("isBroken", isDefect || claimedByteCount != nil)
  }
}
