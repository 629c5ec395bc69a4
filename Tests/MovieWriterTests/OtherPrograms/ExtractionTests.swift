import Foundation
import MovieBox
import SubtitleTestSupport
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// Extracted text agrees with other programs' reading of text tracks, and tracks by other programs can be extracted.
struct ExtractionTests {
  private typealias Line = WitnessedEdit.Line

  private func lines(_ cues: [Cue]) -> [Line] {
    cues.map { Line(start: Int($0.startMilliseconds), end: Int($0.endMilliseconds), text: $0.text.text) }
  }

  private func text(_ path: String, track id: UInt32) throws -> TextTrack {
    try extractedText(FileSource(path: path), track: id)
  }

  /// A text track of the corpus.
  private struct WildTrack {
    let entry: Corpus.Entry
    let id: UInt32
  }

  /// Returns the text tracks of the corpus except chapters.
  private func tracks() throws -> [WildTrack] {
    try Corpus.require().movies.flatMap { entry -> [WildTrack] in
      guard let movie = try? Movie(of: FileSource(path: entry.path)) else { return [] }
      // ffmpeg starts captions before they are visible, so they have other tests.
      return movie.tracks.filter {
        TextTrackReader.canRead($0) && $0.mediaType != .closedCaption && !movie.chapterTrackIDs.contains($0.id)
      }
      .map { WildTrack(entry: entry, id: $0.id) }
    }
  }

  // MARK: - Reading

  @Test func agreesWithFFmpegOnRealTextTracks() throws {
    let ffmpeg = try Witness.require("ffmpeg")
    var comparedCount = 0
    for track in try tracks() {
      let (entry, id) = (track.entry, track.id)
      guard let index = try streamIndex(entry.path, id) else { continue }
      let result = try ffmpeg.run([
        "-nostdin", "-v", "error", "-copyts", "-i", entry.path, "-map", "0:\(index)", "-f", "srt", "-",
      ])
      #expect(result.code == 0, "\(entry.name): \(result.errorText)")
      let theirs = WitnessedEdit.lines(result.outputText)
      let ours = lines(try text(entry.path, track: id).cues)
      if entry.name == "made-fragmented.mp4" {
        // ffmpeg has no duration for samples in fragments, so every cue ends when it begins.
        #expect(ours.map(\.start) == theirs.map(\.start) && ours.map(\.text) == theirs.map(\.text))
        #expect(theirs.allSatisfy { $0.start == $0.end })
      } else {
        #expect(ours == theirs, "\(entry.name), track \(id)")
      }
      comparedCount += 1
    }
    #expect(comparedCount >= 8)
  }

  /// Returns the subtitle stream of the track in ffmpeg, which does not support WebVTT in movies.
  private func streamIndex(_ path: String, _ id: UInt32) throws -> Int? {
    let result = try Witness.require("ffprobe").run([
      "-v", "error", "-select_streams", "s", "-show_entries", "stream=index,id,codec_name", "-of", "csv=p=0", path,
    ])
    for row in result.outputText.split(separator: "\n") {
      let cells = row.split(separator: ",").map(String.init)
      if cells.count == 3, cells[1] == "mov_text", UInt32(cells[2].dropFirst(2), radix: 16) == id {
        return Int(cells[0])
      }
    }
    return nil
  }

  @Test func agreesWithGStreamerOnRealTextTracks() throws {
    var comparedCount = 0
    // GStreamer does not support compact size tables (`stz2`), and sometimes waits forever instead of reporting this.
    let tracks = try tracks().filter { $0.entry.name != "subtitleedit-sample-mp4-stz2-compact.mp4" }
    for (path, byPad) in Dictionary(grouping: tracks, by: \.entry.path) {
      for (pad, track) in byPad.enumerated() {
        let ours = lines(try text(path, track: track.id).cues)
        // GStreamer waits forever for the first cue of an empty track.
        guard !ours.isEmpty, let theirs = try gStreamerLines(path, pad: "subtitle_\(pad)") else { continue }
        if track.entry.name == "made-fragmented.mp4" {
          // GStreamer ignores the edit list of a fragmented movie.
          #expect(ours.map(\.text) == theirs.map(\.text))
          #expect(Set(zip(ours, theirs).map { $0.start - $1.start }).count == 1)
        } else {
          #expect(ours.map(\.text) == theirs.map(\.text), "\(track.entry.name)")
          // GStreamer rounds times down, and edits to their own ticks.
          for (one, other) in zip(ours, theirs) {
            #expect(abs(one.start - other.start) <= 1 && abs(one.end - other.end) <= 1, "\(track.entry.name)")
          }
        }
        comparedCount += 1
      }
    }
    #expect(comparedCount >= 5)
  }

