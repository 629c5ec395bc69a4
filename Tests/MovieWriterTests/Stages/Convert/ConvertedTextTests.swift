import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// Text that is converted to the format of another type: the styles, and the losses in notices.
struct ConvertedTextTests {
  private func isListed(_ what: String, in trial: ConversionTrial) -> Bool {
    trial.notices.contains { $0.kind == .leftOut && $0.isWarning && $0.message.contains(what) }
  }

  /// Returns a movie with a text track besides its video.
  private func film(_ entry: [UInt8], _ sample: [UInt8], _ type: TestMovie.Dialect) -> TestMovie {
    TestMovie(tracks: [
      TestTrack(.video, id: 1),
      TestTrack(.text, id: 2).with {
        $0.sampleEntries = [entry]
        $0.samples = [TestSample(content: sample, duration: 2000)]
      },
    ]).with { $0.dialect = type }
  }

  // MARK: - WebVTT

  private func webVTT(header: String = "WEBVTT", _ sample: [UInt8], others: [UInt8] = []) throws -> ConversionTrial {
    let entry = atom("wvtt") { u16(0, 0, 0, 1) + atom("vttC") { text(header) } + others }
    return try ConversionTrial(film(entry, sample, .iso), to: .quickTime)
  }

  private func cue(_ words: String) -> [UInt8] { atom("vttc") { atom("payl") { text(words) } } }

  @Test(arguments: [
    ("<v Roger>Hello</v>", "voices (speaker names), in 1 sample"),
    ("<lang fr>Allô</lang>", "languages, in 1 sample"),
    ("<c.loud>Hello</c>", "classes, in 1 sample"), ("<c.bg_red>Hello</c>", "text background colors, in 1 sample"),
    ("One <00:01.000>two", "timestamps in cue text, in 1 sample"),
    ("<ruby>a<rt>b</rt></ruby>", "ruby text (shown in parentheses)"),
  ])
  func listsUnsupportedWebVTTTags(_ words: String, _ loss: String) throws {
    let trial = try webVTT(cue(words))
    #expect(isListed("dropped from the text of track 2: ", in: trial))
    #expect(isListed(loss, in: trial))
  }

  @Test func keepsTextStylesWithoutNotices() throws {
    let header = "WEBVTT\n\nSTYLE\n::cue(.big) { font-size: 150%; color: lime }\n"
    let trial = try webVTT(header: header, cue("<c.big>Big</c> <c.yellow>yellow</c> <b>bold</b>"))
    #expect(!trial.notices.contains { $0.kind == .leftOut })
    let sample = try #require(trial.new.track(2)?.samples.first)
    let new = try Tx3gSample(payload: Bytes(trial.new.bytes(of: sample)))
    let height = try Tx3gDescription(payload: trial.movie.tracks[1].sampleDescriptions.entries[0].body).defaultStyle
      .fontSize
    #expect(new.styleRecords.map(\.fontSize) == [height + height / 2, height, height])
    #expect(new.styleRecords[0].color == StyledText.Color(red: 0, green: 255, blue: 0))
  }

  /// Transparent text may serve as spacing. Players without transparency show it.
  @Test func keepsTransparentText() throws {
    let header = "WEBVTT\n\nSTYLE\n::cue(.none) { color: transparent }\n"
    let trial = try webVTT(header: header, cue("<c.none>Un</c>seen <c.xFF000000>red</c>"))
    #expect(!trial.notices.contains { $0.kind == .leftOut })
    let sample = try #require(trial.new.track(2)?.samples.first)
    let new = try Tx3gSample(payload: Bytes(trial.new.bytes(of: sample)))
    #expect(new.styleRecords.map(\.color) == [.transparent, StyledText.Color(red: 255, green: 0, blue: 0, alpha: 0)])
  }

  @Test func listsHeaderAndNotesOfWebVTT() throws {
    let header = "WEBVTT Kind\n\nSTYLE\n::cue { line-height: 5 }\n\nREGION\nid:top\nwidth:40%\n\nNOTE Who\n"
    let note =
      atom("vtta") { text("NOTE Check this.") }
      + atom("vttc") {
        atom("sttg") { text("line:10%") }
        atom("iden") { text("one") }
        atom("payl") { text("Hello") }
      }
    let trial = try webVTT(header: header, note, others: atom("vlab") { text("Source") })
    for loss in [
      "dropped from the text description of track 2: comments (NOTE), header", "style rules (STYLE) other than",
      "regions (REGION)", "header text",
      "source label (vlab)",
      "comments (NOTE), in 1 sample", "cue settings, in 1 sample", "cue identifiers, in 1 sample",
    ] { #expect(isListed(loss, in: trial), "\(loss)") }
  }

  // MARK: - QuickTime text

  @Test func writesOnlySyncSamplesOfText() throws {
    let movie = film(SampleEntry.text(), Self.sized, .quickTime).with {
      $0.tracks[1].samples.append(TestSample(content: u16(0), duration: 10))
      $0.tracks[1].samples[1].isSync = false
    }
    let trial = try ConversionTrial(movie, to: .mp4)
    #expect(trial.movie.tracks[1].samples.syncSamples == nil)
    #expect(trial.notices.contains { $0.kind == .converted && $0.message.contains("as sync samples") })
  }

  private static let sized: [UInt8] =
    u16(5) + text("abcde")
    + atom("styl") { u16(2) + u32(0) + u16(0, 0, 0, 0x200, 24, 0, 0, 0) + u32(3) + u16(0, 0, 0, 0, 17, 0, 0, 0) }

  @Test func keepsFontSizesOfQuickTimeText() throws {
    let trial = try ConversionTrial(film(SampleEntry.text(), Self.sized, .quickTime), to: .mp4)
    let sample = try #require(trial.new.track(2)?.samples.first)
    let new = try Tx3gSample(payload: Bytes(trial.new.bytes(of: sample)))
    #expect(new.styleRecords.map(\.fontSize) == [24, 17])
  }

  @Test func detectsAnotherFontSize() throws {
    let source = MemorySource(Bytes(film(SampleEntry.text(), Self.sized, .quickTime).bytes()))
    var edit = try MovieEdit(of: source)
    try edit.convert(to: .mp4)
    var written = try #require(try edit.recodedText()).bytes.array
    let record = u16(3, 5, 1) + [0, 17]
    let place = try #require(
      (0...written.count - record.count).first { written[$0..<$0 + record.count].elementsEqual(record) })
    _ = try edit.outputPlan(of: JoinedSource([source, MemorySource(Bytes(written))]))
    written[place + record.count - 1] = 19
    #expect {
      try edit.outputPlan(of: JoinedSource([source, MemorySource(Bytes(written))]))
    } throws: { ($0 as? MovieError)?.reason.contains("the text of sample") == true }
  }

  @Test func listsUnsupportedAtomsOfQuickTimeText() throws {
    let sample = u16(2) + text("ab") + atom("drpo") { u32(1) } + atom("zzzz") { u32(1) }
    let trial = try ConversionTrial(film(SampleEntry.text(), sample, .quickTime), to: .mp4)
    #expect(isListed("drop shadows, in 1 sample; unknown boxes (zzzz), in 1 sample", in: trial))
  }
}
