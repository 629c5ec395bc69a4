import MovieBox

/// The `iloc` atom of a `meta`: where its items lie (ISO/IEC 14496-12 8.11.3).
///
/// Only positions are understood, and only those of construction method 0, which count from the start of the file.
struct ItemLocations {
  private let payload: Bytes
  private let offsetWidth: Int
  private let baseWidth: Int
  private var items: [Item] = []

  private struct Item {
    let basePosition: Int
    let base: UInt64
    let extents: [(position: Int, offset: UInt64)]
  }

  init(payload: Bytes) throws(MovieError) {
    self.payload = payload
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upTo: 2)
    let sizes = try reader.read(UInt16.self)
    offsetWidth = Int(sizes >> 12)
    let lengthWidth = Int(sizes >> 8 & 15)
    baseWidth = Int(sizes >> 4 & 15)
    let indexWidth = header.version == 0 ? 0 : Int(sizes & 15)
    for width in [offsetWidth, lengthWidth, baseWidth, indexWidth] where ![0, 4, 8].contains(width) {
      throw MovieError(.malformed, at: 4, "a field is \(width) bytes wide; 0, 4 and 8 are allowed")
    }
    let count = header.version < 2 ? UInt32(try reader.read(UInt16.self)) : try reader.read(UInt32.self)
    for _ in 0..<count {
      _ = header.version < 2 ? UInt32(try reader.read(UInt16.self)) : try reader.read(UInt32.self)
      let method = header.version == 0 ? 0 : try reader.read(UInt16.self) & 15
      let dataReference = try reader.read(UInt16.self)
      let basePosition = reader.position
      let base = try Self.read(&reader, width: baseWidth)
      let extentCount = try reader.read(UInt16.self)
      var extents: [(Int, UInt64)] = []
      // Extents without fields take no bytes: their number is a claim that nothing backs, and one speaks for all.
      let hasFields = indexWidth + offsetWidth + lengthWidth > 0
      for _ in 0..<(hasFields ? extentCount : Swift.min(1, extentCount)) {
        _ = try Self.read(&reader, width: indexWidth)
        extents.append((reader.position, try Self.read(&reader, width: offsetWidth)))
        _ = try Self.read(&reader, width: lengthWidth)
      }
      if method == 0, dataReference == 0 {
        items.append(Item(basePosition: basePosition, base: base, extents: extents))
      }
    }
  }

  /// The positions, as they stand there.
  var positions: [UInt64] {
    items.flatMap { item in item.extents.map { item.base &+ $0.offset } }
  }

  /// The payload with every position where the plan put its byte.
  ///
  /// An item whose bytes the plan leaves out keeps its position. Throws when a new position does not fit its field, and
  /// when one base serves extents that have moved by different distances and no offset field can tell them apart.
  func relocated(by plan: RemuxPlan) throws(MovieError) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(payload)
    for item in items {
      let moved = item.extents.map { extent -> (position: Int, old: UInt64, new: UInt64) in
        let old = item.base &+ extent.offset  // A sum that wraps is looked up, not found, and stays as it is.
        return (extent.position, old, plan.outputOffset(ofSource: old) ?? old)
      }
      guard moved.contains(where: { $0.old != $0.new }) else { continue }
      if offsetWidth > 0, item.base == 0 || moved.allSatisfy({ $0.new >= item.base }) {
        for extent in moved {
          try Self.patch(&writer, extent.new &- item.base, width: offsetWidth, at: extent.position)
        }
      } else {
        let distances = Set(moved.map { $0.new &- $0.old })
        guard distances.count == 1, let distance = distances.first, baseWidth > 0 else {
          throw MovieError(.unsupported, at: UInt64(item.basePosition), "the parts of an item have moved apart")
        }
        try Self.patch(&writer, item.base &+ distance, width: baseWidth, at: item.basePosition)
      }
    }
    return writer.bytes
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
      throw MovieError(.unsupported, at: UInt64(position), "position \(value) does not fit the field's 4 bytes")
    }
  }
}
