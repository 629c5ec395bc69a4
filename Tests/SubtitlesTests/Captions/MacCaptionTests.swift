import Testing

@testable import Subtitles

struct MacCaptionTests {
  private func mcc(_ lines: [String], rate: String = "30DF", version: String = "1.0") -> [UInt8] {
    let head = "File Format=MacCaption_MCC V\(version)\n\n// a comment = 1\n\nUUID=1\nTime Code Rate=\(rate)\n\n"
    return Array((head + lines.joined(separator: "\n") + "\n").utf8)
  }

  /// A line whose packet contains triples.
  private func line(
    _ code: String, _ triples: [CaptionDistributionPacket.Triple], rateCode: UInt8 = 4, suffix: String = ""
  ) -> String {
    let packet = CaptionDistributionPacket(rateCode: rateCode, sequence: 1, triples: triples).bytes
    var bytes: [UInt8] = [0x61, 0x01, UInt8(packet.count)] + packet
    bytes.append(bytes.reduce(0, &+))
    var text: [UInt8] = []
    for byte in bytes { text.appendHexadecimal(byte) }
    return code + suffix + "\t" + String(decoding: text, as: UTF8.self)
  }

  private func lines(_ codes: [CaptionCode], kind: CaptionDistributionPacket.Triple.Kind = .field1) -> [String] {
    codes.timed(from: 300).map { timed in
      line(Timecode(ofFrame: timed.time, .dropFrame).text(isDropFrame: false), [.init(kind, timed.pair)])
    }
  }

  private let hello: [CaptionCode] = [.rcl, .pac(15, indent: 12), .text("Hello"), .eoc, .null, .edm]

  @Test func readsCaptionsOfBothVersions() throws {
    let start: Int64 = 307 * 1_001 / 30  // Frame 307, rounded down.
    for version in ["1.0", "2.0"] {
      let file = try SubtitleFile.read(mcc(lines(hello), version: version), named: "film.en.mcc")
      #expect(file.cues.map(\.text.text) == ["Hello"])
      #expect(file.cues.first?.startMilliseconds == start)
      #expect(file.notices.isEmpty, "\(file.notices)")
    }
    let suffixed = lines(hello).map { $0.replacing("\t", with: ".1,4\t") }
    #expect(try SubtitleFile.read(mcc(suffixed, version: "2.0")).cues.count == 1)
  }

  @Test func readsTheSecondField() throws {
    let codes: [CaptionCode] = [.codes(0x15, 0x20), .codes(0x15, 0x70), .text("ab"), .codes(0x15, 0x2F)]
    #expect(try SubtitleFile.read(mcc(lines(codes, kind: .field2))).cues.map(\.text.text) == ["ab"])
  }

  /// Pairs at 29.97 or 59.94 frames a second. Above 30 frames a second, each second frame contains a pair of the field.
  private func written(_ pairs: [CaptionPair], step: Int64) -> (file: [UInt8], rate: CaptionFrameRate) {
    let timed = pairs.enumerated().map { TimedCaptionPair(time: 300 + Int64($0.offset) * step, $0.element) }
    let rate = CaptionFrameRate(frames: 30_000 * step, in: 1_001)
    return (MacCaptionWriter.write([timed, []], rate), rate)
  }

  @Test(arguments: [0, 1, 2, 3], [Int64(1), 2])
  func upToTwoEmptyPairsMayPrecedeARepetition(emptyCount: Int, step: Int64) throws {
    let load = [CaptionCode.rcl, .pac(15), .text("Hi")].timed().map(\.pair)
    let (show, erase) = (CaptionCode.eoc.pairs, CaptionCode.edm.pairs)
    let empty = Array(repeating: CaptionPair.null, count: emptyCount)
    let pairs = load + show + empty + show + Array(repeating: .null, count: 4) + erase + erase
    let (bytes, rate) = written(pairs, step: step)
    let file = try SubtitleFile.read(bytes)
    // A code that is executed twice hides the caption again.
    let last = load.count + emptyCount + (emptyCount < 3 ? 6 : 1)
    let times = [load.count, last].map { rate.milliseconds(ofFrame: 300 + Int64($0) * step) }
    #expect(file.cues.map(\.text.text) == ["Hi"])
    #expect(file.cues.flatMap { [$0.startMilliseconds, $0.endMilliseconds] } == times)
  }

