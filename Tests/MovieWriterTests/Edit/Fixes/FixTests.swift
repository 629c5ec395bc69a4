import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

struct FixTests {
  private struct Outcome {
    let before: Set<String>
    let fixed: [MovieEdit.AppliedFix]
    let after: Set<String>
    let movie: Movie
    let old: SecondReader
    let new: SecondReader
  }

  /// Fixes a movie by both strategies.
  private func fix(_ bytes: [UInt8], for target: Rule.Target) throws -> Outcome {
    let source = MemorySource(Bytes(bytes))
    let movie = try Movie(of: source)
    var edit = try MovieEdit(of: movie, from: source)
    let fixed = try edit.fix(for: target)
    let plan = try edit.outputPlan(of: source)
    let output = try plan.rendered(from: source)
    _ = try edit.inPlaceBlocker(of: source)
    func broken(_ bytes: [UInt8]) throws -> Set<String> {
      let source = MemorySource(Bytes(bytes))
      return Set(try Movie(of: source).findings(for: target, readingTextOf: source).map(\.rule.id))
    }
    return Outcome(
      before: try broken(bytes), fixed: fixed, after: try broken(output),
      movie: try Movie(of: MemorySource(Bytes(output))), old: try SecondReader(bytes), new: try SecondReader(output))
  }

  private func fix(_ change: (inout TestMovie) -> Void, for target: Rule.Target = .apple) throws -> Outcome {
    try fix((target == .iso ? TestMovie.rightISO : .right).with(change).bytes(), for: target)
  }

  private func expectSameSamples(_ outcome: Outcome, _ name: String = "") throws {
    #expect(outcome.old.tracks.map(\.id) == outcome.new.tracks.map(\.id), "\(name)")
    for (old, new) in zip(outcome.old.tracks, outcome.new.tracks) {
      #expect(old.samples.count == new.samples.count, "\(name)")
      for (left, right) in zip(old.samples, new.samples) {
        guard try outcome.old.bytes(of: left) == outcome.new.bytes(of: right) else {
          Issue.record("a sample of track \(old.id) changed in \(name)")
          return
        }
      }
    }
  }

