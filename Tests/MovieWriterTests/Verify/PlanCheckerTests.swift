import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Good plans pass; each test corrupts one and expects that the checker detects it.
struct PlanCheckerTests {
  private let movie = TestMovie.torture.with {
    $0.layout = [
      .fileType, .bytes(atom("uuid") { text("0123456789ABCDEF first") }), .itemTable, .media(.ordinary),
      .movie(.ordinary), .bytes(atom("uuid") { text("0123456789ABCDEF second") }), .bytes(text("odd")),
    ]
    $0.fileItem = text("an item of the file")
    $0.movieItem = text("an item of the movie")
    $0.tracks[0].auxiliaryByteCount = 2
  }

  private struct Case {
    let source: MemorySource
    let resolved: ResolvedEdit
    let plan: OutputPlan
    /// The planned file, which a test changes and converts to a plan again.
    let file: SecondReader
    let fileBytes: [UInt8]
    var strategy = PlanChecker<MemorySource>.Strategy.rewrite(OutputLayout(interleaving: .none))
  }

  private func makeCase(
    _ movie: TestMovie? = nil, _ change: (inout MovieEdit) throws -> Void = { _ = try $0.addSubtitles("en") }
  ) throws -> Case {
    let source = (movie ?? self.movie).source
    var edit = try MovieEdit(of: source)
    try change(&edit)
    let resolved = try edit.resolved(isInterleaved: false)
    let plan = try edit.outputPlan(of: source, OutputLayout(isFastStart: true, interleaving: .none))
    let bytes = try plan.rendered(from: source)
    return Case(source: source, resolved: resolved, plan: plan, file: try SecondReader(bytes), fileBytes: bytes)
  }

