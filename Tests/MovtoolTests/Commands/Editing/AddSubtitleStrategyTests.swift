import Foundation
import MovieBox
import MovieWriter
import Subtitles
import TestSupport
import Testing

@testable import MovtoolCommands

/// The effects of `add-subtitle` on files: strategies, options of the whole command, exit codes.
struct AddSubtitleStrategyTests {
  @Test func editsATrailingMovieAtomInPlaceAndKeepsTheRest() throws {
    let shop = try Workshop(.torture)
    let old = try shop.folder.read("in.mov")
    let outcome = shop.run("add-subtitle @in.mov @en.srt --sdh")
    #expect(outcome.exitCode == .done)
    #expect(outcome.errors.isEmpty)
    let new = try shop.folder.read("in.mov")
    let written = UInt64(new.count - old.count + 8)
    #expect(
      outcome.output.prefix(2) == [
        "added English SDH: track 5 from en.srt, 2 cues, group 7, not the default",
        "edited in.mov in place: \(Quantity.exactBytes(written)) written",
      ])
    #expect(try differences(old: old, new: new, allowing: .adding(5)).isEmpty)
    #expect(try shop.folder.names() == ["en.srt", "in.mov"])
  }

  @Test func keepsTheEditIfTheSummaryCannotBePrinted() throws {
    for options in ["", " --json", " --fast-start"] {
      let shop = try Workshop(.simple)
      let console = Console(isOnDisk: true)
      console.output.failsAtWrite = 1
      let outcome = shop.run("add-subtitle @in.mov @en.srt" + options, console)
      #expect(outcome.exitCode == .done)
      #expect(outcome.errors.last?.contains("in.mov: the movie is edited, but the summary could not be shown") == true)
      #expect(try shop.movie().tracks.count == 3)
      #expect(console.holdsStops == [true, false])

      // The edit is kept even if standard error has failed too.
      let silent = Console(isOnDisk: true)
      silent.output.failsAtWrite = 1
      silent.errors.failsAtWrite = 1
      try shop.write("other.srt", ["One"])
      #expect(shop.run("add-subtitle @in.mov @other.srt --language es", silent).exitCode == .done)
      #expect(try shop.movie().tracks.count == 4)
    }
  }

  @Test func reportsAnErrorIfThePlanCannotBePrinted() throws {
    let shop = try Workshop(.simple)
    let old = try shop.folder.read("in.mov")
    let console = Console(isOnDisk: true)
    console.output.failsAtWrite = 1
    #expect(shop.run("add-subtitle @in.mov @en.srt --dry-run", console).exitCode != .done)
    #expect(try shop.folder.read("in.mov") == old)
  }

  @Test func rewritesAFastStartMovieAsFastStart() throws {
    let shop = try Workshop(TestMovie.simple.with { $0.layout = .movieFirst })
    let old = try shop.folder.read("in.mov")
    let outcome = shop.run("add-subtitle @in.mov @en.srt")
    #expect(outcome.exitCode == .done)
    #expect(outcome.output.last?.hasPrefix("rewrote in.mov, because media follows the movie atom") == true)
    var allowed = AllowedChanges.adding(3)
    allowed.references = [2: ["folw"]]
    #expect(try differences(old: old, new: shop.folder.read("in.mov"), allowing: allowed).isEmpty)
    #expect(shop.movieAtomPlace("in.mov") == .first)
    #expect(try shop.folder.names() == ["en.srt", "in.mov"])
  }

  @Test func writesANewFileAndKeepsTheInput() throws {
    let shop = try Workshop(.simple)
    let old = try shop.folder.read("in.mov")
    let outcome = shop.run("add-subtitle @in.mov @en.srt -o @out.mov --sync")
    #expect(outcome.exitCode == .done)
    #expect(outcome.output.last?.hasPrefix("wrote out.mov: ") == true)
    #expect(try shop.folder.read("in.mov") == old)
    #expect(try shop.movie("out.mov").tracks.count == 3)
    #expect(try shop.folder.names() == ["en.srt", "in.mov", "out.mov"])
  }

  @Test func writesTheMovieAtomFirstForFastStart() throws {
    let shop = try Workshop(.simple)
    #expect(shop.run("add-subtitle @in.mov @en.srt --fast-start -o @out.mov").exitCode == .done)
    let outcome = shop.run("add-subtitle @in.mov @en.srt --fast-start --pad 0")
    #expect(outcome.output.last?.hasPrefix("rewrote in.mov, because fast start was requested: ") == true)
    for name in ["in.mov", "out.mov"] {
      #expect(shop.movieAtomPlace(name) == .first)
    }
    #expect(try shop.folder.read("in.mov") == shop.folder.read("out.mov"))
  }

  @Test func overwritesAnOutputOnlyWithForce() throws {
    let shop = try Workshop(.simple)
    try shop.folder.write([1, 2, 3], as: "out.mov")
    let refused = shop.run("add-subtitle @in.mov @en.srt -o @out.mov")
    #expect(refused.exitCode == .cannotCreate)
    #expect(refused.errors == ["out.mov: already exists", "--force overwrites it"])
    #expect(try shop.folder.read("out.mov") == [1, 2, 3])
    #expect(shop.run("add-subtitle @in.mov @en.srt -o @out.mov --force").exitCode == .done)
    #expect(try shop.movie("out.mov").tracks.count == 3)
    #expect(try shop.folder.names() == ["en.srt", "in.mov", "out.mov"])
  }

  @Test func rejectsTheInputUnderAnotherNameAsTheOutput() throws {
    let shop = try Workshop(.simple)
    let old = try shop.folder.read("in.mov")
    let files = FileManager.default
    try files.createSymbolicLink(atPath: shop.folder.file("link.mov"), withDestinationPath: "in.mov")
    try files.linkItem(atPath: shop.folder.file("in.mov"), toPath: shop.folder.file("hard.mov"))
    for name in ["in.mov", "link.mov", "hard.mov", "en.srt"] {
      #expect(shop.run("add-subtitle @in.mov @en.srt --force -o @\(name)").exitCode == .usage, "\(name)")
    }
    #expect(try shop.folder.read("in.mov") == old)
  }

  @Test(arguments: [[TestMovie.Piece].movieLast, .movieFirst])
  func editsTheTargetOfASymbolicLink(layout: [TestMovie.Piece]) throws {
    let shop = try Workshop(TestMovie.simple.with { $0.layout = layout })
    try FileManager.default.createSymbolicLink(atPath: shop.folder.file("link.mov"), withDestinationPath: "in.mov")
    #expect(shop.run("add-subtitle @link.mov @en.srt").exitCode == .done)
    #expect(try shop.movie().tracks.count == 3)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: shop.folder.file("link.mov")) == "in.mov")
    #expect(try shop.folder.names() == ["en.srt", "in.mov", "link.mov"])
  }

  @Test func reportsOtherHardLinksOfAReplacedFile() throws {
    let shop = try Workshop(TestMovie.simple.with { $0.layout = .movieFirst })
    try FileManager.default.linkItem(atPath: shop.folder.file("in.mov"), toPath: shop.folder.file("other.mov"))
    let outcome = shop.run("add-subtitle @in.mov @en.srt")
    #expect(outcome.exitCode == .done)
    #expect(outcome.errors == ["note: another hard link still refers to the old movie"])
    #expect(try shop.movie("other.mov").tracks.count == 2)
  }

  @Test func dryRunShowsThePlanAndWritesNothing() throws {
    for layout in [[TestMovie.Piece].movieLast, .movieFirst] {
      let shop = try Workshop(TestMovie.simple.with { $0.layout = layout })
      let old = try shop.folder.read("in.mov")
      let outcome = shop.run("add-subtitle @in.mov @en.srt --dry-run")
      #expect(outcome.exitCode == .done)
      #expect(outcome.output.first?.hasPrefix("would add English: track 3 from en.srt, 2 cues") == true)
      let planned = shop.run("add-subtitle @in.mov @en.srt --dry-run --json").json
      let extents = try #require(planned["extents"] as? [[String: Any]])
      #expect(outcome.output.suffix(extents.count + 1).first?.hasSuffix("from") == true)
      #expect(planned["bytesWritten"] as? Int == 0 && planned["isWritten"] as? Bool == false)
      #expect(try shop.folder.read("in.mov") == old)
      #expect(try shop.folder.names() == ["en.srt", "in.mov"])

      let done = shop.run("add-subtitle @in.mov @en.srt --json").json
      for member in ["strategy", "bytesGenerated", "bytesCopied", "bytesUnused", "fileByteCount"] {
        #expect("\(planned[member] ?? "")" == "\(done[member] ?? "")", "\(member)")
      }
      #expect(try done["fileByteCount"] as? Int == shop.folder.read("in.mov").count)
      let lengths = extents.compactMap { $0["byteCount"] as? Int }
      #expect(lengths.reduce(0, +) == done["fileByteCount"] as? Int)
    }
  }

  @Test func dryRunOfThousandsOfExtentsShowsTheFirst() throws {
    let shop = try Workshop(.torture.with { $0.storesTrackAfterTrack = true })
    let line = "remux @in.mov -o @out.mov --interleave --dry-run"
    let extents = try #require(shop.run(line + " --json").json["extents"] as? [Any])
    let lines = shop.run(line).output
    let rows = try #require(lines.firstIndex { $0.hasSuffix("from") }).advanced(by: 1)
    #expect(extents.count > 20 && lines.count == rows + 21)
    #expect(lines.last == "and \(extents.count - 20) more; --json lists all of them")
  }

  @Test func strictWritesNothingWhenThereAreWarnings() throws {
    let shop = try Workshop(.simple)
    let old = try shop.folder.read("in.mov")
    try shop.write("film.srt", ["Who is there?"])
    let outcome = shop.run("add-subtitle @in.mov @film.srt --strict")
    #expect(outcome.exitCode == .no)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.last == "nothing was written because of a warning and --strict")
    let json = shop.run("add-subtitle @in.mov @film.srt --strict --json")
    #expect(json.exitCode == .no && json.errors.isEmpty)
    #expect(json.json["isWritten"] as? Bool == false)
    #expect(shop.run("add-subtitle @in.mov @film.srt --strict -o @out.mov").exitCode == .no)
    #expect(try shop.folder.read("in.mov") == old)
    #expect(try shop.folder.names() == ["en.srt", "film.srt", "in.mov"])
    #expect(shop.run("add-subtitle @in.mov @en.srt --strict").exitCode == .done)
  }

  @Test func keepsTheOldMovieWhenInterruptedAnywhere() throws {
    for (layout, options) in [([TestMovie.Piece].movieLast, ""), (.movieFirst, ""), (.movieLast, " -o @out.mov")] {
      let shop = try Workshop(TestMovie.simple.with { $0.layout = layout })
      let old = try shop.folder.read("in.mov")
      var stops = 0
      while stops < 100 {
        let console = Console(isOnDisk: true)
        console.stopsAfter = stops
        let outcome = shop.run("add-subtitle @in.mov @en.srt" + options, console)
        if outcome.exitCode == .done { break }
        #expect(outcome.exitCode == .interrupted)
        #expect(outcome.output.isEmpty)
        #expect(try shop.folder.read("in.mov") == old)
        #expect(try shop.folder.names() == ["en.srt", "in.mov"])
        stops += 1
      }
      #expect((3..<100).contains(stops))
    }
  }

  @Test func reportsManyUnusedBytes() throws {
    let shop = try Workshop(.simple)
    // Space for later edits does not count, nor does the old movie atom.
    let outcome = shop.run("add-subtitle @in.mov @en.srt")
    #expect(outcome.output.last?.hasPrefix("edited in.mov in place") == true)
    let removal = shop.run("remove @in.mov --track audio")
    #expect(removal.output.last?.contains("of in.mov (") == true)
    #expect(removal.output.last?.contains("; movtool remux ") == true)
    #expect(removal.output.last?.hasSuffix("in.mov --compact -o OUT removes them") == true)
    let fresh = shop.run("add-subtitle @in.mov @en.srt --language ja -o @out.mov")
    #expect(fresh.exitCode == .done)
  }

  @Test func printsProgressAsJSONLinesOnRequest() throws {
    let shop = try Workshop(TestMovie.simple.with { $0.layout = .movieFirst })
    let outcome = shop.run("add-subtitle @in.mov @en.srt --progress json")
    #expect(outcome.exitCode == .done)
    let count = try shop.folder.read("in.mov").count
    #expect(outcome.errors.last?.hasPrefix("{\"done\":\(count),\"total\":\(count),") == true)
    try shop.write("other.srt", ["One"])
    #expect(shop.run("add-subtitle @in.mov @other.srt --progress none --language fr").errors.isEmpty)
  }
}

