import TestSupport
import Testing

@testable import MovieBox
@testable import MovieWriter

/// Editing metadata items by using the free space next to them inside `meta`.
struct ItemListEditTests {
  private func setting(_ title: String, in source: MemorySource) throws -> MovieEdit {
    var edit = try MovieEdit(of: source)
    try edit.setMetadata(#require(MetadataInput("common/title", title)))
    return edit
  }

  /// Returns the `meta` around a list, with its children.
  private func metadata(_ bytes: [UInt8]) throws -> ReadAtom {
    let reader = try SecondReader(bytes)
    return try #require(reader.atom("moov/udta/meta") ?? reader.atom("moov/meta"))
  }

  @Test(arguments: [(false, false), (false, true), (true, false)])
  func movesNothingInTwentyEditsOfAFastStartMovie(_ besideKeys: Bool, _ isBefore: Bool) throws {
    let old = TestMovie.withSpace(zeros(600), besideKeys: besideKeys, isBefore: isBefore).bytes()
    var bytes = old
    var forms: Set<InPlacePlan.Form> = []
    for number in 0..<20 {
      let source = MemorySource(Bytes(bytes))
      let title = "Title " + String(repeating: "x", count: number)
      let edit = try setting(title, in: source)
      let plan = try edit.inPlacePlan(of: source)
      bytes = try plan.rendered().rendered(from: source)
      forms.insert(plan.form)
      #expect(plan.byteCount < 800 && plan.commit.isInOneSector)
      // Only bytes of this atom differ.
      let place = try metadata(old)
      #expect(bytes.count == old.count)
      #expect(bytes[..<Int(place.offset)] == old[..<Int(place.offset)])
      #expect(bytes[Int(place.end)...] == old[Int(place.end)...])
      let items = try Movie(of: MemorySource(Bytes(bytes))).metadata
      #expect(items.matching("common/title").map(\.stringValue) == [title])
      #expect(items.map(\.identifier) == edit.movie.metadata.map(\.identifier))
      let lists = try metadata(bytes).children.filter { $0.type == "keys" || $0.type == "ilst" }
      #expect(lists.map(\.type) == (besideKeys ? ["keys", "ilst"] : ["ilst"]))
      // Before the header is written, readers see only the old movie.
      let before = try plan.renderedBeforeCommit().rendered(from: source)
      #expect(try Movie(of: MemorySource(Bytes(before))).metadata == edit.movie.metadata)
    }
    #expect(forms == [.inMetadataAfter, .inMetadataBefore])
  }

  @Test func writesLargerChangesElsewhere() throws {
    func form(_ movie: TestMovie, _ title: String) throws -> InPlacePlan.Form? {
      try setting(title, in: movie.source).possibleInPlacePlan(of: movie.source)?.form
    }
    func isFastStartLost(_ movie: TestMovie, _ title: String) throws -> Bool {
      let edit = try setting(title, in: movie.source)
      return #expect(throws: MovieError.self) { try edit.inPlacePlan(of: movie.source) }?.reason.contains("fast start")
        ?? false
    }
    let movie = TestMovie.withSpace(zeros(200))
    #expect(try isFastStartLost(movie, String(repeating: "x", count: 200)))
    // Data of another program is not overwritten.
    #expect(try isFastStartLost(TestMovie.withSpace(zeros(100) + [1] + zeros(200)), "New"))
    #expect(try isFastStartLost(TestMovie.withSpace(u32(16) + code("©nam") + zeros(300)), "New"))
    // The title is also in user data.
    let both = movie.with { $0.userData = ($0.userData ?? []) + atom("©nam") { u16(3, 0x55C4) + text("Old") } }
    #expect(try form(both, "New") == .inMovieAtom)
    // If the movie atom is last, the space is preferred to appending.
    #expect(try form(movie.with { $0.layout = .movieLast }, "New") == .inMetadataAfter)
    #expect(try form(movie.with { $0.layout = .movieLast }, String(repeating: "x", count: 200)) == .appended)
  }

  @Test func writesNoHeaderAcrossSectors() throws {
    var outcomes: [Bool: Int] = [:]
    for padding in 8..<528 {
      let movie = TestMovie.withSpace(zeros(300)).with { $0.layout.insert(.free(padding), at: 1) }
      let list = try #require(try metadata(movie.bytes()).children.first { $0.type == "ilst" })
      let source = movie.source
      let edit = try setting("New", in: source)
      let canCommit = list.offset % 512 <= 504
      if let plan = try? edit.inPlacePlan(of: source), plan.form == .inMetadataAfter {
        #expect(canCommit && plan.commit.isInOneSector)
        let new = try metadata(plan.rendered().rendered(from: source)).children.first { $0.type == "ilst" }
        // The next edit has a suitable header too.
        #expect(try #require(new).offset % 512 <= 504)
        outcomes[true, default: 0] += 1
      } else {
        #expect(!canCommit)
        outcomes[false, default: 0] += 1
      }
    }
    #expect(outcomes[false].map { (1..<16).contains($0) } == true && outcomes.count == 2)
  }

  @Test func detectsACorruptedEdit() throws {
    let movie = TestMovie.withSpace(zeros(300))
    func check(_ change: (InPlacePlan) throws -> InPlacePlan, of other: TestMovie) throws {
      let plan = try setting("New", in: movie.source).inPlacePlan(of: movie.source)
      let resolved = try setting("New", in: other.source).resolved(isInterleaved: false)
      try PlanChecker.check(change(plan), of: resolved, source: other.source)
    }
    func changed(_ plan: InPlacePlan, write: UInt64? = nil, header: [UInt8]? = nil, content: Bytes? = nil)
      -> InPlacePlan
    {
      InPlacePlan(
        source: plan.source, form: plan.form, writeOffset: write ?? plan.writeOffset,
        contents: content.map { [.generated($0)] } ?? plan.contents,
        commit: .init(
          offset: plan.commit.offset, expected: plan.commit.expected,
          replacement: header.map { Bytes($0) } ?? plan.commit.replacement),
        requiredOldBytes: plan.requiredOldBytes, overwrittenByteCount: plan.overwrittenByteCount,
        overwrittenHead: plan.overwrittenHead, markOffset: plan.markOffset, truncatesBeforeWriting: false)
    }
    #expect(throws: Never.self) { try check({ $0 }, of: movie) }
    let header = { (plan: InPlacePlan) in plan.commit.replacement.array }
    // A header that also hides the new list, one that exposes part of the old one, and one of another type.
    for spoil in [
      { changed($0, header: u32(Int(header($0)[3]) + Int(header($0)[2]) * 256 + 60) + code("free")) },
      { changed($0, header: u32(40) + code("free")) },
      { changed($0, header: Array(header($0).prefix(4)) + code("skib")) },
      // Bytes before the space, and another value.
      { changed($0, write: $0.writeOffset - 290) },
      { plan in
        var bytes = plan.contentBytes.array
        if let place = bytes.firstIndex(of: UInt8(ascii: "N")) { bytes[place] = UInt8(ascii: "M") }
        return changed(plan, content: Bytes(bytes))
      },
    ] as [(InPlacePlan) throws -> InPlacePlan] {
      #expect(throws: MovieError.self) { try check(spoil, of: movie) }
    }
    // The same edit of a movie with data of another program there.
    #expect(throws: MovieError.self) { try check({ $0 }, of: TestMovie.withSpace(zeros(150) + [1] + zeros(149))) }
  }

  /// New files contain no leftovers of edits in place in free space, but everything else.
  @Test func clearsOldItemsInNewFiles() throws {
    let secret = "at the house of Ann"
    for besideKeys in [false, true] {
      var bytes = TestMovie.withSpace(zeros(600), besideKeys: besideKeys).bytes()
      for title in [secret, "New"] {
        let source = MemorySource(Bytes(bytes))
        bytes = try setting(title, in: source).inPlacePlan(of: source).rendered().rendered(from: source)
      }
      #expect(bytes.firstRange(of: text(secret)) != nil)
      let source = MemorySource(Bytes(bytes))
      let edit = try MovieEdit(of: source)
      let copy = try edit.outputPlan(of: source).rendered(from: source)
      #expect(copy.firstRange(of: text(secret)) == nil && copy.count == bytes.count)
      let changed = AllowedChanges().with { $0.changedAtoms = ["moov/udta/meta/free", "moov/meta/free"] }
      #expect(try differences(old: bytes, new: copy, allowing: changed) == [])
      let compact = try edit.outputPlan(of: source, OutputLayout(isCompact: true)).rendered(from: source)
      #expect(compact.firstRange(of: text(secret)) == nil && compact.count < bytes.count - 500)
      let removed = AllowedChanges().with { ($0.spaceInMovieLeftOut, $0.mediaDataRearranged) = (true, true) }
      #expect(try differences(old: bytes, new: compact, allowing: removed) == [])
    }
  }

  @Test func keepsNewContentsWhenClearing() throws {
    let source = TestMovie.withSpace(Array(FreeSpace.mark) + [1] + zeros(23)).source
    let resolved = try MovieEdit(of: source).resolved(isInterleaved: false)
    let tree = resolved.movie.tree
    let space = try #require((0..<tree[tree.root].subtreeEnd).first { FreeSpace.isLeftByItemEdit($0, in: tree) })
    for isCompact in [false, true] {
      var resolved = resolved
      resolved.edits.replace(space, with: atom("free") { [1, 2, 3] })
      resolved.clearFreeSpace(isCompact: isCompact)
      #expect(resolved.edits.replacement(of: space)?.array == atom("free") { [1, 2, 3] })
    }
  }

  @Test func rejectsClearingOtherFreeSpace() throws {
    func tree(_ space: [UInt8]) throws -> AtomTree {
      try Movie(of: TestMovie.withSpace(space).source).tree
    }
    let empty = try tree(zeros(40))
    for (old, isCleared) in [(Array(FreeSpace.mark) + [1] + zeros(23), true), ([1] + zeros(39), false)] {
      let old = try tree(old)
      if isCleared {
        #expect(throws: Never.self) { try AtomChangePolicy.clearedSpace.check(.init(old), .init(empty)) }
      } else {
        #expect(throws: MovieError.self) { try AtomChangePolicy.clearedSpace.check(.init(old), .init(empty)) }
      }
      #expect(throws: MovieError.self) { try AtomChangePolicy().check(.init(old), .init(empty)) }
    }
  }

  @Test func recognizesFreeSpaceInMetadata() {
    func contents(_ payload: [UInt8]) -> FreeSpace.Contents { FreeSpace.contents(inMetadata: Bytes(payload)) }
    let mark = FreeSpace.mark
    let items = atom("©nam") { atom("data") { zeros(8) + text("Old") } } + atom("tmpo") { zeros(3) }
    let keys = zeros(4) + u32(2) + (u32(11) + code("mdta") + text("a.b")) + (u32(9) + code("mdta") + text("c"))
    let list = atom("ilst") { items }
    #expect([[], zeros(3), zeros(900), Array(mark.prefix(7)) + zeros(20)].allSatisfy { contents($0) == .zeros })
    for old in [items, keys + list, zeros(8), []] {
      #expect(contents(old + u32(900) + code("free") + mark + zeros(9)) == .leftByEdit)
    }
    for old in [mark, mark + [1, 2, 3], u64(99) + mark] { #expect(contents(old) == .leftByEdit) }
    let header = u32(900) + code("free")
    let others: [[UInt8]] = [
      items, keys + list, items + header + zeros(30), items + [1] + header + mark + [1], Array(mark.dropLast()) + [1],
      [0, 1],
      Array(keys.dropLast()) + list + header + mark + [1],
    ]
    for data in others { #expect(contents(data) == .data) }
  }
}
