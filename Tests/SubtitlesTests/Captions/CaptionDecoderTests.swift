import Testing

@testable import Subtitles

/// The behavior of receivers that CTA-608-E and 47 CFR 79.101 require.
struct CaptionDecoderTests {
  // MARK: - Modes

  @Test func popOnCaptionsAppearAtEndOfCaption() throws {
    let screens = try [CaptionCode.rcl, .enm, .pac(15, indent: 8), .text("Hello"), .eoc, .null, .edm].screens()
    #expect(screens.map(\.time) == [9, 12])
    #expect(screens.map { $0.rows.map(\.summary) } == [["15:8 Hello"], []])
    #expect(screens.first?.mode == .popOn)
  }

  @Test func aLoadWithoutEndOfCaptionShowsNothing() throws {
    #expect(try [CaptionCode.rcl, .pac(15), .text("Never shown")].screens().isEmpty)
  }

  @Test func endOfCaptionSwapsTheMemories() throws {
    let rows = try [CaptionCode.rcl, .pac(15), .text("AA"), .eoc, .pac(15), .text("BB"), .eoc, .null, .eoc].rows()
    #expect(rows == [["15:0 AA"], ["15:0 BB"], ["15:0 AA"]])
  }

  @Test func erasingTheLoadedRowsKeepsTheVisibleOnes() throws {
    let rows = try [
      CaptionCode.rcl, .pac(15), .text("AA"), .eoc, .pac(1), .text("BB"), .enm, .pac(2), .text("CC"), .eoc,
    ]
    .rows()
    #expect(rows == [["15:0 AA"], ["2:0 CC"]])
  }

  @Test(arguments: [2, 3, 4])
  func rollUpShowsItsDepth(depth: Int) throws {
    let codes = [CaptionCode.ru(depth)] + (0..<6).flatMap { [.cr, .pac(15), .text("L\($0)")] } + [.edm]
    let screens = try codes.screens()
    #expect(screens.count == 7)
    #expect(screens[5].rows.map(\.text.text) == (6 - depth..<6).map { "L\($0)" })
    #expect(screens[5].rows.map(\.row) == (16 - depth..<16).map { $0 })
    #expect(screens[5].mode == .rollUp(depth: depth))
  }

  @Test func aRowOfRollUpAppearsWithItsFirstCharacter() throws {
    let screens = try [CaptionCode.ru(2), .cr, .text("AB"), .null, .null, .text("CD"), .null, .cr, .null, .text("EF")]
      .screens()
    #expect(screens.map(\.time) == [4, 12])
    #expect(screens.map { $0.rows.map(\.text.text) } == [["ABCD"], ["ABCD", "EF"]])
  }

  @Test func theBaseRowOfRollUpHasRoomAboveIt() throws {
    let rows = try [CaptionCode.ru(4), .pac(1), .text("A"), .cr, .text("B")].rows()
    #expect(rows == [["4:0 A"], ["3:0 A", "4:0 B"]])
  }

  @Test func rowsOfRollUpMoveWithTheirBaseRow() throws {
    let rows = try [CaptionCode.ru(2), .pac(15), .text("A"), .cr, .text("B"), .pac(8), .text("C")].rows()
    #expect(rows.last == ["7:0 A", "8:0 C"])
  }

  @Test func paintOnCollectsTheCharactersOfConsecutiveFrames() throws {
    let screens = try [CaptionCode.rdc, .pac(15), .text("Hello"), .null, .text(" you"), .edm].screens()
    #expect(screens.map(\.time) == [4, 8, 10])
    #expect(screens.map { $0.rows.map(\.text.text) } == [["Hello"], ["Hello you"], []])
  }

  @Test func eachResumeDirectCaptioningBeginsACaption() throws {
    let rows = try [CaptionCode.rdc, .pac(14), .text("A"), .rdc, .pac(15), .text("B")].rows()
    #expect(rows == [["14:0 A"], ["14:0 A", "15:0 B"]])
  }

  @Test func aChangeToRollUpErasesOtherCaptions() throws {
    let rows = try [CaptionCode.rcl, .pac(1), .text("A"), .eoc, .ru(2), .text("B")].rows()
    #expect(rows == [["1:0 A"], [], ["15:0 B"]])
  }

  @Test func aChangeToPopOnKeepsTheVisibleRows() throws {
    let rows = try [CaptionCode.ru(2), .text("A"), .rcl, .pac(1), .text("B"), .eoc].rows()
    #expect(rows == [["15:0 A"], ["1:0 B"]])
  }

