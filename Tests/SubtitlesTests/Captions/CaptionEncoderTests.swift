import Testing

@testable import Subtitles

/// Cues become pairs whose loads end at the starts of the cues.
struct CaptionEncoderTests {
  private func cue(
    _ start: Int64, _ end: Int64, _ text: StyledText, _ placement: Cue.Placement = .standard
  ) -> Cue { Cue(startMilliseconds: start, endMilliseconds: end, text: text, placement: placement) }

  private func encode(_ cues: Cue...) -> (pairs: [TimedCaptionPair], notices: [SubtitleNotice]) {
    let encoded = CaptionEncoder.encode(cues)
    return (encoded.pairs, encoded.notices.finished)
  }

  private func screens(_ pairs: [TimedCaptionPair]) throws -> [CaptionScreen] {
    var decoder = CaptionDecoder(field: 0, parity: .checked)
    for pair in pairs { try decoder.receive(pair) }
    try decoder.finish()
    return decoder.screens(of: .cc1)
  }

  @Test func aLoadEndsAtTheStartOfItsCue() throws {
    let (pairs, notices) = encode(cue(3_000, 5_000, "Hello"))
    let codes: [CaptionCode] = [.rcl, .enm, .pac(15, indent: 12), .tab(1), .text("Hello"), .eoc]
    #expect(pairs.map(\.pair) == (codes + [.edm]).timed().map(\.pair))
    #expect(pairs.map(\.time) == Array(79...91) + [150, 151])
    #expect(notices.isEmpty)
    #expect(try screens(pairs).map(\.time) == [90, 150])
  }

  private func columns(_ cues: [Cue]) throws -> [Int] {
    try #require(screens(CaptionEncoder.encode(cues).pairs).first { !$0.rows.isEmpty }).rows.map(\.column)
  }

  @Test func webVTTKeepsEveryColumn() throws {
    for width in [1, 2, 5, 20, 31, 32] {
      for column in 0...32 - width {
        let text = String(repeating: "x", count: width)
        let codes: [CaptionCode] = [.rcl, .pac(10, indent: column / 4 * 4)]
        let shown = try (codes + (column % 4 > 0 ? [.tab(column % 4)] : []) + [.text(text), .eoc, .null, .edm])
          .screens()
        var notices = NoticeList(SubtitleLimits())
        let file = SubtitleFile(cues: shown.cues(.line21, &notices), notices: [])
        var read = try SubtitleFile.read(file.written(as: .webVTT).bytes).cues
        // Later, there is time for the codes.
        for index in read.indices {
          read[index].startMilliseconds += 10_000
          read[index].endMilliseconds += 10_000
        }
        // A column beside the center counts as centered.
        let margin = 32 - width
        let isCentered = abs(2 * column - margin) <= 2
        #expect(try columns(read) == [isCentered ? margin / 2 : column], "\(width) at \(column)")
      }
    }
  }

  @Test(arguments: [
    ("position:90% align:end", [30, 27]), ("position:50% align:right", [14, 11]), ("align:end", [30, 27]),
    ("position:30%", [7, 5]), ("position:10%", [0, 0]), ("position:100%", [30, 27]), ("position:0% align:end", [0, 0]),
    ("position:20%,line-left size:40%", [11, 9]), ("position:50%,line-right size:20% align:left", [8, 8]),
    ("position:12.5% align:start", [1, 1]),
  ])
  func rowsKeepTheAlignmentOfWebVTT(settings: String, expected: [Int]) throws {
    let text = "WEBVTT\n\n00:09.000 --> 00:10.000 \(settings)\nHi\nThere\n"
    let file = try SubtitleFile.read(Array(text.utf8))
    #expect(try columns(file.cues) == expected)
    // WebVTT that is written again has the same placement.
    let again = try SubtitleFile.read(SubtitleFile(cues: file.cues, notices: []).written(as: .webVTT).bytes)
    #expect(again.cues.map(\.placement) == file.cues.map(\.placement))
  }

