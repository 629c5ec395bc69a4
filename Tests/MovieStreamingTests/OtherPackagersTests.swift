import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieStreaming

/// Subtitles added to presentations of other packagers.
struct OtherPackagersTests {
  /// Other packagers shift pictures by an edit list in the initialization segment. Players subtract its media time and add
  /// its empty edit.
  @Test(arguments: [
    ([(Int, Int)](), 3_600), ([(0, 512)], 0), ([(0, 256)], 1_800), ([(12_800, -1), (0, 512)], 90_000),
    ([(0, 5_120)], 0),
  ]) func timesAddedSubtitlesFromTheFirstShownPicture(_ edits: [(Int, Int)], _ expected: Int) throws {
    let folder = try TemporaryFolder()
    let streamed = try Streamed(StreamableMovie.talk.with { $0.tracks = [$0.tracks[0]] })
    try streamed.plan.write(to: folder.file("out"), from: streamed.source)
    // A presentation of another program: no comment declares the clock.
    let main = String(decoding: try folder.read("out/main.m3u8"), as: UTF8.self)
    try folder.write(Array(main.replacing(/# The movie begins.*\n/, with: "").utf8), as: "out/main.m3u8")
    if !edits.isEmpty {
      let edited = try #require(try folder.read("out/video/init.mp4").withEdits(edits.map { ($0.0, $0.1) }))
      try folder.write(edited, as: "out/video/init.mp4")
    }
    let presentation = try PresentationFolder(folder.file("out"))
    let cue = Cue(startMilliseconds: 0, endMilliseconds: 1_000, text: StyledText("One"))
    let addition = try presentation.addition(
      of: SubtitleFile(cues: [cue], notices: []), name: "English", language: LanguageTag("en"), characteristics: [],
      isForced: false)
    _ = try presentation.write(addition)
    let segment = String(decoding: try folder.read("out/subtitles-en/segment-1.vtt"), as: UTF8.self)
    #expect(segment.contains("X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:\(expected)\n"), "\(segment)")
    #expect(presentation.startMilliseconds == 0)
  }
}
