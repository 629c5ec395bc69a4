import TestSupport
import Testing

@testable import MovtoolCommands

/// `metadata` and `chapters` of cut-off and damaged movies print the readable part and the error, with exit code 65.
struct BrokenMovieTests {
  private func cut(_ shop: Workshop) throws {
    let bytes = TestMovie.podcast().with {
      $0.layout = .movieLast
      $0.userData = atom("©nam") { u16(4, 0x15C7) + text("Home") } + atom("©cmt") { u16(40, 0x15C7) + zeros(40) }
    }.bytes()
    try shop.folder.write(Array(bytes.dropLast(20)), as: "cut.m4a")
  }

  @Test func showsReadableMetadataAndChaptersOfADamagedMovie() throws {
    let shop = try Workshop()
    try cut(shop)
    let facts = shop.run("metadata @cut.m4a")
    #expect(facts.exitCode == .badData && facts.output.contains { $0.contains("Home") })
    let hint = "the file is incomplete or is still being written; wait until it is complete, or download it again"
    #expect(facts.errors.count == 2 && facts.errors[0].contains("declares") && facts.errors[1] == hint)
    let chapters = shop.run("chapters @cut.m4a")
    #expect(chapters.exitCode == .badData && chapters.output.count > 3 && chapters.errors.last == hint)
    for command in ["metadata", "chapters"] {
      let answer = shop.run("\(command) --json @cut.m4a")
      #expect(answer.exitCode == .badData)
      let error = try #require(answer.json["error"] as? [String: Any])
      #expect(error["code"] as? String == "truncated")
    }
    // Such a movie can be neither edited nor exported.
    for command in ["metadata @cut.m4a --set title=New", "chapters @cut.m4a --export ogm"] {
      #expect(shop.run(command).exitCode == .badData)
    }
  }

  @Test func editsMetadataOfInitializationSegments() throws {
    let shop = try Workshop()
    let old = TestMovie.simple.initial.bytes(fragments: [])
    try shop.folder.write(old, as: "init.mp4")
    let outcome = shop.run("metadata @init.mp4 --set title=Home")
    #expect(outcome.exitCode == .done)
    #expect(shop.run("metadata @init.mp4").output.contains { $0.contains("Home") })
    let new = try shop.folder.read("init.mp4")
    for type in ["mvex", "trex"] { #expect(new.firstRange(of: text(type)) != nil) }
    #expect(shop.run("metadata @init.mp4 --remove location -o @same.mp4").exitCode == .done)
    #expect(try shop.folder.read("same.mp4") == new)
    #expect(shop.run("remux @init.mp4 -o @out.mp4").exitCode == .badData)
    #expect(shop.run("metadata @init.mp4 --for-sharing -o @out.mp4").exitCode == .badData)
  }
}
