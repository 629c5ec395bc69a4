import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// Setting and removing chapters: the position of chapter tracks, preservation of everything else, and known problems of
/// other programs.
struct ChapterEditTests {
  static let titles = ChapterList([
    Chapter(startMilliseconds: 0, titles: [.init("One ü", language: LanguageTag("en"))]),
    Chapter(startMilliseconds: 750, titles: [.init("Two", language: LanguageTag("en"))]),
  ])

  static let twoLanguages = titles.chapters.map { chapter in
    var chapter = chapter
    chapter.titles.append(.init("Zwei 🎬", language: LanguageTag("de")))
    return chapter
  }

  /// Returns the movie edited as a new file and in place, with its chapters. The second reader must find only allowed
  /// changes.
  func edited(
    _ movie: TestMovie, allowing allowed: AllowedChanges = AllowedChanges(), layout: OutputLayout = OutputLayout(),
    isInPlace: Bool = true, at location: SourceLocation = #_sourceLocation,
    _ change: (inout MovieEdit) throws -> Void
  ) throws -> [(movie: Movie, chapters: ChapterList, bytes: [UInt8])] {
    let source = movie.source
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    try change(&edit)
    var plans = [try edit.outputPlan(of: source, layout)]
    if isInPlace { plans.append(try edit.inPlacePlan(of: source).rendered()) }
    return try plans.map { plan in
      let bytes = try plan.rendered(from: source)
      #expect(try differences(old: movie.bytes(), new: bytes, allowing: allowed) == [], sourceLocation: location)
      let output = MemorySource(Bytes(bytes))
      let movie = try Movie(of: output)
      return (movie, try movie.chapters(from: output, readsImages: true), bytes)
    }
  }

  func adding(_ tracks: UInt32..., to referrers: [UInt32] = [1, 2]) -> AllowedChanges {
    AllowedChanges().with {
      $0.addedTracks = Set(tracks)
      for id in referrers { $0.references[id] = ["chap"] }
      $0.addedAtoms = ["moov/udta", "moov/udta/chpl"]
    }
  }

  func texts(_ list: ChapterList) -> [[String]] { list.chapters.map { $0.titles.map(\.text) } }

  // MARK: - Setting

