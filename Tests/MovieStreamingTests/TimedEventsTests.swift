import MovieBox
import MovieStreaming
import TestSupport
import Testing

/// Timed events of recordings in presentations.
struct TimedEventsTests {
  private let header = StreamableMovie.talk.initial.with { movie in
    movie.dialect = .iso
    movie.tracks = Array(movie.tracks.prefix(2))
    movie.tracks[0].edits = [TestEdit(duration: 0, mediaTime: 512)]
    movie.tracks[1].edits = []
  }

  /// Returns an event of the scheme `urn:x` with a content of one byte.
  private func event(
    _ version: Int, _ time: UInt64, lasting duration: Int = 10, _ content: UInt8 = 1, timeScale: Int = 1_000
  ) -> [UInt8] {
    fullAtom("emsg", version: version) {
      if version == 0 {
        Array("urn:x\0v\0".utf8) + u32(timeScale, Int(truncatingIfNeeded: time), duration, 1)
      } else {
        u32(timeScale) + u64(time) + u32(duration, 1) + Array("urn:x\0v\0".utf8)
      }
      [content]
    }
  }

  /// Returns the talk in fragments of eight seconds, on a clock with this start, with events before the fragments of these
  /// numbers.
  private func recording(from seconds: UInt64 = 0, _ events: [Int: [UInt8]]) -> [UInt8] {
    var bytes = header.bytes(fragments: [])
    for number in 0..<3 {
      bytes += events[number] ?? []
      let tracks = [0, 1].map { index in
        let track = StreamableMovie.talk.tracks[index]
        let count = index == 0 ? 200 : 344
        let samples = track.samples.dropFirst(number * count).prefix(count)
        let time = (seconds + UInt64(number) * 8) * UInt64(track.timeScale)
        let ownTime = index == 0 ? time : seconds * UInt64(track.timeScale) + UInt64(number * count * 1_024)
        return TestFragment.Track(id: track.id, decodeTime: ownTime, runs: [.init(Array(samples))])
      }
      bytes += TestFragment(tracks).bytes(at: UInt64(bytes.count))
    }
    return bytes + (events[3] ?? [])
  }

  /// Returns the events of each segment of a folder, which all precede its fragments.
  private func events(_ streamed: Streamed, _ folder: String = "video") throws -> [[UInt8]] {
    try streamed.plan.files.filter { $0.kind == .media && $0.path.hasPrefix(folder) }.map { file in
      let reader = try SecondReader(try streamed.bytes(folder + "/init.mp4") + streamed.bytes(file.path))
      let types = reader.topLevel.map(\.type).drop { $0 == "ftyp" || $0 == "moov" }
      #expect(!types.drop { $0 == "emsg" }.contains("emsg"))
      return try reader.topLevel.filter { $0.type == "emsg" }.flatMap { event in
        let content = try reader.content(of: event)
        return atom("emsg") { content }
      }
    }
  }

  private func warnings(_ streamed: Streamed) -> [String] {
    streamed.plan.notices.filter { $0.code == "events-left-out" }.map(\.message)
  }

