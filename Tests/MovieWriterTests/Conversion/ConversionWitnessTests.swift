import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// What other programs make of converted movies.
struct ConversionWitnessTests {
  private func bytes(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(fileURLWithPath: TestMedia.path(name))))
  }

  @Test(arguments: [("interview.mov", MovieType.mp4), ("interview.mp4", .quickTime), ("spanish.mov", .m4v)])
  func ffmpegDecodesTheSameFrames(_ name: String, _ type: MovieType) throws {
    let folder = try TemporaryFolder()
    let trial = try ConversionTrial(bytes(name), to: type)
    let path = try folder.write(trial.bytes, as: "out." + type.rawValue)
    let (before, after) = (try Frames(of: TestMedia.path(name)), try Frames(of: path))
    #expect(!before.lines.isEmpty)
    #expect(before.formats == after.formats && before.lines == after.lines)
  }

  /// HandBrake's issue 1555: programs take no configuration out of `wave` in a file with the brands of ISO, and are
  /// silent. An older ffmpeg was one of them.
  @Test func soundWithWaveUnderABrandOfISOIsDescribedAsISOFilesDo() throws {
    let folder = try TemporaryFolder()
    let right = try bytes("interview.mov")
    let film = try ConversionTrial(ConversionTrial(right, to: .mp4).bytes, to: .quickTime)  // Version 1 with wave.
    var broken = film.bytes
    let brand = try #require(film.new.topLevel.first { $0.type == "ftyp" })
    for place in [8, 16] {
      broken.replaceSubrange(Int(brand.offset) + place..<Int(brand.offset) + place + 4, with: text("isom"))
    }
    let wanted = try Frames(of: TestMedia.path("interview.mov"))
    let fixed = try ConversionTrial(broken, to: .mp4)
    let heard = try Frames(of: folder.write(fixed.bytes, as: "heard.mp4"))
    #expect(heard.lines == wanted.lines)
    let sound = try #require(fixed.movie.tracks.first { $0.mediaType == .audio })
    #expect(try SoundDescription(body: sound.sampleDescriptions.entries[0].body).version == 0)
  }

  @Test func gstreamerPlaysWhatWasConverted() throws {
    let launch = try Witness.require("gst-launch-1.0")
    let folder = try TemporaryFolder()
    let path = try folder.write(ConversionTrial(bytes("interview.mov"), to: .mp4).bytes, as: "out.mp4")
    let result = try launch.run([
      "-q", "filesrc", "location=\(path)", "!", "qtdemux", "name=d", "d.video_0", "!", "queue", "!", "fakesink",
      "d.audio_0", "!", "queue", "!", "fakesink",
    ])
    #expect(result.code == 0, "\(result.errorText)")
  }

  @Test func mediaInfoNamesTheTypeAndTheFormats() throws {
    let info = try Witness.require("mediainfo")
    let folder = try TemporaryFolder()
    let path = try folder.write(ConversionTrial(bytes("interview.mov"), to: .mp4).bytes, as: "out.mp4")
    let result = try info.run(["--Output=General;%Format%|%CodecID%", path])
    #expect(result.outputText.hasPrefix("MPEG-4|mp42"))
  }
}
