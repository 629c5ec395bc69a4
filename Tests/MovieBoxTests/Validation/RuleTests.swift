import MovieBox
import TestSupport
import Testing

struct RuleTests {
  @Test func acceptsConformingMovies() throws {
    for target in Rule.Target.allCases {
      let movie = target == .iso ? TestMovie.rightISO : .right
      #expect(try RuleExample.broken(movie.bytes(), for: target).map(\.description) == [])
    }
  }

  @Test func providesAnExampleForEveryRule() throws {
    // No small movie exceeds the limit of read subtitles: see `readsTextUpToALimit`.
    let rules = Rule.all.map(\.id).filter { $0 != "text.unread" }
    #expect(Set(try RuleExample.all.map(\.rule)) == Set(rules))
    #expect(try RuleExample.all.count == rules.count)
  }

  @Test(arguments: try RuleExample.all)
  func detectsViolationsOfEachRule(_ example: RuleExample) throws {
    let target = try #require(Rule.Target(rawValue: example.target.rawValue))
    let kept = try RuleExample.broken(example.keeping, for: target, fileName: example.fileName)
    #expect(!kept.map(\.rule.id).contains(example.rule), "\(kept)")
    let broken = try RuleExample.broken(example.breaking, for: target, fileName: example.fileName)
    #expect(Set(broken.map(\.rule.id)) == example.breaks, "\(broken)")
    let rule = try #require(Rule.named(example.rule))
    #expect(rule.targets.contains(target))
    // Without a target, a rule applies only if it is valid for every player and requires no pass over samples or
    // chunks.
    let untold = try RuleExample.broken(example.breaking, for: nil, fileName: example.fileName).map(\.rule.id)
    #expect(untold.contains(rule.id) == (rule.targets == Rule.Target.allCases && !rule.visitsAllSamples))
  }

  @Test func describesEachViolationOfARule() throws {
    func words(_ rule: String, _ example: RuleExample) throws -> [String] {
      try RuleExample.broken(example.breaking, for: .apple).filter { $0.rule.id == rule }.map(\.description)
    }
    func expect(_ rule: String, _ told: String, _ change: (inout TestMovie) -> Void) throws {
      let all = try words(rule, RuleExample(rule, change))
      #expect(all.contains { $0.contains(told) }, "\(all)")
    }
    try expect("forced.target", "belongs to track 2, which has no full subtitles") {
      $0.tracks[1].references.append(TestReference("forc", 6))
    }
    try expect("forced.pair-differs", "track 5 is in group 2, but its forced partner 6 is in group 3") {
      $0.tracks[5].group = 3
    }
    try expect("forced.pair-differs", "track 5 is in group 2, but its forced partner 6 is in no group") {
      $0.tracks[5].group = 0
    }
    // Version, flags and count of the list, and size, type, reserved bytes and data reference of its entry.
    let stsd = "moov/trak#4/mdia/minf/stbl/stsd"
    for (place, bytes, told) in [
      (5, u8(0), "vertical justification 0, not -1"), (20, u16(1), "style limited to some characters"),
    ] {
      let all = try words(
        "subtitle.fixed-fields", RuleExample("subtitle.fixed-fields", at: stsd, 24 + place, bytes))
      #expect(all.contains { $0.contains(told) }, "\(all)")
    }
  }

  @Test func findsUnreadablePacketsOfCEA708() throws {
    let packet = TestCaptions.packet([0, 0x94, 0x20], [3, 0x02, 0x21])
    func found(_ content: [UInt8]) throws -> [String] {
      let movie = TestMovie.rightWithCaptions.with {
        let track = $0.tracks.count - 1
        $0.tracks[track].sampleEntries = [TestTrack.captionEntry("c708")]
        $0.tracks[track].samples = [TestSample(content: content, duration: 60_060)]
      }
      return try RuleExample.broken(movie.bytes(), for: .apple).filter { $0.rule.id == "caption.unreadable" }
        .map(\.description)
    }
    #expect(try found(atom("ccdp") { packet }) == [])
    #expect(try found(atom("cdat") { u16(0x8080) } + atom("ccdp") { packet }) == [])
    for (content, reason) in [
      (atom("cdat") { u16(0x8080) }, "the atom ccdp is missing"), ([], "the atom ccdp is missing"),
      (atom("ccdp") { packet.dropLast() + [packet[packet.count - 1] &+ 1] }, "the packet in ccdp is damaged"),
      (atom("ccdp", claiming: 99) { packet }, "are not a complete atom"),
    ] {
      let all = try found(content)
      #expect(all.count == 1 && all.first?.contains(reason) == true, "\(reason): \(all)")
    }
  }

