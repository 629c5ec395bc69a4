import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Converting movies to another type.
struct ConversionTests {
  private func isISO(_ trial: ConversionTrial) -> Bool { !trial.movie.isQuickTime }

  // MARK: - To MP4

  @Test func convertsAQuickTimeMovieToMP4() throws {
    let trial = try ConversionTrial(.film(), to: .mp4)
    try trial.expectSameMedia()
    #expect(try trial.new.content(of: #require(trial.new.topLevel.first)).starts(with: text("mp42")))
    #expect(trial.movie.type == .mp4)
    #expect(trial.new.topLevel.allSatisfy { $0.type != "wide" })
    for track in trial.movie.tracks {
      #expect(track.handler?.componentType == FourCC(rawValue: 0))
      #expect(track.dataReferences?.entries.map(\.type) == ["url "])
      #expect(trial.movie.tree.descendant(of: track.atom, "mdia", "minf", "hdlr") == nil)
    }
    // Languages are codes of letters, with a tag for what these cannot express.
    #expect(trial.new.tracks.map(\.language) == ["zho", "deu"])
    #expect(trial.new.tracks.map(\.extendedLanguage) == ["zh-Hant", nil])
    #expect(trial.movie.tracks.map { $0.language?.description } == ["zh-Hant", "de"])
  }

  @Test func convertsColorDescriptions() throws {
    let trial = try ConversionTrial(.film(), to: .mp4)
    let video = try VideoDescription(body: trial.movie.tracks[0].sampleDescriptions.entries[0].body)
    let atoms = SampleEntryAtoms(video.tail)
    #expect(atoms["colr"]?.array == text("nclx") + u16(1, 1, 6) + [0])
    #expect(atoms["gama"] == nil && atoms.rest.isEmpty)
    #expect(trial.messages(.leftOut).contains { $0.contains("gama") })
  }

  /// HandBrake's issue 1555: ffmpeg plays no audio of version 1 with `wave` in a file with ISO brands.
  @Test(arguments: [MovieType.mp4, .m4v, .m4a])
  func removesWaveFromAudioDescriptions(_ type: MovieType) throws {
    let trial = try ConversionTrial(.film(), to: type) { edit in
      if type == .m4a { try edit.remove(1) }
    }
    let track = try #require(trial.movie.track(2))
    let sound = try SoundDescription(body: track.sampleDescriptions.entries[0].body)
    #expect(sound.version == 0 && sound.channelCount == 2 && sound.sampleRate == 48_000)
    let atoms = SampleEntryAtoms(sound.tail)
    #expect(atoms.atoms.map(\.type) == ["esds"])
    #expect(atoms["esds"]?.array == ElementaryStreamBytes.aac)
  }

  @Test func correctsQuickTimeAudioDescriptionsInISOFiles() throws {
    let trial = try ConversionTrial(.film(.iso, brands: ["isom", "mp42"]), to: .mp4)
    let sound = try SoundDescription(body: trial.movie.tracks[1].sampleDescriptions.entries[0].body)
    #expect(sound.version == 0 && SampleEntryAtoms(sound.tail)["esds"] != nil)
  }

  @Test(
    arguments: [
      ("sowt", 16, "ipcm", [1, 16]), ("twos", 16, "ipcm", [0, 16]), ("in24", 16, "ipcm", [0, 24]),
      ("fl32", 16, "fpcm", [0, 32]),
    ] as [(String, Int, String, [UInt8])])
  func renamesUncompressedAudio(
    _ format: String, _ bits: Int, _ name: String, _ configuration: [UInt8]
  ) throws {
    let width = Int(configuration[1]) / 8
    let movie = TestMovie(tracks: [
      TestTrack(.sound, id: 1).with { track in
        // 500 packets of one sample each, with a declared size of 1 byte.
        track.samples = (0..<500).map {
          TestSample(content: [UInt8](repeating: UInt8($0 & 0xFF), count: width), duration: 1)
        }
        track.samplesPerPacket = 1
        track.chunking = [100]
        track.sampleEntries = [SampleEntry.sound(format, bits: bits, rate: 8000)]
      }
    ])
    let trial = try ConversionTrial(movie, to: .mp4)
    let track = trial.movie.tracks[0]
    #expect(track.formats == [try #require(FourCC(name))])
    let sound = try SoundDescription(body: track.sampleDescriptions.entries[0].body)
    #expect(SampleEntryAtoms(sound.tail)["pcmC"]?.array == [0, 0, 0, 0] + configuration)
    #expect(track.samples.sampleSizes.layout == .uniform(UInt32(width)))
    try trial.expectSameMedia()
    // The name is the same after the conversion back.
    let back = try ConversionTrial(trial.bytes, to: .quickTime)
    #expect(back.movie.tracks[0].formats == [try #require(FourCC(format))])
    try back.expectSameMedia()
  }

