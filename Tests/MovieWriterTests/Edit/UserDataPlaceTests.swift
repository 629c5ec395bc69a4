import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// The order of tracks, user data and metadata in the `moov` of ISO files.
struct UserDataPlaceTests {
  private static let keys = TestMovie.keyed([("com.example.id", "7")])
  private static let tags = TestMovie.iTunes(atom("©nam") { TestMovie.data(1, text("Old")) })

  /// Returns the types of the atoms in `moov`, with a star for those that contain metadata in QuickTime's form.
  private func order(_ movie: Movie) -> String {
    let tree = movie.tree
    return tree.children(of: tree.root).filter { !["free", "skip"].contains(tree[$0].type) }.map { index in
      let isPlain = (index..<tree[index].subtreeEnd).contains {
        tree[$0].type == "meta" && tree[$0].childPrefixByteCount == 0
      }
      return "\(tree[index].type)" + (isPlain ? "*" : "")
    }.joined(separator: " ")
  }

  private func iso(_ change: (inout TestMovie) -> Void) -> TestMovie {
    TestMovie.simple.with {
      ($0.dialect, $0.brands) = (.iso, ["isom", "mp42"])
      change(&$0)
    }
  }

  /// Returns the order in both a new file and one that was edited in place.
  private func orders(_ movie: TestMovie, _ change: (inout MovieEdit) throws -> Void) throws -> Set<String> {
    var edit = try MovieEdit(of: movie.source)
    try change(&edit)
    return try Set(
      [
        edit.outputPlan(of: movie.source).rendered(from: movie.source),
        edit.inPlacePlan(of: movie.source).rendered().rendered(from: movie.source),
      ].map { try order(Movie(of: MemorySource(Bytes($0)))) })
  }

  @Test func placesANewTrackAfterUserDataOfAnISOFile() throws {
    let added: (inout MovieEdit) throws -> Void = { _ = try $0.addSubtitles("en") }
    #expect(try orders(iso { $0.userData = Self.tags }, added) == ["mvhd trak trak udta trak"])
    // User data before all tracks is kept there.
    let early = iso { $0.atomsAfterHeader = atom("udta") { Self.tags } }
    #expect(try orders(early, added) == ["mvhd udta trak trak trak"])
    let quickTime = TestMovie.simple.with { $0.userData = Self.tags }
    #expect(try orders(quickTime, added) == ["mvhd trak trak trak udta"])
  }

  @Test func placesNewUserDataAfterTheFirstTrackOfAnISOFile() throws {
    let title = try #require(MetadataInput("itsk/©nam", "Home"))
    let set: (inout MovieEdit) throws -> Void = { try $0.setMetadata(title) }
    #expect(try orders(iso { _ in }, set) == ["mvhd trak udta trak"])
    #expect(try orders(iso { $0.movieAtoms = Self.keys }, set) == ["mvhd trak udta trak meta*"])
    #expect(try orders(iso { $0.atomsAfterHeader = Self.keys }, set) == ["mvhd udta meta* trak trak"])
    #expect(try orders(iso { $0.tracks[0].trackAtoms = Self.keys }, set) == ["mvhd udta trak* trak"])
    #expect(try orders(iso { $0.tracks[1].trackAtoms = Self.keys }, set) == ["mvhd trak udta trak*"])
  }

  @Test func placesNewMetadataAfterUserData() throws {
    let key = try #require(MetadataInput("mdta/com.example.id", "7"))
    let title = try #require(MetadataInput("itsk/©nam", "Home"))
    let set: (inout MovieEdit) throws -> Void = { try $0.setMetadata(key) }
    #expect(try orders(iso { $0.userData = Self.tags }, set) == ["mvhd trak trak udta meta*"])
    #expect(
      try orders(iso { _ in }) {
        try $0.setMetadata(key)
        try $0.setMetadata(title)
      } == ["mvhd trak udta trak meta*"])
  }

  @Test func placesUserDataBeforeATrackWithNewMetadata() throws {
    let key = try #require(MetadataInput("mdta/com.example.id", "7"))
    let title = try #require(MetadataInput("itsk/©nam", "Home"))
    for (track, expected) in [(UInt32(1), "mvhd udta trak* trak"), (2, "mvhd trak udta trak*")] {
      #expect(
        try orders(iso { _ in }) {
          try $0.setMetadata(key, ofTrack: track)
          try $0.setMetadata(title)
        } == [expected])
    }
  }

  @Test func reportsTrackMetadataThatHidesTags() throws {
    let key = try #require(MetadataInput("mdta/com.example.id", "7"))
    func warnings(_ movie: TestMovie) throws -> [EditNotice.Kind] {
      var edit = try MovieEdit(of: movie.source)
      try edit.setMetadata(key, ofTrack: 1)
      return edit.notices.filter { $0.isWarning && $0.trackID == 1 }.map(\.kind)
    }
    #expect(try warnings(iso { $0.userData = Self.tags }) == [.tagsHidden])
    #expect(try warnings(iso { $0.atomsAfterHeader = atom("udta") { Self.tags } }) == [])
    #expect(try warnings(iso { _ in }) == [])
    #expect(try warnings(TestMovie.simple.with { $0.userData = Self.tags }) == [])
  }

  @Test(arguments: [
    // The layout of iPhones: metadata of the movie and of tracks, and tags that would be lost after them.
    ("meta* trak* trak udta", "mvhd udta meta* trak* trak"),
    ("trak* trak udta", "mvhd udta trak* trak"),
    ("trak trak* udta", "mvhd trak udta trak*"),
    ("udta trak trak", "mvhd trak udta trak"),
    // User data that every reader finds is not moved.
    ("trak trak udta", "mvhd trak trak udta"), ("udta trak* trak", "mvhd udta trak* trak"),
    ("trak trak udta meta*", "mvhd trak trak udta meta*"),
  ])
  func movesConvertedUserDataForReaders(_ atoms: String, _ expected: String) throws {
    let words = atoms.split(separator: " ")
    let movie = TestMovie.film().with { film in
      let traks = words.indices.filter { words[$0].hasPrefix("trak") }
      for (number, place) in traks.enumerated() where words[place] == "trak*" {
        film.tracks[number].trackAtoms = Self.keys
      }
      let user = words.firstIndex(of: "udta") ?? 0
      if user < traks[0] { film.atomsAfterHeader += atom("udta") { Self.tags } } else { film.userData = Self.tags }
      guard let meta = words.firstIndex(of: "meta*") else { return }
      if meta < traks[0] { film.atomsAfterHeader += Self.keys } else { film.movieAtoms = Self.keys }
    }
    let trial = try ConversionTrial(movie, to: .mp4)
    #expect(order(trial.movie) == expected)
    #expect(trial.movie.metadata.contains { $0.identifier.description == "itsk/%A9nam" && $0.stringValue == "Old" })
    // A second and a third trip move nothing more. The first trip back appends QuickTime metadata.
    let again = try ConversionTrial(ConversionTrial(trial.bytes, to: .quickTime).bytes, to: .mp4)
    #expect(order(again.movie).hasPrefix(expected))
  }
}
