import SubtitleTestSupport
import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// Labels of existing tracks, changed by both strategies.
struct TrackLabelTests {
  private func edited(
    _ movie: TestMovie, allowing allowed: AllowedChanges, _ change: (inout MovieEdit) throws -> Void
  ) throws -> [Movie] {
    try movie.edited(allowing: allowed, change)
  }

  private func allowed(_ id: UInt32, _ paths: String...) -> AllowedChanges {
    AllowedChanges().with {
      let all = Set(paths.map { "moov/trak#\(id)/\($0)" })
      ($0.changedAtoms, $0.addedAtoms, $0.removedAtoms) = (all, all, all)
    }
  }

  private static let dialects: [TestMovie] = [.talk, .talk.with { $0.dialect = .iso }]

  @Test(
    arguments: [("fr", nil), ("pt-BR", "pt-BR"), ("zh-Hant", "zh-Hant"), ("gsw", nil), ("qaa-x", nil), ("und", nil)]
      as [(String, String?)], dialects)
  func writesTheTagIfTheCodeIsLessSpecific(
    _ language: (tag: String, extended: String?), _ movie: TestMovie
  ) throws {
    guard let tag = LanguageTag(language.tag) else { return }
    let media = ["mdia/mdhd", "mdia/elng"]
    for new in try edited(movie, allowing: allowed(4, media[0], media[1]), { try $0.setLanguage(tag, of: 4) }) {
      let track = try #require(new.track(4))
      #expect(track.language?.description == (language.tag == "und" ? nil : language.tag))
      #expect(track.extendedLanguage?.tag == language.extended)
      #expect(track.mediaHeader.languageCode == LanguageCode.packed(for: tag))
    }
  }

  @Test func removesARedundantExtendedTag() throws {
    let movie = TestMovie.talk.with { $0.tracks[3].extendedLanguage = "es-419" }
    for new in try edited(
      movie, allowing: allowed(4, "mdia/mdhd", "mdia/elng"), { try $0.setLanguage(LanguageTag("de"), of: 4) })
    {
      #expect(new.track(4)?.extendedLanguage == nil && new.track(4)?.language == LanguageTag("de"))
    }
  }

  @Test(arguments: dialects) func writesTheTitleInAllForms(_ movie: TestMovie) throws {
    let titles = ["udta", "udta/name", "udta/tnam", "udta/titl"]
    let old = movie.with {
      $0.tracks[3].userData = TestSupport.movie {
        atom("name") { text("Old") } + atom("XXXX") { text("between") } + atom("tagc") { text("public.easy-to-read") }
      }
    }
    for (movie, id) in [(movie, UInt32(2)), (old, 4)] {
      let allowed = allowed(id, titles[0], titles[1], titles[2], titles[3])
      for new in try edited(movie, allowing: allowed, { try $0.setTitle("Señor 🎬", of: id) }) {
        let track = try #require(new.track(id))
        let handler = try Movie(of: movie.source).track(id)?.handler
        #expect(track.title == "Señor 🎬" && track.handler == handler)
        let udta = try #require(new.tree.child(of: track.atom, "udta"))
        let types: [FourCC] = new.tree.children(of: udta).map { new.tree[$0].type }
        #expect(
          types.contains("titl") == (movie.dialect == TestMovie.Dialect.iso) && types.contains("tnam")
            && types.contains("name"))
        // MediaInfo shows no title if `titl` comes after `name`.
        if let titl = types.firstIndex(of: "titl"), let name = types.firstIndex(of: "name") { #expect(titl < name) }
      }
    }
    let without = allowed(4, titles[1])
    for new in try edited(old, allowing: without, { try $0.setTitle(nil, of: 4) }) {
      #expect(new.track(4)?.title == nil)
      #expect(new.track(4)?.taggedCharacteristics == [.easyToRead])
    }
  }

