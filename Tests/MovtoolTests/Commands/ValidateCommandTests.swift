import MovieBox
import MovieWriter
import TestSupport
import Testing

@testable import MovtoolCommands

struct ValidateCommandTests {
  /// A movie with two enabled audio tracks.
  private let broken = TestMovie.right.with { $0.tracks[2].isEnabled = true }

  @Test func acceptsAConformingMovie() throws {
    let outcome = try Workshop(.right).run("validate @in.mov")
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    #expect(outcome.output == ["in.mov: no findings"])
    #expect(try Workshop(.rightISO, as: "in.mp4").run("validate --target iso @in.mp4").exitCode == .done)
  }

  @Test func printsRuleEffectAndFix() throws {
    let outcome = try Workshop(broken).run("validate @in.mov")
    #expect(outcome.exitCode == .no)
    #expect(outcome.output.prefix(2) == ["in.mov: 1 warning; --fix fixes it", "  warning group.two-enabled"])
    #expect(outcome.output.contains { $0.hasSuffix("group 1 has tracks 2 and 3 enabled") })
    #expect(
      outcome.output.suffix(3) == [
        "      fix:    movtool set in.mov --track id:2 --default", "              or another track of the group",
        "      --fix:  " + (try #require(Rule.named("group.two-enabled")?.automaticFix?.description)),
      ], "\(outcome.output)")
    #expect(
      try Workshop(broken).run("validate @in.mov --target iso").output.contains { $0.contains("group.") } == false)
  }

  @Test func printsFixesAsCommands() throws {
    let shop = try Workshop(TestMovie.right.with { $0.tracks[3].layer = 0 }, as: "my film.mov")
    let output = shop.run(words: ["validate", "@my film.mov", "-v"]).output
    // The folder's name has been removed from the quotes.
    #expect(
      output.suffix(2) == [
        "      fix:    movtool extract 'my film.mov' --track id:4",
        "      then:   movtool add-subtitle 'my film.mov' SUB --replace",
      ], "\(output)")
  }

  @Test func printsRemediesThatFixDoesNotApply() throws {
    let unknown = TestMovie.right.with { $0.tracks[1].language = .macintosh(0x7C00) }
    let outcome = try Workshop(unknown).run("validate @in.mov -v")
    #expect(
      outcome.output.contains("      fix:    movtool set in.mov --track id:2 --language TAG"), "\(outcome.output)")
    let known = try Workshop(unknown.with { $0.tracks[1].extendedLanguage = "fr" }).run("validate @in.mov -v")
    #expect(known.output.contains("      fix:    movtool validate in.mov --fix"), "\(known.output)")
    #expect(known.output.contains("      or:     movtool set in.mov --track id:2 --language TAG"))
    #expect(known.output.contains("              if this language is wrong"))
  }

  @Test func quotesTextOfTheMovieInCommands() throws {
    let shop = try Workshop(
      TestMovie.right.with { $0.tracks[3].userData = TestSupport.movie { atom("tagc") { text("x' $(y); FILE") } } })
    let output = shop.run("validate @in.mov --verbose").output
    #expect(
      output.contains { $0.hasSuffix("--characteristic -'x'\\'' $(y); FILE'") }, "\(output)")
  }

  @Test func ignoresNotesInTheExitCode() throws {
    let outcome = try Workshop(TestMovie.right.with { $0.layout += [.bytes([1])] }).run("validate @in.mov")
    #expect(outcome.exitCode == .done && outcome.output.first == "in.mov: 1 note")
    #expect(outcome.output.count == 3 && outcome.output[1].hasPrefix("  note file."))
  }

  @Test func printsNotesInOneLineUnlessVerbose() throws {
    let shop = try Workshop(
      TestMovie.right.with { movie in
        for place in [3, 4] { movie.tracks[place].layer = 0 }
        movie.tracks[3] = movie.tracks[3].described(font: "Arial")
      })
    let short = shop.run("validate @in.mov").output
    #expect(
      short == [
        "in.mov: 3 notes", #"  note subtitle.font-name: track 4: the font is "Arial", not Serif or Sans-Serif"#,
        "  note subtitle.layer: track 4: the layer is 0, which is not in front of the video's layer 0, and 1 more",
        "  -v also shows the location, the effect and the fix of each note",
      ], "\(short)")
    let long = shop.run("validate @in.mov -v").output
    #expect(long.count { $0.hasPrefix("      effect: ") } == 2)
    // The remedy of two findings is printed once.
    #expect(long.count { $0.hasSuffix("extract in.mov --track id:4") } == 1)
    #expect(long.contains("      fix:    as for subtitle.font-name"), "\(long)")
    #expect(long.count { $0.hasSuffix("extract in.mov --track id:5") } == 1)
  }

  @Test func countsFixableFindings() throws {
    let shop = try Workshop(broken.with { $0.tracks[3].language = .packed("und") })
    let outcome = shop.run("validate @in.mov")
    #expect(outcome.output.first == "in.mov: 2 warnings; --fix fixes 1 of them")
    let file = (shop.run("validate @in.mov --json").json["files"] as? [[String: Any]])?.first
    #expect(file?["fixableCount"] as? Int == 1)
    #expect(shop.run("validate @in.mov --fix").output.contains("in.mov: 1 warning"))
    // A finding that is left to the user, of a rule with an automatic fix.
    let left = try Workshop(TestMovie.right.with { $0.tracks[2].references.append(TestReference("mpod", 99)) })
    let output = left.run("validate @in.mov").output
    #expect(output.first?.contains("--fix") == false && !output.contains { $0.contains("--fix:") }, "\(output)")
  }

  @Test func prefersTheExitCodeOfAnUnreadableFile() throws {
    let shop = try Workshop(broken)
    try shop.folder.write([1, 2, 3], as: "no.mov")
    let outcome = shop.run("validate @in.mov @no.mov @none.mov")
    #expect(outcome.exitCode == .badData && outcome.errors.count == 2)
    #expect(outcome.output.first == "in.mov: 1 warning; --fix fixes it")
    #expect(shop.run("validate --json @none.mov @in.mov").exitCode == .noInput)
  }

  @Test func explainsRulesWithoutAFile() throws {
    let shop = try Workshop()
    let one = shop.run("validate --explain group.two-enabled")
    #expect(one.exitCode == .done && one.output.first == "Rule      group.two-enabled")
    #expect(one.output.count == 7)
    #expect(shop.run("validate --explain all").output.count == Rule.all.count + 1)
    let rules = shop.run("validate --json --explain all --target iso").json["rules"] as? [[String: Any]]
    #expect(rules?.count == Rule.all.count { $0.targets.contains(.iso) })
    let wrong = shop.run("validate --explain group.two-enable")
    #expect(wrong.exitCode == .usage && wrong.errors.first?.contains("did you mean group.two-enabled?") == true)
  }

  @Test func fixesSafeFindings() throws {
    let shop = try Workshop(broken)
    let outcome = shop.run("validate @in.mov --fix")
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    #expect(outcome.output.first == "fixed group.two-enabled: track 3 is disabled")
    #expect(outcome.output.contains { $0.hasPrefix("edited in.mov in place: ") })
    #expect(outcome.output.last == "in.mov: no findings")
    #expect(shop.run("validate @in.mov").output == ["in.mov: no findings"])
    #expect(
      shop.run("validate @in.mov --fix").output == [
        "nothing to change: in.mov is unchanged", "in.mov: no findings",
      ])
  }

  @Test func leavesPossiblyIntendedFindings() throws {
    let shop = try Workshop(broken.with { $0.tracks[3].language = .packed("und") })
    let before = try shop.folder.read("in.mov")
    let outcome = shop.run("validate @in.mov --fix --dry-run")
    #expect(outcome.exitCode == .done)
    #expect(outcome.output.first == "would fix group.two-enabled: track 3 is disabled")
    #expect(outcome.output.contains("left to decide:") && outcome.output.contains("in.mov: 1 warning"))
    #expect(outcome.output.contains("  warning language.undetermined"))
    #expect(try shop.folder.read("in.mov") == before)
    let json = shop.run("validate @in.mov --fix -o @out.mov --json").json
    #expect((json["fixed"] as? [[String: Any]])?.first?["rule"] as? String == "group.two-enabled")
    let left = json["left"] as? [String: Any]
    #expect(left?["isRight"] as? Bool == false && left?["warningCount"] as? Int == 1)
    #expect(try shop.folder.read("in.mov") == before)
    #expect(shop.run("validate @out.mov --json").json["files"] != nil)
  }

  @Test func describesTheAutomaticFix() throws {
    #expect(
      try Workshop(broken).run("validate @in.mov").output.last
        == "      --fix:  disables all enabled tracks of the group except the first that is not a commentary or "
        + "description"
    )
    #expect(
      try Workshop().run("validate --explain group.split").output.last?.contains("not fixed automatically") == true)
  }

  @Test func rejectsInvalidUsage() throws {
    let shop = try Workshop(.right)
    for line in [
      "validate", "validate -", "validate @in.mov --target vlc", "validate @in.mov --explain all",
      "validate --fix", "validate @in.mov -o @out.mov", "validate @in.mov --dry-run",
      "validate --explain all --fix", "validate @in.mov --fix --append -o @out.mov",
    ] {
      #expect(shop.run(line).exitCode == .usage, "\(line)")
    }
  }
}
