// The times of samples: `stts` and `ctts`, and cursors that walk both by runs. A table may have a million entries, so
// every cursor makes one pass and keeps no array.

/// The durations of the samples (`stts`): runs of samples of equal duration, in decoding order.
///
/// A view: an entry is computed from the bytes when asked for.
package struct TimeToSampleTable: AtomPayload {
  /// A run of samples.
  package struct Entry: Hashable, Sendable {
    /// The number of samples.
    package let sampleCount: UInt32
    /// The duration of each, in ticks of the media.
    package let duration: UInt32

    @inlinable
    init(sampleCount: UInt32, duration: UInt32) {
      self.sampleCount = sampleCount
      self.duration = duration
    }
  }

  /// All bytes after the atom's header, entries and tail.
  package let payload: Bytes
  /// The number of entries.
  package let count: Int

  /// Reads the table; throws when the bytes have no room for the entries that it claims.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upTo: 0)
    count = try reader.readEntryCount(bitsPerEntry: 64)
    self.payload = payload
  }

  /// The number of samples that the entries cover. At most 2³² entries of less than 2³² samples: it cannot overflow.
  ///
  /// Costs one pass over the entries.
  package var sampleCount: UInt64 { payload.sumOfWords(at: 8, count: count, stride: 8) }

  /// The sum of all durations in ticks of the media; `nil` when it does not fit in 64 bits.
  ///
  /// Costs one pass over the entries.
  package var totalDuration: UInt64? {
    TablePass.times.begin()
    var total: UInt64 = 0
    for entry in self {
      // The product of two 32-bit numbers fits in 64 bits.
      let run = UInt64(entry.sampleCount) &* UInt64(entry.duration)
      let (sum, overflow) = total.addingReportingOverflow(run)
      guard !overflow else { return nil }
      total = sum
    }
    return total
  }
}

extension TimeToSampleTable: EntryTable {
  /// The entry at `index`, which must be below `count`.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Entry {
    precondition(index >= 0 && index < count, "index of an entry outside the table")
    let offset = 8 &+ index &* 8  // count × 8 bytes are there: the initialiser checked.
    return Entry(
      sampleCount: payload.entry(at: offset, as: UInt32.self), duration: payload.entry(at: offset &+ 4, as: UInt32.self)
    )
  }
}

/// The distances of presentation from decoding (`ctts`): runs of samples with equal offset, in decoding order.
///
/// Offsets are read as signed in both versions: ISO signs only version 1, QuickTime version 0 as well, and no
/// honest file has an unsigned offset with the top bit set. A view: an entry is computed when asked for.
package struct CompositionOffsetTable: AtomPayload {
  /// A run of samples.
  package struct Entry: Hashable, Sendable {
    /// The number of samples.
    package let sampleCount: UInt32
    /// Presentation time minus decode time of each, in ticks of the media.
    package let offset: Int32

    @inlinable
    init(sampleCount: UInt32, offset: Int32) {
      self.sampleCount = sampleCount
      self.offset = offset
    }
  }

  /// All bytes after the atom's header, entries and tail.
  package let payload: Bytes
  /// The number of entries.
  package let count: Int

  /// Reads the table; throws when the bytes have no room for the entries that it claims, or at version 2 and above.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upTo: 1)
    count = try reader.readEntryCount(bitsPerEntry: 64)
    self.payload = payload
  }

  /// Whether samples are shown before they are decoded. Costs one pass, which vectorises.
  package var hasNegativeOffset: Bool {
    payload.bounds(of: UInt32.self, at: 12, count: count, stride: 8).map { $0.upperBound > UInt32(Int32.max) } ?? false
  }

  /// The number of samples that the entries cover. At most 2³² entries of less than 2³² samples: it cannot overflow.
  ///
  /// Costs one pass over the entries.
  package var sampleCount: UInt64 { payload.sumOfWords(at: 8, count: count, stride: 8) }
}

extension CompositionOffsetTable: EntryTable {
  /// The entry at `index`, which must be below `count`.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Entry {
    precondition(index >= 0 && index < count, "index of an entry outside the table")
    let offset = 8 &+ index &* 8  // count × 8 bytes are there: the initialiser checked.
    return Entry(
      sampleCount: payload.entry(at: offset, as: UInt32.self), offset: payload.entry(at: offset &+ 4, as: Int32.self))
  }
}

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
  package mutating func skip(_ count: UInt32) { left -= min(left, count) }

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

  /// Enters the entry of the next sample; returns `false` after the last.
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

/// Computes the decode times of samples in ascending order, with one pass over `stts`.
package struct DecodeTimeCursor {
  private var runs: RunLengthCursor
  /// The first sample of the run, and when it is decoded.
  private var firstSample = 0
  private var start: UInt64 = 0

  package init(_ table: TimeToSampleTable) {
    TablePass.times.begin()
    runs = RunLengthCursor(table)
  }

  /// Returns the decode time of the sample, in ticks of the media; past the table's end, the end of the last one.
  ///
  /// `index` is not below that of the call before. A time beyond 64 bits stays at the largest.
  package mutating func decodeTime(of index: Int) -> UInt64 {
    while let (duration, count) = runs.run() {
      let steps = index - firstSample
      if steps < Int(count) { return start.addingClamped(UInt64(steps) &* UInt64(duration)) }
      firstSample += Int(count)  // At most `index`.
      start = start.addingClamped(UInt64(count) &* UInt64(duration))
      runs.skip(count)
    }
    return start
  }
}
