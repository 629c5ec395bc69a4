import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Movies that become movies of another type.
struct ConversionTests {
  private func isISO(_ trial: ConversionTrial) -> Bool { !trial.movie.isQuickTime }

  // MARK: - To MP4

  @Test func quickTimeMovieBecomesAnMP4File() throws {
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
    // Languages in letters; what these do not say is in the tag.
    #expect(trial.new.tracks.map(\.language) == ["zho", "deu"])
    #expect(trial.new.tracks.map(\.extendedLanguage) == ["zh-Hant", nil])
    #expect(trial.movie.tracks.map { $0.language?.description } == ["zh-Hant", "de"])
  }

  @Test func colorsAreDescribedInTheFormOfISO() throws {
    let trial = try ConversionTrial(.film(), to: .mp4)
    let video = try VideoDescription(body: trial.movie.tracks[0].sampleDescriptions.entries[0].body)
    let atoms = SampleEntryAtoms(video.tail)
    #expect(atoms["colr"]?.array == text("nclx") + u16(1, 1, 6) + [0])
    #expect(atoms["gama"] == nil && atoms.rest.isEmpty)
    #expect(trial.messages(.leftOut).contains { $0.contains("gama") })
  }

  /// HandBrake's issue 1555: sound of version 1 with `wave` under a brand of ISO is silent in ffmpeg.
  @Test(arguments: [MovieType.mp4, .m4v, .m4a])
  func soundIsDescribedWithoutWave(_ type: MovieType) throws {
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

  @Test func soundOfAnISOFileDescribedAsQuickTimeDoesIsPutRight() throws {
    let trial = try ConversionTrial(.film(.iso, brands: ["isom", "mp42"]), to: .mp4)
    let sound = try SoundDescription(body: trial.movie.tracks[1].sampleDescriptions.entries[0].body)
    #expect(sound.version == 0 && SampleEntryAtoms(sound.tail)["esds"] != nil)
  }

  @Test(
    arguments: [
      ("sowt", 16, "ipcm", [1, 16]), ("twos", 16, "ipcm", [0, 16]), ("in24", 16, "ipcm", [0, 24]),
      ("fl32", 16, "fpcm", [0, 32]),
    ] as [(String, Int, String, [UInt8])])
  func uncompressedSoundGetsTheNameOfISO(
    _ format: String, _ bits: Int, _ name: String, _ configuration: [UInt8]
  ) throws {
    let width = Int(configuration[1]) / 8
    let movie = TestMovie(tracks: [
      TestTrack(.sound, id: 1).with { track in
        // 500 packets of one sample each, of which the table says that they have 1 byte.
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
    // And back: the same name.
    let back = try ConversionTrial(trial.bytes, to: .quickTime)
    #expect(back.movie.tracks[0].formats == [try #require(FourCC(format))])
    try back.expectSameMedia()
  }

  @Test func shownBeforeDecodedIsSaidInVersion1() throws {
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

  @Test func partialSyncSamplesBecomeAGroupAndComeBack() throws {
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

  @Test func whatHasNoPlaceIsListed() throws {
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
    #expect(trial.notes.filter { $0.kind == .leftOut }.allSatisfy { $0.isWarning })
  }

  // MARK: - To QuickTime

  @Test func mp4FileBecomesAQuickTimeMovie() throws {
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

  // MARK: - Text

  @Test func chaptersAreWrittenAgainAndComeBack() throws {
    let titles = ["Start", "Größe", ""]
    let trial = try ConversionTrial(.filmWithChapters, to: .mp4)
    try trial.expectSameMedia()
    #expect(trial.movie.tracks[2].formats == ["tx3g"])
    #expect(trial.movie.tracks[2].mediaType == .text)
    #expect(trial.movie.chapterTrackIDs == [3])
    #expect(try texts(trial) == titles)
    #expect(trial.messages(.converted).contains { $0.contains("written again") })
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

  @Test func facesOfLettersStay() throws {
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
    #expect(trial.messages(.leftOut).contains { $0.contains("1 hlit") })
    let new = try Tx3gSample(payload: Bytes(trial.new.bytes(of: try #require(trial.new.track(2)?.samples.first))))
    #expect(new.string == "abcde")
    #expect(new.styleRecords.map { [Int($0.start), Int($0.end), Int($0.face.rawValue)] } == [[0, 3, 2], [3, 5, 1]])
  }

  /// The edit that a conversion begins goes on like any other.
  @Test func subtitlesAreAddedAsTheNewTypeHasThem() throws {
    let trial = try ConversionTrial(.filmWithChapters, to: .mp4) { _ = try $0.addSubtitles("en") }
    let new = try #require(trial.movie.tracks.last)
    #expect(new.mediaType == .subtitle && new.handler?.componentType == FourCC(rawValue: 0))
    #expect(try texts(trial) == ["Start", "Größe", ""])
  }

  // MARK: - What is refused

  @Test(arguments: [("apch", MovieType.mp4), ("rle ", .mp4), ("av01", .m4v), ("hvc1", .m4a)])
  func pictureThatIsNotRegisteredIsRefusedUnlessItGoes(_ format: String, _ type: MovieType) throws {
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

  @Test func conversionComesFirst() throws {
    let source = TestMovie.film().source
    var edit = try MovieEdit(of: source)
    _ = try edit.addSubtitles("en")
    #expect(throws: MovieError.self) { _ = try edit.convert(to: .mp4, from: source) }
  }

  // MARK: - Metadata

  @Test func factsAreStatedInTheWordsOfTheType() throws {
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
    // There and back: the title is there again, in the words of QuickTime.
    let back = try ConversionTrial(trial.bytes, to: .quickTime)
    let title = back.movie.metadata.first {
      $0.identifier.space == .quickTimeMetadata && $0.identifier.common?.key == "title"
    }
    #expect(title?.stringValue == "Film")
  }

  @Test func listOfChaptersOfNeroStaysInISOFilesAlone() throws {
    let movie = TestMovie.film(.iso).with {
      $0.userData = atom("chpl") { u32(0x0100_0000, 0) + [1] + u64(0) + [1] + text("A") }
    }
    let trial = try ConversionTrial(movie, to: .quickTime)
    #expect(!trial.new.atoms.contains { $0.type == "chpl" })
    #expect(trial.messages(.leftOut).contains { $0.contains("chpl") })
  }
}
