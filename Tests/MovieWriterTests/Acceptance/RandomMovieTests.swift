import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Random movies: every strategy preserves everything that the edit does not change.
struct RandomMovieTests {
  /// Thousands in release builds. A debug build would take minutes.
  private static let count: UInt64 = {
    #if DEBUG
      100
    #else
      3000
    #endif
  }()

  private static let layouts: [OutputLayout] = [false, true].flatMap { isFastStart in
    [OutputLayout.Interleaving.none, .newSamples, .all].flatMap { interleaving in
      [false, true].flatMap { isCompact in
        [false, true].map { splitsChunks in
          var layout = OutputLayout(isFastStart: isFastStart, interleaving: interleaving, isCompact: isCompact)
          layout.splitsChunks = splitsChunks
          return layout
        }
      }
    }
  }

  private static func rearranged(_ layout: OutputLayout) -> AllowedChanges {
    AllowedChanges().with {
      $0.movieMoved = true
      $0.mediaDataRearranged = true
      $0.chunksSplit = layout.splitsChunks
    }
  }

  /// Checks a seed. Failures are reported with the seed that reproduces them.
  private func check(_ seed: UInt64) throws {
    var chance = Chance(seed: seed)
    let movie = TestMovie.random(&chance)
    let old = movie.bytes()
    let source = MemorySource(Bytes(old))
    // The second reader cannot read compressed movie atoms.
    let before = try SecondReader(movie.with { $0.hasCompressedMovieAtom = false }.bytes())
    let wanted = Self.layouts.randomElement(using: &chance) ?? OutputLayout()
    let rearranged = Self.rearranged(wanted)

    // Remuxed twice.
    let remuxed = try MovieEdit(of: source).outputPlan(of: source, wanted).rendered(from: source)
    let again = MemorySource(Bytes(remuxed))
    #expect(try differences(old: before, new: SecondReader(remuxed), allowing: rearranged) == [], "seed \(seed)")
    #expect(
      try MovieEdit(of: again).outputPlan(of: again, wanted).rendered(from: again) == remuxed,
      "seed \(seed): \(wanted) changes its own output")

    // With an additional track, by every strategy.
    let edit = try MovieEdit.addingSubtitles(to: source)
    let id = try #require(edit.tracks.last?.id)
    var files = [try edit.outputPlan(of: source, wanted).rendered(from: source)]
    if let plan = try edit.possibleInPlacePlan(of: source, .afterMedia) {
      files.append(try plan.rendered().rendered(from: source))
    }
    for new in files {
      let allowed = rearranged.with { $0.addedTracks = [id] }
      #expect(try differences(old: before, new: SecondReader(new), allowing: allowed) == [], "seed \(seed)")
    }

    // With a track removed.
    guard movie.tracks.count > 1, let gone = movie.tracks.randomElement(using: &chance)?.id else { return }
    var removal = try MovieEdit(of: source)
    try removal.remove(gone)
    let smaller = try SecondReader(removal.outputPlan(of: source, wanted).rendered(from: source))
    let allowed = rearranged.with { $0.removedTracks = [gone] }
    #expect(try differences(old: before, new: smaller, allowing: allowed) == [], "seed \(seed)")
  }

  /// Checks that a movie with samples in other files can be made self-contained.
  private func checkMediaInOtherFiles(_ seed: UInt64) throws {
    var chance = Chance(seed: seed &+ 0x5EED)
    let movie = TestMovie.random(&chance).movingMediaOut(&chance)
    let files = Dictionary(
      uniqueKeysWithValues: (0..<3).map {
        ("file \($0)", TestSample.pattern(track: 100 + UInt32($0), number: 1, byteCount: 4000))
      })
    let trial = try ExternalTrial(movie, files)
    let before = try SecondReader(movie.with { $0.hasCompressedMovieAtom = false }.bytes())
    let wanted = Self.layouts.randomElement(using: &chance) ?? OutputLayout()
    let allowed = trial.allowed.with {
      $0.movieMoved = true
      $0.chunksSplit = wanted.splitsChunks
    }
    let new = try trial.remuxed(wanted)
    #expect(try differences(old: before, new: SecondReader(new), allowing: allowed) == [], "seed \(seed)")
    let again = MemorySource(Bytes(new))
    #expect(
      try MovieEdit(of: again).outputPlan(of: again, wanted).rendered(from: again) == new,
      "seed \(seed): \(wanted) changes its own output")
    guard let plan = try trial.edit.possibleInPlacePlan(of: trial.source, .afterMedia) else { return }
    let appended = try SecondReader(plan.rendered().rendered(from: trial.source))
    #expect(try differences(old: before, new: appended, allowing: allowed) == [], "seed \(seed)")
  }

  @Test func copiesExternalMedia() throws {
    for seed in 0..<Self.count {
      do {
        try checkMediaInOtherFiles(seed)
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }

  @Test func preservesEverythingElse() throws {
    for seed in 0..<Self.count {
      do {
        try check(seed)
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }
}

extension TestMovie {
  /// Returns a movie with chunks of some tracks in files of 4000 bytes, which chunks may share.
  fileprivate func movingMediaOut(_ chance: inout Chance) -> TestMovie {
    with { movie in
      for index in movie.tracks.indices where index == 0 || chance.once(in: 2) {
        movie.tracks[index].moveMediaOut(&chance)
      }
    }
  }
}

extension TestTrack {
  fileprivate mutating func moveMediaOut(_ chance: inout Chance) {
    auxiliaryByteCount = 0
    let count = Int.random(in: 1...3, using: &chance)
    dataReferences = (0..<count).map { index in
      let name = "file \(Int.random(in: 0..<3, using: &chance))"
      if index > 0, chance.once(in: 2) { return fullAtom(chance.once(in: 2) ? "url " : "alis", flags: 1) }
      return chance.once(in: 2) ? urlReference(name) : aliasReference(name, levels: (1, 1))
    }
    let format: (Int) -> [UInt8] = { reference in
      atom("unkn") {
        zeros(6)
        u16(reference)
        zeros(70)
      }
    }
    sampleEntries = (1...count).map(format)
    descriptionOfChunk = chunks.map { _ in Int.random(in: 1...count, using: &chance) }
    for (index, chunk) in chunks.enumerated() {
      let reference = descriptionOfChunk[index] - 1
      let isOwn = dataReferences?[reference].count == 12
      let byteCount = samples[chunk].reduce(0) { $0 + $1.byteCount }
      if !isOwn { externalChunks[index] = UInt64.random(in: 0...UInt64(4000 - byteCount), using: &chance) }
    }
  }
}