  /// Spaces at the start of a row move the row. Centered rows keep only the difference of their indents.
  @Test func indentsBecomeColumns() throws {
    func columns(_ text: String, _ horizontal: Cue.Placement.Horizontal = .center) throws -> [Int] {
      let (pairs, notices) = encode(cue(9_000, 10_000, StyledText(text), Cue.Placement(horizontal: horizontal)))
      #expect(notices.isEmpty && !pairs.contains { $0.pair.codes.first == 0x20 }, "\(text)")
      let rows = try #require(screens(pairs).first).rows
      let lines = text.split(separator: "\n").map { String($0.drop(while: \.isWhitespace)) }
      #expect(rows.map(\.text.text) == lines)
      return rows.map(\.column)
    }
    #expect(try columns("Hi") == [15] && columns("   Hi") == [15])
    #expect(try columns("  Hi\n  There") == [15, 13])
    #expect(try columns("Hi\n    There") == [15, 15])
    #expect(try columns("   Hi\n There") == [16, 13])
    #expect(try columns("\u{A0}\u{A0}\u{A0}\u{A0}Hi") == [17])
    #expect(try columns("  \u{A0}\u{A0}Hi") == [16])
    #expect(try columns("Hi\n  There", .left) == [0, 2] && columns("  Hi", .left) == [2])
    #expect(try columns("  Hi\nThere", .right) == [30, 27])
    let indented = Cue.Placement.Horizontal.indented(hundredthsOfPercent: CaptionArea.hundredthsOfPercent(ofColumn: 26))
    #expect(try columns("Hi\n  There", indented) == [26, 27])
    // Indents never wrap a row.
    let wide = String(repeating: "x", count: 30)
    #expect(try columns("Hi\n      \(wide)") == [15, 2] && columns("\u{A0}\u{A0}\u{A0}\(wide)", .left) == [2])
  }

  @Test func indentsOfSubtitleFilesAreKept() throws {
    let subRip = "1\n00:00:09,000 --> 00:00:10,000\n- Hi\n          - Oh\n"
    let webVTT = "WEBVTT\n\n00:09.000 --> 00:10.000\n- Hi\n&nbsp;&nbsp;&nbsp;&nbsp;- Oh\n"
    #expect(try columns(SubtitleFile.read(Array(subRip.utf8)).cues) == [14, 19])
    #expect(try columns(SubtitleFile.read(Array(webVTT.utf8)).cues) == [14, 16])
  }

  /// Negative line numbers count the rows from the last row. A cue moves up if it does not fit below its row.
  @Test(arguments: [
    ("line:-1", [14, 15]), ("line:-2", [14, 15]), ("line:-3", [13, 14]), ("line:-4", [12, 13]), ("line:-5", [11, 12]),
    ("line:-14", [2, 3]), ("line:-15", [1, 2]), ("line:-99", [1, 2]), ("line:0", [1, 2]),
    ("line:-3 vertical:rl", [14, 15]),
  ])
  func negativeLineNumbersSelectRows(settings: String, expected: [Int]) throws {
    func rows(_ file: SubtitleFile) throws -> [Int] {
      let written = file.written(as: .scenarist)
      #expect(settings.contains("vertical") || written.notices.isEmpty, "\(written.notices)")
      let pairs = try ScenaristReader.read(written.bytes, notices: NoticeList(SubtitleLimits())).fields[0]
      return try #require(screens(pairs).first { !$0.rows.isEmpty }).rows.map(\.row)
    }
    var file = try SubtitleFile.read(Array("WEBVTT\n\n00:09.000 --> 00:10.000 \(settings)\nHi\nThere\n".utf8))
    #expect(try rows(file) == expected)
    file.cues[0].placement.vertical = .fromTop(hundredthsOfPercent: 5_000)
    #expect(try rows(file) == [9, 10])
  }

