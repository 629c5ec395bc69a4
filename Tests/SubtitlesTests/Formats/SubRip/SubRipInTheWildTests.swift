import SubtitleTestSupport
import Subtitles
import Testing

/// Numbers, times and line ends in real files.
struct SubRipInTheWildTests {
  private static let one = "00:00:01,000 --> 00:00:02,000"
  private static let two = "00:00:03,000 --> 00:00:04,000"
  private static let three = "00:00:05,000 --> 00:00:06,000"

  private func read(_ text: String) throws -> SubtitleFile {
    try SubRipReader.read(Array(text.utf8))
  }

  private static let plain = "1\n\(one)\nשלום\n\n2\n\(two)\n\u{200F}1984\u{200F}\n"

  /// The lines of ``plain`` in other spellings.
  static let spellings: [String: String] = {
    func times(_ change: (String) -> String) -> String {
      plain.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.contains("-->") ? change(String($0)) : String($0) }.joined(separator: "\n")
    }
    func mapped(_ text: String, _ change: (Unicode.Scalar) -> UInt32) -> String {
      String(String.UnicodeScalarView(text.unicodeScalars.compactMap { Unicode.Scalar(change($0)) }))
    }
    var found = [
      "marks": plain.replacing("1\n", with: "\u{200F}1\n").replacing("2\n0", with: "\u{200E}2\u{202C}\n0"),
      "full-width": times { mapped($0) { $0.value > 0x20 && $0 != "-" && $0 != ">" ? $0.value + 0xFEE0 : $0.value } },
      "full-width arrow": times { mapped($0) { $0.value > 0x20 ? $0.value + 0xFEE0 : $0.value } },
      "full-width colon and comma": times { $0.replacing(":", with: "：").replacing(",", with: "，") },
      "Arabic digits": times { mapped($0) { (0x30...0x39).contains($0.value) ? $0.value + 0x630 : $0.value } },
      "Persian digits": times { mapped($0) { (0x30...0x39).contains($0.value) ? $0.value + 0x6C0 : $0.value } },
      "full-width number": plain.replacing("2\n0", with: "２\n0"),
      "no-break spaces": times { $0.replacing(" ", with: "\u{A0}") },
      "wide spaces": times { $0.replacing(" ", with: "\u{3000}") },
      "thin spaces": times { $0.replacing(" ", with: "\u{202F}\u{2009}") },
      "CR CR LF": plain.replacing("\n", with: "\r\r\n"),
      "CR LF": plain.replacing("\n", with: "\r\n"),
      "CR": plain.replacing("\n", with: "\r"),
      "a mark of direction between cues": plain.replacing("\n\n", with: "\n\u{200F}\n"),
      "byte order mark": "\u{FEFF}" + plain,
    ]
    for mark in [
      0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069, 0x200B, 0xFEFF,
    ] {
      let mark = Unicode.Scalar(mark).map(String.init) ?? ""
      found["U+" + String(mark.unicodeScalars.first?.value ?? 0, radix: 16)] = times {
        mark + $0.replacing(" --> ", with: mark + " --> " + mark) + mark
      }
    }
    return found
  }()

  @Test(arguments: spellings.keys.sorted())
  func readsTimesAndNumbersInAnySpelling(_ name: String) throws {
    let file = try read(#require(Self.spellings[name]))
    #expect(file.cues.map(\.startMilliseconds) == [1000, 3000])
    #expect(file.cues.map(\.endMilliseconds) == [2000, 4000])
    // The text keeps its marks.
    #expect(
      file.cues.map { Array($0.text.text.unicodeScalars) }
        == ["שלום", "\u{200F}1984\u{200F}"].map { Array($0.unicodeScalars) })
    #expect(file.droppedCueCount == 0)
  }

  @Test(
    arguments: [
      ("\(one)\n1984\n\n\(two)\nHello\n", ["1984", "Hello"]),
      ("\(one)\n1984\n\(two)\nHello\n", ["1984", "Hello"]),
      ("\(one)\n\n1984\n\n\(two)\nHello\n", ["1984", "Hello"]),
      ("\(one)\n\n1984\n\(two)\nHello\n", ["1984", "Hello"]),
      ("\(one)\nIn\n1984\n\(two)\nHello\n", ["In\n1984", "Hello"]),
      ("\(one)\nIn\n\n1984\n\n\(two)\nHello\n", ["In\n\n1984", "Hello"]),
      ("\(one)\nHello\n\n3 apples\n\(two)\nBye\n", ["Hello\n\n3 apples", "Bye"]),
      ("\(one)\n1984\n\n\(two)\n1985\n\n\(three)\n1986\n", ["1984", "1985", "1986"]),
      ("\(one)\nHello\n\(two)\n1984\n\(three)\nBye\n", ["Hello", "1984", "Bye"]),
    ] as [(String, [String])])
  func keepsANumberInAFileWithoutCueNumbers(_ text: String, _ cues: [String]) throws {
    #expect(try read(text).cues.map(\.text.text) == cues)
  }

  @Test(
    arguments: [
      "1\n\(one)\n1984\n\n2\n\(two)\nHello\n", "1\n\(one)\n1984\n2\n\(two)\nHello\n",
      "\(one)\n1984\n\n2\n\(two)\nHello\n\n3\n\(three)\n1\n",
      "1\n\(one)\n1984\n\n\n2\n\n\(two)\nHello\n",
    ])
  func keepsANumberThatIsTextInANumberedFile(_ text: String) throws {
    #expect(try read(text).cues.map(\.text.text).prefix(2) == ["1984", "Hello"])
  }

  @Test func readsARepeatedCueOnce() throws {
    let cue = "\(Self.one)\n<i>Hello</i>\n\n"
    let file = try read(cue + cue + "\(Self.two)\nHello\n\n" + cue)
    #expect(file.cues.map(\.startMilliseconds) == [1000, 3000])
    #expect(file.notices.map(\.kind) == [.repeatedCue, .repeatedCue] && file.notices.map(\.line) == [4, 10])
    #expect(file.droppedCueCount == 0)
    // A cue with another style, placement, time or text is not a repetition.
    let others = ["<b>Hello</b>", "{\\an8}<i>Hello</i>", "<i>hello</i>"].map { "\(Self.one)\n\($0)\n\n" }
    #expect(try read(cue + others.joined()).cues.count == 4)
  }

  @Test func readsATripledFileOnce() throws {
    let cues = ["A", "B", "C"].map { "\(Self.one)\n\($0)\n\n" } + ["\(Self.two)\nD\n\n"]
    let file = try read(String(repeating: cues.joined(), count: 3))
    #expect(file.cues.map(\.text.text) == ["A", "B", "C", "D"] && file.notices.count == 8)
    let placed = "\(Self.one) X1:10 X2:20 Y1:400 Y2:450\nHi\n\n"
    #expect(try read(placed + placed).cues.map(\.text.text) == ["Hi", "Hi"])
  }

  @Test(arguments: ["سلام، می\u{200C}روم", "Ｈｅｌｌｏ　１２", "👨\u{200D}👩\u{200D}👧 at home", "10 –> 12"])
  func keepsTextAfterTheTimes(_ text: String) throws {
    for mark in ["", "\u{202B}"] {
      let file = try read("\(mark)\(Self.one) \(text)\n\n\(mark)\(Self.two)\nBye\n")
      #expect(file.cues.first.map { Array($0.text.text.unicodeScalars) } == Array(text.unicodeScalars))
      #expect(file.cues.count == 2)
    }
  }

  /// A file with an empty line after each line.
  @Test func findsNumbersInDoubleSpacedFiles() throws {
    let lines = ["1", Self.one, "Hello", "2", Self.two, "1984", "3", Self.three, "Bye"]
    #expect(try read(lines.joined(separator: "\n\n")).cues.map(\.text.text) == ["Hello", "1984", "Bye"])
  }

  /// An invalid timing line drops its text with a notice; it never becomes text itself.
  @Test(
    arguments: [
      "00:00:03,000 ==> 00:00:04,000", "5,0 --> 6,0", "0:03,0 -> 5.0", "00:00:03,000 - -> 00:00:04,000",
      "00:00:03,000 >> 00:00:04,000", "00:00:03,000 ⟶ 00:00:04,000", "00:00:03,000 bis 00:00:04,000",
      "00:00:03,000\t00:00:04,000", "00h00m03s000 --> 00h00m04s000", "00:00:03,000 - 00:00:04,000",
      "2 00:00:03,000 --> 00:00:04,000", "2: 00:00:03,000 --> 00:00:04,000", "00-00-03,000 --> 00-00-04,000",
      "००:००:०३,००० --> ००:००:०४,०००", "00：00：03。000 --> 00：00：04。000",
    ])
  func neverReadsATimingLineAsText(_ line: String) throws {
    let file = try read("1\n\(Self.one)\nHello\n\n2\n\(line)\nLost\n\n3\n\(Self.three)\nBye\n")
    let texts = file.cues.map(\.text.text)
    #expect(texts == ["Hello", "Bye"] || texts == ["Hello", "Lost", "Bye"])
    #expect(
      texts.count == 3
        || file.notices.contains { $0.kind == .unreadableTiming && $0.lostText?.contains("Lost") == true })
  }

  @Test(arguments: ["==>", ">>", "⟶", "bis", "\t", " ", "-", "- ->", "to", "until", "／"])
  func acceptsAnySeparatorBetweenTwoTimes(_ word: String) throws {
    let line = "00:00:03,000 \(word) 00:00:04,000"
    let file = try read("1\n\(Self.one)\nHello\n\n2\n\(line)\nFound\n\n3\n\(Self.three)\nBye\n")
    #expect(file.cues.map(\.text.text) == ["Hello", "Found", "Bye"])
    #expect(file.cues[1].startMilliseconds == 3000 && file.cues[1].endMilliseconds == 4000)
    #expect(file.notices.contains { $0.kind == .unusualTime && $0.line == 6 })
  }

  @Test(
    arguments: [
      "00:00:03-00:00:04", "0:03 -> 0:04", "00:00:03,000", "00:00:03,000 -", "00:00:03,000 2", "00:00:03,000 -- 4,000",
      "[00:00:03.000 - 00:00:04.000]", "00:00:03,000 --1> 00:00:04,000", "00:00:03,000 {\\an8}--> 00:00:04,000",
    ], ["\n", "\n\n"])
  func readsTimesAfterANumber(_ line: String, _ end: String) throws {
    let file = try read("1\n\(Self.one)\nHello\(end)2\n\(line)\nLost\(end)3\n\(Self.three)\nBye\n")
    #expect(file.cues.map(\.text.text) == ["Hello", "Bye"] && file.droppedCueCount == 1)
    let notice = file.notices.first { $0.kind == .unreadableTiming }
    #expect(notice?.lostText == "\(line)\nLost" && notice?.line == (end.count == 1 ? 5 : 6))
  }

  @Test func reportsALostFirstCue() throws {
    let file = try read("1\n0:01 -> 0:02\nLost\n\n2\n\(Self.three)\nBye\n")
    #expect(file.notices.map(\.kind) == [.unreadableTiming] && file.notices.first?.line == 2)
  }

  @Test func reportsTheRepairedEndOfACue() throws {
    let file = try read("1\n00:00:02,000 --> 00:00:01,000\na\n\nmore\n\n2\n\(Self.three)\nBye\n")
    #expect(
      file.notices.first { $0.kind == .endMoved }?.message
        == "ends at 00:00:01.000, not after its start: it is shown until 00:00:03.000: \"a  more\"")
  }

  @Test func ignoresTheEndOfFileMarkOfDOS() throws {
    let file = try read("1\n\(Self.one)\nHello\n\u{1A}\u{1A}")
    #expect(file.cues.map(\.text.text) == ["Hello"] && file.notices.isEmpty)
  }

  @Test(arguments: ["10:30 -> 11:30", "9:00 - 17:00", "1 - 2", "5, 6, 7", "2:1 > 1:2"])
  func keepsProseWithTimes(_ line: String) throws {
    #expect(try read("1\n\(Self.one)\nOpen\n\(line)\n\n2\n\(Self.two)\nBye\n").cues.first?.text.text == "Open\n" + line)
  }

  /// A hostile file is read in linear time.
  @Test(arguments: [
    "\r", "\r\r\n", "\u{200F}", "\u{200F}\n", "１>", "1>１１１１１１１１１１\n", "0:10-->0:20 é\n", "\u{200F}0:10-->0:20 é\n",
  ])
  func readsHostileLinesInLinearTime(_ piece: String) throws {
    let text = String(repeating: piece, count: 100_000) + "\n\n\(Self.one)\nHello\n"
    #expect(try read(text).cues.last?.text.text.hasSuffix("Hello") == true)
  }
}
