import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Plans that copy external media or split chunks: each test corrupts one and expects that the checker detects it.
struct PlanCheckerTablesTests {
  private struct Case {
    let source: JoinedSource
    let resolved: ResolvedEdit
    let plan: OutputPlan
    let layout: OutputLayout
    let file: SecondReader
    let bytes: [UInt8]

    init(_ movie: TestMovie, splits: Bool) throws {
      let trial = try ExternalTrial(movie)
      source = trial.source
      var layout = OutputLayout(interleaving: .none)
      layout.splitsChunks = splits
      self.layout = layout
      plan = try trial.edit.outputPlan(of: source, layout)
      resolved = try (splits ? trial.edit.splittingChunks() : trial.edit).resolved(isInterleaved: false)
      bytes = try plan.rendered(from: source)
      file = try SecondReader(bytes)
    }

    func check(_ plan: OutputPlan, _ resolved: ResolvedEdit? = nil) throws {
      try PlanChecker.check(plan, of: resolved ?? self.resolved, strategy: .rewrite(layout), source: source)
    }

    func expectFailure(
      _ plan: OutputPlan, _ resolved: ResolvedEdit? = nil, _ reason: String = "",
      at location: SourceLocation = #_sourceLocation
    ) {
      #expect(sourceLocation: location) {
        try check(plan, resolved)
      } throws: { error in
        let error = error as? MovieError
        return error?.code == .planCheckFailed && (reason.isEmpty || error?.reason.contains(reason) == true)
      }
    }

