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

  /// The caption ends with the movie, which lasts 2.002 s.
  @Test func agreesWithFFmpegOnAFragmentedMovie() throws {
    let name = "media3-fragmented-captions.mp4"
    #expect(try cues(contents(name), named: name) == [.cc1: ["1869-2002 ♪MUSIC♪"]])
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

  /// ffmpeg ignores the empty edit of 21 ms, and decodes CC1 alone.
  @Test(
    arguments: [
      ("media3-fragmented-captions.mp4", 0),
      ("muxjs-dash-608-captions-init.mp4 muxjs-dash-608-captions-seg.m4s", 21),
      ("streaming/hls-cea608/sd-hls0000000000.ts", 0),
    ] as [(String, Int64)]) func showsTheTextsThatFFmpegShows(_ names: String, delay: Int64) throws
  {
    let ffmpeg = try Witness.require("ffmpeg")
    let folder = try TemporaryFolder()
    let name = names.hasSuffix(".ts") ? "film.ts" : "film.mp4"
    try folder.write(names.split(separator: " ").flatMap { try contents(String($0)) }, as: name)
    if name == "film.ts" {
      let copied = try ffmpeg.run(["-v", "error", "-i", folder.file(name), "-c", "copy", folder.file("film.mp4")])
      #expect(copied.code == 0, "\(copied.errorText)")
    }
    let result = try ffmpeg.run([
      "-v", "error", "-f", "lavfi", "-i", "movie=\(folder.file("film.mp4"))[out+subcc]", "-map", "0:s", "-f", "srt",
      "-",
    ])
    let theirs = try SubtitleFile.read(Array(result.outputText.utf8), named: nil).cues
    let source = MemorySource(Bytes(try folder.read("film.mp4")))
    let movie = try Movie(of: source)
    let picture = try #require(movie.tracks.first { $0.mediaType == .video })
    let ours = try #require(movie.captions(inPicturesOf: picture.id, from: source)[.cc1]).cues
    print("\(names): \(ours.count) cues, \(theirs.count) in ffmpeg")
    #expect(!ours.isEmpty && ours.map(\.text.text) == theirs.map(\.text.text))
    #expect(ours.map(\.startMilliseconds) == theirs.map { $0.startMilliseconds + delay })
  }

  // MARK: - Damaged messages

  /// Returns the bytes of the samples of a movie's first track that contain captions.
  private func captionedSamples(_ bytes: [UInt8]) throws -> (format: PictureCaptions.Format, samples: [[UInt8]]) {
    let source = MemorySource(Bytes(bytes))
    let presented = try Movie(of: source).includingFragments(from: source)
    let track = try #require(presented.movie.tracks.first)
    let tree = presented.movie.tree
    let format = try #require(
      tree.sampleDescriptions(ofTrack: track.atom).lazy.compactMap { PictureCaptions.Format($0, of: tree) }.first)
    let ranges = try #require(presented.fragments?.track(track.id)).samples.compactMap(\.byteRange)
    let samples = ranges.filter { $0.end <= UInt64(bytes.count) }.map { Array(bytes[Int($0.offset)..<Int($0.end)]) }
    return (format, samples.filter { $0.firstRange(of: Array("GA94".utf8)) != nil })
  }

  /// Damages each byte of a message and of the headers before it, and cuts each message.
  @Test(arguments: [
    "media3-fragmented-captions.mp4", "muxjs-dash-608-captions-init.mp4 muxjs-dash-608-captions-seg.m4s",
  ])
  func damagedMessagesAreReadOrSkipped(_ names: String) throws {
    let (format, samples) = try captionedSamples(names.split(separator: " ").flatMap { try contents(String($0)) })
    #expect(!samples.isEmpty)
    var (intactCount, damagedCount, searchCount) = (0, 0, 0)
    func search(_ sample: [UInt8], declaring byteCount: Int) {
      var captions = PictureCaptions(format)
      var next: PictureCaptions.Range? = .beginning
      while let range = next {
        let start = min(Int(clamping: range.offset), sample.count)
        let bytes = sample[start..<min(start + range.byteCount, sample.count)]
        let following = captions.search(Bytes(Array(bytes)), in: range, ofByteCount: UInt64(byteCount))
        // The search ends, because each range is later or larger, and within the sample.
        let isProgress = following.map { $0.offset > range.offset || $0.byteCount > range.byteCount } ?? true
        #expect(isProgress && following.map { $0.offset + UInt64($0.byteCount) <= UInt64(byteCount) } ?? true)
        guard isProgress else { break }
        next = following
      }
      // A message of n bytes has at most n / 3 triples.
      #expect(captions.triples.count <= sample.count / 3)
      if captions.damagedCount > 0 { damagedCount += 1 } else { intactCount += 1 }
      searchCount += 1
    }
    for sample in samples.prefix(12) {
      let message = try #require(sample.firstRange(of: Array("GA94".utf8))?.lowerBound)
      let places = max(0, message - 14)..<min(sample.count, message + 90)
      for place in places {
        for value in [0, 0x03, 0x1F, 0x80, 0xFF, sample[place] &+ 1] as [UInt8] {
          var changed = sample
          changed[place] = value
          search(changed, declaring: changed.count)
        }
        search(Array(sample[..<place]), declaring: place)
      }
      // Messages whose emulation prevention and sizes are damaged in a row.
      for first in places.dropLast(6) {
        for pattern in [[0, 0, 3], [0, 0, 3, 0, 0, 3], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]] {
          var changed = sample
          changed.replaceSubrange(first..<first + pattern.count, with: pattern)
          search(changed, declaring: changed.count)
        }
      }
    }
    print("\(names): \(searchCount) searches, \(damagedCount) damaged")
    #expect(damagedCount > 0 && intactCount > 0)
  }

  /// The cues of damaged messages are decoded as well.
  @Test func captionsOfDamagedMessagesAreDecoded() throws {
    let whole = try contents("media3-fragmented-captions.mp4")
    var places: [Int] = []
    var rest = whole[...]
    while let found = rest.firstRange(of: Array("GA94".utf8)) {
      places.append(found.lowerBound)
      rest = rest[found.upperBound...]
    }
    #expect(!places.isEmpty)
    for seed in 0..<20 {
      var random = SeededGenerator(seed: UInt64(seed))
      var changed = whole
      for place in places {
        changed[min(place + Int.random(in: -10...60, using: &random), whole.count - 1)] = .random(
          in: 0...255, using: &random)
      }
      do throws(MovieError) {
        _ = try captions(changed)
      } catch {
        #expect(error.code == .unsupported || error.code == .malformed || error.code == .limit, "\(error)")
      }
    }
  }

  private func captions(_ bytes: [UInt8]) throws(MovieError) -> [CaptionChannel: TextTrack] {
    do {
      let source = MemorySource(Bytes(bytes))
      let movie = try Movie(of: source)
      return try movie.captions(inPicturesOf: movie.tracks.first?.id ?? 0, from: source)
    } catch let error as MovieError {
      throw error
    } catch {
      throw MovieError(.truncated, "\(error)")
    }
  }
}
