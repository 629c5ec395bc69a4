/// Walks a run-length table of (count, value) pairs of 32 bits, `stts` or `ctts`, by samples or by runs of them.
package struct RunLengthCursor {
  private let payload: Bytes
  private let entryCount: Int
  private var entry = 0
  private var left: UInt32 = 0
  private var value: UInt32 = 0

  package init(_ table: TimeToSampleTable) {
    payload = table.payload
    entryCount = table.count
  }

  init(_ table: CompositionOffsetTable) {
    payload = table.payload
    entryCount = table.count
  }

  /// The value of the next samples, which are not passed over, and how many have it; `nil` past the end of the table.
  package mutating func run() -> (value: UInt32, count: UInt32)? {
    guard next() != nil else { return nil }
    left += 1
    return (value, left)
  }

  /// Passes over samples of the run, no more than it has.
  package mutating func skip(_ count: UInt32) {
    left -= min(left, count)
  }

  /// The value of the sample after so many that are passed over; `nil` past the end of the table.
  mutating func value(after count: Int) -> UInt32? {
    var rest = count
    while enterRun() {
      if rest < Int(left) {
        left &-= UInt32(rest) &+ 1
        return value
      }
      rest -= Int(left)
      left = 0
    }
    return nil
  }

  /// The next sample's value; `nil` past the end of the table.
  @inline(__always)
  mutating func next() -> UInt32? {
    guard enterRun() else { return nil }
    left &-= 1
    return value
  }

  /// The value of the next samples, and of how many: as many as have the same, `most` at most; `nil` past the end of the
  /// table.
  @inline(__always)
  mutating func next(atMost most: UInt32) -> (count: UInt32, value: UInt32)? {
    guard enterRun() else { return nil }
    let count = min(left, most)
    left &-= count
    return (count, value)
  }

  /// Goes to the entry of the next sample; gives `false` where there is none.
  @inline(__always)
  private mutating func enterRun() -> Bool {
    while left == 0 {
      guard entry < entryCount else { return false }
      let offset = 8 &+ entry &* 8  // Both tables were checked to have room for their entries.
      left = payload.entry(at: offset, as: UInt32.self)
      value = payload.entry(at: offset &+ 4, as: UInt32.self)
      entry &+= 1
    }
    return true
  }
}