  @Test func updatesAClassicTitle() throws {
    let movie = TestMovie.talk.with {
      $0.tracks[3].userData = atom("©nam") { internationalText("Old") } + u32(0)
    }
    let allowed = allowed(4, "udta/©nam", "udta/name", "udta/tnam")
    for new in try edited(movie, allowing: allowed, { try $0.setTitle("New", of: 4) }) {
      let track = try #require(new.track(4))
      let udta = try #require(new.tree.child(of: track.atom, "udta"))
      let item = try #require(new.tree.child(of: udta, "©nam"))
      #expect(try new.tree.decode(UserDataText.self, at: item).text() == "New")
      #expect(new.tree.tail(of: udta) == Bytes([0, 0, 0, 0]))
    }
  }

  @Test func completesAnExistingTitleOnce() throws {
    var movie = TestMovie.talk
    movie.tracks[3].userData = atom("name") { text("Title") }
    var edit = try MovieEdit(of: movie.source)
    try edit.setTitle("Title", of: 4)
    #expect(edit.changesTracks)
    let new = MemorySource(Bytes(try edit.outputPlan(of: movie.source).rendered(from: movie.source)))
    var again = try MovieEdit(of: new)
    try again.setTitle("Title", of: 4)
    #expect(!again.changesTracks && again.isEmpty)
  }

  @Test(arguments: dialects) func updatesRolesWithTagsInISOFiles(_ movie: TestMovie) throws {
    let add = allowed(4, "udta", "udta/tagc", "udta/kind")
    for new in try edited(movie, allowing: add, { try $0.addCharacteristics(MediaCharacteristic.sdh, to: 4) }) {
      let track = try #require(new.track(4))
      #expect(track.isSDH && track.taggedCharacteristics == MediaCharacteristic.sdh)
      #expect(track.kinds.map(\.value) == (movie.dialect == .iso ? ["caption"] : []))
    }
    let tagged = movie.with {
      $0.tracks[3].userData = TestSupport.movie {
        for tag in MediaCharacteristic.sdh + [.easyToRead] { atom("tagc") { text(tag.rawValue) } }
        fullAtom("kind") { cString("urn:mpeg:dash:role:2011") + cString("caption") }
        fullAtom("kind") { cString("urn:mpeg:dash:role:2011") + cString("main") }
      }
    }
    let gone = allowed(4, "udta/tagc", "udta/kind")
    for new in try edited(tagged, allowing: gone, { try $0.removeCharacteristics([.describesMusicAndSound], from: 4) })
    {
      #expect(new.track(4)?.taggedCharacteristics == [.transcribesSpokenDialog, .easyToRead])
      #expect(new.track(4)?.kinds.map(\.value) == ["main"])
    }
  }

  @Test func excludesACommentaryFromSelection() throws {
    let allowed = allowed(3, "txas", "udta", "udta/tagc")
    let movies = try edited(.talk, allowing: allowed) { try $0.setRole(.commentary, of: 3) }
    for new in movies {
      #expect(new.track(3)?.isExcludedFromAutomaticSelection == true)
      #expect(new.track(3)?.taggedCharacteristics == [.auxiliaryContent])
    }
    var edit = try MovieEdit(of: TestMovie.talk.source)
    try edit.setRole(.commentary, of: 3)
    try edit.setRole(.dub, of: 3)
    #expect(edit.track[3]?.taggedCharacteristics == [.dubbedTranslation, .translation])
    #expect(edit.track[3]?.isExcludedFromAutomaticSelection == false)
    try edit.setRole(.regular, of: 3)
    #expect(!edit.changesTracks)
  }

