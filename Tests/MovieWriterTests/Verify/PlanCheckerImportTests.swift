import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Plans that import a track: each test corrupts one and expects that the checker detects it.
struct PlanCheckerImportTests {
  private struct Case {
    let source: JoinedSource
    let resolved: ResolvedEdit
    let plan: OutputPlan
    let file: SecondReader
    let fileBytes: [UInt8]
  }

  private func makeCase(_ other: TestMovie = .dub, into movie: TestMovie = .simple) throws -> Case {
    let trial = try ImportTrial(movie, other)
    let plan = try trial.edit.outputPlan(of: trial.source, OutputLayout(interleaving: .none))
    let bytes = try plan.rendered(from: trial.source)
    return Case(
      source: trial.source, resolved: try trial.edit.resolved(isInterleaved: false), plan: plan,
      file: try SecondReader(bytes), fileBytes: bytes)
  }

  private func check(_ one: Case, _ plan: OutputPlan, _ resolved: ResolvedEdit? = nil) throws {
    try PlanChecker.check(
      plan, of: resolved ?? one.resolved, strategy: .rewrite(OutputLayout(interleaving: .none)), source: one.source)
  }

  private func expectFailure(
    _ one: Case, _ plan: OutputPlan, _ resolved: ResolvedEdit? = nil, _ reason: String = "",
    at location: SourceLocation = #_sourceLocation
  ) {
    #expect(sourceLocation: location) {
      try check(one, plan, resolved)
    } throws: { error in
      let error = error as? MovieError
      return error?.code == .planCheckFailed && (reason.isEmpty || error?.reason.contains(reason) == true)
    }
  }

  private func expectFailure(
    _ one: Case, _ path: String, byte: Int, _ reason: String = "", at location: SourceLocation = #_sourceLocation
  ) throws {
    let atom = try #require(one.file.atom(path), sourceLocation: location)
    let place = byte < 0 ? Int(atom.end) + byte : Int(atom.offset) + byte
    let plan = try one.plan.spoiled(UInt64(place)..<UInt64(place + 1), with: [one.fileBytes[place] ^ 1])
    expectFailure(one, plan, nil, reason, at: location)
  }

  @Test func acceptsAGoodPlan() throws {
    let one = try makeCase(.dub.with { $0.tracks[0].auxiliaryByteCount = 2 })
    #expect(throws: Never.self) { try check(one, one.plan) }
  }

  @Test func detectsAnyChangedByteOfTheTrack() throws {
    let one = try makeCase(
      .dub.with {
        $0.tracks[0].auxiliaryByteCount = 2
        $0.tracks[0].trackAtoms = atom("XTRK") { text("unknown") }
        $0.tracks[0].mediaAtoms = atom("XMDI") { text("unknown") }
        $0.tracks[0].sampleTableAtoms = atom("XSTB") { text("unknown") }
      })
    let paths = one.file.atoms.filter {
      $0.path.hasPrefix("moov/trak#3/") && !$0.isContainer && $0.byteCount > 8
    }.map(\.path)
    #expect(paths.count > 15)
    for path in paths { try expectFailure(one, path, byte: -1) }
    // Volume, duration, time scale, a media time, the duration of an edit, the number of chunks.
    try expectFailure(one, "moov/trak#3/tkhd", byte: 8 + 37, "more than ID, flags, group and duration")
    try expectFailure(one, "moov/trak#3/tkhd", byte: 8 + 23, "the duration changed from")
    try expectFailure(one, "moov/trak#3/mdia/mdhd", byte: 8 + 15, "more than the language")
    try expectFailure(one, "moov/trak#3/edts/elst", byte: 16 + 7, "more than the length of edits")
    try expectFailure(one, "moov/trak#3/edts/elst", byte: 16 + 15, "the end of edit 2")
    try expectFailure(one, "moov/trak#3/mdia/minf/stbl/stco", byte: 16 + 3, "no longer refers to its bytes")
    try expectFailure(one, "moov/trak#3/mdia/minf/stbl/saio", byte: -1, "where other bytes are stored")
    try expectFailure(one, "moov/mvhd", byte: 8 + 19, "its bytes changed")
  }

  /// ffmpeg delayed the movie by 80 ms, which are 48 ticks, and so must be the dub.
  @Test func holdsTracksToTheDelayOfTheMovie() throws {
    let withoutEdits = TestMovie.dub.with { $0.tracks[0].edits = [] }
    for (dub, first) in [(TestMovie.dub, 74), (withoutEdits, 48)] {
      let one = try makeCase(dub, into: (StreamableMovie.delayed))
      #expect(throws: Never.self) { try check(one, one.plan) }
      let elst = try #require(one.file.atom("moov/trak#3/edts/elst"))
      #expect(one.fileBytes[Int(elst.offset) + 16 + 3] == UInt8(first))
      // The durations of both edits by more than a tick, the media times, the rates.
      for byte in [16 + 2, 16 + 12 + 2, 16 + 7, 16 + 12 + 6, 16 + 9, 16 + 12 + 9] {
        try expectFailure(one, "moov/trak#3/edts/elst", byte: byte)
      }
      try expectFailure(one, "moov/trak#3/tkhd", byte: 8 + 22, "the duration changed from")
      // A movie without the delay must not get the dub later, and the reverse.
      let plain = try makeCase(dub, into: (StreamableMovie.delayed.with { $0.tracks[1].samples[0].duration = 1_024 }))
      #expect(throws: Never.self) { try check(plain, plain.plan) }
      #expect(plain.file.atom("moov/trak#3/edts") == nil || dub.tracks[0].edits.count == 2)
    }
  }

  @Test func acceptsAnUnknownEditDuration() throws {
    let one = try makeCase(.dub.with { $0.tracks[0].edits = [TestEdit(duration: Int(UInt32.max), mediaTime: 1024)] })
    let elst = try #require(one.file.atom("moov/trak#3/edts/elst"))
    #expect(Array(one.fileBytes[Int(elst.offset) + 16..<Int(elst.offset) + 20]) == [255, 255, 255, 255])
    try expectFailure(one, "moov/trak#3/edts/elst", byte: 16 + 3, "has a length, but its length was unknown")
  }

  /// Returns the extent of the output with the other movie's first bytes.
  private func foreign(_ one: Case) throws -> OutputPlan.Extent {
    try #require(
      one.plan.extents.first { $0.sourceRange.map { $0.offset >= one.plan.source.primary.byteCount } ?? false })
  }

  @Test func detectsOtherBytesOfTheOtherMovie() throws {
    let one = try makeCase()
    let extent = try foreign(one)
    let range = try #require(extent.sourceRange)
    for shifted in [ByteRange(range.offset - 1..<range.end - 1), ByteRange(range.offset + 1..<range.end + 1)] {
      let contents = one.plan.extents.map { $0 == extent ? OutputPlan.Content.source(shifted) : $0.content }
      expectFailure(one, try OutputPlan(of: one.plan.source, contents), nil, "no longer refers to its bytes")
    }
  }

  @Test func detectsUnreferencedBytesOfTheOtherMovie() throws {
    let one = try makeCase()
    let extent = try foreign(one)
    let range = try #require(extent.sourceRange)
    // One more byte, in an `mdat` that grows by it; only `moov` follows.
    var contents: [OutputPlan.Content] = []
    for part in one.plan.extents {
      contents.append(part == extent ? .source(ByteRange(range.offset - 1..<range.end)) : part.content)
    }
    #expect(throws: MovieError.self) { try check(one, OutputPlan(of: one.plan.source, contents)) }
    // A `free` atom with bytes of the other movie at the end.
    let free =
      one.plan.extents.map(\.content) + [
        .generated(Bytes(u32(12) + code("free"))), .source(ByteRange(range.offset - 4..<range.offset)),
      ]
    expectFailure(one, try OutputPlan(of: one.plan.source, free))
  }

  @Test func comparesEachCopyWithTheFragments() throws {
    let sound: [TestSample] = .varied(8, around: 9, duration: 480)
    let contents = movieContent {
      fullAtom("saiz") { u8(8) + u32(8) }
      fullAtom("saio") { u32(1, 16) }
      fullAtom("sgpd", version: 1) { code("roll") + u32(2, 1) + u16(7) }
      fullAtom("sbgp") { code("roll") + u32(1, 3, 0x1_0001) }
    }
    let fragment = TestFragment([.init(id: 21, decodeTime: 0, runs: [.init(sound)]).with { $0.atoms = contents }])
    let trial = try ImportTrial(.simple, TestMovie.dub.initial.bytes(fragments: [fragment]), taking: [0, 0])
    let plan = try trial.edit.outputPlan(of: trial.source, OutputLayout(interleaving: .none))
    let bytes = try plan.rendered(from: trial.source)
    let one = Case(
      source: trial.source, resolved: try trial.edit.resolved(isInterleaved: false), plan: plan,
      file: try SecondReader(bytes), fileBytes: bytes)
    #expect(throws: Never.self) { try check(one, plan) }
    for id in trial.ids {
      for type in ["sgpd", "sbgp", "saio"] {
        try expectFailure(one, "moov/trak#\(id)/mdia/minf/stbl/\(type)", byte: -1)
      }
    }
  }

  @Test func detectsAMissingOrWrongTrack() throws {
    let one = try makeCase()
    var resolved = one.resolved
    resolved.added.importedTracks = []
    expectFailure(one, one.plan, resolved)
    resolved = one.resolved
    resolved.added.otherFiles = [OtherFile(contents: .movie(resolved.movie), source: TestMovie.simple.source)]
    expectFailure(one, one.plan, resolved, "a movie that the plan does not read")
    let plain = try MovieEdit(of: one.resolved.movie)
    expectFailure(
      one, try plain.outputPlan(of: TestMovie.simple.source), nil, "the tracks are [1, 2] instead of [1, 2, 3]")
  }
}
