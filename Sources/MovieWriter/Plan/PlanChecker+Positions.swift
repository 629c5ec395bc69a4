import MovieBox

// Positions other than those of chunks: sample auxiliary information (`saio`) and items (`iloc`).
extension PlanChecker {
  /// Every such position of a track, or of a `moov` or file-level `meta` outside its tracks, names the bytes that it
  /// named in its own file, which is a part of the source. Reads nothing, and holds one position at a time.
  func checkPositions(
    _ old: AtomTree, _ oldAtom: Int, _ new: AtomTree, _ newAtom: Int, ofPart part: Int = 0,
    leavingOut types: Set<FourCC> = []
  ) throws(MovieError) {
    guard let file = plan.source.range(ofPart: part) else { throw failure("the source has no part \(part)") }
    let before = Self.holders(in: old, oldAtom).filter { !types.contains(old[$0].type) }
    let after = Self.holders(in: new, newAtom).filter { !types.contains(new[$0].type) }
    guard before.count == after.count else { throw failure("a table of positions is lost", in: old.path(of: oldAtom)) }
    for (left, right) in zip(before, after) {
      var from = try NamedBytesReader(old, left)
      var to = try NamedBytesReader(new, right)
      while true {
        let (one, other) = (try from.next(), try to.next())
        if one == nil, other == nil { break }
        guard let one, let other, one.count == other.count, one.label == other.label else {
          throw failure("other bytes are named", at: old.range(of: left).offset, in: old.path(of: left))
        }
        guard names(other, sameAs: one, in: file) else {
          throw failure(
            "position \(one.offset) became \(other.offset), where other bytes stand", at: old.range(of: left).offset,
            in: old.path(of: left))
        }
      }
    }
  }

  /// The atoms with positions inside the one at `index`, but not those of other tracks.
  private static func holders(in tree: AtomTree, _ index: Int) -> [Int] {
    let isTrack = tree[index].type == "trak"
    var found: [Int] = []
    var next = index
    while next < tree[index].subtreeEnd {
      if next != index, tree[next].type == "trak" {
        next = tree[next].subtreeEnd
        continue
      }
      let parent = tree[next].parent.map { tree[$0].type }
      if tree[next].type == "iloc" && parent == "meta" || isTrack && tree[next].type == "saio" && parent == "stbl" {
        found.append(next)
      }
      next += 1
    }
    return found
  }

  private func names(_ new: NamedBytes, sameAs old: NamedBytes, in file: ByteRange) -> Bool {
    guard !old.isExternal, old.offset < file.count else { return new.offset == old.offset }
    let start = file.offset &+ old.offset  // Inside the part.
    // No length means the whole file; one past the end of the file is broken. The first byte is followed then.
    let range = ByteRange(offset: start, count: Swift.max(1, old.count)).flatMap { file.contains($0) ? $0 : nil }
    let from = range ?? ByteRange(start..<start &+ 1)
    if moves.went(from, to: new.offset) { return true }
    // What names bytes of the old movie header itself, or of what an interrupted edit left, has nothing to follow.
    let layout = revision.movie.layout
    let isGone = revision.movie.movieAtom.range.overlaps(from) || layout.leftover?.overlaps(from) == true
    return isGone && new.offset == old.offset
  }
}

/// Bytes of a file that a table names.
private struct NamedBytes {
  /// What an item's extent is beside its place.
  struct Label: Equatable {
    var item: UInt64 = 0
    var method: UInt64 = 0
    var dataReference: UInt64 = 0
    var index: UInt64 = 0
    var number = 0
  }

  let offset: UInt64
  /// 0 where the table does not say.
  let count: UInt64
  let isExternal: Bool
  let label: Label
}

/// Reads what a table of positions names, one after the other.
private struct NamedBytesReader {
  private let path: () -> String
  private let start: UInt64
  private let isAuxiliary: Bool
  private var reader: ByteReader
  private var version: UInt8 = 0
  /// The four widths of `iloc`'s fields.
  private var widths: UInt16 = 0
  private var external: [Range<Int>] = []
  private var externalIndex = 0
  /// Positions of `saio`, items of `iloc`.
  private var done = 0
  private var count: UInt64 = 0
  // The item that is being read.
  private var label = NamedBytes.Label()
  private var base: UInt64 = 0
  private var extentCount = 0

  init(_ tree: AtomTree, _ index: Int) throws(MovieError) {
    path = { tree.path(of: index) }
    start = tree.payloadOffset(of: index)
    isAuxiliary = tree[index].type == "saio"
    reader = ByteReader(tree.payload(of: index))
    do throws(MovieError) {
      let header = try reader.readFullAtomHeader()
      version = header.version
      if isAuxiliary {
        if header.flags & 1 != 0 { _ = try reader.readBytes(8) }
        count = UInt64(try reader.read(UInt32.self))
      } else {
        widths = try reader.read(UInt16.self)
        count = try number()
      }
    } catch {
      throw error.inside(path(), startingAt: start)
    }
    if isAuxiliary, let stbl = tree[index].parent {
      external = try ChunkLocator.externalChunks(of: stbl, in: tree, count: Int(clamping: count))
    }
  }

  /// The next one, `nil` after the last.
  mutating func next() throws(MovieError) -> NamedBytes? {
    do throws(MovieError) {
      return isAuxiliary ? try nextAuxiliary() : try nextExtent()
    } catch {
      throw error.inside(path(), startingAt: start)
    }
  }

  private mutating func nextAuxiliary() throws(MovieError) -> NamedBytes? {
    guard done < count else { return nil }
    while externalIndex < external.count, external[externalIndex].upperBound <= done { externalIndex += 1 }
    let isExternal = externalIndex < external.count && external[externalIndex].contains(done)
    done += 1
    return NamedBytes(
      offset: try reader.readVersioned(version), count: 0, isExternal: isExternal, label: NamedBytes.Label())
  }

  private mutating func nextExtent() throws(MovieError) -> NamedBytes? {
    while label.number >= extentCount {
      guard done < count else { return nil }
      done += 1
      try beginItem()
    }
    let before = reader.position
    label.index = version == 0 ? 0 : try field(0)
    let offset = base.addingReportingOverflow(try field(12)).partialValue
    let byteCount = try field(8)
    let found = NamedBytes(
      offset: offset, count: byteCount, isExternal: label.method != 0 || label.dataReference != 0, label: label)
    // Extents of no bytes are all the same one.
    label.number = reader.position == before ? extentCount : label.number + 1
    return found
  }

  private mutating func beginItem() throws(MovieError) {
    label = NamedBytes.Label()
    label.item = try number()
    label.method = version == 0 ? 0 : UInt64(try reader.read(UInt16.self) & 15)
    label.dataReference = UInt64(try reader.read(UInt16.self))
    base = try field(4)
    extentCount = Int(try reader.read(UInt16.self))
  }

  private mutating func field(_ shift: UInt16) throws(MovieError) -> UInt64 {
    switch widths >> shift & 15 {
    case 4: UInt64(try reader.read(UInt32.self))
    case 8: try reader.read(UInt64.self)
    default: 0
    }
  }

  private mutating func number() throws(MovieError) -> UInt64 {
    version < 2 ? UInt64(try reader.read(UInt16.self)) : UInt64(try reader.read(UInt32.self))
  }
}