  @Test func textModeIsNotACaption() throws {
    let codes = [CaptionCode.tr, .text("News"), .rcl, .pac(15), .text("A"), .eoc]
    #expect(try codes.rows() == [["15:0 A"]])
    var decoder = CaptionDecoder(field: 0)
    for pair in codes.timed() { try decoder.receive(pair) }
    #expect(decoder.serviceNames == ["CC1", "T1"])
  }

  // MARK: - Channels

  @Test func theDataChannelBitSelectsTheSecondChannel() throws {
    let codes: [CaptionCode] = [
      .rcl, .pac(15), .text("one"), .codes(0x1C, 0x20), .codes(0x1C, 0x70), .text("two"), .codes(0x1C, 0x2F), .eoc,
    ]
    #expect(try codes.rows() == [["15:0 one"]])
    #expect(try codes.rows(.cc2) == [["15:0 two"]])
  }

  @Test func packetsOfExtendedDataServicesAreSkipped() throws {
    let codes: [CaptionCode] = [
      .codes(0x15, 0x20), .pac(15), .text("ab"), .codes(0x01, 0x03), .text("Title"), .codes(0x0F, 0x1D),
      .codes(0x15, 0x20), .text("cd"), .codes(0x15, 0x2F),
    ]
    #expect(try codes.rows(.cc3) == [["15:0 abcd"]])
  }

  // MARK: - Repetitions and parity

  @Test func controlCodesCountOnceEvenIfTheyAreDoubled() throws {
    #expect(try [CaptionCode.rdc, .pac(15), .text("ABC"), .bs].rows() == [["15:0 AB"]])
    #expect(try [CaptionCode.rdc, .pac(15), .text("ABC"), .bs].rows(isDoubled: false) == [["15:0 AB"]])
  }

  @Test func aThirdControlCodeCountsAgain() throws {
    let codes: [CaptionCode] = [.rdc, .pac(15), .text("ABC"), .bs, .bs, .bs]
    #expect(try codes.rows(isDoubled: false) == [["15:0 A"]])
  }

  @Test func aCodeAfterAnEmptyFrameIsNoRepetition() throws {
    let codes: [CaptionCode] = [.rdc, .pac(15), .text("ABC"), .bs, .null, .bs]
    #expect(try codes.rows(isDoubled: false) == [["15:0 AB"], ["15:0 A"]])
  }

  @Test func doubledExtendedCharactersReplaceOneCharacter() throws {
    let codes: [CaptionCode] = [.rcl, .pac(15), .text("-A"), .codes(0x12, 0x20), .text("B"), .eoc]
    #expect(try codes.rows() == [["15:0 -ÁB"]])
  }

  @Test func transmittedBytesWithEvenParityAreBlocksAndControlCodesWithItAreIgnored() throws {
    var pairs = [CaptionCode.rcl, .pac(15), .text("AB"), .eoc].timed()
    pairs[4].pair.second ^= 0x80
    var decoder = CaptionDecoder(field: 0, parity: .checked)
    for pair in pairs { try decoder.receive(pair) }
    #expect(decoder.screens(of: .cc1).first?.rows.map(\.summary) == ["15:0 A█"])
    for index in 5...6 { pairs[index].pair.first ^= 0x80 }
    decoder = CaptionDecoder(field: 0, parity: .checked)
    for pair in pairs { try decoder.receive(pair) }
    #expect(decoder.screens(of: .cc1).isEmpty)
    #expect(decoder.faults(of: .cc1).parityErrors.count == 3)
    decoder = CaptionDecoder(field: 0, parity: .ignored)
    for pair in pairs { try decoder.receive(pair) }
    #expect(decoder.screens(of: .cc1).first?.rows.map(\.summary) == ["15:0 AB"])
  }

  /// Each channel has its own faults. Characters before the first control code count for the channel of this code.
  @Test func faultsBelongToTheirChannel() throws {
    let fields: [[TimedCaptionPair]] = [
      [.text("AB"), .codes(0x1C, 0x20), .text("CD"), .codes(0x14, 0x20), .codes(0x14, 0x23)].timed(),
      [.codes(0x15, 0x20), .pac(15, indent: 28), .text("ABCDEF"), .codes(0x1D, 0x20), .codes(0x1D, 0x23)].timed(),
    ]
    let decoded = try DecodedCaptions(fields)
    func findings(_ channel: CaptionChannel?) -> [SubtitleNotice.Kind] { decoded.findings(of: channel).map(\.kind) }
    #expect(findings(.cc1) == [.ignoredCode])
    #expect(findings(.cc2) == [.textOutsideCue])
    #expect(findings(.cc3) == [.textCut])
    #expect(findings(.cc4) == [.ignoredCode])
    #expect(findings(nil) == [.ignoredCode, .textOutsideCue, .textCut, .ignoredCode])
    // The line is the first one in the file, whichever channel it belongs to.
    var (first, second) = (CaptionFaults.Tally(), CaptionFaults.Tally())
    first.add(1, 900)
    second.add(2, 12)
    first += second
    #expect(first.count == 3 && first.firstLine == 12)
  }

