import Subtitles
import TestSupport
import Testing

@testable import MovieBox

/// Captions in the samples of `c608` and `c708` tracks.
struct CaptionTrackTests {
  private typealias Code = TestCaptions

  private func movie(_ samples: [TestSample], format: String = "c608") -> TestMovie {
    TestMovie(tracks: [TestTrack(.video, id: 1), TestCaptions.track(id: 2, format: format, samples)]).with {
      $0.timeScale = 30_000
      $0.tracks[0].samples = [TestSample(10, duration: 60_000)]
      $0.tracks[0].timeScale = 1_000
    }
  }

  private func text(_ samples: [TestSample], format: String = "c608") throws -> TextTrack {
    try extractedText(movie(samples, format: format).bytes(), track: 2)
  }

  private func lines(_ text: TextTrack) -> [String] {
    text.cues.map { "\($0.startMilliseconds) \($0.endMilliseconds) \($0.text.text)" }
  }

  private let second = 30_000

  // MARK: - Times

  /// The load has eight pairs, so the first EOC is the ninth pair.
  @Test func aCaptionAppearsAtTheEndOfItsLoad() throws {
    let text = try text([
      Code.sample(Code.null, duration: second),
      Code.sample(Code.load("Bip!") + Code.null + Code.null + Code.endOfCaption, duration: 2 * second),
      Code.sample(Code.erasure, duration: second),
    ])
    #expect(lines(text) == ["1267 3000 Bip!"])
    #expect(text.notices.isEmpty)
  }

  @Test func aCaptionThatIsLoadedInOneSampleIsShownInTheNext() throws {
    let text = try text([
      Code.sample(Code.load("Here"), duration: second), Code.sample(Code.endOfCaption, duration: second),
      Code.sample(Code.erasure, duration: second),
    ])
    #expect(lines(text) == ["1000 2000 Here"])
  }

  /// A second EOC in the next frame is a repetition; half a second later, it is a separate code, which hides the
  /// caption.
  @Test func aControlCodeThatTheNextSampleRepeatsCountsOnce() throws {
    let once = Code.codes(0x14, 0x2F)
    func shown(after duration: Int) throws -> [String] {
      lines(
        try text([
          Code.sample(Code.load("Here"), duration: second), Code.sample(once, duration: duration),
          Code.sample(once, duration: second), Code.sample(Code.erasure, duration: second),
        ]))
    }
    #expect(try shown(after: Code.frame) == ["1000 2033 Here"])
    #expect(try shown(after: second / 2) == ["1000 1500 Here"])
  }

  @Test func pairsOfASampleAreFramesOfLine21OrOfTheVideo() throws {
    let bytes = movie([
      Code.sample(Code.load("Bip!") + Code.endOfCaption, duration: 2 * second),
      Code.sample(Code.erasure, duration: second),
    ]).with { $0.tracks[0].samples = .varied(60, around: 9, duration: 40) }.bytes()
    let source = MemorySource(Bytes(bytes))
    let movie = try Movie(of: source)
    #expect(lines(try movie.text(ofTrack: 2, from: source)) == ["200 2000 Bip!"])
    #expect(lines(try movie.text(ofTrack: 2, from: source, usesVideoFrameRate: true)) == ["240 2000 Bip!"])
  }

  @Test func pairsThatExceedTheirSampleAreReadAtItsEnd() throws {
    let text = try text([
      Code.sample(Code.load("Here") + Code.endOfCaption, duration: 3 * Code.frame),
      Code.sample(Code.null, duration: second), Code.sample(Code.erasure, duration: second),
    ])
    #expect(lines(text) == ["100 1100 Here"])
    // The second notice is about a caption file, whose frames hold one pair each.
    #expect(text.notices.map(\.kind) == [.delayedCaptions, .delayedCaptions])
    #expect(text.notices.first?.message.hasPrefix("track 2: 5 byte pairs after the end of a sample") == true)
    #expect(text.notices.last?.message.hasPrefix("track 2: 1 caption of CC1 appears up to") == true)
  }

