import SubtitleTestSupport
import Subtitles
import Testing

@testable import MovieBox

struct Tx3gEncoderTests {
  private static let geometry = SubtitleGeometry(pictureWidth: 1_280, pictureHeight: 720)
  private static let italic = StyledText.Style(isItalic: true)

  private func encode(_ cues: [Cue], forcing: Tx3gEncoder.Forcing = .asMarked) throws -> SubtitleMedia {
    let timeline = try CueTimeline(cues, movieDuration: 10_000, movieTimeScale: 1_000)
    return Tx3gEncoder(geometry: Self.geometry, forcing: forcing).encode(timeline)
  }

  /// Encodes a cue over the whole movie.
  private func encode(_ text: String, _ runs: [StyledText.Run]) throws -> SubtitleMedia {
    let styled = try #require(StyledText(text, runs: runs))
    return try encode([Cue(startMilliseconds: 0, endMilliseconds: 10_000, text: styled, line: 2)])
  }

  private func samples(_ media: SubtitleMedia) throws -> [Tx3gSample] {
    var reader = ByteReader(Bytes(media.data))
    var samples: [Tx3gSample] = []
    for size in media.sampleSizes { samples.append(try Tx3gSample(payload: try reader.readBytes(Int(size)))) }
    #expect(reader.remaining == 0)
    return samples
  }

  // MARK: - Description

  @Test func writesTheSampleEntry() throws {
    let media = try encode([cue(0, 1_000, "A")])
    let expected: [UInt8] =
      [0, 0, 0, 69, 0x74, 0x78, 0x33, 0x67, 0, 0, 0, 0, 0, 0, 0, 1]  // size, tx3g, reserved, data reference
      + [0, 0, 0, 0, 1, 0xFF, 0, 0, 0, 0]  // flags, centered, bottom, background
      + [0, 0, 0, 0, 0, 108, 5, 0]  // top, left, bottom, right
      + [0, 0, 0, 0, 0, 1, 0, 36, 255, 255, 255, 255]  // style
      + [0, 0, 0, 0x17, 0x66, 0x74, 0x61, 0x62, 0, 1, 0, 1, 10] + Array("Sans-Serif".utf8)
    #expect(media.sampleEntry() == expected)
    #expect(media.sampleEntry(dataReferenceIndex: 2)[15] == 2)
    #expect(media.timeScale == 1_000)
    #expect(media.duration == 10_000)
  }

  @Test func writesFlagsForForcedSamples() throws {
    let some = try encode([cue(0, 1_000, "A"), cue(2_000, 3_000, "B", isForced: true)])
    #expect(try some.timedText.displayFlags.rawValue == 0x4000_0000)
    #expect(!some.isForcedOnly)
    #expect(try samples(some).map(\.isForced) == [false, false, true, false])
    let all = try encode([cue(0, 1_000, "A", isForced: true), cue(2_000, 3_000, "B", isForced: true)])
    #expect(try all.timedText.displayFlags.rawValue == 0xC000_0000)
    #expect(all.isForcedOnly)
    let asked = try encode([cue(0, 1_000, "A"), cue(2_000, 3_000, "B", isForced: true)], forcing: .all)
    #expect(try asked.timedText.displayFlags.rawValue == 0xC000_0000)
    for media in [all, asked] { #expect(try samples(media).map(\.isForced) == [false, false, false, false]) }
    #expect(try encode([cue(0, 1_000, "A")]).timedText.displayFlags.rawValue == 0)
    #expect(try encode([]).timedText.displayFlags.rawValue == 0)
  }

  @Test(arguments: [(150, 54), (1, 1), (0, 1), (-5, 1), (708, 255), (1_000_000, 255), (101, 36)])
  func writesAnotherFontSize(percent: Int, size: UInt8) throws {
    let media = try encode("AB", [StyledText.Run(0..<1, StyledText.Style(sizeInPercent: percent))])
    #expect(try samples(media)[0].styleRecords.map(\.fontSize) == (size == 36 ? [] : [size]))
  }

  // MARK: - Samples and tables

  @Test func writesTextsAndEmptySamples() throws {
    let media = try encode([cue(1_000, 2_000, "Hé"), cue(2_000, 3_000, "B")])
    #expect(media.data == [0, 0, 0, 3, 0x48, 0xC3, 0xA9, 0, 1, 0x42, 0, 0])
    #expect(media.sampleSizes == [2, 5, 3, 2])
    #expect(media.sampleSizes.commonValue == nil)
    #expect(
      media.durationRuns == [
        SampleDurationRun(sampleCount: 3, duration: 1_000), SampleDurationRun(sampleCount: 1, duration: 7_000),
      ])
  }