  /// All faults before the first control code count for the channel of this code.
  @Test func earlyFaultsBelongToTheFirstChannelOfTheField() throws {
    var decoder = CaptionDecoder(field: 0)
    // The first byte has even parity.
    let pairs = [CaptionPair(0x41, 0x80), CaptionPair(0x1C, 0x20), CaptionPair(0x94, 0x20)]
    for (index, pair) in pairs.enumerated() {
      try decoder.receive(TimedCaptionPair(time: Int64(index), pair, line: index + 1))
    }
    #expect(decoder.faults(of: .cc1).strayCharacters.count == 0 && decoder.faults(of: .cc2).strayCharacters.count == 1)
    #expect(decoder.faults(of: .cc2).parityErrors.firstLine == 1)
  }

  // MARK: - The cursor

  @Test func preamblesReachEachRowInEachMode() throws {
    for row in 1...15 {
      #expect(try [CaptionCode.rcl, .pac(row), .text("A"), .eoc].rows() == [["\(row):0 A"]])
      #expect(try [CaptionCode.rdc, .pac(row), .text("A")].rows() == [["\(row):0 A"]])
      #expect(try [CaptionCode.ru(3), .pac(row), .text("A")].rows() == [["\(max(row, 3)):0 A"]])
    }
  }

  @Test func indentsAndTabsAddUp() throws {
    for column in 0..<32 {
      let tabs: [CaptionCode] = column % 4 == 0 ? [] : [.tab(column % 4)]
      let codes = [.rcl, .pac(15, indent: column / 4 * 4)] + tabs + [.text("A"), .eoc]
      #expect(try codes.rows() == [["15:\(column) A"]])
    }
  }

  @Test func theLastColumnIsOverwritten() throws {
    let codes: [CaptionCode] = [.rcl, .pac(15, indent: 28), .text("ABCDEF"), .eoc]
    #expect(try codes.rows() == [["15:28 ABCF"]])
    var decoder = CaptionDecoder(field: 0)
    for pair in codes.timed() { try decoder.receive(pair) }
    #expect(decoder.faults(of: .cc1).overwrittenCharacters.count == 2)
  }

  @Test func backspaceStopsAtTheFirstColumn() throws {
    let codes: [CaptionCode] = [.rdc, .pac(15), .bs, .null, .bs, .text("AB"), .bs, .null, .bs, .null, .bs, .text("C")]
    #expect(try codes.rows().last == ["15:0 C"])
  }

  @Test func deletesToTheEndOfTheRow() throws {
    let codes: [CaptionCode] = [.rcl, .pac(15), .text("ABCD"), .pac(14), .text("EF"), .pac(15), .tab(2), .der, .eoc]
    #expect(try codes.rows() == [["14:0 EF", "15:0 AB"]])
  }

  // MARK: - Characters and styles

  @Test func hasTheBasicCharactersThatDifferFromASCII() throws {
    let codes: [CaptionCode] = [
      .rcl, .pac(15), .codes(0x2A, 0x5C), .codes(0x5E, 0x5F), .codes(0x60, 0x7B), .codes(0x7C, 0x7D),
      .codes(0x7E, 0x7F), .eoc,
    ]
    #expect(try codes.rows() == [["15:0 áéíóúç÷Ññ█"]])
  }

  @Test func hasAllSpecialAndExtendedCharacters() throws {
    func shown(_ first: UInt8, _ seconds: ClosedRange<UInt8>) throws -> String {
      try seconds.map { second in
        let codes: [CaptionCode] = [.rcl, .pac(15), .text("xy"), .codes(first, second), .text("z"), .eoc]
        return try #require(codes.screens().first?.rows.first?.text.text)
      }.joined()
    }
    #expect(try shown(0x11, 0x30...0x33) == "xy®zxy°zxy½zxy¿z")
    #expect(try shown(0x11, 0x37...0x39) == "xy♪zxyàzxy z")
    #expect(try shown(0x12, 0x20...0x3F) == "ÁÉÓÚÜü‘¡*'—©℠•“”ÀÂÇÈÊËëÎÏïÔÙùÛ«»".map { "x\($0)z" }.joined())
    #expect(try shown(0x13, 0x20...0x3F) == "ÃãÍÌìÒòÕõ{}\\^_|~ÄäÖöß¥¤│ÅåØø┌┐└┘".map { "x\($0)z" }.joined())
  }

