import Foundation
import MovieBox
import MovieWriter
import SubtitleTestSupport
import Subtitles
import TestSupport
import Testing

/// A movie before and after an English SDH track is added, for other programs to examine.
struct WitnessedEdit {
  /// A text as other programs should show it, without markup.
  struct Line: Equatable {
    let start: Int
    let end: Int
    let text: String
  }

  /// A movie, a subtitle file and a strategy.
  struct Case: Sendable, CustomStringConvertible {
    let movie: String
    let strategy: EditStrategy
    var description: String { "\(movie), \(strategy.rawValue)" }
  }

  /// The movies of `TestMedia`, by every strategy.
  static let cases = ReadyMovies.files.flatMap { movie in EditStrategy.allCases.map { Case(movie: movie, strategy: $0) }
  }

  /// Real movies with a variety of contents that programs list.
  static let wild = [
    "atl-chapters-qt.m4v", "gopro-samples-hero7.mp4", "jcodec-itunes.mov", "made-spanish.mov", "made-torture.mov",
    "media3-dolbyvision-hdr.mov", "media3-sample-with-metadata.mp4", "mp4parse-metadata.mp4", "opf-hdv-720p30.mov",
    "streamio-awesome-movie-with-subtitles.m4v", "streamio-vertical-video-from-iphone.mov",
  ]

  let name: String
  let old: String
  let new: String
  let trackID: UInt32
  let lines: [Line]
  private let folder: TemporaryFolder

  /// Edits a movie of `TestMedia` with `en.srt`.
  init(_ edit: Case) throws {
    let subtitles = try [UInt8](Data(contentsOf: URL(fileURLWithPath: TestMedia.path("en.srt"))))
    try self.init(TestMedia.path(edit.movie), edit.strategy, subtitles)
  }

  /// Edits any movie, with three cues that suit its length.
  init(wild path: String, _ strategy: EditStrategy) throws {
    let movie = try TrialChecks.movieDuration(SecondReader(path: path))
    let pieces = TrialTrack.english.pieces(movieMilliseconds: movie.ticks * 1000 / movie.timeScale)
    let shown = pieces.filter { !$0.text.isEmpty }
    let text = shown.map { "\(Self.time($0.start)) --> \(Self.time($0.end))\n\($0.text)\n" }.joined(separator: "\n")
    try self.init(path, strategy, Array(text.utf8))
  }

  private init(_ path: String, _ strategy: EditStrategy, _ subtitles: [UInt8]) throws {
    name = "\(URL(fileURLWithPath: path).lastPathComponent), \(strategy.rawValue)"
    folder = try TemporaryFolder()
    old = path
    let result = try strategy.add(try SubRipReader.read(subtitles).cues, to: path, in: folder, as: "new.mov")
    new = result.path
    trackID = result.trackID
    lines = Self.lines(String(decoding: subtitles, as: UTF8.self))
  }

  private static func time(_ milliseconds: UInt64) -> String {
    let parts = [milliseconds / 3_600_000, milliseconds / 60_000 % 60, milliseconds / 1000 % 60]
    return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":") + ",\(1000 + milliseconds % 1000)".dropTwo
  }

  /// Returns the cues of a plain SubRip text, by a parser for tests that only reads regular files.
  static func lines(_ text: String) -> [Line] {
    text.replacingOccurrences(of: "\r", with: "").components(separatedBy: "\n\n").compactMap { block in
      let rows = block.split(separator: "\n").map(String.init)
      guard let timing = rows.firstIndex(where: { $0.contains(" --> ") }) else { return nil }
      let times = rows[timing].components(separatedBy: " --> ").map(milliseconds)
      let shown = rows[(timing + 1)...].joined(separator: "\n")
      return Line(start: times[0], end: times[1], text: withoutTags(shown))
    }
  }

  private static func milliseconds(_ text: String) -> Int {
    let numbers = text.split { ":,.".contains($0) }.map { Int($0) ?? -1 }
    return ((numbers[0] * 60 + numbers[1]) * 60 + numbers[2]) * 1000 + numbers[3]
  }

  static func withoutTags(_ text: String) -> String {
    text.replacingOccurrences(of: "<[^>]*>", with: "", options: .regularExpression)
  }
}

extension String {
  /// Returns `,042` for `,1042`.
  fileprivate var dropTwo: String { String(prefix(1) + dropFirst(2)) }
}