  /// Returns the output of GStreamer's demultiplexer for a pad, or `nil` if there is no such pad or it is not plain text.
  private func gStreamerLines(_ path: String, pad: String) throws -> [Line]? {
    let folder = try TemporaryFolder()
    let result = try Witness.require("gst-launch-1.0").run([
      "-v", "filesrc", "location=\(path)", "!", "qtdemux", "name=d", "d.\(pad)", "!", "queue", "!", "tee", "name=t",
      "t.", "!", "queue", "!", "fakesink", "silent=false", "t.", "!", "queue", "!", "multifilesink",
      "location=\(folder.path)/%05d.txt",
    ])
    guard result.code == 0, result.outputText.contains("text/x-raw") else { return nil }
    let times = result.outputText.split(separator: "\n").filter { $0.contains("chain   *****") }.compactMap { row in
      both(time("pts", in: String(row)), time("duration", in: String(row)))
    }
    let texts = try folder.names().map { String(decoding: try folder.read($0), as: UTF8.self) }
    return zip(times, texts).compactMap { time, text in
      let plain = text.trimmingCharacters(in: .newlines)
      return plain.isEmpty ? nil : Line(start: time.0, end: time.0 + time.1, text: WitnessedEdit.withoutTags(plain))
    }
  }

  private func both(_ start: Int?, _ duration: Int?) -> (Int, Int)? {
    guard let start, let duration else { return nil }
    return (start, duration)
  }

  /// Returns the milliseconds of `pts: 0:00:01.500000000`, rounded down, or `nil` if there are none.
  private func time(_ name: String, in row: String) -> Int? {
    guard let text = row.components(separatedBy: "\(name): ").dropFirst().first else { return nil }
    let parts = text.prefix { "0123456789:.".contains($0) }.split { ":.".contains($0) }.compactMap { Int($0) }
    return parts.count == 4 ? ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1000 + parts[3] / 1_000_000 : nil
  }

  // MARK: - Writing

  @Test func roundTripsRealTextTracksForFFmpeg() throws {
    let ffmpeg = try Witness.require("ffmpeg")
    var comparedCount = 0
    for track in try tracks() {
      let cues = try text(track.entry.path, track: track.id).cues
      guard !cues.isEmpty else { continue }
      let folder = try TemporaryFolder()
      let new = try EditStrategy.keptOrder.add(cues, to: track.entry.path, in: folder, as: "new.mov")
      let ours = try text(new.path, track: new.trackID).cues
      // New cues count from the start of the presentation, which ffmpeg may have delayed.
      let delay = Int(try Movie(of: FileSource(path: new.path)).commonDelay()?.milliseconds ?? 0)
      let expected = lines(cues).map { Line(start: $0.start + delay, end: $0.end + delay, text: $0.text) }
      #expect(lines(ours) == expected, "\(track.entry.name), track \(track.id)")
      let index = try #require(try streamIndex(new.path, new.trackID))
      let result = try ffmpeg.run([
        "-nostdin", "-v", "error", "-copyts", "-i", new.path, "-map", "0:\(index)", "-f", "srt", "-",
      ])
      #expect(WitnessedEdit.lines(result.outputText) == lines(ours), "\(track.entry.name), track \(track.id)")
      comparedCount += 1
    }
    #expect(comparedCount >= 8)
  }

  @Test(arguments: ["mp4", "mov", "m4v"]) func readsTextTracksOfFFmpeg(_ format: String) throws {
    let folder = try TemporaryFolder()
    let cues = try SubRipReader.read(readFile(TestMedia.path("en.srt"))).cues
    let path = folder.file("out.\(format)")
    let result = try Witness.require("ffmpeg").run([
      "-nostdin", "-v", "error", "-i", TestMedia.path("interview.mov"), "-i", TestMedia.path("en.srt"), "-map", "0:v",
      "-map", "1", "-c", "copy", "-c:s", "mov_text", path,
    ])
    #expect(result.code == 0, "\(result.errorText)")
    let movie = try Movie(of: FileSource(path: path))
    let track = try #require(movie.tracks.first(where: TextTrackReader.canRead))
    let ours = try text(path, track: track.id)
    #expect(lines(ours.cues) == lines(cues))
    #expect(ours.cues.map(\.text) == cues.map(\.text))
    #expect(ours.notices == [])
  }

  @Test func readsTextTracksOfGStreamer() throws {
    let folder = try TemporaryFolder()
    let result = try Witness.require("gst-launch-1.0").run([
      "-q", "filesrc", "location=\(TestMedia.path("en.srt"))", "!", "subparse", "!", "text/x-raw,format=utf8", "!",
      "qtmux", "!", "filesink", "location=\(folder.file("out.mov"))",
    ])
    #expect(result.code == 0, "\(result.errorText)")
    let cues = try SubRipReader.read(readFile(TestMedia.path("en.srt"))).cues
    // A file that only contains text begins with its first cue, half a second into the movie.
    let expected = lines(cues).map { Line(start: $0.start - 500, end: $0.end - 500, text: $0.text) }
    #expect(lines(try text(folder.file("out.mov"), track: 1).cues) == expected)
  }
}