  @Test func writesForcedFlagsInSampleDescriptions() throws {
    let stsd = allowed(4, "mdia/minf/stbl/stsd")
    var entry = SampleEntry.timedText()
    entry.replaceSubrange(4..<8, with: code("text"))
    for movie in [TestMovie.talk, .talk.with { $0.tracks[3].sampleEntries = [entry] }] {
      for new in try edited(movie, allowing: stsd, { try $0.setRole(.forced, of: 4) }) {
        #expect(new.track(4)?.containsOnlyForcedSubtitles == true)
        let flags = new.track(4)?.tx3gDescriptions.first?.displayFlags
        #expect(flags?.isSuperset(of: .forcedOnly) == true)
      }
    }
    var edit = try MovieEdit(of: TestMovie.talk.source)
    try edit.setContainsOnlyForcedSubtitles(true, of: 4)
    try edit.setContainsOnlyForcedSubtitles(false, of: 4)
    #expect(!edit.changesTracks)
    #expect(throws: MovieError.self) { try edit.setRole(.forced, of: 2) }
    let other = TestMovie.talk.with { $0.tracks[3] = TestTrack(.text, id: 4) }
    var text = try MovieEdit(of: other.source)
    #expect { try text.setRole(.forced, of: 4) } throws: { isMovieError($0, .unsupported) }
    #expect(!text.changesTracks)
  }

  @Test func writesAndRemovesRolesAsKindInMP4Files() throws {
    let movie = TestMovie.talk.with { $0.dialect = .iso }
    var edit = try MovieEdit(of: movie.source)
    for (role, kinds) in [
      (TrackRole.forced, ["forced-subtitle"]), (.easyToRead, ["easyreader"]), (.sdh, ["caption"]), (.regular, []),
    ] {
      try edit.setRole(role, of: 4)
      #expect(edit.track[4]?.labels.roles.sorted() == kinds, "\(role)")
    }
    #expect(!edit.changesTracks)
    let allowed = allowed(4, "mdia/minf/stbl/stsd", "udta", "udta/kind")
    for new in try edited(movie, allowing: allowed, { try $0.setRole(.forced, of: 4) }) {
      #expect(new.track(4)?.kinds.map(\.value) == ["forced-subtitle"])
    }
    // If the track is already forced, linking by language adds `kind`, but not in a QuickTime file.
    for (dialect, kinds) in [(TestMovie.Dialect.iso, ["forced-subtitle"]), (.quickTime, [])] {
      var other = try MovieEdit(of: TestMovie.talk.with { $0.dialect = dialect }.source)
      let id = try other.addSubtitles("en", isForced: true)
      try other.linkByLanguage()
      #expect(other.track[id]?.labels.roles.sorted() == kinds)
    }
  }

  @Test func assignsEveryRoleToNewTracks() throws {
    let source = TestMovie.talk.source
    for role in [TrackRole.forced, .sdh, .easyToRead, .commentary, .regular] {
      var edit = try MovieEdit(of: source)
      let id = try edit.addSubtitles("en")
      try edit.setRole(.forced, of: id)
      try edit.setRole(role, of: id)
      try edit.setAlternateGroup(7, of: id)
      try edit.setExcludedFromAutomaticSelection(true, of: id)
      let new = try Movie(of: MemorySource(Bytes(edit.outputPlan(of: source).rendered(from: source))))
      let track = try #require(new.track(id))
      #expect(track.containsOnlyForcedSubtitles == (role == .forced), "\(role)")
      #expect(track.taggedCharacteristics == role.characteristics && track.alternateGroup == 7, "\(role)")
      #expect(track.isExcludedFromAutomaticSelection, "\(role)")
    }
    // A new pair, whichever track is marked as forced first.
    var edit = try MovieEdit(of: source)
    let (regular, forced) = (try edit.addSubtitles("de"), try edit.addSubtitles("de"))
    #expect { try edit.link(regular, to: forced, .forcedSubtitlesOnly) } throws: { isMovieError($0, .invalidEdit) }
    try edit.setContainsOnlyForcedSubtitles(true, of: forced)
    try edit.link(regular, to: forced, .forcedSubtitlesOnly)
    let new = try Movie(of: MemorySource(Bytes(edit.outputPlan(of: source).rendered(from: source))))
    #expect(new.track(regular)?.referenced("forc") == [forced])
  }

