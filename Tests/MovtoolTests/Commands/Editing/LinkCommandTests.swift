import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

struct LinkCommandTests {
  @Test func linksAreMadeAndClearedInPlace() throws {
    let shop = try Workshop(.talk)
    let outcome = shop.run("link @in.mov --follow audio:es=subtitle:es")
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    #expect(outcome.output.first == "track 3 is followed by track 4 (folw)")
    #expect(try shop.movie().track(3)?.referenced("folw") == [4])
    let clear = shop.run("link @in.mov --clear id:3=id:4 --json")
    let links = try #require(clear.json["links"] as? [[String: Any]])
    #expect(links.count == 1 && links.first?["isRemoved"] as? Bool == true)
    #expect(try shop.movie().track(3)?.referenced("folw") == [])
  }

  @Test func checksTheDirectionOfReferences() throws {
    let shop = try Workshop(.talk)
    let old = try shop.folder.read("in.mov")
    let outcome = shop.run("link @in.mov --follow subtitle:es=audio:es")
    #expect(outcome.exitCode == .usage)
    #expect(
      outcome.errors.first
        == "movtool link: audio is followed by subtitles (folw), not the other way round: specify the audio track first"
    )
    #expect(shop.run("link @in.mov --clear id:3=id:4").exitCode == .usage)
    #expect(try shop.folder.read("in.mov") == old)
  }

  @Test func pairsRegularAndForcedSubtitlesByLanguage() throws {
    let shop = try Workshop(.talk)
    #expect(shop.run("add-subtitle @in.mov @en.srt --language es --forced").exitCode == .done)
    #expect(shop.run("link @in.mov --clear id:4=id:5").exitCode == .done)
    #expect(shop.run("remove @in.mov --track subtitle:es").exitCode == .usage)
    let outcome = shop.run("link @in.mov --forced subtitle:es=subtitle:es --follow audio:en=subtitle:es")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    #expect(try shop.movie().track(4)?.referenced("forc") == [5])
    // Of a pair, the forced-only track is preferred.
    #expect(try shop.movie().track(2)?.referenced("folw") == [5])
    #expect(shop.run("set @in.mov --track subtitle:es,regular --title Todo").exitCode == .done)
    #expect(try shop.movie().track(4)?.title == "Todo")
  }

  @Test(
    arguments: [
      ["--follow id:2=subtitle:en,regular", "--forced id:5=id:6"],
      ["--forced id:5=id:6", "--follow id:2=subtitle:en,regular"],
    ])
  func ignoresTheOrderOfLinks(_ links: [String]) throws {
    let shop = try Workshop(
      .right.with {
        $0.tracks[1].references = []
        $0.tracks[4].references = []
      })
    #expect(shop.run("link @in.mov " + links.joined(separator: " ")).exitCode == .done)
    #expect(try shop.movie().track(2)?.referenced("folw") == [6])
  }

  @Test(arguments: ["--clear id:2=id:6 --follow id:2=id:6", "--follow id:2=id:6 --clear id:2=id:6"])
  func rejectsALinkThatUndoesAnother(_ links: String) throws {
    let outcome = try Workshop(.right).run("link @in.mov " + links)
    #expect(outcome.exitCode == .usage && outcome.errors.first?.contains("one change undoes the other") == true)
  }

  @Test func rejectsASelectorThatMatchesSimilarTracks() throws {
    let shop = try Workshop(.talk)
    #expect(shop.run("add-subtitle @in.mov @en.srt --language es --sdh").exitCode == .done)
    let outcome = shop.run("link @in.mov --forced subtitle:es=subtitle:es")
    #expect(outcome.exitCode == .usage)
    #expect(outcome.errors.first?.contains("matches several tracks: id:4 is subtitle, Spanish; id:5") == true)
  }

  @Test func linksByLanguageOnce() throws {
    let shop = try Workshop(.talk)
    let outcome = shop.run("link @in.mov --auto")
    #expect(outcome.output.first == "track 3 is followed by track 4 (folw)")
    let again = shop.run("link @in.mov --auto")
    #expect(again.exitCode == .done && again.output == ["nothing to change: in.mov is unchanged"])
  }

  @Test func linksVideoAndCaptions() throws {
    let captions = TestCaptions.track(
      id: 9, [TestCaptions.sample(TestCaptions.load("Hello!") + TestCaptions.endOfCaption, duration: 30_000)])
    let shop = try Workshop(.talk.with { $0.tracks.append(captions) })
    let finding = shop.run("validate @in.mov --target apple -v").output
    #expect(finding.contains { $0.contains("caption.no-reference") }, "\(finding)")
    #expect(finding.contains { $0.contains("link") && $0.contains("--captions id:1=id:9") }, "\(finding)")
    let outcome = shop.run("link @in.mov --captions video=caption")
    #expect(outcome.output.first == "track 1 has its captions in track 9 (clcp)", "\(outcome.errors)")
    #expect(try shop.movie().track(1)?.referenced("clcp") == [9])
    #expect(!shop.run("validate @in.mov --target apple").output.contains { $0.contains("caption.no-reference") })
    #expect(shop.run("link @in.mov --clear id:1=id:9").exitCode == .done)
    #expect(shop.run("link @in.mov --auto").output.contains("track 1 has its captions in track 9 (clcp)"))
    #expect(try shop.movie().track(1)?.referenced("clcp") == [9])
    let wrong = shop.run("link @in.mov --captions id:2=caption")
    #expect(wrong.exitCode == .usage && wrong.errors.first?.contains("from a video track to a caption track") == true)
  }

  @Test(arguments: [
    ("", UsageError.Code.missingOperand), ("a.mov", .missingOperand), ("a.mov --follow audio", .invalidValue),
    ("a.mov --follow a=b=c", .invalidValue), ("a.mov --follow audio=sub", .invalidValue),
    ("a.mov --auto --append -o b.mov", .conflict),
  ])
  func rejectsInvalidOptions(line: String, code: UsageError.Code) throws {
    let words = line.split(separator: " ").map(String.init)
    let error = try #require(throws: UsageError.self) { try LinkCommand.parse(words) }
    #expect(error.code == code && error.command == "link", "\(error)")
  }
}