  /// A player chooses between audio and its fallback, so viewers need not distinguish them.
  @Test func acceptsEqualNamesOfFallbacks() throws {
    func isFound(_ change: (inout TestMovie) -> Void) throws -> Bool {
      let movie = TestMovie.right.with {
        $0.tracks[2].language = .packed("eng")
        change(&$0)
      }
      return try RuleExample.broken(movie.bytes(), for: .apple).contains { $0.rule.id == "menu.same-line" }
    }
    #expect(try isFound { _ in })
    #expect(try !isFound { $0.tracks[1].references.append(TestReference("fall", 3)) })
    #expect(try !isFound { $0.tracks[2].references.append(TestReference("fall", 2)) })
    // A third track is linked by way of another, or not at all.
    let third = TestMovie.right.tracks[2].with {
      ($0.id, $0.language) = (9, .packed("eng"))
    }
    for (target, expected) in [(2, false), (3, false), (0, true)] as [(UInt32, Bool)] {
      let found = try isFound {
        $0.tracks[1].references.append(TestReference("fall", 3))
        $0.tracks.append(third.with { $0.references.append(TestReference("fall", target)) })
      }
      #expect(found == expected, "\(target)")
    }
  }

  @Test func ignoresPairsOfUnknownLanguages() throws {
    func isFound(_ language: TestLanguage) throws -> Bool {
      let movie = TestMovie.right.with {
        $0.tracks[4].references = []
        for place in [4, 5] { $0.tracks[place].language = language }
      }
      return try RuleExample.broken(movie.bytes(), for: .apple).contains { $0.rule.id == "forced.no-reference" }
    }
    #expect(try isFound(.packed("fra")))
    #expect(try !isFound(.packed("und")))
  }

  /// One remedy must not undo another.
  @Test func acceptsATrackAloneInItsGroup() throws {
    func groupRules(_ change: (inout TestMovie) -> Void) throws -> [String] {
      try RuleExample.broken(TestMovie.right.with(change).bytes(), for: .apple).map(\.rule.id)
        .filter { $0.hasPrefix("group.") }
    }
    #expect(try groupRules { $0.tracks[2].group = 0 } == ["group.missing"])
    // Audio in another group is enabled.
    #expect(try groupRules { $0.tracks[2].group = 7 } == ["group.split"])
    // Each track may have a group of its own, as ffmpeg writes movies.
    #expect(try groupRules { $0.tracks[0].group = 7 } == [])
    #expect(try groupRules { $0.tracks.removeSubrange(4...) } == [])
  }