// MARK: - Impossible edits

extension AddSubtitleStrategyTests {
  @Test func missingFilesAreNamed() throws {
    let shop = try Workshop(.simple)
    #expect(shop.run("add-subtitle @none.mov @en.srt").exitCode == .noInput)
    let outcome = shop.run("add-subtitle @in.mov @fr.srt")
    #expect(outcome.exitCode == .noInput)
    #expect(outcome.errors.first?.hasPrefix("fr.srt: ") == true)
    #expect(shop.run("add-subtitle @in.mov @en.srt -o @no/out.mov").exitCode == .cannotCreate)
  }

  @Test func reportsTheLineOfUnusableSubtitles() throws {
    let shop = try Workshop(.simple)
    let old = try shop.folder.read("in.mov")
    try shop.folder.write([], as: "empty.en.srt")
    try shop.folder.write(Array("no cues here\n".utf8), as: "text.en.srt")
    try shop.folder.write([0xFF, 0xFE, 0x00], as: "odd.en.srt")
    for name in ["empty", "text", "odd"] {
      let outcome = shop.run("add-subtitle @in.mov @\(name).en.srt")
      #expect(outcome.exitCode == .badData, "\(name)")
      #expect(outcome.errors.last?.hasPrefix("\(name).en.srt: ") == true, "\(outcome.errors)")
    }
    #expect(try shop.folder.read("in.mov") == old)
  }

