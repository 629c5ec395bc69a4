import Subtitles
import TestSupport
import Testing

@testable import MovieBox

/// Returns the cues of a track of a movie in memory.
func extractedText(_ bytes: [UInt8], track id: UInt32, limits: SubtitleLimits = SubtitleLimits()) throws
  -> TextTrack
{
  try extractedText(MemorySource(Bytes(bytes)), track: id, limits: limits)
}

func extractedText(
  _ source: some RandomAccessSource, track id: UInt32, limits: SubtitleLimits = SubtitleLimits()
) throws -> TextTrack {
  let movie = try Movie(of: source)
  let track = try #require(movie.track(id))
  let fragments = movie.layout.first("moof") == nil ? nil : try movie.readFragments(of: source)
  var reader = try TextTrackReader(track, of: movie, fragments: fragments, limits: limits)
  reader.includesCaptionPairs = true
  return try reader.read(from: source)
}

/// Returns a movie with video and a text track of these samples.
func textMovie(
  _ samples: [TestSample], kind: TestTrack.Kind = .subtitle, entries: [[UInt8]]? = nil,
  _ change: (inout TestTrack) -> Void = { _ in }
) -> TestMovie {
  let text = TestTrack(kind, id: 2).with {
    $0.samples = samples
    $0.sampleEntries = entries
    change(&$0)
  }
  return TestMovie(tracks: [TestTrack(.video, id: 1), text]).with { $0.timeScale = 1_000 }
}

/// Returns a sample of a text and boxes.
func sample(_ text: [UInt8], _ boxes: [UInt8] = [], duration: Int = 1_000) -> TestSample {
  TestSample(content: u16(text.count) + text + boxes, duration: duration)
}

func sample(_ text: String, _ boxes: [UInt8] = [], duration: Int = 1_000) -> TestSample {
  sample(Array(text.utf8), boxes, duration: duration)
}

/// Returns a `styl` box of runs: start, end, face, colour, size.
func styl(_ runs: (Int, Int, face: Int, color: Int, size: Int)...) -> [UInt8] {
  atom("styl") {
    u16(runs.count)
    for run in runs {
      u16(run.0, run.1, 1)
      u8(run.face, run.size)
      u32(run.color)
    }
  }
}

extension StyledText {
  /// The runs in a short notation: `0..<3 bi #ff0000`.
  var marks: [String] {
    runs.map { run in
      let style = run.style
      let face = (style.isBold ? "b" : "") + (style.isItalic ? "i" : "") + (style.isUnderlined ? "u" : "")
      let color = style.color.map { "#" + $0.hexadecimal(withAlpha: $0.alpha < 255) }
      let background = style.backgroundColor.map { "on #" + $0.hexadecimal(withAlpha: $0.alpha < 255) }
      let words = [face.isEmpty ? nil : face, color, background, style.voice, style.sizeInPercent.map { "\($0)%" }]
      return (["\(run.range)"] + words.compactMap { $0 }).joined(separator: " ")
    }
  }
}
