import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Dates in headers change with the recording date, and nothing else changes.
struct HeaderDateEditTests {
  private static let headers = [
    "moov/mvhd", "moov/trak/tkhd", "moov/trak/mdia/mdhd", "moov/trak#1/tkhd", "moov/trak#1/mdia/mdhd",
    "moov/trak#2/tkhd",
    "moov/trak#2/mdia/mdhd",
  ]

  private func allowed(_ paths: String...) -> AllowedChanges {
    AllowedChanges().with { $0.changedAtoms = Set(Self.headers + paths) }
  }

  /// Returns all creation and modification dates in headers.
  private func dates(_ movie: Movie) -> [UInt64] {
    [movie.header.creationTime, movie.header.modificationTime]
      + movie.tracks.flatMap {
        [
          $0.header.creationTime, $0.header.modificationTime, $0.mediaHeader.creationTime,
          $0.mediaHeader.modificationTime,
        ]
      }
  }

  private func date(_ text: String) throws -> MetadataDate { try #require(MetadataDate(text)) }

  /// The builder's creation date, 0xD900_0000. The modification date is a minute later.
  private static let built: UInt64 = 0xD900_0000

  /// Returns the dates of five equal headers.
  private static func pairs(_ creation: UInt64, _ modification: UInt64) -> [UInt64] {
    (0..<5).flatMap { _ in [creation, modification] }
  }

  @Test(arguments: [false, true]) func setsTheCreationDateInAllHeaders(_ usesLongTimes: Bool) throws {
    let movie = TestMovie.simple.with { movie in
      movie.usesLongTimes = usesLongTimes
      for index in movie.tracks.indices { movie.tracks[index].usesLongTimes = usesLongTimes }
    }
    let date = try date("2024-01-20T10:26:09+0100")
    let all = try movie.edited(allowing: allowed()) { edit in
      let count = try edit.setHeaderDates(to: date)
      #expect(count == 5)
    }
    for edited in all {
      #expect(dates(edited) == Self.pairs(3_788_587_569, Self.built + 60))
    }
  }

  @Test func changesNothingForAnEqualDate() throws {
    let source = TestMovie.simple.source
    var edit = try MovieEdit(of: Movie(of: source))
    try edit.setHeaderDates(to: MetadataDate(secondsSince1970: Int64(Self.built) - 2_082_844_800))
    #expect(edit.isEmpty)
  }

  @Test(arguments: ["2024", "2024-01-20", "2024-01-20T10:26:09", "1850-01-20T10:26:09Z", "2040-03-01T00:00:00Z"])
  func rejectsADateOutsideTheHeadersRange(_ text: String) throws {
    var edit = try MovieEdit(of: Movie(of: TestMovie.simple.source))
    let date = try date(text)
    #expect(throws: MovieError.self) { try edit.setHeaderDates(to: date) }
    #expect(edit.isEmpty)
  }

  @Test func shiftsAllDatesWithATime() throws {
    let day = "2024-01-20T10:26:09+0100"
    let movie = TestMovie.simple.with {
      $0.movieAtoms = mdtaMetadata([("com.apple.quicktime.creationdate", day)])
      $0.userData = TestSupport.movie {
        atom("©day") { u16(4, 0x55C4) + text("2024") }
        atom("©nam") { u16(day.utf8.count, 0x55C4) + text(day) }
      }
    }
    let paths = allowed("moov/meta/ilst", "moov/meta/ilst/#1", "moov/meta")
    let all = try movie.edited(allowing: paths) { edit in
      let tags = try edit.shiftDates(bySeconds: -86_399)
      #expect(tags.count == 1)
    }
    for edited in all {
      #expect(dates(edited) == Self.pairs(Self.built - 86_399, Self.built - 86_339))
      let texts = edited.metadata.compactMap(\.stringValue)
      #expect(texts == ["2024", day, "2024-01-19T10:26:10+0100"])
    }
  }

  @Test func shiftsDatesTwice() throws {
    let source = TestMovie.simple.source
    var edit = try MovieEdit(of: Movie(of: source))
    try edit.setHeaderDates(to: date("2024-01-20T10:26:09Z"))
    try edit.shiftDates(bySeconds: 60)
    let edited = try Movie(of: MemorySource(Bytes(edit.outputPlan(of: source).rendered(from: source))))
    #expect(edited.recordedDate?.date.description == "2024-01-20T10:27:09Z")
  }

  @Test(arguments: [Int64.max, Int64.min, -Int64(0xD900_0000), 0x2700_0000])
  func rejectsAShiftOutsideTheHeadersRange(_ seconds: Int64) throws {
    var edit = try MovieEdit(of: Movie(of: TestMovie.simple.source))
    #expect(throws: MovieError.self) { try edit.shiftDates(bySeconds: seconds) }
    #expect(edit.isEmpty)
  }

  @Test func changesLanguageAndDateOfOneHeader() throws {
    let date = try date("2024-01-20T10:26:09Z")
    let paths = allowed("moov/trak#2/mdia/mdhd", "moov/trak#2/mdia/elng").with {
      $0.addedAtoms = ["moov/trak#2/mdia/elng"]
      $0.removedAtoms = ["moov/trak#2/mdia/elng"]
    }
    for edited in try TestMovie.simple.edited(
      allowing: paths,
      {
        try $0.setHeaderDates(to: date)
        try $0.setLanguage(LanguageTag("fr"), of: 2)
      })
    {
      #expect(edited.tracks[1].language?.description == "fr")
      #expect(edited.tracks[1].mediaHeader.creationTime == 3_788_591_169)
    }
  }

  @Test func removesDatesForSharing() throws {
    let source = TestMovie.simple.source
    let date = try date("2024-01-20T10:26:09Z")
    var edit = try MovieEdit(of: Movie(of: source))
    try edit.setHeaderDates(to: date)
    _ = try edit.prepareForSharing()
    #expect(throws: MovieError.self) { try edit.setHeaderDates(to: date) }
    #expect(throws: MovieError.self) { try edit.shiftDates(bySeconds: 1) }
    let plan = try edit.outputPlan(of: source, OutputLayout(isCompact: true))
    #expect(dates(try Movie(of: MemorySource(Bytes(plan.rendered(from: source))))).allSatisfy { $0 == 0 })
  }

  // MARK: - Verification

  /// A plan with any date changed by a second is rejected, and so is a plan with other changed header fields.
  @Test func rejectsAPlanWithOtherDates() throws {
    let source = TestMovie.simple.source
    let movie = try Movie(of: source)
    var edit = try MovieEdit(of: movie)
    try edit.setHeaderDates(to: date("2024-01-20T10:26:09Z"))
    let resolved = try edit.resolved(isInterleaved: false)
    let requested = try #require(resolved.requestedMetadata)
    let good = try resolved.draftedTree()
    func check(_ tree: AtomTree) throws {
      try AtomChangePolicy.metadata(requested).check(.init(movie.tree), .init(tree))
    }
    try check(good)
    for index in good.root..<good[good.root].subtreeEnd where ["mvhd", "tkhd", "mdhd"].contains(good[index].type) {
      let start = good[index].start + 8
      for offset in [7, 11, 13, 15, 19, 23] {  // Dates, time scale or ID, duration, language.
        var bytes = good.bytes.array
        bytes[start + offset] ^= 1
        let tree = try AtomTree(Bytes(bytes), at: 0)
        #expect(throws: MovieError.self, "\(good[index].type) \(offset)") { try check(tree) }
      }
    }
    // An unchanged movie does not fulfil the request.
    #expect(throws: MovieError.self) { try requested.check(movie, exceptOf: []) }
    #expect(throws: Never.self) {
      try requested.check(
        Movie(of: MemorySource(Bytes(edit.outputPlan(of: source).rendered(from: source)))), exceptOf: [])
    }
  }

  @Test func rejectsUnrequestedDates() throws {
    let source = TestMovie.simple.source
    let movie = try Movie(of: source)
    var edit = try MovieEdit(of: movie)
    try edit.setHeaderDates(to: date("2024-01-20T10:26:09Z"))
    let changed = try edit.resolved(isInterleaved: false).draftedTree()
    var other = try MovieEdit(of: movie)
    try other.setMetadata(#require(MetadataInput("common/title", "x")))
    let requested = try #require(try other.resolved(isInterleaved: false).requestedMetadata)
    #expect(throws: MovieError.self) {
      try AtomChangePolicy.metadata(requested).check(.init(movie.tree), .init(changed))
    }
  }
}

extension ResolvedEdit {
  /// Returns the planned movie atom.
  fileprivate func draftedTree() throws -> AtomTree {
    var writer = ByteWriter()
    try draft(wideTracks: []).write(to: &writer)
    return try AtomTree(Bytes(writer.take()), at: 0)
  }
}
