import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// HEVC that Apple's players do not open is relabelled as a format that they open, if its samples allow it.
struct ParameterSetFixTests {
  private struct Outcome {
    let fixed: [MovieEdit.AppliedFix]
    let old: [UInt8]
    let new: [UInt8]
  }

  private func fix(_ bytes: [UInt8]) throws -> Outcome {
    let source = MemorySource(Bytes(bytes))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    let fixed = try edit.fix(for: .apple).filter { $0.rule.id == "format.hev1" }
    return Outcome(fixed: fixed, old: bytes, new: try edit.outputPlan(of: source).rendered(from: source))
  }

  private func stsd(_ bytes: [UInt8]) throws -> [UInt8] {
    let atom = try #require(try SecondReader(bytes).atom("moov/trak#1/mdia/minf/stbl/stsd"))
    return Array(bytes[Int(atom.offset)..<Int(atom.end)])
  }

  @Test(arguments: [("hev1", "hvc1", false), ("dvhe", "dvh1", false), ("hev1", "hvc1", true)])
  func renamesTheFormatAndMarksSetsComplete(_ format: String, _ name: String, _ repeatsSets: Bool) throws {
    let outcome = try fix(TestMovie.hev1(format, repeating: repeatsSets ? SampleEntry.setsOfHEVC : []).bytes())
    #expect(outcome.fixed.map(\.trackID) == [1])
    // Five bytes: two of the format code, and one of each array.
    let (old, new) = (try stsd(outcome.old), try stsd(outcome.new))
    #expect(old.count == new.count && zip(old, new).filter { $0 != $1 }.count == (format == "hev1" ? 5 : 4))
    let entry = SampleEntry.video(name, width: 64, height: 36, extensions: SampleEntry.hvcC(isComplete: true))
    #expect(new.suffix(entry.count) == entry[...])
    // No other byte of the movie changes.
    var expected = outcome.old
    let place = try #require(expected.firstRange(of: old))
    expected.replaceSubrange(place, with: new)
    #expect(expected == outcome.new)
    #expect(try RuleIDs.broken(outcome.new).isDisjoint(with: ["format.hev1", "format.not-played"]))
  }

  @Test func leavesAMovieWithOtherParameterSetsUnchanged() throws {
    let outcome = try fix(TestMovie.hev1(repeating: [[0x44, 1, 0xC2]]).bytes())
    #expect(outcome.fixed.isEmpty && outcome.old == outcome.new)
    #expect(try RuleIDs.broken(outcome.new).contains("format.hev1"))
  }

  @Test func readsSamplesInFragments() throws {
    func movie(_ sets: [[UInt8]]) -> [UInt8] {
      let samples = Array(repeating: TestMovie.pictureOfHEVC(after: sets), count: 3)
      return TestMovie.hev1(pictureCount: 0).bytes(fragments: [TestFragment([.init(id: 1, runs: [.init(samples)])])])
    }
    let outcome = try fix(movie(SampleEntry.setsOfHEVC))
    #expect(outcome.fixed.count == 1 && outcome.new.firstRange(of: code("hvc1")) != nil)
    #expect(try fix(movie([[0x44, 1, 0xC2]])).fixed.isEmpty)
  }

  @Test func editsTheFileInPlace() throws {
    let folder = try TemporaryFolder()
    try folder.write(TestMovie.hev1().bytes(), as: "film.mp4")
    let source = try FileSource(path: folder.file("film.mp4"))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    #expect(try edit.fix(for: .apple).map(\.rule.id).contains("format.hev1"))
    #expect(try edit.inPlaceBlocker(of: source) == nil)
  }

  /// The checker allows the requested format code and bits in the requested track, and nothing else.
  @Test func rejectsOtherChangesOfDescriptions() throws {
    let movie = TestMovie.hev1().with { movie in
      movie.tracks.append(movie.tracks[0].with { $0.id = 2 })
    }
    let source = movie.source
    func edit(_ ids: Set<UInt32>) throws -> MovieEdit {
      var edit = try MovieEdit(of: Movie(of: source), from: source)
      for place in edit.tracks.indices where ids.contains(edit.tracks[place].id) {
        edit.tracks[place].declaresParameterSetsComplete = true
      }
      return edit
    }
    func check(_ ids: Set<UInt32>, _ path: String, _ bytes: [Int: UInt8]) throws {
      let edit = try edit(ids)
      let resolved = try edit.resolved(isInterleaved: false)
      var plan = try edit.outputPlan(of: source)
      let start = try #require(try SecondReader(plan.rendered(from: source)).atom(path)).offset
      for (offset, byte) in bytes {
        let place = start + UInt64(offset)
        plan = try plan.spoiled(place..<place + 1, with: [byte])
      }
      try PlanChecker.check(plan, of: resolved, strategy: .rewrite(OutputLayout()), source: source)
    }
    let first = "moov/trak#1/mdia/minf/stbl/stsd"
    let (name, hvcC) = (16 + 4, 16 + 86 + 8)  // Of the list: the format of its entry, and the content of its hvcC.
    try check([1], first, [:])
    func isRefused(_ ids: Set<UInt32>, _ path: String, _ bytes: [Int: UInt8]) -> Bool {
      do {
        try check(ids, path, bytes)
        return false
      } catch {
        return isMovieError(error, .planCheckFailed)
      }
    }
    #expect(isRefused([1], first, [name: 0x68, name + 1: 0x65, name + 2: 0x76]))  // Not renamed.
    #expect(isRefused([1], first, [name: 0x64]))  // Renamed otherwise: dvc1.
    #expect(isRefused([1], first, [hvcC + 1: 2]))  // Another profile.
    #expect(isRefused([1], first, [hvcC + 23: 0x20]))  // An array that is not complete.
    #expect(isRefused([1], first, [hvcC + 23: 0xE0]))  // Another bit of it.
    #expect(isRefused([1], first, [hvcC + 23: 0xA1]))  // Another type.
    #expect(isRefused([1], first, [hvcC + 28: 0x41]))  // Another set.
    #expect(isRefused([1], first, [16 + 8: 1]))  // A reserved byte of the entry.
    // Another track than the requested one.
    let second = "moov/trak#2/mdia/minf/stbl/stsd"
    #expect(isRefused([1], second, [name + 1: 0x76, name + 2: 0x63]))
    #expect(isRefused([1], second, [hvcC + 23: 0xA0]))
    try check([1, 2], second, [:])
  }
}

/// The rules that a movie breaks for Apple's players.
private enum RuleIDs {
  static func broken(_ bytes: [UInt8]) throws -> Set<String> {
    let source = MemorySource(Bytes(bytes))
    return Set(try Movie(of: source).findings(for: .apple, readingTextOf: source).map(\.rule.id))
  }
}
