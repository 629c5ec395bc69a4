// Evidence of damage at the end of a track: an implausible last duration, or samples that a truncated file lacks.

import Subtitles

/// The durations of a track's last samples, used to recognize an implausible last duration.
package struct ClosingDurations: Hashable, Sendable {
  /// The duration of the last sample, or 0 if there are no samples.
  package private(set) var last: UInt32 = 0
  /// The last duration before ``last`` that is not 0, or 0 if there is none.
  package private(set) var previous: UInt32 = 0
  /// The longest duration before the last sample. For fragments, only the last samples are examined.
  package private(set) var longestPrevious: UInt32 = 0

  fileprivate init(_ table: SampleTable, count: Int) {
    var remainingCount = count
    for run in table.timeToSample where remainingCount > 0 {
      let runCount = Swift.min(Int(clamping: run.sampleCount), remainingCount)
      remainingCount -= runCount
      add(runCount, lasting: run.duration)
    }
    add(remainingCount, lasting: 0)  // Samples after the end of the table have no duration.
  }

  fileprivate mutating func add(_ count: Int, lasting duration: UInt32) {
    guard count > 0 else { return }
    if last > 0 { previous = last }
    longestPrevious = Swift.max(longestPrevious, last)
    if count > 1, duration > 0 {
      previous = duration
      longestPrevious = Swift.max(longestPrevious, duration)
    }
    last = duration
  }
}

extension SampleTable {
  /// The durations of the last samples. Makes a pass over `stts`.
  package var closingDurations: ClosingDurations { ClosingDurations(self, count: sampleCount) }
}

extension FragmentedTrack {
  /// The durations of the last samples. Makes a pass over `stts`.
  package var closingDurations: ClosingDurations {
    var durations = ClosingDurations(table, count: tableSampleCount)
    // Examine only the last two samples of each of the last two runs. They are sufficient to determine the usual
    // duration.
    for run in runs.lazy.filter({ $0.sampleCount > 0 }).suffix(2) {
      for index in Swift.max(0, run.sampleCount - 2)..<run.sampleCount {
        durations.add(1, lasting: run.table[index].duration ?? run.defaults.duration)
      }
    }
    return durations
  }
}

/// The samples that a track lists, but that a truncated file does not contain.
///
///     for missing in try movie.missingSamples(readingFragmentsOf: source) { print(missing) }
public struct MissingSamples: Hashable, Sendable, CustomStringConvertible {
  /// The track's ID.
  public let trackID: UInt32
  /// The time from which the track is incomplete, in milliseconds from the start of the movie. A recording starts with
  /// its earliest track, even if the times in the file do not start at 0.
  public let startMilliseconds: Int64
  /// The number of samples that are listed but missing, or `nil` if the list itself is truncated.
  public let sampleCount: Int?

  /// A message such as `track 2 is incomplete from 00:00:10.520 on: 12 samples are cut off`.
  public var description: String {
    let loss =
      switch sampleCount {
      case nil: "the fragment that lists the missing samples is cut off"
      case 1: "1 sample is cut off"
      case let count?: "\(count) samples are cut off"
      }
    return "track \(trackID) is incomplete from \(timeText(milliseconds: startMilliseconds)) on: \(loss)"
  }
}

extension Movie {
  /// Returns the missing samples at the end of a truncated file, for each affected track in movie order.
  ///
  /// If the file is not truncated, returns an empty array without reading. For a fragmented movie, reads the headers
  /// of all fragments. For other movies, makes a pass over the chunks. Throws the source's errors, and ``MovieError``
  /// if a fragment is damaged.
  public func missingSamples(readingFragmentsOf source: some RandomAccessSource) throws -> [MissingSamples] {
    guard layout.cutOffset != nil else { return [] }
    guard isFragmented else { return missingSamples() }
    return try readFragments(of: source).missingSamples
  }
}

extension Track {
  /// Returns the number of samples at the start of the track that are complete in the file. Samples in other files
  /// are assumed to be complete.
  ///
  /// Makes one pass over the chunks.
  package func completeSampleCount(upTo fileEnd: UInt64) -> Int {
    let locator = ChunkLocator(self)
    var count = 0
    for chunk in samples.chunks {
      count = chunk.samples.upperBound
      guard chunk.byteCount > 0, !locator.isExternal(chunk) else { continue }
      if let range = locator.byteRange(of: chunk), range.end <= fileEnd { continue }
      let room = fileEnd - Swift.min(fileEnd, chunk.offset)
      return locator.endOfCompleteSamples(of: chunk, within: room, samples.sampleSizes)
    }
    return count
  }
}

extension ChunkLocator {
  /// Returns the index after the last sample that is complete in the first `byteCount` bytes of a chunk. Only whole
  /// packets are counted.
  fileprivate func endOfCompleteSamples(of chunk: Chunk, within byteCount: UInt64, _ sizes: SampleSizeTable) -> Int {
    let packet = Int(clamping: Swift.max(1, samplesPerPacket(of: chunk)))
    func fits(_ count: Int) -> Bool {
      let end = chunk.firstSample + Swift.min(chunk.sampleCount, count)
      return (self.byteCount(of: chunk.firstSample..<end, of: chunk, sizes) ?? .max) <= byteCount
    }
    // Use a binary search, because each sum of sizes requires a pass over the sizes.
    var (low, high) = (0, (chunk.sampleCount - 1) / packet + 1)
    while low < high {
      let middle = low + (high - low + 1) / 2
      if fits(middle.multipliedReportingOverflow(by: packet).partialValue) { low = middle } else { high = middle - 1 }
    }
    return chunk.firstSample + Swift.min(chunk.sampleCount, low.multipliedReportingOverflow(by: packet).partialValue)
  }
}

extension Movie {
  /// Returns the missing samples that the movie atom lists. For each track, these are the first missing sample and all
  /// later samples, even if some later samples are complete in the file.
  ///
  /// Makes one pass over the chunks, and over the samples of affected tracks.
  package func missingSamples() -> [MissingSamples] {
    tracks.compactMap { track in
      let present = track.completeSampleCount(upTo: layout.identity.byteCount)
      let count = track.samples.placedSampleCount - present
      guard count > 0 else { return nil }
      var start = Int64.max
      for sample in track.samples.samples.lazy.dropFirst(present) { start = Swift.min(start, sample.presentationTime) }
      let microseconds = track.clock(movieTimeScale: header.timeScale).microseconds(
        ofMediaTime: UInt64(clamping: start))
      return MissingSamples(
        trackID: track.id, startMilliseconds: Int64(clamping: microseconds / 1_000), sampleCount: count)
    }
  }
}
