import Subtitles

/// The parser of an ``AtomTree``.
///
/// The parser keeps the open containers on an explicit stack instead of recursing, so deeply nested input cannot
/// overflow the call stack.
struct AtomTreeBuilder {
  let bytes: Bytes
  let offset: UInt64
  let limits: MovieLimits
  /// Whether the bytes end before the root ends. In this case, atoms may extend past the bytes.
  var isTruncated: Bool = false
  /// The prefix of every path. See ``AtomTree/enclosingPath``.
  var enclosingPath: String = ""
  var atoms: [Atom] = []
  var defects: [MovieError] = []
  var hasUnlistedDefects = false

  private struct OpenContainer {
    let index: Int
    let end: Int
    var position: Int
    var mediaHandler: FourCC?
    /// The first child of each type, and the number of children of this type.
    var children: [FourCC: (first: Int, count: Int)] = [:]

    /// Counts a child and returns its number among the children of its type.
    mutating func countChild(_ child: Int, _ type: FourCC) -> Int {
      children[type, default: (child, 0)].count += 1
      return children[type]?.count ?? 1
    }
  }

  mutating func run() throws(MovieError) {
    let header: AtomHeader
    do throws(AtomHeader.Failure) {
      header = try AtomHeader(bytes, at: 0)
    } catch {
      throw MovieError(.malformed, at: offset, in: enclosingPath, error.reason(room: bytes.count))
    }
    // An atom of size 0 or a truncated atom extends to the end of the bytes.
    let endsWithBytes = header.size == .toEndOfFile || isTruncated
    let size = Self.byteCount(header, room: bytes.count) ?? (endsWithBytes ? bytes.count : nil)
    guard let size else {
      throw MovieError(
        .truncated, at: offset, in: path(of: nil, header.type),
        "declares more bytes than the \(bytes.count) that are left")
    }
    var open: [OpenContainer] = []
    try add(header, at: 0, byteCount: size, to: &open)
    while var container = open.popLast() {
      if let next = nextChild(in: container) {
        container.position += next.byteCount
        if next.header.type == "hdlr", atoms[container.index].type == "mdia" {
          container.mediaHandler = bytes.load(at: next.start + next.header.byteCount + 8, as: UInt32.self)
            .map { FourCC(rawValue: $0) }
        }
        open.append(container)
        try add(next.header, at: next.start, byteCount: next.byteCount, to: &open)
      } else {
        atoms[container.index].childrenEnd = container.position
        atoms[container.index].subtreeEnd = atoms.count
      }
    }
    ListPass.end(after: atoms.count)
  }

  private mutating func add(
    _ header: AtomHeader, at start: Int, byteCount: Int, to open: inout [OpenContainer]
  ) throws(MovieError) {
    let parent = open.last
    let atomOffset = offset &+ UInt64(start)
    guard atoms.count < limits.atomCount else {
      throw MovieError(.limit, at: atomOffset, in: enclosingPath, "there are more than \(limits.atomCount) atoms")
    }
    guard open.count < limits.depth else {
      throw MovieError(
        .limit, at: atomOffset, in: enclosingPath, "atoms are nested more than \(limits.depth) levels deep")
    }
    let payload = bytes.slice(at: start + header.byteCount, count: byteCount - header.byteCount) ?? Bytes()
    let structure = AtomStructure.structure(
      of:
        header.type, in: parent.map { atoms[$0.index].type }, mediaHandler: parent?.mediaHandler, payload: payload)
    var prefix: Int?
    if case .container(let bytesBefore) = structure {
      if bytesBefore <= payload.count {
        prefix = bytesBefore
      } else {
        report(
          atomOffset, parent?.index, header.type,
          "needs \(bytesBefore) bytes before its first child, but has only \(payload.count)")
      }
    }
    let index = atoms.count
    let number = open.isEmpty ? 1 : open[open.count - 1].countChild(index, header.type)
    if number == 2, let first = open.last?.children[header.type]?.first { atoms[first].isOnlyOfType = false }
    atoms.append(
      Atom(
        type: header.type, start: start, byteCount: byteCount, headerByteCount: header.byteCount,
        childPrefixByteCount: prefix,
        depth: open.count, parent: parent?.index, number: number, isOnlyOfType: number == 1, subtreeEnd: index + 1,
        childrenEnd: start + byteCount))
    if let prefix {
      open.append(
        OpenContainer(
          index: index, end: start + byteCount, position: start + header.byteCount + prefix,
          mediaHandler: parent?.mediaHandler))
    }
  }

  /// Returns the next child of a container, or `nil` if only a tail remains.
  private mutating func nextChild(in container: OpenContainer) -> (header: AtomHeader, start: Int, byteCount: Int)? {
    let room = container.end - container.position
    // Fewer than 8 bytes cannot form an atom. They are a zero terminator (QTFF "User Data Atoms") or stray bytes, and
    // become the tail.
    guard room >= 8, let within = bytes.slice(at: 0, count: container.end) else { return nil }
    let errorOffset = offset &+ UInt64(container.position)
    do throws(AtomHeader.Failure) {
      let header = try AtomHeader(within, at: container.position)
      if let size = Self.byteCount(header, room: room) {
        return (header, container.position, size)
      }
      switch header.size {
      case .toEndOfFile where header.type.rawValue == 0: return nil  // The bytes are a terminator with padding.
      case .toEndOfFile:
        report(errorOffset, container.index, header.type, "has a size of 0, which is valid only for a top-level atom")
      case .bytes(let size):
        report(
          errorOffset, container.index, header.type, "declares \(size) bytes, but its parent has only \(room) left")
        // Cut the truncated atom at the end of the bytes, because its first children may be complete.
        if isTruncated, container.end == bytes.count { return (header, container.position, room) }
      }
    } catch {
      report(errorOffset, container.index, nil, error.reason(room: room))
    }
    return nil
  }

  private mutating func report(_ errorOffset: UInt64, _ container: Int?, _ type: FourCC?, _ reason: String) {
    guard defects.count < limits.defectCount else {
      hasUnlistedDefects = true
      return
    }
    defects.append(MovieError(.malformed, at: errorOffset, in: path(of: container, type), reason))
  }

  /// Returns the path for an error. A `trak` is always numbered, because the builder does not know yet whether more
  /// tracks follow.
  private func path(of index: Int?, _ last: FourCC?) -> String {
    atoms.path(of: index, last, inside: enclosingPath, isNumbered: { $0.type == "trak" || $0.number > 1 })
  }

  private static func byteCount(_ header: AtomHeader, room: Int) -> Int? {
    guard case .bytes(let size) = header.size, let count = Int(exactly: size), count <= room else { return nil }
    return count
  }
}
