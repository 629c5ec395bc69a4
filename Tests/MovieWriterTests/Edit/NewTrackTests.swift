import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// Every request about a track, for each kind of track that an edit adds: both strategies write what the edit shows.
struct NewTrackTests {
  enum Origin: String, CaseIterable {
    case timedText, webVTT, captions, chapterTitles, chapterPictures, chapterLinks, importedAudio, importedSubtitles

    /// Adds a track to an edit of ``TestMovie/talk`` and returns its ID.
    func add(to edit: inout MovieEdit) throws -> UInt32 {
      switch self {
      case .timedText: return try edit.addSubtitles(Self.subtitles).trackID
      case .webVTT:
        var input = Self.subtitles
        input.format = .webVTT
        return try edit.addSubtitles(input).trackID
      case .captions:
        var input = Self.subtitles
        input.format = .captions
        return try edit.addSubtitles(input).trackID
      case .chapterTitles: return try edit.setChapters(Self.chapters)[0]
      case .chapterPictures: return try edit.setChapters(Self.chapters)[1]
      case .chapterLinks: return try edit.setChapters(Self.chapters)[2]
      case .importedAudio, .importedSubtitles:
        let source = TestMovie.talk.source
        let other = try Movie(of: source)
        return try edit.addTrack(TrackInput(other.tracks[self == .importedAudio ? 1 : 3]), of: other, from: source)
      }
    }

    private static let subtitles = SubtitleInput(
      cues: [Cue(startMilliseconds: 100, endMilliseconds: 900, text: "Hallo")], language: LanguageTag("de"))
    private static let chapters = [
      Chapter(
        startMilliseconds: 0, titles: [.init("One", language: LanguageTag("en"))],
        image: .data(Bytes(jpegPicture(8, 6))), link: "https://a.example/")
    ]

    var isImported: Bool { rawValue.hasPrefix("imported") }
    var isChapters: Bool { rawValue.hasPrefix("chapter") }
    var canFollow: Bool { isSubtitles || self == .captions || self == .chapterTitles || self == .chapterLinks }
    var isSubtitles: Bool { self == .timedText || self == .webVTT || self == .importedSubtitles }
  }

  /// A request about the track with an ID, and the origins that the edit refuses it for.
  struct Request: CustomTestStringConvertible {
    let testDescription: String
    var isRefused: @Sendable (Origin) -> Bool = { _ in false }
    let change: @Sendable (inout MovieEdit, UInt32) throws -> Void

    init(
      _ name: String, refusedIf isRefused: @escaping @Sendable (Origin) -> Bool = { _ in false },
      _ change: @escaping @Sendable (inout MovieEdit, UInt32) throws -> Void
    ) {
      (testDescription, self.isRefused, self.change) = (name, isRefused, change)
    }
  }

