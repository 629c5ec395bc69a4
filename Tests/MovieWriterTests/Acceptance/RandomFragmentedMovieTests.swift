import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Random fragmented movies: the generator, our reader and the second reader agree on the samples, and all samples are
/// kept when the fragments are removed.
struct RandomFragmentedMovieTests {
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
      [false, true].map { OutputLayout(isFastStart: isFastStart, interleaving: interleaving, isCompact: $0) }
    }
  }

  private static let flattened = AllowedChanges().with {
    $0.flattened = true
    $0.mediaDataRearranged = true
    $0.movieMoved = true
  }

  private static func flattened(from start: MediaTime?) -> AllowedChanges {
    flattened.with { $0.subtractedStart = start.map { (ticks: $0.ticks, timeScale: Int64($0.timeScale)) } }
  }

  @Test func readsGeneratedMovies() throws {
    try forEachSeed { movie, seed, _ in
      let source = MemorySource(Bytes(movie.bytes()))
      let fragments = try Movie(of: source).readFragments(of: source)
      for track in fragments.tracks {
        let expected = movie.samples[track.trackID] ?? []
        #expect(track.sampleCount == expected.count, "seed \(seed), track \(track.trackID)")
        for (sample, known) in zip(track.samples, expected) {
          let range = try #require(sample.byteRange)
          let isSame =
            try source.readExactly(range).array == known.content && Int64(sample.decodeTime) == known.decodeTime
            && Int(sample.duration) == known.duration && Int(sample.compositionOffset) == known.compositionOffset
            && sample.isSync == known.isSync && Int(sample.sampleDescriptionIndex) == known.description
          guard isSame else {
            Issue.record("seed \(seed), track \(track.trackID): \(sample) is not \(known)")
            return
          }
        }
      }
    }
  }

  @Test func agreesWithTheSecondReaderOnGeneratedMovies() throws {
    try forEachSeed { movie, seed, _ in
      let reader = try Self.reader(of: movie)
      for track in reader.tracks {
        let expected = movie.samples[track.id] ?? []
        let extras = try reader.extras(of: track)
        #expect(track.samples.count == expected.count, "seed \(seed), track \(track.id)")
        for (index, (sample, known)) in zip(track.samples, expected).enumerated() {
          let isSame =
            try reader.bytes(of: sample) == known.content && sample.decodeTime == known.decodeTime
            && Int(sample.duration) == known.duration
            && Int(sample.presentationTime - sample.decodeTime) == known.compositionOffset
            && sample.isSync == known.isSync && Int(sample.description) == known.description
            && extras[index] == known.extras
          guard isSame else {
            Issue.record("seed \(seed), track \(track.id): \(sample), \(extras[index]) is not \(known)")
            return
          }
        }
        #expect(try reader.encryption(of: track) == movie.encryption[track.id] ?? [], "seed \(seed)")
      }
    }
  }

  @Test func keepsAllSamplesWithoutFragments() throws {
    var subtractedCount = 0
    try forEachSeed { movie, seed, chance in
      let source = MemorySource(Bytes(movie.bytes()))
      let before = try Self.reader(of: movie)
      let layout = Self.layouts.randomElement(using: &chance) ?? OutputLayout()

      // Remuxed twice.
      let keepsStart = seed.isMultiple(of: 2)
      var edit = try MovieEdit(of: Movie(of: source), from: source, keepingStart: keepsStart)
      edit.flatten()
      let start = edit.stages.flattened?.start
      if start != nil { subtractedCount += 1 }
      let flattened = Self.flattened(from: start)
      let plain = try edit.outputPlan(of: source, layout).rendered(from: source)
      let after = try SecondReader(plain)
      try expectSame(before, after, flattened, "seed \(seed), \(layout)")
      let again = MemorySource(Bytes(plain))
      #expect(try !Movie(of: again).isFragmented, "seed \(seed)")
      #expect(
        try MovieEdit(of: again).outputPlan(of: again, layout).rendered(from: again) == plain,
        "seed \(seed): \(layout) changes its own output")

      // Dropped atoms are reported.
      for (type, count) in movie.unknownAtoms {
        let isTold = edit.notices.contains { $0.isWarning && $0.message.contains("\(count) \(type)") }
        #expect(isTold, "seed \(seed): \(count) \(type) are left out, and nobody is told")
      }

      // With an additional track.
      var addition = edit
      let id = try addition.addSubtitles("en")
      let longer = try SecondReader(addition.outputPlan(of: source, layout).rendered(from: source))
      let added = flattened.with { $0.addedTracks = [id] }
      try expectSame(before, longer, added, "seed \(seed), \(layout), with a track more")

      // With a track removed.
      guard edit.tracks.count > 1, let gone = edit.tracks.randomElement(using: &chance)?.id else { return }
      var removal = edit
      try removal.remove(gone)
      let smaller = try SecondReader(removal.outputPlan(of: source, layout).rendered(from: source))
      let removed = flattened.with { $0.removedTracks = [gone] }
      try expectSame(before, smaller, removed, "seed \(seed), \(layout), with a track less")
    }
    #expect(subtractedCount > 0)
  }

  @Test func keepsFragmentsWhenChangingLabels() throws {
    var keptCount = 0
    try forEachSeed { movie, seed, chance in
      let source = MemorySource(Bytes(movie.bytes()))
      var edit = try MovieEdit(of: Movie(of: source), from: source)
      guard let id = edit.tracks.randomElement(using: &chance)?.id else { return }
      try edit.setTitle(String(repeating: "title", count: Int.random(in: 1...9, using: &chance)), of: id)
      let new = try SecondReader(edit.outputPlan(of: source).rendered(from: source))
      if !edit.flattens { keptCount += 1 }
      let paths = ["udta", "udta/name", "udta/tnam", "udta/titl", "udta/©nam"].map { "moov/trak#\(id)/\($0)" }
      let kept = AllowedChanges().with { $0.changedAtoms = ["moof", "mfra"] }
      let allowed = (edit.flattens ? Self.flattened(from: edit.stages.flattened?.start) : kept).with {
        $0.addedAtoms = Set(paths)
        $0.changedAtoms.formUnion(paths.dropFirst())
        $0.removedAtoms = $0.changedAtoms
      }
      try expectSame(Self.reader(of: movie), new, allowed, "seed \(seed)")
    }
    // In many, bases or samples prevent keeping the fragments.
    #expect(keptCount > Int(Self.count) / 10)
  }

  @Test func keepsFragmentsWhenRemovingTracks() throws {
    var keptCount = 0
    try forEachSeed { random, seed, chance in
      // Free space replaces removed atoms and keeps positions, so both readers must see the same file.
      let movie = Self.uncompressed(random)
      let source = MemorySource(Bytes(movie.bytes()))
      var edit = try MovieEdit(of: Movie(of: source), from: source)
      let gone = Set(edit.tracks.map(\.id).shuffled(using: &chance).prefix(Int.random(in: 1...2, using: &chance)))
      guard gone.count < edit.tracks.count else { return }
      try edit.remove(gone)
      let new = try SecondReader(edit.outputPlan(of: source).rendered(from: source))
      if !edit.flattens { keptCount += 1 }
      let kept = AllowedChanges().with { $0.changedAtoms = ["moof", "mfra", "moov/mvex/mehd"] }
      var allowed = edit.flattens ? Self.flattened(from: edit.stages.flattened?.start) : kept
      allowed.removedTracks = gone
      for track in edit.tracks {
        allowed.references[track.id] = ["chap", "folw", "forc", "fall", "sync", "scpt", "cdsc", "tmcd", "hint", "subt"]
        allowed.regroupedTracks.insert(track.id)
      }
      try expectSame(Self.reader(of: movie), new, allowed, "seed \(seed), without \(gone)")
    }
    #expect(keptCount > Int(Self.count) / 20)
  }

  @Test func importsTracksIntoAnotherMovie() throws {
    try forEachSeed { movie, seed, chance in
      // Tracks with items located by file offset cannot be copied.
      let places = movie.header.tracks.indices.filter { movie.header.tracks[$0].item == nil }
      guard !places.isEmpty else { return }
      let layout = Self.layouts.randomElement(using: &chance) ?? OutputLayout()
      let uncompressed = Self.uncompressed(movie)
      let trial = try ImportTrial(.simple, uncompressed.bytes(), taking: Array(places.prefix(2)))
      for (new, strategy) in [(try trial.remuxed(layout), "\(layout)"), (try trial.appended(), "in place")] {
        try trial.check(new, "seed \(seed), \(strategy)") {
          $0.movieMoved = true
          $0.mediaDataRearranged = true
          $0.changedAtoms = ["moov/mvhd"]  // It may last longer.
        }
      }
    }
  }

  private func expectSame(
    _ old: SecondReader, _ new: SecondReader, _ allowed: AllowedChanges, _ place: String,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let found = try differences(old: old, new: new, allowing: allowed)
    if !found.isEmpty { Issue.record("\(place): \(found)", sourceLocation: location) }
  }

  /// Returns a second reader of the movie, which cannot read compressed movie atoms.
  private static func reader(of movie: RandomFragmentedMovie) throws -> SecondReader {
    try SecondReader(uncompressed(movie).bytes())
  }

  private static func uncompressed(_ movie: RandomFragmentedMovie) -> RandomFragmentedMovie {
    var movie = movie
    movie.header.hasCompressedMovieAtom = false
    return movie
  }

  /// Calls `body` for each seed. Failures are reported with the seed that reproduces them.
  private func forEachSeed(_ body: (RandomFragmentedMovie, UInt64, inout Chance) throws -> Void) throws {
    for seed in 0..<Self.count {
      var chance = Chance(seed: seed)
      let movie = RandomFragmentedMovie(&chance)
      do {
        try body(movie, seed, &chance)
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }
}
