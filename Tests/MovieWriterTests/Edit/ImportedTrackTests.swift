import SubtitleTestSupport
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Importing tracks of another movie.
struct ImportedTrackTests {
  @Test func importsEqualSamplesByEveryStrategy() throws {
    for movie in [TestMovie.simple, .talk, .torture] {
      for other in [TestMovie.dub, .torture.with { $0.tracks = $0.tracks.map { $0.with { $0.id += 40 } } }] {
        let trial = try ImportTrial(movie, other, taking: Array(other.tracks.indices))
        // Some tracks are longer than some movies.
        let changed = Set(trial.edit.notices.contains { $0.kind == .movieLengthened } ? ["moov/mvhd"] : [])
        try trial.check(trial.appended()) { $0.changedAtoms = changed }
        try trial.check(trial.remuxed()) { $0.changedAtoms = changed }
        try trial.check(trial.remuxed(OutputLayout(interleaving: .none))) { $0.changedAtoms = changed }
        try trial.check(trial.remuxed(OutputLayout(isFastStart: true))) {
          $0.changedAtoms = changed
          $0.movieMoved = true
        }
        try trial.check(trial.remuxed(OutputLayout(isFastStart: true, interleaving: .all, isCompact: true))) {
          $0.changedAtoms = changed
          $0.movieMoved = true
          $0.mediaDataRearranged = true
        }
      }
    }
  }

  @Test func importsIntoAFastStartMovieByBothStrategies() throws {
    let trial = try ImportTrial(.talk.with { $0.layout = .movieFirst }, .dub.with { $0.layout = .movieFirst })
    try trial.check(trial.remuxed())
    try trial.check(trial.appended(.afterMedia)) {
      $0.movieMoved = true
      $0.mediaDataRearranged = true
    }
  }

  @Test func copiesTablesExceptPositions() throws {
    let trial = try ImportTrial(.simple, .dub)
    let old = try SecondReader(trial.other.bytes.array)
    let new = try SecondReader(try trial.remuxed())
    let prefix = "moov/trak#\(trial.ids[0])"
    for atom in old.atoms where atom.path.hasPrefix("moov/trak#21/") && !atom.isContainer {
      let type = atom.type
      let path = prefix + atom.path.dropFirst("moov/trak#21".count)
      let other = try #require(new.atom(path), "\(path)")
      if ["tkhd", "elst", "stco"].contains(type) { continue }
      #expect(try old.bytes(of: atom) == new.bytes(of: other), "\(path)")
    }
    #expect(new.atoms.count { $0.path.hasPrefix(prefix) } == old.atoms.count { $0.path.hasPrefix("moov/trak#21") })
  }