  @Test func marksATrackOfForcedCuesAsForced() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let cue = Cue(startMilliseconds: 0, endMilliseconds: 500, text: StyledText("Yes"), isForced: true)
    let id = try edit.add(SubtitleInput(cues: [cue]))
    try edit.setContainsOnlyForcedSubtitles(true, of: id)
    #expect { try edit.setContainsOnlyForcedSubtitles(false, of: id) } throws: { isMovieError($0, .invalidEdit) }
  }

  @Test func reportsReplacedTitlesInOtherLanguages() throws {
    let titles = try [("Dialogues", "fr"), ("Diálogos", "es")].flatMap { title, language in
      let code = LanguageCode.packed(for: try #require(LanguageTag(language)))
      return LocalizedTrackName(title, languageCode: code).atom("tnam")
    }
    let movie = TestMovie.talk.with { $0.tracks[3].userData = titles }
    var edit = try MovieEdit(of: movie.source)
    try edit.setTitle("Dialog", of: 4)
    try edit.setTitle("Dialogue", of: 4)
    #expect(edit.notices.map(\.kind) == [.titlesReplaced] && edit.notices.first?.isWarning == true)
    #expect(edit.notices.first?.message.hasSuffix("in other languages: \"Diálogos\" (es)") == true)
    // A single language, or none: nothing else is lost.
    var other = try MovieEdit(of: TestMovie.talk.source)
    try other.setTitle("A", of: 4)
    #expect(other.notices.isEmpty)
  }

  @Test func warnsOfATagForAnotherKindOfMedia() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    try edit.addCharacteristics([.describesVideo, .originalContent, MediaCharacteristic(rawValue: "org.x")], to: 2)
    try edit.addCharacteristics([.easyToRead], to: 4)
    #expect(edit.notices.isEmpty)
    try edit.addCharacteristics([.easyToRead], to: 1)
    try edit.addCharacteristics([.describesVideo], to: 4)
    #expect(edit.notices.map(\.kind) == [.unfitCharacteristic, .unfitCharacteristic])
    #expect(edit.notices.map(\.trackID) == [1, 4] && edit.notices.allSatisfy(\.isWarning))
    #expect(
      edit.notices.first?.message.hasPrefix("public.easy-to-read is intended for legible tracks, but track 1 is video")
        == true)
  }

  @Test func changesNothingForEqualLabels() throws {
    let source = TestMovie.talk.source
    var edit = try MovieEdit(of: source)
    try edit.setLanguage(edit.tracks[3].language, of: 4)
    try edit.setTitle(edit.tracks[3].title, of: 4)
    try edit.addCharacteristics(edit.tracks[3].taggedCharacteristics, to: 4)
    #expect(!edit.changesTracks && edit.isEmpty)
  }

  @Test func combinesEdits() throws {
    let source = TestMovie.talk.source
    var edit = try MovieEdit(of: source)
    let id = try edit.addSubtitles("en")
    try edit.setLanguage(LanguageTag("pt-BR"), of: id)
    try edit.setTitle("Novo", of: id)
    try edit.setRole(.sdh, of: id)
    try edit.setLanguage(LanguageTag("de"), of: 4)
    try edit.makeDefault(id)
    let new = try Movie(of: MemorySource(Bytes(edit.outputPlan(of: source).rendered(from: source))))
    let track = try #require(new.track(id))
    #expect(track.language == LanguageTag("pt-BR") && track.title == "Novo" && track.isSDH && track.isEnabled)
    #expect(new.track(4)?.language == LanguageTag("de") && new.track(4)?.isEnabled == false)
  }

  @Test func rejectsUnwritableLabelsWithoutChanges() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    #expect { try edit.setTitle("a\u{0}b", of: 4) } throws: { isMovieError($0, .invalidEdit) }
    #expect { try edit.setTitle("", of: 4) } throws: { isMovieError($0, .invalidEdit) }
    #expect { try edit.addCharacteristics([MediaCharacteristic(rawValue: "no dots")], to: 4) } throws: {
      isMovieError($0, .invalidEdit)
    }
    #expect { try edit.setLanguage(nil, of: 9) } throws: { isMovieError($0, .invalidEdit) }
    #expect(!edit.changesTracks)
    let twins = TestMovie.talk.with { $0.tracks[2].id = 2 }
    var other = try MovieEdit(of: twins.source)
    #expect { try other.setLanguage(LanguageTag("de"), of: 2) } throws: { isMovieError($0, .invalidEdit) }
  }

  @Test func leavesInvalidUserDataUnchanged() throws {
    // An item that declares more bytes than exist, and tags that are not text.
    for junk in [u32(99) + text("name") + text("x"), atom("tnam") { u8(1) } + atom("kind") { u8(9, 9) }] {
      let movie = TestMovie.talk.with { $0.tracks[3].userData = junk }
      let allowed = allowed(4, "udta/tagc", "udta/tnam", "udta/name")
      for new in try edited(
        movie, allowing: allowed,
        {
          try $0.addCharacteristics([.easyToRead], to: 4)
          try $0.setTitle("New", of: 4)
        })
      {
        #expect(new.track(4)?.taggedCharacteristics == [.easyToRead] && new.track(4)?.title == "New")
      }
    }
  }
}

