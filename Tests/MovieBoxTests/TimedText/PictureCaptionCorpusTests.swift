import Foundation
import Subtitles
import TestSupport
import Testing

@testable import MovieBox

/// Captions in the pictures of real movies. `Docs/captions.md` compares them with the captions that ffmpeg reads.
struct PictureCaptionCorpusTests {
  private func contents(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: try Corpus.require().folder + "/" + name)))
  }

  private func cues(_ bytes: [UInt8], named name: String) throws -> [CaptionChannel: [String]] {
    let source = MemorySource(Bytes(bytes))
    let movie = try Movie(of: source)
    let captions = try movie.captions(inPicturesOf: try #require(movie.tracks.first).id, from: source)
    for (channel, text) in captions { print("\(name): \(channel.rawValue), \(text.cues.count) cues") }
    return captions.mapValues { text in
      text.cues.map { "\($0.startMilliseconds)-\($0.endMilliseconds) \($0.text.text)" }
    }
  }

  @Test func agreesWithFFmpegOnAFragmentedMovie() throws {
    let name = "media3-fragmented-captions.mp4"
    #expect(try cues(contents(name), named: name) == [.cc1: ["1869-2035 ♪MUSIC♪"]])
  }

  /// The edit list of the initialization segment begins with an empty edit of 21 ms, which ffmpeg ignores.
  @Test func agreesWithFFmpegOnASegment() throws {
    let name = "muxjs-dash-608-captions"
    let joined = try contents(name + "-init.mp4") + contents(name + "-seg.m4s")
    let cues = try cues(joined, named: name)
    #expect(cues.keys.map(\.rawValue) == ["CC1"])
    #expect(cues[.cc1]?.first == "21-119021 00:00:00")
    #expect(cues[.cc1]?.last?.hasPrefix("120021-") == true && cues[.cc1]?.count == 2)
  }

  /// The captions follow the slices of their pictures.
  @Test func readsCaptionsAfterSlices() throws {
    // The segment has no initialization segment of its own.
    var initial = try contents("muxjs-dash-608-captions-init.mp4")
    func replace(_ type: String, _ offset: Int, _ value: Int) throws {
      let position = try #require(initial.firstRange(of: Array(type.utf8))?.lowerBound) + offset
      initial.replaceSubrange(position..<position + 4, with: u32(value))
    }
    try replace("tkhd", 16, 2)
    try replace("trex", 8, 2)
    try replace("mdhd", 16, 90_000)
    try replace("edts", 0, 0x6672_6565)  // "free"
    let name = "shaka-cea-segment.mp4"
    let cues = try cues(initial + contents(name), named: name)
    #expect(cues.keys.map(\.rawValue).sorted() == ["CC1", "CC3"])
    #expect(cues[.cc1]?.first?.contains("eng:") == true)
  }
}