  @Test(arguments: [TestMovie.Dialect.quickTime, .iso])
  func writesTitlesAsATrackAndInMP4AsAList(_ dialect: TestMovie.Dialect) throws {
    let movie = TestMovie.simple.with { $0.dialect = dialect }
    for (new, list, _) in try edited(
      movie, allowing: adding(3), { try $0.setChapters(Self.titles.chapters) })
    {
      #expect(texts(list) == [["One ü"], ["Two"]] && list.chapters.map(\.startMilliseconds) == [0, 750])
      #expect(list.forms.map(\.kind) == (dialect == .iso ? [.titles, .nero] : [.titles]) && list.notices.isEmpty)
      let track = try #require(new.track(3))
      #expect(
        !track.isEnabled && track.alternateGroup == 0 && track.header.width == 0 && track.language == LanguageTag("en"))
      #expect(track.mediaType == .text && new.tracks.prefix(2).allSatisfy { $0.referenced("chap") == [3] })
      #expect(track.mediaHeader.duration == 2000 && track.header.duration == new.header.duration)
    }
  }

  @Test func writesATrackForEachLanguage() throws {
    let movie = TestMovie.simple
    for (new, list, _) in try edited(
      movie, allowing: adding(3, 4), { try $0.setChapters(Self.twoLanguages) })
    {
      #expect(texts(list) == [["One ü", "Zwei 🎬"], ["Two", "Zwei 🎬"]])
      #expect(new.tracks[0].referenced("chap") == [3, 4] && new.tracks[3].language == LanguageTag("de"))
      // For QuickTime Player, titles in the language of the audio suffice.
      #expect(new.findings(for: .apple).filter { $0.rule.id.hasPrefix("chapter.") }.map(\.rule.id) == [])
    }
  }

  @Test func rejectsAMovieInWhichTracksHaveTheSameID() throws {
    let movie = TestMovie.simple.with { $0.tracks[1].id = $0.tracks[0].id }
    var edit = try MovieEdit(of: Movie(of: movie.source), from: movie.source)
    let error = try #require(throws: MovieError.self) { try edit.setChapters(Self.titles.chapters) }
    #expect(error.code == .malformed && error.path == "moov" && error.offset != nil)
    #expect(error.reason.hasPrefix("several tracks have the same ID") && edit.isEmpty)
    // A conversion has the same requirement.
    #expect(throws: error) { try edit.convert(to: .mp4) }
  }

  @Test func assignsTheAudioLanguageToTitlesWithoutOne() throws {
    let chapters = [Chapter(startMilliseconds: 0, title: "One"), Chapter(startMilliseconds: 900, title: " \n ")]
    let movie = TestMovie.simple
    for (new, list, _) in try edited(
      movie, allowing: adding(3), { try $0.setChapters(chapters) })
    {
      #expect(new.tracks[2].language == LanguageTag("en") && texts(list) == [["One"], ["Chapter 2"]])
    }
  }

  /// Characters that readers drop or treat as a line end must not change a title.
  @Test(arguments: [
    "a\u{2028}b", "\u{FEFF}a b", "a\r\nb", "a\u{0}b", "\u{3000}a b\u{85}", "a \u{7F}\tb", "\u{301}a b", "\u{200B}",
    String(repeating: "ü", count: 40_000),
  ])
  func writesOddTitlesInOneLine(_ title: String) throws {
    let movie = TestMovie.simple.with { $0.dialect = .iso }
    for (_, list, _) in try edited(
      movie, allowing: adding(3),
      { try $0.setChapters([Chapter(startMilliseconds: 0, title: title)]) })
    {
      let read = try #require(list.chapters.first?.title())
      #expect(read == title.oneLine.cut(toUTF8Count: 65_535) && !read.contains("\n"))
    }
  }

  @Test func keepsPicturesAndLinksOfCloseChapters() throws {
    let chapters = (0..<4).map { index in
      Chapter(
        startMilliseconds: Int64(3 * index), titles: [.init("\(index)", language: LanguageTag("en"))],
        image: .data(Bytes(jpegPicture(8, 6) + [UInt8(index)])), link: "https://a.example/\(index)")
    }
    let movie = TestMovie.simple
    for (_, list, _) in try edited(
      movie, allowing: adding(3, 4, 5), { try $0.setChapters(chapters) })
    {
      #expect(list.chapters.map(\.link) == chapters.map(\.link) && list.chapters.map(\.image) == chapters.map(\.image))
    }
    var edit = try MovieEdit(of: Movie(of: movie.source), from: movie.source)
    let long = [Chapter(startMilliseconds: 0, titles: [.init("x")], link: String(repeating: "x", count: 256))]
    try edit.setChapters(long)
    #expect(edit.notices.contains { $0.isWarning && $0.message == "a link of more than 255 bytes is dropped" })
  }

  @Test func writesPicturesOfAnySizeAndFormat() throws {
    var chapters = Self.titles.chapters + [Chapter(startMilliseconds: 1500, title: "Three")]
    chapters[0].image = .data(Bytes(jpegPicture(8, 6)))
    chapters[2].image = .data(Bytes(pngPicture(20, 10)))
    let movie = TestMovie.simple
    for (new, list, _) in try edited(
      movie, allowing: adding(3, 4), { try $0.setChapters(chapters) })
    {
      #expect(list.chapters.map(\.image) == [chapters[0].image, chapters[0].image, chapters[2].image])
      let track = try #require(new.track(4))
      #expect(track.formats == ["jpeg", "png "] && track.mediaType == .video && !track.isEnabled)
      #expect(track.pictureSize == (20, 10) && new.tracks[0].referenced("chap") == [3, 4])
    }
    var edit = try MovieEdit(of: Movie(of: movie.source), from: movie.source)
    try edit.setChapters(chapters)
    #expect(
      edit.notices.contains { $0.isWarning && $0.message.hasPrefix("the track of pictures contains JPEG and PNG") })
    edit = try MovieEdit(of: Movie(of: movie.source), from: movie.source)
    chapters[1].image = .data(Bytes(text("GIF89a")))
    #expect(throws: MovieError.self) { try edit.setChapters(chapters) }
    #expect(edit.isEmpty)
  }

  /// Pictures begin with the first chapter that has one, in any time scale.
  @Test(arguments: [600, 1_000, 90_000, 24, 7, 1_001])
  func leavesChaptersBeforeTheFirstPictureWithoutOne(_ timeScale: Int) throws {
    var chapters = [0, 331, 667, 1_250].map { Chapter(startMilliseconds: $0, title: "at \($0)") }
    chapters[1].image = .data(Bytes(jpegPicture(8, 6)))
    chapters[3].image = .data(Bytes(jpegPicture(10, 6)))
    let movie = TestMovie.simple.with { $0.timeScale = timeScale }
    for (new, list, _) in try edited(
      movie, allowing: adding(3, 4), { try $0.setChapters(chapters) })
    {
      #expect(list.chapters.map(\.image) == [nil, chapters[1].image, chapters[1].image, chapters[3].image])
      let track = try #require(new.track(4))
      #expect(track.samples.sampleCount == 2 && track.editList?.entries.map(\.isEmptyEdit) == [true, false])
    }
    // If a tick is longer than the chapter, no edit can separate it.
    let coarse = TestMovie.simple.with { $0.timeScale = 1 }.source
    var edit = try MovieEdit(of: coarse)
    #expect(throws: MovieError.self) { try edit.setChapters(chapters) }
  }

  @Test func keepsEarlierLinksWithNewTitles() throws {
    let movie = TestMovie.simple
    var first = Self.titles.chapters
    (first[0].link, first[1].link) = ("https://a.example/1", "https://a.example/2")
    let second = [Chapter(startMilliseconds: 0, title: "Eins"), Chapter(startMilliseconds: 800, title: "Zwei")]
    for (new, list, _) in try edited(
      movie, allowing: adding(5, 6),
      {
        try $0.setChapters(first)
        try $0.setChapters(second)
      })
    {
      #expect(new.tracks.map(\.id) == [1, 2, 5, 6] && texts(list) == [["Eins"], ["Zwei"]])
      #expect(list.chapters.map(\.link) == ["https://a.example/1", nil])
    }
  }

  @Test func replacesChaptersWhenSetTwice() throws {
    let movie = TestMovie.simple.with { $0.dialect = .iso }
    var first = Self.twoLanguages
    first[0].image = .data(Bytes(jpegPicture(8, 6)))
    first[1].link = "https://a.example"
    let allowed = adding(7)
    for (new, list, _) in try edited(
      movie, allowing: allowed,
      {
        try $0.setChapters(first)
        try $0.removeChapters()
        try $0.setChapters(Self.titles.chapters)
      })
    {
      #expect(texts(list) == [["One ü"], ["Two"]] && list.forms.map(\.kind) == [.titles, .nero])
      #expect(new.tracks.map(\.id) == [1, 2, 7] && new.tracks[0].referenced("chap") == [7])
    }
    for (_, list, _) in try edited(
      movie, allowing: adding(5, 7, 8),
      {
        try $0.setChapters(first)
        try $0.setChapters(Self.titles.chapters)
      })
    {
      #expect(texts(list) == [["One ü"], ["Two"]] && list.chapters.allSatisfy { $0.image != nil })
    }
  }

  @Test func rejectsTooManyChapters() throws {
    let movie = TestMovie.simple
    var edit = try MovieEdit(of: Movie(of: movie.source), from: movie.source)
    func refuses(_ chapters: [Chapter]) {
      let error = #expect(throws: MovieError.self) { try edit.setChapters(chapters) }
      #expect(error?.code == .limit && edit.isEmpty)
    }
    refuses((0...ChapterLimits.count).map { Chapter(startMilliseconds: Int64($0), title: "x") })
    let letters = "abcdefghijklmnopqrstuvwxyz"
    let tags = letters.flatMap { first in letters.prefix(4).map { "q\(first)\($0)" } }.compactMap { LanguageTag($0) }
    #expect(tags.count > ChapterLimits.languageCount)
    refuses([Chapter(startMilliseconds: 0, titles: tags.map { .init("x", language: $0) })])
    refuses((0..<1010).map { Chapter(startMilliseconds: $0, titles: tags.prefix(99).map { .init("x", language: $0) }) })
  }

  @Test func reportsChaptersThatTheMovieCannotContain() throws {
    let movie = TestMovie.simple
    var edit = try MovieEdit(of: Movie(of: movie.source), from: movie.source)
    let chapters =
      Self.titles.chapters + [
        Chapter(startMilliseconds: 750, title: "Again"), Chapter(startMilliseconds: 2000, title: "Late"),
      ]
    try edit.setChapters(chapters)
    #expect(
      edit.notices.filter(\.isWarning).map(\.message) == [
        "1 chapter at or after the end of the movie is dropped: \"Late\" at 00:00:02.000",
        "1 chapter is dropped, because another chapter begins at the same time",
      ])
    #expect(throws: MovieError.self) { try edit.setChapters([]) }
    #expect(throws: MovieError.self) { try edit.setChapters([chapters[3]]) }
    let text = TestMovie(tracks: [TestTrack(.subtitle, id: 1)])
    var other = try MovieEdit(of: Movie(of: text.source), from: text.source)
    #expect(throws: MovieError.self) { try other.setChapters(chapters) }
  }

  @Test func replacesChaptersOfAFragmentedMovie() throws {
    let whole = TestMovie.podcast()
    let parts = whole.tracks.map { track in
      TestFragment.Track(id: track.id, decodeTime: 0, runs: [.init(track.samples)])
    }
    let source = MemorySource(Bytes(whole.initial.bytes(fragments: [TestFragment(parts)])))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    try edit.setChapters(Self.titles.chapters)
    let output = MemorySource(Bytes(try edit.outputPlan(of: source).rendered(from: source)))
    let list = try Movie(of: output).chapters(from: output)
    #expect(texts(list) == [["One ü"], ["Two"]] && list.chapters.allSatisfy { $0.link != nil && $0.image != nil })
  }

  // MARK: - Known problems

  /// mp4v2 dropped the second track of `chap`, and the pictures became a film (issue 57 of its tracker).
  @Test(arguments: [TestMovie.Dialect.quickTime, .iso])
  func keepsReferencesToBothChapterTracks(_ dialect: TestMovie.Dialect) throws {
    let movie = TestMovie.podcast(dialect)
    let allowed = adding(5, to: [1]).with { ($0.removedTracks, $0.mediaDataRearranged) = ([2], true) }
    for (new, list, _) in try edited(
      movie, allowing: allowed, { try $0.setChapters(Self.titles.chapters) })
    {
      #expect(new.tracks[0].referenced("chap") == [5, 3, 4] && texts(list) == [["One ü"], ["Two"]])
      #expect(list.chapters.allSatisfy { $0.link != nil && $0.image != nil })
      #expect(new.findings.filter { $0.rule.id.hasPrefix("chapter.") }.map(\.rule.id) == [])
    }
  }

  /// Swiftfin and Jellyfin listed chapters among subtitles.
  @Test func omitsChaptersFromTheSubtitleMenu() throws {
    for movie in [TestMovie.simple, .talk, .podcast()] {
      let before = try Movie(of: movie.source).mediaSelectionGroups.map { $0.options.map(\.trackID) }
      var edit = try MovieEdit(of: Movie(of: movie.source), from: movie.source)
      try edit.setChapters(Self.twoLanguages)
      let bytes = try edit.outputPlan(of: movie.source).rendered(from: movie.source)
      let new = try Movie(of: MemorySource(Bytes(bytes)))
      #expect(new.mediaSelectionGroups.map { $0.options.map(\.trackID) } == before)
    }
  }

  @Test func writes255ChaptersToTheListAndAllToTheTrack() throws {
    let chapters = (0..<300).map { Chapter(startMilliseconds: Int64($0), title: "Chapter \($0)") }
    let movie = TestMovie.simple.with { $0.dialect = .iso }
    for (_, list, bytes) in try edited(
      movie, allowing: adding(3), { try $0.setChapters(chapters) })
    {
      #expect(list.chapters.count == 300 && list.forms.map(\.count) == [300, 255] && list.notices.isEmpty)
      #expect(bytes.count > 0)
    }
    var edit = try MovieEdit(of: Movie(of: movie.source), from: movie.source)
    try edit.setChapters(chapters)
    #expect(edit.notices.contains { $0.isWarning && $0.message.contains("first 255 of 300") })
  }

  @Test func keepsAFirstChapterAfterTheStart() throws {
    let movie = TestMovie.simple
    for (new, list, _) in try edited(
      movie, allowing: adding(3),
      { try $0.setChapters([Chapter(startMilliseconds: 400, title: "One")]) })
    {
      #expect(list.chapters.map(\.startMilliseconds) == [400] && new.tracks[2].samples.sampleCount == 2)
    }
  }

  /// GPAC's issues 134 and 171: on a network, Apple's players wait for chapters that are far from the start.
  @Test(arguments: [OutputLayout(isFastStart: true), OutputLayout(isFastStart: true, interleaving: .all)])
  func placesTitlesNearTheStartForFastStart(_ layout: OutputLayout) throws {
    var chapters = Self.titles.chapters
    chapters[0].image = .data(Bytes(jpegPicture(8, 6)))
    for movie in [TestMovie.simple, .simple.with { $0.layout = .movieFirst }] {
      let allowed = adding(3, 4).with { ($0.movieMoved, $0.mediaDataRearranged) = (true, true) }
      for (new, _, _) in try edited(
        movie, allowing: allowed, layout: layout, isInPlace: false,
        { try $0.setChapters(chapters) })
      {
        let first = try #require(new.tracks[2].samples.chunkOffsets.first)
        #expect(new.isFastStart && new.tracks[2].samples.chunkCount == 1)
        // If all media is in time order, they belong to the start, like the first video and audio chunks.
        for track in new.tracks.prefix(2) {
          let offsets = Array(track.samples.chunkOffsets).dropFirst(layout.interleaving == .all ? 1 : 0)
          #expect(!offsets.isEmpty && offsets.allSatisfy { $0 > first })
        }
      }
    }
  }

  /// Podcasts of GarageBand and iTunes keep `load`, layers, enabled links and everything else.
  @Test(arguments: [TestMovie.Dialect.quickTime, .iso])
  func preservesAnEnhancedPodcast(_ dialect: TestMovie.Dialect) throws {
    let movie = TestMovie.podcast(dialect).with { $0.tracks.append(TestTrack(.subtitle, id: 6)) }
    let wanted = try Movie(of: movie.source).chapters(from: movie.source, readsImages: true)
    let cues = [Cue(startMilliseconds: 100, endMilliseconds: 900, text: StyledText("Hello"))]
    let edits: [(String, OutputLayout, (inout MovieEdit) throws -> Void)] = [
      ("add-subtitle", OutputLayout(), { _ = try $0.add(SubtitleInput(cues: cues, language: LanguageTag("en"))) }),
      ("remux", OutputLayout(isFastStart: true, interleaving: .all), { _ in }),
      ("flatten", OutputLayout(), { $0.flatten() }),
      ("compact", OutputLayout(isCompact: true), { _ in }), ("remove", OutputLayout(), { try $0.remove([6]) }),
      ("set", OutputLayout(), { try $0.setTitle("Sound", of: 1) }),
      ("metadata", OutputLayout(), { try $0.setMetadata(#require(MetadataInput("common/title", "A title"))) }),
    ]
    for (name, layout, change) in edits {
      var edit = try MovieEdit(of: Movie(of: movie.source), from: movie.source)
      try change(&edit)
      var plans = [try edit.outputPlan(of: movie.source, layout)]
      if layout == OutputLayout() { plans.append(try edit.inPlacePlan(of: movie.source).rendered()) }
      for plan in plans {
        let bytes = try plan.rendered(from: movie.source)
        let source = MemorySource(Bytes(bytes))
        let list = try Movie(of: source).chapters(from: source, readsImages: true)
        #expect(list.chapters == wanted.chapters && list.forms == wanted.forms, "\(name)")
        let (old, new) = (try SecondReader(movie.bytes()), try SecondReader(bytes))
        for id in 2...4 {
          for atom in ["load", "tkhd"] {
            let path = "moov/trak#\(id)/\(atom)"
            #expect(
              try new.content(of: #require(new.atom(path))) == old.content(of: #require(old.atom(path))),
              "\(name) \(path)")
          }
        }
      }
    }
  }

  /// Without the reference, titles would be listed as subtitles, and pictures as a film.
  @Test func movesChapterReferencesOfARemovedTrack() throws {
    let movie = TestMovie.simple.with {
      $0.tracks[1].references = [TestReference("chap", 3)]
      $0.tracks.append(
        TestTrack(.text, id: 3).with { ($0.isEnabled, $0.samples) = (false, [.chapter("One", duration: 2000)]) })
    }
    let allowed = AllowedChanges().with {
      ($0.removedTracks, $0.references, $0.mediaDataRearranged) = ([2], [1: ["chap"]], true)
    }
    for (new, list, _) in try edited(movie, allowing: allowed, { try $0.remove([2]) }) {
      #expect(texts(list) == [["One"]] && new.tracks[0].referenced("chap") == [3])
    }
  }

  // MARK: - Removing

  @Test(arguments: [TestMovie.Dialect.quickTime, .iso])
  func removesOnlyChapters(_ dialect: TestMovie.Dialect) throws {
    let nero = fullAtom("chpl", version: 1) { u32(0) + u8(1) + u64(0) + pascalString("One") }
    let movie = TestMovie.podcast(dialect).with {
      $0.userData = atom("©nam") { internationalText("A name") } + nero
      // A film and subtitles that are listed by mistake, and pictures that something else uses.
      $0.tracks[0].references = [TestReference("chap", 2, 3, 4, 5, 6, 7)]
      $0.tracks.append(TestTrack(.video, id: 5).with { $0.references = [TestReference("thmb", 7)] })
      $0.tracks.append(TestTrack(.subtitle, id: 6).with { $0.group = 2 })
      $0.tracks.append(
        TestTrack(.video, id: 7).with { $0.sampleEntries = [SampleEntry.video("jpeg", width: 8, height: 6)] })
    }
    let allowed = AllowedChanges().with {
      ($0.removedTracks, $0.references) = ([2, 3, 4], [1: ["chap"]])
      $0.removedAtoms = ["moov/udta/chpl", "moov/trak#1/tref"]
      $0.mediaDataRearranged = true
    }
    for (new, list, _) in try edited(movie, allowing: allowed, { _ = try $0.removeChapters() }) {
      #expect(list.chapters.isEmpty && list.forms.isEmpty && new.tracks.map(\.id) == [1, 5, 6, 7])
    }
  }

  @Test func leavesAMovieWithoutChaptersUnchanged() throws {
    var edit = try MovieEdit(of: Movie(of: TestMovie.simple.source), from: TestMovie.simple.source)
    #expect(try edit.removeChapters().isEmpty && edit.isEmpty && edit.notices.map(\.kind) == [.nothingToDo])
  }
}
