import TestSupport
import Testing

@testable import MovieBox
@testable import MovieWriter

/// Editing user data and metadata together in free space inside the movie atom.
struct MovieSpaceEditTests {
  /// The positions of a movie's title and its free space.
  enum Place: CaseIterable, Sendable {
    /// A 3GPP title and an iTunes list in `udta`, with the space at the end of the list's `meta`.
    case userDataAndList
    /// As ``userDataAndList``, with the space before the list.
    case spaceBeforeList
    /// As ``userDataAndList``, with a vendor's atom after the `meta`.
    case vendorAfterList
    /// QuickTime texts in `udta`, followed by `meta` with keys and the space.
    case userDataThenKeys
    /// The `meta` with keys and the space, followed by QuickTime texts.
    case keysThenUserData
    /// Texts only, with the space after `udta`.
    case besideUserData
    /// Texts only, with the space in `udta` before a vendor's atom.
    case insideUserData
    /// A comment on a track.
    case track

    func movie(space: Int = 700) -> TestMovie {
      let title = atom("titl") { zeros(4) + u16(0x15C7) + text("Old") + [0] }
      let name = atom("©nam") { u16(3, 0x15C7) + text("Old") }
      let items = atom("©nam") { TestMovie.data(1, text("Old")) }
      let keys = TestMovie.keyed([("com.apple.quicktime.title", "Old"), ("com.example.id", "7")], space: space)
      let vendor = atom("FIRM") { [1, 2, 3] }
      let free = atom("free") { zeros(space) }
      return TestMovie.simple.with {
        $0.layout = .movieFirst
        switch self {
        case .userDataAndList, .spaceBeforeList, .vendorAfterList:
          ($0.dialect, $0.brands) = (.iso, ["mp42", "isom"])
          $0.userData =
            title + TestMovie.iTunes(items, space: zeros(space), isBefore: self == .spaceBeforeList)
            + (self == .vendorAfterList ? vendor : [])
        case .userDataThenKeys:
          $0.userData = name + vendor
          $0.movieAtoms = keys
        case .keysThenUserData:
          $0.movieAtoms = keys + atom("udta") { vendor + name }
        case .besideUserData:
          $0.movieAtoms = atom("udta") { name } + free
        case .insideUserData: $0.userData = name + free + vendor
        case .track:
          let comment = atom("©cmt") { u16(3, 0x15C7) + text("Old") }
          $0.tracks[0].trackAtoms = atom("udta") { comment + free }
        }
      }
    }
  }

