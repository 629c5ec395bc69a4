import MovieBox
import MovieWriter
import Subtitles

/// Measures the conversion of a subtitle file to samples, without the movie.
enum EncodedSubtitles {
  /// Prints two lines. The first line contains the times of parsing, and the second line contains the times of parsing,
  /// arranging and encoding.
  static func measure(_ file: String) throws {
    let source = try FileSource(path: file)
    let bytes = try source.read(ByteRange(0..<source.identity().byteCount))
    let clock = ContinuousClock()
    var cueCount = 0
    var byteCount = 0
    let parsing = try (0..<11).map { _ in
      try clock.measure { cueCount = try SubtitleFile.read(Array(bytes), named: file).cues.count }
    }
    let whole = try (0..<11).map { _ in
      try clock.measure {
        let cues = try SubtitleFile.read(Array(bytes), named: file).cues
        let timeline = try CueTimeline(cues, movieDuration: 86_400_000, movieTimeScale: 1_000)
        let geometry = SubtitleGeometry(pictureWidth: 1920, pictureHeight: 1080)
        byteCount = Tx3gEncoder(geometry: geometry).encode(timeline).data.count
      }
    }
    precondition(cueCount > 0 && byteCount > cueCount, "all was encoded")
    FromInside.report(parsing)
    FromInside.report(whole)
  }
}