  @Test func writtenPairsHaveOddParity() throws {
    // The codes of `9420 c849 0000` without parity, and a damaged byte.
    let pairs = [CaptionPair(0x14, 0x20), CaptionPair(0x48, 0x49), CaptionPair(0, 0), CaptionPair(0x94, 0xAF)]
    let timed = pairs.enumerated().map { TimedCaptionPair(time: Int64($0.offset), $0.element) }
    let codes = pairs.map { [$0.codes.first, $0.codes.second] }
    let files = [
      try ScenaristReader.read(ScenaristWriter.write(timed), notices: NoticeList(SubtitleLimits())).fields[0],
      try MacCaptionReader.read(MacCaptionWriter.write([timed, timed]), notices: NoticeList(SubtitleLimits())).fields[
        1],
    ]
    for written in files {
      #expect(written.map { [$0.pair.codes.first, $0.pair.codes.second] } == codes)
      #expect(
        written.allSatisfy { CaptionPair.hasOddParity($0.pair.first) && CaptionPair.hasOddParity($0.pair.second) })
    }
  }

  @Test func anErasureInterruptsTheNextLoad() throws {
    let (pairs, notices) = encode(cue(2_000, 2_500, "One"), cue(3_000, 4_000, "A second caption of some length"))
    #expect(notices.isEmpty)
    let screens = try screens(pairs)
    #expect(screens.map(\.time) == [60, 75, 90, 120])
    let erasure = try #require(pairs.firstIndex { $0.time == 75 })
    #expect(pairs[erasure - 1].time == 74 && pairs[erasure + 2].time == 77)
    #expect(Set(pairs.map(\.time)).count == pairs.count)
  }

  @Test func aCueWhoseLoadDoesNotFitAppearsLaterAndIsReported() throws {
    let (pairs, notices) = encode(
      cue(2_000, 2_400, "The first of two captions"), cue(2_400, 4_000, "And this one is too early"))
    #expect(notices.map(\.kind) == [.delayedCaptions])
    #expect(notices.first?.message.contains("1 caption appears up to 367 ms late") == true, "\(notices)")
    #expect(try screens(pairs).filter { !$0.rows.isEmpty }.count == 2)
  }

  /// The text needs more time than there is.
  @Test func captionsThatCouldOnlyAppearLongAfterTheirEndsAreDropped() throws {
    let cues = (0..<20).map { index in
      cue(
        2_000 + 1_000 * Int64(index), 3_000 + 1_000 * Int64(index),
        StyledText("\(10 + index) is the number of the cue\nwith quite a lot of text in it"))
    }
    let encoded = CaptionEncoder.encode(cues)
    let screens = try screens(encoded.pairs)
    var (shownCount, longestDelay) = (0, Int64(0))
    for (screen, next) in zip(screens, screens.dropFirst()) where !screen.rows.isEmpty {
      let number = try #require(Int(screen.rows[0].text.text.prefix(2)))
      let start = CaptionFrameRate.line21.frame(atMilliseconds: cues[number - 10].startMilliseconds)
      let end = CaptionFrameRate.line21.frame(atMilliseconds: cues[number - 10].endMilliseconds)
      #expect((start..<end + 60).contains(screen.time))
      // A caption is replaced, or erased at its end, or a second after it appeared late.
      #expect(!next.rows.isEmpty || next.time <= max(end, screen.time + 30) + 1)
      // A late caption keeps its duration of 29 or 30 frames, even if the next caption is dropped.
      #expect(!next.rows.isEmpty || next.time >= screen.time + 29, "\(number)")
      shownCount += 1
      longestDelay = max(longestDelay, screen.time - start)
    }
    #expect(screens.last?.rows.isEmpty == true)
    #expect(shownCount > 10 && shownCount + encoded.droppedCount == cues.count)
    let notices = encoded.notices.finished
    #expect(notices.filter { $0.kind == .droppedCaption }.count == encoded.droppedCount)
    let delays = notices.filter { $0.kind == .delayedCaptions }
    let milliseconds = CaptionFrameRate.line21.milliseconds(ofFrame: longestDelay)
    #expect(delays.count == 1 && delays[0].message.contains("up to \(milliseconds) ms late"), "\(delays)")
  }

  @Test func aCaptionStaysVisibleIfASimultaneousCaptionIsDropped() throws {
    let (pairs, notices) = encode(
      cue(2_000, 12_000, "Down"),
      cue(
        2_100, 2_110, StyledText(Array(repeating: String(repeating: "x", count: 32), count: 3).joined(separator: "\n")),
        .init(vertical: .top)))
    #expect(notices.map(\.kind) == [.droppedCaption])
    let screens = try screens(pairs)
    #expect(screens.map { $0.rows.map(\.summary) } == [["15:14 Down"], []])
    #expect(screens.map(\.time) == [60, 360])
  }

  @Test func longLinesAreWrappedAtWordsIntoRowsOfSimilarLength() throws {
    let (pairs, _) = encode(cue(5_000, 9_000, "And remember, my friend: future events such as these"))
    let rows = try #require(screens(pairs).first?.rows)
    #expect(rows.map(\.text.text) == ["And remember, my friend:", "future events such as these"])
    #expect(rows.map(\.row) == [14, 15])
  }

  /// Rows of similar length must not divide a word that fits in a row.
  @Test func onlyWordsThatAreLongerThanARowAreDivided() throws {
    let longest = String(repeating: "w", count: 32)
    for (text, expected) in [
      ("1234567890123456789012345678901 x", ["1234567890123456789012345678901", "x"]),
      ("http://example.com/a/very/long-u and", ["http://example.com/a/very/long-u", "and"]),
      ("see \(longest)", ["see", longest]),
      ("see \(longest)w", ["see", longest, "w"]),
      ("\(longest)w see", [longest, "w see"]),
    ] {
      let rows = try #require(screens(encode(cue(5_000, 9_000, StyledText(text))).pairs).first?.rows)
      #expect(rows.map(\.text.text) == expected)
    }
  }

  @Test func aCueOfManyRowsIsDividedInTime() throws {
    let (pairs, notices) = encode(cue(5_000, 15_000, "one\ntwo\nthree\nfour\nfive\nsix"))
    #expect(notices.map(\.kind) == [.dividedCue])
    let shown = try screens(pairs)
    #expect(shown.map(\.rows.count) == [4, 2, 0])
    #expect(shown.first?.time == 150 && shown.last?.time == 450)
  }

  @Test func simultaneousCuesShareTheScreen() throws {
    let (pairs, notices) = encode(cue(5_000, 9_000, "Down"), cue(6_000, 8_000, "Up", .init(vertical: .top)))
    #expect(notices.isEmpty)
    #expect(
      try screens(pairs).map { $0.rows.map(\.summary) } == [
        ["15:14 Down"], ["1:15 Up", "15:14 Down"], ["15:14 Down"], [],
      ])
  }

  @Test func aCueWithoutRoomOnTheScreenWaitsOrIsDroppedWithItsText() throws {
    let waiting = encode(cue(5_000, 9_000, "1\n2\n3"), cue(6_000, 12_000, "4\n5"))
    #expect(waiting.notices.map(\.kind) == [.delayedCaptions])
    #expect(try screens(waiting.pairs).map(\.rows.count) == [3, 2, 0])
    let dropped = encode(cue(5_000, 9_000, "1\n2\n3"), cue(6_000, 8_000, "4\n5"))
    #expect(dropped.notices.map(\.kind) == [.droppedCaption])
    #expect(dropped.notices.first?.lostText != nil)
    let short = encode(cue(5_000, 5_001, "A"))
    #expect(short.notices.map(\.kind.effect) == [.dropped])
  }

  @Test func charactersOutsideTheSetsAreReplacedAndReported() throws {
    let (pairs, notices) = encode(cue(5_000, 9_000, "“Łódź” – it’s Ωmega…"))
    #expect(try screens(pairs).first?.rows.map(\.text.text) == ["“Lódz” - it's ?mega..."])
    #expect(notices.map(\.kind) == [.foldedCharacters, .foldedCharacters])
    #expect(notices.compactMap(\.lostText) == ["Ω"])
  }

  @Test func oldDecodersShowAStandInBeforeAnExtendedCharacter() {
    let (pairs, _) = encode(cue(5_000, 9_000, "Á"))
    let load = pairs.map(\.pair)
    let extended = load.firstIndex(of: CaptionPair(code: 0x12, 0x20))
    #expect(extended.map { load[$0 - 1] } == CaptionPair(code: UInt8(ascii: "A"), 0))
  }

  @Test func lostStylesAreReported() throws {
    let text = StyledText(
      "ab cd",
      checkedRuns: [
        .init(0..<2, .init(isBold: true, color: .init(red: 250, green: 10, blue: 10)))
      ])
    let (pairs, notices) = encode(cue(5_000, 9_000, text))
    #expect(notices.map(\.subject) == ["the exact color, bold text"])
    let red = StyledText.Color(red: 255, green: 0, blue: 0)
    #expect(try screens(pairs).first?.rows.first?.text.runs == [.init(0..<2, .init(color: red))])
  }

  /// The background of captions is black.
  @Test(arguments: [
    (0x000000, CaptionStyle.Color.white), (0x000010, .white), (0x404040, .white), (0x7F7F7F, .white),
    (0xFFFFFF, .white), (0x000080, .blue), (0x800000, .red), (0x008000, .green), (0x808000, .yellow), (0xFA0A0A, .red),
    (0xC0C0FF, .white),
    (0xFF00FF, .magenta), (0x00FEFE, .cyan),
  ])
  func aColorBecomesTheNearestColorAndBlackBecomesWhite(hexadecimal: Int, expected: CaptionStyle.Color) {
    let color = StyledText.Color(
      red: UInt8(hexadecimal >> 16 & 0xFF), green: UInt8(hexadecimal >> 8 & 0xFF), blue: UInt8(hexadecimal & 0xFF))
    #expect(CaptionStyle.Color(nearest: color) == expected)
  }

  /// A code that changes the style appears as a space, which must not divide a word.
  @Test func aWordHasTheStyleOfMostOfItsCharacters() throws {
    let italic = StyledText.Style(isItalic: true)
    for (text, range, styled) in [
      ("(word) un", 1..<5, 0..<6), ("a (word), b", 3..<7, 2..<9), ("believable", 2..<6, 0..<0),
      ("x I'm y", 2..<3, 0..<0),
    ] {
      let (pairs, notices) = encode(cue(5_000, 9_000, StyledText(text, checkedRuns: [.init(range, italic)])))
      let row = try #require(screens(pairs).first?.rows.first?.text)
      #expect(row.text == text)
      #expect(row.runs == (styled.isEmpty ? [] : [.init(styled, italic)]), "\(text)")
      #expect(notices.map(\.subject) == ["changes of style within words"], "\(text)")
    }
    let words = StyledText("one two three", checkedRuns: [.init(4..<7, italic)])
    #expect(encode(cue(5_000, 9_000, words)).notices.isEmpty)
  }

  /// The code for italics keeps a color. ffmpeg erases the text to the left of a second preamble.
  @Test func italicsAfterAColorAreWhiteWithoutASecondPreamble() throws {
    let yellow = StyledText.Style(color: .init(red: 255, green: 255, blue: 0))
    let text = StyledText("ab cd", checkedRuns: [.init(0..<2, yellow), .init(3..<5, .init(isItalic: true))])
    let (pairs, notices) = encode(cue(5_000, 9_000, text))
    #expect(notices.isEmpty)
    #expect(try screens(pairs).first?.rows.first?.text == text)
    let preambles = pairs.filter { CaptionCommand($0.pair.codes.first, $0.pair.codes.second)?.isPreamble == true }
    #expect(preambles.count == 2)
  }

  @Test func aCueAtTheStartOfTheMovieAppearsAfterItsLoad() throws {
    let (pairs, notices) = encode(cue(0, 3_000, "Hello"))
    #expect(pairs.first?.time == 0 && notices.map(\.kind) == [.delayedCaptions])
  }

  @Test func cuesOfAnyTimeAreEncoded() {
    let (pairs, _) = encode(
      cue(.min, .max, "A"), cue(-5, -1, "B"), cue(.max - 1, .max, "C"), cue(9, 3, "D"), cue(1, 1_000, ""))
    #expect(pairs.allSatisfy { $0.time >= 0 })
  }

  // MARK: - Generated cues

  /// Generates cue lists of words in random styles and places.
  private struct Generator {
    var state: UInt64

    mutating func number(below limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }

    /// Up to six cues with enough time between them.
    mutating func cues() -> [Cue] {
      var time: Int64 = 3_000
      return (0...number(below: 6)).map { _ in
        let rowCount = 1 + number(below: 3)
        let lines = (0..<rowCount).map { _ in line() }
        let placement: Cue.Placement.Vertical = [
          .bottom, .top, .fromTop(hundredthsOfPercent: CaptionArea.hundredthsOfPercent(ofRow: 4 + number(below: 8))),
        ][number(below: 3)]
        let indent = CaptionArea.hundredthsOfPercent(ofColumn: number(below: 6))
        let horizontal: Cue.Placement.Horizontal = [.center, .indented(hundredthsOfPercent: indent)][number(below: 2)]
        let start = time
        let end = start + 500 + Int64(number(below: 4_000))
        time = end + 4_500 + Int64(number(below: 1_000))
        return Cue(
          startMilliseconds: start, endMilliseconds: end, text: StyledText.joined(lines),
          placement: Cue.Placement(vertical: placement, horizontal: horizontal))
      }
    }

    private mutating func line() -> StyledText {
      let styles: [StyledText.Style] = [
        .plain, .plain, .init(isItalic: true), .init(isUnderlined: true),
        .init(color: .init(red: 255, green: 255, blue: 0)),
        .init(isUnderlined: true, color: .init(red: 0, green: 255, blue: 255)),
      ]
      let letters = Array("abcXYZ019.,!?éñ♪½ÁüÖß“”".unicodeScalars)
      var (text, runs) = (String.UnicodeScalarView(), [StyledText.Run]())
      for index in 0...number(below: 4) {
        if index > 0 { text.append(" ") }
        let start = text.count
        for _ in 0...number(below: 4) { text.append(letters[number(below: letters.count)]) }
        runs.appendRun(start..<text.count, styles[number(below: styles.count)])
      }
      return StyledText(String(text), checkedRuns: runs)
    }
  }

  /// The cue as receivers show it: a style covers words, and blanks beside words of other styles have none.
  private func summary(_ rows: [CaptionRow]) -> [String] {
    rows.map { row in
      let marks = row.text.runs.map { run in
        "\(run.range)\(run.style.isItalic ? "i" : "")\(run.style.isUnderlined ? "u" : "")"
          + (run.style.color.map { $0.hexadecimal(withAlpha: false) } ?? "")
      }
      return "\(row.row) \(row.text.text) \(marks)"
    }
  }

  @Test func roundTripsAThousandGeneratedLists() throws {
    for seed in UInt64(1)...1_000 {
      var generator = Generator(state: seed)
      let cues = generator.cues()
      let encoded = CaptionEncoder.encode(cues)
      #expect(encoded.notices.finished.isEmpty, "seed \(seed)")
      let screens = try screens(encoded.pairs).filter { !$0.rows.isEmpty }
      try #require(screens.count == cues.count, "seed \(seed)")
      for (screen, cue) in zip(screens, cues) {
        let wanted = CaptionFrameRate.line21.frame(atMilliseconds: cue.startMilliseconds)
        #expect(abs(screen.time - wanted) <= 1, "seed \(seed)")
        let lines = cue.text.text.split(separator: "\n").map(String.init)
        let first =
          switch cue.placement.vertical {
          case .bottom: 16 - lines.count
          case .top: 1
          case .middle: 7
          case .fromTop(let hundredths): CaptionArea.row(at: hundredths)
          }
        var offset = 0
        var expected: [CaptionRow] = []
        for (index, line) in lines.enumerated() {
          let count = line.unicodeScalars.count
          let runs = cue.text.runs.filter { $0.range.lowerBound >= offset && $0.range.upperBound <= offset + count }
          let moved = runs.map { StyledText.Run($0.range.lowerBound - offset..<$0.range.upperBound - offset, $0.style) }
          expected.append(CaptionRow(row: first + index, column: 0, text: StyledText(line, checkedRuns: moved)))
          offset += count + 1
        }
        #expect(
          summary(screen.rows.map(\.joiningUnderlines)) == summary(expected.map(\.joiningUnderlines)), "seed \(seed)")
      }
      // A written file is read as the same number of cues, and written again with the same bytes.
      let file = SubtitleFile(cues: cues, notices: [])
      let again = try SubtitleFile.read(file.written(as: .scenarist).bytes)
      #expect(again.cues.count == cues.count, "seed \(seed)")
      #expect(again.written(as: .scenarist).bytes == file.written(as: .scenarist).bytes, "seed \(seed)")
      #expect(
        try SubtitleFile.read(file.written(as: .macCaption).bytes).cues.map(\.text) == again.cues.map(\.text),
        "seed \(seed)")
    }
  }
}

extension CaptionCommand {
  fileprivate var isPreamble: Bool {
    if case .preamble = self { true } else { false }
  }
}

extension CaptionRow {
  /// The row with equal styles of neighboring words joined over the blank between them.
  fileprivate var joiningUnderlines: CaptionRow {
    var runs: [StyledText.Run] = []
    for run in text.runs {
      if let last = runs.last, last.style == run.style, run.range.lowerBound == last.range.upperBound + 1 {
        runs[runs.count - 1].range = last.range.lowerBound..<run.range.upperBound
      } else {
        runs.append(run)
      }
    }
    return CaptionRow(row: row, column: column, text: StyledText(text.text, checkedRuns: runs))
  }
}