  @Test func editListsMoveCaptions() throws {
    let shown = Code.sample(Code.load("Here") + Code.endOfCaption, duration: second)
    let samples = [shown, Code.sample(Code.erasure, duration: second)]
    let late = movie(samples).with {
      $0.tracks[1].edits = [TestEdit(duration: 15_000, mediaTime: -1), TestEdit(duration: 60_000, mediaTime: 0)]
    }
    #expect(lines(try extractedText(late.bytes(), track: 2)) == ["700 1500 Here"])
    let trimmed = movie(samples).with { $0.tracks[1].edits = [TestEdit(duration: 45_000, mediaTime: 15_000)] }
    #expect(lines(try extractedText(trimmed.bytes(), track: 2)) == ["0 500 Here"])
  }

  /// The row at the start of the trimmed track is loaded there, so a row that follows soon is late.
  @Test func aRowAfterTheStartOfATrimmedTrackIsLate() throws {
    let row = Code.rollUp + Code.carriageReturn + Code.twice(0x14, 0x70)
    func delays(trimmedBy start: Int) throws -> [String] {
      let trimmed = movie([
        Code.sample(row + Code.text("First"), duration: second),
        Code.sample(Code.carriageReturn + Code.text("Second"), duration: second),
      ]).with { $0.tracks[1].edits = [TestEdit(duration: 2 * second - start, mediaTime: start)] }
      return try extractedText(trimmed.bytes(), track: 2).notices.filter { $0.kind == .delayedCaptions }.map(\.message)
    }
    #expect(try delays(trimmedBy: second / 2) == [])
    // The load has nine pairs, and the row is due in frame 5.
    #expect(
      try delays(trimmedBy: second - 3 * Code.frame) == [
        "track 2: 1 caption of CC1 appears up to 200 ms late, because the codes before it are still being "
          + "sent at 29.97 frames a second"
      ])
  }

  @Test func theLastCaptionLastsSixteenSeconds() throws {
    let text = try text([Code.sample(Code.load("Here") + Code.endOfCaption, duration: 40 * second)])
    #expect(lines(text) == ["200 16200 Here"])
    #expect(text.notices.map(\.kind) == [.endMoved])
  }

  /// A track without an edit list is presented until the end of its last sample.
  @Test func theLastCaptionEndsWithTheTrack() throws {
    let text = try text([Code.sample(Code.load("Here") + Code.endOfCaption, duration: 4 * second)])
    #expect(lines(text) == ["200 4000 Here"])
    #expect(text.notices.isEmpty)
  }

  /// ffmpeg declares no duration for the last sample, and ends the movie with its start.
  @Test func pairsAfterTheEndOfTheMovieAreReported() throws {
    let samples = [
      Code.sample(Code.load("Here") + Code.endOfCaption, duration: 2 * second),
      Code.sample(Code.load("Lost") + Code.endOfCaption, duration: 0),
    ]
    let ended = movie(samples).with {
      $0.tracks[0].samples = [TestSample(10, duration: 2_000)]
      $0.tracks[1].edits = [TestEdit(duration: 2 * second, mediaTime: 0)]
    }
    let text = try extractedText(ended.bytes(), track: 2)
    #expect(text.cues.map(\.text.text) == ["Here"])
    #expect(text.notices.map(\.kind).contains(.droppedPastEnd), "\(text.notices)")
    #expect(text.notices.contains { $0.message.hasSuffix("8 pairs of captions are not shown") }, "\(text.notices)")
    #expect(text.notices.allSatisfy { $0.count(.dropped) == 0 }, "\(text.notices)")
    #expect(try !self.text(samples).notices.map(\.kind).contains(.droppedPastEnd))
  }

  // MARK: - Fields and channels

  @Test func aNoticeNamesTheChannelsThatAreNotRead() throws {
    let field2 = Code.twice(0x15, 0x20) + Code.twice(0x15, 0x70) + Code.text("Hola") + Code.twice(0x15, 0x2F)
    let bytes = movie([
      Code.sample(Code.load("Hello") + Code.endOfCaption, second: field2, duration: second),
      Code.sample(Code.erasure, second: Code.twice(0x15, 0x2C), duration: second),
    ]).bytes()
    let source = MemorySource(Bytes(bytes))
    let movie = try Movie(of: source)
    let first = try movie.text(ofTrack: 2, from: source)
    #expect(first.cues.map(\.text.text) == ["Hello"])
    #expect(first.notices.map(\.message) == ["track 2: CC1 is read; the track also contains CC3"])
    #expect(try movie.text(ofTrack: 2, from: source, captionChannel: .cc3).cues.map(\.text.text) == ["Hola"])
    let none = try movie.text(ofTrack: 2, from: source, captionChannel: .cc2)
    #expect(none.cues.isEmpty)
    #expect(none.notices.map(\.message) == ["track 2: CC2 shows no captions; the track contains CC1, CC3"])
  }

  @Test func readsCEA608PairsOfPackets() throws {
    let pairs = Code.load("Here") + Code.endOfCaption
    var samples = stride(from: 0, to: pairs.count, by: 2).map { index in
      Code.sample(
        packet: Code.packet([0, pairs[index], pairs[index + 1]], [1, 0x80, 0x80], [3, 0, 0]), duration: Code.frame)
    }
    samples.append(Code.sample(packet: Code.packet([0] + Code.codes(0x14, 0x2C)), duration: second))
    let text = try text(samples, format: "c708")
    #expect(lines(text) == ["200 267 Here"])
    #expect(text.notices.isEmpty)
  }

  /// A service block of CEA-708 has the number of its service in the upper three bits.
  @Test func reportsTheServicesOfATrackWithOnlyCEA708() throws {
    let text = try text(
      [Code.sample(packet: Code.packet([3, 0x02, 0x22], [2, 0x41, 0x42]), duration: second)], format: "c708")
    #expect(text.cues.isEmpty)
    #expect(
      text.notices.map(\.message) == [
        "track 2: all captions are CEA-708 (service 1); only CEA-608 captions can be read"
      ])
  }

  // MARK: - Damage

  private static let cdat = Array("cdat".utf8)
  /// Damaged samples, with the reasons in their notices.
  private static let damagedSamples: [(content: [UInt8], reason: String)] = {
    var samples: [(content: [UInt8], reason: String)] = []
    for size in [0, 4, 5, 0xFFFF_FFFF] {
      samples.append((u32(size) + cdat + [0x94, 0x2F], "declares \(size) bytes"))
    }
    samples.append((atom("cdat") { u8(0x94, 0x2C, 0x94) }, "the last byte pair is incomplete"))
    samples.append(([1, 2, 3], "3 bytes after the last atom"))
    return samples
  }()

  @Test(arguments: damagedSamples)
  func aDamagedSampleLosesNoOtherCaption(_ content: [UInt8], _ reason: String) throws {
    let text = try text([
      TestSample(content: content, duration: second),
      Code.sample(Code.load("Here") + Code.endOfCaption, duration: second),
      Code.sample(Code.erasure, duration: second),
    ])
    #expect(lines(text) == ["1200 2000 Here"])
    #expect(text.notices.map(\.kind) == [.damagedSample])
    #expect(text.notices.first?.message.contains(reason) == true, "\(text.notices)")
  }

  @Test func aDamagedPacketIsLeftOut() throws {
    var packet = Code.packet([0] + Code.codes(0x14, 0x2C))
    packet[packet.count - 1] &+= 1
    let cut = Code.packet([0] + Code.codes(0x14, 0x2C)).dropLast(4)
    for bytes in [packet, Array(cut), []] {
      let text = try text([Code.sample(packet: bytes, duration: second)], format: "c708")
      #expect(text.notices.map(\.kind).contains(.damagedPacket) && text.cues.isEmpty)
    }
  }

  @Test func emptySamplesAndUnknownAtomsAreNoDamage() throws {
    let text = try text([
      TestSample(content: [], duration: second), TestSample(content: zeros(12), duration: second),
      TestSample(
        content: atom("free") { zeros(4) } + atom("cdat") { Code.load("Here") + Code.endOfCaption }, duration: second),
      Code.sample(Code.erasure, duration: second),
    ])
    #expect(lines(text) == ["2200 3000 Here"] && text.notices.isEmpty)
  }

  @Test func tooManyCaptionsAreRejected() throws {
    var limits = SubtitleLimits()
    limits.cueCount = 3
    let samples = (0..<8).flatMap { index in
      [
        Code.sample(Code.load("\(index)") + Code.endOfCaption, duration: second),
        Code.sample(Code.erasure, duration: second),
      ]
    }
    let bytes = movie(samples).bytes()
    let error = #expect(throws: MovieError.self) { try extractedText(bytes, track: 2, limits: limits) }
    #expect(error?.code == .limit)
    #expect(try extractedText(bytes, track: 2).cues.count == 8)
  }

  // MARK: - Caption files

  /// Each pair has a sample of its own, and the words are in other frames if they were moved.
  @Test func captionFilesContainThePairsOfTheTrackInTheirFrames() throws {
    let lines = [
      "Scenarist_SCC V1.0", "", "00:00:01;00\t9420 9420 94f4 94f4 c8e5 ecec ef80", "", "00:00:02;00\t942f 942f", "",
      "00:00:03;10\t942c 942c", "",
    ]
    let scc = Array(lines.joined(separator: "\n").utf8)
    let file = try SubtitleFile.read(scc)
    let pairs = try ScenaristReader.read(scc, notices: NoticeList(SubtitleLimits())).fields[0]
    var samples: [TestSample] = []
    for (index, pair) in pairs.enumerated() {
      let gap = pair.time - (index == 0 ? 0 : pairs[index - 1].time + 1)
      if gap > 0 { samples.append(Code.sample(Code.null, duration: Int(gap) * Code.frame)) }
      samples.append(Code.sample([pair.pair.first, pair.pair.second], duration: Code.frame))
    }
    let text = try text(samples)
    #expect(text.cues.map(\.text.text) == file.cues.map(\.text.text))
    #expect(String(decoding: text.file.written(as: .scenarist).bytes, as: UTF8.self) == lines.joined(separator: "\n"))
    let packets = try MacCaptionReader.read(
      text.file.written(as: .macCaption).bytes, notices: NoticeList(SubtitleLimits()))
    #expect(packets.fields[0].filter { !$0.pair.isNull }.map(\.time) == pairs.map(\.time))
    var changed = text.file
    changed.cues[0].text = StyledText("Changed")
    let again = try SubtitleFile.read(changed.written(as: .scenarist).bytes)
    #expect(again.cues.map(\.text.text) == ["Changed"])
  }

  /// At 24 frames a second, a repeated control code must not be a frame apart in the file.
  @Test func writesRepeatedControlCodesAtAnotherFrameRate() throws {
    let pairs = Code.load("Here") + Code.endOfCaption
    var samples = stride(from: 0, to: pairs.count, by: 2).map { index in
      Code.sample(Array(pairs[index..<index + 2]), duration: second / 24)
    }
    samples += [Code.sample(Code.null, duration: second), Code.sample(Code.erasure, duration: second)]
    let text = try text(samples)
    let again = try SubtitleFile.read(text.file.written(as: .scenarist).bytes)
    #expect(again.cues.map(\.text.text) == ["Here"])
    #expect(abs((again.cues.first?.startMilliseconds ?? 0) - (text.cues.first?.startMilliseconds ?? 0)) <= 34)
  }
}
