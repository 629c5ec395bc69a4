import SubtitleTestSupport
import Foundation
import MovieBox
import MovieWriter
import Subtitles
import TestSupport
import Testing

/// Other programs as witnesses of a WebVTT track.
struct WebVTTWitnessTests {
  private struct Made {
    let folder: TemporaryFolder
    let path: String
    /// The samples of the new track.
    let samples: [[UInt8]]
    let trackID: UInt32
  }

  private func make() throws -> Made {
    let folder = try TemporaryFolder()
    let source = try FileSource(path: TestMedia.path("interview.mp4"))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    let file = try readWebVTT("one\n00:00.500 --> 00:01.500 line:0\n<b>A</b>\n\n00:01.000 --> 00:02.000\nB\n")
    var input = SubtitleInput(cues: file.cues, language: LanguageTag("en"))
    input.format = .webVTT
    input.webVTT = file.webVTT
    let id = try edit.add(input)
    let path = folder.file("new.mp4")
    try MovieFileWriter(edit, to: .newFile(path, overwrites: false, synchronizes: false)).write()
    let reader = try SecondReader(path: path)
    return Made(
      folder: folder, path: path, samples: try #require(reader.track(id)).samples.map { try reader.bytes(of: $0) },
      trackID: id)
  }

  @Test func writesAWebVTTTrackThatMediaInfoLists() throws {
    let made = try make()
    let result = try Witness.require("mediainfo").run(["--Output=JSON", made.path])
    let json = try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any]
    let media = try #require(json?["media"] as? [String: Any])
    let tracks = try #require(media["track"] as? [[String: Any]])
    let track = try #require(tracks.first { $0["ID"] as? String == "\(made.trackID)" })
    #expect(track["@type"] as? String == "Text")
    #expect(track["CodecID"] as? String == "wvtt")
    #expect(track["Language"] as? String == "en")
  }

  @Test func writesWebVTTSamplesThatFFmpegCopies() throws {
    let made = try make()
    let ffmpeg = try Witness.require("ffmpeg")
    let result = try ffmpeg.run(
      ["-v", "error", "-copy_unknown", "-i", made.path, "-map", "0:i:\(made.trackID)", "-c", "copy", "-f", "data", "-"])
    #expect(result.code == 0, "\(result.errorText)")
    #expect(Array(result.output) == made.samples.flatMap { $0 })
    #expect(made.samples.count == 5)
  }
}
