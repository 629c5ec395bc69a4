extension RuleExample {
  static var languages: [RuleExample] {
    [
      RuleExample("language.codes-disagree") { $0.tracks[2].extendedLanguage = "fr" },
      RuleExample("language.bibliographic-code") { $0.tracks[2].language = .packed("ger") },
      RuleExample("language.no-code", keeps: .simple) { $0.tracks[1].language = .macintosh(0x7C00) },
      RuleExample("language.macintosh-code", for: .iso) { $0.tracks[1].language = .macintosh(0) },
      RuleExample("language.tag-form") { $0.tracks[2].extendedLanguage = "es_419!" },
      RuleExample("language.unregistered-subtag") { $0.tracks[2].extendedLanguage = "es-long" },
      RuleExample("language.ambiguous-code") { $0.tracks[3].language = .packed("zho") },
      RuleExample("language.undetermined") { $0.tracks[3].language = .packed("und") },
    ]
  }

  static var groups: [RuleExample] {
    [
      RuleExample("group.mixed-kinds", and: ["group.two-enabled"]) { $0.tracks[0].group = 1 },
      RuleExample("group.two-enabled") { $0.tracks[2].isEnabled = true },
      RuleExample("group.none-enabled") { $0.tracks[1].isEnabled = false },
      RuleExample("group.split") { $0.tracks[3].group = 3 },
      RuleExample("group.missing") { $0.tracks[3].group = 0 },
      RuleExample("menu.same-line") { $0.tracks[2].language = .packed("eng") },
    ]
  }

  static var references: [RuleExample] {
    [
      RuleExample("reference.missing") { $0.tracks[2].references = [TestReference("folw", 99)] },
      RuleExample("reference.self") { $0.tracks[0].references.append(TestReference("sync", 1)) },
      RuleExample("reference.follower-place") { $0.tracks[0].references.append(TestReference("folw", 4)) },
      RuleExample("reference.follower-kind") { $0.tracks[2].references = [TestReference("folw", 1)] },
      RuleExample("reference.follower-count") { $0.tracks[2].references = [TestReference("folw", 4, 6)] },
      RuleExample("reference.fallback-kind") { $0.tracks[2].references.append(TestReference("fall", 1)) },
    ]
  }

  static var forced: [RuleExample] {
    [
      RuleExample("forced.half-flag") { $0.tracks[3] = $0.tracks[3].described(displayFlags: 0x8000_0000) },
      RuleExample("forced.target", and: ["forced.follower"]) { $0.tracks[3].references = [TestReference("forc", 5)] },
      RuleExample("forced.pair-differs") { $0.tracks[5].language = .packed("fra") },
      RuleExample("forced.no-reference") { $0.tracks[4].references = [] },
      RuleExample("forced.follower") { $0.tracks[1].references = [TestReference("folw", 5)] },
    ]
  }

  static var chapters: [RuleExample] {
    [
      RuleExample("chapter.enabled") { $0.tracks[6].isEnabled = true },
      RuleExample("chapter.kind") { $0.tracks[6].kind = .subtitle },
      RuleExample("chapter.film", keeps: .rightWithPictures) {
        $0.tracks[7].sampleEntries = [SampleEntry.video(width: 64, height: 36, extensions: SampleEntry.avcC)]
      },
      RuleExample("chapter.pictures-unlisted", keeps: .rightWithPictures) {
        $0.tracks[0].references = [TestReference("chap", 7)]
      },
      RuleExample("chapter.nero-list", keeps: withChapters) {
        $0.userData = fullAtom("chpl", version: 1) { u32(0) + u8(2) + u64(0) + pascalString("One") }
      },
      RuleExample("chapter.forms-differ", keeps: withChapters) {
        $0.userData = fullAtom("chpl", version: 1) { u32(0) + u8(1) + u64(0) + pascalString("Other") }
      },
      RuleExample("chapter.group") { $0.tracks[6].group = 2 },
      RuleExample("chapter.language") { $0.tracks[6].language = .packed("eng") },
    ]
  }

  /// Chapters both in a track and in user data.
  private static var withChapters: TestMovie {
    .right.with {
      $0.tracks[6].samples = [.chapter("One", duration: $0.tracks[6].samples.reduce(0) { $0 + $1.duration })]
      $0.userData = fullAtom("chpl", version: 1) { u32(0) + u8(1) + u64(0) + pascalString("One") }
    }
  }

  static var characteristics: [RuleExample] {
    func tag(_ content: [UInt8]) -> [UInt8] { atom("tagc") { content } }
    let half = "public.accessibility.describes-music-and-sound"
    return [
      RuleExample("tag.nul") { $0.tracks[3].userData = tag(cString("public.easy-to-read")) },
      RuleExample("tag.form") { $0.tracks[3].userData = tag(text("easy to read")) },
      RuleExample("tag.half-sdh") { $0.tracks[3].userData = tag(text(half)) },
      RuleExample("tag.written-forced") { $0.tracks[5].userData = tag(text("public.subtitles.forced-only")) },
      RuleExample("tag.other-kind") { $0.tracks[2].userData = tag(text(half)) },
      RuleExample(
        "title.name-only",
        keeps: .right.with {
          $0.tracks[3].userData =
            atom("name") { text("Title") } + atom("tnam") { u32(0) + u16(0x55C4) + cString("Title") }
        }
      ) { $0.tracks[3].userData = atom("name") { text("Title") } },
    ]
  }

  static var formats: [RuleExample] {
    func picture(_ format: String, _ configuration: [UInt8]) -> [[UInt8]] {
      [SampleEntry.video(format, width: 1280, height: 720, extensions: configuration)]
    }
    let high10: [UInt8] = [0x67, 110, 0, 0x1F, 0xA6, 0xD8]
    return [
      RuleExample("description.configuration") {
        $0.tracks[1].sampleEntries = [SampleEntry.sound("mp4a", rate: 8_000)]
      },
      RuleExample("format.hev1") { movie in
        movie.tracks[0].sampleEntries = picture("hev1", SampleEntry.hvcC())
        let picture = TestMovie.pictureOfHEVC(after: SampleEntry.setsOfHEVC)
        movie.tracks[0].samples = Array(repeating: picture, count: movie.tracks[0].samples.count)
      },
      RuleExample("format.not-played") {
        $0.tracks[0].sampleEntries = picture("avc1", SampleEntry.avcC(sequence: high10))
      },
      RuleExample("format.some-players") {
        $0.tracks[0].sampleEntries = picture("av01", atom("av1C") { u8(0x81, 0x08, 0x0C, 0) })
      },
      RuleExample("format.browsers", for: .iso) {
        $0.tracks[1].sampleEntries = [
          SampleEntry.sound("ac-3", rate: 8_000, extensions: atom("dac3") { u8(0x10, 0x3D, 0xC0) })
        ]
      },
    ]
  }
}
