import SubtitleTestSupport
import Subtitles
import TestSupport
import Testing

@testable import MovieBox
@testable import MovieWriter

/// The placement of cues, from the subtitle file to the bytes of the track.
struct PlacementTests {
  private static let geometry = SubtitleGeometry(pictureWidth: 1_280, pictureHeight: 720)

  private func placed(
    _ start: Int64, _ end: Int64, _ text: String, _ placement: Cue.Placement, line: Int = 0
  ) -> Cue {
    Cue(startMilliseconds: start, endMilliseconds: end, text: StyledText(text), placement: placement, line: line)
  }

  private func encode(_ cues: [Cue]) throws -> (media: SubtitleMedia, samples: [Tx3gSample], timeline: CueTimeline) {
    let timeline = try CueTimeline(cues, movieDuration: 10_000, movieTimeScale: 1_000)
    let media = Tx3gEncoder(geometry: Self.geometry).encode(timeline)
    var reader = ByteReader(Bytes(media.data))
    var samples: [Tx3gSample] = []
    for size in media.sampleSizes { samples.append(try Tx3gSample(payload: try reader.readBytes(Int(size)))) }
    return (media, samples, timeline)
  }

  @Test func writesNoBoxesForBottomCues() throws {
    let (media, samples, _) = try encode([placed(0, 1_000, "A", .standard)])
    #expect(try media.timedText.displayFlags == [])
    #expect(media.geometry == Self.geometry)
    #expect(samples.map(\.textBox) == [nil, nil])
  }

