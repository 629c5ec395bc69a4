import MovieBox
import MovieStreaming
import TestSupport
import Testing

/// Playlists declare the closed captions in pictures.
struct CaptionServicesTests {
  @Test func declaresCaptionsInThePlaylist() throws {
    var movie = StreamableMovie.talk
    for index in 300..<330 {
      movie.tracks[0].samples[index].content = CaptionedPicture([(0, 0x94, 0x20), (0, 0xC8, 0x49)]).bytes
    }
    let lines = try Streamed(movie).lines("main.m3u8")
    #expect(
      lines.contains(
        #"#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="captions",NAME="English CC",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,INSTREAM-ID="CC1""#
      ))
    #expect(lines.contains { $0.contains("RESOLUTION") && $0.hasSuffix(#"CLOSED-CAPTIONS="captions""#) })
  }

  /// `extract --captions` uses the language of the video too.
  @Test func theLanguageOfTheVideoTakesPrecedence() throws {
    for (language, tag, origin) in [("fra", "fr", "video"), ("und", "en", "audio")] {
      var movie = StreamableMovie.talk
      movie.tracks[0].language = .packed(language)
      for index in 300..<330 {
        movie.tracks[0].samples[index].content = CaptionedPicture([(0, 0x94, 0x20), (0, 0xC8, 0x49)]).bytes
      }
      let streamed = try Streamed(movie)
      let line = try streamed.lines("main.m3u8").first { $0.contains("TYPE=CLOSED-CAPTIONS") }
      #expect(line?.contains("LANGUAGE=\"\(tag)\"") == true, "\(line ?? "")")
      let notice = streamed.plan.notices.first { $0.code == "captions" }
      #expect(notice?.message.hasSuffix("with the language of the \(origin)") == true, "\(notice?.message ?? "")")
    }
  }

  @Test func findsCaptionsInRealMovies() throws {
    let corpus = try Corpus.require()
    let source = try FileSource(path: corpus.folder + "/media3-fragmented-captions.mp4")
    let plan = try StreamPlan(of: Movie(of: source), from: source)
    let words = "(CC1); the playlist lists them with an unknown language (und)"
    #expect(plan.notices.contains { $0.code == "captions" && $0.message.hasSuffix(words) })
  }
}
