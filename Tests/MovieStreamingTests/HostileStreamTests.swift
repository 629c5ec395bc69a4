import MovieBox
import MovieStreaming
import MovieWriter
import TestSupport
import Testing

/// Untrusted movies result in a plan or an error.
struct HostileStreamTests {
  /// Changes every word of the movie atom in turn.
  @Test(arguments: [0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF]) func survivesFalseNumbers(_ value: Int) throws {
    let bytes = StreamableMovie.short.with { $0.layout = .movieFirst }.bytes()
    let end = try #require(bytes.firstRange(of: code("mdat"))).lowerBound
    for place in stride(from: 40, to: end - 4, by: 4) {
      var changed = bytes
      changed.replaceSubrange(place..<place + 4, with: u32(value))
      do {
        let streamed = try Streamed(changed)
        for file in streamed.plan.files { _ = try streamed.plan.outputPlan(of: file) }
      } catch let error as MovieError {
        #expect(error.code != .planCheckFailed, "word at \(place): \(error)")
      }
    }
  }

  private func refusal(_ movie: TestMovie) -> MovieError.Code? {
    do {
      _ = try Streamed(movie)
      return nil
    } catch {
      return (error as? MovieError)?.code
    }
  }

  private func movie(_ picture: TestTrack, _ sound: TestTrack? = nil) -> TestMovie {
    TestMovie(tracks: [picture] + (sound.map { [$0] } ?? [])).with { $0.dialect = .iso }
  }

  /// Absurd times, in each table that contains times.
  @Test func rejectsAbsurdTimes() throws {
    let longest = 0xFFFF_FFFF
    let picture = StreamableMovie.picture().with { $0.edits = [] }
    let years = picture.with {
      $0.timeScale = 1
      $0.samples = (0..<20).map { _ in TestSample(20, duration: longest) }
      $0.usesLongTimes = true
    }
    #expect(refusal(movie(years)) == .malformed)
    let early = picture.with {
      $0.timeScale = longest
      $0.samples = (0..<4).map { _ in TestSample(20, duration: 1_000, compositionOffset: -1) }
    }
    let late = StreamableMovie.sound(id: 2, "eng").with {
      ($0.timeScale, $0.edits, $0.usesLongTimes) = (1, [], true)
      $0.samples = (0..<3).map { _ in TestSample(20, duration: longest) }
    }
    #expect(refusal(movie(early, late)) == .malformed)
    let edited = picture.with {
      $0.usesLongTimes = true
      $0.edits = [TestEdit(duration: Int.max - 5, mediaTime: -1), TestEdit(duration: 0, mediaTime: Int.max)]
    }
    #expect(refusal(movie(edited)) == .malformed)
    // The movie ends at the declared end, which is independent of the samples.
    let cut = picture.with {
      ($0.timeScale, $0.usesLongTimes) = (100, true)
      $0.samples = (0..<100).map { _ in TestSample(20, duration: longest / 100) }
      $0.edits = [TestEdit(duration: 600, mediaTime: 0)]
    }
    #expect(try Streamed(movie(cut)).lines("video/playlist.m3u8").contains("#EXTINF:1.000,"))
  }

