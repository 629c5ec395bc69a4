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
    /// The index of the container's first count in ``ChildCounter``.
    let firstCount: Int
  }

  /// The numbers of children of each type in the open containers.
  ///
  /// Only the innermost container gets children, so the counts of the containers form a stack. Most containers have few
  /// types of children, and a list of few types is searched faster than a dictionary.
  private struct ChildCounter {
    private struct Count {
      let type: FourCC
      let first: Int
      var count: Int
    }

    private struct Key: Hashable {
      let container: Int
      let type: FourCC
    }

    /// The number of types in a container that are found by a linear search. Further types are found by their hash.
    private static var listedTypeCount: Int { 16 }
    private var counts: [Count]
    /// The counts of the types after the first ``listedTypeCount`` types.
    private var furtherCounts: [Key: (first: Int, count: Int)] = [:]

    init() {
      counts = []
      counts.reserveCapacity(Self.listedTypeCount)
    }

    /// The end of ``counts``, which contains the counts of all open containers.
    var end: Int { counts.count }

    /// Counts a child of the innermost container, whose counts begin at index `start`. Returns the number of children
    /// of the type, and the index of the first of these children.
    mutating func add(
      _ child: Int, _ type: FourCC, to container: Int, from start: Int
    ) -> (number: Int, first: Int) {
      for index in start..<counts.count where counts[index].type == type {
        counts[index].count += 1
        return (counts[index].count, counts[index].first)
      }
      guard counts.count - start == Self.listedTypeCount else {
        counts.append(Count(type: type, first: child, count: 1))
        return (1, child)
      }
      let key = Key(container: container, type: type)
      let (first, count) = furtherCounts[key] ?? (child, 0)
      furtherCounts[key] = (first, count + 1)
      return (count + 1, first)
    }

    /// Removes the counts of the innermost container, which begin at index `start`.
    mutating func close(from start: Int) { counts.removeLast(counts.count - start) }
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
    open.reserveCapacity(4)
    atoms.reserveCapacity(16)  // A fragment has about ten atoms, and a movie may have many fragments.
    var counter = ChildCounter()
    try add(header, at: 0, byteCount: size, to: &open, &counter)
    while let container = open.last {
      if let next = nextChild(in: container) {
        open[open.count - 1].position += next.byteCount
        if next.header.type == "hdlr", atoms[container.index].type == "mdia" {
          open[open.count - 1].mediaHandler = bytes.load(
            at: next.start + next.header.byteCount + 8, as: UInt32.self
          ).map { FourCC(rawValue: $0) }
        }
        try add(next.header, at: next.start, byteCount: next.byteCount, to: &open, &counter)
      } else {
        open.removeLast()
        counter.close(from: container.firstCount)
        atoms[container.index].childrenEnd = container.position
        atoms[container.index].subtreeEnd = atoms.count
      }
    }
    ListPass.end(after: atoms.count)
  }

  private mutating func add(
    _ header: AtomHeader, at start: Int, byteCount: Int, to open: inout [OpenContainer],
    _ counter: inout ChildCounter
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
    let (number, first) =
      parent.map { counter.add(index, header.type, to: $0.index, from: $0.firstCount) } ?? (1, index)
    if number == 2 { atoms[first].isOnlyOfType = false }
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
          mediaHandler: parent?.mediaHandler, firstCount: counter.end))
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
