import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Making movies self-contained whose samples are in other files.
struct ExternalMediaTests {
  private static let layouts: [OutputLayout] = [false, true].flatMap { isFastStart in
    [OutputLayout.Interleaving.none, .newSamples, .all].flatMap { interleaving in
      [false, true].flatMap { isCompact in
        [false, true].map { splits in
          var layout = OutputLayout(isFastStart: isFastStart, interleaving: interleaving, isCompact: isCompact)
          layout.splitsChunks = splits
          return layout
        }
      }
    }
  }

  private static let movies = [
    "referring": TestMovie.referring, "mixed": .mixed, "fast start": .mixed.with { $0.layout = .movieFirst },
  ]

  @Test(arguments: movies.keys.sorted())
  func copiesExternalSamplesInEveryLayout(_ name: String) throws {
    let trial = try ExternalTrial(try #require(Self.movies[name]))
    for layout in Self.layouts {
      let new = try trial.remuxed(layout)
      try trial.check(new) {
        $0.movieMoved = true
        $0.chunksSplit = layout.splitsChunks
      }
      // A self-contained movie is unchanged.
      let again = MemorySource(Bytes(new))
      var edit = try MovieEdit(of: again)
      #expect(try edit.makeSelfContained { _ in throw TestSupportError("nothing is to be opened") }.isEmpty)
      #expect(try edit.outputPlan(of: again, layout).rendered(from: again) == new)
    }
  }

  @Test func copiesExternalSamplesInPlace() throws {
    let trial = try ExternalTrial(.mixed)
    let new = try trial.appended()
    try trial.check(new) { $0.movieMoved = true }
    #expect(new.starts(with: trial.movie.bytes.array.prefix(36)))
    let fastStart = try ExternalTrial(.mixed.with { $0.layout = .movieFirst })
    try fastStart.check(fastStart.appended(.afterMedia)) { $0.movieMoved = true }
  }

  @Test func copiesASharedFileOnce() throws {
    let trial = try ExternalTrial(.mixed)
    #expect(trial.taken == ["media one.mov", "b/two.wav"])
    #expect(try ExternalTrial(.referring).taken == ["media one.mov", "b/two.wav"])
    // The first chunk of the video is inside the fourth.
    let track = try #require(trial.edit.movie.track(1))
    let chunks = Array(track.samples.chunks)
    let named = [1, 2, 3, 4, 5].reduce(0) { $0 + chunks[$1].byteCount }
    let plan = try trial.edit.outputPlan(of: trial.source)
    let start = UInt64(trial.movie.bytes.count)
    let copied = plan.extents.compactMap(\.sourceRange).filter { $0.offset >= start && $0.end <= start + 3000 }
    #expect(copied.reduce(0) { $0 + $1.count } == named)
  }

  @Test func makesReferencesSelfContainedIndividually() throws {
    let trial = try ExternalTrial(.mixed)
    let new = try Movie(of: MemorySource(Bytes(trial.remuxed())))
    let entries = try #require(new.track(2)?.dataReferences?.entries)
    #expect(entries == [.init(type: "url ", flags: 1), .init(type: "url ", flags: 1)])
    let aliases = try Movie(of: MemorySource(Bytes(ExternalTrial(.referring).remuxed())))
    #expect(try #require(aliases.track(2)?.dataReferences?.entries).map(\.type) == ["alis", "alis"])
    #expect(aliases.tracks.allSatisfy { $0.dataReferences?.entries.allSatisfy(\.isSelfContained) ?? false })
  }

  @Test func ignoresUnusedReferences() throws {
    let trial = try ExternalTrial(
      .mixed.with {
        $0.tracks[0].dataReferences?.append(urlReference("http://example.org/unused.mov"))
        $0.tracks[1].dataReferences?.insert(urlReference("/etc/unused"), at: 1)
        $0.tracks[1].sampleEntries?[1] = SampleEntry.sound("mp4a", rate: 8000, dataReference: 3)
      })
    try trial.check(trial.remuxed())
    // A track whose only reference is unused becomes self-contained.
    let own = TestMovie.simple.with {
      $0.tracks[0].dataReferences = [fullAtom("url ", flags: 1), urlReference("gone.mov")]
    }
    let alone = try ExternalTrial(own)
    #expect(alone.taken.isEmpty)
    #expect(
      alone.edit.notices.map(\.message) == [
        "track 1 no longer refers to another file, which contained none of its samples"
      ])
    let new = try Movie(of: MemorySource(Bytes(alone.remuxed())))
    #expect(new.track(1)?.dataReferences?.entries.map(\.isSelfContained) == [true, true])
  }

  @Test func interleavesMediaOfSeveralFiles() throws {
    let trial = try ExternalTrial(.referring)
    for interleaving in [OutputLayout.Interleaving.newSamples, .all] {
      let new = try Movie(of: MemorySource(Bytes(trial.remuxed(OutputLayout(interleaving: interleaving)))))
      #expect(new.interleavingDistance().microseconds <= 500_000)
    }
  }

