import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

@Suite struct MovieComparisonTests {
  @Test func recognizesIdenticalFiles() throws {
    let bytes = TestMovie.torture.bytes()
    let found = try ComparedMovies(bytes, bytes)
    #expect(found.comparison.isSameBytes && found.lines.isEmpty && found.remarks.isEmpty)
    #expect(try ComparedMovies(bytes, bytes + [0]).comparison.isSameBytes == false)
  }

  // MARK: - Tracks

  @Test func reportsAnAddedTrackWithItsConsequences() throws {
    let found = try ComparedMovies(.simple) {
      $0.tracks.append(TestTrack(.subtitle, id: 3))
      $0.tracks[1].references = [TestReference("folw", 3)]
    }
    #expect(found.lines == ["changed movie <- added", "added references@2 <- added", "added track@3"])
    #expect(found.descriptions[0] == "next track ID 3 became 4")
    #expect(found.descriptions[1] == "folw referred to none and now refers to 3")
    #expect(found.descriptions[2] == "subtitle, tx3g, 3 samples, Unknown language")
    #expect(try found.isAsExpected(["added:track"]) && found.isAsExpected(["added:track@3"]))
    #expect(try !found.isAsExpected([]) && !found.isAsExpected(["removed:track"]))
    #expect(try !found.isAsExpected(["added:track", "added:track"]))
  }

  @Test func reportsARemovedTrackWithItsReferences() throws {
    var movie = TestMovie.talk
    movie.tracks[1].references = [TestReference("folw", 4)]
    let found = try ComparedMovies(movie) {
      $0.tracks.removeLast()
      $0.tracks[1].references = []
      $0.nextTrackID = 5
    }
    #expect(found.lines == ["removed references@2 <- removed", "removed track@4"])
    #expect(try found.isAsExpected(["removed:track"]))
  }

  @Test func ignoresTheOrderOfTracks() throws {
    let found = try ComparedMovies(.simple) { $0.tracks.reverse() }
    #expect(found.lines == [])
  }

  @Test func distinguishesTracksOfOneIDByKind() throws {
    let found = try ComparedMovies(.simple) { $0.tracks[1] = TestTrack(.subtitle, id: 2) }
    #expect(found.lines == ["removed track@2", "added track@2"])
    #expect(try found.isAsExpected(["added:track", "removed:track@2"]))
  }

  private static let changes: [TrackChange] = [
    TrackChange("changed language@2", "language fr (0x1a41) became en (0x15c7)") { $0.language = .packed("eng") },
    TrackChange("added language@2", "tag pt added") { $0.extendedLanguage = "pt" },
    TrackChange("changed enabled@2", "flags 0x3 (enabled, in movie) became 0x2 (in movie)") { $0.isEnabled = false },
    TrackChange("changed group@2", "alternate group 0 became 3") { $0.group = 3 },
    TrackChange("changed header@2", "layer 0 became -1") { $0.layer = -1 },
    TrackChange("added edits@2", "36 bytes added") { $0.edits = [TestEdit(duration: 1200, mediaTime: 0)] },
    TrackChange("added references@2", "folw referred to none and now refers to 1") {
      $0.references = [TestReference("folw", 1)]
    },
    TrackChange("added other@2", "12 bytes added") { $0.trackAtoms = atom("XYZ_") { u32(1) } },
    TrackChange("added samples@2", "12 bytes added") { $0.sampleTableAtoms = atom("XYZ_") { u32(1) } },
    TrackChange("changed format@2", "the bytes before the child atoms changed") {
      $0.sampleEntries = [SampleEntry.sound("mp4a", rate: 8001)]
    },
  ]

  @Test(arguments: changes)
  func comparesTrackHeadersByField(_ change: TrackChange) throws {
    let movie = TestMovie.simple.with {
      $0.tracks[1].language = .packed("fra")
      $0.tracks[1].sampleEntries = [SampleEntry.sound("mp4a", rate: 8000)]
    }
    let found = try ComparedMovies(movie) { change.change(&$0.tracks[1]) }
    #expect(found.lines == [change.line])
    #expect(found.descriptions == [change.description])
    #expect(found.comparison.differences.first?.trackID == 2)
  }