  static func setting(_ title: String, in source: some RandomAccessSource, _ place: Place) throws -> MovieEdit {
    var edit = try MovieEdit(of: Movie(of: source))
    switch place {
    case .track:
      try edit.setMetadata(
        #require(MetadataInput("udta/©cmt", title)), ofTrack: edit.movie.tracks.first?.id, isExact: true)
    case .besideUserData, .insideUserData:
      // Otherwise the fact would also be written as QuickTime metadata, for which there is no list yet.
      try edit.setMetadata(#require(MetadataInput("udta/©nam", title)), isExact: true)
    default: try edit.setMetadata(#require(MetadataInput("common/title", title)))
    }
    return edit
  }

  static func titles(_ movie: Movie) -> Set<String?> {
    Set(
      movie.metadata.filter {
        ["udta/%A9nam", "udta/%A9cmt", "itsk/%A9nam", "uiso/titl", "mdta/com.apple.quicktime.title"].contains(
          $0.identifier.description)
      }.map(\.stringValue))
  }

  @Test(arguments: Place.allCases)
  func movesNothingInTwentyEdits(_ place: Place) throws {
    let old = place.movie().bytes()
    let tracks = try SecondReader(old).tracks.map(\.samples)
    let movieAtom = try #require(try SecondReader(old).atom("moov"))
    var bytes = old
    for number in 0..<20 {
      let source = MemorySource(Bytes(bytes))
      let title = "Title " + String(repeating: "x", count: number)
      let edit = try Self.setting(title, in: source, place)
      let plan = try edit.inPlacePlan(of: source)
      #expect(plan.form.isInMovieAtom && plan.commit.isInOneSector && plan.byteCount < 1200)
      let before = try plan.renderedBeforeCommit().rendered(from: source)
      #expect(try Movie(of: MemorySource(Bytes(before))).metadata == edit.movie.metadata)
      bytes = try plan.rendered().rendered(from: source)
      #expect(bytes.count == old.count)
      #expect(bytes[..<Int(movieAtom.offset + 8)] == old[..<Int(movieAtom.offset + 8)])
      #expect(bytes[Int(movieAtom.end)...] == old[Int(movieAtom.end)...])
      let movie = try Movie(of: MemorySource(Bytes(bytes)))
      #expect(Self.titles(movie) == [title])
      #expect(movie.metadata.map(\.identifier) == edit.movie.metadata.map(\.identifier))
      #expect(try SecondReader(bytes).tracks.map(\.samples) == tracks)
    }
  }

  @Test func writesEditsThatDoNotFitOutsideTheMovieAtom() throws {
    func form(_ movie: TestMovie, _ place: Place, _ title: String = "New") throws -> InPlacePlan.Form? {
      try Self.setting(title, in: movie.source, place).possibleInPlacePlan(of: movie.source)?.form
    }
    #expect(try form(Place.userDataAndList.movie(space: 60), .userDataAndList) == nil)
    #expect(try form(Place.userDataAndList.movie(), .userDataAndList, String(repeating: "x", count: 400)) == nil)
    // Tracks between the space and the change are not copied.
    let far = Place.besideUserData.movie().with {
      $0.movieAtoms = atom("free") { zeros(40_000) }
      $0.atomsAfterHeader = atom("udta") { atom("©nam") { u16(3, 0x15C7) + text("Old") } }
    }
    #expect(try form(far, .besideUserData) == nil)
    // Data of another program is not overwritten.
    let data = Place.besideUserData.movie().with {
      $0.movieAtoms = atom("udta") { atom("©nam") { u16(3, 0x15C7) + text("Old") } } + atom("free") { [9] + zeros(900) }
    }
    #expect(try form(data, .besideUserData) == nil)
  }

  /// Free space with data of another program, next to empty space, is copied with the atoms around it.
  @Test func keepsDataInOtherFreeSpace() throws {
    let data = atom("free") { text("a camera's data") + zeros(20) }
    let movie = Place.besideUserData.movie().with {
      $0.movieAtoms =
        atom("udta") { atom("©nam") { u16(3, 0x15C7) + text("Old") } } + data + atom("free") { zeros(600) }
    }
    var bytes = movie.bytes()
    for title in ["First", "Second one", "Third"] {
      let source = MemorySource(Bytes(bytes))
      let plan = try Self.setting(title, in: source, .besideUserData).inPlacePlan(of: source)
      #expect(plan.form == .inMovieAtom)
      bytes = try plan.rendered().rendered(from: source)
      let reader = try SecondReader(bytes)
      let moov = try #require(reader.atom("moov"))
      #expect(moov.children.contains { bytes[Int($0.offset)..<Int($0.end)].elementsEqual(data) })
    }
  }

  @Test func commitsByNoHeaderAcrossSectors() throws {
    var count = 0
    for padding in 8..<528 {
      let movie = Place.userDataAndList.movie().with { $0.layout.insert(.free(padding), at: 1) }
      var bytes = movie.bytes()
      for title in ["New", "Newer one"] {
        let source = MemorySource(Bytes(bytes))
        let edit = try Self.setting(title, in: source, .userDataAndList)
        guard let plan = try edit.possibleInPlacePlan(of: source) else { continue }
        #expect(plan.commit.isInOneSector)
        let offset = try #require(plan.movieOffset)
        #expect(InPlacePlan.HeaderWrite.isInOneSector(offset, byteCount: 8))
        bytes = try plan.rendered().rendered(from: source)
        count += 1
      }
    }
    #expect(count > 1000)
  }

  @Test func detectsACorruptedEdit() throws {
    let movie = Place.vendorAfterList.movie()
    let source = movie.source
    func check(_ change: (InPlacePlan) throws -> InPlacePlan) throws {
      let edit = try Self.setting("New", in: source, .vendorAfterList)
      let plan = try edit.inPlacePlan(of: source)
      try #require(plan.form == .inMovieAtom)
      try PlanChecker.check(change(plan), of: edit.resolved(isInterleaved: false), source: source)
    }
    func changed(
      _ plan: InPlacePlan, write: UInt64? = nil, hidden: Int = 0, content: ([UInt8]) -> [UInt8] = { $0 }
    ) -> InPlacePlan {
      let size = plan.commit.replacement.load(at: 0, as: UInt32.self).map { Int($0) } ?? 0
      return InPlacePlan(
        source: plan.source, form: plan.form, writeOffset: write ?? plan.writeOffset,
        contents: [.generated(Bytes(content(plan.contentBytes.array)))],
        commit: .init(
          offset: plan.commit.offset, expected: plan.commit.expected,
          replacement: Bytes(u32(size + hidden) + code("free"))),
        requiredOldBytes: plan.requiredOldBytes, overwrittenByteCount: plan.overwrittenByteCount,
        overwrittenHead: plan.overwrittenHead, markOffset: plan.markOffset, truncatesBeforeWriting: false)
    }
    func replacing(_ old: [UInt8], by new: [UInt8]) -> ([UInt8]) -> [UInt8] {
      { bytes in
        guard let range = bytes.firstRange(of: old) else { return [] }
        return Array(bytes[..<range.lowerBound]) + new + bytes[range.upperBound...]
      }
    }
    #expect(throws: Never.self) { try check { changed($0) } }
    for spoil in [
      // Too much is hidden, including the new title; or too little, so that part of the old one is exposed.
      { changed($0, hidden: 19) }, { changed($0, hidden: -8) },
      // Another title, other bytes of the vendor's atom, a copy of the vendor's atom as free space.
      { changed($0, content: replacing(text("New"), by: text("Now"))) },
      { changed($0, content: replacing([1, 2, 3], by: [1, 2, 4])) },
      { changed($0, content: replacing(text("FIRM"), by: text("free"))) },
      // Live bytes are overwritten.
      { changed($0, write: $0.writeOffset - 600) },
    ] as [(InPlacePlan) -> InPlacePlan] {
      #expect(throws: MovieError.self) { try check(spoil) }
    }
  }

  @Test func clearsOldTextsInNewFiles() throws {
    let secret = "at the house of Ann"
    for place in Place.allCases where place != .track {
      var bytes = place.movie().bytes()
      for title in [secret, "New"] {
        let source = MemorySource(Bytes(bytes))
        bytes = try Self.setting(title, in: source, place).inPlacePlan(of: source).rendered().rendered(from: source)
      }
      #expect(bytes.firstRange(of: text(secret)) != nil)
      let source = MemorySource(Bytes(bytes))
      let edit = try MovieEdit(of: source)
      for isCompact in [false, true] {
        let copy = try edit.outputPlan(of: source, OutputLayout(isCompact: isCompact)).rendered(from: source)
        #expect(copy.firstRange(of: text(secret)) == nil)
        #expect(try Self.titles(Movie(of: MemorySource(Bytes(copy)))) == ["New"])
      }
    }
  }
}
