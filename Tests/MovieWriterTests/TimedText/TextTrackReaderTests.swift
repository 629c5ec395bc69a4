import SubtitleTestSupport
import Subtitles
import TestSupport
import Testing

@testable import MovieBox

/// The times of cues, the reads for them, and rejections.
struct TextTrackReaderTests {
  private func times(_ movie: TestMovie) throws -> [[Int64]] {
    try extractedText(movie.bytes(), track: 2).cues.map { [$0.startMilliseconds, $0.endMilliseconds] }
  }

  private let samples = [sample("One"), sample(""), sample("Two"), sample("Three")]

  // MARK: - Times

  @Test func appliesEditsToCues() throws {
    let plain = textMovie(samples)
    #expect(try times(plain) == [[0, 1_000], [2_000, 3_000], [3_000, 4_000]])
    func edited(_ edits: TestEdit...) throws -> [[Int64]] { try times(plain.with { $0.tracks[1].edits = edits }) }

    let late = TestEdit(duration: 500, mediaTime: -1)
    #expect(
      try edited(late, TestEdit(duration: 4_000, mediaTime: 0)) == [[500, 1_500], [2_500, 3_500], [3_500, 4_500]])
    #expect(try edited(TestEdit(duration: 2_500, mediaTime: 500)) == [[0, 500], [1_500, 2_500]])
    // The rest of the track, in the form of fragmented movies.
    #expect(try edited(late, TestEdit(duration: 0, mediaTime: 2_500)) == [[500, 1_000], [1_000, 2_000]])
    // Twice, in reverse order.
    let twice = try edited(TestEdit(duration: 1_000, mediaTime: 3_000), TestEdit(duration: 1_000, mediaTime: 0))
    #expect(twice == [[0, 1_000], [1_000, 2_000]])
    // At double speed, and a single frame held for a second.
    #expect(
      try edited(TestEdit(duration: 2_000, mediaTime: 0, rate: 0x2_0000)) == [
        [0, 500], [1_000, 1_500], [1_500, 2_000],
      ])
    #expect(try edited(TestEdit(duration: 1_000, mediaTime: 2_100, rate: 0)) == [[0, 1_000]])
    #expect(try edited(TestEdit(duration: 1_000, mediaTime: 9_000)) == [])
  }

  @Test func keepsCuesDespiteRoundedEdits() throws {
    // 4 s are 2397.6 ticks of this movie.
    let movie = textMovie(samples).with {
      $0.timeScale = 5_994
      $0.tracks[1].edits = [TestEdit(duration: 23_975, mediaTime: 0)]
    }
    #expect(try times(movie) == [[0, 1_000], [2_000, 3_000], [3_000, 4_000]])
    #expect(try times(movie.with { $0.tracks[1].edits[0].duration = 23_970 }).last == [3_000, 3_999])
  }

  @Test func readsThreeHoursExactlyToTheMillisecond() throws {
    // A sample every 2002 ticks at 24000 per second, the duration of two pictures.
    let count = 3 * 3_600 * 24_000 / 2_002
    let text = (0..<count).map { sample("\($0)", duration: 2_002) }
    let movie = textMovie(text) {
      $0.timeScale = 24_000
      $0.chunking = [500]
    }
    let cues = try extractedText(movie.bytes(), track: 2).cues
    #expect(cues.count == count)
    for (index, cue) in cues.enumerated() {
      // Rounded to the nearest, halves up, computed in another way.
      #expect(cue.startMilliseconds == Int64((Double(index) * 2_002_000 / 24_000).rounded()))
      #expect(cue.endMilliseconds == Int64((Double(index + 1) * 2_002_000 / 24_000).rounded()))
    }
  }

  @Test func reportsSamplesWithoutDurationExceptTheLast() throws {
    let movie = textMovie([sample("Lost", duration: 0), sample("One"), sample("Last", duration: 0)]).with {
      $0.duration = 5_000
    }
    let text = try extractedText(movie.bytes(), track: 2)
    #expect(text.cues.map { [$0.startMilliseconds, $0.endMilliseconds] } == [[0, 1_000], [1_000, 5_000]])
    #expect(text.notices.map(\.lostText) == ["Lost"])
    // Cues shorter than a millisecond are shown for one.
    let short = textMovie([sample("One", duration: 1), sample("", duration: 90_000)]) { $0.timeScale = 90_000 }
    #expect(try times(short) == [[0, 1]])
  }

  // MARK: - Reads

  @Test func readsARunOfSamplesAtOnce() throws {
    let text = (0..<500).map { sample("Text \($0)") }
    let movie = textMovie(text) { $0.chunking = [100] }.with { $0.storesTrackAfterTrack = true }
    let source = CountingSource(movie.bytes())
    let read = try Movie(of: source)
    let header = source.reads.count
    let track = try #require(read.track(2))
    let reader = try TextTrackReader(track, of: read)
    #expect(source.reads.count == header)
    #expect(try reader.read(from: source).cues.count == 500)
    #expect(source.reads.count == header + 1)
    #expect(source.reads.last?.count == track.samples.totalByteCount)
  }

  @Test func readsOnlyTextAmongMedia() throws {
    // 10 MB of video, with a text chunk next to each chunk.
    let movie = TestMovie(tracks: [
      TestTrack(.video, id: 1).with {
        $0.samples = .varied(50, around: 200_000, duration: 600)
        $0.chunking = [1]
      },
      TestTrack(.subtitle, id: 2).with {
        $0.samples = (0..<50).map { sample("Text \($0)") }
        $0.chunking = [1]
      },
    ]).with { $0.layout = .movieFirst }
    let source = CountingSource(movie.bytes())
    let read = try Movie(of: source)
    let header = source.reads.count
    let track = try #require(read.track(2))
    #expect(try TextTrackReader(track, of: read).read(from: source).cues.count == 50)
    #expect(source.reads.count == header + 50)
    #expect(source.reads.dropFirst(header).reduce(0) { $0 + $1.count } == track.samples.totalByteCount)
    #expect(source.reads.reduce(0) { $0 + $1.count } < 100_000)
  }

  @Test func readsHeadersAndSamplesOfFragments() throws {
    let initial = textMovie([]) { $0.samples = [] }.with { $0.tracks[0].samples = [] }
    let fragments = (0..<20).map { index in
      TestFragment([
        .init(id: 1, decodeTime: UInt64(index) * 1_200, runs: [.init(.varied(2, around: 50_000, duration: 600))]),
        .init(
          id: 2, decodeTime: UInt64(index) * 2_000, runs: [.init([sample("Text \(index)"), sample("")])]),
      ])
    }
    let source = CountingSource(initial.initial.bytes(fragments: fragments))
    let text = try extractedText(source, track: 2)
    #expect(text.cues.map(\.text.text) == (0..<20).map { "Text \($0)" })
    #expect(text.cues.map(\.startMilliseconds) == (0..<20).map { $0 * 2_000 })
    // 2 MB of video are not read, except in the first 64 KiB, which contain the header.
    #expect(source.reads.reduce(0) { $0 + $1.count } < 80_000)
    #expect(source.reads.count < 90)
  }

  // MARK: - Rejections

  private func failure(_ movie: TestMovie, limits: SubtitleLimits = SubtitleLimits()) -> MovieError? {
    do {
      _ = try extractedText(movie.bytes(), track: 2, limits: limits)
      return nil
    } catch {
      return error as? MovieError
    }
  }

  @Test func rejectsOtherTracks() throws {
    let stpp = textMovie(samples, kind: .other(handler: "subt"), entries: [atom("stpp") { zeros(6) + u16(1) }])
    let error = try #require(failure(stpp))
    #expect(error.code == .unsupported && error.path == "moov/trak[2]")
    #expect(error.reason == "track 2 has the format stpp, which is not a supported text format")
    let external = textMovie(samples) { $0.externalOffsets = [0] }
    #expect(failure(external)?.code == .unsupported)
    let broken = textMovie(samples, entries: [atom("tx3g") { zeros(6) + u16(1) + zeros(5) }])
    #expect(failure(broken)?.path == "moov/trak[2]/mdia/minf/stbl/stsd")
  }

  @Test func appliesLimitsExactly() throws {
    var limits = SubtitleLimits()
    limits.cueCount = 3
    #expect(failure(textMovie(samples), limits: limits) == nil)
    limits.cueCount = 2
    #expect(failure(textMovie(samples), limits: limits)?.code == .limit)
    limits = SubtitleLimits()
    limits.sampleByteCount = 5 + 2 + 5 + 7
    #expect(failure(textMovie(samples), limits: limits) == nil)
    limits.sampleByteCount -= 1
    #expect(failure(textMovie(samples), limits: limits)?.code == .limit)
  }

  @Test func rejectsInvalidTables() throws {
    let movie = textMovie(samples).with {
      $0.layout = .movieFirst
      $0.storesTrackAfterTrack = true
    }
    #expect(try extractedText(movie.bytes(), track: 2).cues.count == 3)
    let cut = Array(movie.bytes().dropLast(1))
    #expect(throws: MovieError.self) { try extractedText(cut, track: 2) }
    let lost = textMovie(samples) { $0.descriptionOfChunk = [7] }
    #expect(failure(lost)?.reason == "sample 1 has description 7, but there are only 1")
  }

  @Test func survivesRandomSampleBytes() throws {
    for seed in 0..<400 {
      var random = SubtitleRandom(seed: UInt64(seed))
      var contents: [TestSample] = []
      for _ in 0..<8 {
        var bytes =
          sample("Text 😀 <i>x</i>", styl((1, 3, face: 2, color: -1, size: 9)) + atom("tbox") { zeros(8) }).content ?? []
        if random.next(below: 2) == 0 { bytes = atom("vttc") { atom("payl") { text("<c.red>x") } } }
        for _ in 0..<random.next(below: 6) {
          bytes[Int(random.next(below: UInt64(bytes.count)))] = UInt8(random.next(below: 256))
        }
        contents.append(TestSample(content: Array(bytes.prefix(Int(random.next(below: 60)))), duration: 10))
      }
      for entry in [
        SampleEntry.timedText(displayFlags: 0x2000_0000), SampleEntry.text(), atom("wvtt") { zeros(6) + u16(1) },
      ] {
        let text = try extractedText(textMovie(contents, kind: .text, entries: [entry]).bytes(), track: 2)
        for cue in text.cues { #expect(cue.endMilliseconds > cue.startMilliseconds, "seed \(seed)") }
        _ = (SubRipWriter.write(text.cues), WebVTTWriter.write(text.cues))
      }
    }
  }
}
