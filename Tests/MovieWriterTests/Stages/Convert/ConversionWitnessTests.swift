import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Other programs as witnesses of converted movies.
struct ConversionWitnessTests {
  private func bytes(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(fileURLWithPath: TestMedia.path(name))))
  }

  @Test(arguments: [("interview.mov", MovieType.mp4), ("interview.mp4", .quickTime), ("spanish.mov", .m4v)])
  func keepsFramesThatFFmpegDecodes(_ name: String, _ type: MovieType) throws {
    let folder = try TemporaryFolder()
    let trial = try ConversionTrial(bytes(name), to: type)
    let path = try folder.write(trial.bytes, as: "out." + type.rawValue)
    let (before, after) = (try Frames(of: TestMedia.path(name)), try Frames(of: path))
    #expect(!before.lines.isEmpty)
    #expect(before.formats == after.formats && before.lines == after.lines)
  }

  /// HandBrake's issue 1555: programs such as older versions of ffmpeg find no configuration inside `wave` in a file with ISO
  /// brands, and play no audio.
  @Test func correctsWaveInFilesWithISOBrands() throws {
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

  /// ffmpeg decodes audio of each format from QuickTime movies and MP4 files to equal samples at equal times.
  @Test(
    arguments: [
      ("alac", "alac", 48_000), ("ac3", "ac-3", 48_000), ("eac3", "ec-3", 48_000), ("pcm_s16be", "ipcm", 44_100),
      ("pcm_s16le", "ipcm", 48_000), ("pcm_s24le", "ipcm", 96_000), ("libmp3lame", "mp4a", 44_100),
    ])
  func keepsAudioOfQuickTimeMoviesInMP4Files(_ codec: String, _ format: String, _ rate: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("in.mov")
    let made = try Witness.require("ffmpeg").run([
      "-v", "error", "-nostdin", "-f", "lavfi", "-i", "sine=440:d=0.3:r=\(rate)", "-ac", "2", "-c:a", codec, path,
    ])
    try #require(made.code == 0, "\(made.errorText)")
    let trial = try ConversionTrial([UInt8](Data(contentsOf: URL(fileURLWithPath: path))), to: .mp4)
    #expect(trial.movie.tracks[0].formats == [try #require(FourCC(format))])
    let (before, after) = (try Frames(of: path), try Frames(of: folder.write(trial.bytes, as: "out.mp4")))
    // ffmpeg has one name for PCM of a size, whatever the byte order.
    #expect(!before.lines.isEmpty && before.lines == after.lines)
    let back = try ConversionTrial(trial.bytes, to: .quickTime)
    #expect(try Frames(of: folder.write(back.bytes, as: "back.mov")).lines == before.lines)
  }

  /// Layer 2 is compared with the MP4 file that ffmpeg makes from the same packets, since ffmpeg decodes movies by another
  /// decoder, which rounds differently.
  @Test(arguments: [48_000, 24_000]) func keepsLayer2AudioInMP4Files(_ rate: Int) throws {
    let folder = try TemporaryFolder()
    let (path, own) = (folder.file("in.mov"), folder.file("own.mp4"))
    for arguments in [
      ["-f", "lavfi", "-i", "sine=440:d=0.3:r=\(rate)", "-c:a", "mp2", path], ["-i", path, "-c", "copy", own],
    ] {
      let made = try Witness.require("ffmpeg").run(["-v", "error", "-nostdin"] + arguments)
      try #require(made.code == 0, "\(made.errorText)")
    }
    let trial = try ConversionTrial([UInt8](Data(contentsOf: URL(fileURLWithPath: path))), to: .mp4)
    let sound = try SoundDescription(body: trial.movie.tracks[0].sampleDescriptions.entries[0].body)
    let number = SampleEntryAtoms(sound.tail)["esds"].flatMap { ElementaryStream(payload: $0) }?.objectType
    #expect(number == (rate < 32_000 ? 0x69 : 0x6B))
    let wanted = try Frames(of: own).lines
    #expect(try !wanted.isEmpty && Frames(of: folder.write(trial.bytes, as: "out.mp4")).lines == wanted)
    try trial.expectSameMedia()
    #expect {
      try ConversionTrial([UInt8](Data(contentsOf: URL(fileURLWithPath: path))), to: .m4a)
    } throws: { ($0 as? MovieError)?.code == .unsupported }
  }

  /// MPEG-4 has a number for each profile of MPEG-2, and one for MPEG-1. ffmpeg decodes equal pictures.
  @Test(
    arguments: [
      (["mpeg2video"], 0x61, "m2v1"), (["mpeg2video", "-pix_fmt", "yuv422p"], 0x65, "m2v1"),
      (["mpeg2video", "-profile:v", "5"], 0x60, "m2v1"), (["mpeg1video"], 0x6A, "m1v1"),
    ] as [([String], UInt8, String)])
  func keepsMPEGVideoInMP4Files(_ codec: [String], _ number: UInt8, _ format: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("in.mov")
    let made = try Witness.require("ffmpeg").run(
      ["-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.6:r=25", "-c:v"] + codec + [path])
    try #require(made.code == 0, "\(made.errorText)")
    let trial = try ConversionTrial([UInt8](Data(contentsOf: URL(fileURLWithPath: path))), to: .mp4)
    let entry = try #require(trial.movie.tracks[0].sampleDescriptions.entries.first)
    let esds = try SampleEntryAtoms(VideoDescription(body: entry.body).tail)["esds"]
    #expect(entry.format == "mp4v" && esds.flatMap { ElementaryStream(payload: $0) }?.objectType == number)
    let (before, after) = (try Frames(of: path), try Frames(of: folder.write(trial.bytes, as: "out.mp4")))
    #expect(!before.lines.isEmpty && before.lines == after.lines)
    let back = try ConversionTrial(trial.bytes, to: .quickTime)
    #expect(back.movie.tracks[0].formats == [try #require(FourCC(format))])
    #expect(try Frames(of: folder.write(back.bytes, as: "back.mov")).lines == before.lines)
  }

  @Test func convertsMoviesThatGStreamerPlays() throws {
    let launch = try Witness.require("gst-launch-1.0")
    let folder = try TemporaryFolder()
    let path = try folder.write(ConversionTrial(bytes("interview.mov"), to: .mp4).bytes, as: "out.mp4")
    let result = try launch.run([
      "-q", "filesrc", "location=\(path)", "!", "qtdemux", "name=d", "d.video_0", "!", "queue", "!", "fakesink",
      "d.audio_0", "!", "queue", "!", "fakesink",
    ])
    #expect(result.code == 0, "\(result.errorText)")
  }

  @Test func writesTypeAndFormatsForMediaInfo() throws {
    let info = try Witness.require("mediainfo")
    let folder = try TemporaryFolder()
    let path = try folder.write(ConversionTrial(bytes("interview.mov"), to: .mp4).bytes, as: "out.mp4")
    let result = try info.run(["--Output=General;%Format%|%CodecID%", path])
    #expect(result.outputText.hasPrefix("MPEG-4|mp42"))
  }
}