    /// Corrupts a byte of an atom. A negative position counts from its end.
    func expectFailure(
      _ path: String, byte: Int, _ reason: String = "", at location: SourceLocation = #_sourceLocation
    ) throws {
      let atom = try #require(file.atom(path), sourceLocation: location)
      let place = byte < 0 ? Int(atom.end) + byte : Int(atom.offset) + byte
      let spoiled = try plan.spoiled(UInt64(place)..<UInt64(place + 1), with: [bytes[place] ^ 1])
      expectFailure(spoiled, nil, reason, at: location)
    }
  }

  // MARK: - External media

  @Test func detectsAChangedByteInTablesOfCopiedMedia() throws {
    let one = try Case(.mixed, splits: false)
    #expect(throws: Never.self) { try one.check(one.plan) }
    let stbl = "moov/trak#2/mdia/minf/stbl/"
    try one.expectFailure(stbl + "stco", byte: 16 + 3, "no longer refers to its bytes")
    try one.expectFailure(stbl + "stco", byte: 16 + 11, "no longer refers to its bytes")
    try one.expectFailure(stbl + "stsc", byte: -1)
    try one.expectFailure(stbl + "stsd", byte: -1)
    let dref = "moov/trak#2/mdia/minf/dinf/dref"
    // Flags, type and version of either reference.
    for place in [16 + 11, 16 + 7, 16 + 8, 28 + 11, 28 + 7, 28 + 8, 28 + 10] {
      try one.expectFailure(dref, byte: place)
    }
    try one.expectFailure(dref, byte: 28 + 11)
    try one.expectFailure("moov/trak#1/mdia/minf/dinf/dref", byte: -1)
  }

  @Test func detectsOtherBytesOfTheOtherFile() throws {
    let one = try Case(.mixed, splits: false)
    let primary = one.plan.source.primary.byteCount
    let foreign = one.plan.extents.filter { $0.sourceRange.map { $0.offset >= primary } ?? false }
    #expect(foreign.count > 3)
    for extent in foreign {
      let range = try #require(extent.sourceRange)
      for shifted in [ByteRange(range.offset - 1..<range.end - 1), ByteRange(range.offset + 1..<range.end + 1)] {
        let contents = one.plan.extents.map { $0 == extent ? OutputPlan.Content.source(shifted) : $0.content }
        one.expectFailure(try OutputPlan(of: one.plan.source, contents), nil, "no longer refers to its bytes")
      }
      // Bytes that the plan generates instead of copying.
      let made = one.plan.extents.map {
        $0 == extent ? OutputPlan.Content.zeros(range.count) : $0.content
      }
      one.expectFailure(try OutputPlan(of: one.plan.source, made))
    }
  }

  @Test func detectsUnreferencedBytesOfTheOtherFile() throws {
    let one = try Case(.mixed, splits: false)
    let primary = one.plan.source.primary.byteCount
    let free =
      one.plan.extents.map(\.content) + [
        .generated(Bytes(u32(12) + code("mdat"))), .source(ByteRange(primary..<primary + 4)),
      ]
    one.expectFailure(
      try OutputPlan(of: one.plan.source, free), nil, "the bytes copied from other files")
  }

  @Test func detectsUnrequestedCopiedMedia() throws {
    let one = try Case(.mixed, splits: false)
    var resolved = one.resolved
    resolved.added.externalMedia[1] = nil
    one.expectFailure(one.plan, resolved)
    resolved = one.resolved
    resolved.added.externalMedia[1]?.parts = [0: 2]
    one.expectFailure(one.plan, resolved)
    resolved = one.resolved
    resolved.added.otherFiles[0] = OtherFile(
      contents: .media(SourceIdentity(byteCount: 3000, tag: "another")), source: TestMovie.simple.source)
    one.expectFailure(one.plan, resolved, "a file that the plan does not read")
    // The reverse: requested media is not copied.
    let source = TestMovie.mixed.source
    let kept = try MovieEdit(of: source).outputPlan(of: source, OutputLayout(interleaving: .none))
    let contents = kept.extents.map(\.content)
    one.expectFailure(try OutputPlan(of: one.plan.source, contents))
  }

  // MARK: - Split chunks

  private func splitCase() throws -> Case {
    try Case(
      .mixed.with {
        $0.tracks[1].chunking = [16]
        $0.tracks[1].descriptionOfChunk = [1]
        $0.tracks[1].externalChunks = [:]
        $0.tracks[0].chunking = [24]
        $0.tracks[0].externalOffsets = [100]
      }, splits: true)
  }

  @Test func detectsAChangedByteInSplitTables() throws {
    let one = try splitCase()
    #expect(one.resolved.stages.unsplit != nil)
    #expect(throws: Never.self) { try one.check(one.plan) }
    #expect(try #require(one.file.track(2)).samples.last?.chunk == 1)
    for track in ["moov/trak#1/mdia/minf/stbl/", "moov/trak#2/mdia/minf/stbl/"] {
      for place in [16 + 3, 16 + 7] { try one.expectFailure(track + "stco", byte: place) }
      // Number of entries, first chunk, samples, description.
      for place in [15, 16 + 3, 16 + 7, 16 + 11] { try one.expectFailure(track + "stsc", byte: place) }
      for type in ["stts", "stsz"] { try one.expectFailure(track + type, byte: -1) }
    }
  }

  @Test func detectsErrorsOfSplitting() throws {
    let one = try splitCase()
    // The plan matches the split header, which does not match the original one.
    let unsplit = try #require(one.resolved.stages.unsplit)
    func spoil(_ path: String, _ place: Int) throws {
      var bytes = unsplit.tree.bytes.array
      let atom = try #require(SecondReader(bytes).atom(path))
      bytes[place < 0 ? Int(atom.end) + place : Int(atom.offset) + place] ^= 1
      var resolved = one.resolved
      resolved.stages.unsplit = try unsplit.replacingMovieAtom(with: Bytes(bytes))
      one.expectFailure(one.plan, resolved)
    }
    let stbl = "moov/trak#2/mdia/minf/stbl/"
    try spoil(stbl + "stco", -1)
    try spoil(stbl + "stsz", -1)
    try spoil(stbl + "stts", -1)
    try spoil(stbl + "stsd", -1)
    try spoil("moov/trak#2/tkhd", -1)
    try spoil("moov/trak#2/mdia/mdhd", -1)
    try spoil("moov/mvhd", 8 + 19)
    try spoil("moov/trak#1/mdia/minf/stbl/stco", -1)
  }
}
