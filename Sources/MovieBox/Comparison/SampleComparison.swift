/// Compares the sample properties of two tracks, and collects the ranges of sample bytes. Makes one pass over both
/// tracks and reads no media. The comparisons of all tracks share one list of ranges, because a movie may have a
/// million chunks.
///
/// The tables may divide equal samples into different runs. The comparison therefore advances by the shorter of the two
/// current runs.
struct SampleComparison {
  /// A property in which samples can differ.
  enum Aspect: String, CaseIterable {
    case time = "decode time"
    case duration = "duration"
    case composition = "composition offset"
    case sync = "sync flag"
    case size = "size"
    case description = "sample description"
    case external = "position in another file"

    /// The tables in `stbl` that store this property.
    var tables: [FourCC] {
      switch self {
      case .time, .duration: ["stts"]
      case .composition: ["ctts", "stts"]
      case .sync: ["stss", "stsz"]
      case .size: ["stsz", "stz2"]
      case .description: ["stsc"]
      case .external: ["stco", "co64"]
      }
    }
  }

  /// The number of samples that differ in a property, and the property's values in the first of these samples.
  struct Change {
    var count: Int
    let firstSample: Int
    let old: String
    let new: String
  }

  /// The sample times to compare.
  enum Times {
    /// Only durations are compared. Both movies are plain.
    case durations
    /// Decode times and durations are compared. Both movies are fragmented, and fragments may leave gaps between
    /// samples.
    case fragments
    /// Decode times are compared relative to the first sample. Only one of the movies is fragmented.
    case relativeDecodeTimes
  }

  private let times: Times
  private(set) var changes: [Aspect: Change] = [:]
  private(set) var counts = (old: 0, new: 0)
  /// Whether some samples were not compared because one of the movies stores them in another file.
  private(set) var omitsExternalSamples = false

  /// - Parameter hasEqualMedia: whether the tables and bytes of the tracks are known to be equal (``UnchangedMedia``).
  init(
    _ old: TrackSide, _ new: TrackSide, _ times: Times, hasEqualMedia: Bool, owner: Int,
    _ ranges: inout [ComparedRange]
  ) {
    self.times = times
    guard !hasEqualMedia else {
      counts = (old.track.samples.placedSampleCount, new.track.samples.placedSampleCount)
      return
    }
    if old.fragmented == nil, new.fragmented == nil, old.track.hasSameSamples(as: new.track) {
      compareChunks(old.track, new.track, owner: owner, &ranges)
      return
    }
    let isPlain = times == .relativeDecodeTimes
    // Count the times of both tracks from the earlier start. A fragmented track may start before 0.
    let origins = [old, new].map { $0.fragmented?.ticksBeforeStart ?? 0 }
    let origin = isPlain ? 0 : Swift.max(origins[0], origins[1])
    var left = SampleRuns(old.track, old.fragmented, origin: origin, isWithoutFragments: isPlain)
    var right = SampleRuns(new.track, new.fragmented, origin: origin, isWithoutFragments: isPlain)
    var one = left.next()
    var other = right.next()
    var skipped = (old: 0, new: 0)
    var last: (old: SampleRun, new: SampleRun)?
    while let before = one, let after = other {
      let count = Swift.min(before.count - skipped.old, after.count - skipped.new)
      compare(before, after, skipped, count)
      let compared = before.firstSample + skipped.old..<before.firstSample + skipped.old + count
      let isExternal = (
        left.locator.isExternal(description: before.descriptionIndex),
        right.locator.isExternal(description: after.descriptionIndex)
      )
      let range = before.range(skipping: skipped.old, count: count, left.locator, left.sizes)
      let newRange = after.range(skipping: skipped.new, count: count, right.locator, right.sizes)
      if isExternal.0, isExternal.1 {
        note(.external, range?.offset, newRange?.offset, of: compared)
      } else if isExternal.0 || isExternal.1 {
        omitsExternalSamples = true
      } else if let range, let newRange, range.count == newRange.count {
        ranges.append(range, newRange, owner: owner)
      } else if before.byteCount == after.byteCount {
        note(.size, range?.count, newRange?.count, of: compared)
      }
      last = (before, after)
      counts = (counts.old + count, counts.new + count)
      skipped = (skipped.old + count, skipped.new + count)
      if skipped.old == before.count { (one, skipped.old) = (left.next(), 0) }
      if skipped.new == after.count { (other, skipped.new) = (right.next(), 0) }
    }
    if times == .relativeDecodeTimes, let last, one == nil, other == nil {
      note(.duration, last.old.duration, last.new.duration, of: counts.old - 1..<counts.old)
    }
    while let rest = one {
      counts.old += rest.count - skipped.old
      (one, skipped.old) = (left.next(), 0)
    }
    while let rest = other {
      counts.new += rest.count - skipped.new
      (other, skipped.new) = (right.next(), 0)
    }
  }

  /// Compares only the file offsets of chunks. The sample tables of the tracks are equal.
  private mutating func compareChunks(_ old: Track, _ new: Track, owner: Int, _ ranges: inout [ComparedRange]) {
    let (locator, newLocator) = (ChunkLocator(old), ChunkLocator(new))
    let offsets = new.samples.chunkOffsets
    for chunk in old.samples.chunks {
      let isExternal = (locator.isExternal(chunk), newLocator.isExternal(chunk))
      let offset = offsets[chunk.index]  // Both tracks have equal numbers of chunks.
      if isExternal.0 || isExternal.1 {
        if isExternal.0, isExternal.1 {
          note(.external, chunk.offset, offset, of: chunk.samples)
        } else {
          omitsExternalSamples = omitsExternalSamples || chunk.sampleCount > 0
        }
      } else if let range = locator.byteRange(of: chunk), let new = ByteRange(offset: offset, count: range.count) {
        ranges.append(range, new, owner: owner)
      } else {
        note(.size, locator.byteRange(of: chunk)?.count, nil, of: chunk.samples)
      }
      counts.old += chunk.sampleCount
    }
    counts.new = counts.old
  }

  private mutating func compare(
    _ old: SampleRun, _ new: SampleRun, _ skipped: (old: Int, new: Int), _ count: Int
  ) {
    let samples = old.firstSample + skipped.old..<old.firstSample + skipped.old + count
    if times != .relativeDecodeTimes { note(.duration, old.duration, new.duration, of: samples) }
    if times != .durations {
      // Sums that wrap around are acceptable, because no real movie has times of 64 bits.
      note(
        .time, old.decodeTime &+ UInt64(skipped.old) &* UInt64(old.duration),
        new.decodeTime &+ UInt64(skipped.new) &* UInt64(new.duration), of: samples)
    }
    note(.composition, old.compositionOffset, new.compositionOffset, of: samples)
    if old.isSync != new.isSync { add(.sync, old.isSync ? "yes" : "no", new.isSync ? "yes" : "no", of: samples) }
    note(.size, old.byteCount, new.byteCount, of: samples)
    note(.description, old.descriptionIndex, new.descriptionIndex, of: samples)
  }

  private mutating func note<Number: FixedWidthInteger>(
    _ aspect: Aspect, _ old: Number?, _ new: Number?, of samples: Range<Int>
  ) {
    guard old != new else { return }
    add(aspect, old.map { "\($0)" } ?? "none", new.map { "\($0)" } ?? "none", of: samples)
  }

  private mutating func add(_ aspect: Aspect, _ old: String, _ new: String, of samples: Range<Int>) {
    if changes[aspect] == nil {
      changes[aspect] = Change(count: samples.count, firstSample: samples.lowerBound, old: old, new: new)
    } else {
      changes[aspect]?.count += samples.count
    }
  }
}
