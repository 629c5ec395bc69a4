import Subtitles

/// Reads many small ranges with few reads: those that touch, or nearly, come together.
struct SampleBatch {
  /// Skipping fewer bytes than this costs more than reading them.
  static let nearByteCount: UInt64 = 1_024
  /// No read is longer, but for a sample that is.
  static let readByteCount: UInt64 = 4 << 20

  private let ranges: [ByteRange]

  /// Ranges in any order; they may overlap and be empty.
  init(_ ranges: [ByteRange]) {
    self.ranges = ranges
  }

  /// The bytes of each range, in the order given.
  func read(from source: some RandomAccessSource) throws -> [Bytes] {
    var contents = [Bytes](repeating: Bytes(), count: ranges.count)
    let order = ranges.indices.filter { ranges[$0].count > 0 }.sorted { ranges[$0].offset < ranges[$1].offset }
    var next = 0
    while next < order.count {
      var group = ranges[order[next]]
      var last = next + 1
      while last < order.count,
        let joined = group.joined(
          with: ranges[order[last]], over: Self.nearByteCount, upTo: Self.readByteCount)
      {
        group = joined
        last += 1
      }
      let bytes = try source.readExactly(group)
      for index in order[next..<last] {
        let range = ranges[index]
        let offset = Int(clamping: range.offset - group.offset)  // The group begins with its first range.
        contents[index] = bytes.slice(at: offset, count: Int(clamping: range.count)) ?? Bytes()
      }
      next = last
    }
    return contents
  }
}
