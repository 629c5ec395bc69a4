import MovieBox
import TestSupport
import Testing

struct MediaSelectionTests {
  private func groups(_ movie: TestMovie) throws -> [MediaSelectionGroup] {
    try Movie(of: MemorySource(Bytes(movie.bytes()))).mediaSelectionGroups
  }

  private let sdh = movie {
    atom("tagc") { text("public.accessibility.transcribes-spoken-dialog") }
    atom("tagc") { text("public.accessibility.describes-music-and-sound") }
  }

  private func subtitle(
    _ id: UInt32, _ language: String, group: Int = 2, enabled: Bool = false, forced: Bool = false,
    references: [TestReference] = [], userData: [UInt8]? = nil
  ) -> TestTrack {
    TestTrack(.subtitle, id: id).with {
      $0.language = .packed(language)
      $0.group = group
      $0.isEnabled = enabled
      $0.references = references
      $0.userData = userData
      if forced { $0.sampleEntries = [SampleEntry.timedText(displayFlags: 0xC000_0000)] }
    }
  }

  @Test func buildsTheMenusOfTheTalk() throws {
    let groups = try groups(.talk)
    #expect(groups.map(\.kind) == [.visual, .audible, .legible])
    #expect(
      groups.map { $0.options.map(\.displayName) } == [["Video"], ["English", "Spanish"], ["Spanish"]])
    #expect(groups.map(\.alternateGroup) == [0, 1, 2])
    #expect(groups.map(\.defaultOption?.trackID) == [1, 2, 4])
    #expect(groups.map(\.allowsEmptySelection) == [false, false, true])
  }

  @Test func namesOptionsByLanguageRoleAndTitle() throws {
    let groups = try groups(
      TestMovie(tracks: [
        TestTrack(.video, id: 1), subtitle(2, "eng", enabled: true, userData: sdh),
        subtitle(3, "eng", userData: atom("name") { text("Commentary") }),
        TestTrack(.other(handler: "clcp"), id: 4).with {
          $0.group = 2
          $0.isEnabled = false
          $0.language = .packed("fra")
        },
      ]))
    let legible = try #require(groups.last)
    #expect(legible.options.map(\.displayName) == ["English SDH", "English — Commentary", "French CC"])
    #expect(legible.options.map(\.isDefault) == [true, false, false])
    #expect(legible.defaultOption?.trackID == 2)
  }

  @Test func hidesForcedOnlyTracksBehindTheirPartners() throws {
    let legible = try #require(
      try groups(
        TestMovie(tracks: [
          subtitle(1, "eng", references: [TestReference("forc", 2)]), subtitle(2, "eng", enabled: true, forced: true),
          subtitle(3, "spa"),
        ])
      ).last)
    #expect(legible.options.map(\.trackID) == [1, 3])
    #expect(legible.options.map(\.forcedPartner) == [2, nil])
    #expect(legible.defaultOption == nil)
  }

  @Test func omitsChaptersFromMenus() throws {
    let movie = TestMovie(tracks: [
      TestTrack(.video, id: 1).with { $0.references = [TestReference("chap", 2)] }, TestTrack(.text, id: 2),
      subtitle(3, "eng", group: 0),
    ])
    #expect(try groups(movie).last?.options.map(\.trackID) == [3])
    #expect(try groups(movie.with { $0.tracks.removeLast() }).map(\.kind) == [.visual])
  }

  @Test func prefersTheGroupOfTheEnabledTrack() throws {
    let tracks = [
      subtitle(1, "eng", group: 4), subtitle(2, "spa", group: 5, enabled: true), subtitle(3, "fra", group: 0),
    ]
    let legible = try #require(try groups(TestMovie(tracks: tracks)).last)
    #expect(legible.alternateGroup == 5 && legible.options.map(\.trackID) == [2])
    let none = TestMovie(tracks: tracks.map { track in track.with { $0.isEnabled = false } })
    #expect(try groups(none).last?.options.map(\.trackID) == [1])
    let ungrouped = TestMovie(tracks: tracks.map { track in track.with { $0.group = 0 } })
    #expect(try groups(ungrouped).last?.options.map(\.trackID) == [1, 2, 3])
  }

  @Test func describesRoles() throws {
    let movie = try Movie(
      of: MemorySource(
        Bytes(
          TestMovie(tracks: [
            TestTrack(.video, id: 1).with { $0.references = [TestReference("chap", 2)] }, TestTrack(.text, id: 2),
            subtitle(3, "eng", userData: sdh), subtitle(4, "eng", forced: true),
          ]).bytes())))
    #expect(movie.tracks.map { $0.role(in: movie) } == [nil, "chapters", "SDH", "forced only"])
  }
}
