import Foundation
import TestSupport
import Testing

/// GStreamer's demultiplexer as a witness of an edited movie.
struct GStreamerTests {
  @Test(arguments: WitnessedEdit.cases)
  func writesTextsAndTimesOfTheFile(_ edit: WitnessedEdit.Case) throws {
    let launch = try Witness.require("gst-launch-1.0")
    let movie = try WitnessedEdit(edit)
    let folder = try TemporaryFolder()
    // Each text is a separate file; the other sink prints the times.
    let pad = edit.movie == "spanish.mov" ? "subtitle_1" : "subtitle_0"
    let result = try launch.run([
      "-v", "filesrc", "location=\(movie.new)", "!", "qtdemux", "name=d", "d.\(pad)", "!", "queue", "!", "tee",
      "name=t", "t.", "!", "queue", "!", "fakesink", "silent=false", "t.", "!", "queue", "!", "multifilesink",
      "location=\(folder.path)/%05d.txt",
    ])
    #expect(result.code == 0, "\(result.errorText)")
    let times = try result.outputText.split(separator: "\n").filter { $0.contains("chain   *****") }.map { row in
      (try time("pts", in: String(row)), try time("duration", in: String(row)))
    }
    let texts = try folder.names().map { String(decoding: try folder.read($0), as: UTF8.self) }
    #expect(times.count == texts.count)
    let lines = zip(times, texts).map { time, text in
      WitnessedEdit.Line(start: time.0, end: time.0 + time.1, text: text)
    }
    #expect(lines == movie.lines)
  }

  @Test(arguments: EditStrategy.allCases)
  func writesTheLanguageForGStreamer(_ strategy: EditStrategy) throws {
    let launch = try Witness.require("gst-launch-1.0")
    let movie = try WitnessedEdit(.init(movie: "interview.mov", strategy: strategy))
    let result = try launch.run([
      "-v", "filesrc", "location=\(movie.new)", "!", "qtdemux", "name=d", "d.subtitle_0", "!", "queue", "!",
      "fakesink", "silent=false",
    ])
    #expect(result.outputText.contains("language-code\\=\\(string\\)en"))
  }

  /// Returns the milliseconds of `pts: 0:00:01.500000000`. Throws if they are not whole.
  private func time(_ name: String, in row: String) throws -> Int {
    let text = try #require(row.components(separatedBy: "\(name): ").dropFirst().first)
    let parts = text.prefix { "0123456789:.".contains($0) }.split { ":.".contains($0) }.map { Int($0) ?? -1 }
    try #require(parts.count == 4 && parts[3] % 1_000_000 == 0, "\(row)")
    return ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1000 + parts[3] / 1_000_000
  }
}
