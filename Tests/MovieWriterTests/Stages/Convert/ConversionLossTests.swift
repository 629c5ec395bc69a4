import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// Contents that another type cannot express: each loss is listed, and no valid file causes an internal error.
struct ConversionLossTests {
  private func isListed(_ what: String, in trial: ConversionTrial) -> Bool {
    trial.notices.contains { $0.kind == .leftOut && $0.isWarning && $0.message.contains(what) }
  }

  /// Returns a movie with a text track besides its video.
  private func film(
    _ kind: TestTrack.Kind, _ entry: [UInt8], _ sample: [UInt8], _ type: TestMovie.Dialect = .quickTime,
    _ change: (inout TestTrack) -> Void = { _ in }
  ) -> TestMovie {
    var text = TestTrack(kind, id: 2).with {
      $0.sampleEntries = [entry]
      $0.samples = [TestSample(content: sample, duration: 2000)]
    }
    change(&text)
    var movie = TestMovie(tracks: [TestTrack(.video, id: 1), text])
    movie.dialect = type
    return movie
  }

  // MARK: - Text

  @Test func listsLostWebVTTFeatures() throws {
    let cue = atom("vttc") {
      atom("iden") { text("one") }
      atom("sttg") { text("line:0 position:10%") }
      atom("payl") { text("<v Roger>Hello <b>you</b></v>") }
    }
    let entry = atom("wvtt") { u16(0, 0, 0, 1) + atom("vttC") { text("WEBVTT") } }
    let trial = try ConversionTrial(film(.text, entry, cue, .iso), to: .quickTime)
    #expect(trial.movie.tracks[1].formats == ["tx3g"])
    #expect(
      isListed(
        "dropped from the text of track 2: cue identifiers, in 1 sample; cue settings, in 1 sample; voices", in: trial))
    let plain = atom("vttc") { atom("payl") { text("Hello <b>you</b>") } }
    #expect(
      try !isListed("dropped from the text", in: ConversionTrial(film(.text, entry, plain, .iso), to: .quickTime)))
  }

  /// QuickTime's colors are red, green and blue. Black is kept in the file, where it is read as no color.
  @Test(arguments: [
    (0x00FF_0080, true), (0xFFFF_FF80, true), (0x80, true), (0xFF, false), (0x00FF_00FF, false), (0x00FF_0000, true),
    (0, true),
  ])
  func listsLostTransparency(_ color: Int, _ isTranslucent: Bool) throws {
    let movie = TestMovie.filmWithChapters.with { film in
      film.dialect = .iso
      film.tracks[2].sampleEntries = [SampleEntry.timedText()]
      let styles = atom("styl") {
        u16(1, 0, 3, 1)
        u8(0, 18)
        u32(color)
      }
      film.tracks[2].samples[0] = TestSample(content: u16(5) + text("Start") + styles, duration: 1000)
    }
    let trial = try ConversionTrial(movie, to: .quickTime)
    #expect(trial.movie.tracks[2].formats == ["text"])
    #expect(isListed("track 3: text transparency, in 1 sample", in: trial) == isTranslucent)
  }

  /// For any number of unknown box types, the message is readable.
  @Test func countsUnknownBoxesUnderOneName() throws {
    let types = (10..<90).map { "zz\($0)" }
    func boxes(_ types: some Sequence<String>) -> [UInt8] { types.flatMap { atom($0) { zeros(0) } } }
    let named = "(zz10, zz11, zz12, zz13, zz14, zz15, zz16, zz17, zz18, …)"
    let old = film(.text, SampleEntry.text(), u16(2) + text("ab") + boxes(types)) { track in
      track.samples.insert(TestSample(content: u16(2) + text("cd") + boxes(types.prefix(4)), duration: 500), at: 0)
    }
    let message = "dropped from the text of track 2: unknown boxes \(named), in 2 samples"
    #expect(try ConversionTrial(old, to: .mp4).messages(.leftOut) == [message])

    let header = atom("vttC") { text("WEBVTT") } + boxes(types)
    let entry = atom("wvtt") { u16(0, 0, 0, 1) + header }
    let cue = atom("vttc") { boxes(types) + atom("payl") { text("Hello") } } + boxes(types)
    let webVTT = try ConversionTrial(film(.text, entry, cue, .iso), to: .quickTime)
    #expect(isListed("dropped from the text of track 2: unknown boxes \(named), in 1 sample", in: webVTT))
    #expect(
      webVTT.messages(.leftOut).contains {
        $0 == "dropped from the text description of track 2: unknown boxes \(named)"
      }
    )
    #expect(webVTT.notices.allSatisfy { $0.message.utf8.count < 200 })
  }

  @Test func listsLostDrawingProperties() throws {
    func entry(flags: Int, background: Int) -> [UInt8] {
      atom("text") {
        u16(0, 0, 0, 1)
        u32(flags, 1)
        u16(background, 0, 0, 0, 0, 20, 60)
        zeros(15)
        u16(0xFFFF, 0xFFFF, 0xFFFF)
        u8(0)
      }
    }
    let words = u16(2) + text("ab")
    let drawn = try ConversionTrial(film(.text, entry(flags: 0x1000, background: 0xFFFF), words), to: .mp4)
    #expect(isListed("the background color", in: drawn) && isListed("scrolling, drop shadow", in: drawn))
    let plain = try ConversionTrial(film(.text, entry(flags: 0x1, background: 0), words), to: .mp4)
    #expect(!plain.notices.contains { $0.kind == .leftOut })
  }

  @Test func listsLostDrawingPropertiesOfTheHeader() throws {
    func trial(balance: Int, x: Int) throws -> ConversionTrial {
      var bytes = film(.text, SampleEntry.text(), u16(2) + text("ab")).bytes()
      func replace(_ old: [UInt8], _ new: [UInt8]) throws {
        let place = try #require((0...bytes.count - old.count).first { bytes[$0..<$0 + old.count].elementsEqual(old) })
        bytes.replaceSubrange(place..<place + old.count, with: new)
      }
      let mode = text("gmin") + u32(0) + u16(0x40, 0x8000, 0x8000, 0x8000)
      try replace(mode + u16(0), mode + u16(balance))
      let scale = text("text") + u32(0x1_0000, 0, 0, 0, 0x1_0000, 0)
      try replace(scale + u32(0), scale + u32(x))
      return try ConversionTrial(bytes, to: .mp4)
    }
    #expect(try !isListed("gmhd", in: trial(balance: 0, x: 0)))
    #expect(try isListed("gmhd", in: trial(balance: 0x100, x: 0)))
    #expect(try isListed("gmhd", in: trial(balance: 0, x: 0x5_0000)))
  }

  /// A text that is too long for `tx3g` is dropped and listed.
  @Test func listsTextThatIsTooLong() throws {
    let words = String(repeating: "ab ", count: 25_000)
    let entry = atom("wvtt") { u16(0, 0, 0, 1) + atom("vttC") { text("WEBVTT") } }
    let cue = atom("vttc") { atom("payl") { text(words) } }
    let trial = try ConversionTrial(film(.text, entry, cue, .iso), to: .quickTime)
    #expect(isListed("could not be read completely", in: trial))
  }

  /// 16-bit sizes become 32-bit sizes.
  @Test func rewritesTextWithShortSizes() throws {
    let movie = film(.text, SampleEntry.text(), u16(2) + text("ab")) { $0.sizeTable = .stz2(bits: 16) }
    let trial = try ConversionTrial(movie, to: .mp4)
    #expect(trial.movie.tracks[1].formats == ["tx3g"])
  }

  @Test func rejectsTextWithoutAPosition() throws {
    let movie = film(.text, SampleEntry.text(), u16(2) + text("ab")) { $0.dataReferences = [] }
    #expect {
      try ConversionTrial(movie, to: .mp4)
    } throws: { ($0 as? MovieError)?.code == .unsupported }
  }

  // MARK: - Handlers and descriptions

  /// Without a sequence header, the profile is unknown. 4:2:2 has a number, but M4V files do not support it.
  @Test func rejectsMPEG2WithoutAnObjectType() throws {
    func movie(_ first: [UInt8]) -> TestMovie {
      TestMovie(tracks: [
        TestTrack(.video, id: 1).with { track in
          track.sampleEntries = [SampleEntry.video("xd5b", width: 64, height: 36)]
          track.samples = [TestSample(content: first, duration: 40)]
        }
      ])
    }
    let sequence = u32(0x1B3) + [4, 2, 0x40, 0x33, 0xFF, 0xFF, 0xE0, 0x10]
    func extended(_ profile: Int) -> [UInt8] { sequence + u32(0x1B5) + u16(0x1000 | profile << 4) + zeros(20) }
    for (profile, number) in [(0x82, UInt8(0x65)), (0x48, 0x61), (0x14, 0x64)] {
      let trial = try ConversionTrial(movie(extended(profile)), to: .mp4)
      let body = trial.movie.tracks[0].sampleDescriptions.entries[0].body
      let esds = try SampleEntryAtoms(VideoDescription(body: body).tail)["esds"]
      #expect(esds.flatMap { ElementaryStream(payload: $0) }?.objectType == number)
      try trial.expectSameMedia()
    }
    for (first, type) in [
      (extended(0x8A), MovieType.mp4), (zeros(40), .mp4), (sequence, .mp4), ([0, 0, 1], .mp4), (extended(0x48), .m4v),
    ] {
      #expect {
        try ConversionTrial(movie(first), to: type)
      } throws: { ($0 as? MovieError)?.code == .unsupported }
    }
  }

  /// MPEG-4 sample descriptions also contain other formats, including those of Apple and of phones.
  @Test(arguments: [UInt8(0x6B), 0xDD, 0xA9])
  func rejectsOtherAudioThanAACOutsideMP4(_ number: UInt8) throws {
    var esds = ElementaryStreamBytes.aac
    esds[11] = number
    let movie = TestMovie.film(.iso).with {
      $0.tracks = [$0.tracks[1]]
      $0.tracks[0].sampleEntries = [
        SampleEntry.sound("mp4a", bits: 16, rate: 48_000, extensions: atom("esds") { esds })
      ]
    }
    for type in [MovieType.m4a, .m4v, .threeGPP] {
      #expect {
        try ConversionTrial(movie, to: type)
      } throws: { ($0 as? MovieError)?.reason.contains("mp4a with the object type \(number)") == true }
    }
    let quickTime = try ConversionTrial(movie, to: .quickTime)
    #expect(quickTime.notices.contains { $0.kind == .foreignFormat } == (number != 0x6B))
  }

  @Test func truncatesLongHandlerNames() throws {
    let long = String(repeating: "é", count: 200)
    let movie = TestMovie.film(.iso).with { $0.tracks[0].handlerName = text(long) + [0] }
    let trial = try ConversionTrial(movie, to: .quickTime)
    #expect(trial.movie.tracks[0].handler?.name == String(repeating: "é", count: 127))
    #expect(isListed("end of the handler name", in: trial))
    let nul = TestMovie.film().with { $0.tracks[0].handlerName = [5] + text("ab\0cd") }
    let cut = try ConversionTrial(nul, to: .mp4)
    #expect(cut.movie.tracks[0].handler?.name == "ab")
    #expect(isListed("end of the handler name", in: cut))
  }

  @Test func rejectsIncompletelyDescribedAudio() throws {
    let movie = TestMovie.film(.iso).with {
      $0.tracks[1].sampleEntries = [
        SampleEntry.sound("mp4a", bits: 16, rate: 48_000, extensions: u32(0x133) + text("esds") + zeros(8) + [1])
      ]
    }
    #expect {
      try ConversionTrial(movie, to: .quickTime)
    } throws: { ($0 as? MovieError)?.code == .unsupported }
  }

  /// An entry that claims millions of samples does not cause a table of that size.
  @Test func rejectsExcessiveRandomAccessPoints() throws {
    let movie = TestMovie(tracks: [
      TestTrack(.video, id: 1).with { track in
        // 1.2 million samples of a byte each.
        track.samplesPerPacket = 100_000
        track.samples = (0..<12).map { _ in TestSample(content: zeros(100_000), duration: 100_000) }
        track.sampleTableAtoms =
          atom("stss") { u32(0, 1, 1) } + atom("sgpd") { u32(0x0100_0000) + text("rap ") + u32(1, 1) + u8(0) }
          + atom("sbgp") { u32(0) + text("rap ") + u32(1, 1_200_000, 1) }
      }
    ]).with { $0.dialect = .iso }
    #expect {
      try ConversionTrial(movie, to: .quickTime)
    } throws: { ($0 as? MovieError)?.code == .limit }
  }

  // MARK: - Facts

  /// Bytes of an unknown type do not become a text.
  @Test func listsFactsThatAreNotText() throws {
    let movie = TestMovie.film(.iso).with {
      $0.userData = fullAtom("meta") {
        fullAtom("hdlr") { zeros(4) + code("mdir") + zeros(12) + [0] }
        atom("ilst") { atom("©day") { atom("data") { u32(0xCF, 0) + text("2019") } } }
      }
    }
    let trial = try ConversionTrial(movie, to: .threeGPP)
    #expect(trial.movie.metadata.allSatisfy { $0.identifier.common?.key != "creationDate" })
    #expect(isListed("itsk/%A9day is dropped", in: trial))
  }

  private func values(_ trial: ConversionTrial, _ identifier: String) -> [String?] {
    trial.movie.metadata.filter { $0.identifier == MetadataIdentifier(identifier) }.map(\.stringValue)
  }

  private func userText(_ type: String, _ language: Int, _ words: String) -> [UInt8] {
    atom(type) { u16(words.utf8.count, language) + text(words) }
  }

  @Test func convertsEveryValueOfAFact() throws {
    let movie = TestMovie.film().with {
      $0.userData = userText("©ART", 0x15C7, "One") + userText("©ART", 0x15C7, "Two") + u32(0)
    }
    let trial = try ConversionTrial(movie, to: .mp4)
    #expect(values(trial, "itsk/©ART") == ["One", "Two"] && values(trial, "uiso/perf") == ["One; Two"])
    #expect(!trial.messages(.leftOut).contains { $0.contains("ART") })
  }

  @Test func joinsITunesValuesIn3GPFiles() throws {
    let movie = TestMovie.film(.iso).with {
      $0.userData = atom("meta") {
        u32(0)
        atom("hdlr") { u32(0, 0) + text("mdirappl") + u32(0, 0) + [0] }
        atom("ilst") {
          atom("©ART") {
            atom("data") { u32(1, 0) + text("Alpha") }
            atom("data") { u32(1, 0) + text("Beta") }
          }
        }
      }
    }
    let trial = try ConversionTrial(movie, to: .threeGPP)
    #expect(values(trial, "uiso/perf") == ["Alpha; Beta"] && values(trial, "itsk/©ART").isEmpty)
  }

  /// Two scripts of one language share a code of ISO 639-2.
  @Test func listsScriptsWithoutACode() throws {
    let movie = TestMovie.film().with {
      $0.userData = userText("©nam", 19, "T") + userText("©nam", 33, "S") + u32(0)
    }
    let trial = try ConversionTrial(movie, to: .mp4)
    let stated = values(trial, "uiso/titl").compactMap(\.self)
    for title in ["T", "S"] { #expect(stated.contains(title) || isListed("\"\(title)\"", in: trial)) }
  }

  @Test func joinsManyValuesUpToTheLimit() throws {
    let movie = TestMovie.film(.iso).with {
      $0.userData = atom("meta") {
        u32(0)
        atom("hdlr") { u32(0, 0) + text("mdirappl") + u32(0, 0) + [0] }
        atom("ilst") {
          atom("©ART") { (0..<2_000).flatMap { number in atom("data") { u32(1, 0) + text("Name \(number)") } } }
        }
      }
    }
    let trial = try ConversionTrial(movie, to: .threeGPP)
    let names = try #require(values(trial, "uiso/perf").first).map { $0.split(separator: "; ") }
    #expect(names?.count == 500)
    #expect(trial.messages(.leftOut).count { $0.contains("ART") } == 1_500)
  }

  /// Equal texts in another language are written for that language.
  @Test func convertsTextsOfEachLanguage() throws {
    let movie = TestMovie.film().with {
      $0.userData = userText("©nam", 0x15C7, "Same") + userText("©nam", 0x10B5, "Same") + u32(0)
    }
    for type in [MovieType.mp4, .threeGPP] {
      let titles = try ConversionTrial(movie, to: type).movie.metadata.filter {
        $0.identifier.description == "uiso/titl"
      }
      #expect(titles.map(\.stringValue) == ["Same", "Same"] && Set(titles.map(\.language)).count == 2)
    }
    // An iTunes list contains one of them.
    #expect(try values(ConversionTrial(movie, to: .mp4), "itsk/©nam") == ["Same"])
  }

  /// The number of a genre in an iTunes list does not become a text.
  @Test func listsGenreNumbers() throws {
    let movie = TestMovie.film(.iso).with {
      $0.userData = atom("meta") {
        u32(0)
        atom("hdlr") { u32(0, 0) + text("mdirappl") + u32(0, 0) + [0] }
        atom("ilst") { atom("gnre") { atom("data") { u32(0, 0) + u16(18) } } }
      }
    }
    let phone = try ConversionTrial(movie, to: .threeGPP)
    #expect(values(phone, "uiso/gnre").isEmpty && isListed("gnre", in: phone))
    let quickTime = try ConversionTrial(movie, to: .quickTime)
    #expect(values(quickTime, "itsk/gnre") == ["18"])
    #expect(values(quickTime, "mdta/com.apple.quicktime.genre").isEmpty)
  }

  /// `meta` has version and flags with an iTunes list in every type, but not with QuickTime keys.
  @Test func writesMetadataInTheTypesForm() throws {
    let items =
      atom("hdlr") { u32(0, 0) + text("mdta") + u32(0, 0, 0) + [0] }
      + atom("keys") { u32(0, 1) + atom("mdta") { text("com.example.a") } }
      + atom("ilst") { atom("\0\0\0\u{1}") { atom("data") { u32(1, 0) + text("A") } } }
    let movie = TestMovie.film().with { $0.movieAtoms = atom("meta") { items } }
    let trial = try ConversionTrial(movie, to: .mp4)
    let kept = try #require(trial.new.atoms.first { $0.type == "meta" })
    #expect(try trial.new.content(of: kept).starts(with: items.prefix(8)))
    #expect(values(trial, "mdta/com.example.a") == ["A"])
    let full = TestMovie.film(.iso).with { $0.movieAtoms = atom("meta") { u32(0) + items } }
    let back = try ConversionTrial(full, to: .quickTime)
    let plain = try #require(back.new.atoms.first { $0.type == "meta" })
    #expect(try back.new.content(of: plain).starts(with: items.prefix(8)))
    #expect(values(back, "mdta/com.example.a") == ["A"])
  }
}