  @Test func providesAnExampleForEveryFix() throws {
    let fixed = Rule.all.filter { $0.automaticFix != nil }
    // Fixes that read samples have separate tests: `TextHandlerTests`, `ParameterSetFixTests`.
    let readingNone = fixed.filter { ![.rewriteAsTimedText, .declareParameterSetsComplete].contains($0.automaticFix) }
    #expect(Set(try FixExample.all.map(\.rule)) == Set(readingNone.map(\.id)))
    #expect(
      Set(fixed.map(\.automaticFix)) == Set(Rule.AutomaticFix.allCases)
        && fixed.count == Rule.AutomaticFix.allCases.count)
    #expect(Rule.named("language.undetermined")?.automaticFix == nil)
  }

  @Test(arguments: try FixExample.all) func fixesTheRuleWithoutViolatingOtherRules(_ example: FixExample) throws {
    let outcome = try fix(example.movie, for: example.target)
    #expect(outcome.before.contains(example.rule))
    #expect(outcome.fixed.map(\.rule.id).contains(example.rule))
    #expect(outcome.after == [])
    try expectSameSamples(outcome)
  }

  @Test func leavesAConformingMovieUnchanged() throws {
    for (movie, target) in [(TestMovie.right, Rule.Target.apple), (.rightISO, .iso), (.rightISO, .apple)] {
      var edit = try MovieEdit(of: movie.source)
      #expect(try edit.fix(for: target) == [] && edit.isEmpty)
    }
  }

  @Test func leavesPossiblyIntendedSettings() throws {
    let changes: [(String, Rule.Target, (inout TestMovie) -> Void)] = [
      (
        "group.missing", .apple,
        { for place in 1...2 { ($0.tracks[place].group, $0.tracks[place].isEnabled) = (0, true) } }
      ),
      ("group.split", .apple, { $0.tracks[3].group = 3 }),
      ("language.ambiguous-code", .apple, { $0.tracks[3].language = .packed("zho") }),
      ("language.undetermined", .apple, { $0.tracks[3].language = .packed("und") }),
      ("language.macintosh-code", .iso, { $0.tracks[1].language = .macintosh(0) }),
      ("language.tag-form", .apple, { $0.tracks[2].extendedLanguage = "es_419!" }),
      ("reference.missing", .apple, { $0.tracks[2].references.append(TestReference("mpod", 99)) }),
      ("reference.follower-place", .apple, { $0.tracks[0].references.append(TestReference("folw", 4)) }),
      ("forced.pair-differs", .apple, { $0.tracks[5].language = .packed("fra") }),
      (
        "tag.half-sdh", .apple,
        {
          $0.tracks[3].userData = atom("tagc") { text("public.accessibility.describes-music-and-sound") }
        }
      ),
      ("tag.written-forced", .apple, { $0.tracks[3].userData = atom("tagc") { text("public.subtitles.forced-only") } }),
    ]
    for (rule, target, change) in changes {
      let outcome = try fix(change, for: target)
      #expect(outcome.fixed.isEmpty && outcome.after.contains(rule), "\(rule): \(outcome.fixed)")
    }
  }

  @Test func fixesAGroupWithSeveralDefects() throws {
    let outcome = try fix { ($0.tracks[0].group, $0.tracks[2].isEnabled) = (1, true) }
    #expect(outcome.after == [])
    #expect(outcome.movie.tracks.prefix(3).map(\.alternateGroup) == [0, 1, 1])
    #expect(outcome.movie.tracks.prefix(3).map(\.isEnabled) == [true, true, false])
  }

  @Test func namesEachChangedTrack() throws {
    let outcome = try fix { movie in
      for id in 8...9 { movie.tracks.append(movie.tracks[1].with { $0.id = UInt32(id) }) }
    }
    let off = outcome.fixed.filter { $0.rule.id == "group.two-enabled" }
    #expect(off.map(\.trackID) == [8, 9])
    #expect(off.map(\.message) == ["track 8 is disabled", "track 9 is disabled"])
    // The finding is about the first track, the fix about the second.
    let enabled = try fix {
      ($0.tracks[1].isEnabled, $0.tracks[1].userData) = (false, atom("tagc") { text("public.auxiliary-content") })
    }
    #expect(enabled.fixed.map(\.trackID) == [3])
    let apart = try fix { $0.tracks[0].group = 1 }
    #expect(apart.fixed.filter { $0.rule.id == "group.mixed-kinds" }.map(\.message) == ["track 1 is in no group"])
  }

  @Test func keepsARewrittenTag() throws {
    // The tag equals the code. It is kept nevertheless, with the missing NUL.
    var bytes = TestMovie.right.with { $0.tracks[2].extendedLanguage = "e" }.bytes()
    let tree = try Movie(of: MemorySource(Bytes(bytes))).tree
    let elng = try #require(tree.index(at: "moov/trak[3]/mdia/elng"))
    bytes.replaceSubrange(Int(tree.range(of: elng).end) - 2..<Int(tree.range(of: elng).end), with: text("es"))
    let outcome = try fix(bytes, for: .apple)
    #expect(outcome.before == ["language.tag-form"] && outcome.after == [])
    let language = outcome.movie.tracks[2].extendedLanguage
    #expect(language?.tag == "es" && language?.storedTag.isTerminated == true)
  }

  @Test func neverEnablesACommentary() throws {
    let tag = atom("tagc") { text("public.auxiliary-content") }
    let outcome = try fix { ($0.tracks[1].isEnabled, $0.tracks[1].userData) = (false, tag) }
    #expect(outcome.movie.tracks[1...2].map(\.isEnabled) == [false, true])
    let both = try fix {
      ($0.tracks[1].isEnabled, $0.tracks[1].userData, $0.tracks[2].userData) = (false, tag, tag)
    }
    #expect(both.fixed.isEmpty)
  }

  @Test func removesANULAndKeepsTheTag() throws {
    let tags = atom("tagc") { cString("public.easy-to-read") } + atom("tagc") { text("com.example.odd") }
    let outcome = try fix({ $0.tracks[3].userData = tags }, for: .iso)
    #expect(
      outcome.movie.tracks[3].taggedCharacteristics.map(\.rawValue) == ["public.easy-to-read", "com.example.odd"])
    #expect(outcome.after == [])
  }

  @Test func fixesRealMoviesWithoutLosses() throws {
    var count = 0
    for entry in try Corpus.require().movies {
      let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: entry.path)))
      guard bytes.count <= 4 << 20 else { continue }
      for target in Rule.Target.allCases {
        do {
          let source = MemorySource(Bytes(bytes))
          let movie = try Movie(of: source)
          var edit = try MovieEdit(of: movie, from: source)
          let fixed = try edit.fix(for: target)
          // Subtitles that become timed text are new samples.
          guard !movie.isFragmented, !fixed.isEmpty,
            !fixed.contains(where: { $0.rule.automaticFix == .rewriteAsTimedText })
          else { continue }
        } catch is MovieError {
          continue  // Rejected movies are covered by ``CorpusTests``.
        }
        let outcome = try fix(bytes, for: target)
        try expectSameSamples(outcome, entry.name)
        #expect(outcome.after.subtracting(outcome.before) == [], "\(entry.name): \(outcome.fixed)")
        count += 1
      }
    }
    print("\(count) times something was fixed in movies from the wild")
    #expect(count > 0)
  }
}
