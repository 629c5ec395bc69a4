/// Walks a run-length table of (count, value) pairs of 32 bits, `stts` or `ctts`, one sample a step.
struct RunLengthCursor {
  private let payload: Bytes
  private let entryCount: Int
  private var entry = 0
  private var left: UInt32 = 0
  private var value: UInt32 = 0

  init(_ table: TimeToSampleTable) {
    payload = table.payload
    entryCount = table.count
  }

  init(_ table: CompositionOffsetTable) {
    payload = table.payload
    entryCount = table.count
  }

  /// The next sample's value; `nil` past the end of the table.
  mutating func next() -> UInt32? {
    while left == 0 {
      guard entry < entryCount else { return nil }
      let offset = 8 &+ entry &* 8  // Both tables were checked to have room for their entries.
      left = payload.entry(at: offset, as: UInt32.self)
      value = payload.entry(at: offset &+ 4, as: UInt32.self)
      entry += 1
    }
    left -= 1
    return value
  }
}