  private static let requests: [Request] = [
    Request("language") { try $0.setLanguage(LanguageTag("fr"), of: $1) },
    Request("extended language") { try $0.setLanguage(LanguageTag("pt-BR"), of: $1) },
    Request("no language") { try $0.setLanguage(nil, of: $1) },
    Request("title") { try $0.setTitle("Señor 🎬", of: $1) },
    Request("title, twice, with another language") {
      try $0.setTitle("One", of: $1)
      try $0.setLanguage(LanguageTag("es-419"), of: $1)
      try $0.setTitle("Two", of: $1)
    },
    Request("title that is removed again") {
      try $0.setTitle("One", of: $1)
      try $0.setTitle(nil, of: $1)
    },
    Request("tags") { try $0.addCharacteristics([.easyToRead, .auxiliaryContent], to: $1) },
    Request("tag that is removed again") {
      try $0.addCharacteristics([.easyToRead, .auxiliaryContent], to: $1)
      try $0.removeCharacteristics([.auxiliaryContent], from: $1)
    },
    Request("regular role") { try $0.setRole(.regular, of: $1) },
    Request("role commentary") { try $0.setRole(.commentary, of: $1) },
    Request("role SDH", refusedIf: { $0 == .importedAudio || $0 == .chapterPictures }) {
      try $0.setRole(.sdh, of: $1)
    },
    Request("forced", refusedIf: { $0 != .timedText }) { try $0.setContainsOnlyForcedSubtitles(true, of: $1) },
    Request("no automatic selection") { try $0.setExcludedFromAutomaticSelection(true, of: $1) },
    Request("enabled", refusedIf: \.isChapters) { try $0.setEnabled(true, of: $1) },
    Request("default", refusedIf: \.isChapters) { try $0.makeDefault($1) },
    Request("a group of its own", refusedIf: \.isChapters) { try $0.setAlternateGroup(7, of: $1) },
    Request("the audio's group", refusedIf: { $0 != .importedAudio }) { try $0.setAlternateGroup(1, of: $1) },
    Request("alternative", refusedIf: \.isChapters) { try $0.addAlternative($1, asDefault: true) },
    Request("group of one, which is the default", refusedIf: \.isChapters) {
      try $0.group(TrackGroup(members: [$1], defaultMember: $1))
    },
    Request("followed by subtitles", refusedIf: { $0 != .importedAudio }) {
      try $0.link($1, to: 4, .selectionFollower)
    },
    Request("follower", refusedIf: { !$0.canFollow }) {
      try $0.link(2, to: $1, .selectionFollower)
    },
    Request("chapter list", refusedIf: { !$0.isChapters && $0 != .webVTT }) { try $0.link(1, to: $1, .chapterList) },
    Request("follower that is unlinked again", refusedIf: { !$0.canFollow }) {
      let id = try $0.link(3, to: $1, .selectionFollower)
      try $0.unlink(3, from: id)
    },
    Request("no chapter list", refusedIf: { $0 != .chapterPictures && $0 != .chapterLinks }) {
      try $0.unlink(1, from: $1, .chapterList)
    },
    Request("linked by language") { edit, _ in try edit.linkByLanguage() },
    Request("roles by tags") {
      try $0.addCharacteristics([.easyToRead], to: $1)
      $0.addRolesByTags()
    },
    Request("dates in headers") { edit, _ in
      _ = try edit.setHeaderDates(to: try #require(MetadataDate("2024-05-06T07:08:09Z")))
    },
    Request("everything") {
      try $0.setTitle("All", of: $1)
      try $0.setLanguage(LanguageTag("zh-Hant"), of: $1)
      try $0.addCharacteristics([.easyToRead, .describesVideo], to: $1)
      try $0.setExcludedFromAutomaticSelection(true, of: $1)
      let place = try $0.tracks.index(of: $1)
      $0.tracks[place].references["cdsc"] = [1]
      guard $0.tracks[place].chapterKind == nil else { return }
      try $0.setAlternateGroup(9, of: $1)
      try $0.setEnabled(true, of: $1)
    },
    Request("replaced", refusedIf: { !$0.isSubtitles }) { try $0.replace(4, with: $1) },
    Request("removed") { try $0.remove([$1]) },
  ]

  @Test(arguments: Self.requests, Origin.allCases)
  func writesEachRequestAboutANewTrack(_ request: Request, _ origin: Origin) throws {
    for dialect in [TestMovie.Dialect.quickTime, .iso] where origin != .webVTT || dialect == .iso {
      var edit = try MovieEdit(of: TestMovie.talk.with { $0.dialect = dialect }.source)
      let id = try origin.add(to: &edit)
      do {
        try request.change(&edit, id)
      } catch let error as MovieError {
        #expect(request.isRefused(origin), "\(dialect): \(error)")
        #expect([.invalidEdit, .unsupported].contains(error.code))
        continue
      }
      #expect(!request.isRefused(origin), "\(dialect)")
      let source = try edit.joinedSource()
      for bytes in [
        try edit.outputPlan(of: source).rendered(from: source),
        try edit.inPlacePlan(of: source).rendered().rendered(from: source),
      ] {
        let new = try Movie(of: MemorySource(Bytes(bytes)))
        #expect(new.tracks.map(\.id) == edit.tracks.map(\.id))
        for (wanted, track) in zip(edit.tracks, new.tracks) {
          #expect(track.language == wanted.language && track.title == wanted.title)
          #expect(track.taggedCharacteristics == wanted.taggedCharacteristics)
          #expect(track.containsOnlyForcedSubtitles == wanted.containsOnlyForcedSubtitles)
          #expect(track.isExcludedFromAutomaticSelection == wanted.isExcludedFromAutomaticSelection)
          #expect(track.isEnabled == wanted.isEnabled && track.alternateGroup == wanted.alternateGroup)
          #expect(EditedTrack.references(of: track) == wanted.references)
        }
      }
    }
  }

  /// The languages of two chapter tracks may not become one, but they may change places.
  @Test func keepsTheLanguagesOfChapterTitlesDistinct() throws {
    let movie = TestMovie.simple.with { $0.dialect = .iso }
    var edit = try MovieEdit(of: movie.source)
    let ids = try edit.setChapters(ChapterEditTests.twoLanguages)
    #expect(throws: MovieError.self) { try edit.setLanguage(LanguageTag("de"), of: ids[0]) }
    try edit.setLanguage(LanguageTag("fr"), of: ids[0])
    try edit.setLanguage(LanguageTag("en"), of: ids[1])
    try edit.setLanguage(LanguageTag("de"), of: ids[0])
    let bytes = try edit.outputPlan(of: movie.source).rendered(from: movie.source)
    let chapters = try Movie(of: MemorySource(Bytes(bytes))).chapters(from: MemorySource(Bytes(bytes)))
    #expect(chapters.chapters[0].titles.map(\.language) == [LanguageTag("de"), LanguageTag("en")])
  }

  /// A track that the edit generates is made of the caller's values, whichever kind it is.
  @Test(arguments: Origin.allCases) func sharesGeneratedTracks(_ origin: Origin) throws {
    let movie = TestMovie.talk.with { $0.dialect = .iso }
    for isFirst in [true, false] {
      var edit = try MovieEdit(of: movie.source)
      if !isFirst { try edit.prepareForSharing() }
      guard !origin.isImported else {
        // The sharing policy is not applied to the atoms of another movie.
        #expect(throws: MovieError.self) {
          let id = try origin.add(to: &edit)
          if isFirst { try edit.prepareForSharing() } else { try edit.setTitle("Shared", of: id) }
        }
        continue
      }
      let id = try origin.add(to: &edit)
      if isFirst {
        #expect(try edit.prepareForSharing().contains { $0.trackID == id && $0.isKept })
      }
      try edit.setTitle("Shared", of: id)
      let source = try edit.joinedSource()
      let bytes = try edit.outputPlan(of: source).rendered(from: source)
      #expect(try Movie(of: MemorySource(Bytes(bytes))).track(id)?.title == "Shared")
    }
  }
}