  @Test func copiesOnlySamplesOfTheTrack() throws {
    let other = TestMovie.dub.with { $0.tracks.insert(TestTrack(.video, id: 20), at: 0) }
    let trial = try ImportTrial(.simple, other, taking: [1])
    let plain = try MovieEdit(of: trial.movie).outputPlan(of: trial.movie).byteCount
    let samples = TestMovie.dub.tracks[0].samples.reduce(0) { $0 + $1.byteCount }
    let trak = try #require(SecondReader(trial.remuxed()).atom("moov/trak#\(trial.ids[0])"))
    #expect(
      try trial.remuxed(OutputLayout(interleaving: .newSamples)).count == Int(plain) + samples + Int(trak.byteCount))
    try trial.check(trial.remuxed())
  }

  @Test func interleavesChunksByTime() throws {
    let trial = try ImportTrial(.torture, .dub)
    let reader = try SecondReader(try trial.remuxed())
    let video = try #require(reader.track(1)).samples
    let dub = try #require(reader.track(trial.ids[0])).samples
    // The last audio sample, at two seconds, precedes the picture at three seconds.
    let third = try #require(video.first { $0.decodeTime >= 3 * 12288 })
    #expect(try #require(dub.last).offset < third.offset)
    #expect(try #require(dub.last).offset > video[0].offset)
    let run = try SecondReader(try trial.remuxed(OutputLayout(interleaving: .none)))
    let offsets = try #require(run.track(trial.ids[0])).samples
    #expect(
      try #require(offsets.last).offset < #require(run.track(1)).samples[0].offset
        || #require(offsets.first).offset > #require(run.track(1)).samples.map(\.offset).max() ?? 0)
  }

  @Test func roundsTheEditListToMovieTicks() throws {
    let trial = try ImportTrial(.simple, .dub)  // 600 ticks per second, not 1000.
    let new = try Movie(of: MemorySource(Bytes(try trial.remuxed())))
    let track = try #require(new.track(trial.ids[0]))
    // 44 ms are 26.4 ticks; 1974 ms are 1184.4.
    #expect(track.editList?.entries.map(\.segmentDuration) == [26, 1158])
    #expect(track.editList?.entries.map(\.mediaTime) == [-1, 1024])
    #expect(track.header.duration == 1184)
    #expect(trial.edit.notices.contains { $0.kind == .timesRounded && !$0.isWarning && $0.trackID == trial.ids[0] })
    #expect(new.header.timeScale == 600 && new.header.duration == 1200)
    let exact = try ImportTrial(.simple.with { $0.timeScale = 3000 }, .dub)
    #expect(!exact.edit.notices.contains { $0.kind == .timesRounded })
  }

  @Test func warnsOfAnEditShorterThanATick() throws {
    let other = TestMovie.dub.with {
      $0.timeScale = 48000
      $0.tracks[0].edits = [TestEdit(duration: 39, mediaTime: -1), TestEdit(duration: 90000, mediaTime: 0)]
    }
    let trial = try ImportTrial(.simple, other)
    #expect(trial.edit.notices.contains { $0.kind == .timesRounded && $0.isWarning })
    let longer = try ImportTrial(.simple, other.with { $0.tracks[0].edits[0].duration = 40 })
    #expect(!longer.edit.notices.contains { $0.kind == .timesRounded && $0.isWarning })
    try longer.check(longer.appended())
  }

  /// A last sample without a duration lasts until the end of the movie, so a copy in a longer movie lasts longer.
  @Test func notesALastSampleWithoutADuration() throws {
    let keys = [TestMetadataKey(1, "com.example.note", type: 1)]
    func other(_ duration: Int, edits: [TestEdit] = []) -> TestMovie {
      TestMovie(tracks: [
        TestTrack.boxed(id: 1, keys, [atom(numbered: 1) { text("a") }, atom(numbered: 1) { text("b") }]).with {
          $0.samples[1].duration = duration
          $0.edits = edits
        }, TestTrack(.video, id: 2).with { $0.samples = [TestSample(8, duration: 900)] },
      ])
    }
    let trial = try ImportTrial(.talk, other(0))
    let notices = trial.edit.notices.filter { $0.kind == .timedMetadata }
    #expect(notices.count == 1 && notices[0].trackID == trial.ids[0] && !notices[0].isWarning, "\(notices)")
    #expect(notices[0].message.contains("lasts until the end of the movie at 2.000 s instead of 1.500 s"), "\(notices)")
    for ended in [other(500), other(0, edits: [TestEdit(duration: 900, mediaTime: 0)])] {
      #expect(try ImportTrial(.talk, ended).edit.notices.allSatisfy { $0.kind != .timedMetadata })
    }
  }

  /// The notice about the last sample contains the end of the edited movie, which an added track may extend.
  @Test func notesALastSampleInALongerMovie() throws {
    let keys = [TestMetadataKey(1, "com.example.note", type: 1)]
    func other(videoTicks: Int) -> TestMovie {
      TestMovie(tracks: [
        TestTrack.boxed(id: 1, keys, ["a", "b", "c", "d"].map { value in atom(numbered: 1) { text(value) } }).with {
          $0.samples[3].duration = 0
        }, TestTrack(.video, id: 2).with { $0.samples = [TestSample(8, duration: videoTicks)] },
      ])
    }
    func notices(_ other: TestMovie, taking places: [Int]) throws -> [String] {
      try ImportTrial(.talk, other, taking: places).edit.notices.filter { $0.kind == .timedMetadata }.map(\.message)
    }
    // The copy makes the movie as long as its original movie.
    #expect(try notices(other(videoTicks: 900), taking: [0]) == [])
    let ends = try notices(other(videoTicks: 2_400), taking: [0])
    #expect(ends.count == 1 && ends[0].contains("at 3.000 s instead of 4.000 s"), "\(ends)")
    // The video is added too.
    #expect(try notices(other(videoTicks: 2_400), taking: [0, 1]) == [])
  }

  @Test func extendsTheMovieToItsLongestTrack() throws {
    let other = TestMovie.dub.with { $0.tracks[0].edits = [TestEdit(duration: 2500, mediaTime: 0)] }
    let trial = try ImportTrial(.simple, other)
    for bytes in [try trial.appended(), try trial.remuxed()] {
      #expect(try Movie(of: MemorySource(Bytes(bytes))).header.duration == 1500)
      try trial.check(bytes) { $0.changedAtoms = ["moov/mvhd"] }
    }
    #expect(trial.edit.notices.contains { $0.kind == .movieLengthened && $0.isWarning })
    // Only a track that is at least half a second longer may belong to another film.
    let slightly = try ImportTrial(.simple, other.with { $0.tracks[0].edits[0].duration = 2400 })
    #expect(slightly.edit.notices.contains { $0.kind == .movieLengthened && !$0.isWarning })
    let even = try ImportTrial(.simple, other.with { $0.tracks[0].edits[0].duration = 2000 })
    #expect(!even.edit.notices.contains { $0.kind == .movieLengthened })
    try even.check(even.appended())
    // The duration of this movie is unknown.
    let unknown = try ImportTrial(.simple.with { $0.duration = 0 }, other)
    #expect(try Movie(of: MemorySource(Bytes(unknown.remuxed()))).header.duration == 0)
  }

  @Test func writesLanguageTitleAndTags() throws {
    for dialect in [TestMovie.Dialect.quickTime, .iso] {
      let other = TestMovie.dub.with {
        $0.dialect = dialect
        $0.tracks[0].extendedLanguage = "fr-FR"
        $0.tracks[0].userData = atom("name") { text("old") } + atom("tagc") { text("com.example.mine") } + zeros(4)
      }
      let trial = try ImportTrial(.simple.with { $0.dialect = dialect }, other) {
        #expect($0.title == "old" && $0.language?.description == "fr-FR")
        $0.language = LanguageTag("pt-BR")
        $0.title = "Dublado"
        $0.mediaCharacteristics += [.dubbedTranslation, .translation, .dubbedTranslation]
      }
      for bytes in [try trial.appended(), try trial.remuxed()] {
        let movie = try Movie(of: MemorySource(Bytes(bytes)))
        let track = try #require(movie.track(trial.ids[0]))
        #expect(track.language?.description == "pt-BR" && track.title == "Dublado")
        #expect(LanguageCode.letters(packed: track.mediaHeader.languageCode) == "por")
        #expect(
          track.taggedCharacteristics.map(\.rawValue) == [
            "com.example.mine", "public.translation.dubbed", "public.translation",
          ])
        #expect(track.kinds.map(\.value) == (dialect == .iso ? ["dub"] : []))
        let reader = try SecondReader(bytes)
        let udta = try #require(reader.atom("moov/trak#\(trial.ids[0])/udta"))
        #expect(
          udta.children.map(\.type)
            == (dialect == .iso ? ["titl"] : []) + ["name", "tagc", "tnam", "tagc", "tagc"]
            + (dialect == .iso ? ["kind"] : []))
        #expect(try reader.bytes(of: udta).suffix(4) == [0, 0, 0, 0])
        try trial.check(bytes)
      }
    }
  }

  @Test func removesClearedLabels() throws {
    let other = TestMovie.dub.with {
      $0.dialect = .iso
      $0.tracks[0].extendedLanguage = "fr-FR"
      $0.tracks[0].userData =
        atom("name") { text("old") } + atom("tagc") { text(MediaCharacteristic.describesVideo.rawValue) }
        + fullAtom("kind") { cString("urn:mpeg:dash:role:2011") + cString("description") }
        + fullAtom("kind") { cString("urn:mpeg:dash:role:2011") + cString("main") }
    }
    let trial = try ImportTrial(.simple, other) {
      $0.language = nil
      $0.title = nil
      $0.mediaCharacteristics = []
    }
    let movie = try Movie(of: MemorySource(Bytes(try trial.remuxed())))
    let track = try #require(movie.track(trial.ids[0]))
    #expect(track.language == nil && track.title == nil && track.taggedCharacteristics.isEmpty)
    #expect(track.kinds.map(\.value) == ["main"])
  }

  @Test func excludesACommentaryFromAutomaticSelection() throws {
    let trial = try ImportTrial(.simple.with { $0.dialect = .iso }, .dub.with { $0.dialect = .iso }) {
      $0.mediaCharacteristics.append(.auxiliaryContent)
    }
    let reader = try SecondReader(try trial.remuxed())
    let trak = try #require(reader.atom("moov/trak#\(trial.ids[0])"))
    #expect(trak.children.map(\.type) == ["tkhd", "txas", "edts", "mdia", "udta"])
    let movie = try Movie(of: MemorySource(Bytes(try trial.remuxed())))
    #expect(movie.track(trial.ids[0])?.kinds.map(\.value) == ["commentary"])
  }

  @Test func rejectsAMalformedTag() throws {
    #expect {
      try ImportTrial(.simple, .dub) { $0.mediaCharacteristics.append(MediaCharacteristic(rawValue: "dub")) }
    } throws: {
      isMovieError($0, .invalidEdit)
    }
  }

  @Test func keepsReferencesAmongImportedTracks() throws {
    let other = TestMovie(tracks: [
      TestTrack(.sound, id: 21).with {
        $0.references = [TestReference("fall", 22), TestReference("folw", 23)]
      },
      TestTrack(.sound, id: 22), TestTrack(.subtitle, id: 23),
    ])
    let trial = try ImportTrial(.simple, other, taking: [0, 1])
    #expect(trial.ids == [3, 4])
    for bytes in [try trial.appended(), try trial.remuxed()] {
      let track = try #require(SecondReader(bytes).track(3))
      #expect(track.references.map(\.type) == ["fall"] && track.references("fall") == [4])
    }
    let dropped = trial.edit.notices.filter { $0.kind == .association }
    #expect(dropped.count == 1 && dropped[0].message.contains("folw") && dropped[0].message.contains("23"))
  }

  @Test func importsTracksOfSeveralMovies() throws {
    let movie = TestMovie.simple.source
    let dub = TestMovie.dub.source
    let subtitles = TestMovie.talk.source
    var edit = try MovieEdit(of: movie)
    let first = try edit.add([TrackInput(Movie(of: dub).tracks[0])], of: Movie(of: dub))
    let own = try edit.addSubtitles("en")
    let second = try edit.add([TrackInput(Movie(of: subtitles).tracks[3])], of: Movie(of: subtitles))
    #expect([first[0], own, second[0]] == [3, 4, 5])
    let source = try JoinedSource([movie, dub, subtitles])
    for plan in [
      try edit.inPlacePlan(of: source).rendered(), try edit.outputPlan(of: source),
      try edit.outputPlan(of: source, OutputLayout(interleaving: .none)),
    ] {
      let new = try SecondReader(plan.rendered(from: source))
      let olds = [try SecondReader(dub.bytes.array), try SecondReader(subtitles.bytes.array)]
      try expectSameSamples(#require(olds[0].track(21)), olds[0], #require(new.track(3)), new)
      try expectSameSamples(#require(olds[1].track(4)), olds[1], #require(new.track(5)), new)
      #expect(
        try differences(old: SecondReader(movie.bytes.array), new: new, allowing: .adding(3, 4, 5)).isEmpty)
    }
    // In another order, the sources do not match the plan.
    let wrong = try JoinedSource([movie, subtitles, dub])
    #expect { try edit.outputPlan(of: wrong) } throws: { isMovieError($0, .sourceChanged) }
    #expect { try edit.inPlacePlan(of: movie) } throws: { isMovieError($0, .invalidEdit) }
  }

  @Test func duplicatesATrackOfTheMovie() throws {
    let movie = TestMovie.simple.source
    var edit = try MovieEdit(of: movie)
    let ids = try edit.add([TrackInput(edit.movie.tracks[1])], of: edit.movie)
    let source = try JoinedSource([movie, movie])
    let new = try SecondReader(try edit.inPlacePlan(of: source).rendered().rendered(from: source))
    try expectSameSamples(#require(new.track(2)), new, #require(new.track(ids[0])), new)
  }

  @Test func copiesSharedBytesOnce() throws {
    // The second chunk begins in the middle of the first.
    var bytes = TestMovie.dub.bytes()
    let stco = try #require(SecondReader(bytes).atom("moov/trak#21/mdia/minf/stbl/stco"))
    let place = Int(stco.offset) + 16
    let first = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    bytes.replaceSubrange(place + 4..<place + 8, with: u32(first + 30))
    let (movie, other) = (TestMovie.simple.source, MemorySource(Bytes(bytes)))
    var edit = try MovieEdit(of: movie)
    let ids = try edit.add([TrackInput(Movie(of: other).tracks[0])], of: Movie(of: other))
    let source = try JoinedSource([movie, other])
    for plan in [try edit.inPlacePlan(of: source).rendered(), try edit.outputPlan(of: source)] {
      let (old, new) = (try SecondReader(bytes), try SecondReader(plan.rendered(from: source)))
      try expectSameSamples(#require(old.track(21)), old, #require(new.track(ids[0])), new)
    }
  }

  @Test func importsAuxiliaryInformation() throws {
    let other = TestMovie.dub.with { $0.tracks[0].auxiliaryByteCount = 3 }
    let trial = try ImportTrial(.simple, other)
    func information(_ reader: SecondReader, _ id: UInt32) throws -> [UInt8] {
      let saio = try reader.content(of: #require(reader.atom("moov/trak#\(id)/mdia/minf/stbl/saio")))
      let position = saio.suffix(4).reduce(0) { $0 << 8 | UInt64($1) }
      return try reader.store.read(position, 3 * 93)
    }
    let expected = try information(SecondReader(trial.other.bytes.array), 21)
    for bytes in [try trial.appended(), try trial.remuxed(), try trial.remuxed(OutputLayout(interleaving: .none))] {
      #expect(try information(SecondReader(bytes), trial.ids[0]) == expected)
    }
  }

  @Test func keepsAPositionOfNoAuxiliaryBytes() throws {
    let tables = TestSupport.movie {
      fullAtom("saiz") { u8(0) + u32(2) + u8(0, 0) }
      fullAtom("saio") { u32(1, 10) }
    }
    let trial = try ImportTrial(.simple, .dub.with { $0.tracks[0].sampleTableAtoms = tables })
    for bytes in [try trial.appended(), try trial.remuxed()] {
      let reader = try SecondReader(bytes)
      let saio = try #require(reader.atom("moov/trak#\(trial.ids[0])/mdia/minf/stbl/saio"))
      #expect(try reader.content(of: saio) == movieContent { u32(0, 1, 10) })
    }
  }

  @Test func keeps64BitTables() throws {
    let trial = try ImportTrial(.simple, .dub.with { $0.tracks[0].usesLongOffsets = true })
    let new = try SecondReader(trial.remuxed())
    #expect(new.atom("moov/trak#\(trial.ids[0])/mdia/minf/stbl/co64") != nil)
    try trial.check(trial.remuxed())
  }

  @Test func readsACompressedMovieAtomOfTheOtherMovie() throws {
    let trial = try ImportTrial(.simple, .dub.with { $0.hasCompressedMovieAtom = true })
    let new = try SecondReader(trial.remuxed())
    let old = try SecondReader(TestMovie.dub.bytes())
    #expect(new.track(trial.ids[0])?.samples.count == old.tracks[0].samples.count)
    for (one, other) in zip(old.tracks[0].samples, try #require(new.track(trial.ids[0])).samples) {
      #expect(try old.bytes(of: one) == new.bytes(of: other))
    }
  }

  // MARK: - Refusals

  private func expectRefusal(
    _ other: TestMovie, _ code: MovieError.Code, _ words: String, at location: SourceLocation = #_sourceLocation
  ) {
    #expect(sourceLocation: location) {
      try ImportTrial(.simple, other)
    } throws: { error in
      guard let error = error as? MovieError else { return false }
      return error.code == code && error.description.contains(words)
    }
  }

  @Test func rejectsTracksThatCannotBeImported() throws {
    expectRefusal(
      .dub.with { $0.tracks[0].externalOffsets = Array(repeating: 9, count: 13) }, .unsupported, "dinf/dref")
    expectRefusal(.dub.with { $0.tracks[0].item = text("item") }, .unsupported, "meta/iloc")
    let table = movieContent { atom("stbl") { fullAtom("saio") { u32(1, 16) } } }
    expectRefusal(.dub.with { $0.tracks[0].mediaInformationAtoms = table }, .unsupported, "more than one sample table")
    let dub = try Movie(of: TestMovie.dub.source)
    var edit = try MovieEdit(of: TestMovie.simple.source)
    #expect { try edit.add([TrackInput(edit.movie.tracks[0])], of: dub) } throws: {
      isMovieError($0, .invalidEdit)
    }
    #expect(edit.isEmpty && edit.otherSources.isEmpty)
  }

  @Test func importsTracksOfFragmentedMovies() throws {
    let sound: [TestSample] = .varied(8, around: 9, duration: 480)
    // Encryption information in the fragment is copied, the rest of the fragment is not.
    let encryption = movieContent {
      fullAtom("saiz") { u8(8) + u32(8) }
      fullAtom("saio") { u32(1, 16) }
      fullAtom("sgpd", version: 1) { code("roll") + u32(2, 1) + u16(7) }
      fullAtom("sbgp") { code("roll") + u32(1, 3, 0x1_0001) }
    }
    func part(_ time: UInt64?) -> TestFragment {
      TestFragment([.init(id: 21, decodeTime: time, runs: [.init(sound)]).with { $0.atoms = encryption }])
    }
    let fragmented = TestMovie.dub.initial.bytes(fragments: [part(960), part(nil), part(20_000)])
    let hybrid = TestMovie.dub.with { $0.layout = .movieFirst }.bytes(fragments: [part(nil)])
    for other in [fragmented, hybrid, TestMovie.dub.with { $0.movieAtoms = atom("mvex") }.bytes()] {
      let trial = try ImportTrial(.simple, other)
      try trial.check(trial.appended()) { $0.mediaDataRearranged = true }  // Encryption information comes along.
      for layout in [
        OutputLayout(), OutputLayout(isFastStart: true), OutputLayout(interleaving: .all, isCompact: true),
      ] {
        try trial.check(trial.remuxed(layout)) {
          $0.movieMoved = true
          $0.mediaDataRearranged = true
        }
      }
    }
    // The edit list equals the edit list of the movie without fragments.
    let trial = try ImportTrial(.simple, fragmented)
    let list = try Movie(of: MemorySource(Bytes(trial.remuxed()))).tracks.last?.editList
    #expect(list?.entries.map(\.mediaTime) == [-1, 64])
  }

  @Test func requiresTheSourceOfFragmentedMovies() throws {
    let other = TestMovie.dub.with { $0.movieAtoms = atom("mvex") {} }.source
    var edit = try MovieEdit(of: TestMovie.simple.source)
    let movie = try Movie(of: other)
    #expect { try edit.add([TrackInput(movie.tracks[0])], of: movie) } throws: { isMovieError($0, .unsupported) }
    let strange = try Movie(of: TestMovie.simple.source).tracks[1]
    #expect {
      try edit.add([TrackInput(strange)], of: movie, from: other)
    } throws: {
      isMovieError($0, .invalidEdit)
    }
    #expect(edit.isEmpty && edit.otherSources.isEmpty)
    let initial = TestMovie.dub.initial.with { $0.movieAtoms = atom("mvex") {} }.source
    #expect {
      let movie = try Movie(of: initial)
      return try edit.add([TrackInput(movie.tracks[0])], of: movie, from: initial)
    } throws: {
      isMovieError($0, .unsupported)
    }
  }

  @Test func warnsOfQuickTimeAudioInAnMP4File() throws {
    func warns(_ movie: TestMovie.Dialect, _ other: TestMovie.Dialect, _ format: String) throws -> Bool {
      let dub = TestMovie.dub.with {
        $0.dialect = other
        $0.tracks[0].sampleEntries = [SampleEntry.sound(format, rate: 48000)]
      }
      let trial = try ImportTrial(.simple.with { $0.dialect = movie }, dub)
      return trial.edit.notices.contains { $0.kind == .foreignFormat && $0.isWarning }
    }
    #expect(try warns(.iso, .quickTime, "sowt"))
    #expect(try !warns(.iso, .quickTime, "mp4a"))
    #expect(try !warns(.quickTime, .quickTime, "sowt"))
    #expect(try !warns(.quickTime, .iso, "mp4a"))
  }
}
