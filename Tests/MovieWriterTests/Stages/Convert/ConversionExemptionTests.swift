import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Atoms that a conversion may add, remove or change by type: for each, a plan that the checker must reject.
struct ConversionExemptionTests {
  private func child(_ movie: Movie, _ track: Int, _ path: FourCC...) throws -> Int {
    var atom = movie.tracks[track].atom
    for type in path { atom = try #require(movie.tree.child(of: atom, type)) }
    return atom
  }

  // MARK: - Atoms that may be removed

  /// A QuickTime atom may be removed only for ISO files, and only with a warning.
  @Test(arguments: ["clip", "ctab", "prfl", "rmra", "matt"]) func detectsLostAtomsOfAMovie(_ type: String) throws {
    let name = try #require(FourCC(type))
    let movie = TestMovie.film(.iso).with { $0.movieAtoms = atom(type) { zeros(16) } }
    try SpoiledConversion(movie, to: .quickTime).expectFailure("lost") { edits, movie in
      edits.remove(try #require(movie.tree.child(of: movie.tree.root, name)))
    }
    try expectUnlistedLoss(TestMovie.film().with { $0.movieAtoms = atom(type) { zeros(16) } }, "lost", "(\(type))")
  }

  @Test(arguments: ["tapt", "clip", "matt", "load", "imap", "prfl"])
  func detectsLostAtomsOfATrack(_ type: String) throws {
    let name = try #require(FourCC(type))
    let content = type == "tapt" ? fullAtom("clef") { u32(1 << 16, 1 << 16) } : zeros(16)
    func movie(_ dialect: TestMovie.Dialect) -> TestMovie {
      TestMovie.film(dialect).with { $0.tracks[0].trackAtoms = atom(type) { content } }
    }
    try SpoiledConversion(movie(.iso), to: .quickTime).expectFailure("lost") { edits, movie in
      edits.remove(try child(movie, 0, name))
    }
    try expectUnlistedLoss(movie(.quickTime), "lost", "(\(type))")
  }

  /// Plans a conversion without the losses whose warnings contain these words, and expects that the checker rejects it.
  private func expectUnlistedLoss(
    _ movie: TestMovie, _ reason: String, _ words: String, at location: SourceLocation = #_sourceLocation
  ) throws {
    let source = MemorySource(Bytes(movie.bytes()))
    var edit = try MovieEdit(of: source)
    try edit.convert(to: .mp4)
    _ = try edit.outputPlan(of: source)
    let old = try #require(edit.stages.converted)
    let losses = old.losses.filter { !$0.message.contains(words) }
    #expect(losses.count < old.losses.count, sourceLocation: location)
    #expect(old.losses.allSatisfy { old.notices.contains($0.warning) }, sourceLocation: location)
    var new = ConvertedMovie(
      original: old.original, type: old.type, movie: old.movie, recodedTracks: old.recodedTracks,
      removedTracks: old.removedTracks, omittedTracks: old.omittedTracks, refusals: old.refusals, notices: old.notices,
      losses: losses)
    new.metadata = old.metadata
    (new.reportedItems, new.omitsChapterList) = (old.reportedItems, old.omitsChapterList)
    edit.stages.converted = new
    #expect(sourceLocation: location) {
      _ = try edit.outputPlan(of: source)
    } throws: { error in
      let error = error as? MovieError
      return error?.code == .planCheckFailed && error?.reason.contains(reason) == true
    }
  }

  /// A warning about one track allows no loss in another.
  @Test func listsLossesByTrack() throws {
    let movie = TestMovie.film().with { film in
      for index in film.tracks.indices { film.tracks[index].trackAtoms = atom("load") { zeros(16) } }
    }
    let source = MemorySource(Bytes(movie.bytes()))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    try edit.convert(to: .mp4)
    let conversion = try #require(edit.stages.converted)
    func check(_ tracks: Set<UInt32>) throws {
      let losses = conversion.losses.filter { $0.trackID.map(tracks.contains) ?? true }
      try AtomChangePolicy.conversion(
        from: conversion.original, to: conversion.movie, .mp4, keeping: [1, 2], DroppedContents(losses)
      ).check(.init(conversion.original.tree), .init(conversion.movie.tree))
    }
    try check([1, 2])
    for tracks in [[1], [2], []] as [Set<UInt32>] { #expect(throws: MovieError.self) { try check(tracks) } }
  }

  @Test func detectsUnlistedLosses() throws {
    try expectUnlistedLoss(
      TestMovie.film().with { film in
        film.tracks[1].sampleEntries = [
          SampleEntry.soundVersion1(
            "mp4a", channels: 2, rate: 48_000, packet: (1024, 0, 0), compressionID: -2,
            extensions: atom("wave") { atom("esds") { ElementaryStreamBytes.aac } + u32(8, 0) + [1, 2, 3] })
        ]
      }, "without a warning", "not atoms")
  }

  @Test func detectsALostDataHandler() throws {
    try SpoiledConversion(.film(.iso), to: .quickTime).expectFailure { edits, movie in
      edits.replace(
        try child(movie, 0, "mdia", "minf", "hdlr"),
        with: HandlerReference(componentType: "dhlr", handlerType: "rsrc", nameBytes: Bytes([0])).atom("hdlr"))
    }
  }

  @Test(arguments: [TestMovie.Dialect.quickTime, .iso]) func detectsALostOrCorruptedMediaHeader(
    _ dialect: TestMovie.Dialect
  ) throws {
    let type: MovieType = dialect == .quickTime ? .mp4 : .quickTime
    let name: FourCC = type == .mp4 ? "nmhd" : "gmhd"
    let movie = TestMovie.filmWithChapters.with { $0.dialect = dialect }
    let conversion = SpoiledConversion(movie, to: type)
    try conversion.expectFailure("media header") { edits, movie in
      edits.remove(try child(movie, 2, "mdia", "minf", name))
    }
    try conversion.expectFailure("media header") { edits, movie in
      edits.replace(try child(movie, 2, "mdia", "minf", name), with: fullAtom(name.description, version: 1) { u32(7) })
    }
    // In QuickTime movies the second header has the name of the one that was there, and so another place.
    try conversion.expectFailure(type == .mp4 ? "media header" : "a different order") { edits, movie in
      edits.insert(NullMediaHeader().atom("nmhd"), into: try child(movie, 2, "mdia", "minf"))
    }
  }

  @Test func detectsRemainingHintPackets() throws {
    let movie = TestMovie.film().with {
      $0.userData = atom("hnti") { atom("rtp ") { text("sdp v=0") } }
      $0.tracks.append(TestTrack(.other(handler: "hint"), id: 90))
    }
    try SpoiledConversion(movie, to: .quickTime).expectFailure("lost") { edits, movie in
      let udta = try #require(movie.tree.child(of: movie.tree.root, "udta"))
      edits.remove(try #require(movie.tree.child(of: udta, "hnti")))
    }
  }

  @Test func detectsLostSyncSamples() throws {
    let movie = TestMovie.film().with { film in
      for index in film.tracks[0].samples.indices { film.tracks[0].samples[index].isSync = index == 0 }
    }
    try SpoiledConversion(movie, to: .mp4).expectFailure("lost") { edits, movie in
      edits.remove(try child(movie, 0, "mdia", "minf", "stbl", "stss"))
    }
  }

  /// Chapters in user data become a track. Without that track they are lost.
  @Test func detectsLostChapters() throws {
    let movie = TestMovie.film(.iso).with {
      $0.userData = atom("chpl") { u32(0x0100_0000, 0) + [1] + u64(0) + [3] + text("One") }
    }
    let source = MemorySource(Bytes(movie.bytes()))
    var edit = try MovieEdit(of: source)
    try edit.convert(to: .quickTime)
    let made = try #require(edit.tracks.first { $0.old == nil })
    edit.tracks.removeAll { $0.id == made.id }
    for index in edit.tracks.indices { edit.tracks[index].references = [:] }
    edit.changes.chapters = nil
    #expect {
      _ = try edit.outputPlan(of: source)
    } throws: { ($0 as? MovieError)?.code == .planCheckFailed }
  }

  @Test func detectsDroppedSupportedTracks() throws {
    let source = MemorySource(Bytes(TestMovie.film().bytes()))
    var edit = try MovieEdit(of: source)
    try edit.convert(to: .mp4)
    let old = try #require(edit.stages.converted)
    var new = ConvertedMovie(
      original: old.original, type: old.type, movie: old.movie, recodedTracks: [], removedTracks: [2],
      omittedTracks: [2], refusals: [:], notices: old.notices, losses: old.losses)
    new.metadata = old.metadata
    (new.reportedItems, new.omitsChapterList) = (old.reportedItems, old.omitsChapterList)
    edit.stages.converted = new
    #expect {
      _ = try edit.outputPlan(of: source)
    } throws: { ($0 as? MovieError)?.reason.contains("can contain it") == true }
  }

  // MARK: - Atoms that may change

  @Test func detectsAnotherLanguageTag() throws {
    try SpoiledConversion(.film(), to: .mp4).expectFailure("language") { edits, movie in
      edits.replace(try child(movie, 0, "mdia", "elng"), with: ExtendedLanguage(tag: "ja").atom("elng"))
    }
  }

  @Test func detectsOtherHeaders() throws {
    let posed = TestMovie.film().with { $0.tracks[0].otherFlags = 0xA }
    try SpoiledConversion(posed, to: .mp4).expectFailure("tkhd") { edits, movie in
      var header = movie.tracks[0].header
      header.layer = 5
      edits.replace(try child(movie, 0, "tkhd"), with: header.atom("tkhd"))
    }
    try SpoiledConversion(.film(), to: .mp4).expectFailure("mvhd") { edits, movie in
      var header = movie.header
      header.predefined = Bytes([UInt8](repeating: 1, count: 24))
      edits.replace(try #require(movie.tree.child(of: movie.tree.root, "mvhd")), with: header.atom("mvhd"))
    }
    for (language, quality) in [(UInt16(0x15C7), UInt16(0)), (0x10B5, 9)] {
      try SpoiledConversion(.film(), to: .mp4).expectFailure { edits, movie in
        var header = movie.tracks[1].mediaHeader
        (header.languageCode, header.quality) = (language, quality)
        edits.replace(try child(movie, 1, "mdia", "mdhd"), with: header.atom("mdhd"))
      }
    }
  }

  @Test func detectsOtherHandlers() throws {
    let right = HandlerReference(componentType: FourCC(rawValue: 0), handlerType: "soun", nameBytes: Bytes([0]))
    func changed(_ change: (inout HandlerReference) -> Void) -> HandlerReference {
      var copy = right
      change(&copy)
      return copy
    }
    for wrong in [
      changed { $0.handlerType = "vide" }, changed { $0.componentType = "mhlr" }, changed { $0.manufacturer = 7 },
      changed { $0.nameBytes = Bytes(text("Other") + [0]) }, changed { $0.nameBytes = Bytes() },
    ] {
      try SpoiledConversion(.film(), to: .mp4).expectFailure { edits, movie in
        edits.replace(try child(movie, 1, "mdia", "hdlr"), with: wrong.atom("hdlr"))
      }
    }
  }

  @Test func detectsOtherPictureTimes() throws {
    let movie = TestMovie.film().with { film in
      for index in film.tracks[0].samples.indices {
        film.tracks[0].samples[index].compositionOffset = index % 2 == 0 ? -50 : 50
      }
    }
    for place in [0, 15] {
      try SpoiledConversion(movie, to: .mp4).expectFailure("ctts") { edits, movie in
        let ctts = try child(movie, 0, "mdia", "minf", "stbl", "ctts")
        var bytes = movie.tree.bytes(of: ctts).array
        bytes[8 + place] ^= place == 0 ? 1 : 4
        edits.replace(ctts, with: bytes)
      }
    }
  }

  @Test(arguments: ["stsz", "stco"] as [FourCC]) func detectsOtherAudioPositions(_ type: FourCC) throws {
    try SpoiledConversion(.film(), to: .mp4).expectFailure { edits, movie in
      let table = try child(movie, 1, "mdia", "minf", "stbl", type)
      var bytes = movie.tree.bytes(of: table).array
      bytes[bytes.count - 1] ^= 1
      edits.replace(table, with: bytes)
    }
  }

  @Test func detectsAnotherFormOfMetadata() throws {
    let movie = TestMovie.film().with {
      $0.userData = atom("meta") {
        TestMovie.handler("mdir")
        atom("ilst") { atom("©nam") { atom("data") { u32(1, 0) + text("A") } } }
      }
    }
    try SpoiledConversion(movie, to: .mp4).expectFailure { edits, movie in
      let udta = try #require(movie.tree.child(of: movie.tree.root, "udta"))
      let meta = try #require(movie.tree.child(of: udta, "meta"))
      var bytes = movie.tree.bytes(of: meta).array
      bytes[11] = 1
      edits.replace(meta, with: bytes)
    }
  }

  @Test func detectsMediaDeclaredExternal() throws {
    try SpoiledConversion(.film(), to: .mp4).expectFailure { edits, movie in
      let dref = try child(movie, 1, "mdia", "minf", "dinf", "dref")
      var references = try #require(movie.tracks[1].dataReferences)
      references.entries[0].flags = 0
      edits.replace(dref, with: references.atom("dref"))
    }
  }

  @Test func detectsOtherDataReferences() throws {
    for change in [
      { $0.entries += $0.entries }, { $0.tail = Bytes([1]) }, { $0.entries[0].data = Bytes([1]) },
      { $0.entries[0].type = "alis" },
    ] as [(inout DataReference) -> Void] {
      try SpoiledConversion(.film(), to: .mp4).expectFailure("more than the location of the media") { edits, movie in
        var references = try #require(movie.tracks[1].dataReferences)
        change(&references)
        edits.replace(try child(movie, 1, "mdia", "minf", "dinf", "dref"), with: references.atom("dref"))
      }
    }
  }

  @Test func detectsOtherSampleDescriptions() throws {
    for change in [
      { $0.version = 1 }, { $0.flags = 1 }, { $0.tail = Bytes([1]) }, { $0.entries += $0.entries },
    ] as [(inout SampleDescriptions) -> Void] {
      try SpoiledConversion(.film(), to: .mp4).expectFailure { edits, movie in
        var descriptions = movie.tracks[1].sampleDescriptions
        change(&descriptions)
        edits.replace(try child(movie, 1, "mdia", "minf", "stbl", "stsd"), with: descriptions.atom("stsd"))
      }
    }
  }

  // MARK: - Atoms in descriptions

  /// Replaces the atoms in a track's sample description, and expects that the checker rejects the plan.
  private func expectFailure(
    _ movie: TestMovie, _ track: Int, to type: MovieType = .mp4, at location: SourceLocation = #_sourceLocation,
    _ change: (SampleEntryAtoms.Atom) -> SampleEntryAtoms.Atom?
  ) throws {
    try SpoiledConversion(movie, to: type).expectFailure("does not describe", at: location) { edits, movie in
      var descriptions = movie.tracks[track].sampleDescriptions
      let entry = descriptions.entries[0]
      var writer = ByteWriter()
      if movie.tracks[track].mediaType == .video {
        var video = try VideoDescription(body: entry.body)
        video.tail = SoundDescriptionConverter.bytes(of: SampleEntryAtoms(video.tail).atoms.compactMap(change))
        video.write(to: &writer)
      } else {
        var sound = try SoundDescription(body: entry.body)
        sound.tail = SoundDescriptionConverter.bytes(of: SampleEntryAtoms(sound.tail).atoms.compactMap(change))
        sound.write(to: &writer)
      }
      descriptions.entries[0].body = Bytes(writer.bytes)
      edits.replace(try child(movie, track, "mdia", "minf", "stbl", "stsd"), with: descriptions.atom("stsd"))
    }
  }

  private func sound(_ entry: [UInt8], timeScale: Int = 48_000) -> TestMovie {
    TestMovie(tracks: [
      TestTrack(.sound, id: 1).with { track in
        track.timeScale = timeScale
        track.samples = (0..<40).map { TestSample(content: [UInt8](repeating: UInt8($0), count: 3), duration: 1) }
        track.sampleEntries = [entry]
      }
    ])
  }

  @Test func detectsLostAndChangedAtomsOfDescriptions() throws {
    for type in ["avcC", "colr"] as [FourCC] {
      try expectFailure(.film(), 0) { $0.type == type ? nil : $0 }
      try expectFailure(.film(), 0) { atom in
        var bytes = atom.payload.array
        if atom.type == type { bytes[5] ^= 1 }
        return SampleEntryAtoms.Atom(atom.type, Bytes(bytes))
      }
    }
    try expectFailure(.film(), 1) { $0.type == "esds" ? nil : $0 }
    try expectFailure(.film(.iso), 1, to: .quickTime) { $0.type == "wave" ? nil : $0 }
    let pcm = sound(SampleEntry.sound("in24", rate: 48_000))
    for wrong in [[0, 0, 0, 0, 1, 24], [0, 0, 0, 0, 0, 16]] as [[UInt8]] {
      try expectFailure(pcm, 0) { $0.type == "pcmC" ? SampleEntryAtoms.Atom("pcmC", Bytes(wrong)) : $0 }
    }
    let fast = sound(
      SampleEntry.soundVersion2(channels: 1, bits: 24, rate: 96_000, packet: (3, 1)), timeScale: 96_000)
    try expectFailure(fast, 0) { $0.type == "srat" ? SampleEntryAtoms.Atom("srat", Bytes(u32(0, 88_200))) : $0 }
    let mp3 = sound(SampleEntry.sound(".mp3", rate: 48_000))
    try expectFailure(mp3, 0) { $0.type == "esds" ? nil : $0 }
    try expectFailure(mp3, 0) { $0.type == "esds" ? ElementaryStream.atom(.mpeg2Sound) : $0 }
  }

  @Test func detectsOtherPictureProperties() throws {
    let movie = TestMovie(tracks: [
      TestTrack(.video, id: 1).with { $0.sampleEntries = [SampleEntry.video("jpeg", width: 64, height: 36)] }
    ])
    try expectFailure(movie, 0) { $0.type == "esds" ? ElementaryStream.atom(.png) : $0 }
    try expectFailure(movie, 0) { $0.type == "esds" ? nil : $0 }
  }
}
