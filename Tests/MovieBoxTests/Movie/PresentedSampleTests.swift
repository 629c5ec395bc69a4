import TestSupport
import Testing

@testable import MovieBox

struct PresentedSampleTests {
  private static func track(_ samples: [TestSample], _ edits: [TestEdit]) throws -> Track {
    let movie = TestMovie(tracks: [
      TestTrack.boxed(id: 1, [], []).with {
        ($0.samples, $0.edits, $0.chunking) = (samples, edits, [3, 70])
      }
    ])
    return try #require(try Movie(of: MemorySource(Bytes(movie.build().bytes))).tracks.first)
  }

  private static func blocks(of track: Track) throws -> PlacedSampleBlocks {
    try PlacedSampleBlocks(PlacedSampleIterator(track, in: nil, isRead: [true]))
      ?? PlacedSampleBlocks(listed: track.placedSamples(in: nil) { sample, _ in sample.byteRange })
  }

  private static func presented(
    _ track: Track, in range: Range<Int64>? = nil, visitLimit: Int = 1_000_000
  ) throws -> [PresentedSample] {
    var cursor = PresentedSampleCursor(
      try blocks(of: track), try track.shownSegments(movieTimeScale: 600, unitsPerSecond: 1_000_000),
      movieEnd: 9_000_000_000, timeScale: 1_000, in: range, visitLimit: visitLimit)
    var samples: [PresentedSample] = []
    while let sample = try cursor.next() { samples.append(sample) }
    return samples
  }

  /// Blocks that are read from tables, and blocks of listed samples, present the samples that a list of all samples
  /// presents.
  @Test(arguments: 0..<60) func presentsTheSamplesOfAList(seed: Int) throws {
    var chance = Chance(seed: UInt64(seed))
    let count = Int.random(in: 1...1_700, using: &chance)
    let isRegular = seed.isMultiple(of: 2)
    let samples = (0..<count).map { index in
      let duration = Int.random(in: isRegular ? 1...40 : 0...40, using: &chance)
      var sample = TestSample(content: [UInt8(index % 251)], duration: duration)
      if isRegular, index == count - 1, seed % 4 == 0 { sample.duration = 0 }
      if !isRegular, index % 9 == 0 { sample.compositionOffset = Int.random(in: 0...90, using: &chance) }
      return sample
    }
    let edits = (0..<Int.random(in: 0...5, using: &chance)).map { _ in
      TestEdit(
        duration: Int.random(in: 1...9_000, using: &chance), mediaTime: Int.random(in: -1...20_000, using: &chance))
    }
    let track = try Self.track(samples, edits)
    let isRead = PlacedSampleBlocks(PlacedSampleIterator(track, in: nil, isRead: [true])) != nil
    #expect(isRead || !isRegular, "regular samples are read from tables")

    var expected: [(shown: Range<Int64>, bytes: ByteRange)] = []
    let all = try track.placedSamples(in: nil) { sample, _ in sample.byteRange }
    let times = all.indices.map { index in
      let (start, end) = (all[index].start, all[index].end)
      return (start: start, end: end > start ? end : all.first { $0.start > start }?.start ?? start + 1)
    }
    for segment in try track.shownSegments(movieTimeScale: 600, unitsPerSecond: 1_000_000) {
      for (index, sample) in all.enumerated() where !segment.hasEnded(at: sample.start) {
        if let shown = segment.shown(from: times[index].start, to: times[index].end, movieEnd: 9_000_000_000) {
          expected.append((shown, sample.bytes))
        }
      }
    }
    let found = try Self.presented(track)
    #expect(found.map(\.microseconds) == expected.map(\.shown))
    #expect(found.map(\.bytes) == expected.map(\.bytes))
    #expect(zip(found, found.dropFirst()).allSatisfy { $0.microseconds.lowerBound <= $1.microseconds.lowerBound })
    let range: Range<Int64> = 3_000_000..<7_000_000
    #expect(
      try Self.presented(track, in: range).map(\.microseconds) == expected.map(\.shown).filter { range.overlaps($0) })
  }

  /// An edit begins at its first sample, and edits of one block load it once.
  @Test func visitsOnlyThePresentedSamplesOfABlock() throws {
    let samples = (0..<1_000).map { _ in TestSample(content: [1], duration: 10) }
    let edits = (0..<100).map { _ in TestEdit(duration: 1, mediaTime: 5_010) }
    #expect(try Self.presented(Self.track(samples, edits), visitLimit: 512 + 100).count == 100)
  }

  /// The edits of a small file can load blocks again and again, even if they present nothing.
  @Test(arguments: [[0, 7_000], [2_600, 9_000]]) func limitsTheLoads(_ times: [Int]) throws {
    // Composition offsets leave gaps from 2 560 to 3 560 and from 8 680 to 9 680.
    var samples = (0..<1_000).map { _ in TestSample(content: [1], duration: 10) }
    for index in samples.indices where index >= 256 { samples[index].compositionOffset = index < 768 ? 1_000 : 2_000 }
    let edits = (0..<100).map { TestEdit(duration: 1, mediaTime: times[$0 % 2]) }
    let track = try Self.track(samples, edits)
    _ = try Self.presented(track)
    let error = #expect(throws: MovieError.self) { try Self.presented(track, visitLimit: 5_000) }
    #expect(error?.code == .limit)
  }

  /// Samples that are not read belong to blocks too, so each load takes limited time.
  @Test func omitsSamplesOfOtherDescriptions() throws {
    var samples = (0..<3_002).map { _ in TestSample(content: [1], duration: 10) }
    samples[2_001].duration = 0
    let entries = [1, 2].map { SampleEntry.video(width: $0, height: 1) }
    let movie = TestMovie(tracks: [
      TestTrack.boxed(id: 1, [], []).with {
        ($0.samples, $0.sampleEntries) = (samples, entries)
        ($0.chunking, $0.descriptionOfChunk) = ([1, 2_000, 1, 1_000], [1, 2, 1, 2])
      }
    ])
    let track = try #require(try Movie(of: MemorySource(Bytes(movie.build().bytes))).tracks.first)
    let blocks = try #require(PlacedSampleBlocks(PlacedSampleIterator(track, in: nil, isRead: [true, false])))
    #expect(blocks.count == 4 && blocks[1].isEmpty && blocks[3].map(\.index) == [2_001])
    var cursor = PresentedSampleCursor(
      blocks, try track.shownSegments(movieTimeScale: 600, unitsPerSecond: 1_000_000), movieEnd: 9_000_000_000,
      timeScale: 1_000, in: nil, visitLimit: 10_000)
    #expect(try cursor.next()?.bytes.count == 1)
    #expect(try cursor.next()?.microseconds == 20_010_000..<9_000_000_000)
    #expect(try cursor.next() == nil)
  }
}
