import MovieBox
import MovieStreaming
import MovieWriter
import TestSupport
import Testing

/// The concatenated segments of a track form a fragmented movie. After flattening, an independent reader finds the samples
/// of the streamed movie in it.
struct FlattenedStreamTests {
  /// Returns a track of a presentation as a movie without fragments.
  private func flattened(_ folder: String, of streamed: Streamed) throws -> SecondReader {
    let source = MemorySource(Bytes(try streamed.joined(folder)))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    edit.flatten()
    let plan = try edit.outputPlan(of: source)
    return try SecondReader(PlannedSource(plan, of: source).read(ByteRange(0..<plan.byteCount)).array)
  }

  /// Checks that two tracks have equal samples: bytes, times relative to the first, groups and dependencies.
  private func compare(
    _ track: ReadTrack, _ reader: SecondReader, with other: ReadTrack, _ original: SecondReader, _ name: String
  ) throws {
    func times(_ track: ReadTrack) -> [Int64] {
      let first = track.samples.first?.presentationTime ?? 0
      return track.samples.map { $0.presentationTime - first }
    }
    #expect(track.timeScale == other.timeScale, "\(name)")
    #expect(times(track) == times(other), "\(name)")
    #expect(track.samples.map(\.isSync) == other.samples.map(\.isSync), "\(name)")
    #expect(track.samples.map(\.description) == other.samples.map(\.description), "\(name)")
    #expect(track.samples.dropLast().map(\.duration) == other.samples.dropLast().map(\.duration), "\(name)")
    #expect(try track.samples.map(reader.bytes(of:)) == other.samples.map(original.bytes(of:)), "\(name)")
    // Other properties are preserved for samples of tables; for fragments, only bytes and times are compared.
    guard other.fragments.isEmpty else { return }
    let (own, theirs) = (try reader.extras(of: track), try original.extras(of: other))
    for key in ["roll", "prol"] where track.handler == "soun" {
      #expect(own.map { $0.groups[key] } == theirs.map { $0.groups[key] }, "\(name) \(key)")
    }
    if theirs.contains(where: { $0.dependencies != 0 }) {
      #expect(own.map(\.dependencies) == theirs.map(\.dependencies), "\(name)")
    }
  }

  /// Audio whose halves belong to different groups, and whose last packets belong to none.
  private var grouped: TestMovie {
    StreamableMovie.talk.with { movie in
      movie.tracks[1].sampleTableAtoms = TestSupport.movie {
        fullAtom("sgpd", version: 1) {
          code("roll")
          u32(2, 2)
          u16(-1)
          u16(-2)
        }
        fullAtom("sbgp") {
          code("roll")
          u32(3, 500, 1, 0, 2, 500, 2)
        }
      }
    }
  }

  @Test(arguments: [false, true]) func preservesSamplesOfTheMovie(_ isSingleFile: Bool) throws {
    let movie = grouped.bytes()
    let streamed = try Streamed(movie, StreamOptions(isSingleFile: isSingleFile))
    let original = try SecondReader(movie)
    for (folder, id) in [("video", 1), ("audio-en", 2), ("audio-es", 3)] as [(String, UInt32)] {
      let reader = try flattened(folder, of: streamed)
      try compare(
        try #require(reader.tracks.first), reader, with: try #require(original.track(id)), original, folder)
    }
  }

  /// Fragments declare the groups of their samples. Streaming a fragmented movie preserves them.
  @Test func preservesGroupsOfFragments() throws {
    let original = try SecondReader(grouped.bytes())
    let sound = try #require(original.track(2))
    var bytes = try Streamed(grouped.bytes()).joined("audio-en")
    for _ in 0..<2 {
      let streamed = try Streamed(bytes, StreamOptions(segmentMilliseconds: 5_000))
      let reader = try flattened("audio-en", of: streamed)
      let groups = try reader.extras(of: try #require(reader.tracks.first)).map { $0.groups["roll"] }
      #expect(try groups == original.extras(of: sound).map { $0.groups["roll"] } && Set(groups).count == 3)
      bytes = try streamed.joined("audio-en")
    }
  }

  /// Movies by ffmpeg with groups of audio samples.
  @Test(arguments: ["spanish.mov", "interview.mp4"]) func preservesSamplesOfOtherProgramsMovies(_ name: String) throws {
    let bytes = try readFile(TestMedia.path(name))
    #expect(try compareAll(bytes, name) > 0)
  }

  /// Every track that can be streamed of small real movies.
  @Test(.timeLimit(.minutes(3))) func preservesSamplesOfRealMovies() throws {
    var count = 0
    for entry in try Corpus.require().movies {
      let bytes = try readFile(entry.path)
      guard bytes.count < 300_000 else { continue }
      do {
        count += try compareAll(bytes, entry.name)
      } catch is MovieError {
        continue  // A movie that is rejected has no samples to compare.
      }
    }
    #expect(count > 40)
  }

  /// Compares each streamed track with the movie's track with equal sample count. Returns the number of comparisons.
  private func compareAll(_ bytes: [UInt8], _ name: String) throws -> Int {
    let streamed = try Streamed(bytes)
    let original = try SecondReader(bytes)
    let folders = Set(streamed.plan.files.filter { $0.kind == .media }.map { String($0.path.prefix { $0 != "/" }) })
    var taken: Set<UInt32> = []
    for folder in folders.sorted() {
      let reader = try flattened(folder, of: streamed)
      let track = try #require(reader.tracks.first)
      let first = try track.samples.first.map(reader.bytes(of:))
      let other = try #require(
        original.tracks.first { other in
          guard other.samples.count == track.samples.count, !taken.contains(other.id), let sample = other.samples.first
          else { return false }
          return try first == original.bytes(of: sample)
        }, "\(name) \(folder)")
      taken.insert(other.id)
      try compare(track, reader, with: other, original, "\(name) \(folder)")
    }
    return folders.count
  }
}
