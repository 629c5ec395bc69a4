import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// Splitting long chunks on request.
struct ChunkSplitterTests {
  private static let split: OutputLayout = {
    var layout = OutputLayout(interleaving: .all)
    layout.splitsChunks = true
    return layout
  }()

  private func remuxed(_ movie: TestMovie, _ layout: OutputLayout = split) throws -> [UInt8] {
    let source = movie.source
    return try MovieEdit(of: source).outputPlan(of: source, layout).rendered(from: source)
  }

  /// Returns the number of samples in each chunk of a track after splitting, and checks that nothing else changed.
  private func chunks(
    _ movie: TestMovie, of id: UInt32 = 1, _ layout: OutputLayout = split,
    at location: SourceLocation = #_sourceLocation
  ) throws -> [Int] {
    let new = try remuxed(movie, layout)
    let allowed = AllowedChanges().with {
      ($0.mediaDataRearranged, $0.movieMoved, $0.chunksSplit) = (true, true, true)
    }
    let found = try differences(old: movie.bytes(), new: new, allowing: allowed)
    #expect(found.isEmpty, sourceLocation: location)
    let again = MemorySource(Bytes(new))
    #expect(
      try MovieEdit(of: again).outputPlan(of: again, layout).rendered(from: again) == new, sourceLocation: location)
    return try #require(Movie(of: again).track(id)).samples.chunks.map(\.sampleCount)
  }

  /// Returns a movie with one video track, in chunks of these lengths, with four pictures per second.
  private func pictures(_ chunking: [Int], duration: Int = 150) -> TestMovie {
    TestMovie(tracks: [
      TestTrack(.video, id: 1).with {
        $0.samples = .pictures(chunking.reduce(0, +), around: 40, duration: duration)
        $0.chunking = chunking
      }
    ])
  }

  @Test func splitsLongChunksAfterASecond() throws {
    #expect(try chunks(pictures([12])) == [4, 4, 4])
    #expect(try chunks(pictures([9])) == [4, 5])
    // A rest of less than half a second is not split off.
    #expect(try chunks(pictures([6])) == [6])
    #expect(try chunks(pictures([7])) == [4, 3])
    #expect(try chunks(pictures([1, 3, 20, 6, 2])) == [1, 3, 4, 4, 4, 4, 4, 6, 2])
  }

  @Test func placesALongSampleInItsOwnChunk() throws {
    #expect(try chunks(pictures([5], duration: 1200)) == [1, 1, 1, 1, 1])
    // A single sample, with no further sample to split off.
    #expect(try chunks(pictures([1, 1], duration: 9000)) == [1, 1])
    #expect(try chunks(pictures([2, 2], duration: 899)) == [2, 2])
    #expect(try chunks(pictures([2, 2], duration: 900)) == [1, 1, 1, 1])
  }

  @Test func followsChangingDurations() throws {
    var movie = pictures([24])
    let durations = [0, 0, 300, 0, 300, 300, 0, 900, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 600]
    for (index, duration) in durations.enumerated() { movie.tracks[0].samples[index].duration = duration }
    // Start times: 0 0 0 300 300 | 600 900 900 | 1800 … 1875
    #expect(try chunks(movie) == [5, 3, 16])
    movie.tracks[0].samples = movie.tracks[0].samples.map { sample in
      TestSample(sample.byteCount, duration: 0)
    }
    #expect(try chunks(movie) == [24])
  }

  @Test func splitsChunksOnlyOnRequest() throws {
    #expect(try chunks(pictures([12]), OutputLayout(interleaving: .all)) == [12])
    var layout = OutputLayout(interleaving: .none)
    layout.splitsChunks = true
    #expect(try chunks(pictures([12]), of: 1, layout) == [4, 4, 4])
  }

  @Test func interleavesTracksOfOneChunk() throws {
    let movie = TestMovie.talk.with {
      $0.storesTrackAfterTrack = true
      for track in $0.tracks.indices {
        $0.tracks[track].chunking = [1000]
        $0.tracks[track].samples += $0.tracks[track].samples + $0.tracks[track].samples
      }
    }
    let plain = try Movie(of: MemorySource(Bytes(remuxed(movie, OutputLayout(interleaving: .all)))))
    let new = try Movie(of: MemorySource(Bytes(remuxed(movie))))
    #expect(plain.interleavingDistance().microseconds > 4_000_000)
    #expect(new.interleavingDistance().microseconds < 2_000_000)
    for id in [1, 2, 3, 4] as [UInt32] { #expect(try chunks(movie, of: id).count >= 4) }
  }

  @Test func splitsSubtitlesAddedInPlace() throws {
    let movie = TestMovie.simple.with {
      $0.tracks[0].samples = .pictures(240, around: 40, duration: 50)
      $0.tracks[1].samples = .varied(160, around: 30, duration: 1000)
    }.source
    var edit = try MovieEdit(of: movie)
    let cues = (0..<9).map {
      Cue(startMilliseconds: $0 * 2000 + 500, endMilliseconds: $0 * 2000 + 1500, text: StyledText("Cue \($0)"))
    }
    let id = try edit.add(SubtitleInput(cues: cues, language: LanguageTag("en")))
    let added = MemorySource(Bytes(try edit.inPlacePlan(of: movie).rendered().rendered(from: movie)))
    let before = try Movie(of: added)
    #expect(before.track(id)?.samples.chunkCount == 1)
    let after = try Movie(of: PlannedSource(MovieEdit(of: added).outputPlan(of: added, Self.split), of: added))
    #expect(after.track(id)?.samples.chunkCount ?? 0 >= 9)
    #expect(before.interleavingDistance().microseconds > 15_000_000)
    #expect(after.interleavingDistance().microseconds <= 2_000_000)
  }

  @Test func splitsOldSoundBetweenPackets() throws {
    // Packets of 64 samples: 8000 samples per second are 125 packets, and 22050 per second are 344.5.
    for (rate, packets) in [(8000, 125), (22050, 345)] {
      let movie = TestMovie(tracks: [
        TestTrack(.sound, id: 1).with {
          $0.timeScale = rate
          $0.sampleEntries = [SampleEntry.soundVersion1("ima4", rate: rate, packet: (64, 34, 34))]
          $0.samplesPerPacket = 64
          $0.samples = (0..<1000).map { _ in TestSample(34, duration: 64) }
          $0.chunking = [1000]
        }
      ])
      let new = try Movie(of: MemorySource(Bytes(remuxed(movie))))
      let track = try #require(new.track(1))
      let counts = track.samples.chunks.map(\.sampleCount)
      #expect(counts.dropLast().allSatisfy { $0 == packets * 64 } && counts.reduce(0, +) == 64_000)
      // Each chunk begins with the bytes of its first packet.
      let bytes = try remuxed(movie)
      for (index, chunk) in track.samples.chunks.enumerated() {
        let packet = movie.tracks[0].bytes(ofSample: index * packets)
        #expect(Array(bytes[Int(chunk.offset)..<Int(chunk.offset) + 34]) == packet)
      }
      let again = MemorySource(Bytes(bytes))
      #expect(try MovieEdit(of: again).outputPlan(of: again, Self.split).rendered(from: again) == bytes)
    }
  }

  @Test func assignsTheDescriptionToEachPiece() throws {
    let movie = pictures([8, 8, 8]).with {
      $0.tracks[0].sampleEntries = [
        SampleEntry.video("avc1", width: 64, height: 36), SampleEntry.video("hvc1", width: 64, height: 36),
      ]
      $0.tracks[0].descriptionOfChunk = [1, 2, 1]
    }
    let new = try Movie(of: MemorySource(Bytes(remuxed(movie))))
    #expect(new.tracks[0].samples.chunks.map(\.sampleDescriptionIndex) == [1, 1, 2, 2, 1, 1])
    #expect(try chunks(movie) == [4, 4, 4, 4, 4, 4])
  }

  @Test func splitsExternalChunksWithoutMovingThem() throws {
    let movie = pictures([12, 12]).with {
      $0.layout = [.fileType, .movie(.ordinary)]
      $0.tracks[0].externalOffsets = [1000, 90_000]
    }
    let new = try Movie(of: MemorySource(Bytes(remuxed(movie))))
    let sizes = Array(try Movie(of: movie.source).tracks[0].samples.sampleSizes)
    #expect(
      new.tracks[0].samples.chunks.map(\.offset)
        == [0, 4, 8, 12, 16, 20].map { first in
          let start = first < 12 ? 0 : 12
          return (first < 12 ? 1000 : 90_000) + sizes[start..<first].reduce(0) { $0 + UInt64($1) }
        })
    #expect(try chunks(movie) == [4, 4, 4, 4, 4, 4])
  }

  @Test func keepsATrackWithAuxiliaryInformationByChunk() throws {
    var movie = pictures([12, 12])
    movie.tracks[0].sampleTableAtoms =
      fullAtom("saiz") { u8(1) + u32(24) } + fullAtom("saio") { u32(2, 100, 110) }
    #expect(try chunks(movie) == [12, 12])
    movie.tracks[0].sampleTableAtoms = []
    movie.tracks[0].auxiliaryByteCount = 3  // In one run, at one position.
    #expect(try chunks(movie) == [4, 4, 4, 4, 4, 4])
  }

  @Test func leavesContradictoryTables() throws {
    let plain = pictures([12]).bytes()
    let stsc = try #require(SecondReader(plain).atom("moov/trak#1/mdia/minf/stbl/stsc"))
    var broken = plain
    broken.replaceSubrange(Int(stsc.offset) + 20..<Int(stsc.offset) + 24, with: u32(13))  // 13 samples in 12
    let source = MemorySource(Bytes(broken))
    let new = try MovieEdit(of: source).outputPlan(of: source, Self.split).rendered(from: source)
    #expect(try Movie(of: MemorySource(Bytes(new))).tracks[0].samples.chunkCount == 1)
  }

  @Test func keepsHeadersAndTailsOfTables() throws {
    let plain = pictures([12])
    let bytes = plain.bytes()
    let moov = try #require(SecondReader(bytes).atom("moov"))
    // Not supported by the builder: flags, and odd bytes after the entries of both tables.
    let tree = try AtomTree(Bytes(Array(bytes[Int(moov.offset)..<Int(moov.end)])), at: moov.offset)
    var edits = AtomEdits()
    let stbl = "moov/trak/mdia/minf/stbl/"
    let stsc = try #require(tree.index(at: stbl + "stsc"))
    let stco = try #require(tree.index(at: stbl + "stco"))
    edits.replace(stsc, with: fullAtom("stsc", flags: 5) { u32(1, 1, 12, 1) + u8(7, 8) })
    let place = Int(tree.payload(of: stco).load(at: 8, as: UInt32.self) ?? 0)
    edits.replace(stco, with: fullAtom("stco", flags: 6) { u32(1, place) + u8(9) })
    var writer = ByteWriter()
    edits.draft(of: tree).write(to: &writer)
    let source = MemorySource(Bytes(Array(bytes[..<Int(moov.offset)]) + writer.bytes))
    let new = try Movie(of: PlannedSource(MovieEdit(of: source).outputPlan(of: source, Self.split), of: source))
    func payload(_ type: String) throws -> [UInt8] {
      new.tree.payload(of: try #require(new.tree.index(at: stbl + type))).array
    }
    #expect(try payload("stsc") == u32(5, 1, 1, 4, 1) + u8(7, 8))
    let offsets = try payload("stco")
    #expect(Array(offsets.prefix(8)) == u32(6, 3) && offsets.suffix(1) == [9] && offsets.count == 8 + 12 + 1)
  }

  @Test func widensOnlyTheTableOfAPieceBeyond4GiB() throws {
    // Three samples of a second and two GiB each.
    let source = try HugeMediaSource(gibibytes: [6], channels: 2)
    #expect(try Movie(of: source).track(2)?.samples.chunkOffsets.isWide == false)
    var layout = OutputLayout(interleaving: .none)
    layout.splitsChunks = true
    let plan = try MovieEdit(of: source).outputPlan(of: source, layout)
    let after = try Movie(of: PlannedSource(plan, of: source))
    #expect(after.tracks.map(\.samples.chunkOffsets.isWide) == [false, true])
    let offsets = try #require(after.track(2)).samples.chunkOffsets
    #expect(offsets.map { $0 - offsets[0] } == [0, 2 << 30, 4 << 30])
    #expect(plan.extents.count <= 5)
  }

  @Test func rejectsTooManyPieces() throws {
    // 3000 samples of two seconds in one chunk: 60 kB of tables.
    let movie = pictures([3000], duration: 1200)
    for (limit, fits) in [(60_000, true), (59_000, false)] {
      var limits = MovieLimits()
      limits.movieByteCount = UInt64(limit)
      let source = movie.with { $0.tracks[0].samples = .varied(3000, around: 1, duration: 1200) }.source
      let edit = try MovieEdit(of: Movie(of: source, limits: limits))
      if fits {
        #expect(try edit.outputPlan(of: source, Self.split).byteCount > 0)
      } else {
        #expect {
          try edit.outputPlan(of: source, Self.split)
        } throws: { isMovieError($0, .limit) && ($0 as? MovieError)?.path == "moov/trak/mdia/minf/stbl" }
      }
    }
  }
}