/// The default track of a group.
struct TrackChoiceTests {
  @Test func disablesOtherMembersWhenEnablingOne() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    try edit.setEnabled(true, of: 3)
    #expect(edit.tracks.filter(\.isEnabled).map(\.id) == [1, 3, 4])
    #expect(edit.notices.map(\.kind) == [.disabled] && edit.notices.first?.trackID == 2)
    try edit.setEnabled(false, of: 3)
    #expect(edit.notices.contains { $0.isWarning })
    try edit.setEnabled(false, of: 4)
    #expect(edit.notices.count == 2)
  }

  @Test func doesNotReportATrackThatIsEnabledAgain() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    try edit.setEnabled(true, of: 3)
    try edit.setEnabled(true, of: 2)
    #expect(edit.notices.filter { $0.kind == .disabled }.map(\.trackID) == [3])
    try edit.setEnabled(false, of: 2)
    #expect(edit.notices.filter { $0.kind == .disabled }.map(\.trackID) == [3])
  }

  @Test func requiresOneKindAndOneDefaultInAGroup() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    #expect { try edit.setAlternateGroup(1, of: 4) } throws: { isMovieError($0, .invalidEdit) }
    #expect { try edit.setAlternateGroup(0x8000, of: 4) } throws: { isMovieError($0, .invalidEdit) }
    try edit.setAlternateGroup(0x7FFF, of: 4)
    #expect(edit.track[4]?.alternateGroup == 0x7FFF && edit.track[4]?.isEnabled == true)
    try edit.setAlternateGroup(0, of: 3)
    try edit.setEnabled(true, of: 3)
    #expect(edit.track[2]?.isEnabled == true)
    try edit.setAlternateGroup(1, of: 3)
    #expect(edit.track[3]?.isEnabled == false && edit.notices.last?.kind == .disabled)
  }

  @Test func setsTheDefaultWithinTheGroupOfItsMediaType() throws {
    let movie = TestMovie.talk.with {
      ($0.tracks[1].group, $0.tracks[2].group) = (0, 0)
      $0.tracks.append(TestTrack(.text, id: 5).with { $0.isEnabled = false })
      $0.tracks[0].references = [TestReference("chap", 5)]
    }
    var edit = try MovieEdit(of: movie.source)
    try edit.makeDefault(3)
    #expect(edit.track[3]?.isEnabled == true && edit.track[2]?.isEnabled == false)
    #expect(edit.track[3]?.alternateGroup != 0 && edit.track[3]?.alternateGroup == edit.track[2]?.alternateGroup)
    #expect { try edit.makeDefault(5) } throws: { isMovieError($0, .invalidEdit) }
  }
}
