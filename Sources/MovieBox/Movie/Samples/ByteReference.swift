/// A reference to bytes of a file: an entry of `saio` or an extent of `iloc`.
package struct ByteReference {
  /// The item that an extent belongs to, and the index of the extent in the item.
  package struct ItemExtent: Equatable {
    var item: UInt64 = 0
    var method: UInt64 = 0
    var dataReference: UInt64 = 0
    var index: UInt64 = 0
    var number = 0
  }

  package let offset: UInt64
  /// The number of bytes, or 0 for `saio`. The table in `saio` declares only offsets.
  package let count: UInt64
  package let isExternal: Bool
  package let itemExtent: ItemExtent
}

/// A reader of the references in `saio` or `iloc`, in file order.
package struct ByteReferenceReader {
  private let path: () -> String
  private let start: UInt64
  private let isAuxiliary: Bool
  private var reader: ByteReader
  private var version: UInt8 = 0
  /// The four field sizes of `iloc`.
  private var fieldSizes: UInt16 = 0
  private var externalChunks: [Range<Int>] = []
  private var externalIndex = 0
  /// The number of `saio` positions or `iloc` items that have been read.
  private var readCount = 0
  private var count: UInt64 = 0
  private var itemExtent = ByteReference.ItemExtent()
  private var base: UInt64 = 0
  private var extentCount = 0

  package init(_ tree: AtomTree, _ index: Int) throws(MovieError) {
    path = { tree.path(of: index) }
    start = tree.payloadOffset(of: index)
    isAuxiliary = tree[index].type == "saio"
    reader = ByteReader(tree.payload(of: index))
    do throws(MovieError) {
      if isAuxiliary {
        version = try AuxiliaryInformationHead(&reader).version
        count = UInt64(try reader.read(UInt32.self))
      } else {
        version = try reader.readFullAtomHeader().version
        fieldSizes = try reader.read(UInt16.self)
        count = try readNumber()
      }
    } catch {
      throw error.located(inside: path(), startingAt: start)
    }
    if isAuxiliary, let stbl = tree[index].parent {
      externalChunks = try ChunkLocator.externalChunks(of: stbl, in: tree, count: Int(clamping: count))
    }
  }

  /// Returns the next reference, or `nil` after the last.
  package mutating func next() throws(MovieError) -> ByteReference? {
    do throws(MovieError) {
      return isAuxiliary ? try nextAuxiliary() : try nextExtent()
    } catch {
      throw error.located(inside: path(), startingAt: start)
    }
  }

  private mutating func nextAuxiliary() throws(MovieError) -> ByteReference? {
    guard readCount < count else { return nil }
    while externalIndex < externalChunks.count, externalChunks[externalIndex].upperBound <= readCount {
      externalIndex += 1
    }
    let isExternal = externalIndex < externalChunks.count && externalChunks[externalIndex].contains(readCount)
    readCount += 1
    return ByteReference(
      offset: try reader.readVersioned(version), count: 0, isExternal: isExternal,
      itemExtent: ByteReference.ItemExtent())
  }

  private mutating func nextExtent() throws(MovieError) -> ByteReference? {
    while itemExtent.number >= extentCount {
      guard readCount < count else { return nil }
      readCount += 1
      try beginItem()
    }
    let startPosition = reader.position
    itemExtent.index = version == 0 ? 0 : try readField(0)
    let offset = base.addingReportingOverflow(try readField(12)).partialValue
    let byteCount = try readField(8)
    let reference = ByteReference(
      offset: offset, count: byteCount, isExternal: itemExtent.method != 0 || itemExtent.dataReference != 0,
      itemExtent: itemExtent)
    // If extents have no fields, all extents are equal, so only one is returned.
    itemExtent.number = reader.position == startPosition ? extentCount : itemExtent.number + 1
    return reference
  }

  private mutating func beginItem() throws(MovieError) {
    itemExtent = ByteReference.ItemExtent()
    itemExtent.item = try readNumber()
    itemExtent.method = version == 0 ? 0 : UInt64(try reader.read(UInt16.self) & 15)
    itemExtent.dataReference = UInt64(try reader.read(UInt16.self))
    base = try readField(4)
    extentCount = Int(try reader.read(UInt16.self))
  }

  private mutating func readField(_ shift: UInt16) throws(MovieError) -> UInt64 {
    switch fieldSizes >> shift & 15 {
    case 4: UInt64(try reader.read(UInt32.self))
    case 8: try reader.read(UInt64.self)
    default: 0
    }
  }

  private mutating func readNumber() throws(MovieError) -> UInt64 {
    version < 2 ? UInt64(try reader.read(UInt16.self)) : UInt64(try reader.read(UInt32.self))
  }

  /// Returns the `iloc` atoms inside the atom at `index`, and also the `saio` atoms if the atom is a track. Nested
  /// tracks are skipped.
  package static func tables(in tree: AtomTree, _ index: Int) -> [Int] {
    let isTrack = tree[index].type == "trak"
    var atoms: [Int] = []
    var next = index
    while next < tree[index].subtreeEnd {
      if next != index, tree[next].type == "trak" {
        next = tree[next].subtreeEnd
        continue
      }
      let parent = tree[next].parent.map { tree[$0].type }
      if tree[next].type == "iloc" && parent == "meta" || isTrack && tree[next].type == "saio" && parent == "stbl" {
        atoms.append(next)
      }
      next += 1
    }
    return atoms
  }
}
