import Foundation
import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovtoolCommands

struct AddCaptionsCommandTests {
  /// A caption from frame 7 to frame 20 after a time code.
  private func scc(_ start: String = "00:00:00:00", _ end: String = "00:00:00:20") -> [UInt8] {
    Array(
      "Scenarist_SCC V1.0\n\n\(start)\t9420 9420 9470 9470 c8e9 942f 942f\n\n\(end)\t942c 942c\n".utf8)
  }

  private func captions(_ shop: Workshop, _ name: String = "film.mov") throws -> ReadCaptions {
    let reader = try SecondReader(path: shop.folder.file(name))
    let track = try #require(reader.tracks.last { $0.handler == "clcp" })
    return try ReadCaptions(reader, track: track.id)
  }

  @Test func addsTheCaptionsOfAFileInPlaceAndAsANewFile() throws {
    for options in ["", " -o @out.mov", " --append", " -o @out.mp4"] {
      let shop = try Workshop(.talk, as: "film.mov")
      try shop.folder.write(scc(), as: "film.en.scc")
      let outcome = shop.run("add-captions @film.mov @film.en.scc --json" + options)
      #expect(outcome.exitCode == .done, "\(outcome.errors)")
      #expect(outcome.json["command"] as? String == "add-captions")
      let track = try #require((outcome.json["tracks"] as? [[String: Any]])?.first)
      #expect(track["format"] as? String == "c608" && track["language"] as? String == "en")
      #expect(track["isDefault"] as? Bool == false && track["shownCueCount"] as? Int == 1)
      #expect((track["characteristics"] as? [Any])?.isEmpty == true)
      let name = options.hasPrefix(" -o") ? String(options.dropFirst(5)) : "film.mov"
      let read = try captions(shop, name)
      #expect(read.fields[0].map(\.frame) == Array(0...6) + [20, 21])
    }
  }

  @Test func writesToStandardOutput() throws {
    let shop = try Workshop(.talk, as: "film.mov")
    try shop.folder.write(scc(), as: "film.en.scc")
    let console = Console(isOnDisk: true)
    #expect(shop.run("add-captions @film.mov @film.en.scc -o -", console).exitCode == .done)
  }

  @Test func namesAndOptionsDescribeTheTracks() throws {
    let shop = try Workshop(.talk, as: "film.mov")
    try shop.folder.write(scc(), as: "film.fr.cc.scc")
    let outcome = shop.run("add-captions @film.mov @film.fr.cc.scc --default @en.srt --title English --json")
    let tracks = try #require(outcome.json["tracks"] as? [[String: Any]])
    #expect(tracks.map { $0["language"] as? String } == ["fr", "en"])
    #expect(tracks.map { $0["isDefault"] as? Bool } == [true, false])
    #expect(tracks.map { $0["title"] as? String } == [nil, "English"])
    #expect(tracks.map { $0["isSDH"] as? Bool } == [false, false])
    // Both cues of the SubRip file begin before their codes can be sent.
    let warnings = try #require(outcome.json["warnings"] as? [[String: Any]])
    #expect(warnings.contains { $0["code"] as? String == "delayed-captions" })
  }

  /// Captions have no width, and negative line numbers select their rows. Regions and vertical text are reported.
  @Test(
    arguments: [
      ("line:-3 size:50%", 13, []), ("line:-6", 10, []), ("size:40% align:start", 15, []),
      ("vertical:rl", 15, ["placement-lost"]), ("region:top", 1, ["approximated-placement"]),
      ("region:none", 15, ["ignored-setting"]),
    ] as [(String, Int, [String])])
  func warnsAboutLostPlacements(settings: String, row: Int, codes: [String]) throws {
    let shop = try Workshop(.talk, as: "film.mov")
    let region = "REGION\nid:top\nlines:3\nregionanchor:0%,0%\nviewportanchor:0%,0%\n"
    let text = "WEBVTT\n\n\(region)\n00:01.000 --> 00:01.900 \(settings)\nHi\n"
    try shop.folder.write(Array(text.utf8), as: "film.en.vtt")
    let outcome = shop.run("add-captions @film.mov @film.en.vtt --json")
    #expect(outcome.exitCode == .done)
    let warnings = outcome.json["warnings"] as? [[String: Any]] ?? []
    #expect(warnings.compactMap { $0["code"] as? String } == codes)
    let pairs = try captions(shop).fields[0].map {
      TimedCaptionPair(time: Int64($0.frame), CaptionPair($0.first, $0.second))
    }
    let screens = try DecodedCaptions([pairs]).screens(of: .cc1)
    #expect(screens.first?.rows.map(\.row) == [row])
    // Subtitle tracks keep their warnings.
    let subtitles = shop.run("add-subtitle @film.mov @film.en.vtt --dry-run --json")
    let lost = (subtitles.json["warnings"] as? [[String: Any]] ?? []).contains {
      $0["code"] as? String == "placement-lost"
    }
    #expect(lost == (settings.contains("size") || codes == ["placement-lost"]))
  }