  /// The presentation is 40 ms later than the recording. Its segments begin at 0, 6, 12 and 18 s.
  @Test func placesEventsInTheirSegments() throws {
    let streamed = try Streamed(
      recording([
        0: event(1, 7_500, 1) + event(1, 1_080_000, 2, timeScale: 90_000) + event(0, 500, 3),
        1: event(0, 250, 4), 2: event(0, 5_000, 5) + event(1, 5_999, 6), 3: event(1, 30_000, 7),
      ]))
    #expect(streamed.plan.delayIn90kHz == 3_600)
    #expect(
      try events(streamed) == [
        event(0, 500, 3) + event(1, 6_039, 6),
        // The fragment begins at 8 s, and the segment at 6 s.
        event(1, 7_540, 1) + event(0, 2_250, 4),
        event(1, 1_083_600, 2, timeScale: 90_000), event(0, 3_000, 5) + event(1, 30_040, 7),
      ])
    #expect(warnings(streamed) == [])
    #expect(try events(streamed, "audio-en").allSatisfy(\.isEmpty))
  }

  @Test func keepsMediaUnchangedByEvents() throws {
    let (plain, streamed) = (
      try Streamed(recording([:])), try Streamed(recording([0: event(1, 100), 1: event(1, 7_000)]))
    )
    for (number, event) in [event(1, 140), event(1, 7_040), [], []].enumerated() {
      let path = "video/segment-\(number + 1).m4s"
      #expect(try streamed.bytes(path) == event + plain.bytes(path))
    }
    // Ranges of single pictures exclude events.
    let lines = try streamed.lines("video/iframes.m3u8")
    for (index, line) in lines.enumerated() where line.hasPrefix("#EXT-X-BYTERANGE:") {
      let place = try #require(line.split(separator: "@").last.flatMap { Int($0) })
      #expect(try Array(streamed.bytes("video/" + lines[index + 1])[place + 4..<place + 8]) == Array("moof".utf8))
    }
    #expect(try streamed.lines("main.m3u8") != plain.lines("main.m3u8"))
  }

  @Test func movesEventsWithTheClock() throws {
    let bytes = recording(from: 100, [0: event(1, 107_500), 1: event(0, 250, 2)])
    #expect(try events(Streamed(bytes))[1] == event(1, 7_540) + event(0, 2_250, 2))
    #expect(try events(Streamed(bytes, StreamOptions(keepsStart: true)))[1] == event(1, 107_500) + event(0, 2_250, 2))
  }

  @Test func warnsOfEventsBeforeTheStart() throws {
    let streamed = try Streamed(
      recording(from: 100, [0: event(1, 50_000) + event(1, 50_000, lasting: 50_001, 2)]))
    #expect(try events(streamed)[0] == event(1, 0, lasting: 50_001, 2))
    #expect(warnings(streamed) == ["timed events (emsg) are omitted: 1 before the start of the presentation"])
    #expect(streamed.plan.notices.contains { $0.code == "events-left-out" && $0.isWarning })
  }

  @Test func warnsOfUnreadableEvents() throws {
    let streamed = try Streamed(
      recording([
        0: event(2, 0) + event(1, 0, timeScale: 0) + atom("emsg") { u32(0) + Array("urn".utf8) }
          + atom("emsg") { u8(1) },
        3: event(0, 1),  // No fragment follows.
      ]))
    #expect(try events(streamed).allSatisfy(\.isEmpty))
    #expect(warnings(streamed) == ["timed events (emsg) are omitted: 5 unreadable"])
  }

  @Test func timesEventsFromFragmentsOfOtherTracks() throws {
    var bytes = recording([:])
    let packets = TestFragment.Track(
      id: 2, decodeTime: 44_100 * 24, runs: [.init(.varied(4, around: 20, duration: 1_024))])
    bytes += event(0, 250)
    bytes += TestFragment([packets]).bytes(at: UInt64(bytes.count))
    let streamed = try Streamed(bytes)
    // The audio fragment begins at 24 s, and the last video segment at 18 s.
    #expect(try events(streamed).last == event(0, 6_250) && warnings(streamed) == [])
  }

  @Test func placesEventsInAudioWithoutVideo() throws {
    let sound = header.with { $0.tracks.remove(at: 0) }
    let track = TestFragment.Track(
      id: 2, decodeTime: 0, runs: [.init(StreamableMovie.sound(id: 2, "eng").samples)])
    var bytes = sound.bytes(fragments: []) + event(1, 7_000) + event(0, 13_000, 2)
    bytes += TestFragment([track]).bytes(at: UInt64(bytes.count))
    let found = try events(Streamed(bytes), "audio-en")
    // Audio is segmented at packets: the packet heard at 12 s begins 23 ms earlier.
    #expect(found[1] == event(1, 7_000) && found[2].count == event(0, 0, 2).count && found[0].isEmpty)
  }
}
