// The tables of sample times, `stts` and `ctts`, and cursors that advance through them by runs. A table may contain a
// million entries, so a cursor makes one pass and stores no array.

/// The durations of the samples (`stts`): runs of samples with equal durations, in decoding order.
///
/// A view of the bytes: an entry is decoded when it is accessed.
package struct TimeToSampleTable: AtomPayload {
  /// A run of samples.
  package struct Entry: Hashable, Sendable {
    package let sampleCount: UInt32
    /// The duration of each sample, in media ticks.
    package let duration: UInt32

    @inlinable
    init(sampleCount: UInt32, duration: UInt32) {
      self.sampleCount = sampleCount
      self.duration = duration
    }
  }

  /// The bytes after the atom's header, including entries and tail.
  package let payload: Bytes
  package let count: Int

  /// Reads the table. Throws if the declared entries do not fit in the bytes.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upToVersion: 0)
    count = try reader.readEntryCount(bitsPerEntry: 64)
    self.payload = payload
  }

  /// The number of samples in all entries. The sum cannot overflow: fewer than 2³² entries have less than 2³² samples
  /// each.
  ///
  /// Makes one pass over the entries.
  package var sampleCount: UInt64 { payload.sumOfWords(at: 8, count: count, stride: 8) }

  /// The total duration of the samples, in media ticks, or `nil` if it overflows.
  ///
  /// Makes one pass over the entries.
  package var totalDuration: UInt64? {
    TablePass.times.begin()
    var total: UInt64 = 0
    for entry in self {
      // The product cannot overflow, because both numbers have 32 bits.
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
    precondition(index >= 0 && index < count, "the index of the entry is outside the table")
    let offset = 8 &+ index &* 8  // The initializer checked that these bytes are available.
    return Entry(
      sampleCount: payload.entry(at: offset, as: UInt32.self), duration: payload.entry(at: offset &+ 4, as: UInt32.self)
    )
  }
}

/// The composition offsets of the samples (`ctts`): runs of samples with equal offsets, in decoding order.
///
/// Offsets are read as signed numbers. In version 0 of ISO files they are unsigned, but no valid file contains an
/// unsigned offset with the top bit set. The table is a view of the bytes: an entry is decoded when it is accessed.
package struct CompositionOffsetTable: AtomPayload {
  /// A run of samples.
  package struct Entry: Hashable, Sendable {
    package let sampleCount: UInt32
    /// The presentation time minus the decode time of each sample, in media ticks.
    package let offset: Int32

    @inlinable
    init(sampleCount: UInt32, offset: Int32) {
      self.sampleCount = sampleCount
      self.offset = offset
    }
  }

  /// The bytes after the atom's header, including entries and tail.
  package let payload: Bytes
  package let count: Int

  /// Reads the table. Throws if the declared entries do not fit in the bytes, or for a version above 1.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upToVersion: 1)
    count = try reader.readEntryCount(bitsPerEntry: 64)
    self.payload = payload
  }

  /// Whether any sample is presented before its decode time. Makes one vectorized pass.
  package var hasNegativeOffset: Bool {
    payload.bounds(of: UInt32.self, at: 12, count: count, stride: 8).map { $0.upperBound > UInt32(Int32.max) } ?? false
  }

  /// The number of samples in all entries. The sum cannot overflow: fewer than 2³² entries have less than 2³² samples
  /// each.
  ///
  /// Makes one pass over the entries.
  package var sampleCount: UInt64 { payload.sumOfWords(at: 8, count: count, stride: 8) }
}

extension CompositionOffsetTable: EntryTable {
  /// The entry at `index`, which must be below `count`.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Entry {
    precondition(index >= 0 && index < count, "the index of the entry is outside the table")
    let offset = 8 &+ index &* 8  // The initializer checked that these bytes are available.
    return Entry(
      sampleCount: payload.entry(at: offset, as: UInt32.self), offset: payload.entry(at: offset &+ 4, as: Int32.self))
  }
}