  /// The first half of a track is one whole file, the second half another.
  @Test func copiesEachExtentFromOneFile() throws {
    var movie = TestMovie.simple.with {
      $0.tracks.removeLast()
      $0.tracks[0].dataReferences = [urlReference("a.raw"), urlReference("b.raw")]
      $0.tracks[0].sampleEntries = [1, 2].map { SampleEntry.video(width: 64, height: 36, dataReference: $0) }
      $0.tracks[0].descriptionOfChunk = [1, 1, 1, 2]
    }
    let sizes = try Movie(of: movie.source).tracks[0].samples.chunks.map(\.byteCount)
    #expect(sizes.count == 6)
    let ends = [sizes[..<3], sizes[3...]].map { half in half.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) } }
    movie.layout = [.fileType, .movie(.ordinary)]
    movie.tracks[0].externalOffsets = Array(ends[0].dropLast() + ends[1].dropLast())
    let files = ["a.raw": Int(ends[0][3]), "b.raw": Int(ends[1][3])].mapValues {
      TestSample.pattern(track: 90, number: $0, byteCount: $0)
    }
    let trial = try ExternalTrial(movie, files)
    let start = UInt64(trial.movie.bytes.count)
    let wanted = [
      ByteRange(start..<start + ends[0][3]), ByteRange(start + ends[0][3]..<start + ends[0][3] + ends[1][3]),
    ]
    for layout in Self.layouts {
      let plan = try trial.edit.outputPlan(of: trial.source, layout)
      #expect(plan.extents.compactMap(\.sourceRange).filter { $0.offset >= start } == wanted)
    }
    let appended = try trial.edit.inPlacePlan(of: trial.source, .keepingFastStart).rendered()
    #expect(appended.extents.compactMap(\.sourceRange).filter { $0.offset >= start } == wanted)
  }

  @Test func reportsCopiedMedia() throws {
    let trial = try ExternalTrial(.referring)
    #expect(trial.edit.notices.allSatisfy { !$0.isWarning })
    #expect(
      trial.edit.notices.map(\.message) == [
        "the samples of track 1 are copied into the movie from media one.mov",
        "the samples of track 2 are copied into the movie from media one.mov, b/two.wav",
      ])
    #expect(try MovieEdit(of: trial.movie).notices.allSatisfy { $0.isWarning && $0.kind == .externalMedia })
  }

  @Test func keepsReferencesByDefault() throws {
    let source = TestMovie.mixed.source
    let edit = try MovieEdit(of: source)
    #expect(edit.externalReferences.map(\.trackID) == [1, 2] && edit.externalReferences.map(\.index) == [0, 1])
    for layout in Self.layouts {
      let new = try edit.outputPlan(of: source, layout).rendered(from: source)
      let allowed = AllowedChanges().with {
        ($0.mediaDataRearranged, $0.movieMoved, $0.chunksSplit) = (true, true, layout.splitsChunks)
      }
      #expect(try differences(old: source.bytes.array, new: new, allowing: allowed) == [])
    }
  }

  @Test func detectsUnrequestedChangesOfReferences() throws {
    let source = TestMovie.mixed.source
    let edit = try MovieEdit(of: source)
    let layout = OutputLayout(interleaving: .none)
    let plan = try edit.outputPlan(of: source, layout)
    let resolved = try edit.resolved(isInterleaved: false)
    #expect(throws: Never.self) {
      try PlanChecker.check(plan, of: resolved, strategy: .rewrite(layout), source: source)
    }
    let reader = try SecondReader(plan.rendered(from: source))
    let end = try #require(reader.atom("moov/trak#1/mdia/minf/dinf/dref")).end
    let spoiled = try plan.spoiled(end - 1..<end, with: [1])
    #expect {
      try PlanChecker.check(spoiled, of: resolved, strategy: .rewrite(layout), source: source)
    } throws: {
      ($0 as? MovieError)?.code == .planCheckFailed && ($0 as? MovieError)?.path.contains("/dref/") == true
    }
  }

  @Test func rejectsChunksPastTheEndOfTheirFile() throws {
    let chunk = try #require(Array(Movie(of: TestMovie.referring.source).tracks[0].samples.chunks).last)
    let end = 3000 - chunk.byteCount
    let fits = TestMovie.referring.with { $0.tracks[0].externalOffsets?[5] = end }
    try ExternalTrial(fits).check(ExternalTrial(fits).remuxed())
    let lies = TestMovie.referring.with { $0.tracks[0].externalOffsets?[5] = end + 1 }
    #expect {
      try ExternalTrial(lies)
    } throws: { error in
      let error = error as? MovieError
      return error?.code == .truncated && error?.path == "moov/trak[1]/mdia/minf/stbl/stco"
        && error?.reason
          == "chunk 6 (\(chunk.byteCount) bytes at \(end + 1)) reaches past the end of media one.mov at 3000"
    }
    // An offset for which the end would exceed 64 bits.
    let far = TestMovie.referring.with {
      $0.tracks[0].usesLongOffsets = true
      $0.tracks[0].externalOffsets?[5] = .max - 10
    }
    #expect { try ExternalTrial(far) } throws: { isMovieError($0, .truncated) }
  }

  @Test func keepsTheEditUnchangedAfterAFailure() throws {
    var edit = try MovieEdit(of: TestMovie.referring.source)
    #expect(throws: TestSupportError.self) {
      _ = try edit.makeSelfContained { reference in
        guard reference.trackID == 1 else { throw TestSupportError("no") }
        return try ExternalTrial.file(reference, TestMovie.mediaFiles)
      }
    }
    #expect(edit.isEmpty && edit.otherSources.isEmpty && edit.notices.count == 2)
  }

  @Test func rejectsExternalAuxiliaryInformation() throws {
    let movie = TestMovie.referring.with { $0.tracks[1].sampleTableAtoms = fullAtom("saio") { u32(1, 9) } }
    #expect {
      try ExternalTrial(movie)
    } throws: { error in
      isMovieError(error, .unsupported) && (error as? MovieError)?.path == "moov/trak[2]/mdia/minf/stbl/saio"
    }
  }

  @Test func rejectsTracksWithEqualIDs() throws {
    let movie = TestMovie.referring.with { $0.tracks[1].id = 1 }
    #expect { try ExternalTrial(movie) } throws: { isMovieError($0, .malformed) }
  }

  @Test func copiesNoMediaOfRemovedTracks() throws {
    let movie = TestMovie.referring.source
    var edit = try MovieEdit(of: movie)
    try edit.remove(1)
    let files = try edit.makeSelfContained { try ExternalTrial.file($0, TestMovie.mediaFiles) }
    #expect(files.map(\.name) == ["media one.mov", "b/two.wav"])
    let source = try JoinedSource([movie] + files.map(\.source))
    let new = try Movie(of: PlannedSource(edit.outputPlan(of: source), of: source))
    let media = new.layout.atoms.filter { $0.type == "mdat" }.reduce(0) { $0 + $1.payloadRange.count }
    #expect(media == MediaRanges(new.tracks).byteCount && media < 600)

    // In the reverse order: media that was copied is dropped again.
    var trial = try ExternalTrial(.referring)
    try trial.edit.remove(1)
    let later = try Movie(of: MemorySource(Bytes(trial.remuxed())))
    #expect(later.layout.atoms.filter { $0.type == "mdat" }.map(\.payloadRange.count) == [media])
  }

  @Test func copiesExternalMediaOfImportedTracks() throws {
    let movie = TestMovie.mixed.source
    var edit = try MovieEdit(of: movie)
    let dub = TestMovie.dub.source
    _ = try edit.add([TrackInput(Movie(of: dub).tracks[0])], of: Movie(of: dub))
    let files = try edit.makeSelfContained { try ExternalTrial.file($0, TestMovie.mediaFiles) }
    let id = try edit.addSubtitles("en")
    let source = try JoinedSource([movie, dub] + files.map(\.source))
    let trial = try ExternalTrial(.mixed)
    for layout in Self.layouts where !layout.splitsChunks {
      let new = try edit.outputPlan(of: source, layout).rendered(from: source)
      try trial.check(new) {
        $0.addedTracks = [3, id]; $0.movieMoved = true
      }
    }
    try trial.check(edit.inPlacePlan(of: source).rendered().rendered(from: source)) {
      $0.addedTracks = [3, id]
      $0.movieMoved = true
    }
  }

  @Test func keeps32BitTablesForLargeExternalOffsets() throws {
    let movie = TestMovie.referring.with {
      $0.tracks[0].usesLongOffsets = true
      $0.tracks[0].externalOffsets = $0.tracks[0].externalOffsets?.map { $0 + 5 << 30 }
    }.source
    var edit = try MovieEdit(of: movie)
    let big = HoleSource(byteCount: 6 << 30)
    let files = try edit.makeSelfContained { reference in
      reference.trackID == 1
        ? ExternalFile(name: "big", source: big) : try ExternalTrial.file(reference, TestMovie.mediaFiles)
    }
    let source = try JoinedSource([movie] + files.map(\.source))
    let planned = PlannedSource(try edit.outputPlan(of: source), of: source)
    #expect(try planned.identity().byteCount < 10_000)
    let new = try #require(try Movie(of: planned).track(1))
    for (old, chunk) in zip(edit.movie.tracks[0].samples.chunks, new.samples.chunks) {
      #expect(try planned.read(#require(chunk.byteRange)) == big.read(#require(old.byteRange)))
    }
  }
}

/// A file that is too large to exist. Each byte is computed from its offset.
private struct HoleSource: RandomAccessSource {
  let byteCount: UInt64

  func identity() -> SourceIdentity { SourceIdentity(byteCount: byteCount, tag: "hole") }

  func read(_ range: ByteRange) throws -> Bytes {
    Bytes((range.offset..<range.end).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
  }
}