  /// Sample rates above 16 bits are stored in `srat`. Readers that do not know it use the time scale.
  @Test(arguments: [88_200, 96_000, 192_000]) func keepsHighSampleRates(_ rate: Int) throws {
    let fields = u64(Double(rate).bitPattern) + u32(2, 0x7F00_0000, 24, 0xC, 6, 1)
    let movie = TestMovie(tracks: [
      TestTrack(.sound, id: 1).with { track in
        track.timeScale = rate
        track.samples = (0..<40).map { TestSample(content: [UInt8](repeating: UInt8($0), count: 6), duration: 1) }
        track.sampleEntries = [
          atom("lpcm") {
            u16(0, 0, 0, 1, 2, 0) + u32(0) + u16(3, 16, 0xFFFE, 0) + u32(0x1_0000, 72)
            fields
          }
        ]
      }
    ])
    let trial = try ConversionTrial(movie, to: .mp4)
    try trial.expectSameMedia()
    let sound = try SoundDescription(body: trial.movie.tracks[0].sampleDescriptions.entries[0].body)
    #expect(sound.version == 1 && sound.storedSampleRate == 0)
    #expect(SampleEntryAtoms(sound.tail)["srat"]?.array == u32(0, rate))
    #expect(TrackDetails(trial.movie.tracks[0], in: trial.movie).sampleRate == UInt32(rate))
    #expect(trial.notices.contains { $0.isWarning && $0.message.contains("\(rate) samples a second") })
    let back = try ConversionTrial(trial.bytes, to: .quickTime)
    #expect(back.movie.tracks[0].formats == ["lpcm"])
    #expect(TrackDetails(back.movie.tracks[0], in: back.movie).sampleRate == UInt32(rate))
  }

  /// Some writers store the lower half of a rate that does not fit.
  @Test func restoresTruncatedRatesFromTheTimeScale() throws {
    let movie = TestMovie(tracks: [
      TestTrack(.sound, id: 1).with { track in
        track.timeScale = 96_000
        track.sampleEntries = [
          atom("alac") {
            u16(0, 0, 0, 1, 0, 0, 0, 0, 2, 16, 0, 0) + u32(30_464 << 16)
            fullAtom("alac") { zeros(24) }
          }
        ]
      }
    ]).with { $0.dialect = .iso }
    #expect(TrackDetails(try Movie(of: movie.source).tracks[0], in: try Movie(of: movie.source)).sampleRate == 96_000)
    let trial = try ConversionTrial(movie, to: .quickTime)
    try trial.expectSameMedia()
    let sound = try SoundDescription(body: trial.movie.tracks[0].sampleDescriptions.entries[0].body)
    #expect(sound.version == 2 && sound.sampleRate == 96_000)
  }

  @Test func writesNegativeCompositionOffsetsInVersion1() throws {
    let movie = TestMovie(tracks: [
      TestTrack(.video, id: 1).with { track in
        for index in track.samples.indices { track.samples[index].compositionOffset = index % 2 == 0 ? -50 : 50 }
      }
    ])
    let trial = try ConversionTrial(movie, to: .mp4)
    try trial.expectSameMedia()
    let ctts = try #require(trial.new.atoms.first { $0.type == "ctts" })
    #expect(try trial.new.content(of: ctts).first == 1)
    let back = try ConversionTrial(trial.bytes, to: .quickTime)
    let old = try #require(back.new.atoms.first { $0.type == "ctts" })
    #expect(try back.new.content(of: old).first == 0)
  }

