import MovieBox

/// The `iloc` atom of a `meta`. It declares the positions of the items (ISO/IEC 14496-12 8.11.3).
///
/// This view parses the items on each access and does not store them. It interprets only the positions of construction
/// method 0, which count from the start of the file.
struct ItemLocations {
  private let payload: Bytes
  private let version: UInt8
  private let offsetWidth: Int
  private let lengthWidth: Int
  private let baseWidth: Int
  private let indexWidth: Int

  /// An item whose extents count from the start of the file.
  private struct Item {
    let basePosition: Int
    let base: UInt64
    let extentPosition: Int
    let extentCount: Int
  }

  private struct Extent {
    /// The position of the offset field in the payload.
    let position: Int
    let oldOffset: UInt64
    let newOffset: UInt64
  }

  init(payload: Bytes) throws(MovieError) {
    self.payload = payload
    var reader = ByteReader(payload)
    version = try reader.readFullAtomHeader(upToVersion: 2).version
    let sizes = try reader.read(UInt16.self)
    offsetWidth = Int(sizes >> 12)
    lengthWidth = Int(sizes >> 8 & 15)
    baseWidth = Int(sizes >> 4 & 15)
    indexWidth = version == 0 ? 0 : Int(sizes & 15)
    for width in [offsetWidth, lengthWidth, baseWidth, indexWidth] where ![0, 4, 8].contains(width) {
      throw MovieError(.malformed, at: 4, "a field is \(width) bytes wide; 0, 4 and 8 are allowed")
    }
    try forEachItem { _ throws(MovieError) in }
  }

  /// Returns every `iloc` of the `meta` atoms in a tree, with the index of its atom.
  static func all(in tree: AtomTree) throws(MovieError) -> [(atom: Int, locations: ItemLocations)] {
    var allLocations: [(Int, ItemLocations)] = []
    for index in tree.atoms.indices where tree[index].type == "iloc" {
      guard let parent = tree[index].parent, tree[parent].type == "meta" else { continue }
      let locations = try tree.locating(index) { bytes throws(MovieError) in try ItemLocations(payload: bytes) }
      allLocations.append((index, locations))
    }
    return allLocations
  }

  /// Returns the first atom of a tree that contains an `iloc` among bytes that are not atoms, after a defect or a
  /// terminator.
  static func firstHidden(in tree: AtomTree) -> Int? {
    tree.atoms.indices.first { index in
      let type = tree[index].type
      let rest = tree[index].isContainer ? tree.tail(of: index) : type == "meta" ? tree.payload(of: index) : Bytes()
      return rest.count >= 8 && rest.indices.contains { rest.load(at: $0, as: UInt32.self) == Self.type.rawValue }
    }
  }

  /// The bytes to which the items refer. A range is empty if its length is unknown.
  var itemRanges: [ByteRange] {
    get throws(MovieError) {
      var ranges: [ByteRange] = []
      try forEachItem { item throws(MovieError) in
        for number in 0..<item.extentCount {
          let (_, offset, byteCount) = storedExtent(of: item, number)
          ranges.append(ByteRange(offset: offset, count: byteCount) ?? ByteRange(offset..<offset))
        }
      }
      return ranges
    }
  }

  private static let type: FourCC = "iloc"