  @Test func countsDroppedCaptions() throws {
    let shop = try Workshop(.talk, as: "film.mov")
    let rows = ["A\nB", "C\nD", "E\nF"].map { "00:00:01,300 --> 00:00:01,900\n\($0)\n\n" }
    try shop.folder.write(Array(rows.joined().utf8), as: "film.en.srt")
    let track = try #require(
      (shop.run("add-captions @film.mov @film.en.srt --dry-run --json").json["tracks"] as? [[String: Any]])?.first)
    #expect(track["droppedCount"] as? Int == 1 && track["cutCount"] as? Int == 0, "\(track)")
  }

  /// Roll-up captions have a cue for each line, so their number stays the same. The first cue repeats no line.
  @Test(arguments: ["add-captions", "add-subtitle"]) func unrollsRollUpCaptions(command: String) throws {
    let shop = try Workshop(.talk, as: "film.mov")
    let text = """
      Scenarist_SCC V1.0

      00:00:00:10\t9425 9425 94ad 94ad 9470 9470 c1c1

      00:00:00:25\t9425 9425 94ad 94ad 9470 9470 c2c2

      """
    try shop.folder.write(Array(text.utf8), as: "film.en.scc")
    let outcome = shop.run("\(command) @film.mov @film.en.scc --unroll")
    #expect(outcome.exitCode == .done)
    #expect(!outcome.errors.contains { $0.contains("--unroll has no effect") }, "\(outcome.errors)")
    #expect(
      outcome.errors.contains {
        $0.contains("1 cue with rolling captions lost its repeated lines; each line is shown once")
      }, "\(outcome.errors)")
  }

  @Test func refusesForcedCaptions() throws {
    let shop = try Workshop(.talk, as: "film.mov")
    try shop.folder.write(scc(), as: "film.en.forced.scc")
    let outcome = shop.run("add-captions @film.mov @film.en.forced.scc")
    #expect(outcome.exitCode == .usage && outcome.errors.first?.contains("add-subtitle") == true)
    #expect(shop.run("add-captions @film.mov @en.srt --forced").exitCode == .usage)
    #expect(shop.run("add-captions @film.mov @en.srt --format wvtt").exitCode == .usage)
  }

  @Test func findsTheCaptionsOfMovies() throws {
    let shop = try Workshop(.talk, as: "film.mov")
    try shop.folder.write(scc(), as: "film.es.scc")
    let outcome = shop.run("add-captions --pair @film.mov")
    #expect(outcome.output.first?.contains("added Spanish") == true, "\(outcome.output)")
    // A second run finds the track.
    #expect(shop.run("add-captions --pair @film.mov --json").output.joined().contains("unchanged"))
    #expect(try SecondReader(path: shop.folder.file("film.mov")).tracks.count { $0.handler == "clcp" } == 1)
  }

  @Test func prefersTheFirstChannelOfFoundFiles() throws {
    for (command, names) in [
      ("add-captions", ["film.en.cc3.scc", "film.en.cc.scc"]), ("add-subtitle", ["film.en.cc3.scc", "film.en.cc.scc"]),
      ("add-captions", ["film.en.scc", "film.en.cc.scc"]), ("add-captions", ["film.cc2.scc", "film.cc.scc"]),
    ] {
      let shop = try Workshop(.simple, as: "film.mov")
      for name in names { try shop.folder.write(scc(), as: name) }
      let outcome = shop.run("\(command) @film.mov --language en --dry-run")
      let line = outcome.output.first { $0.hasPrefix("would add") }
      #expect(line?.contains("from \(names[1])") == true, "\(names): \(outcome.output) \(outcome.errors)")
      #expect(outcome.errors.contains { $0.contains("\(names[0]): skipped") }, "\(outcome.errors)")
    }
  }

  @Test func refusesOptionsOfSubtitlesWithTheReason() throws {
    let shop = try Workshop(.talk, as: "film.mov")
    try shop.folder.write(scc(), as: "film.en.scc")
    for option in ["--sdh", "--forced", "--forced-for subtitle:1", "--font-size=6%", "--plain", "--format tx3g"] {
      let outcome = shop.run("add-captions @film.mov @film.en.scc \(option)")
      #expect(outcome.exitCode == .usage)
      #expect(outcome.errors.first?.contains("does not apply to captions: ") == true, "\(outcome.errors)")
      #expect(!outcome.errors.contains { $0.contains("try:") }, "\(outcome.errors)")
    }
  }

  @Test func replacesCaptionsAndNoSubtitles() throws {
    let shop = try Workshop(.talk, as: "film.mov")
    try shop.folder.write(scc(), as: "film.en.scc")
    #expect(shop.run("add-subtitle @film.mov @film.en.scc").exitCode == .done)
    #expect(shop.run("add-captions @film.mov @film.en.scc --replace").exitCode == .done)
    #expect(shop.run("add-captions @film.mov @film.en.scc --replace").exitCode == .done)
    let handlers = try SecondReader(path: shop.folder.file("film.mov")).tracks.map(\.handler)
    #expect(handlers.count { $0 == "clcp" } == 1 && handlers.count { $0 == "sbtl" } == 2)
  }

  // MARK: - Channels

  /// A caption in CC1, and a longer caption in CC2.
  private static let twoChannels = Array(
    """
    Scenarist_SCC V1.0

    00:00:00:02\t9420 9470 c8e9 942f 1c20 9c70 c8ef 1c2f

    00:00:01:00\t942c 1c2c

    """.utf8)

  @Test func oneChannelOfAFileIsTaken() throws {
    let shop = try Workshop(.talk, as: "film.mov")
    try shop.folder.write(Self.twoChannels, as: "film.en.scc")
    func cues(_ options: String) throws -> [String] {
      let outcome = shop.run("add-subtitle @film.mov @film.en.scc -o @out.mov --force" + options)
      #expect(outcome.exitCode == .done)
      // The other channel is reported only if no channel is requested.
      #expect(outcome.errors.contains { $0.contains("also contains CC2") } == options.isEmpty, "\(outcome.errors)")
      let source = try FileSource(path: shop.folder.file("out.mov"))
      let movie = try Movie(of: source)
      return try movie.text(ofTrack: try #require(movie.tracks.last).id, from: source).cues.map(\.text.text)
    }
    #expect(try cues("") == ["Hi"])
    #expect(try cues(" --channel cc1") == ["Hi"])
    #expect(try cues(" --channel CC2") == ["Ho"])
    let missing = shop.run("add-subtitle @film.mov @film.en.scc --channel cc3")
    #expect(missing.exitCode == .badData && missing.errors.first?.contains("CC3 shows no captions") == true)
    #expect(shop.run("add-subtitle @film.mov @film.en.scc --channel cc5").exitCode == .usage)

    #expect(shop.run("add-captions @film.mov @film.en.scc --channel cc2").exitCode == .done)
    let read = try captions(shop)
    #expect(read.fields[0].map { [$0.first, $0.second] }.contains([0x94, 0x2F]))
    #expect(!read.fields[0].contains { $0.first == 0x1C })
  }

  /// Players show only CC1, so a file of another channel needs `--channel`.
  @Test func warnsOfFilesWithoutCaptionsInCC1() throws {
    let shop = try Workshop(.talk, as: "film.mov")
    let second: [(Int64, Int)] = [(0, 0x1C20), (1, 0x1C70), (2, 0xC8E9), (3, 0x1C2F), (20, 0x1C2C)]
    let third: [(Int64, Int)] = [(0, 0x1520), (1, 0x1570), (2, 0xC8E9), (3, 0x152F), (20, 0x152C)]
    func pairs(_ codes: [(Int64, Int)]) -> [TimedCaptionPair] {
      codes.map { TimedCaptionPair(time: $0, CaptionPair(UInt8($1 >> 8), UInt8($1 & 0xFF))) }
    }
    try shop.folder.write(scc(), as: "film.fr.scc")
    try shop.folder.write(ScenaristWriter.write(pairs(second)), as: "film.en.scc")
    try shop.folder.write(MacCaptionWriter.write([[], pairs(third)]), as: "film.de.mcc")
    func messages(_ command: String) -> [String] {
      let outcome = shop.run("\(command) --dry-run --json")
      #expect(outcome.exitCode == .done, "\(outcome.errors)")
      let warnings = (outcome.json["warnings"] as? [[String: Any]] ?? []).filter { $0["code"] as? String == "no-cc1" }
      return warnings.compactMap { $0["message"] as? String }
    }
    for (file, channel) in [("film.en.scc", "cc2"), ("film.de.mcc", "cc3")] {
      let found = messages("add-captions @film.mov @\(file)")
      #expect(found.count == 1 && found[0].contains("--channel \(channel) writes"), "\(found)")
      #expect(messages("add-captions @film.mov @\(file) --channel \(channel)") == [])
      #expect(messages("add-subtitle @film.mov @\(file)") == [])
    }
    #expect(messages("add-captions @film.mov @film.fr.scc") == [])
  }

  @Test func filesWithoutChannelsRefuseAChannel() throws {
    let shop = try Workshop(.talk, as: "film.mov")
    for command in ["add-captions", "add-subtitle"] {
      let outcome = shop.run("\(command) @film.mov @en.srt --channel cc3")
      #expect(outcome.exitCode == .usage, "\(outcome.errors)")
      #expect(outcome.errors.first?.contains("en.srt contains no channels") == true, "\(outcome.errors)")
    }
    let found = try Workshop(.simple, as: "film.mov")
    try found.folder.write(Array("1\n00:00:00,100 --> 00:00:00,500\nA\n".utf8), as: "film.en.srt")
    let outcome = found.run("add-subtitle @film.mov --channel cc3")
    #expect(outcome.exitCode == .done)
    #expect(outcome.errors.contains { $0.contains("--channel has no effect") }, "\(outcome.errors)")
  }

  // MARK: - Times after the movie

  @Test func timesThatStartAtAnHourAreRecognized() throws {
    let shop = try Workshop(.talk, as: "film.mov")
    try shop.folder.write(scc("01:00:00:00", "01:00:00:20"), as: "film.en.scc")
    try shop.folder.write(Array("1\n01:00:00,100 --> 01:00:00,500\nA\n".utf8), as: "film.en.srt")
    for file in ["film.en.scc", "film.en.srt"] {
      let late = shop.run("add-captions @film.mov @\(file)")
      #expect(late.exitCode == .badData)
      #expect(late.errors.last?.contains("--timecode-base 01:00:00:00 subtracts it") == true, "\(late.errors)")
      #expect(shop.run("add-captions @film.mov @\(file) --timecode-base 01:00:00:00 --dry-run").exitCode == .done)
      // A base that is wrong is replaced by the base that fits.
      let early = shop.run("add-captions @film.mov @\(file) --timecode-base 00:30:00:00")
      #expect(early.exitCode == .badData)
      #expect(early.errors.last?.contains("--timecode-base 01:00:00:00 subtracts it") == true, "\(early.errors)")
    }
  }

  /// The frame numbers of SCC and MCC files have the rate of the file.
  @Test func framesOfTheBaseHaveTheRateOfTheFile() throws {
    let shop = try Workshop(.talk, as: "film.mov")
    let mcc = MacCaptionWriter.write(
      [
        [(15, 0x9420), (16, 0x9470), (17, 0xC8E9), (18, 0x942F), (30, 0x942C)].map { frame, word in
          TimedCaptionPair(time: 24 * 3_600 + frame, CaptionPair(UInt8(word >> 8), UInt8(word & 0xFF)))
        }
      ], CaptionFrameRate(ofPictures: 24, lasting: 1_000, timeScale: 1_000) ?? .line21)
    try shop.folder.write(mcc, as: "film.fr.mcc")
    try shop.folder.write(Array("1\n01:00:00,600 --> 01:00:00,900\nA\n".utf8), as: "film.de.srt")
    for (start, end, base) in [
      ("01:00:10:15", "01:00:11:05", "01:00:10:15"), ("01:00:10;15", "01:00:11;05", "01:00:10;15@29.97"),
      ("01:00:10;15", "01:00:11;05", "01:00:10;15@30000/1001"),
      ("01:01:00;02", "01:01:00;22", "01:01:00:00@30"),
    ] {
      try shop.folder.write(scc(start, end), as: "film.en.scc")
      let outcome = shop.run("add-captions @film.mov @film.en.scc --timecode-base \(base) -o @out.mov --force")
      #expect(outcome.exitCode == .done, "\(outcome.errors)")
      #expect(try captions(shop, "out.mov").fields[0].map(\.frame) == Array(0...6) + [20, 21], "\(base)")
      let subtitles = shop.run("add-subtitle @film.mov @film.en.scc --timecode-base \(base) -o @out.mov --force")
      #expect(subtitles.exitCode == .done, "\(subtitles.errors)")
    }
    let film = shop.run("add-captions @film.mov @film.fr.mcc --timecode-base 01:00:00:15 -o @out.mov --force")
    #expect(film.exitCode == .done, "\(film.errors)")
    #expect(try captions(shop, "out.mov").fields[0].map(\.frame).first == 0)
    for (file, base, reason) in [
      ("film.en.scc", "01:00:00:00@25", "count 30 frames a second"),
      ("film.fr.mcc", "01:00:00:00@25", "count 24 frames"),
      ("film.en.scc", "01:00:00:00@24000/1001", "count 30 frames a second"),
      ("film.en.scc", "01:00:00:30", "frame 30 is above 29"), ("film.de.srt", "01:00:00:12", "has no frame rate"),
    ] {
      let refused = shop.run("add-captions @film.mov @\(file) --timecode-base \(base) -o @out.mov --force")
      #expect(refused.exitCode == .usage && refused.errors.first?.contains(reason) == true, "\(refused.errors)")
    }
    #expect(shop.run("add-captions @film.mov @film.de.srt --timecode-base 01:00:00:12@25 --dry-run").exitCode == .done)
    let fraction = shop.run("add-captions @film.mov @film.de.srt --timecode-base 01:00:00:12@30000/1001 --dry-run")
    #expect(fraction.exitCode == .done, "\(fraction.errors)")
  }

  @Test func adviceAboutTheBaseIsTried() throws {
    let shop = try Workshop(.talk, as: "film.mov")
    // The movie is shorter than half an hour, so the whole hour would not help.
    for start in ["01:30:00:00", "25:30:00"] {
      let isSCC = start.hasSuffix(":00:00")
      let srt = Array("1\n\(start),100 --> \(start),500\nA\n".utf8)
      let file = isSCC ? "film.en.scc" : "film.en.srt"
      try shop.folder.write(isSCC ? scc(start, "01:30:00:20") : srt, as: file)
      let late = shop.run("add-captions @film.mov @\(file)")
      #expect(late.exitCode == .badData && late.errors.last?.contains("--offset") == true, "\(late.errors)")
      #expect(!late.errors.joined().contains("--timecode-base"), "\(late.errors)")
    }
    // The offset is part of the trial.
    try shop.folder.write(scc("01:00:00:00", "01:00:00:20"), as: "film.en.scc")
    let moved = shop.run("add-captions @film.mov @film.en.scc --offset 600")
    #expect(!moved.errors.joined().contains("--timecode-base"), "\(moved.errors)")
    // The times need no base.
    for (file, contents) in [
      ("film.en.scc", scc()), ("film.en.srt", Array("1\n00:00:00,100 --> 00:00:00,500\nA\n".utf8)),
    ] {
      try shop.folder.write(contents, as: file)
      let early = shop.run("add-captions @film.mov @\(file) --timecode-base 01:00:00:00")
      #expect(early.exitCode == .badData)
      #expect(early.errors.last == "omit --timecode-base: cues are shown without it", "\(early.errors)")
    }
    // The hour fits, unlike the time code of the movie.
    let other = try Workshop(movie(frames: 162_000, dropsFrames: false), as: "film.mov")
    try other.folder.write(scc("01:00:00:00", "01:00:00:20"), as: "film.en.scc")
    let hour = other.run("add-captions @film.mov @film.en.scc --timecode-base movie")
    #expect(
      hour.errors.last == "the time codes begin in hour 1: --timecode-base 01:00:00:00 subtracts it", "\(hour.errors)")
    // The time code of the movie fits, unlike the hour.
    let timed = try Workshop(movie(frames: 162_000, dropsFrames: false), as: "film.mov")
    try timed.folder.write(scc("01:30:00:00", "01:30:00:20"), as: "film.en.scc")
    let late = timed.run("add-captions @film.mov @film.en.scc")
    #expect(late.errors.last == "--timecode-base movie subtracts the time code of the movie's start", "\(late.errors)")
  }

  // MARK: - The time code of the movie

  /// A movie whose time code track begins at a number of frames, at 29.97 frames a second.
  private func movie(frames: Int, dropsFrames: Bool, edits: [TestEdit] = []) -> TestMovie {
    TestMovie.talk.with { movie in
      movie.tracks.append(.timecode(id: 9, frames: frames, dropsFrames: dropsFrames, edits: edits))
    }
  }

  @Test func timeCodesCountFromTheTimeCodeOfTheMovie() throws {
    for (frames, start, end, dropsFrames) in [
      (108_000, "01:00:00:00", "01:00:00:20", false), (107_892, "01:00:00;00", "01:00:00;20", true),
      (108_015, "01:00:00:15", "01:00:01:05", false),
    ] {
      let shop = try Workshop(movie(frames: frames, dropsFrames: dropsFrames), as: "film.mov")
      try shop.folder.write(scc(start, end), as: "film.en.scc")
      let late = shop.run("add-captions @film.mov @film.en.scc")
      #expect(late.exitCode == .badData && late.errors.last?.contains("--timecode-base movie") == true)
      let outcome = shop.run("add-captions @film.mov @film.en.scc --timecode-base movie")
      #expect(outcome.exitCode == .done, "\(outcome.errors)")
      #expect(try captions(shop).fields[0].map(\.frame) == Array(0...6) + [20, 21], "\(start)")
      #expect(shop.run("add-subtitle @film.mov @film.en.scc --timecode-base movie").exitCode == .done)
    }
  }

  /// An edit that was trimmed begins later in its time codes.
  @Test func timeCodesFollowTheEditList() throws {
    let trimmed = movie(
      frames: 107_970, dropsFrames: false, edits: [TestEdit(duration: 1_200, mediaTime: 30 * 1_001)])
    let shop = try Workshop(trimmed, as: "film.mov")
    try shop.folder.write(scc("01:00:00:00", "01:00:00:20"), as: "film.en.scc")
    #expect(shop.run("add-captions @film.mov @film.en.scc --timecode-base movie").exitCode == .done)
    #expect(try captions(shop).fields[0].first?.frame == 0)
  }

  /// The movie begins before midnight, and the captions begin after it.
  @Test func captionsFollowABaseBeforeMidnight() throws {
    let shop = try Workshop(.talk, as: "film.mov")
    for (start, end, base) in [
      ("00:00:00:05", "00:00:00:25", "23:59:59:25"), ("00:00:00;05", "00:00:00;25", "23:59:59;25"),
      ("23:59:59:15", "00:00:00:05", "23:59:59:05"),
    ] {
      try shop.folder.write(scc(start, end), as: "film.en.scc")
      let outcome = shop.run("add-captions @film.mov @film.en.scc --timecode-base \(base) -o @out.mov --force")
      #expect(outcome.exitCode == .done, "\(outcome.errors)")
      #expect(try captions(shop, "out.mov").fields[0].map(\.frame) == Array(10...16) + [30, 31], "\(base)")
    }
    let timed = try Workshop(movie(frames: 86_400 * 30 - 5, dropsFrames: false), as: "film.mov")
    try timed.folder.write(scc("00:00:00:05", "00:00:00:25"), as: "film.en.scc")
    let outcome = timed.run("add-captions @film.mov @film.en.scc --timecode-base movie")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    #expect(try captions(timed).fields[0].map(\.frame) == Array(10...16) + [30, 31])
  }

  @Test func aMovieWithoutTimeCodesHasNoBase() throws {
    let shop = try Workshop(.simple, as: "film.mov")
    try shop.folder.write(scc(), as: "film.en.scc")
    let outcome = shop.run("add-captions @film.mov @film.en.scc --timecode-base movie")
    #expect(outcome.exitCode == .usage && outcome.errors.first?.contains("no time code track") == true)
  }
}
