import Foundation
import TestSupport
import Testing

@testable import movtool

/// The commands that the documents show with what they print.
struct ReadmeTests {
  /// The block of commands that begins with a line, and the block of text after it.
  private func blocks(beginning first: String) throws -> (commands: [String], text: [String]) {
    let folder = URL(fileURLWithPath: TestMedia.path("en.srt")).deletingLastPathComponent().deletingLastPathComponent()
    let readme = try String(contentsOf: folder.appendingPathComponent("Docs/selection.md"), encoding: .utf8)
    let parts = readme.components(separatedBy: "\n```")
    let place = try #require(parts.firstIndex { $0.hasPrefix("sh\n" + first) })
    let text = try #require(parts[place...].first { $0.hasPrefix("text\n") })
    func lines(_ block: String) -> [String] { Array(block.components(separatedBy: "\n").dropFirst()) }
    return (lines(parts[place]), lines(text))
  }

  @Test func theTalkGetsItsMenu() throws {
    let (commands, text) = try blocks(beginning: "cp TestMedia/spanish.mov talk.mov")
    let shop = try Workshop()
    _ = try shop.folder.copy(TestMedia.path("spanish.mov"), as: "talk.mov")
    var last: [String] = []
    for command in commands.dropFirst() {
      let words = try #require(command.hasPrefix("movtool ") ? command.dropFirst("movtool ".count) : nil)
        .replacingOccurrences(of: "TestMedia/en.srt", with: TestMedia.path("en.srt"))
        .replacingOccurrences(of: "talk.mov", with: "@talk.mov")
      let outcome = shop.run(words)
      #expect(outcome.exitCode == .done && outcome.errors.isEmpty, "\(command): \(outcome.errors)")
      last = outcome.output
    }
    let start = try #require(last.firstIndex(of: text.first ?? ""))
    #expect(Array(last[start...].prefix(text.count)) == text)
  }
}
