import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Chapters of converted movies.
struct ConvertedChaptersTests {
  /// Returns a Nero list.
  private static func nero(_ chapters: [(start: UInt64, title: String)]) -> [UInt8] {
    let entries = chapters.flatMap { u64($0.start * 10_000) + [UInt8($0.title.utf8.count)] + text($0.title) }
    return atom("chpl") { u32(0x0100_0000, 0) + [UInt8(chapters.count)] + entries }
  }

  private static let neroFilm = TestMovie.film(.iso).with {
    $0.userData = nero([(0, "Start"), (900, "Größe")])
  }

  private func chapters(_ trial: ConversionTrial) throws -> ChapterList {
    try trial.movie.chapters(from: MemorySource(Bytes(trial.bytes)))
  }

  private func summary(_ list: ChapterList) -> [String] {
    list.chapters.map { "\($0.startMilliseconds) \($0.title() ?? "")" }
  }

  @Test func convertsANeroListToATrackAndBack() throws {
    let trial = try ConversionTrial(Self.neroFilm, to: .quickTime)
    #expect(!trial.new.atoms.contains { $0.type == "chpl" })
    #expect(trial.movie.tracks.map(\.formats) == [["avc1"], ["mp4a"], ["text"]])
    #expect(trial.movie.chapterTrackIDs == [3])
    #expect(try summary(chapters(trial)) == ["0 Start", "900 Größe"])
    #expect(trial.messages(.converted).contains { $0.contains("(chpl) is converted to a chapter track") })
    #expect(trial.messages(.leftOut).allSatisfy { !$0.contains("chpl") })
    try trial.expectSameMedia()
    let back = try ConversionTrial(trial.bytes, to: .mp4)
    let list = try chapters(back)
    #expect(summary(list) == ["0 Start", "900 Größe"])
    #expect(list.forms.map(\.kind) == [.titles, .nero] && list.forms.allSatisfy { !$0.differs })
  }

  /// A track made by a conversion contains the existing chapters, and no date.
  @Test func sharesAConvertedTrackWithoutDates() throws {
    var decisions: [MovieEdit.SharingDecision] = []
    let trial = try ConversionTrial(Self.neroFilm, to: .quickTime) { decisions = try $0.prepareForSharing() }
    #expect(decisions.contains { $0.trackID == 3 && $0.isKept && $0.reason == "chapters" })
    #expect(try summary(chapters(trial)) == ["0 Start", "900 Größe"])
    #expect(trial.movie.tracks.allSatisfy { $0.header.creationTime == 0 && $0.mediaHeader.modificationTime == 0 })
    let dated = try ConversionTrial(Self.neroFilm, to: .quickTime) { try $0.prepareForSharing(keepsDates: true) }
    #expect(dated.movie.tracks[2].header.creationTime == dated.movie.header.modificationTime)
    #expect(dated.movie.header.modificationTime > 0)
  }

  /// Removed chapters are not reported as a list or a track.
  @Test func reportsNoRemovedChapters() throws {
    let listed = try ConversionTrial(.filmWithChapters, to: .mp4) { try $0.removeChapters() }
    #expect(try chapters(listed).chapters.isEmpty && !listed.notices.contains { $0.message.contains("chpl") })
    let made = try ConversionTrial(Self.neroFilm, to: .quickTime) { try $0.removeChapters() }
    #expect(try chapters(made).chapters.isEmpty && !made.notices.contains { $0.message.contains("chpl") })
  }

  @Test func writesAListInMP4FilesFromAQuickTimeTrack() throws {
    let trial = try ConversionTrial(.filmWithChapters, to: .mp4)
    let list = try chapters(trial)
    #expect(summary(list) == ["0 Start", "1000 Größe"])
    #expect(list.forms.map(\.kind) == [.titles, .nero])
    let back = try ConversionTrial(trial.bytes, to: .quickTime)
    #expect(!back.new.atoms.contains { $0.type == "chpl" })
    #expect(try summary(chapters(back)) == ["0 Start", "1000 Größe"])
    #expect(back.messages(.converted).contains { $0.hasSuffix("the chapter track has the same chapters") })
  }

  /// A chapter track to which no track refers is converted like other text.
  @Test func convertsAnUnreferencedChapterTrack() throws {
    let trial = try ConversionTrial(.filmWithChapters, to: .mp4) { edit in
      try edit.remove(Set(edit.tracks.filter { $0.mediaType != .text }.map(\.id)))
    }
    #expect(trial.movie.tracks.map(\.mediaType) == [.text] && trial.movie.chapterTrackIDs.isEmpty)
  }

  @Test func reportsAContradictoryList() throws {
    let movie = try ConversionTrial(.filmWithChapters, to: .mp4)
    var bytes = movie.bytes
    let place = try #require(bytes.indices.dropLast(5).last { bytes[$0..<$0 + 5].elementsEqual(text("Start")) })
    bytes[place] = UInt8(ascii: "s")  // The list is after the track.
    let trial = try ConversionTrial(bytes, to: .quickTime)
    #expect(trial.messages(.leftOut).count { $0.contains("differs from the chapter track") } == 1)
  }