  /// Returns the payload with the positions that the plan assigns to the items' bytes.
  ///
  /// An item keeps its position if the plan omits its bytes. Throws if a new position does not fit in its field, or if
  /// the bytes of one extent were separated. Also throws if extents with one base moved by different distances and have
  /// no offset field.
  func relocated(by plan: OutputPlan) throws(MovieError) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(payload)
    try forEachItem { item throws(MovieError) in
      var hasMoved = false
      var areAfterBase = true
      var distances: ClosedRange<UInt64>?
      try forEachExtent(of: item, by: plan) { extent throws(MovieError) in
        hasMoved = hasMoved || extent.newOffset != extent.oldOffset
        areAfterBase = areAfterBase && extent.newOffset >= item.base
        let distance = extent.newOffset &- extent.oldOffset
        distances = distances.map { min($0.lowerBound, distance)...max($0.upperBound, distance) } ?? distance...distance
      }
      guard hasMoved, let distances else { return }
      if offsetWidth > 0, item.base == 0 || areAfterBase {
        try forEachExtent(of: item, by: plan) { extent throws(MovieError) in
          try Self.patch(&writer, extent.newOffset &- item.base, width: offsetWidth, at: extent.position)
        }
      } else {
        guard distances.lowerBound == distances.upperBound, baseWidth > 0 else {
          throw MovieError(
            .unsupported, at: UInt64(item.basePosition), "the extents of an item would be moved by different distances")
        }
        try Self.patch(&writer, item.base &+ distances.lowerBound, width: baseWidth, at: item.basePosition)
      }
    }
    return writer.bytes
  }

  private func forEachItem(_ body: (Item) throws(MovieError) -> Void) throws(MovieError) {
    var reader = ByteReader(payload.dropFirst(6))
    func number() throws(MovieError) -> UInt32 {
      version < 2 ? UInt32(try reader.read(UInt16.self)) : try reader.read(UInt32.self)
    }
    for _ in 0..<(try number()) {
      _ = try number()
      let method = version == 0 ? 0 : try reader.read(UInt16.self) & 15
      let dataReference = try reader.read(UInt16.self)
      let basePosition = 6 + reader.position
      let base = try Self.read(&reader, width: baseWidth)
      let claimed = Int(try reader.read(UInt16.self))
      // Extents without fields occupy no bytes, so their number cannot be verified. One extent represents all of them.
      let extentCount = extentByteCount > 0 ? claimed : min(1, claimed)
      let item = Item(
        basePosition: basePosition, base: base, extentPosition: 6 + reader.position, extentCount: extentCount)
      _ = try reader.readBytes(extentCount * extentByteCount)
      if method == 0, dataReference == 0 { try body(item) }
    }
  }

  private var extentByteCount: Int { indexWidth + offsetWidth + lengthWidth }

  private func forEachExtent(
    of item: Item, by plan: OutputPlan, _ body: (Extent) throws(MovieError) -> Void
  ) throws(MovieError) {
    for number in 0..<item.extentCount {
      let (position, old, byteCount) = storedExtent(of: item, number)
      let new = try Self.newPosition(of: old, byteCount, by: plan, at: position)
      try body(Extent(position: position, oldOffset: old, newOffset: new))
    }
  }

  /// Returns the position of an extent's offset field in the payload, and the range that the extent declares.
  private func storedExtent(of item: Item, _ number: Int) -> (position: Int, offset: UInt64, byteCount: UInt64) {
    let position = item.extentPosition + number * extentByteCount + indexWidth
    // The sum may wrap. No file contains a position that large, so the item keeps its position.
    let offset = item.base &+ field(at: position, width: offsetWidth)
    return (position, offset, field(at: position + offsetWidth, width: lengthWidth))
  }

  private static func newPosition(
    of old: UInt64, _ byteCount: UInt64, by plan: OutputPlan, at position: Int
  ) throws(MovieError) -> UInt64 {
    guard let extent = plan.sourceExtent(holding: old), let source = extent.sourceRange else { return old }
    // A length of 0 means the whole file, and a range past the end of the file is invalid. In these cases, only the
    // position of the first byte is updated.
    if let range = ByteRange(offset: old, count: byteCount), range.end <= plan.source.primary.byteCount,
      range.end > source.end
    {
      throw MovieError(
        .unsupported, at: UInt64(position), "the \(byteCount) bytes of an item at \(old) would be separated")
    }
    return extent.offset &+ (old &- source.offset)  // The sum is within the extent.
  }

  /// Returns a field of the payload. `init` has verified that the payload contains it.
  private func field(at position: Int, width: Int) -> UInt64 {
    switch width {
    case 4: UInt64(payload.load(at: position, as: UInt32.self) ?? 0)
    case 8: payload.load(at: position, as: UInt64.self) ?? 0
    default: 0
    }
  }

  private static func read(_ reader: inout ByteReader, width: Int) throws(MovieError) -> UInt64 {
    switch width {
    case 4: UInt64(try reader.read(UInt32.self))
    case 8: try reader.read(UInt64.self)
    default: 0
    }
  }

  private static func patch(_ writer: inout ByteWriter, _ value: UInt64, width: Int, at position: Int)
    throws(MovieError)
  {
    if width == 8 {
      writer.patch(value, at: position)
    } else if let narrow = UInt32(exactly: value) {
      writer.patch(narrow, at: position)
    } else {
      throw MovieError(.unsupported, at: UInt64(position), "position \(value) does not fit in the field's 4 bytes")
    }
  }
}