  @Test func distinguishesTitlesAndTagsFromOtherUserData() throws {
    func userData(_ title: String, _ tag: String, _ other: String) -> [UInt8] {
      TestSupport.movie {
        atom("name") { text(title) }
        atom("tagc") { text("public.first") }
        if !tag.isEmpty { atom("tagc") { text(tag) } }
        atom("tagc") { text("public.last") }
        atom("XYZ_") { text(other) }
      }
    }
    var movie = TestMovie.simple
    movie.tracks[0].userData = userData("Old", "", "12 bytes, so")
    let found = try ComparedMovies(movie) {
      $0.tracks[0].userData = userData("New", "public.easy-to-read", "12 bits now, ja")
    }
    #expect(found.lines == ["added characteristics@1", "changed title@1", "changed metadata@1"])
    #expect(found.descriptions[1] == "name Old became New")
    #expect(found.descriptions[2] == "12 bytes became 15, first at byte 4")
    #expect(found.comparison.differences[2].old?.path == "moov/trak[1]/udta/XYZ_")
    #expect(try found.isAsExpected(["changed:track@1"]) && !found.isAsExpected(["changed:track@2"]))
    #expect(try found.isAsExpected(["changed:moov/trak/udta"]) && !found.isAsExpected(["changed:moov/trak[2]/udta"]))
  }

  @Test func reportsAddedUserDataByAtom() throws {
    func added(_ data: [UInt8]) throws -> ComparedMovies {
      try ComparedMovies(.simple) { $0.tracks[0].userData = data }
    }
    let found = try added(atom("name") { text("Bonjour") } + atom("XYZ_") { u32(1) })
    #expect(found.lines == ["added title@1", "added metadata@1"])
    #expect(found.descriptions == ["name Bonjour added", "12 bytes added"])
    #expect(found.comparison.differences[0].new?.path == "moov/trak[1]/udta/name")
    #expect(found.comparison.differences[0].values?.new == "Bonjour")
    let back = try ComparedMovies(TestMovie.simple.with { $0.tracks[0].userData = atom("name") { text("A") } }) {
      $0.tracks[0].userData = []
    }
    #expect(back.lines == ["removed title@1"] && back.descriptions == ["name A removed"])
  }

  // MARK: - The movie

  @Test func comparesAtomsOutsideTracks() throws {
    #expect(try ComparedMovies(.simple) { $0.timeScale = 601 }.lines.contains("changed movie"))
    #expect(try ComparedMovies(.simple) { $0.nextTrackID = 9 }.lines == ["changed movie"])
    #expect(try ComparedMovies(.simple) { $0.brands = ["qt  ", "isom"] }.lines == ["changed other"])
    #expect(try ComparedMovies(.simple) { $0.userData = internalUserData }.lines == ["added metadata"])
    #expect(try ComparedMovies(.simple) { $0.movieAtoms = atom("XMOV") }.lines == ["added other"])
    #expect(try ComparedMovies(.simple) { $0.layout += [.bytes(atom("uuid") { zeros(20) })] }.lines == ["added other"])
    #expect(try ComparedMovies(.simple) { $0.layout += [.bytes([1, 2, 3])] }.lines == ["added other"])
    #expect(try ComparedMovies(.simple) { $0.layout += [.free(40)] }.lines == [])
    #expect(try ComparedMovies(.simple) { $0.movieAtoms = atom("free") { zeros(9) } + atom("skip") }.lines == [])
    #expect(try ComparedMovies(.simple) { $0.movieAtoms = atom("wide") }.lines == ["added other"])
    let file = TestMovie.simple.with { $0.layout += [.bytes(atom("XTOP") { u32(7, 8) })] }
    let other = try ComparedMovies(file) { $0.layout[4] = .bytes(atom("XTOP") { u32(7, 9) }) }
    #expect(other.descriptions == ["8 bytes, first at byte 7"])
    #expect(other.comparison.differences.first?.new?.path == "XTOP")
  }

  private var internalUserData: [UInt8] { atom("©nam") { internationalText("Film") } }

  @Test func comparesItemsByBytes() throws {
    let movie = TestMovie.simple.with {
      $0.layout += [.itemTable]
      $0.fileItem = text("file item")
      $0.movieItem = text("movie item")
      $0.tracks[0].item = text("track item")
    }
    #expect(
      try ComparedMovies(movie) { $0.layout = [.fileType, .itemTable, .movie(.ordinary), .media(.ordinary)] }.lines
        == [])
    #expect(try ComparedMovies(movie) { $0.fileItem = text("file ITEM") }.lines == ["changed bytes"])
    #expect(try ComparedMovies(movie) { $0.movieItem = text("movie ITEM") }.lines == ["changed bytes"])
    #expect(try ComparedMovies(movie) { $0.tracks[0].item = text("track ITEM") }.lines == ["changed bytes@1"])
    #expect(try ComparedMovies(movie) { $0.movieItem = text("movie") }.lines == ["changed metadata"])
  }
}