  @Test func documentsEveryRule() {
    #expect(Set(Rule.all.map(\.id)).count == Rule.all.count)
    for rule in Rule.all {
      #expect(
        rule.id.utf8.allSatisfy { byte in "abcdefghijklmnopqrstuvwxyz0123456789.-".utf8.contains(byte) }, "\(rule.id)")
      #expect(
        !rule.targets.isEmpty && !rule.clause.isEmpty && !rule.remedies.isEmpty
          && rule.remedies.allSatisfy { !$0.steps.isEmpty }, "\(rule.id)")
      #expect(rule.effect.last == "." && rule.effect.first?.isUppercase == true, "\(rule.id)")
    }
  }

  @Test func limitsFindingsOfARule() throws {
    let movie = TestMovie(
      tracks: (1...300).map { id in TestTrack(.subtitle, id: UInt32(id)).with { $0.layer = 1 } })
    var counts: [String: Int] = [:]
    for finding in try RuleExample.broken(movie.bytes(), for: .apple) { counts[finding.rule.id, default: 0] += 1 }
    #expect(counts["language.undetermined"] == MovieLimits().defectCount)
    #expect(counts.values.max() == MovieLimits().defectCount)
  }

  @Test func readsTextUpToALimit() throws {
    let source = MemorySource(Bytes(TestMovie.right.bytes()))
    for (samples, bytes, isWhole) in [(9, 1000, true), (8, 1000, false), (9, 12, false)] {
      var limits = MovieLimits()
      (limits.textSampleCount, limits.textByteCount) = (samples, UInt64(bytes))
      let movie = try Movie(of: source, limits: limits)
      let rules = Set(try movie.findings(for: .apple, readingTextOf: source).map(\.rule.id))
      #expect(rules == (isWhole ? [] : ["text.unread"]), "\(samples), \(bytes)")
    }
  }

  @Test func checksSubtitlesInFragments() throws {
    func broken(_ sample: TestSample) throws -> [String] {
      let movie = TestMovie.right.with { for place in $0.tracks.indices { $0.tracks[place].samples = [] } }
      let fragment = TestFragment([.init(id: 4, runs: [.init([sample])])])
      return try RuleExample.broken(movie.bytes(fragments: [fragment]), for: .apple).map(\.rule.id)
        .filter { $0.hasPrefix("text.") }
    }
    #expect(try broken(.timedText("Hi", duration: 1000)) == [])
    #expect(try broken(.timedText("Hi\n", duration: 1000)) == ["text.trailing-newline"])
    #expect(try broken(TestSample(content: u16(9), duration: 1000)) == ["text.unreadable"])
  }

  /// FFmpeg 5.1 declares samples without text as dependent.
  @Test func findsDependentTextInFragments() throws {
    func told(_ change: (inout TestFragment.Run) -> Void) throws -> [String] {
      let movie = TestMovie.right.with { for place in $0.tracks.indices { $0.tracks[place].samples = [] } }
      var run = TestFragment.Run([TestSample(content: u16(0), duration: 10), .timedText("Hi", duration: 1000)])
      change(&run)
      return try RuleExample.broken(movie.bytes(fragments: [TestFragment([.init(id: 4, runs: [run])])]), for: .apple)
        .filter { $0.rule.id == "timeline.order" }.map(\.error.reason)
    }
    #expect(try told { _ in } == [])
    #expect(
      try told { $0.samples[0].isSync = false } == ["1 of 2 text samples are sync samples, but all of them should be"])
    #expect(
      try told { ($0.fields, $0.firstSampleFlags) = ([.duration, .size], 0x1_0000) }
        == ["1 of 2 text samples are sync samples, but all of them should be"])
  }

  @Test func countsUncheckedTracks() throws {
    let bad = TestTrack.rightSubtitles(1, "eng").saying("Hi\n")
    let movie = TestMovie(tracks: (1...103).map { id in bad.with { $0.id = UInt32(id) } })
    let found = try RuleExample.broken(movie.bytes(), for: .apple)
    #expect(found.count { $0.rule.id == "text.trailing-newline" } == 100)
    let unread = found.filter { $0.rule.id == "text.unread" }
    #expect(unread.map(\.error.reason) == ["3 tracks are skipped: one rule has 100 findings already"])
    #expect(unread.map(\.error.path) == ["moov/trak[101]"])
  }

  @Test func readsLittleForBillionsOfClaimedSamples() throws {
    // One size for 2³² − 1 samples in a single chunk, without bytes for them.
    var bytes = TestMovie.right.bytes()
    let tree = try Movie(of: MemorySource(Bytes(bytes))).tree
    for (table, offset, words) in [("stsz", 4, u32(16, 0xFFFF_FFFF)), ("stsc", 12, u32(0xFFFF_FFFF))] {
      let atom = try #require(tree.index(at: "moov/trak[4]/mdia/minf/stbl/" + table))
      let start = Int(tree.range(of: atom).offset) + 8 + offset
      bytes.replaceSubrange(start..<start + words.count, with: words)
    }
    let source = CountingSource(bytes)
    var limits = MovieLimits()
    limits.textSampleCount = 10_000
    let movie = try Movie(of: source, limits: limits)
    #expect(movie.tracks[3].samples.sampleCount == 0xFFFF_FFFF)
    let before = source.reads.count
    let found = try movie.findings(for: .apple, readingTextOf: source)
    #expect(Set(found.map(\.rule.id)).isSuperset(of: ["table.stts", "text.unread"]))
    #expect(source.reads.count - before <= 8)
  }

  @Test func followsEqualReferencesOnce() throws {
    for type in ["folw", "chap", "forc", "fall", "sync"] {
      let movie = TestMovie.right.with { movie in
        var reference = TestReference(type)
        reference.tracks = [UInt32](repeating: 4, count: 200_000)
        movie.tracks[2].references.append(reference)
      }
      let found = try RuleExample.broken(movie.bytes(), for: .apple)
      for rule in Set(found.map(\.rule)) { #expect(found.count { $0.rule == rule } <= 2, "\(type): \(rule.id)") }
    }
  }

  @Test func rejectsAnotherSource() throws {
    let movie = try Movie(of: MemorySource(Bytes(TestMovie.right.bytes())))
    let other = MemorySource(Bytes(TestMovie.simple.bytes()))
    #expect(throws: MovieError.self) { try movie.findings(for: .apple, readingTextOf: other) }
  }

  @Test func acceptsConformingSubtitles() throws {
    let alone = TestMovie.right.with {
      $0.tracks.removeSubrange(4...5)
      $0.tracks[1].references = []
    }
    #expect(try RuleExample.broken(alone.bytes(), for: .apple).map(\.description) == [])
    let off = TestMovie.right.with { $0.tracks[3].isEnabled = false }
    #expect(try RuleExample.broken(off.bytes(), for: .apple).map(\.description) == [])
    let placed = TestMovie.right.with { $0.tracks[3] = $0.tracks[3].placedFreely() }
    #expect(try RuleExample.broken(placed.bytes(), for: .apple).map(\.description) == [])
  }
}

extension RuleExample {
  /// Returns the rules that a movie breaks, with samples and fragments read.
  static func broken(
    _ bytes: [UInt8], for target: Rule.Target?, fileName: String? = nil
  ) throws -> [Finding] {
    let source = MemorySource(Bytes(bytes))
    let movie = try Movie(of: source)
    let fragments = movie.layout.first("moof") == nil ? nil : try movie.readFragments(of: source)
    return try movie.findings(for: target, fragments: fragments, fileName: fileName, readingTextOf: source)
  }
}