  /// At 59.94 frames a second, the pairs of a field are two frames apart.
  @Test(arguments: [Int64(1), 2])
  func paintOnCharactersInConsecutiveFramesOfTheFieldAreOneCue(step: Int64) throws {
    let codes: [CaptionCode] = [.rdc, .pac(15), .text("Hello"), .null, .null, .text(" you"), .null, .edm]
    let file = try SubtitleFile.read(written(codes.timed().map(\.pair), step: step).file)
    #expect(file.cues.map(\.text.text) == ["Hello", "Hello you"])
  }

  @Test func paddingIsFilteredByKind() throws {
    let valid = CaptionDistributionPacket.Triple(.field1, CaptionPair(code: 0x14, 0x2C))
    let data = CaptionDistributionPacket.Triple(.digitalStart, CaptionPair(0, 0))
    let unused = CaptionDistributionPacket.Triple(.field1, isValid: false, CaptionPair(code: 0x14, 0x2F))
    let file = try MacCaptionReader.read(
      mcc([line("00:00:10:00", [valid, data, unused])]), notices: NoticeList(SubtitleLimits()))
    #expect(file.fields[0].map(\.pair) == [valid.pair] && file.fields[1].isEmpty)
  }

  @Test func expandsAllAbbreviations() throws {
    let text = "GHIJKLMNOPQRSTUZ"
    let counts = [3, 6, 9, 12, 15, 18, 21, 24, 27, 3, 3, 3, 2, 2, 4, 1]
    #expect(counts.reduce(0, +) == 153 && text.count == counts.count)
    // Without the type of captions the packet is only counted.
    let file = try MacCaptionReader.read(
      mcc(["00:00:10:00\t" + text.lowercased()]), notices: NoticeList(SubtitleLimits()))
    #expect(file.notices.finished.map(\.kind) == [.ignoredSetting])
  }

  @Test func theRateOfThePacketsDistinguishes24From23976() throws {
    for (rateCode, milliseconds) in [(UInt8(1), Int64(10_010)), (2, 10_000)] {
      let codes = hello.timed(from: 0).map { line("00:00:10:00", [.init(.field1, $0.pair)], rateCode: rateCode) }
      let file = try MacCaptionReader.read(mcc(codes, rate: "24"), notices: NoticeList(SubtitleLimits()))
      #expect(file.numbering.rate.milliseconds(ofFrame: file.fields[0][0].time) == milliseconds)
    }
  }

  @Test(
    arguments: [
      ("00:00:10:00\tT5", "line 8: the data ends within a byte: the number of digits is odd"),
      ("00:00:10:00\tT5G", "line 8: \"G\" is not the second hexadecimal digit of a byte"),
      ("00:00:10:00\tT5x", "line 8: \"x\" is not the second hexadecimal digit of a byte"),
      ("00:00:10:00\tW", "line 8: \"W\" is neither a hexadecimal digit nor an abbreviation"),
      ("00:00:10:00\tOOOOOOOOOO", "line 8: the data is longer than an ancillary data packet, 259 bytes"),
      ("00:00:10\t61", "line 8: \"00:00:10 61\" does not begin with a time code such as 01:00:00:00"),
    ])
  func malformedDataIsRefusedWithItsLine(_ line: String, _ message: String) {
    let error = #expect(throws: SubtitleError.self) { try SubtitleFile.read(mcc([line])) }
    #expect(error?.description == message && error?.code == .malformed)
  }

  @Test(arguments: ["0", "", "29.97", "25DF", "-30", "99999999999999999999"])
  func invalidRatesAreRefused(_ rate: String) {
    let error = #expect(throws: SubtitleError.self) { try SubtitleFile.read(mcc(lines(hello), rate: rate)) }
    #expect(error?.code == .malformed && error?.line == 6)
  }