  @Test func convertsPartialSyncSamplesAndBack() throws {
    let movie = TestMovie(tracks: [
      TestTrack(.video, id: 1).with { track in
        for index in track.samples.indices { track.samples[index].isSync = index == 0 }
        track.sampleTableAtoms = atom("stps") { u32(0, 3, 5, 6, 20) }
      }
    ])
    let trial = try ConversionTrial(movie, to: .mp4)
    #expect(!trial.new.atoms.contains { $0.type == "stps" })
    let sbgp = try #require(trial.new.atoms.first { $0.type == "sbgp" })
    #expect(try trial.new.content(of: sbgp) == u32(0) + text("rap ") + u32(4, 4, 0, 2, 1, 13, 0, 1, 1))
    let back = try ConversionTrial(trial.bytes, to: .quickTime)
    let stps = try #require(back.new.atoms.first { $0.type == "stps" })
    #expect(try back.new.content(of: stps) == u32(0, 3, 5, 6, 20))
  }

  @Test func listsUnsupportedContents() throws {
    let movie = TestMovie.film().with {
      $0.tracks[0].atomsAfterHeader = atom("load") { u32(0, 0, 1, 0) }
      $0.movieAtoms = atom("ctab") { zeros(16) }
      $0.layout = [.fileType, .bytes(atom("pnot") { zeros(12) }), .wide, .media(.ordinary), .movie(.ordinary)]
    }
    let trial = try ConversionTrial(movie, to: .mp4)
    let messages = trial.messages(.leftOut)
    for what in ["load", "ctab", "pnot"] {
      #expect(messages.count { $0.contains("(\(what)") } == 1, "\(messages)")
      #expect(!trial.new.atoms.contains { $0.type == what })
    }
    #expect(trial.notices.filter { $0.kind == .leftOut }.allSatisfy { $0.isWarning })
  }

