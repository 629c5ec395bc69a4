import MovieBox
import SubtitleTestSupport
import TestSupport
import Testing

@testable import Subtitles

@testable import MovieWriter

/// Pairs and cues become samples of `c608` that every reader shows at the same times.
struct CaptionTrackEncoderTests {
  private struct Encoded {
    let track: CaptionTrackEncoder.Encoded
    let read: ReadCaptions

    var pairs: [TimedCaptionPair] { pairs(of: 0) }
    var notices: [SubtitleNotice] { track.media.notices }

    /// The frames in which loads, screens and erasures begin.
    var starts: [Int] {
      pairs.indices.filter { index in
        guard index > 0 else { return true }
        let (last, next) = (pairs[index - 1], pairs[index])
        return last.time + 1 != next.time || next.pair.changesModeOrScreen && next.pair != last.pair
      }.map { Int(pairs[$0].time) }
    }

    func pairs(of field: Int) -> [TimedCaptionPair] {
      read.fields[field].map { TimedCaptionPair(time: Int64($0.frame), CaptionPair($0.first, $0.second)) }
    }
  }

  /// Encodes for a movie of so many seconds. `source` contains the pairs of a file.
  private func encode(
    _ cues: [Cue], _ source: CaptionSource? = nil, seconds: UInt64, _ timing: CueTiming = CueTiming()
  ) throws -> Encoded {
    let times = try CueTimes(
      cues, movieDuration: seconds * 600, movieTimeScale: 600, timing: timing,
      timeScale: CaptionTrackEncoder.timeScale, limits: SubtitleLimits())
    let track = try CaptionTrackEncoder.encode(times, source, geometry: .withoutPicture)
    let media = track.media
    #expect(media.duration == seconds * 30_000)
    var samples: [(start: Int, duration: Int, bytes: [UInt8])] = []
    var (start, offset) = (0, 0)
    let durations = media.durationRuns.flatMap { repeatElement(Int($0.duration), count: Int($0.sampleCount)) }
    for (size, duration) in zip(media.sampleSizes, durations) {
      samples.append((start, duration, Array(media.data[offset..<offset + Int(size)])))
      (start, offset) = (start + duration, offset + Int(size))
    }
    #expect(start == Int(media.duration) && offset == media.data.count)
    return Encoded(track: track, read: try ReadCaptions(timeScale: media.timeScale, samples))
  }

  /// Encodes the captions of an SCC or MCC file.
  private func encode(
    file text: String, seconds: UInt64, _ timing: CueTiming = CueTiming(), channel: CaptionChannel? = nil
  ) throws -> Encoded {
    let file = try SubtitleFile.read(
      Array(text.utf8), named: nil, encoding: nil, language: nil, partMilliseconds: nil, channel: channel,
      limits: SubtitleLimits())
    return try encode(file.cues, file.captions, seconds: seconds, timing)
  }

  private func scc(_ lines: String...) -> String { (["Scenarist_SCC V1.0"] + lines).joined(separator: "\n\n") }

  private func words(_ pairs: [TimedCaptionPair]) -> [String] {
    pairs.map { "\($0.time) \(String(UInt16($0.pair.first) << 8 | UInt16($0.pair.second), radix: 16))" }
  }