  @Test func storesACommonSampleSize() throws {
    #expect(try encode([cue(0, 5_000, "A"), cue(5_000, 10_000, "B")]).sampleSizes.commonValue == 3)
    #expect(try encode([]).sampleSizes.commonValue == 2)
    let none = try CueTimeline([], movieDuration: 0, movieTimeScale: 1)
    #expect(Tx3gEncoder(geometry: Self.geometry).encode(none).sampleSizes.commonValue == nil)
  }

  @Test func dropsTrailingLineBreaks() throws {
    #expect(try encode("A\n\n", []).data == [0, 1, 0x41])
    #expect(try encode("\n", []).data == [0, 0])
  }

  @Test func writesFontSizeAndColourInStyleRecords() throws {
    let media = try encode("Hi", [StyledText.Run(1..<2, Self.italic)])
    let expected: [UInt8] =
      [0x00, 0x02, 0x48, 0x69, 0x00, 0x00, 0x00, 0x16, 0x73, 0x74, 0x79, 0x6C, 0x00, 0x01]
      + [0x00, 0x01, 0x00, 0x02, 0x00, 0x01, 0x02, 0x24, 0xFF, 0xFF, 0xFF, 0xFF]
    #expect(media.data == expected)
  }

  @Test func writesBitsOfEveryStyle() throws {
    let red = StyledText.Color(red: 255, green: 0, blue: 0)
    let media = try encode(
      "abcd",
      [
        StyledText.Run(0..<1, StyledText.Style(isBold: true)),
        StyledText.Run(1..<2, StyledText.Style(isUnderlined: true)),
        StyledText.Run(2..<3, StyledText.Style(color: red)),
        StyledText.Run(3..<4, StyledText.Style(isBold: true, isItalic: true, isUnderlined: true, color: red)),
      ])
    let records = try samples(media)[0].styleRecords
    #expect(records.map(\.face.rawValue) == [1, 4, 0, 7])
    #expect(records.map(\.color) == [.white, .white, red, red])
    #expect(records.map(\.fontSize) == [36, 36, 36, 36])
  }

  @Test func writesNoRecordsForDefaultRuns() throws {
    let media = try encode(
      "ab", [StyledText.Run(0..<1, .plain), StyledText.Run(1..<2, StyledText.Style(color: .white))])
    #expect(media.data == [0, 2, 0x61, 0x62])
  }

  @Test func truncatesLongTextBetweenCharacters() throws {
    let exact = String(repeating: "x", count: 65_535)
    #expect(try encode(exact, []).notices.isEmpty)
    #expect(try encode(exact, []).sampleSizes == [65_537 + 9])  // twrp
    for (padding, kept) in [(65_534, 65_534), (65_532, 65_532), (65_531, 65_535)] {
      let text = String(repeating: "x", count: padding) + "😀y"
      let media = try encode(text, [StyledText.Run(padding - 1..<padding + 2, Self.italic)])
      #expect(media.notices.first?.kind == .textCut)
      #expect(media.notices.first?.line == 2)
      let sample = try samples(media)[0]
      #expect(sample.text.count == kept)
      #expect(text.hasPrefix(sample.string))
      #expect(sample.styleRecords.map { Int($0.end) } == [sample.string.unicodeScalars.count])
    }
  }

  // MARK: - Style offsets after characters beyond U+FFFF

  private func offsets(_ text: String, _ ranges: [Range<Int>]) throws -> (ranges: [Range<Int>], isNoticed: Bool) {
    let media = try encode(text, ranges.map { StyledText.Run($0, Self.italic) })
    let records = try samples(media)[0].styleRecords
    return (records.map { Int($0.start)..<Int($0.end) }, media.notices.map(\.kind) == [.ambiguousStyleOffsets])
  }

  @Test func keepsOffsetsBeforeCharactersBeyondU10000() throws {
    let (ranges, isNoticed) = try offsets("ab cd 😀", [0..<2])
    #expect(ranges == [0..<2])
    #expect(!isNoticed)
  }

  @Test func extendsRunsOverBlanksForBothInterpretations() throws {
    // "Hi" is 2..<4 in code points and 3..<5 in UTF-16 units; 2..<5 adds a blank in either interpretation.
    let (ranges, isNoticed) = try offsets("😀 Hi you", [2..<4])
    #expect(ranges == [2..<5])
    #expect(!isNoticed)
  }