  /// The flag has another meaning in ISO files, and the other fields must be zero there.
  @Test func clearsAndListsQuickTimeFields() throws {
    let movie = TestMovie.film().with {
      ($0.tracks[0].otherFlags, $0.tracks[1].otherFlags) = (0xE, 0xE)
      $0.tracks[0].sampleEntries?[0].replaceSubrange(20..<32, with: text("appl") + u32(512, 512))
    }
    func messages(_ trial: ConversionTrial) -> [String] {
      trial.notices.filter {
        !$0.isWarning && $0.kind == .converted && $0.message.hasPrefix("these fields were cleared, ")
      }.map(
        \.message)
    }
    let trial = try ConversionTrial(movie, to: .mp4)
    #expect(
      messages(trial) == [
        "these fields were cleared, because an MP4 file uses them differently or not at all: vendor, quality of the compressor (stsd) of track 1; "
          + "poster flag (tkhd) of tracks 1, 2"
      ])
    #expect(trial.movie.tracks.map(\.header.flags) == [7, 7])
    let sound = try ConversionTrial(movie, to: .m4a) { try $0.remove(1) }
    #expect(messages(sound).first?.hasSuffix(": poster flag (tkhd) of track 2") == true)
    #expect(try messages(ConversionTrial(trial.bytes, to: .quickTime)).isEmpty)
    #expect(try messages(ConversionTrial(.film(), to: .mp4)).isEmpty)
  }

  // MARK: - To QuickTime

  @Test func convertsAnMP4FileToQuickTime() throws {
    let mp4 = try ConversionTrial(.film(), to: .mp4)
    let trial = try ConversionTrial(mp4.bytes, to: .quickTime)
    try trial.expectSameMedia()
    #expect(trial.movie.isQuickTime)
    let sound = try SoundDescription(body: trial.movie.tracks[1].sampleDescriptions.entries[0].body)
    #expect(sound.version == 1 && sound.compressionID == -2)
    let wave = try #require(SampleEntryAtoms(sound.tail)["wave"].map { SampleEntryAtoms($0) })
    #expect(wave.atoms.map(\.type) == ["frma", "mp4a", "esds"])
    #expect(wave["esds"]?.array == ElementaryStreamBytes.aac)
    let video = try VideoDescription(body: trial.movie.tracks[0].sampleDescriptions.entries[0].body)
    #expect(SampleEntryAtoms(video.tail)["colr"]?.array == text("nclc") + u16(1, 1, 6))
    for track in trial.movie.tracks {
      #expect(track.handler?.componentType == "mhlr")
      #expect(track.dataReferences?.entries.map(\.type) == ["alis"])
      #expect(trial.movie.tree.descendant(of: track.atom, "mdia", "minf", "hdlr") != nil)
    }
    #expect(trial.movie.tracks.map { $0.language?.description } == ["zh-Hant", "de"])
  }

  @Test(arguments: [("encv", TestTrack.Kind.video), ("Opus", .sound), ("mp4s", .other(handler: "subp"))])
  func warnsOfMediaThatQuickTimePlayersLack(_ format: String, _ kind: TestTrack.Kind) throws {
    let movie = TestMovie.film(.iso).with {
      $0.tracks.append(
        TestTrack(kind, id: 3).with {
          switch kind {
          case .video: $0.sampleEntries = [SampleEntry.video(format, width: 64, height: 36)]
          case .sound: $0.sampleEntries = [SampleEntry.sound(format, bits: 16, rate: 48_000)]
          default: $0.sampleEntries = [atom(format) { u16(0, 0, 0, 1) }]
          }
        })
    }
    let trial = try ConversionTrial(movie, to: .quickTime)
    let warning = trial.notices.first { $0.kind == .foreignFormat }
    #expect(warning?.trackID == 3 && warning?.isWarning == true)
  }

  // MARK: - Text

  @Test func convertsChaptersAndBack() throws {
    let titles = ["Start", "Größe", ""]
    let trial = try ConversionTrial(.filmWithChapters, to: .mp4)
    try trial.expectSameMedia()
    #expect(trial.movie.tracks[2].formats == ["tx3g"])
    #expect(trial.movie.tracks[2].mediaType == .text)
    #expect(trial.movie.chapterTrackIDs == [3])
    #expect(try texts(trial) == titles)
    #expect(trial.messages(.converted).contains { $0.contains("re-encoded") })
    let back = try ConversionTrial(trial.bytes, to: .quickTime)
    #expect(back.movie.tracks[2].formats == ["text"])
    #expect(try texts(back) == titles)
    #expect(back.new.tracks[2].samples.map(\.duration) == trial.old.tracks[2].samples.map(\.duration))
  }

  private func texts(_ trial: ConversionTrial) throws -> [String] {
    let track = try #require(trial.new.track(3))
    return try track.samples.map { sample in
      let bytes = try trial.new.bytes(of: sample)
      return String(decoding: bytes.dropFirst(2).prefix(Int(bytes[0]) << 8 | Int(bytes[1])), as: UTF8.self)
    }
  }

  @Test func keepsTextStyles() throws {
    let sample =
      u16(5) + text("abcde")
      + atom("styl") {
        u16(2) + u32(0) + u16(0, 0, 0, 0x200, 12, 0, 0, 0) + u32(3) + u16(0, 0, 0, 0x100, 12, 0, 0, 0)
      } + atom("hlit") { u32(0, 1) }
    let movie = TestMovie(tracks: [
      TestTrack(.video, id: 1),
      TestTrack(.text, id: 2).with {
        $0.sampleEntries = [SampleEntry.text()]
        $0.samples = [TestSample(content: sample, duration: 2000)]
      },
    ])
    let trial = try ConversionTrial(movie, to: .mp4)
    #expect(trial.movie.tracks[1].mediaType == .subtitle)
    #expect(trial.messages(.leftOut).contains { $0.contains("highlights, in 1 sample") })
    let new = try Tx3gSample(payload: Bytes(trial.new.bytes(of: try #require(trial.new.track(2)?.samples.first))))
    #expect(new.string == "abcde")
    #expect(new.styleRecords.map { [Int($0.start), Int($0.end), Int($0.face.rawValue)] } == [[0, 3, 2], [3, 5, 1]])
  }

  /// The edit of a conversion can be continued.
  @Test func addsSubtitlesInTheNewType() throws {
    let trial = try ConversionTrial(.filmWithChapters, to: .mp4) { _ = try $0.addSubtitles("en") }
    let new = try #require(trial.movie.tracks.last)
    #expect(new.mediaType == .subtitle && new.handler?.componentType == FourCC(rawValue: 0))
    #expect(try texts(trial) == ["Start", "Größe", ""])
  }

  // MARK: - Rejections

  @Test(arguments: [("apch", MovieType.mp4), ("rle ", .mp4), ("av01", .m4v), ("hvc1", .m4a)])
  func rejectsUnregisteredVideoUnlessRemoved(_ format: String, _ type: MovieType) throws {
    let movie = TestMovie.film().with {
      $0.tracks[0].sampleEntries = [SampleEntry.video(format, width: 64, height: 36)]
    }
    #expect {
      try ConversionTrial(movie, to: type)
    } throws: { error in
      let error = error as? MovieError
      return error?.code == .unsupported && error?.reason.hasPrefix("track 1 ") == true && error?.path == "moov/trak[1]"
    }
    let trial = try ConversionTrial(movie, to: type) { try $0.remove(1) }
    #expect(trial.movie.tracks.map(\.id) == [2])
    try ConversionTrial(movie, to: .quickTime).expectSameMedia()
  }

  /// A time code of removed video is useless, and a file type for audio keeps only audio.
  @Test func advisesToKeepUsefulTracks() throws {
    func advice(_ type: MovieType, _ change: (inout TestMovie) -> Void) throws -> MovieEdit.ConversionAdvice? {
      let source = TestMovie.film().with {
        $0.tracks[0].references = [TestReference("tmcd", 3)]
        $0.tracks += [TestTrack(.timecode, id: 3), TestTrack(.subtitle, id: 4)]
        change(&$0)
      }.source
      var edit = try MovieEdit(of: source)
      try edit.convert(to: type)
      return edit.conversionAdvice
    }
    let proRes = [SampleEntry.video("apch", width: 64, height: 36)]
    #expect(
      try advice(.m4a) { _ in } == MovieEdit.ConversionAdvice(tracks: [2], areExactlyAudioTracks: true, type: .mp4))
    #expect(try advice(.mp4) { _ in } == nil)
    #expect(
      try advice(.mp4) {
        $0.tracks.append($0.tracks[0].with { ($0.id, $0.references) = (5, []) })
        $0.tracks[0].sampleEntries = proRes
      } == MovieEdit.ConversionAdvice(tracks: [2, 4, 5], areExactlyAudioTracks: false, type: .quickTime))
  }

  @Test func requiresConversionFirst() throws {
    let source = TestMovie.film().source
    var edit = try MovieEdit(of: source)
    _ = try edit.addSubtitles("en")
    #expect(throws: MovieError.self) { try edit.convert(to: .mp4) }
  }

  // MARK: - Metadata

  @Test func convertsFactsToTheTypesVocabulary() throws {
    let movie = TestMovie.film().with {
      $0.userData =
        atom("©nam") { u16(4, 0x15C7) + text("Film") } + atom("©req") { u16(2, 0x15C7) + text("QT") }
        + atom("©xyz") { u16(17, 0x15C7) + text("+48.1370+011.5750") } + u32(0)
    }
    let trial = try ConversionTrial(movie, to: .mp4)
    let items = trial.movie.metadata
    func values(_ identifier: String) -> [String?] {
      items.filter { $0.identifier == MetadataIdentifier(identifier) }.map(\.stringValue)
    }
    #expect(values("uiso/titl") == ["Film"] && values("itsk/©nam") == ["Film"])
    #expect(values("udta/©nam") == [] && values("udta/©req") == [])
    #expect(values("udta/©xyz") == ["+48.1370+011.5750"] && values("uiso/loci").count == 1)
    #expect(trial.messages(.leftOut).contains { $0.contains("%A9req") && $0.contains("QT") })
    // After the conversion back, the title is QuickTime metadata again.
    let back = try ConversionTrial(trial.bytes, to: .quickTime)
    let title = back.movie.metadata.first {
      $0.identifier.space == .quickTimeMetadata && $0.identifier.common?.key == "title"
    }
    #expect(title?.stringValue == "Film")
    // The location has the decimals of `©xyz`, not the resolution of `loci`, and no altitude.
    let places = back.movie.metadata.filter {
      $0.identifier.space == .quickTimeMetadata && $0.identifier.common?.key == "location"
    }
    #expect(places.map(\.stringValue) == ["+48.1370+011.5750"])
  }

  /// Two contradictory items do not become three.
  @Test func writesTheLocationOnce() throws {
    let movie = TestMovie.film(.iso).with {
      $0.userData =
        atom("©xyz") { u16(9, 0x15C7) + text("+40.7-074") }
        + atom("meta") {
          u32(0)
          atom("hdlr") { u32(0, 0) + text("mdirappl") + u32(0, 0) + [0] }
          atom("ilst") { atom("©xyz") { atom("data") { u32(1, 0) + text("+48.1+011.5") } } }
        }
    }
    func places(_ type: MovieType, _ space: MetadataIdentifier.Space) throws -> [String?] {
      let items = try ConversionTrial(movie, to: type).movie.metadata
      return items.filter { $0.identifier.common?.key == "location" && $0.identifier.space == space }.map(\.stringValue)
    }
    #expect(try places(.mp4, .quickTimeUserData) == ["+40.7-074"])
    #expect(try places(.mp4, .isoUserData).count == 1)
    #expect(try places(.quickTime, .quickTimeMetadata).count == 1)
  }

  /// As Android writes them, and as `metadata --set make=…` does.
  @Test func writesFactsWithoutAnISOItemAsQuickTimeMetadata() throws {
    let movie = TestMovie.film().with {
      $0.userData =
        atom("©mak") { u16(4, 0x15C7) + text("Acme") } + atom("©nam") { u16(4, 0x15C7) + text("Home") }
        + atom("©prd") { u16(3, 0x15C7) + text("Ann") } + atom("©fmt") { u16(3, 0x15C7) + text("4:3") }
    }
    for type in [MovieType.mp4, .m4v] {
      let trial = try ConversionTrial(movie, to: type)
      let items = trial.movie.metadata
      #expect(items.matching("mdta/com.apple.quicktime.make").map(\.stringValue) == ["Acme"])
      #expect(items.matching("common/producer").contains { $0.stringValue == "Ann" })
      #expect(items.matching("mdta/com.apple.quicktime.title").isEmpty)
      #expect(trial.messages(.leftOut).count { $0.contains("has no equivalent") } == 1)
      #expect(trial.messages(.leftOut).contains { $0.contains("udta/%A9fmt") })
    }
  }

  /// QuickTime reads an iTunes list without a handler. Apple's players do not read it in MP4 files.
  @Test func addsTheHandlerOfITunesListsInISOFiles() throws {
    let movie = TestMovie.film().with {
      $0.userData = atom("meta") {
        u32(0)
        atom("ilst") { atom("©nam") { atom("data") { u32(1, 0) + text("Home") } } }
      }
    }
    for type in [MovieType.m4v, .mp4] {
      let trial = try ConversionTrial(movie, to: type)
      let tree = trial.movie.tree
      let udta = try #require(tree.child(of: tree.root, "udta"))
      let meta = try #require(tree.child(of: udta, "meta"))
      #expect(tree.handlerType(in: meta) == "mdir" && tree.metadataListsWithoutHandler.isEmpty)
      #expect(trial.movie.metadata.contains { $0.identifier.description == "itsk/%A9nam" })
    }
  }

  @Test func convertsQuickTimeHandlersInISOFiles() throws {
    var bytes = TestMovie.film(.iso).bytes()
    let handler = try #require(bytes.firstRange(of: text("hdlr") + u32(0, 0) + text("vide")))
    bytes.replaceSubrange(handler.lowerBound + 8..<handler.lowerBound + 12, with: text("mhlr"))
    #expect(try Movie(of: MemorySource(Bytes(bytes))).tracks[0].handler?.componentType == "mhlr")
    let track = try ConversionTrial(bytes, to: .mp4).movie.tracks[0]
    #expect(track.handler?.componentType == FourCC(rawValue: 0))
    #expect(track.handler?.handlerType == "vide" && track.handler?.name == "Test Media Handler")
  }

  /// A value in one language is not repeated in another, and covers are not duplicated.
  @Test func writesExistingFactsOnce() throws {
    let picture = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 40)
    let movie = TestMovie.film(.iso).with {
      $0.userData =
        atom("cprt") { u32(0) + u16(0x15C7) + text("© Us") + [0] }
        + atom("meta") {
          u32(0)
          atom("hdlr") { u32(0, 0) + text("mdirappl") + u32(0, 0) + [0] }
          atom("ilst") {
            atom("cprt") { atom("data") { u32(1, 0x5553_15C7) + text("© Us") } }
            atom("covr") { atom("data") { u32(13, 0) + picture } }
          }
        }
    }
    let trial = try ConversionTrial(movie, to: .quickTime)
    let items = trial.movie.metadata.map(\.identifier.description)
    #expect(items.count { $0 == "mdta/com.apple.quicktime.copyright" } == 1, "\(items)")
    #expect(items.contains("itsk/covr") && !items.contains("mdta/com.apple.quicktime.artwork"))
    #expect(trial.messages(.metadataConverted) == ["also written in the vocabulary of a QuickTime movie: copyrights"])
    let back = try ConversionTrial(trial.bytes, to: .mp4)
    #expect(back.movie.metadata.map(\.identifier).filter { $0.common?.key == "copyrights" }.count == 3)
    #expect(back.messages(.metadataConverted).isEmpty)
  }

  // MARK: - Tracks for servers and of timed metadata

  @Test(arguments: [TestMovie.Dialect.quickTime, .iso]) func dropsAndListsHintTracks(_ type: TestMovie.Dialect)
    throws
  {
    let movie = TestMovie.film(type).with {
      $0.tracks.append(
        TestTrack(.other(handler: "hint"), id: 3).with {
          $0.references = [TestReference("hint", 1)]
          $0.sampleEntries = [atom("rtp ") { u16(0, 0, 0, 1, 1, 1) + u32(1450) }]
        })
      $0.userData = atom("hnti") { atom("rtp ") { text("sdp v=0") } } + atom("abcd") { [1] }
    }
    let trial = try ConversionTrial(movie, to: type == .iso ? .quickTime : .mp4)
    #expect(trial.movie.tracks.map(\.id) == [1, 2])
    #expect(trial.messages(.leftOut).count { $0.hasPrefix("track 3 is omitted: packets for a streaming server") } == 1)
    #expect(!trial.new.atoms.contains { $0.type == "hnti" } && trial.new.atoms.contains { $0.type == "abcd" })
    // Types of one family keep the tracks.
    let kept = try ConversionTrial(movie, to: type == .iso ? .mp4 : .quickTime)
    #expect(kept.movie.tracks.map(\.id) == [1, 2, 3] && kept.new.atoms.contains { $0.type == "hnti" })
    try kept.expectSameMedia()
  }

  @Test func rejectsAMovieOfHintTracks() throws {
    let movie = TestMovie(tracks: [TestTrack(.other(handler: "hint"), id: 1)])
    #expect {
      try ConversionTrial(movie, to: .mp4)
    } throws: { ($0 as? MovieError)?.code == .unsupported }
  }

  /// MP4 supports boxed metadata like QuickTime (ISO/IEC 14496-12:2022), 3GP does not.
  @Test func keepsTimedMetadataInMP4Files() throws {
    let key = atom("keys") { atom("\0\0\0\u{1}") { atom("keyd") { text("mdta") + text("com.example.heat") } } }
    let movie = TestMovie.film().with {
      $0.tracks.append(
        TestTrack(.other(handler: "meta"), id: 3).with {
          $0.sampleEntries = [atom("mebx") { u16(0, 0, 0, 1) + key }]
        })
    }
    let trial = try ConversionTrial(movie, to: .mp4)
    try trial.expectSameMedia()
    let track = try #require(trial.movie.track(3))
    #expect(trial.movie.tree.descendant(of: track.atom, "mdia", "minf", "nmhd") != nil)
    #expect(trial.messages(.leftOut).allSatisfy { !$0.contains("mebx") })
    let back = try ConversionTrial(trial.bytes, to: .quickTime)
    #expect(back.movie.track(3)?.sampleDescriptions.entries == track.sampleDescriptions.entries)
    try back.expectSameMedia()
    let phone = try ConversionTrial(movie, to: .threeGPP)
    #expect(phone.movie.tracks.map(\.id) == [1, 2])
    #expect(
      phone.messages(.leftOut).contains { $0.contains("track 3 is omitted") && $0.hasSuffix("mdta/com.example.heat") })
  }
}