/// A cursor over the runs of `stts` or `ctts`. An entry of both tables consists of a count and a value, with 32 bits
/// each. The cursor advances by samples or by runs.
package struct RunLengthCursor {
  private let payload: Bytes
  private let entryCount: Int
  private var entry = 0
  private var remainingCount: UInt32 = 0
  private var value: UInt32 = 0

  package init(_ table: TimeToSampleTable) {
    payload = table.payload
    entryCount = table.count
  }

  init(_ table: CompositionOffsetTable) {
    payload = table.payload
    entryCount = table.count
  }

  /// Returns the value of the current run and the number of its remaining samples, or `nil` after the last entry. Does
  /// not advance.
  package mutating func currentRun() -> (value: UInt32, count: UInt32)? {
    guard next() != nil else { return nil }
    remainingCount += 1
    return (value, remainingCount)
  }

  /// Skips at most `count` samples of the current run.
  package mutating func skip(_ count: UInt32) { remainingCount -= min(remainingCount, count) }

  /// Skips `count` samples and returns the value of the following sample, or `nil` after the last entry.
  mutating func value(after count: Int) -> UInt32? {
    var rest = count
    while enterRun() {
      if rest < Int(remainingCount) {
        remainingCount &-= UInt32(rest) &+ 1
        return value
      }
      rest -= Int(remainingCount)
      remainingCount = 0
    }
    return nil
  }

  /// Returns the value of the next sample, or `nil` after the last entry.
  @inline(__always)
  mutating func next() -> UInt32? {
    guard enterRun() else { return nil }
    remainingCount &-= 1
    return value
  }

  /// Returns a run of at most `maximumCount` samples with equal values, or `nil` after the last entry.
  @inline(__always)
  mutating func next(atMost maximumCount: UInt32) -> (count: UInt32, value: UInt32)? {
    guard enterRun() else { return nil }
    let count = min(remainingCount, maximumCount)
    remainingCount &-= count
    return (count, value)
  }

  /// Advances to the entry of the next sample. Returns `false` after the last entry.
  @inline(__always)
  private mutating func enterRun() -> Bool {
    while remainingCount == 0 {
      guard entry < entryCount else { return false }
      let offset = 8 &+ entry &* 8  // The tables' initializers checked that these bytes are available.
      remainingCount = payload.entry(at: offset, as: UInt32.self)
      value = payload.entry(at: offset &+ 4, as: UInt32.self)
      entry &+= 1
    }
    return true
  }
}

/// A cursor that computes the decode times of samples in ascending order, in one pass over `stts`.
package struct DecodeTimeCursor {
  private var runs: RunLengthCursor
  /// The index and decode time of the first sample of the run.
  private var firstSample = 0
  private var start: UInt64 = 0

  package init(_ table: TimeToSampleTable) {
    TablePass.times.begin()
    runs = RunLengthCursor(table)
  }

  /// Returns the decode time of the sample at `index`, in media ticks. If `index` is past the end of the table, returns
  /// the end of the last sample.
  ///
  /// `index` must be at least the index of the previous call. The time saturates at `UInt64.max`.
  package mutating func decodeTime(of index: Int) -> UInt64 {
    while let (duration, count) = runs.currentRun() {
      let steps = index - firstSample
      if steps < Int(count) { return start.addingClamped(UInt64(steps) &* UInt64(duration)) }
      firstSample += Int(count)  // The sum is at most `index`.
      start = start.addingClamped(UInt64(count) &* UInt64(duration))
      runs.skip(count)
    }
    return start
  }

  /// Returns the index of the first sample whose decode time is at least `time`, or `nil` if all samples are decoded
  /// before `time`. `time` is in media ticks.
  ///
  /// The cursor only moves forward. Calls of this function and of ``decodeTime(of:)`` must be in the order of the
  /// samples.
  mutating func firstSample(decodedFrom time: UInt64) -> Int? {
    while let (duration, count) = runs.currentRun(), time > start {
      let end = start.addingClamped(UInt64(count) &* UInt64(duration))
      if duration > 0, time < end {
        // Round up to a whole sample.
        let (steps, rest) = (time - start).quotientAndRemainder(dividingBy: UInt64(duration))
        let index = steps + (rest > 0 ? 1 : 0)
        if index < UInt64(count) { return firstSample + Int(index) }
      }
      firstSample += Int(count)
      start = end
      runs.skip(count)
    }
    return time <= start ? firstSample : nil
  }
}