  @Test func extendsTheEndOfARunWithASurrogatePair() throws {
    let (ranges, isNoticed) = try offsets("a 😀b c", [2..<4])
    #expect(ranges == [2..<5])
    #expect(!isNoticed)
  }

  @Test func writesCodePointsWithNoticeIfNoBlankHelps() throws {
    for (text, range) in [("😀Hi you", 1..<3), ("😀 Hi", 2..<4), ("😀😀 Hi you", 3..<5)] {
      let (ranges, isNoticed) = try offsets(text, [range])
      #expect(ranges == [range])
      #expect(isNoticed)
    }
  }

  @Test func countsACueOnceInNotices() throws {
    let media = try encode(
      "😀a b", [StyledText.Run(1..<2, Self.italic), StyledText.Run(3..<4, StyledText.Style(isBold: true))])
    #expect(media.notices.map(\.kind) == [.ambiguousStyleOffsets])
    #expect(media.notices.map(\.line) == [2])
  }

  /// Interprets the records like both kinds of players, and compares the styled letters.
  @Test(arguments: 0..<300 as Range<UInt64>)
  func stylesEqualLettersInBothInterpretationsUnlessNoticed(seed: UInt64) throws {
    var random = SubtitleRandom(seed: seed)
    let alphabet: [Unicode.Scalar] = ["a", "b", "é", "日", "😀", " ", " ", " ", "\n", "\u{A0}"]
    var scalars = String.UnicodeScalarView()
    for _ in 0..<1 + random.next(below: 16) {
      scalars.append(alphabet[Int(random.next(below: UInt64(alphabet.count)))])
    }
    scalars.append(".")
    var styles: [StyledText.Style?] = []
    var runs: [StyledText.Run] = []
    let choices: [StyledText.Style] = [
      Self.italic, StyledText.Style(isBold: true), StyledText.Style(isUnderlined: true),
    ]
    while styles.count < scalars.count {
      let length = min(scalars.count - styles.count, 1 + Int(random.next(below: 4)))
      let style = random.next(below: 2) == 0 ? nil : choices[Int(random.next(below: 3))]
      if let style { runs.append(StyledText.Run(styles.count..<styles.count + length, style)) }
      styles += Array(repeating: style, count: length)
    }
    let text = String(scalars)
    let media = try encode(text, runs)
    let sample = try samples(media)[0]
    #expect(sample.string == text)
    let isNoticed = !media.notices.isEmpty
    var end = 0
    for record in sample.styleRecords {
      #expect(Int(record.start) >= end && record.end > record.start, "seed \(seed)")
      end = Int(record.end)
    }
    #expect(end <= scalars.count, "seed \(seed)")
    var unit = 0
    for (index, scalar) in scalars.enumerated() {
      defer { unit += scalar.value > 0xFFFF ? 2 : 1 }
      guard !scalar.properties.isWhitespace else { continue }
      #expect(face(sample, at: index) == face(styles[index]), "seed \(seed): code point \(index)")
      guard !isNoticed else { continue }
      #expect(face(sample, at: unit) == face(styles[index]), "seed \(seed): unit \(unit)")
    }
  }

  private func face(_ sample: Tx3gSample, at position: Int) -> Tx3gStyleRecord.Face {
    sample.styleRecords.first { $0.start <= position && position < $0.end }?.face ?? []
  }

  private func face(_ style: StyledText.Style?) -> Tx3gStyleRecord.Face {
    guard let style else { return [] }
    return style.isBold ? .bold : style.isItalic ? .italic : .underline
  }

  // MARK: - From file to samples

  @Test func encodesSubRip() throws {
    let file = try readSubRip(
      """
      1
      00:00:01,000 --> 00:00:02,500
      [door creaks]

      2
      00:00:02,500 --> 00:00:04,000
      <i>Who</i> is there?
      """)
    let media = try encode(file.cues)
    let read = try samples(media)
    #expect(read.map(\.string) == ["", "[door creaks]", "Who is there?", ""])
    #expect(read[2].styleRecords.map { [$0.start, $0.end] } == [[0, 3]])
    #expect(
      media.durationRuns == [
        SampleDurationRun(sampleCount: 1, duration: 1_000), SampleDurationRun(sampleCount: 2, duration: 1_500),
        SampleDurationRun(sampleCount: 1, duration: 6_000),
      ])
    #expect((file.notices + media.notices).isEmpty)
  }
}

extension SubtitleMedia {
  /// The timed text description of the media.
  var timedText: Tx3gDescription {
    get throws {
      guard case .timedText(let description) = description else { throw MovieError(.unsupported, "not timed text") }
      return description
    }
  }
}