  /// The error refers to the table with the durations.
  @Test func rejectsSamplesWithoutDuration() throws {
    let picture = StreamableMovie.picture(frameCount: 5).with { track in
      track.edits = []
      for index in track.samples.indices {
        (track.samples[index].duration, track.samples[index].compositionOffset) = (0, 0)
      }
    }
    let bytes = movie(picture).bytes()
    let stts = try #require(bytes.firstRange(of: code("stts"))).lowerBound - 4
    #expect { try Streamed(bytes) } throws: {
      guard let error = $0 as? MovieError else { return false }
      return error.code == .malformed && error.offset == UInt64(stts) && error.path.hasSuffix("/stts")
        && error.reason == "all samples of track 1 have a duration of 0"
    }
  }

  /// Several odd values at once, in tables of times.
  @Test func survivesRandomTables() throws {
    let odd = [0, 1, 512, 25_000, 1 << 24, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF]
    var count = 0
    for seed in 0..<150 as Range<UInt64> {
      var chance = Chance(seed: seed)
      var movie = StreamableMovie.short
      for index in 0..<2 {
        let isLong = chance.once(in: 2)
        movie.tracks[index].usesLongTimes = isLong
        if chance.once(in: 6) { movie.tracks[index].timeScale = odd.dropFirst().randomElement(using: &chance) ?? 1 }
        for sample in movie.tracks[index].samples.indices where chance.once(in: 24) {
          movie.tracks[index].samples[sample].duration = odd.randomElement(using: &chance) ?? 0
          movie.tracks[index].samples[sample].isSync = chance.once(in: 2)
        }
        for sample in movie.tracks[index].samples.indices where chance.once(in: 24) {
          let offset = odd.randomElement(using: &chance) ?? 0
          movie.tracks[index].samples[sample].compositionOffset = Int(Int32(truncatingIfNeeded: offset))
        }
        if chance.once(in: 6) {
          let times = isLong ? odd + [1 << 50, 1 << 61] : odd.dropLast(2)
          movie.tracks[index].edits = (0..<Int.random(in: 1...3, using: &chance)).map { _ in
            TestEdit(
              duration: times.randomElement(using: &chance) ?? 0,
              mediaTime: chance.once(in: 3) ? -1 : times.randomElement(using: &chance) ?? 0)
          }
        }
      }
      do {
        let streamed = try Streamed(movie)
        for file in streamed.plan.files { _ = try streamed.plan.outputPlan(of: file) }
        count += 1
      } catch is MovieError {
        continue
      }
    }
    #expect(count > 10)  // Otherwise nearly all were rejected, and little was tested.
  }

  /// A long sample that is shown before the last key picture begins no segment.
  @Test func keepsSegmentBoundariesInOrder() throws {
    let picture = StreamableMovie.picture().with {
      ($0.timeScale, $0.edits) = (1_000, [])
      $0.samples = [(1_000, 0), (1_000, 100_000), (300_000, 50_000)].map {
        TestSample(20, duration: $0.0, compositionOffset: $0.1)
      }
    }
    let texts = StreamableMovie.subtitles(id: 3, "eng", [(0, 1_000, "One"), (90_000, 140_000, "Two")])
    let streamed = try Streamed(TestMovie(tracks: [picture, texts]).with { $0.dialect = .iso })
    let lines = try streamed.lines("video/playlist.m3u8").filter { $0.hasPrefix("#EXTINF:") }
    #expect(lines == ["#EXTINF:101.000,", "#EXTINF:251.000,"])
  }

  /// Small tables that refer to the same bytes over and over.
  @Test func rejectsSamplesThatShareBytes() throws {
    var bytes = StreamableMovie.short.with { $0.layout = .movieFirst }.bytes()
    let stsz = try #require(bytes.firstRange(of: code("stsz"))).upperBound
    bytes.replaceSubrange(stsz + 4..<stsz + 8, with: u32(400))  // All samples of the picture have 400 bytes.
    #expect { try Streamed(bytes) } throws: { ($0 as? MovieError) != nil }
  }

  /// Two chunks at one offset, in a file with enough bytes for both: rejected when planning, not when serving.
  @Test func rejectsChunksThatShareBytes() throws {
    var bytes = StreamableMovie.talk.with { $0.layout = .movieFirst }.bytes()
    let entries = try #require(bytes.firstRange(of: code("stco"))).upperBound + 8
    bytes.replaceSubrange(entries + 4..<entries + 8, with: bytes[entries..<entries + 4])
    #expect { try Streamed(bytes) } throws: {
      ($0 as? MovieError)?.code == .unsupported && ($0 as? MovieError)?.reason.contains("use the same bytes") == true
    }
  }

  /// All tracks share a budget. Twelve tracks with the same media exceed the budget.
  @Test func limitsTracksThatShareTheirMedia() throws {
    func plan(_ count: Int) throws -> StreamPlan {
      let tracks = (1...count).map { id in
        StreamableMovie.sound(id: UInt32(id), "eng").with {
          $0.samples = .varied(700, around: 400, duration: 1_024)
          $0.chunking = [700]
          $0.edits = []
        }
      }
      var bytes = TestMovie(tracks: tracks).with { $0.layout = .movieFirst }.bytes()
      let places = bytes.ranges(of: code("stco")).map { $0.upperBound + 8..<$0.upperBound + 12 }
      for place in places.dropFirst() { bytes.replaceSubrange(place, with: bytes[places[0]]) }
      // All tracks now refer to the media of the first.
      let media = try #require(bytes.firstRange(of: code("mdat"))).upperBound
      let kept = tracks[0].samples.count * 406
      bytes.replaceSubrange(media - 8..<media - 4, with: u32(8 + kept))
      return try Streamed(Array(bytes.prefix(media + kept))).plan
    }
    #expect(try plan(2).files.filter { $0.kind == .media }.count == 6)
    #expect { try plan(12) } throws: { ($0 as? MovieError)?.reason.contains("times the size of the file") == true }
  }

  @Test func rejectsMissingSampleDescriptions() throws {
    let picture = StreamableMovie.picture().with { $0.descriptionOfChunk = [1, 1, 7] }
    #expect(refusal(movie(picture)) == .malformed)
  }

  @Test func rejectsTooManySegments() throws {
    var options = StreamOptions(segmentMilliseconds: 1_000)
    options.limits.segmentCount = 3
    #expect { try Streamed(StreamableMovie.talk, options) } throws: { ($0 as? MovieError)?.code == .limit }
    options = StreamOptions()
    options.limits.fragmentCount = 10
    #expect { try Streamed(StreamableMovie.talk, options) } throws: { ($0 as? MovieError)?.code == .limit }
    options = StreamOptions()
    options.limits.sampleCount = 100
    #expect { try Streamed(StreamableMovie.talk, options) } throws: { ($0 as? MovieError)?.code == .limit }
    options = StreamOptions()
    options.limits.textByteCount = 100
    #expect { try Streamed(StreamableMovie.talk, options) } throws: { ($0 as? MovieError)?.code == .limit }
    options = StreamOptions()
    options.limits.cueCount = 2
    #expect { try Streamed(StreamableMovie.talk, options) } throws: { ($0 as? MovieError)?.code == .limit }
  }

  /// Real movies are streamed or rejected. A streamed movie keeps its samples.
  @Test(.timeLimit(.minutes(5))) func streamsOrRejectsRealMovies() throws {
    var count = 0
    for entry in try Corpus.require().movies {
      let source = try FileSource(path: entry.path)
      do {
        let movie = try Movie(of: source)
        let plan = try StreamPlan(of: movie, from: source)
        let media = plan.files.filter { $0.kind == .media }.flatMap(\.contents)
        var ranges: UInt64 = 0
        for content in media {
          if case .source(let range) = content { ranges += range.count }
        }
        #expect(ranges > 0, "\(entry.name)")
        for file in plan.files { _ = try plan.outputPlan(of: file) }
        count += 1
      } catch is MovieError {
        continue
      }
    }
    #expect(count > 60)
  }
}
