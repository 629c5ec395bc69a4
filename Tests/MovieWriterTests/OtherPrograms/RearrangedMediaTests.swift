import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// ffmpeg as a witness of self-contained movies, and of movies with split chunks.
struct RearrangedMediaTests {
  /// Returns a movie that refers to the media of another by aliases, the only references that ffmpeg follows.
  private static func referring(to media: TestMovie) -> TestMovie {
    let built = media.build()
    return media.with {
      $0.layout = [.fileType, .movie(.ordinary)]
      for index in $0.tracks.indices {
        $0.tracks[index].dataReferences = [
          aliasReference("media.mov", levels: (1, 1), path: "Macintosh HD:films:media.mov")
        ]
        $0.tracks[index].externalOffsets = built.chunkOffsets[$0.tracks[index].id]
      }
    }
  }

  @Test func keepsPacketsOfCopiedMedia() throws {
    let folder = try TemporaryFolder()
    try folder.write(.playable, as: "media.mov")
    let path = try folder.write(Self.referring(to: .playable), as: "film.mov")
    let source = try FileSource(path: path)
    var edit = try MovieEdit(of: source)
    try edit.makeSelfContained(inFolderOf: path)
    let before = try packets(path, ["-enable_drefs", "1"])
    #expect(before.count > 25)
    #expect(try packets(folder.file("media.mov")) == before)
    for interleaving in [OutputLayout.Interleaving.none, .newSamples, .all] {
      let output = MovieFileWriter.Output.newFile(
        folder.file("out.mov"), overwrites: true, synchronizes: false)
      try MovieFileWriter(edit, to: output, OutputLayout(interleaving: interleaving)).write()
      #expect(try packets(folder.file("out.mov")) == before)
    }
  }

  @Test func keepsPicturesOfSplitChunks() throws {
    let folder = try TemporaryFolder()
    let movie = TestMovie.playable.with {
      $0.tracks.removeLast()
      $0.tracks[0].samples += $0.tracks[0].samples + $0.tracks[0].samples
      $0.tracks[0].chunking = [60]
    }
    let path = try folder.write(movie, as: "film.mov")
    try split(path, to: folder.file("out.mov"))
    #expect(try Movie(of: FileSource(path: folder.file("out.mov"))).tracks[0].samples.chunkCount == 6)
    #expect(try packets(folder.file("out.mov")) == packets(path))
  }

  /// ffmpeg divides audio into packets by chunk, so the decoded audio is compared.
  @Test(arguments: [("adpcm_ima_qt", "ima4", 64, 34), ("pcm_mulaw", "ulaw", 1, 1)])
  func keepsAudioOfSplitChunks(encoder: String, format: String, samples: Int, bytes: Int) throws {
    let ffmpeg = try Witness.require("ffmpeg")
    let folder = try TemporaryFolder()
    let made = folder.file("made.mov")
    let result = try ffmpeg.run([
      "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=d=7:r=22050:f=333", "-c:a", encoder, made,
    ])
    #expect(result.code == 0, "\(result.errorText)")
    let reader = try SecondReader(path: made)
    let track = try #require(reader.tracks.first)
    let media = try track.samples.flatMap { try reader.bytes(of: $0) }
    // QuickTime's form: samples with a declared size of one byte.
    let movie = TestMovie(tracks: [
      TestTrack(.sound, id: 1).with {
        $0.timeScale = 22050
        $0.sampleEntries = [
          SampleEntry.soundVersion1(format, channels: 1, rate: 22050, packet: (samples, bytes, bytes))
        ]
        $0.samplesPerPacket = samples
        $0.samples = stride(from: 0, to: media.count, by: bytes).map {
          TestSample(content: Array(media[$0..<$0 + bytes]), duration: samples)
        }
        $0.chunking = [1_000_000]
      }
    ])
    let path = try folder.write(movie, as: "film.mov")
    let heard = try sound(path)
    #expect(try heard == sound(made))
    try split(path, to: folder.file("out.mov"))
    #expect(try Movie(of: FileSource(path: folder.file("out.mov"))).tracks[0].samples.chunkCount == 7)
    #expect(try sound(folder.file("out.mov")) == heard)
  }

  private func split(_ path: String, to output: String) throws {
    let source = try FileSource(path: path)
    var layout = OutputLayout(interleaving: .all)
    layout.splitsChunks = true
    try MovieFileWriter(
      MovieEdit(of: source), to: .newFile(output, overwrites: false, synchronizes: false), layout
    ).write()
  }

  private func packets(_ path: String, _ options: [String] = []) throws -> [String] {
    let ffmpeg = try Witness.require("ffmpeg")
    let result = try ffmpeg.run(
      ["-nostdin", "-v", "error"] + options + ["-i", path, "-map", "0", "-c", "copy", "-f", "framemd5", "-"])
    #expect(result.code == 0 && result.errorText.isEmpty, "\(path): \(result.errorText)")
    return result.outputText.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init).sorted()
  }

  private func sound(_ path: String) throws -> String {
    let ffmpeg = try Witness.require("ffmpeg")
    let result = try ffmpeg.run(["-nostdin", "-v", "error", "-i", path, "-f", "md5", "-c:a", "pcm_s16le", "-"])
    #expect(result.code == 0 && result.errorText.isEmpty, "\(path): \(result.errorText)")
    return result.outputText
  }
}
