import Foundation
import MovieBox
import MovieWriter
import Subtitles
import TestSupport

@testable import MovtoolCommands

/// A folder with a test's movies and subtitles, in which commands run.
struct Workshop {
  /// The result of a command, with the folder's name removed from the lines.
  struct Outcome {
    let exitCode: ExitCode
    let output: [String]
    let errors: [String]

    /// The answer as JSON.
    var json: [String: Any] {
      let text = Data(output.joined(separator: "\n").utf8)
      do {
        return try JSONSerialization.jsonObject(with: text) as? [String: Any] ?? [:]
      } catch {
        return [:]
      }
    }
  }

  let folder: TemporaryFolder

  /// Creates a folder with a movie and two cues in `en.srt`.
  init(_ movie: TestMovie? = nil, as name: String = "in.mov") throws {
    folder = try TemporaryFolder()
    if let movie { try folder.write(movie, as: name) }
    try write("en.srt", ["[door creaks]", "Who is there?"])
  }

  /// Writes a subtitle file whose cues last 0.4 s each and begin every half second.
  func write(_ name: String, _ texts: [String]) throws {
    let cues = texts.enumerated().map { index, text in
      "\(index + 1)\n\(Self.time(500 * index + 100)) --> \(Self.time(500 * index + 500))\n\(text)\n"
    }
    try folder.write(Array(cues.joined(separator: "\n").utf8), as: name)
  }

  private static func time(_ milliseconds: Int) -> String {
    "00:00:\(String(1000 + milliseconds / 1000 % 60).suffix(2)),\(String(1000 + milliseconds % 1000).suffix(3))"
  }

  /// Runs a command line whose words are separated by blanks. `@` before a name refers to a file of the folder.
  @discardableResult
  func run(_ line: String, _ console: Console = Console(isOnDisk: true)) -> Outcome {
    run(words: line.split(separator: " ").map(String.init), console)
  }

  /// Runs a command whose words may contain blanks.
  func run(words: [String], _ console: Console = Console(isOnDisk: true)) -> Outcome {
    let exitCode = console.run(words: words.map { $0.hasPrefix("@") ? folder.file(String($0.dropFirst())) : $0 })
    func cut(_ lines: [String]) -> [String] {
      lines.map { $0.replacingOccurrences(of: folder.path + "/", with: "") }
    }
    return Outcome(exitCode: exitCode, output: cut(console.output.lines), errors: cut(console.errors.lines))
  }

  /// Returns the place of the movie atom in a file of the folder.
  func movieAtomPlace(_ name: String = "in.mov") -> MovieReport.MovieAtomPlace? {
    let console = Console(isOnDisk: true)
    return withExtendedLifetime(console) { MovieReport(of: folder.file(name), in: console.context).movieAtomPlace }
  }

  /// Returns the movie in a file of the folder.
  func movie(_ name: String = "in.mov") throws -> Movie {
    try Movie(of: FileSource(path: folder.file(name)))
  }
}
