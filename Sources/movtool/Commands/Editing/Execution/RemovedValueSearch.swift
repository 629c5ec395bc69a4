import MovieBox

/// Looks for values that were taken out in bytes that stay.
///
/// Short values and those of equal bytes are not looked for: they stand anywhere. Of long ones the start is.
struct RemovedValueSearch {
  private static let shortest = 5
  private static let longest = 64

  /// The values by their first two bytes.
  private var values: [UInt16: [[UInt8]]] = [:]
  /// How much is looked through yet: such space is as large as a few movie atoms.
  private(set) var unreadByteCount: UInt64 = 16 << 20
  /// How often a value is compared yet, so that hostile bytes cost no more than others.
  private var comparisonCount = 4 << 20

  init(_ removed: [Bytes]) {
    let starts = Set(removed.lazy.filter { $0.count >= Self.shortest }.map { Array($0.prefix(Self.longest)) })
    for value in starts where value.contains(where: { $0 != value[0] }) {
      values[UInt16(value[0]) << 8 | UInt16(value[1]), default: []].append(value)
    }
  }

  /// Whether there is nothing to look for.
  var isEmpty: Bool { values.isEmpty }

  /// Whether one of the values stands there; `false` too where so much was looked through already.
  mutating func isFound(in space: Bytes) -> Bool {
    guard UInt64(space.count) <= unreadByteCount else { return false }
    unreadByteCount -= UInt64(space.count)
    let bytes = space.array
    var start: UInt16 = 0
    for (index, byte) in bytes.enumerated() {
      start = start << 8 | UInt16(byte)
      guard index > 0, let candidates = values[start] else { continue }
      for value in candidates {
        guard comparisonCount > 0 else { return false }
        comparisonCount -= 1
        if bytes[(index - 1)...].starts(with: value) { return true }
      }
    }
    return false
  }
}
