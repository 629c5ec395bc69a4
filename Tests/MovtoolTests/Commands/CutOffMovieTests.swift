import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// All commands treat cut-off files, and two movies in one file, in the same way.
struct CutOffMovieTests {
  /// Fragmented video and audio, cut off in the audio of the last fragment.
  private static let recording: [UInt8] = {
    let fragment = TestFragment([
      .init(id: 1, runs: [.init(.pictures(6, around: 20, duration: 50))]),
      .init(id: 2, runs: [.init(.varied(5, around: 10, duration: 60))]),
    ])
    return TestMovie.simple.initial.with { $0.dialect = .iso }.bytes(fragments: [fragment, fragment])
  }()

  private func shop() throws -> Workshop {
    let shop = try Workshop()
    try shop.folder.write(Array(Self.recording.dropLast(12)), as: "cut.mp4")
    let plain = TestMovie.simple.with { $0.layout = .movieFirst }
    try shop.folder.write(Array(plain.bytes().dropLast(40)), as: "plain.mov")
    return shop
  }

  @Test(arguments: [
    "metadata @cut.mp4", "chapters @cut.mp4", "select @cut.mp4", "diff @cut.mp4 @cut.mp4", "extract @cut.mp4",
    "html @cut.mp4 -o @page.html", "add-subtitle @cut.mp4 @en.srt -o @out.mp4",
    "set @cut.mp4 --track video --title A -o @out.mp4", "remux @cut.mp4 -o @out.mp4 --flatten",
    "remux @cut.mp4 -o @out.mp4 --salvage", "remux @cut.mp4 -o @out.mov", "remux @plain.mov -o @out.mov --salvage",
    "metadata @plain.mov", "chapters @plain.mov", "select @plain.mov",
  ])
  func warnsWhereATrackIsCutOff(line: String) throws {
    let outcome = try shop().run(line)
    let track = line.contains("plain") ? 1 : 2
    #expect(
      outcome.errors.contains { $0.hasPrefix("warning: ") && $0.contains("track \(track) is incomplete from 00:00:") })
  }

  @Test func inspectAndValidateReportMissingSamples() throws {
    let shop = try shop()
    let inspection = shop.run("inspect @cut.mp4")
    #expect(inspection.output.contains { $0.contains("Editing") && $0.contains("--salvage") })
    #expect(inspection.output.contains { $0.contains("track 2 is incomplete from") })
    let files = try #require(shop.run("inspect --json @cut.mp4 @plain.mov").json["files"] as? [[String: Any]])
    for (file, isPossible) in zip(files, [true, false]) {
      let missing = try #require(file["missingSamples"] as? [[String: Any]])
      #expect(missing.contains { $0["track"] as? Int == (isPossible ? 2 : 1) && ($0["sampleCount"] as? Int ?? 0) > 0 })
      let editing = try #require(file["editing"] as? [String: Any])
      #expect(editing["canSalvage"] as? Bool == true && editing["isPossible"] as? Bool == isPossible)
      #expect(editing["isInPlace"] as? Bool == false)
    }
    let validation = shop.run("validate @cut.mp4")
    #expect(validation.exitCode == .no)
    #expect(validation.output.contains { $0.contains("file.cut-off") })
    #expect(validation.output.contains { $0.contains("movtool remux cut.mp4 -o OUT --salvage") })
  }

  @Test(arguments: [
    "set @cut.mp4 --track video --title A", "add-subtitle @cut.mp4 @en.srt --language en",
    "metadata @cut.mp4 --set title=A", "remove @cut.mp4 --track audio",
  ])
  func rejectsAnInPlaceEditAndSuggestsAWorkingCommand(line: String) throws {
    let shop = try shop()
    let before = try shop.folder.read("cut.mp4")
    let outcome = shop.run(line)
    #expect(outcome.exitCode == .badData)
    #expect(outcome.errors.contains { $0.contains("only copy") && $0.contains("track 2 is incomplete from") })
    #expect(try shop.folder.read("cut.mp4") == before)
    let hint = try #require(outcome.errors.first { $0.hasPrefix("try: movtool ") }).dropFirst("try: movtool ".count)
    // The folder's name has been removed from the line.
    let words = hint.filter { $0 != "'" }.split(separator: " ").map { word in
      ["cut.mp4", "cut-salvaged.mp4", "en.srt"].contains(String(word)) ? "@" + word : String(word)
    }
    #expect(shop.run(words: words).exitCode == .done, "\(hint)")
    #expect(try Movie(of: FileSource(path: shop.folder.file("cut-salvaged.mp4"))).layout.cutOffset == nil)
    #expect(try shop.folder.read("cut.mp4") == before)
  }

  @Test(arguments: ["remux @plain.mov -o @out.mov", "set @plain.mov --track video --title A"])
  func rejectsACutOffMovieAndSuggestsSalvage(line: String) throws {
    let outcome = try shop().run(line)
    #expect(outcome.exitCode == .badData)
    #expect(outcome.errors.contains { $0.contains("try: movtool remux plain.mov -o plain-salvaged.mov --salvage") })
  }

  @Test func listsRemainingSamplesOfACutOffMovie() throws {
    let shop = try shop()
    let movie = try Movie(of: FileSource(path: shop.folder.file("plain.mov")))
    let missing = try #require(movie.missingSamples().first)
    let files = try #require(shop.run("inspect --json @plain.mov").json["files"] as? [[String: Any]])
    let tracks = try #require(files.first?["tracks"] as? [[String: Any]])
    for track in tracks {
      let id = try #require((track["id"] as? Int).map { UInt32($0) })
      let listed = try #require(movie.track(id)).samples.sampleCount
      let lost = id == missing.trackID ? try #require(missing.sampleCount) : 0
      #expect(track["sampleCount"] as? Int == listed - lost)
    }
  }

  @Test func listsACutOffFragmentOnce() throws {
    let shop = try Workshop()
    let start = try #require(SecondReader(Self.recording).topLevel.last { $0.type == "moof" }).offset
    try shop.folder.write(Array(Self.recording[..<(Int(start) + 40)]), as: "cut.mp4")
    let findings = shop.run("inspect @cut.mp4").output.filter { $0.contains("moof at byte") }
    #expect(findings.count == 1, "\(findings)")
  }

  @Test func reportsThatSalvageFoundNothingMissing() throws {
    let shop = try Workshop(.simple)
    let outcome = shop.run("remux @in.mov -o @out.mov --salvage")
    #expect(outcome.exitCode == .done && outcome.errors.contains { $0.contains("--salvage has no effect") })
  }

  @Test func explainsAMissingMovieAtom() throws {
    let shop = try Workshop()
    let bytes = TestMovie.simple.bytes()
    let movieAtom = try #require(SecondReader(bytes).topLevel.first { $0.type == "moov" })
    for cut in [Int(movieAtom.offset), Int(movieAtom.offset) - 9, Int(movieAtom.end) - 9] {
      try shop.folder.write(Array(bytes[..<cut]), as: "cut.mov")
      let outcome = shop.run("remux @cut.mov -o @out.mov --salvage")
      #expect(outcome.exitCode == .badData)
      #expect(outcome.errors.contains { $0.contains("without another movie of the same recorder") }, "\(cut)")
    }
  }

  @Test(arguments: [
    "inspect @two.mp4", "validate @two.mp4", "metadata @two.mp4", "chapters @two.mp4", "select @two.mp4",
    "extract @two.mp4", "diff @two.mp4 @cut.mp4", "hls @two.mp4 -o @hls", "html @two.mp4 -o @page.html",
    "set @two.mp4 --track video --title A", "add-subtitle @two.mp4 @en.srt", "remux @two.mp4 -o @out.mp4 --flatten",
    "remux @two.mp4 -o @out.mp4 --salvage",
  ])
  func rejectsTwoConcatenatedMovies(line: String) throws {
    let shop = try shop()
    try shop.folder.write(Self.recording + Self.recording, as: "two.mp4")
    let outcome = shop.run(line)
    #expect(outcome.exitCode == .badData)
    let text = (outcome.errors + outcome.output).joined(separator: "\n")
    #expect(text.contains("more than one movie atom"))
    #expect(text.contains("head -c \(Self.recording.count) two.mp4 > two-1.mp4"))
  }

  @Test func listsAtomsOfTheFirstOfTwoMovies() throws {
    let shop = try shop()
    try shop.folder.write(Self.recording + Self.recording, as: "two.mp4")
    let lines = shop.run("inspect @two.mp4").output
    #expect(lines.filter { $0.hasSuffix(" moov") }.count == 2 && lines.filter { $0.hasSuffix("  mvhd") }.count == 1)
  }

  /// A chunk offset past the end of a complete file is a different defect.
  @Test func suggestsNoSalvageForAWrongChunkOffset() throws {
    let shop = try Workshop()
    var bytes = TestMovie.simple.bytes()
    let stco = try #require(SecondReader(bytes).atoms.first { $0.type == "stco" })
    bytes[Int(stco.contentOffset) + 8] = 0x7F
    try shop.folder.write(bytes, as: "in.mov")
    let outcome = shop.run("set @in.mov --track video --title A")
    #expect(outcome.exitCode == .badData && outcome.errors.allSatisfy { !$0.contains("--salvage") }, "\(outcome)")
  }
}