  @Test func subtitleFileBeyondTheLimitIsNotRead() throws {
    let shop = try Workshop(.simple)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: shop.folder.file("en.srt")))
    try file.truncate(atOffset: 17 << 20)
    try file.close()
    let outcome = shop.run("add-subtitle @in.mov @en.srt --json")
    #expect(outcome.exitCode == .badData)
    #expect((outcome.json["error"] as? [String: Any])?["code"] as? String == "subtitle-limit")
  }

  @Test func reportsThePlaceOfTheDefectInAnUneditableMovie() throws {
    let shop = try Workshop(TestMovie.simple.with { $0.tracks = [] })
    #expect(shop.run("add-subtitle @in.mov @en.srt").errors == ["in.mov: moov at byte 36: the movie has no tracks"])
    let whole = TestMovie.simple.with { $0.layout = .movieFirst }.bytes()
    try shop.folder.write(Array(whole.dropLast(10)), as: "cut.mov")
    let outcome = shop.run("add-subtitle @cut.mov @en.srt")
    #expect(outcome.exitCode == .badData)
    #expect(outcome.errors.first?.contains("reaches past the end of the file") == true, "\(outcome.errors)")
    try shop.folder.write(Array("hello".utf8), as: "text.mov")
    #expect(shop.run("add-subtitle @text.mov @en.srt").exitCode == .badData)
  }

  /// Not applicable to root, who may write everywhere.
  @Test(.enabled(if: getuid() != 0)) func rejectsAReadOnlyMovieInAReadOnlyFolder() throws {
    let shop = try Workshop(.simple)
    let old = try shop.folder.read("in.mov")
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: shop.folder.file("in.mov"))
    try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: shop.folder.path)
    #expect(shop.run("add-subtitle @in.mov @en.srt").exitCode == .cannotCreate)
    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: shop.folder.path)
    #expect(try shop.folder.read("in.mov") == old)
    #expect(try shop.folder.names() == ["en.srt", "in.mov"])
  }
}
