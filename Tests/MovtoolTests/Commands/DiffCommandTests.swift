import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

struct DiffCommandTests {
  @Test func reportsIdenticalFilesInOneLine() throws {
    let outcome = try Workshop(.talk).run("diff @in.mov @in.mov")
    #expect(outcome.exitCode == .done && outcome.output == ["the same bytes"] && outcome.errors.isEmpty)
  }

  @Test func groupsDifferencesByPlace() throws {
    let shop = try Workshop(.talk)
    try shop.folder.write(
      TestMovie.talk.with {
        $0.tracks[3].group = 5
        $0.tracks[3].samples[1] = .timedText("¿Quién anda aquí?", duration: 1000)
        $0.tracks.append(TestTrack(.subtitle, id: 5))
        $0.brands = ["qt  ", "mp42"]
      }, as: "new.mov")
    let outcome = shop.run("diff @in.mov @new.mov")
    #expect(outcome.exitCode == .no && outcome.errors.isEmpty)
    #expect(
      outcome.output == [
        "File",
        "  ftyp: compatible \"qt  \" became \"mp42\"",
        "Movie",
        "  moov/mvhd: next track ID 5 became 6",
        "Tracks",
        "  added track 5: subtitle, tx3g, 3 samples, Unknown language",
        "Track 4",
        "  moov/trak[4]/tkhd: alternate group 2 became 5",
        "  moov/trak[4]/mdia/minf/stbl/stsz: size of 1 of 3 samples, first of sample 2: 21 became 22",
        "",
        "the media was moved",
        "5 differences",
      ])
  }

  @Test func checksExpectedDifferences() throws {
    let shop = try Workshop(.talk)
    #expect(shop.run("add-subtitle @in.mov @en.srt --language en -o @new.mov").exitCode == .done)
    let outcome = shop.run("diff @in.mov @new.mov --expect added:track --expect changed:group")
    #expect(outcome.output.last?.hasSuffix(", expected") == true || outcome.exitCode == .no)
    let added = shop.run("diff @in.mov @new.mov --expect added:track --allow changed:references --allow changed:group")
    #expect(added.exitCode == .done, "\(added.output)")
    let missing = shop.run("diff @in.mov @new.mov --expect added:track --expect removed:track")
    #expect(missing.exitCode == .no && missing.output.contains("expected difference not found: removed:track"))
    #expect(shop.run("diff @new.mov @in.mov --expect removed:track").exitCode == .done)
    #expect(shop.run("diff @in.mov @in.mov --expect added:track").exitCode == .no)
  }

  @Test func rejectsInvalidExpectationsAndFiles() throws {
    let shop = try Workshop(.talk)
    #expect(shop.run("diff @in.mov").exitCode == .usage)
    #expect(shop.run("diff @in.mov @in.mov @in.mov").exitCode == .usage)
    #expect(shop.run("diff @in.mov @in.mov --expect moved:track").exitCode == .usage)
    #expect(shop.run("diff @in.mov @none.mov").errors.first?.hasPrefix("none.mov: ") == true)
    #expect(shop.run("diff @none.mov @in.mov").exitCode == .noInput)
    let bad = shop.run("diff @in.mov @en.srt")
    #expect(bad.exitCode == .badData && bad.errors.first?.hasPrefix("en.srt: ") == true)
    #expect(shop.run("diff @en.srt @in.mov").errors.first?.hasPrefix("en.srt: ") == true)
  }
}