  private func expectFailure(
    _ one: Case, _ plan: OutputPlan, _ reason: String = "", at location: SourceLocation = #_sourceLocation
  ) {
    #expect(sourceLocation: location) {
      try PlanChecker.check(plan, of: one.resolved, strategy: one.strategy, source: one.source)
    } throws: { error in
      let error = error as? MovieError
      return error?.code == .planCheckFailed && (reason.isEmpty || error?.reason.contains(reason) == true)
    }
  }

  /// Corrupts a byte of an atom in the planned file. A negative position counts from its end.
  private func expectFailure(
    _ one: Case, _ path: String, byte: Int, _ reason: String = "", at location: SourceLocation = #_sourceLocation
  ) throws {
    let atom = try #require(one.file.atom(path), sourceLocation: location)
    let place = byte < 0 ? Int(atom.end) + byte : Int(atom.offset) + byte
    let plan = try one.plan.spoiled(UInt64(place)..<UInt64(place + 1), with: [one.fileBytes[place] ^ 1])
    expectFailure(one, plan, reason, at: location)
  }

  @Test func acceptsGoodPlans() throws {
    let one = try makeCase()
    #expect(throws: Never.self) {
      try PlanChecker.check(one.plan, of: one.resolved, strategy: .rewrite(OutputLayout()), source: one.source)
    }
    let copy = try one.plan.spoiled(100..<100, with: [])
    #expect(throws: Never.self) {
      try PlanChecker.check(copy, of: one.resolved, strategy: .rewrite(OutputLayout()), source: one.source)
    }
  }

  @Test func detectsAChunkMovedByOneByte() throws {
    let one = try makeCase()
    for track in 1...4 {
      let table = "moov/trak#\(track)/mdia/minf/stbl/stco"
      let count = Int((try #require(one.file.atom(table)).byteCount - 16) / 4)
      for chunk in Set([0, count / 2, count - 1]) {
        try expectFailure(one, table, byte: 16 + 4 * chunk + 3, "no longer refers to its bytes")
      }
    }
  }

  @Test func detectsAChunkWithSamplesOfAnother() throws {
    let one = try makeCase()
    let first = try #require(one.file.atom("moov/trak#1/mdia/minf/stbl/stco")).offset + 16
    let second = try #require(one.file.atom("moov/trak#2/mdia/minf/stbl/stco")).offset + 16
    let plan = try one.plan.spoiled(
      first..<first + 4, with: Array(one.fileBytes[Int(second)..<Int(second) + 4]))
    expectFailure(one, plan, "no longer refers to its bytes")
  }

  @Test func detectsAChangedByteAtAnyDepth() throws {
    let one = try makeCase()
    // The last byte of every leaf of the old tracks and of the movie, except `mvhd`, whose next track ID may change.
    let paths = Set(
      one.file.atoms.filter { $0.path.hasPrefix("moov/") && !$0.isContainer && $0.byteCount > 8 }.map(\.path))
    #expect(paths.count > 80)
    for path in paths.sorted() where path != "moov/mvhd" && !path.hasPrefix("moov/trak#5") {
      try expectFailure(one, path, byte: -1)
    }
  }

  @Test func detectsChangedHeaderFields() throws {
    let one = try makeCase()
    try expectFailure(one, "moov/mvhd", byte: 8 + 19, "its bytes changed")  // Duration.
    try expectFailure(one, "moov/trak#1/tkhd", byte: 8 + 77)  // Width.
    // If the edit requests a change of the header, only flags and group may change.
    let grouped = try makeCase(.talk) { try $0.group(TrackGroup(members: [2, 3], defaultMember: 3)) }
    try expectFailure(grouped, "moov/trak#2/tkhd", byte: 8 + 77, "more than flags and group")
    try expectFailure(grouped, "moov/trak#4/tkhd", byte: 8 + 43)  // The group of a track that nobody named.
    #expect(throws: Never.self) {
      try PlanChecker.check(
        grouped.plan, of: grouped.resolved, strategy: .rewrite(OutputLayout()), source: grouped.source)
    }
  }

  @Test func detectsLostDuplicateAndReorderedAtoms() throws {
    let one = try makeCase()
    let moov = try #require(one.file.atom("moov"))
    let tree = try AtomTree(Bytes(Array(one.fileBytes[Int(moov.offset)..<Int(moov.end)])), at: moov.offset)
    func expect(_ path: String, _ change: (inout AtomEdits, Int) throws -> Void) throws {
      let index = try #require(tree.index(at: path))
      var edits = AtomEdits()
      try change(&edits, index)
      var writer = ByteWriter()
      edits.draft(of: tree).write(to: &writer)
      expectFailure(one, try one.plan.spoiled(moov.offset..<moov.end, with: writer.bytes))
    }
    for path in [
      "moov/XMOV", "moov/udta/ZZZZ", "moov/trak[1]/XTRK", "moov/trak[1]/mdia/XMDI", "moov/trak[1]/mdia/minf/stbl/XSTB",
      "moov/trak[2]/tref/folw", "moov/trak[2]/edts", "moov/trak[3]/udta/tagc[2]", "moov/trak[3]", "moov/meta[2]/keys",
      "moov/meta[1]",
      "moov/trak[2]/mdia/minf/stbl/sgpd",
    ] {
      try expect(path) { $0.remove($1) }
      try expect(path) { edits, index in
        edits.insert(tree.bytes(of: index).array, into: try #require(tree[index].parent), before: index)
      }
      try expect(path) { edits, index in
        // After all its siblings, or before them if it is the last.
        let parent = try #require(tree[index].parent)
        let siblings = Array(tree.children(of: parent))
        guard siblings.count > 1 else { return edits.remove(index) }
        edits.remove(index)
        edits.insert(tree.bytes(of: index).array, into: parent, before: index == siblings.last ? siblings.first : nil)
      }
    }
  }

  @Test func detectsLostAndReorderedTopLevelAtoms() throws {
    let one = try makeCase()
    for (number, found) in one.file.topLevel.enumerated() where found.type != "moov" {
      let plan = try one.plan.spoiled(found.offset..<found.end, with: [])
      // The following atoms move, so media is lost as well, except for the last two atoms.
      expectFailure(one, plan, number == one.file.topLevel.count - 1 ? "uuid at byte" : "")
    }
    let uuids = one.file.topLevel.filter { $0.type == "uuid" }
    let first = Array(one.fileBytes[Int(uuids[0].offset)..<Int(uuids[0].end)])
    let second = Array(one.fileBytes[Int(uuids[1].offset)..<Int(uuids[1].end)])
    #expect(uuids.count == 2 && first.count != second.count)
    try expectFailure(one, "uuid", byte: -1, "uuid at byte")
    let last = uuids[1].offset..<uuids[1].end
    expectFailure(one, try one.plan.spoiled(last, with: first), "uuid at byte")
  }

  @Test func detectsAnUnrequestedAtom() throws {
    let one = try makeCase()
    let end = try #require(one.file.topLevel.last).end
    for type in ["XXXX", "meta", "free", "skip", "moov"] {
      expectFailure(one, try one.plan.spoiled(end..<end, with: atom(type)), "was added")
    }
  }

  @Test func detectsLostFreeSpace() throws {
    let movie = TestMovie.simple.with { $0.layout = [.fileType, .media(.ordinary), .movie(.ordinary), .free(20)] }
    let one = try makeCase(movie)
    let end = one.plan.byteCount
    #expect(throws: Never.self) {
      try PlanChecker.check(one.plan, of: one.resolved, strategy: one.strategy, source: one.source)
    }
    expectFailure(one, try one.plan.spoiled(end - 20..<end, with: []), "free at byte")
    expectFailure(one, try one.plan.spoiled(end - 20..<end, with: atom("free") { zeros(13) }), "free at byte")
    let smaller = try one.plan.spoiled(end - 20..<end, with: [])
    #expect(throws: Never.self) {
      try PlanChecker.check(smaller, of: one.resolved, strategy: .inPlace, source: one.source)
    }
  }

  /// A request for a track covers its header and its references, but no atoms of these types elsewhere.
  @Test func limitsRequestedTypesToTheirPlace() throws {
    let movie = TestMovie.talk.with {
      $0.tracks[1].references = [TestReference("chap", 4), TestReference("cdsc", 1)]
      for type in ["folw", "tkhd", "tref"] {
        $0.tracks[1].userData = ($0.tracks[1].userData ?? []) + atom(type) { u32(4) }
        $0.tracks[1].mediaAtoms += atom(type) { u32(4) }
        $0.tracks[1].trackAtoms += atom(type == "tkhd" ? "XXXX" : type) { u32(4) }
      }
    }
    let one = try makeCase(movie) {
      try $0.group(TrackGroup(members: [2, 3], defaultMember: 3))
      try $0.link(2, to: 4, .selectionFollower)
    }
    #expect(one.resolved.requested.changedAtoms[2] == ["tkhd", "tref", "folw"])
    for path in ["udta", "mdia"].flatMap({ place in ["folw", "tkhd", "tref"].map { "\(place)/\($0)" } }) + ["folw"] {
      try expectFailure(one, "moov/trak#2/\(path)", byte: -1)
    }
    try expectFailure(one, "moov/trak#2/tref/chap", byte: -1)
  }

  @Test func detectsStalePositionsInCopiedMetadata() throws {
    let one = try makeCase()
    let old = try #require(SecondReader(one.source.bytes.array).atom("meta"))
    let new = try #require(one.file.atom("meta"))
    let before = one.plan.extents(in: ByteRange(0..<new.offset)).map(\.content)
    let after = one.plan.extents(in: ByteRange(new.end..<one.plan.byteCount)).map(\.content)
    let copied = try OutputPlan(of: one.plan.source, before + [.source(ByteRange(old.offset..<old.end))] + after)
    expectFailure(one, copied, "where other bytes are stored")
  }

  @Test func detectsLostTrailingBytes() throws {
    let one = try makeCase()
    let end = one.plan.byteCount
    for range in [end - 3..<end, end - 1..<end] {
      expectFailure(one, try one.plan.spoiled(range, with: []), "end of the file")
    }
    expectFailure(one, try one.plan.spoiled(end - 1..<end, with: [0]), "end of the file")
    expectFailure(one, try one.plan.spoiled(end..<end, with: [0]), "end of the file")
  }

  @Test func detectsUnmovedPositions() throws {
    let one = try makeCase()
    try expectFailure(one, "moov/trak#1/mdia/minf/stbl/saio", byte: -1, "where other bytes are stored")
    try expectFailure(one, "moov/meta/iloc", byte: -11, "")
    try expectFailure(one, "meta/iloc", byte: -5, "")
  }

  @Test func detectsARemainingTrack() throws {
    let one = try makeCase { try $0.remove(3) }
    #expect(one.file.track(3) == nil)
    let kept = try makeCase { _ in }
    expectFailure(
      Case(source: one.source, resolved: one.resolved, plan: kept.plan, file: kept.file, fileBytes: kept.fileBytes),
      kept.plan)
    // A track that should exist but does not.
    expectFailure(
      Case(source: one.source, resolved: kept.resolved, plan: one.plan, file: one.file, fileBytes: one.fileBytes),
      one.plan)
  }

  @Test func requiresNewBytesForANewTrack() throws {
    let one = try makeCase()
    let table = try #require(one.file.atom("moov/trak#5/mdia/minf/stbl/stco"))
    let place = table.end - 4..<table.end
    let old = try #require(one.file.track(1)?.samples.first).offset
    let own = try #require(one.file.track(5)?.samples.first).offset
    expectFailure(one, try one.plan.spoiled(place, with: u32(Int(old))), "old bytes")
    expectFailure(one, try one.plan.spoiled(place, with: u32(Int(own) + 1)))
    expectFailure(one, try one.plan.spoiled(place, with: u32(0x7FFF_FFFF)), "old bytes or to no bytes")
    expectFailure(one, try one.plan.spoiled(own..<own + 1, with: [9]), "refers to unexpected bytes")
  }

  @Test func detectsMovedExternalChunks() throws {
    let movie = TestMovie.simple.with { $0.tracks[0].externalOffsets = [10, 20, 30, 40, 50, 60] }
    let one = try makeCase(movie)
    try expectFailure(one, "moov/trak#1/mdia/minf/stbl/stco", byte: -1, "another file")
  }

  @Test func detectsAPlanThatIsNotAMovie() throws {
    let one = try makeCase()
    let moov = try #require(one.file.atom("moov"))
    expectFailure(one, try one.plan.spoiled(moov.offset..<moov.end, with: []), "is unreadable")
    expectFailure(one, try one.plan.spoiled(moov.offset + 3..<moov.offset + 4, with: [9]))
  }

  @Test func checksEditsInPlace() throws {
    let source = TestMovie.simple.with { $0.layout.append(.bytes(atom("uuid") { zeros(20) })) }.source
    let edit = try MovieEdit.addingSubtitles(to: source)
    let resolved = try edit.resolved(isInterleaved: false)
    let plan = try edit.inPlacePlan(of: source)
    let whole = try plan.rendered()
    let bytes = try whole.rendered(from: source)
    let file = try SecondReader(bytes)
    let one = Case(source: source, resolved: resolved, plan: whole, file: file, fileBytes: bytes, strategy: .inPlace)
    #expect(throws: Never.self) { try PlanChecker.check(whole, of: resolved, strategy: .inPlace, source: source) }
    try expectFailure(one, "uuid", byte: -1, "uuid at byte")
    try expectFailure(one, "moov/trak#2/mdia/minf/stbl/stco", byte: -1, "no longer refers to its bytes")
    // Before the commit, the new movie does not exist.
    let old = try #require(file.topLevel.first { $0.type == "free" }).offset
    expectFailure(one, try whole.spoiled(old..<old + 8, with: plan.commit.expected.array))
  }
}
