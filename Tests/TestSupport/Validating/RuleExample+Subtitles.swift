extension RuleExample {
  private static let stsd = "moov/trak#4/mdia/minf/stbl/stsd"
  /// The offset of the first entry's fields in the payload of `stsd`: 8 bytes of the list and 16 of the entry.
  private static let entry = 24

  static var subtitles: [RuleExample] {
    get throws {
      [
        try RuleExample("subtitle.text-handler", at: "moov/trak#4/mdia/hdlr", 8, code("text")),
        try RuleExample(
          "subtitle.3gp-handler", keeps: TestMovie.rightISO.with { $0.brands = ["3gp5", "3gp5", "3gp4"] },
          at: "moov/trak#4/mdia/hdlr", 8, code("text")),
        RuleExample("subtitle.format") {
          $0.tracks[3].sampleEntries = [
            atom("wvtt") {
              zeros(6)
              u16(1)
              atom("vttC") { text("WEBVTT") }
            }
          ]
          let words = atom("vttc") { atom("payl") { text("Hi") } }
          $0.tracks[3].samples = $0.tracks[3].samples.enumerated().map { index, sample in
            TestSample(content: index == 1 ? words : atom("vtte"), duration: sample.duration)
          }
        },
        RuleExample("subtitle.description-count") {
          $0.tracks[3].sampleEntries = $0.tracks[3].sampleEntries.map { $0 + $0 }
        },
        try RuleExample("subtitle.font-table", at: stsd, entry + 22, u16(2)),
        RuleExample("subtitle.font-name") { $0.tracks[3] = $0.tracks[3].described(font: "Arial") },
        try RuleExample("subtitle.fixed-fields", at: stsd, entry + 4, u8(0)),
        try RuleExample("subtitle.invisible", at: stsd, entry + 29, u8(0)),
        RuleExample("subtitle.layer") { $0.tracks[3].layer = 0 },
        try RuleExample("subtitle.volume", at: "moov/trak#4/tkhd", 36, u16(0x100)),
      ]
    }
  }

  static var geometry: [RuleExample] {
    get throws {
      [
        RuleExample("geometry.film-disabled") { movie in
          movie.tracks[0].isEnabled = false
          movie.tracks.append(
            TestTrack(.video, id: 9).with { thumbnail in
              (thumbnail.width, thumbnail.height) = (160, 90)
              thumbnail.samples = [TestSample(40, duration: 1200)]
              thumbnail.sampleEntries = [SampleEntry.video("jpeg", width: 160, height: 90)]
            })
        },
        RuleExample("geometry.strip") { $0.tracks[3].matrix[7] = 0 },
        RuleExample("geometry.whole-picture", and: ["text.box-place"]) {
          $0.tracks[3] = $0.tracks[3].placedFreely().with { ($0.width, $0.height) = (1280, 100) }
          $0.tracks[3].sampleEntries = [
            SampleEntry.timedText(
              width: 1280, height: 100, displayFlags: 0x2000_0000, fontSize: 36, fontName: "Sans-Serif")
          ]
        },
        try RuleExample("geometry.text-box", at: stsd, entry + 10, u16(1)),
        try RuleExample("geometry.font-size", at: stsd, entry + 25, u8(34)),
      ]
    }
  }

  static var timelines: [RuleExample] {
    [
      RuleExample("timeline.start") {
        $0.tracks[3].edits = [TestEdit(duration: 60, mediaTime: -1), TestEdit(duration: 1140, mediaTime: 0)]
      },
      RuleExample("timeline.end") { $0.tracks[3].samples[2].duration = 300 },
      RuleExample("timeline.past-end") { $0.tracks[3].samples[2].duration = 700 },
      RuleExample("timeline.order") { $0.tracks[3].samples[1].isSync = false },
      RuleExample("timeline.empty", and: ["timeline.start"]) {
        $0.tracks[3].samples = []
        $0.tracks[3].edits = [TestEdit(duration: 1200, mediaTime: -1), TestEdit(duration: 0, mediaTime: 0)]
      },
    ]
  }

  static var texts: [RuleExample] {
    func style(_ start: Int, _ end: Int, size: Int = 36, alpha: Int = 255) -> [UInt8] {
      u16(start, end, 1) + u8(2, size, 255, 255, 255, alpha)
    }
    func styles(_ records: [UInt8]...) -> [UInt8] {
      atom("styl") {
        u16(records.count)
        Array(records.joined())
      }
    }
    func saying(_ rule: String, _ words: String, _ boxes: [UInt8] = []) -> RuleExample {
      RuleExample(rule, keeps: .right.with { $0.tracks[3] = $0.tracks[3].saying("Hi", boxes: styles(style(0, 2))) }) {
        $0.tracks[3] = $0.tracks[3].saying(words, boxes: boxes)
      }
    }
    func placed(_ box: [UInt8]) -> TestMovie {
      TestMovie.right.with {
        $0.tracks[3] = $0.tracks[3].placedFreely()
        $0.tracks[3].samples[1] = .timedText("Up", duration: 1000, boxes: box)
      }
    }
    let upper = atom("tbox") { u16(0, 0, 108, 1280) }
    let other = TestSample.timedText("Bye", duration: 500)
    let someForced = TestMovie.right.with {
      $0.tracks[3] = $0.tracks[3].described(displayFlags: 0x4000_0000).saying("Sign", boxes: atom("frcd"))
      $0.tracks[3].samples[2] = other
    }
    return [
      RuleExample("text.unreadable") {
        $0.tracks[3].samples[1...] = [TestSample(content: u16(9), duration: 1000), other]
      },
      RuleExample("text.encoding") {
        $0.tracks[3].samples[1] = TestSample(content: u16(2) + [0xC3, 0x28], duration: 1000)
      },
      saying("text.trailing-newline", "Hi\n"),
      saying("text.style-runs", "Hello", styles(style(2, 4), style(3, 5))),
      saying("text.invisible-style", "Hello", styles(style(0, 4, alpha: 0))),
      RuleExample("text.box-without-flag") { $0.tracks[3] = $0.tracks[3].saying("Up", boxes: upper) },
      RuleExample("text.flag-without-box", keeps: placed(upper), breaking: placed([]).bytes()),
      RuleExample(
        "text.box-place", keeps: placed(upper), breaking: placed(atom("tbox") { u16(0, 40, 108, 1240) }).bytes()),
      RuleExample("text.forced-without-flag", keeps: someForced) {
        $0.tracks[3] = $0.tracks[3].described(displayFlags: 0)
      },
      RuleExample("text.flag-without-forced", keeps: someForced) { $0.tracks[3] = $0.tracks[3].saying("Sign") },
      RuleExample("text.no-duration", and: ["timeline.end"]) {
        $0.tracks[3].samples[1].duration = 0
        $0.tracks[3].samples[2] = other
      },
    ]
  }
}
