import MovieBox
import MovieWriter
import TestSupport
import Testing

@testable import MovieStreaming

/// A recording whose clock starts far from 0 is streamed like one whose clock starts at 0.
struct StreamedStartTests {
  private let header = StreamableMovie.talk.initial.with { movie in
    movie.dialect = .iso
    for index in movie.tracks.indices { movie.tracks[index].edits = [] }
  }

  /// Returns the samples of the talk in fragments of their tracks, on a clock with this start.
  private func recording(from seconds: UInt64, tracks: [Int] = [0, 1], later: [UInt64] = [0, 0]) -> [UInt8] {
    let fragments = tracks.map { index in
      let track = StreamableMovie.talk.tracks[index]
      let time = seconds * UInt64(track.timeScale) + later[index]
      return TestFragment([.init(id: track.id, decodeTime: time, runs: [.init(track.samples)])])
    }
    return header.bytes(fragments: fragments)
  }

  private func files(_ streamed: Streamed) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for file in streamed.plan.files { files[file.path] = try streamed.bytes(file.path) }
    return files
  }

  @Test(arguments: [17_038, 1_785_000_000]) func subtractsTheStartOfTheClock(_ seconds: UInt64) throws {
    let (zero, late) = (try Streamed(recording(from: 0)), try Streamed(recording(from: seconds)))
    #expect(try files(late) == files(zero))
    let notices = late.plan.notices.filter { $0.code == "start-subtracted" }
    #expect(notices.count == 1 && !notices[0].isWarning)
    #expect(zero.plan.notices.allSatisfy { $0.code != "start-subtracted" })
  }

  @Test func keepsTheClockOnRequest() throws {
    let options = StreamOptions(keepsStart: true)
    let kept = try Streamed(recording(from: 100), options)
    let zero = try Streamed(recording(from: 0))
    #expect(try files(kept) != files(zero))
    #expect(kept.plan.delayIn90kHz >= zero.plan.delayIn90kHz)
    #expect(kept.plan.notices.allSatisfy { $0.code != "start-subtracted" })
    #expect { try Streamed(recording(from: 1_785_000_000), options) } throws: { error in
      (error as? MovieError)?.code == .unsupported
    }
  }

  @Test func synchronizesAudioOfAnotherFile() throws {
    func sound(_ seconds: UInt64) throws -> [UInt8] {
      // The audio of the second movie begins a quarter of a second before the video of both.
      let later = UInt64(StreamableMovie.talk.tracks[0].timeScale / 4)
      let sources = [[0], [0, 1]].map { tracks in
        MemorySource(Bytes(recording(from: seconds, tracks: tracks, later: [later, 0])))
      }
      let plan = try StreamPlan(of: sources.map { (try Movie(of: $0), $0) })
      let file = try #require(plan.files.first { $0.kind == .media && $0.path.hasPrefix("audio") })
      let source = try JoinedSource(sources)
      return try PlannedSource(plan.outputPlan(of: file), of: source).read(ByteRange(0..<file.byteCount)).array
    }
    #expect(try sound(500) == sound(0) && sound(3) == sound(0))
  }

  @Test func sharesAClockAmongMoviesTransitively() throws {
    let sources = [16, 0, 8, 100].map { MemorySource(Bytes(recording(from: 1_000 + $0))) }
    let movies = try sources.map { try Movie(of: $0) }
    let fragments = try zip(movies, sources).map { try $0.readFragments(of: $1) }
    let starts = try PresentationStarts(movies, fragments, areKept: false).starts.map { $0?.milliseconds }
    #expect(starts == [1_000_000, 1_000_000, 1_000_000, 1_100_000])
    #expect(try PresentationStarts(movies, fragments, areKept: true).starts.allSatisfy { $0 == nil })
  }
}