  @Test func dropsAListWithoutChapters() throws {
    let trial = try ConversionTrial(Self.neroFilm.with { $0.userData = Self.nero([]) }, to: .quickTime)
    #expect(trial.movie.tracks.count == 2)
    #expect(trial.messages(.leftOut).count { $0.contains("chpl") } == 1)
    // The same applies to a list that begins after the movie.
    let late = try ConversionTrial(Self.neroFilm.with { $0.userData = Self.nero([(90_000, "Late")]) }, to: .quickTime)
    #expect(late.movie.tracks.count == 2)
    #expect(late.messages(.leftOut).count { $0.contains("chpl") } == 1)
  }

  /// The list in user data is not a track: an audiobook made from a film keeps its chapters.
  @Test func keepsTheListWithoutTheChapterTrack() throws {
    let whole = try chapters(ConversionTrial(.filmWithChapters, to: .mp4))
    let mp4 = try ConversionTrial(.filmWithChapters, to: .m4a) { edit in
      try edit.remove(Set(edit.tracks.filter { $0.mediaType != .audio }.map(\.id)))
    }
    #expect(try summary(chapters(mp4)) == summary(whole))
    #expect(!mp4.notices.contains { $0.kind == .lastOfKindRemoved })
    let mov = try ConversionTrial(Self.neroFilm, to: .quickTime) { edit in
      try edit.remove(Set(edit.tracks.map(\.id).filter { $0 > 2 }))
    }
    #expect(mov.movie.tracks.map(\.id) == [1, 2])
    #expect(try chapters(mov).chapters.isEmpty)
  }

  @Test(arguments: [(TestMovie.filmWithChapters, MovieType.mp4), (neroFilm, .quickTime)])
  func replacesConvertedChapters(_ movie: TestMovie, _ type: MovieType) throws {
    let trial = try ConversionTrial(movie, to: type) { edit in
      let new = [Chapter(startMilliseconds: 0, title: "One"), Chapter(startMilliseconds: 500, title: "Two")]
      _ = try edit.setChapters(new)
    }
    let list = try chapters(trial)
    #expect(summary(list) == ["0 One", "500 Two"])
    #expect(list.forms.map(\.kind) == (type.isQuickTime ? [.titles] : [.titles, .nero]))
    #expect(trial.movie.tracks.count == 3)
  }

  /// MPEG-4 has numbers for JPEG and PNG, QuickTime has names.
  @Test(arguments: [jpegPicture(8, 6), pngPicture(8, 6)]) func keepsChapterPictures(_ picture: [UInt8]) throws {
    func read(_ bytes: [UInt8]) throws -> ChapterList {
      let source = MemorySource(Bytes(bytes))
      return try Movie(of: source).chapters(from: source, readsImages: true)
    }
    let source = TestMovie.film().source
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    var chapter = Chapter(startMilliseconds: 0, title: "One")
    chapter.image = .data(Bytes(picture))
    try edit.setChapters([chapter])
    let bytes = try edit.outputPlan(of: source).rendered(from: source)
    let there = try ConversionTrial(bytes, to: .mp4)
    #expect(there.movie.tracks.last?.formats == ["mp4v"])
    let back = try ConversionTrial(there.bytes, to: .quickTime)
    for bytes in [bytes, there.bytes, back.bytes] {
      let list = try read(bytes)
      #expect(list.chapters.map(\.image) == [chapter.image])
    }
  }

  /// The chapters of GarageBand and iTunes: titles, links and pictures in separate tracks.
  @Test(arguments: [TestMovie.Dialect.iso, .quickTime])
  func convertsTitlesLinksAndPicturesOfAPodcast(_ type: TestMovie.Dialect) throws {
    func read(_ bytes: [UInt8]) throws -> [Chapter] {
      let source = MemorySource(Bytes(bytes))
      return try Movie(of: source).chapters(from: source, readsImages: true).chapters
    }
    let movie = TestMovie.podcast(type, linksAreTimedText: type == .iso).with {
      $0.tracks[0].sampleEntries = TestMovie.film().tracks[1].sampleEntries
      $0.tracks[0].timeScale = 48_000
      $0.tracks[0].samples = .varied(94, around: 30, duration: 1024)
    }
    let wanted = try read(movie.bytes())
    #expect(wanted.map(\.link) == ["http://a.example/1", "http://a.example/2"])
    let there = try ConversionTrial(movie, to: type == .iso ? .quickTime : .m4a)
    #expect(try read(there.bytes) == wanted)
    let back = try ConversionTrial(there.bytes, to: type == .iso ? .m4a : .quickTime)
    #expect(try read(back.bytes) == wanted)
  }
}