  @Test func theTrackContainsThePairsOfTheFileInTheirFrames() throws {
    let text = scc("00:00:01:00\t94ae 94ae 9420 9420 9470 9470 c8e9 942f 942f", "00:00:02:00\t942c 942c")
    let encoded = try encode(file: text, seconds: 4)
    #expect(
      words(encoded.pairs)
        == words(try ScenaristReader.read(Array(text.utf8), notices: NoticeList(SubtitleLimits())).fields[0]))
    #expect(encoded.notices.isEmpty && encoded.track.shownCueCount == 1)
    #expect(encoded.read.fields[1].isEmpty)
  }

  /// Some programs write files without parity. Players that check the parity would show nothing.
  @Test func pairsGetOddParity() throws {
    let encoded = try encode(file: scc("00:00:01:00\t1420 1420 1470 4849 142f 142f", "00:00:02:00\t142c"), seconds: 4)
    #expect(
      words(encoded.pairs)
        == zip(
          Array(30...35) + [60], ["9420", "9420", "9470", "c849", "942f", "942f", "942c"]
        ).map { "\($0) \($1)" })
  }

  /// ffmpeg gives all pairs of a sample the sample's time, and ignores the empty edit of a caption track.
  @Test func eachPairIsASample() throws {
    let text = scc(
      "00:00:01:00\t9420 9420 94ae 94ae 9470 9470 c8e9 942f 942f 9420 9420 9470 9470 c8ef 942c 942c 942f 942f",
      "00:00:03:00\t942c 942c")
    let encoded = try encode(file: text, seconds: 4)
    #expect(encoded.read.samples.map(\.start) == [0] + Array(30..<48) + [90, 91])
    #expect(encoded.read.samples.allSatisfy { $0.byteCount == 10 && $0.fields[0].count == 1 && $0.fields[1].isEmpty })
    #expect(encoded.read.samples[0].fields == [[[0x80, 0x80]], []])
    #expect(encoded.starts == [30, 37, 39, 44, 46, 90])
  }

  /// A picture may contain several pairs, which are sent before the caption appears.
  @Test func aLoadWithoutRoomIsSentEarlier() throws {
    func encoded(_ codes: [(Int64, UInt8, UInt8)]) throws -> Encoded {
      let pairs = codes.map { TimedCaptionPair(time: $0.0, CaptionPair(code: $0.1, $0.2)) }
      return try encode([], CaptionSource(fields: [pairs, []], channel: .cc1, readCues: []), seconds: 3)
    }
    let text: [(Int64, UInt8, UInt8)] = (0..<4).map { _ in (40, 0x48, 0x69) }
    let load = [(40, 0x14, 0x20), (40, 0x14, 0x70)] + text
    let alone = try encoded(load + [(41, 0x14, 0x2F), (80, 0x14, 0x2C)])
    #expect(alone.pairs.map(\.time) == Array(35...41) + [80] && alone.notices.isEmpty)
    // An erasure moves by two frames at most, so the caption after it is late.
    let first: [(Int64, UInt8, UInt8)] = [
      (10, 0x14, 0x20), (11, 0x48, 0x69), (12, 0x14, 0x2F), (39, 0x14, 0x2C),
    ]
    let erased = try encoded(first + load + [(41, 0x14, 0x2F)])
    #expect(erased.pairs.map(\.time) == [10, 11, 12] + Array(37...44))
    #expect(erased.notices.map(\.kind) == [.delayedCaptions])
    // A visible row keeps its frame.
    let row: [(Int64, UInt8, UInt8)] = [(10, 0x14, 0x25), (11, 0x48, 0x69), (39, 0x14, 0x2D), (39, 0x48, 0x69)]
    #expect(try encoded(row + load + [(41, 0x14, 0x2F)]).pairs.map(\.time) == [10, 11] + Array(39...47))
  }

  /// The last caption of a movie ends with the media of its track if no pair erases it.
  @Test func lastCaptionsEndInTheirFrames() throws {
    let codes: [(Int64, UInt8, UInt8)] = [
      (10, 0x14, 0x20), (11, 0x48, 0x69), (12, 0x14, 0x2F), (20, 0x1C, 0x20), (21, 0x48, 0x69), (22, 0x1C, 0x2F),
      (40, 0x1C, 0x20), (41, 0x48, 0x69), (42, 0x48, 0x69),
    ]
    let pairs = codes.map { TimedCaptionPair(time: $0.0, CaptionPair(code: $0.1, $0.2)) }
    var source = CaptionSource(fields: [pairs, []], channel: .cc1, readCues: [])
    #expect(try encode([], source, seconds: 3).pairs.count == 9)
    source.endFrames = [.cc1: 30, .cc2: 41]
    let encoded = try encode([], source, seconds: 3)
    #expect(encoded.pairs.map(\.time) == [10, 11, 12, 20, 21, 22, 30, 31, 40, 41, 42, 43, 44])
    #expect(encoded.pairs.filter { $0.pair.codes == (0x14, 0x2C) }.map(\.time) == [30, 31])
    #expect(encoded.pairs.filter { $0.pair.codes == (0x1C, 0x2C) }.map(\.time) == [43, 44])
    // A caption that is erased needs no second erasure.
    source.fields[0].append(TimedCaptionPair(time: 50, CaptionPair(code: 0x14, 0x2C)))
    source.endFrames = [.cc1: 50]
    #expect(try encode([], source, seconds: 3).pairs.count == 10)
  }

  /// Readers end a caption after 16 s if nothing erases it.
  @Test func aCueThatIsCutAtTheEndOfTheMovieIsErasedThere() throws {
    let cue = Cue(startMilliseconds: 5_000, endMilliseconds: 90_000, text: "Hello")
    let long = try encode([cue], seconds: 60)
    #expect(long.starts == [139, 150, 1_796] && long.pairs.last?.time == 1_797)
    #expect(try DecodedCaptions([long.pairs]).screens(of: .cc1).map(\.time) == [150, 1_796])
    #expect(long.notices.map(\.kind) == [.trimmedAtEnd] && long.track.shownCueCount == 1)
    // This caption lasts 15 s, so it ends with the track.
    #expect(try encode([cue], seconds: 20).starts == [139, 150])
  }

  @Test func aCaptionOfAFileIsErasedAtTheEndOfTheMovieIfItsErasureIsLater() throws {
    let load = "00:00:01:00\t9420 9420 9470 9470 c8e9 942f 942f"
    #expect(try encode(file: scc(load, "00:00:31:00\t942c 942c"), seconds: 30).starts == [30, 35, 897])
    // The file erases this caption in the movie, and never erases the next one.
    #expect(try encode(file: scc(load, "00:00:20:00\t942c 942c"), seconds: 30).starts == [30, 35, 600])
    #expect(try encode(file: scc(load), seconds: 30).starts == [30, 35])
    // The last frames contain the load of a caption that would appear after the movie.
    let next = try encode(file: scc(load, "00:00:29:25\t9420 9420 9470 9470 c8ef c8ef 942f 942f"), seconds: 30)
    #expect(next.starts == [30, 35, 895, 897])
    #expect(words(Array(next.pairs.suffix(4))) == ["895 9420", "896 9420", "897 942c", "898 942c"])
    // The characters of the second row would be sent after the movie.
    let row = "9425 9425 94ad 94ad 9470 9470"
    let rows = try encode(file: scc("00:00:01:00\t\(row) c1c1", "00:00:29:25\t\(row) c2c2"), seconds: 30)
    #expect(rows.starts == [30, 895, 897])
    #expect(words(Array(rows.pairs.suffix(4))) == ["895 9425", "896 9425", "897 942c", "898 942c"])
  }

  /// Both channels need an erasure.
  @Test func movedCaptionsOfBothChannelsAreErasedAtTheEndOfTheMovie() throws {
    let codes: [(Int64, UInt8, UInt8)] = [
      (10, 0x14, 0x20), (11, 0x48, 0x69), (12, 0x14, 0x2F), (20, 0x1C, 0x20), (21, 0x48, 0x69), (22, 0x1C, 0x2F),
    ]
    let pairs = codes.map { TimedCaptionPair(time: $0.0, CaptionPair(code: $0.1, $0.2)) }
    var source = CaptionSource(fields: [pairs, []], channel: .cc1, readCues: [])
    source.endFrames = [.cc1: 890, .cc2: 891]
    let encoded = try encode([], source, seconds: 30, CueTiming(offsetMilliseconds: 1_000))
    #expect(encoded.pairs.map(\.time) == [40, 41, 42, 50, 51, 52, 895, 896, 897, 898])
    #expect(encoded.pairs.filter { $0.pair.codes == (0x14, 0x2C) }.map(\.time) == [895, 896])
    #expect(encoded.pairs.filter { $0.pair.codes == (0x1C, 0x2C) }.map(\.time) == [897, 898])
  }

  @Test func bothFieldsKeepTheirFrames() throws {
    let first = [(10, 0x20), (11, 0x20), (12, 0x2F), (40, 0x2C)].map {
      TimedCaptionPair(time: $0.0, CaptionPair(code: 0x14, UInt8($0.1)))
    }
    let second = [(11, 0x29), (12, 0x2C), (60, 0x2C)].map {
      TimedCaptionPair(time: $0.0, CaptionPair(code: 0x15, UInt8($0.1)))
    }
    let source = CaptionSource(fields: [first, second], channel: .cc1, readCues: [])
    let encoded = try encode([], source, seconds: 3)
    #expect(words(encoded.pairs) == words(first) && words(encoded.pairs(of: 1)) == words(second))
  }

  /// Receivers execute a code twice if a gap precedes its copy.
  @Test func aRepetitionAfterEmptyPairsDirectlyFollowsItsCode() throws {
    let codes: [(UInt8, UInt8)] = [
      (0x14, 0x20), (0, 0), (0x14, 0x20), (0x14, 0x70), (0x14, 0x70), (0x48, 0x69), (0x14, 0x2F), (0, 0), (0, 0),
      (0x14, 0x2F),
    ]
    let load = codes.enumerated().map {
      TimedCaptionPair(time: 30 + Int64($0.offset), CaptionPair(code: $0.element.0, $0.element.1))
    }
    let erasure = [60, 61].map { TimedCaptionPair(time: $0, CaptionPair(code: 0x14, 0x2C)) }
    let text = String(decoding: MacCaptionWriter.write([load + erasure, []]), as: UTF8.self)
    let encoded = try encode(file: text, seconds: 4)
    #expect(
      words(encoded.pairs) == [
        "30 9420", "31 9420", "32 9470", "33 9470", "34 c8e9", "36 942f", "37 942f", "60 942c", "61 942c",
      ])
    #expect(encoded.track.shownCueCount == 1)
  }

  @Test func writesARequestedChannelAsCC1() throws {
    // A caption of each channel of the first field, word by word.
    let text = scc("00:00:01:00\t9420 1c20 9420 9470 c8e9 1c20 9c70 c8ef 1c2f 9420 942f", "00:00:02:00\t942c 1c2c")
    let all = try encode(file: text, seconds: 4)
    #expect(all.pairs.count == 13)
    let second = try encode(file: text, seconds: 4, channel: .cc2)
    #expect(
      words(second.pairs) == ["31 9420", "35 9420", "36 9470", "37 c8ef", "38 942f", "61 942c"])
    #expect(second.track.shownCueCount == 1)
  }

  @Test func timesAreShiftedToTheNearestFrame() throws {
    let text = scc("01:00:01:00\t9420 9420 9470 9470 c8e9 942f 942f", "01:00:02:00\t942c 942c")
    let base = try encode(file: text, seconds: 4, CueTiming(baseMilliseconds: 3_603_600))
    #expect(base.starts == [30, 35, 60])
    let later = try encode(file: text, seconds: 4, CueTiming(baseMilliseconds: 3_603_600, offsetMilliseconds: 512))
    #expect(later.starts == [45, 50, 75])
    #expect(later.notices.isEmpty)
  }

  @Test func scaledCaptionsKeepTheStartsOfTheirScreens() throws {
    let load = "9420 9420 94ae 94ae 9470 9470" + String(repeating: " c8e9", count: 14)
    let text = scc("00:00:20:00\t\(load) 942f 942f", "00:00:23:10\t942c 942c")
    let scale = try #require(CueTiming.Scale(fromFrameRate: 24, toFrameRate: 25))
    let faster = try encode(file: text, seconds: 30, CueTiming(scale: scale))
    // 620 × 0.96 and 700 × 0.96; the load takes 20 frames, and begins before 600 × 0.96.
    #expect(faster.starts == [575, 595, 672])
    #expect(faster.notices.isEmpty)
    let back = try #require(CueTiming.Scale(fromFrameRate: 25, toFrameRate: 24))
    let slower = try encode(file: text, seconds: 30, CueTiming(scale: back))
    #expect(slower.starts == [625, 646, 729])
  }

  @Test func captionsThatMustWaitAreReported() throws {
    let load = "9420 9420 94ae 94ae 9470 9470" + String(repeating: " c8e9", count: 24)
    let scale = try #require(CueTiming.Scale(1, over: 2))
    func encoded(from start: String) throws -> Encoded {
      let text = scc("\(start)\t\(load) 942f 942f", "00:00:04:00\t942c 942c")
      return try encode(file: text, seconds: 5, CueTiming(scale: scale))
    }
    // The load takes 30 frames, so it begins at 0.
    let inTime = try encoded(from: "00:00:01:00")
    #expect(inTime.starts == [0, 30, 60] && inTime.notices.isEmpty)
    let late = try encoded(from: "00:00:00:20")
    #expect(late.starts == [0, 30, 60])
    #expect(late.notices.map(\.kind) == [.delayedCaptions])
    #expect(late.notices.first?.message.contains("up to 166 ms") == true, "\(late.notices)")
  }

  /// A viewer does not notice that an end of caption that shows nothing is late.
  @Test func codesThatShowNothingAreNotLate() throws {
    let load = "9420 9420 9470 9470 c8e9 942f 942f"
    let empty = scc("00:00:01:00\t9420 942c 942f", "00:00:03:00\t94ae \(load)", "00:00:04:00\t942c 942c")
    let unloaded = try encode(file: empty, seconds: 4, CueTiming(baseMilliseconds: 1_068))
    #expect(unloaded.pairs.prefix(3).map(\.time) == [0, 1, 2])
    #expect(unloaded.notices.isEmpty, "\(unloaded.notices)")
    let loaded = scc("00:00:00:20\t\(load)", "00:00:04:00\t942c 942c")
    let late = try encode(file: loaded, seconds: 4, CueTiming(baseMilliseconds: 834))
    #expect(late.notices.map(\.kind).contains(.delayedCaptions), "\(late.notices)")
  }

  /// Erased codes show nothing, so only the second caption is late.
  @Test func anErasedLoadIsNotLate() throws {
    let text = scc(
      "00:00:00:20\t9420 9420 9470 9470 c8e9", "00:00:00:26\t94ae 94ae 942f 942f",
      "00:00:02:00\t9420 9420 9470 9470 c8ef 942f 942f", "00:00:04:00\t942c 942c")
    let encoded = try encode(file: text, seconds: 4, CueTiming(baseMilliseconds: 934))
    #expect(encoded.notices.isEmpty, "\(encoded.notices)")
  }

  @Test func aCaptionAtTheStartOfTheMovieIsLoadedThere() throws {
    let text = scc(
      "00:00:01:00\t9420 9420 9470 9470 c8e9 942f 942f", "00:00:02:00\t942c 942c",
      "00:00:03:00\t9420 9420 9470 9470 c8ef 942f 942f", "00:00:05:00\t942c 942c")
    // The second caption appears before the movie and is erased in it.
    let encoded = try encode(file: text, seconds: 4, CueTiming(baseMilliseconds: 4_000))
    #expect(encoded.pairs.first.map { $0.time } == 0)
    #expect(encoded.track.shownCueCount == 1)
    let kinds = encoded.notices.map(\.kind)
    #expect(kinds == [.droppedBeforeStart, .startClamped, .delayedCaptions], "\(encoded.notices)")
    var decoder = CaptionDecoder(field: 0, parity: .checked)
    for pair in encoded.pairs { try decoder.receive(pair) }
    try decoder.finish()
    let screens = decoder.screens(of: .cc1)
    #expect(screens.map { $0.rows.map(\.text.text) } == [["Ho"], []] && screens.map(\.time) == [5, 30])
  }

  /// At 59.94 frames a second, pairs may be closer together than in a caption track, so a row appears later than its
  /// command. The first character may be a special character, which occupies a whole pair.
  @Test(arguments: [CaptionPair(code: 0x48, 0x6F), CaptionPair(code: 0x11, 0x37)])
  func theDelayOfARollUpCaptionCountsToItsFirstCharacter(_ character: CaptionPair) throws {
    func pairs(_ codes: [(Int64, UInt8, UInt8)]) -> [TimedCaptionPair] {
      codes.map { TimedCaptionPair(time: $0.0, CaptionPair(code: $0.1, $0.2)) }
    }
    // The first row needs 20 frames of the track, the commands of the second row four frames.
    let first = pairs(
      [(60, 0x14, 0x26), (61, 0x14, 0x26), (62, 0x14, 0x2D), (63, 0x14, 0x2D)] + (64..<80).map { ($0, 0x48, 0x69) })
    let (high, low) = character.codes
    let second = pairs(
      [
        (96, 0x14, 0x26), (97, 0x14, 0x26), (98, 0x14, 0x2D), (99, 0x14, 0x2D), (100, high, low), (102, 0x48, 0x6F),
        (140, 0x14, 0x2C),
      ])
    let rate = CaptionFrameRate(frames: 60_000, in: 1_001)
    let text = String(decoding: MacCaptionWriter.write([first + second, []], rate), as: UTF8.self)
    let encoded = try encode(file: text, seconds: 4)
    // The second command moves from frame 48 to 50, and the character from frame 50 to 54.
    #expect(encoded.pairs.first { $0.pair == character }?.time == 54)
    let message = try #require(encoded.notices.last { $0.kind == .delayedCaptions }?.message)
    #expect(message.hasPrefix("2 captions of the file appear up to 133 ms late, because the pairs before them"))
  }

  /// Roll-up captions of two and three rows: the rows above the last row are visible too.
  @Test(arguments: [("9425", ["BB", "CC"]), ("9426", ["AA", "BB", "CC"])])
  func visibleRowsAreLoadedAtTheStartOfTheMovie(_ command: String, _ rows: [String]) throws {
    let row = "\(command) \(command) 94ad 94ad 9470 9470"
    func screens(_ lines: String...) throws -> [CaptionScreen] {
      let text = (["Scenarist_SCC V1.0"] + lines + ["00:00:06:00\t942c 942c"]).joined(separator: "\n\n")
      let encoded = try encode(file: text, seconds: 4, CueTiming(offsetMilliseconds: -4_000))
      return try DecodedCaptions([encoded.pairs]).screens(of: .cc1)
    }
    let (first, second) = ("00:00:01:00\t\(row) c1c1", "00:00:02:00\t\(row) c2c2")
    let third = "00:00:03:00\t\(row) 4343"
    let loaded = try screens(first, second, third)
    let wanted: [[String]] = rows.indices.map { Array(rows[...$0]) }
    #expect(loaded.map { $0.rows.map(\.text.text) } == wanted + [[]])
    let times: [Int64] = rows.indices.map { 7 * Int64($0) + 6 }
    #expect(loaded.map(\.time) == times + [60])
    let erased = try screens(first, second, "00:00:02:15\t942c 942c", third)
    #expect(erased.map { $0.rows.map(\.text.text) } == [["CC"], []])
  }

  /// Each channel has a screen of its own, so each keeps the caption that is visible when the movie starts.
  @Test func channelsKeepTheirCaptionsAtTheStartOfTheMovie() throws {
    let text = scc(
      "00:00:01:00\t9420 9420 9470 9470 c8e9 942f 942f", "00:00:02:00\t1c20 1c20 9cd0 9cd0 c8ef 1c2f 1c2f",
      "00:00:06:00\t942c 942c 1c2c 1c2c")
    for (offset, names) in [(-4_000, ["Hi", "Ho"]), (-2_100, ["Hi", "Ho"]), (-1_000, ["Hi", "Ho"])] {
      let encoded = try encode(file: text, seconds: 4, CueTiming(offsetMilliseconds: Int64(offset)))
      let decoded = try DecodedCaptions([encoded.pairs])
      let shown = [CaptionChannel.cc1, .cc2].map { decoded.screens(of: $0).first?.rows.map(\.text.text).joined() }
      #expect(shown == names, "\(offset): \(encoded.notices)")
      #expect(encoded.track.shownCueCount == 1)
    }
    // The delay counts from the movie's start. The caption of CC2 waits until both captions are loaded.
    let encoded = try encode(file: text, seconds: 4, CueTiming(offsetMilliseconds: -4_000))
    #expect(encoded.notices.last?.message.contains("up to 400 ms late") == true, "\(encoded.notices)")
  }

  /// A caption that is erased before the movie is left out, but not the caption of another channel.
  @Test func anErasureBeforeTheMovieConcernsItsChannel() throws {
    let text = scc(
      "00:00:01:00\t9420 9420 9470 9470 c8e9 942f 942f", "00:00:02:00\t1c20 1c20 9cd0 9cd0 c8ef 1c2f 1c2f",
      "00:00:03:00\t1c2c 1c2c", "00:00:06:00\t942c 942c")
    let encoded = try encode(file: text, seconds: 4, CueTiming(offsetMilliseconds: -4_000))
    let decoded = try DecodedCaptions([encoded.pairs])
    #expect(decoded.screens(of: .cc1).first?.rows.map(\.text.text) == ["Hi"])
    #expect(decoded.screens(of: .cc2).isEmpty)
  }

  /// A load that begins without its mode command needs the command before it.
  @Test func aLoadWithoutItsModeKeepsTheCommandBeforeIt() throws {
    let text = scc(
      "00:00:01:00\t9420 9420 9470 9470 c8e9 942f 942f", "00:00:02:00\t9470 9470 c8ef 942f 942f",
      "00:00:06:00\t942c 942c")
    let encoded = try encode(file: text, seconds: 4, CueTiming(offsetMilliseconds: -4_000))
    let decoded = try DecodedCaptions([encoded.pairs])
    #expect(decoded.screens(of: .cc1).first?.rows.map(\.text.text) == ["Ho"])
  }

  @Test func captionsForWhichNoFrameIsLeftAreReportedAndNotCounted() throws {
    let load = "9420 9420 94ae 94ae 9470 9470" + String(repeating: " c8e9", count: 14)
    let text = scc("00:00:01:00\t\(load) 942f 942f", "00:00:02:00\t\(load) 942f 942f", "00:00:03:00\t942c 942c")
    // Both captions are visible in the movie, but only the first load fits into its 29 frames.
    let scale = try #require(CueTiming.Scale(1, over: 4))
    let encoded = try encode(file: text, seconds: 1, CueTiming(scale: scale))
    #expect(encoded.track.shownCueCount == 1)
    #expect(encoded.notices.map(\.kind).contains(.droppedPastEnd), "\(encoded.notices)")
  }

  @Test func dropsCaptionsAfterTheEndOfTheMovie() throws {
    let text = scc(
      "00:00:01:00\t9420 9420 9470 9470 c8e9 942f 942f", "00:00:03:25\t9420 9420 9470 9470 c8ef 942f 942f")
    let encoded = try encode(file: text, seconds: 4)
    #expect(encoded.pairs.last?.time == 118 && encoded.starts.last == 115)
    #expect(encoded.notices.map(\.kind).contains(.droppedPastEnd), "\(encoded.notices)")
    #expect(encoded.track.shownCueCount == 1)
  }

  @Test func aLoadEndsAtTheStartOfItsCue() throws {
    let encoded = try encode(
      [Cue(startMilliseconds: 3_000, endMilliseconds: 4_000, text: "Hello")], seconds: 5)
    #expect(encoded.starts == [79, 90, 120])
    #expect(encoded.notices.isEmpty && encoded.track.shownCueCount == 1)
  }

  @Test func aCueThatDoesNotFitBeforeTheEndIsReported() throws {
    let late = Cue(startMilliseconds: 4_900, endMilliseconds: 5_000, text: "Quite a long text in two rows, and late")
    let first = Cue(
      startMilliseconds: 4_700, endMilliseconds: 4_900, text: "Another one of some length directly before")
    let encoded = try encode([first, late], seconds: 5)
    #expect(encoded.track.shownCueCount == 1)
    #expect(encoded.notices.map(\.kind) == [.droppedPastEnd], "\(encoded.notices)")
    #expect(encoded.notices.first?.lostText != nil)
  }

  @Test func aMovieWithoutAWholeFrameHasOneEmptySample() throws {
    for ticks in [1, 19] as [UInt64] {
      let times = try CueTimes(
        [], movieDuration: ticks, movieTimeScale: 600, timing: CueTiming(),
        timeScale: CaptionTrackEncoder.timeScale, limits: SubtitleLimits())
      let media = try CaptionTrackEncoder.encode(times, nil, geometry: .withoutPicture).media
      #expect(media.data == [0, 0, 0, 10] + Array("cdat".utf8) + [0x80, 0x80])
      #expect(media.durationRuns == [SampleDurationRun(sampleCount: 1, duration: UInt32(ticks * 50))])
    }
  }

  // MARK: - Round trips

  @Test func generatedFilesKeepTheirWordsAndFrames() throws {
    var chance = Chance(seed: 608)
    for number in 0..<1_000 {
      var fields: [[TimedCaptionPair]] = [[], []]
      for field in 0..<2 {
        var time = Int64.random(in: 0..<90, using: &chance)
        for _ in 0..<Int.random(in: 0..<60, using: &chance) {
          let code = UInt8.random(in: 0x10..<0x80, using: &chance)
          let second = UInt8.random(in: 0x20..<0x80, using: &chance)
          let pair =
            chance.once(in: 3)
            ? CaptionPair(code: field == 0 ? 0x14 : 0x15, UInt8.random(in: 0x20...0x2F, using: &chance))
            : CaptionPair(code: code, second)
          for _ in 0..<(pair.isControl ? 2 : 1) {
            fields[field].append(TimedCaptionPair(time: time, pair))
            time += 1
          }
          if chance.once(in: 5) { time += Int64.random(in: 1..<200, using: &chance) }
        }
      }
      let source = CaptionSource(fields: fields, channel: .cc1, readCues: [])
      let last = fields.joined().map(\.time).max() ?? 0
      let encoded = try encode([], source, seconds: UInt64(last) / 29 + 2)
      try #require(encoded.pairs == fields[0] && encoded.pairs(of: 1) == fields[1], "file \(number)")
    }
  }

  @Test func generatedCuesKeepTheirTextsPlacesAndColors() throws {
    var chance = Chance(seed: 609)
    let words = ["one", "TWO", "three,", "♪", "Ñandú", "¿qué?", "“five”", "six!", "7", "été"]
    let colors: [StyledText.Color?] = [
      nil, .init(red: 255, green: 255, blue: 0), .init(red: 0, green: 255, blue: 255),
      .init(red: 255, green: 0, blue: 0),
    ]
    for number in 0..<1_000 {
      var cues: [Cue] = []
      var start: Int64 = 3_000
      for _ in 0..<Int.random(in: 1...6, using: &chance) {
        let lines = (0..<Int.random(in: 1...3, using: &chance)).map { _ in
          (0..<Int.random(in: 1...3, using: &chance)).compactMap { _ in words.randomElement(using: &chance) }
            .joined(separator: " ")
        }
        let text = lines.joined(separator: "\n")
        let color = colors.randomElement(using: &chance) ?? nil
        let runs =
          color.map { [StyledText.Run(0..<text.unicodeScalars.count, .init(color: $0))] } ?? []
        let vertical: Cue.Placement.Vertical = chance.once(in: 3) ? .top : .bottom
        let end = start + Int64.random(in: 1_000..<4_000, using: &chance)
        cues.append(
          Cue(
            startMilliseconds: start, endMilliseconds: end, text: StyledText(text, checkedRuns: runs),
            placement: Cue.Placement(vertical: vertical)))
        start = end + Int64.random(in: 3_000..<6_000, using: &chance)
      }
      let encoded = try encode(cues, seconds: UInt64(start / 1_000) + 1)
      try #require(encoded.notices.isEmpty, "\(number): \(encoded.notices)")
      let decoded = try DecodedCaptions([encoded.pairs], parity: .checked)
      var notices = NoticeList(SubtitleLimits())
      let read = decoded.screens(of: .cc1).cues(.line21, &notices)
      try #require(read.count == cues.count, "\(number)")
      for (cue, original) in zip(read, cues) {
        try #require(cue.text.text == original.text.text, "\(number)")
        try #require(cue.placement.vertical == original.placement.vertical, "\(number)")
        let wanted = Set(original.text.runs.compactMap(\.style.color))
        try #require(Set(cue.text.runs.compactMap(\.style.color)) == wanted, "\(number)")
        try #require(abs(cue.startMilliseconds - original.startMilliseconds) <= 34, "\(number)")
        try #require(abs(cue.endMilliseconds - original.endMilliseconds) <= 34, "\(number)")
      }
    }
  }

  @Test(arguments: [
    "captinsp-plan9fromouterspace.scc", "gstrs-608-all-features.scc", "ttconv-pop-on.scc",
    "ttconv-paint-on.scc", "pycaption-example.scc", "libcaption-tos.scc", "gstrs-timecodes-cut-down-sample.scc",
    "captinsp-bigbuckbunny-256x144-24fps.mcc",
  ])
  func corpusFilesKeepTheirWordsAndFrames(_ name: String) throws {
    let corpus = try Corpus.require()
    let stored = try FileSource(path: corpus.folder + "/streaming/" + name)
    let range = try #require(ByteRange(offset: 0, count: stored.identity().byteCount))
    let file = try SubtitleFile.read(stored.readExactly(range).array, named: name)
    let source = try #require(file.captions)
    let last = source.fields.joined().map(\.time).max() ?? 0
    let encoded = try encode(
      file.cues, source, seconds: UInt64(source.rate.milliseconds(ofFrame: last) / 1_000) + 20)
    var (moved, count) = (Int64(0), 0)
    for field in 0..<2 {
      let sent = source.fields[field].filter { !$0.pair.isNull }
      let stored = encoded.pairs(of: field)
      #expect(stored.map(\.pair) == sent.map(\.pair.withOddParity))
      for (one, other) in zip(sent, stored) {
        let wanted =
          source.rate == .line21
          ? one.time
          : CaptionFrameRate.line21.frame(
            atMilliseconds: source.rate.milliseconds(ofFrame: one.time))
        moved = max(moved, abs(wanted - other.time))
        count += 1
      }
    }
    print("\(name): \(count) pairs, moved by up to \(moved) frames")
    // A repetition directly follows its code, so it moves by up to two frames if empty frames precede it.
    #expect(moved <= (source.rate == .line21 ? 0 : 2))
    #expect(encoded.track.shownCueCount == file.cues.count)
  }
}
