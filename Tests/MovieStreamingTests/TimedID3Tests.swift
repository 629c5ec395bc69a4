import MovieBox
import MovieStreaming
import TestSupport
import Testing

/// Timed metadata of a movie as ID3 events of its presentation.
struct TimedID3Tests {
  private static let movie = StreamableMovie.talk.with { movie in
    movie.tracks.append(
      TestTrack.boxed(
        id: 9, [TestMetadataKey(1, "com.example.note", type: 1), TestMetadataKey(2, "com.example.raw", type: 0)],
        [
          atom(numbered: 0), atom(numbered: 1) { text("Größe") },
          atom(numbered: 1) { text("b") } + atom(numbered: 2) { [0, 255] },
        ]
      ).with { track in
        for (index, seconds) in [1, 6, 3].enumerated() { track.samples[index].duration = seconds * 1_000 }
      })
  }

  private func options(_ identifiers: String...) -> StreamOptions {
    var options = StreamOptions()
    options.timedID3 = identifiers
    return options
  }

  private static func frame(_ type: String, _ content: [UInt8]) -> [UInt8] {
    code(type) + u8(0, 0, 0, content.count) + u16(0) + content
  }

  private static func event(_ id: Int, _ start: UInt64, _ duration: Int, _ frames: [UInt8]) -> [UInt8] {
    fullAtom("emsg", version: 1) {
      u32(1_000_000) + u64(start) + u32(duration, id) + Array("https://aomedia.org/emsg/ID3\0\0".utf8)
        + Array("ID3".utf8) + u8(4, 0, 0) + u8(0, 0, 0, frames.count) + frames
    }
  }

  /// The presentation is 40 ms later than the movie, and segments begin every six seconds.
  @Test func writesItemsAsEvents() throws {
    func note(_ value: String) -> [UInt8] { Self.frame("TXXX", [3] + Array("mdta/com.example.note\0\(value)".utf8)) }
    let raw = Self.frame("PRIV", Array("mdta/com.example.raw\0".utf8) + [0, 255])
    let plain = try Streamed(Self.movie)
    let streamed = try Streamed(Self.movie, options("mdta/com.example.*"))
    let delay = UInt64(streamed.plan.delayIn90kHz) * 100 / 9
    let events = [
      Self.event(1, 1_000_000 + delay, 6_000_000, note("Größe")),
      Self.event(2, 7_000_000 + delay, 3_000_000, note("b") + raw), [], [],
    ]
    for (number, event) in events.enumerated() {
      let path = "video/segment-\(number + 1).m4s"
      #expect(try streamed.bytes(path) == event + plain.bytes(path), "\(number)")
    }
    // The reader of events reads the tags.
    let bytes = try streamed.bytes("video/init.mp4") + streamed.bytes("video/segment-2.m4s")
    let source = MemorySource(Bytes(bytes))
    var reader = try TimedMetadataReader(
      try Movie(of: source), in: nil, identifiers: ["emsg/*"], range: nil, from: source)
    let item = try #require(try reader.nextGroups()?.first?.items.first)
    #expect(item.nestedItems.map(\.identifier.description) == ["id3/TXXX", "id3/PRIV"])
    #expect(item.nestedItems.first?.stringValue == "b")
  }

