import MovieBox
import MovieStreaming
import TestSupport
import Testing

struct SessionDataTests {
  private let movie = StreamableMovie.talk.with { movie in
    movie.dialect = .quickTime
    movie.userData = atom("©nam") { internationalText("A \"talk\"") } + atom("©cpy") { internationalText("2026") }
  }

  @Test func declaresTheTitleOfTheMovie() throws {
    let lines = try Streamed(movie).lines("main.m3u8").filter { $0.hasPrefix("#EXT-X-SESSION-DATA") }
    #expect(
      lines.count == 1 && lines[0].hasPrefix(#"#EXT-X-SESSION-DATA:DATA-ID="com.apple.hls.title",VALUE="A 'talk'""#))
  }

  @Test func writesRequestedItems() throws {
    let options = StreamOptions(sessionData: [
      .init(id: "com.example.rights", value: "common/copyrights"), .init(id: "com.example.part", value: "7"),
      .init(id: "com.example.maker", value: "common/make"), .init(id: "com.apple.hls.title", value: "Mine"),
    ])
    let streamed = try Streamed(movie, options)
    let lines = try streamed.lines("main.m3u8").filter { $0.hasPrefix("#EXT-X-SESSION-DATA") }
    #expect(lines.contains { $0.contains(#"DATA-ID="com.example.rights",VALUE="2026""#) })
    #expect(lines.contains(#"#EXT-X-SESSION-DATA:DATA-ID="com.example.part",VALUE="7""#))
    #expect(lines.contains(#"#EXT-X-SESSION-DATA:DATA-ID="com.apple.hls.title",VALUE="Mine""#))
    #expect(lines.filter { $0.contains("com.apple.hls.title") }.count == 1)  // And not the movie's own.
    #expect(streamed.plan.notices.map(\.code) == ["no-such-item"])
  }

  @Test func writesChaptersAsAFile() throws {
    let titles = TestTrack(.text, id: 9).with {
      $0.samples = [.timedText("One", duration: 10_000), .timedText("Two", duration: 14_000)]
      $0.isEnabled = false
      $0.language = .packed("eng")
    }
    let movie = StreamableMovie.talk.with { movie in
      movie.tracks[0].references = [TestReference("chap", 9)]
      movie.tracks.append(titles)
    }
    let streamed = try Streamed(movie)
    #expect(
      try streamed.lines("main.m3u8").contains(
        #"#EXT-X-SESSION-DATA:DATA-ID="com.apple.hls.chapters",URI="chapters/chapters.json""#))
    let json = try streamed.lines("chapters/chapters.json").joined()
    #expect(json.contains("start-time") && json.contains("One") && json.contains("Two"))
    #expect(!streamed.plan.notices.contains { $0.trackID == 9 })
    // A requested item replaces the automatic one.
    let own = try Streamed(movie, StreamOptions(sessionData: [.init(id: "com.apple.hls.chapters", value: "1")]))
    #expect(
      try own.lines("main.m3u8").filter { $0.contains("com.apple.hls.chapters") } == [
        #"#EXT-X-SESSION-DATA:DATA-ID="com.apple.hls.chapters",VALUE="1""#
      ])
    #expect(!own.plan.files.contains { $0.path.hasPrefix("chapters/") })
  }
}
