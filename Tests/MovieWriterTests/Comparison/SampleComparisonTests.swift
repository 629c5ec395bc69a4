import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

@Suite struct SampleComparisonTests {
  private static let changes: [TrackChange] = [
    TrackChange("stts", "duration of 1 of 24 samples, first of sample 3: 50 became 51") { $0.samples[2].duration = 51 },
    TrackChange("ctts", "composition offset of 1 of 24 samples, first of sample 3: 0 became 7") {
      $0.samples[2].compositionOffset = 7
    },
    TrackChange("stss", "sync flag of 1 of 24 samples, first of sample 3: no became yes") {
      $0.samples[2].isSync = true
    },
    TrackChange("stsz", "size of 1 of 24 samples, first of sample 3: 42 became 43") { $0.samples[2].byteCount += 1 },
    TrackChange("stsz", "24 samples became 23") { $0.samples.removeLast() },
  ]

  @Test(arguments: changes) func comparesTablesOfSamples(_ change: TrackChange) throws {
    let found = try ComparedMovies(.simple) { change.change(&$0.tracks[0]) }
    let samples = found.comparison.differences.filter { $0.topic == .samples }
    #expect(samples.map(\.description) == [change.description])
    #expect(samples.first?.old?.path == "moov/trak[1]/mdia/minf/stbl/\(change.line)")
    #expect(!found.lines.contains { $0.hasSuffix("@2") })
  }

  @Test func comparesSampleDescriptions() throws {
    let movie = TestMovie.simple.with {
      $0.tracks[1].sampleEntries = [SampleEntry.sound("mp4a", rate: 8000), SampleEntry.sound("mp4a", rate: 8000)]
    }
    let found = try ComparedMovies(movie) { $0.tracks[1].descriptionOfChunk = [1, 2] }
    #expect(found.descriptions == ["sample description of 12 of 16 samples, first of sample 5: 1 became 2"])
  }

  @Test func findsAChangedByteOfASample() throws {
    let movie = TestMovie.simple
    let bytes = movie.bytes()
    let reader = try SecondReader(bytes)
    let sample = try #require(reader.track(2)).samples[9]
    var other = bytes
    other[Int(sample.offset) + 3] ^= 1
    let found = try ComparedMovies(bytes, other)
    let place = Int(sample.offset) + 3
    #expect(found.lines == ["changed bytes@2"])
    #expect(
      found.descriptions == ["bytes of 1 of 16 samples, first of sample 10, first at byte \(place)"])
    #expect(found.remarks == [])
    // The last byte of a sample and the first of the next.
    let next = try #require(reader.track(2)).samples[10]
    #expect(next.offset == sample.offset + UInt64(sample.byteCount))
    other[Int(next.offset)] ^= 1
    other[Int(next.offset) - 1] ^= 1
    #expect(try ComparedMovies(bytes, other).descriptions[0].hasPrefix("bytes of 2 of 16 samples, first of sample 10"))
  }

  @Test func ignoresPositionsOfMedia() throws {
    let movie = TestMovie.torture.with { $0.tracks[1].auxiliaryByteCount = 3 }
    let moved = try ComparedMovies(movie) { $0.layout = .movieFirst + Array($0.layout.dropFirst(4)) }
    #expect(moved.lines == [])
    #expect(moved.remarks == ["media-moved", "movie-atom-moved"])
    #expect(moved.comparison.remarks[0].description == "the media was moved, but its bytes are equal")
    let stored = try ComparedMovies(movie) { $0.storesTrackAfterTrack = true }
    #expect(stored.lines == [] && stored.remarks == ["media-moved"])
    let wide = try ComparedMovies(movie) { $0.tracks[0].usesLongOffsets = true }
    #expect(wide.lines == [])
    let chunks = try ComparedMovies(movie) { $0.tracks[0].chunking = [7] }
    #expect(
      chunks.lines == []
        && chunks.comparison.remarks[0].description == "track 1: the samples are divided into different chunks")
  }

  @Test func ignoresTheEncodingOfTables() throws {
    let movie = TestMovie.simple.with { $0.tracks[1].samples = .varied(16, around: 3, duration: 1000) }
    let found = try ComparedMovies(movie) { $0.tracks[1].sizeTable = .stz2(bits: 4) }
    #expect(found.lines == [] && found.remarks.contains("tables"))
  }

  @Test func comparesAuxiliaryInformationByBytes() throws {
    let movie = TestMovie.simple.with { $0.tracks[0].auxiliaryByteCount = 4 }
    let bytes = movie.bytes()
    let tree = try Movie(of: MemorySource(Bytes(bytes)))
    let range = try #require(tree.tracks[0].auxiliaryInformation(in: tree.tree).first).range
    var other = bytes
    other[Int(range.offset)] ^= 1
    let found = try ComparedMovies(bytes, other)
    #expect(found.lines == ["changed bytes@1"] && found.descriptions[0].hasPrefix("auxiliary information of samples"))
  }

  // MARK: - Old audio, external files

  @Test func comparesPacketsOfOldSound() throws {
    let movie = TestMovie(tracks: [
      TestTrack(.sound, id: 1).with {
        $0.samples = (0..<8).map { _ in TestSample(34, duration: 64) }
        $0.samplesPerPacket = 64
        $0.sampleEntries = [SampleEntry.sound("ima4", channels: 1, rate: 8000)]
      }
    ])
    let bytes = movie.bytes()
    let reader = try Movie(of: MemorySource(Bytes(bytes)))
    let locator = ChunkLocator(reader.tracks[0])
    let chunks = Array(reader.tracks[0].samples.chunks)
    let last = try #require(chunks.last.flatMap { locator.byteRange(of: $0) })
    var other = bytes
    other[Int(last.end) - 1] ^= 1  // Beyond the range of one byte per sample.
    #expect(try ComparedMovies(bytes, other).lines == ["changed bytes@1"])
    #expect(try ComparedMovies(movie) { $0.tracks[0].chunking = [3] }.lines == [])
  }

  @Test func comparesPositionsInExternalFiles() throws {
    let movie = TestMovie(tracks: [
      TestTrack(.video, id: 1),
      TestTrack(.sound, id: 2).with { $0.externalOffsets = [100, 500, 900, 1300] },
    ])
    let found = try ComparedMovies(movie) { $0.tracks[1].externalOffsets = [100, 500, 901, 1300] }
    #expect(found.lines == ["changed samples@2"])
    #expect(found.descriptions[0].hasPrefix("position in another file of 4 of 16 samples, first of sample 9"))
    #expect(try ComparedMovies(movie) { $0.layout = .movieFirst }.lines == [])
  }
}