  @Test func preamblesAndMidRowCodesSetStyles() throws {
    let codes: [CaptionCode] = [
      .rcl, .pacStyle(15, 5), .text("ab"), .midRow(7), .text("cd"), .midRow(0, isUnderlined: true), .text("ef"), .eoc,
    ]
    let text = try #require(codes.screens().first?.rows.first?.text)
    let yellow = StyledText.Color(red: 255, green: 255, blue: 0)
    #expect(text.text == "ab cd ef")
    #expect(
      text.runs == [
        .init(0..<2, .init(color: yellow)), .init(3..<5, .init(isItalic: true, color: yellow)),
        .init(6..<8, .init(isUnderlined: true)),
      ])
  }

  @Test func backgroundsColorTheFollowingCharacters() throws {
    let codes: [CaptionCode] = [.rcl, .pac(15), .text("a "), .codes(0x10, 0x28), .text("b"), .eoc]
    let text = try #require(codes.screens().first?.rows.first?.text)
    #expect(text.text == "a b")
    #expect(text.runs == [.init(2..<3, .init(backgroundColor: .init(red: 255, green: 0, blue: 0)))])
  }

  // MARK: - Bounds

  @Test func aMillionEndsOfCaptionWithoutTextShowNothing() throws {
    var decoder = CaptionDecoder(field: 0)
    for frame in Int64(0)..<1_000_000 {
      try decoder.receive(TimedCaptionPair(time: 2 * frame, CaptionPair(code: 0x14, 0x2F)))
    }
    #expect(decoder.screens(of: .cc1).isEmpty)
  }

  @Test func aLoadOfAMillionPairsShowsNothing() throws {
    var decoder = CaptionDecoder(field: 0)
    for timed in [CaptionCode.rcl, .pac(15)].timed() { try decoder.receive(timed) }
    for frame in Int64(10)..<1_000_000 {
      try decoder.receive(TimedCaptionPair(time: frame, CaptionPair(code: 0x48, 0x49)))
    }
    try decoder.finish()
    #expect(decoder.screens(of: .cc1).isEmpty && decoder.serviceNames == ["CC1"])
    // Two characters of each pair, less the 32 columns of the row.
    #expect(decoder.faults(of: .cc1).overwrittenCharacters.count == 2 * 999_990 - 32)
  }

  @Test func refusesMoreScreensThanTheLimit() throws {
    var limits = SubtitleLimits()
    limits.cueCount = 3
    var decoder = CaptionDecoder(field: 0, limits: limits)
    let pairs = (0..<5).flatMap { [CaptionCode.rdc, .pac(15), .text("A\($0)"), .null] }.timed()
    #expect(throws: SubtitleError(.limit, "the limit of 3 captions is exceeded")) {
      for pair in pairs { try decoder.receive(pair) }
      try decoder.finish()
    }
  }

  @Test func anySequenceOfPairsIsDecoded() throws {
    var generator = SystemRandomNumberGenerator()
    let seed = generator.next()
    var state = seed
    func random() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
    for field in 0...1 {
      var decoder = CaptionDecoder(field: field, parity: .checked)
      var frame: Int64 = 0
      for _ in 0..<50_000 {
        let first =
          random() % 3 == 0 ? UInt8(truncatingIfNeeded: random()) : 0x10 | UInt8(truncatingIfNeeded: random() & 15)
        try decoder.receive(
          TimedCaptionPair(time: frame, CaptionPair(code: first & 0x7F, UInt8(truncatingIfNeeded: random()) & 0x7F)))
        frame += Int64(random() % 3)
      }
      try decoder.finish()
      for channel in CaptionChannel.allCases {
        let screens = decoder.screens(of: channel)
        #expect(zip(screens, screens.dropFirst()).allSatisfy { $0.time < $1.time }, "seed \(seed)")
        #expect(
          screens.allSatisfy { $0.rows.allSatisfy { $0.column + $0.text.text.unicodeScalars.count <= 32 } },
          "seed \(seed)")
      }
    }
  }
}