  @Test func damagedPacketsAreSkippedAndReported() throws {
    var damaged = lines(hello)
    damaged.insert("00:00:10:00\tT0B96690B4F4300017200740001FF00", at: 0)
    damaged.insert("00:00:10:00\tT0B9669", at: 0)
    let file = try SubtitleFile.read(mcc(damaged))
    #expect(file.cues.map(\.text.text) == ["Hello"])
    #expect(file.notices.map(\.kind) == [.damagedPacket, .damagedPacket])
    // A packet is no cue.
    #expect(file.notices.map { $0.count(.dropped) } == [0, 0])
  }

  @Test func packetsAndPairsAreNotCountedAsCues() {
    var limits = SubtitleLimits()
    limits.noticeCount = 1
    var list = NoticeList(limits)
    list.add(.droppedPastEnd, line: 1, "")
    list.add(.droppedPastEnd, SubtitleNotice.pairsSubject, line: 2, "")
    list.add(.damagedPacket, line: 3, "")
    list.add(.droppedBeforeStart, line: 4, "")
    #expect(list.finished.map { $0.count(.dropped) } == [1, 1])
    #expect(list.finished.last?.furtherCounts == [.dropped: 1])
  }

  @Test func aMissingChecksumOfCaptionsIsReportedOnce() throws {
    let lines = hello.timed(from: 300).map { timed in
      var packet = CaptionDistributionPacket(rateCode: 4, sequence: 1, triples: [.init(.field1, timed.pair)]).bytes
      packet.removeLast()
      packet[2] -= 1
      var bytes: [UInt8] = [0x61, 0x01, UInt8(packet.count)] + packet
      bytes.append(bytes.reduce(0, &+))
      var text: [UInt8] = []
      for byte in bytes { text.appendHexadecimal(byte) }
      return Timecode(ofFrame: timed.time, .dropFrame).text(isDropFrame: false) + "\t"
        + String(decoding: text, as: UTF8.self)
    }
    let file = try SubtitleFile.read(mcc(lines))
    #expect(file.cues.count == 1 && file.notices.map(\.kind) == [.uncheckedBytes])
    // With another last digit, neither checksum is valid.
    let wrong = lines.map { $0.dropLast() + ($0.last == "0" ? "1" : "0") }
    let error = #expect(throws: SubtitleError.self) { try SubtitleFile.read(mcc(wrong.map(String.init))) }
    #expect(error?.code == .noCues && error?.line == 8)
    #expect(
      error?.reason == "no captions; \(lines.count) packets were skipped: the checksum of the ancillary data packet is "
        + "wrong (this line contains the first)")
  }

  /// The checksum of the captions is wrong, and the checksum of the packet is valid.
  @Test func anErrorNamesTheOnlyDamagedPacket() throws {
    var packet = CaptionDistributionPacket(rateCode: 4, sequence: 1, triples: [.init(.field1, .null)]).bytes
    packet[packet.endIndex - 1] &+= 1
    var bytes: [UInt8] = [0x61, 0x01, UInt8(packet.count)] + packet
    bytes.append(bytes.reduce(0, &+))
    var text: [UInt8] = []
    for byte in bytes { text.appendHexadecimal(byte) }
    let line = "00:00:10:00\t" + String(decoding: text, as: UTF8.self)
    let error = #expect(throws: SubtitleError.self) { try SubtitleFile.read(mcc([line])) }
    #expect(
      error?.description == "line 8: no captions; 1 packet was skipped: caption packet, byte \(packet.count - 1): "
        + "the checksum is wrong (this line contains the first)")
  }

  @Test func namesTheServicesOfFilesWithOnlyCEA708() {
    let packet = [
      CaptionDistributionPacket.Triple(.digitalStart, CaptionPair(0x02, 0x22)),
      .init(.digitalData, CaptionPair(0x41, 0x42)),
      .init(.digitalStart, CaptionPair(0x43, 0x61)), .init(.digitalData, CaptionPair(0x41, 0)),
      .init(.digitalData, CaptionPair(0, 0)),
    ]
    let error = #expect(throws: SubtitleError.self) { try SubtitleFile.read(mcc([line("00:00:10:00", packet)])) }
    #expect(error?.description == "all captions are CEA-708 (services 1, 3); only CEA-608 captions can be read")
  }

  @Test func roundTripsPairsOfBothFields() throws {
    let first = hello.timed(from: 1_795)
    let second = [CaptionCode.codes(0x15, 0x20), .text("ab")].timed(from: 1_797)
    let file = try MacCaptionReader.read(
      MacCaptionWriter.write([first, second]), notices: NoticeList(SubtitleLimits()))
    func summary(_ pairs: [TimedCaptionPair]) -> [String] {
      pairs.filter { !$0.pair.isNull }.map { "\($0.time) \($0.pair)" }
    }
    #expect(summary(file.fields[0]) == summary(first) && summary(file.fields[1]) == summary(second))
    #expect(file.notices.finished.isEmpty)
  }

  /// Each rate of MCC files keeps the frames of the pairs. At low rates, some frames contain several pairs of a field.
  @Test func filesOfEachRateKeepTheirPairs() throws {
    for (frames, seconds) in [
      (24_000, 1_001), (24, 1), (25, 1), (30_000, 1_001), (30, 1), (50, 1), (60_000, 1_001), (60, 1),
    ] as [(Int64, Int64)] {
      let rate = CaptionFrameRate(frames: frames, in: seconds)
      let first = [CaptionCode.rcl, .pac(15), .text("Hello"), .eoc].timed(from: 17_981)
      var second = [CaptionCode.codes(0x15, 0x20), .text("Hola"), .codes(0x15, 0x2F)].timed(from: 18_000)
      if rate != .line21 { second[1].time = second[0].time }
      let text = MacCaptionWriter.write([first, second], rate)
      let file = try MacCaptionReader.read(text, notices: NoticeList(SubtitleLimits()))
      #expect(file.numbering.rate == rate && file.notices.finished.isEmpty, "\(frames)")
      func words(_ pairs: [TimedCaptionPair]) -> [String] {
        pairs.filter { !$0.pair.isNull }.map { "\($0.time) \($0.pair.first) \($0.pair.second)" }
      }
      #expect(words(file.fields[0]) == words(first) && words(file.fields[1]) == words(second), "\(frames)")
      let found = CaptionFrameRate(
        ofPictures: 1_000, lasting: UInt64(1_000 * seconds * 90_000 / frames), timeScale: 90_000)
      #expect(found == rate)
    }
    #expect(CaptionFrameRate(ofPictures: 1_000, lasting: 1_000, timeScale: 15) == nil)
    #expect(CaptionFrameRate(ofPictures: 0, lasting: 0, timeScale: 0) == nil)
  }

  @Test func timecodesBeginAtAStartAndRestartAfterADay() throws {
    for (rate, dropsFrames, codes) in [
      (CaptionFrameRate.line21, true, ["23:59:59:28", "00:00:00:03"]),
      (.line21, false, ["23:59:59:28", "00:00:00:03"]),
      (CaptionFrameRate(frames: 25, in: 1), true, ["23:59:59:23", "00:00:00:03"]),
    ] {
      let numbering = Timecode.Numbering(rate, dropsFrames: dropsFrames)
      let pairs = [0, 5].map { TimedCaptionPair(time: $0, CaptionPair(code: 0x14, 0x2C)) }
      let text = MacCaptionWriter.write([pairs], numbering, from: numbering.framesPerDay - 2)
      let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").filter { $0.contains("\t") }
      #expect(lines.map { String($0.prefix(11)) } == codes)
      let file = try MacCaptionReader.read(text, notices: NoticeList(SubtitleLimits()))
      #expect(file.numbering == numbering && file.notices.finished.isEmpty)
      let times = pairs.map { $0.time + numbering.framesPerDay - 2 }
      #expect(file.fields[0].map(\.time) == times)
    }
  }

  /// Pairs that exceed the packet of their frame follow in the next frames, and none is lost.
  @Test func writesPairsThatExceedAPacketIntoTheNextFrames() throws {
    let pairs = (0..<40).map { TimedCaptionPair(time: 5, CaptionPair(code: 0x41, UInt8(0x20 + $0))) }
    for rate in [CaptionFrameRate.line21, CaptionFrameRate(frames: 60, in: 1)] {
      let file = try MacCaptionReader.read(
        MacCaptionWriter.write([pairs], rate), notices: NoticeList(SubtitleLimits()))
      #expect(file.fields[0].map(\.pair) == pairs.map(\.pair))
    }
  }
}