  /// The bytes of a point are integers without their scale, so the event contains the values that `timed` prints.
  @Test func writesPointsAsText() throws {
    let point = (481_370_000, 115_750_000, 520_000)
    let movie = StreamableMovie.talk.with {
      $0.tracks.append(.timed("gpmd", id: 10, [telemetryPayload(points: [point, point], total: 2)]))
    }
    let streamed = try Streamed(movie, options("gpmd/GPS5"))
    let delay = UInt64(streamed.plan.delayIn90kHz) * 100 / 9
    let values = "48.137 11.575 520.0 1.61 1.63"
    let frame = Self.frame("TXXX", [3] + Array("gpmd/GPS5\0\(values); \(values)".utf8))
    #expect(
      try streamed.bytes("video/segment-1.m4s")
        == Self.event(1, delay, 1_000_000, frame) + Streamed(movie).bytes("video/segment-1.m4s"))
  }

  /// Players relate events to the video of the presentation, so metadata of another video is omitted.
  @Test func omitsMetadataOfOmittedVideo() throws {
    func movie(describing id: UInt32) -> TestMovie {
      StreamableMovie.talk.with { movie in
        var second = movie.tracks[0]
        second.id = 8
        second.isEnabled = false
        var note = Self.movie.tracks[Self.movie.tracks.count - 1]
        note.references = [TestReference("cdsc", id)]
        movie.tracks += [second, note]
      }
    }
    let first = StreamableMovie.talk.tracks[0].id
    let plain = try Streamed(movie(describing: 8)).bytes("video/segment-1.m4s")
    let omitted = try Streamed(movie(describing: 8), options("mdta/*"))
    #expect(try omitted.bytes("video/segment-1.m4s") == plain)
    let notices = omitted.plan.notices.filter { $0.code == "timed-metadata-left-out" }
    #expect(
      notices.map(\.message)
        == ["timed metadata is omitted: track 9 (describes track 8, which is omitted too)"])
    #expect(notices.allSatisfy { $0.remedy == nil && !$0.isWarning })
    #expect(
      omitted.plan.notices.filter { $0.code == "no-such-item" }.map(\.message)
        == ["no timed metadata of the presentation has the identifier mdta/*"])
    let written = try Streamed(movie(describing: first), options("mdta/*"))
    #expect(try written.bytes("video/segment-1.m4s") != plain)
    #expect(!written.plan.notices.contains { $0.code == "timed-metadata-left-out" })
  }

  @Test func selectsItems() throws {
    let streamed = try Streamed(Self.movie, options("mdta/com.example.raw"))
    #expect(try streamed.bytes("video/segment-1.m4s") == Streamed(Self.movie).bytes("video/segment-1.m4s"))
    let notices = streamed.plan.notices.filter { $0.code == "timed-metadata-left-out" }
    #expect(notices.count == 1 && notices[0].message.contains("track 9 (mdta/com.example.note)"), "\(notices)")
    let missing = try Streamed(Self.movie, options("mdta/none")).plan.notices
    #expect(missing.contains { $0.code == "no-such-item" && $0.isWarning })
    // Each pattern that matches nothing is named, without the file, which the caller adds.
    let some = try Streamed(Self.movie, options("mdta/com.example.raw", "mdta/none", "gpmd/*")).plan.notices
    #expect(
      some.filter { $0.code == "no-such-item" }.map(\.message)
        == ["no timed metadata of the presentation has the identifier mdta/none or gpmd/*"])
  }

  /// Frames contain no language, so texts in several languages have equal descriptions.
  @Test func warnsAboutSeveralTextsOfAnIdentifier() throws {
    let keys = [
      TestMetadataKey(1, "com.example.note", type: 1, language: "de"),
      TestMetadataKey(2, "com.example.note", type: 1, language: "en"), TestMetadataKey(3, "com.example.raw", type: 0),
    ]
    let both = atom(numbered: 1) { text("gut") } + atom(numbered: 2) { text("good") }
    let bytes = atom(numbered: 3) { [0] } + atom(numbered: 3) { [1] }
    let movie = StreamableMovie.talk.with { $0.tracks.append(.boxed(id: 9, keys, [both, both, bytes])) }
    let notices = try Streamed(movie, options("mdta/*")).plan.notices.filter { $0.code == "timed-id3-repeated" }
    #expect(
      notices.map(\.message) == [
        "2 ID3 events contain several texts of mdta/com.example.note, such as languages; players may show only one of them"
      ])
    #expect(notices.allSatisfy { $0.isWarning })
    let single = try Streamed(Self.movie, options("mdta/*")).plan.notices
    #expect(!single.contains { $0.code == "timed-id3-repeated" })
  }

  @Test func listsOmittedMetadataOnce() throws {
    let movie = Self.movie.with { $0.tracks.append(.timed("gpmd", id: 10, [[1]])) }
    let notices = try Streamed(movie).plan.notices.filter { $0.message.contains("metadata") }
    #expect(notices.map(\.code) == ["timed-metadata-left-out"] && !notices[0].isWarning)
    #expect(
      notices[0].message
        == "timed metadata is omitted: track 9 (mdta/com.example.note, mdta/com.example.raw), track 10 (gpmd)")
    #expect(try Streamed(Self.movie, options("mdta/*")).plan.notices.allSatisfy { !$0.message.contains("metadata") })
  }

  /// Identifiers of other formats than `mebx` are only in the samples.
  @Test(
    arguments: [
      (["*"], nil), (["mdta/*", "rt*"], nil), (["mdta/*", "rtmd/*"], nil),
      (["mdta/*", "rtmd/sample"], "track 10 (rtmd items with other identifiers)"),
      (["mdta/*", "*ample"], "track 10 (rtmd items with other identifiers)"),
      (["mdta/*", "rtm"], "track 10 (rtmd)"), (["mdta/*"], "track 10 (rtmd)"),
      (["rtmd/*", "mdta/com.example.raw"], "track 9 (mdta/com.example.note)"),
    ] as [([String], String?)])
  func listsOmittedItemsOfAllFormats(identifiers: [String], omitted: String?) throws {
    let movie = Self.movie.with { $0.tracks.append(.timed("rtmd", id: 10, [[1]])) }
    var options = StreamOptions()
    options.timedID3 = identifiers
    let notices = try Streamed(movie, options).plan.notices.filter { $0.code == "timed-metadata-left-out" }
    #expect(notices.map(\.message) == (omitted.map { ["timed metadata is omitted: \($0)"] } ?? []))
    #expect(notices.allSatisfy { $0.remedy == .timedEvents })
  }
}