  @Test func usesTheWholePictureForACueAboveTheBottom() throws {
    let cues = [
      placed(0, 1_000, "Up", Cue.Placement(vertical: .top)), placed(1_000, 2_000, "Down", .standard),
      placed(2_000, 3_000, "Middle", Cue.Placement(vertical: .middle)),
      placed(3_000, 4_000, "Low", Cue.Placement(vertical: .fromTop(hundredthsOfPercent: 2_500))),
      placed(4_000, 5_000, "Lowest", Cue.Placement(vertical: .fromTop(hundredthsOfPercent: 10_000))),
    ]
    let (media, samples, _) = try encode(cues)
    #expect(try media.timedText.displayFlags.rawValue == 0x2000_0000)
    #expect(try media.timedText.defaultTextBox == Tx3gTextBox(top: 0, left: 0, bottom: 720, right: 1_280))
    #expect([media.geometry.top, media.geometry.height, media.geometry.width] == [0, 720, 1_280])
    #expect(
      samples.map(\.textBox) == [
        Tx3gTextBox(top: 0, left: 0, bottom: 108, right: 1_280),
        Tx3gTextBox(top: 612, left: 0, bottom: 720, right: 1_280),
        Tx3gTextBox(top: 306, left: 0, bottom: 414, right: 1_280),
        Tx3gTextBox(top: 180, left: 0, bottom: 288, right: 1_280),
        Tx3gTextBox(top: 612, left: 0, bottom: 720, right: 1_280), nil,
      ])
    #expect(media.notices.isEmpty)
  }

  @Test func enlargesTheBoxForMoreLines() throws {
    let lines = { (count: Int) in Array(repeating: "A", count: count).joined(separator: "\n") }
    let (_, samples, _) = try encode([
      placed(0, 1_000, lines(2), Cue.Placement(vertical: .top)),
      placed(1_000, 2_000, lines(3), Cue.Placement(vertical: .top)),
      placed(2_000, 3_000, lines(3), .standard), placed(3_000, 4_000, lines(40), .standard),
    ])
    #expect(samples.map(\.textBox?.top) == [0, 0, 591, 0, nil])
    #expect(samples.map(\.textBox?.bottom) == [108, 129, 720, 720, nil])
  }

  @Test func writesPlacementAndForcedMarks() throws {
    var forced = placed(1_000, 2_000, "Sign", Cue.Placement(vertical: .top))
    forced.isForced = true
    let (media, samples, _) = try encode([cue(0, 1_000, "A"), forced])
    #expect(try media.timedText.displayFlags.rawValue == 0x6000_0000)
    #expect(samples[1].boxes.map(\.type) == ["frcd", "tbox"])
  }

  @Test func reportsLostSides() throws {
    let (media, samples, timeline) = try encode([
      placed(0, 1_000, "Left", Cue.Placement(vertical: .bottom, horizontal: .left), line: 2),
      placed(1_000, 2_000, "Right", Cue.Placement(vertical: .top, horizontal: .right), line: 6),
    ])
    #expect(samples.count == 3)
    #expect(timeline.notices.map(\.kind) == [.placementLost, .placementLost])
    #expect(timeline.notices.map(\.line) == [2, 6])
    #expect(media.notices.isEmpty)
    #expect(try media.timedText.displayFlags.rawValue == 0x2000_0000)
  }

  /// Lost placement is reported for each cue, whichever cues share its samples.
  @Test func reportsEachLostSideOnce() throws {
    let left = Cue.Placement(vertical: .bottom, horizontal: .left)
    let right = Cue.Placement(vertical: .bottom, horizontal: .right)
    for (cues, lines) in [
      ([placed(0, 1_000, "left", left, line: 2), placed(0, 1_000, "right", right, line: 5)], [2, 5]),
      ([placed(1_000, 5_000, "A", left, line: 2), placed(3_000, 5_000, "B", left, line: 5)], [2, 5]),
      // One cue in three samples; cues without a line;
      ([placed(0, 3_000, "A", left, line: 2), placed(1_000, 2_000, "B", .standard, line: 5)], [2]),
      ([placed(0, 1_000, "A", left), placed(0, 1_000, "B", .standard), placed(2_000, 3_000, "C", right)], [0, 0]),
    ] {
      #expect(try encode(cues).timeline.notices.filter { $0.kind == .placementLost }.map(\.line) == lines)
    }
    let gone = try encode([placed(20_000, 21_000, "late", left, line: 2)]).timeline
    #expect(gone.notices.map(\.kind) == [.droppedPastEnd])
  }

  @Test func reportsLostBackgroundsAndVoices() throws {
    let style = StyledText.Style(backgroundColor: .white, voice: "Maria")
    let text = try #require(StyledText("Hello", runs: [StyledText.Run(0..<5, style)]))
    let (_, samples, timeline) = try encode([Cue(startMilliseconds: 0, endMilliseconds: 1_000, text: text, line: 2)])
    #expect(timeline.notices.map(\.kind) == [.inexpressibleStyle, .inexpressibleStyle])
    #expect(samples[0].boxes.isEmpty)
  }

  // MARK: - Simultaneous cues

  @Test func keepsThePlaceOfOverlappingCues() throws {
    let top = Cue.Placement(vertical: .top)
    let timeline = try encode([placed(0, 2_000, "A", top), placed(1_000, 3_000, "B", top)]).timeline
    #expect(timeline.samples.map(\.placement) == [top, top, top, .standard])
    #expect(timeline.notices.isEmpty)
  }

  @Test func joinsOverlappingCuesAtTheLowestPlace() throws {
    let timeline = try encode([
      placed(0, 2_000, "Low", .standard, line: 2), placed(1_000, 3_000, "High", Cue.Placement(vertical: .top), line: 5),
      placed(1_000, 2_000, "Mid", Cue.Placement(vertical: .middle), line: 8),
    ]).timeline
    #expect(timeline.samples.map { $0.text?.text } == ["Low", "High\nMid\nLow", "High", nil])
    #expect(timeline.samples.map(\.placement.vertical) == [.bottom, .bottom, .top, .bottom])
    #expect(timeline.notices.map(\.kind) == [.placementLost, .placementLost])
    #expect(timeline.notices.map(\.line) == [5, 8])
  }

  @Test func separatesEqualTextsAtDifferentPlaces() throws {
    let timeline = try encode([
      placed(0, 1_000, "A", .standard), placed(1_000, 2_000, "A", Cue.Placement(vertical: .top)),
    ]).timeline
    #expect(timeline.samples.map(\.duration) == [1_000, 1_000, 8_000])
  }

  // MARK: - Text size

  @Test(
    arguments: [
      (SubtitleFontSize.percentOfPictureHeight(5), 36), (.percentOfPictureHeight(6), 43),
      (.percentOfPictureHeight(100), 255), (.percentOfPictureHeight(0), 1), (.pixels(48), 48), (.pixels(0), 1),
    ] as [(SubtitleFontSize, UInt8)])
  func writesTheRequestedFontSize(size: SubtitleFontSize, pixels: UInt8) throws {
    #expect(Self.geometry.withFontSize(size).fontSize == pixels)
    #expect(Self.geometry.withFontSize(size).coveringWholePicture.fontSize == pixels)
    #expect(Self.geometry.withFontSize(size).height == Self.geometry.height)
  }

  @Test func wrapsLinesThatMayNotFit() throws {
    // 1280 pixels are wide enough for 71 letters of 18 pixels, or 35 wide ones.
    for (text, wraps) in [
      (String(repeating: "a", count: 71), false), (String(repeating: "a", count: 72), true),
      (String(repeating: "日", count: 35), false), (String(repeating: "日", count: 36), true),
      (String(repeating: "é", count: 71), false), (String(repeating: "ab\n", count: 40) + "c", false),
    ] {
      #expect(try encode([cue(0, 1_000, text)]).samples[0].boxes.map(\.type) == (wraps ? ["twrp"] : []), "\(text)")
    }
  }

  @Test(arguments: ["שלום, מה שלומך?", "\u{202B}مرحبا\u{202C}", "\u{200F}- כן\n\u{200F}- לא", "𠮷野家へ", "한국어 자막", "👨‍👩‍👧 ok"])
  func preservesEveryScript(text: String) throws {
    let sample = try encode([cue(0, 1_000, text)]).samples[0]
    #expect(sample.string.unicodeScalars.elementsEqual(text.unicodeScalars))
  }

  // MARK: - In the movie

  private func header(_ input: SubtitleInput) throws -> TrackHeader {
    let source = MemorySource(Bytes(TestMovie.simple.bytes()))
    var edit = try MovieEdit(of: Movie(of: source))
    let id = try edit.add(input)
    let plan = try edit.outputPlan(of: source)
    let movie = try Movie(of: MemorySource(PlannedSource(plan, of: source).read(ByteRange(0..<plan.byteCount))))
    return try #require(movie.track(id)).header
  }

  @Test func placesATrackOverThePicture() throws {
    let strip = try header(SubtitleInput(cues: [cue(0, 500, "A")]))
    let whole = try header(SubtitleInput(cues: [placed(0, 500, "A", Cue.Placement(vertical: .top))]))
    #expect(whole.width == strip.width)
    #expect(whole.height > strip.height)
    #expect(strip.matrix == .translation(x: 0, y: Int32(bitPattern: whole.height - strip.height)))
    #expect(whole.matrix == .translation(x: 0, y: 0))
    var plain = SubtitleInput(cues: [placed(0, 500, "A", Cue.Placement(vertical: .top))])
    plain.isPlain = true
    #expect(try header(plain) == strip)
  }

  @Test func dropsStylesAndPlacementOfPlainCues() throws {
    let text = try #require(StyledText("ab", runs: [StyledText.Run(0..<1, StyledText.Style(isBold: true))]))
    let cue = Cue(
      startMilliseconds: 1, endMilliseconds: 2, text: text, placement: Cue.Placement(vertical: .top), isForced: true,
      line: 3)
    #expect(cue.plain == Cue(startMilliseconds: 1, endMilliseconds: 2, text: StyledText("ab"), isForced: true, line: 3))
  }
}
