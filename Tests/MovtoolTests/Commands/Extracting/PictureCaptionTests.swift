import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovtoolCommands

/// Closed captions in pictures: `extract --captions`, and what `inspect` reports about them.
struct PictureCaptionTests {
  /// The pairs of `HI` in CC1 and `NO` in CC3, which appear after 6 pictures and disappear after 12.
  private static let first = [0x94, 0x20, 0x94, 0x76, 0x97, 0x23, 0xC8, 0x49, 0x80, 0x80, 0x80, 0x80, 0x94, 0x2F]
  private static let second = [0x15, 0x20, 0x94, 0x76, 0x97, 0x23, 0xCE, 0x4F, 0x80, 0x80, 0x80, 0x80, 0x15, 0x2F]

  private func triples(_ index: Int, _ codes: [Int], type: Int) -> [CaptionedPicture.Triple] {
    let pairs = codes + Array(repeating: 0x80, count: 10) + [codes[0], 0x2C]
    return 2 * index + 1 < pairs.count ? [(type, pairs[2 * index], pairs[2 * index + 1])] : []
  }

  /// A movie of 25 pictures a second, with an audio track.
  private func movie(
    language: String = "und", _ picture: (Int) -> [CaptionedPicture.Triple]
  ) -> TestMovie {
    StreamableMovie.talk.with { movie in
      movie.tracks = Array(movie.tracks.prefix(2))
      movie.tracks[0].language = .packed(language)
      movie.tracks[0].samples = (0..<50).map { index in
        TestSample(content: CaptionedPicture(picture(index)).bytes, duration: 512)
      }
      movie.tracks[0].edits = []
    }
  }

  private func both(_ index: Int) -> [CaptionedPicture.Triple] {
    triples(index, Self.first, type: 0) + triples(index, Self.second, type: 1)
  }

  private func text(_ shop: Workshop, _ name: String) throws -> String {
    String(decoding: try shop.folder.read(name), as: UTF8.self)
  }

  @Test func everyChannelGetsAFileNamedByItsChannel() throws {
    let shop = try Workshop(movie(both))
    let outcome = shop.run("extract @in.mov --captions")
    #expect(outcome.exitCode == .done && outcome.errors == [], "\(outcome.errors)")
    #expect(
      outcome.output == [
        "extracted CC1: track 1, 1 cue, to in.cc.srt", "extracted CC3: track 1, 1 cue, to in.cc3.srt",
      ])
    #expect(try text(shop, "in.cc.srt") == "1\n00:00:00,240 --> 00:00:00,480\nHI\n")
    #expect(try text(shop, "in.cc3.srt") == "1\n00:00:00,240 --> 00:00:00,480\nNO\n")
  }

  @Test func theLanguageOfTheVideoIsPartOfTheName() throws {
    let shop = try Workshop(movie(language: "eng", both))
    let outcome = shop.run("extract @in.mov --captions cc1 --format vtt")
    #expect(outcome.output == ["extracted English CC1: track 1, 1 cue, to in.en.cc.vtt"])
    #expect(try text(shop, "in.en.cc.vtt").contains("00:00:00.240 --> 00:00:00.480"))
  }

  /// The count is `cc_count`, which exceeds the message.
  @Test func damagedMessagesAreCountedWithoutCaptions() throws {
    let shop = try Workshop(movie(both))
    var bytes = try shop.folder.read("in.mov")
    while let found = bytes.firstRange(of: Array("GA94".utf8)) {
      bytes[found.upperBound + 1] |= 0x1F
      bytes[found.lowerBound + 3] = UInt8(ascii: "5")
    }
    bytes.replace(Array("GA95".utf8), with: Array("GA94".utf8))
    try shop.folder.write(bytes, as: "in.mov")
    let outcome = shop.run("extract @in.mov --captions")
    #expect(outcome.exitCode == .no)
    #expect(outcome.errors.contains { $0.contains("damaged caption messages in pictures") }, "\(outcome)")
  }

  /// The first field begins with characters before its first control code, and nothing erases the captions.
  @Test func warningsConcernTheRequestedChannel() throws {
    let shop = try Workshop(
      movie { index in
        if index == 0 { return [(0, 0xC8, 0x49)] }
        let codes = Self.first.dropFirst(2 * index - 2).prefix(2)
        let first: [CaptionedPicture.Triple] = codes.isEmpty ? [] : [(0, codes[2 * index - 2], codes[2 * index - 1])]
        return first + triples(index - 1, Self.second, type: 1)
      })
    let stray = "2 characters before the first control code"
    #expect(shop.run("extract @in.mov --captions cc3").errors == [])
    #expect(shop.run("extract @in.mov --captions --force").errors.count { $0.contains(stray) } == 1)
  }

  @Test func selectsChannels() throws {
    let shop = try Workshop(movie(both))
    let names = try Set(shop.folder.names())
    #expect(shop.run("extract @in.mov --captions CC3,cc1,cc3").exitCode == .done)
    #expect(try Set(shop.folder.names()).subtracting(names) == ["in.cc.srt", "in.cc3.srt"])
    // A word that names no channel is the movie.
    #expect(shop.run("extract --captions @in.mov --force").exitCode == .done)
    #expect(shop.run("extract --captions cc3 @in.mov -o -").output == ["1", "00:00:00,240 --> 00:00:00,480", "NO"])
    let missing = shop.run("extract @in.mov --captions cc2")
    #expect(missing.exitCode == .no)
    #expect(missing.errors.contains { $0.hasSuffix("CC2 shows no captions; the pictures of track 1 contain CC1, CC3") })
    for options in ["--captions=cc9", "--captions cc9", "--captions cc1,cc9"] {
      let unknown = shop.run("extract @in.mov \(options)")
      #expect(unknown.exitCode == .usage && unknown.errors.first?.contains("specify channels") == true, "\(options)")
    }
  }

  @Test func explainsInvalidListsOfChannels() throws {
    let blanks = "separate the channels only by commas: cc1,cc3"
    let shop = try Workshop(.simple)
    for (list, reason) in [("cc1, cc3", blanks), ("cc1 cc3", blanks), ("t1", "T1 to T4 contain text")] {
      for words in [["--captions", list], ["--captions=" + list]] {
        let outcome = shop.run(words: ["extract", shop.folder.file("in.mov")] + words)
        #expect(outcome.exitCode == .usage, "\(words)")
        #expect(outcome.errors.first?.contains(reason) == true, "\(outcome.errors)")
      }
    }
  }

  /// CC1 shows captions, and T1 contains text.
  @Test func aMissingChannelListsAllServices() throws {
    let text: [CaptionedPicture.Triple] = [(0, 0x94, 0x2A), (0, 0xC8, 0x49)]
    let shop = try Workshop(movie { $0 == 30 ? text : triples($0, Self.first, type: 0) })
    let missing = shop.run("extract @in.mov --captions cc4")
    #expect(missing.exitCode == .no)
    #expect(
      missing.errors.contains { $0.hasSuffix("CC4 shows no captions; the pictures of track 1 contain CC1, T1") },
      "\(missing.errors)")
  }

  /// A picture contains the whole load, which takes six frames in a caption track.
  @Test(arguments: ["mcc", "scc"]) func captionsOfAFileThatIsAddedAreInTime(_ format: String) throws {
    let pairs = stride(from: 0, to: 8, by: 2).map { (type: 0, first: Self.first[$0], second: Self.first[$0 + 1]) }
    let shop = try Workshop(
      movie { index in
        switch index {
        case 20: pairs
        case 21: [(0, 0x94, 0x2F)]
        case 40: [(0, 0x94, 0x2C)]
        default: []
        }
      })
    #expect(shop.run("extract @in.mov --captions --format \(format)").exitCode == .done)
    let added = shop.run("add-captions @in.mov @in.cc.\(format) -o @out.mov")
    #expect(added.exitCode == .done && !added.errors.contains { $0.contains("late") }, "\(added.errors)")
    #expect(shop.run("extract @out.mov --track caption -o @out.srt").exitCode == .done)
    let cues = try SubtitleFile.read(shop.folder.read("out.srt"), named: nil).cues
    #expect(cues.map(\.text.text) == ["HI"])
    // The nearest frames of line 21.
    #expect(cues.map(\.startMilliseconds) == [834] && cues.map(\.endMilliseconds) == [1_602])
  }

  @Test func selectorsForCaptionTracksAnswerThatCaptionsAreInPictures() throws {
    let shop = try Workshop(movie(both))
    let extracted = shop.run("extract @in.mov --track caption")
    #expect(extracted.exitCode == .usage)
    #expect(
      extracted.errors.first?.hasSuffix("; the captions (CC1, CC3) are in pictures: use --captions instead of --track")
        == true, "\(extracted.errors)")
    let retimed = shop.run("retime @in.mov --track caption:en --offset 0.5")
    #expect(retimed.exitCode == .usage)
    #expect(retimed.errors.first?.contains("captions in pictures (CC1, CC3) cannot be shifted") == true)
    // The advice works.
    #expect(shop.run("extract @in.mov --captions --format scc").exitCode == .done)
    #expect(shop.run("add-captions @in.mov @in.cc.scc --offset 0.5 -o @out.mov").exitCode == .done)
    #expect(shop.run("retime @out.mov --track caption --offset 0.1").exitCode == .done)
    let none = try Workshop(movie { _ in [] }).run("extract @in.mov --track caption")
    #expect(none.exitCode == .usage && none.errors.first?.contains("pictures") == false, "\(none.errors)")
  }

  @Test func anOptionalLanguageIsOmittedIfItIsUnknown() throws {
    let shop = try Workshop(movie(both))
    let captions = shop.run("extract @in.mov --captions cc1 -o @{stem}[.{language}].{role}.{format}")
    #expect(captions.exitCode == .done && captions.output.first?.hasSuffix("to in.cc.srt") == true, "\(captions)")
    #expect(shop.run("add-captions @in.mov @in.cc.srt").exitCode == .done)
    let track = shop.run("extract @in.mov --track caption -o @a-{stem}[.{language}][.{role}].{format}")
    #expect(track.exitCode == .done && track.output.first?.hasSuffix("to a-in.cc.srt") == true, "\(track)")
    // Outside of brackets, the language is undetermined.
    let outside = shop.run("extract @in.mov --track caption -o @{stem}.{language}.{format}")
    #expect(outside.output.first?.hasSuffix("to in.und.srt") == true, "\(outside)")
  }

  /// Each file contains the pairs of its channel alone, which becomes CC1.
  @Test(arguments: ["mcc", "scc"])
  func aFileContainsItsChannel(_ format: String) throws {
    let shop = try Workshop(movie(both))
    for (options, names) in [("cc1", ["in.cc"]), ("cc3", ["in.cc3"]), ("", ["in.cc", "in.cc3"])] {
      let outcome = shop.run("extract @in.mov --captions \(options) --format \(format) --force")
      #expect(outcome.exitCode == .done && outcome.errors == [], "\(outcome.errors)")
      for name in names {
        let file = try SubtitleFile.read(shop.folder.read("\(name).\(format)"), named: nil)
        #expect(file.cues.map(\.text.text) == [name == "in.cc" ? "HI" : "NO"])
        #expect(file.captions?.channel == .cc1 && file.captions?.fields[1].allSatisfy(\.pair.isNull) == true)
        // MCC files have the rate of the pictures, so the times are exact.
        guard format == "mcc" else { continue }
        #expect(try text(shop, "\(name).mcc").contains("Time Code Rate=25\n"))
        #expect(file.cues.map(\.startMilliseconds) == [240] && file.cues.map(\.endMilliseconds) == [480])
      }
    }
  }

  /// A lost picture or a last picture of another duration does not change the rate of the file.
  @Test(arguments: [0, 20, 49], [2, 3])
  func anIrregularPictureKeepsTheRateOfAnMCCFile(_ index: Int, _ factor: UInt32) throws {
    let irregular = movie(both).with { $0.tracks[0].samples[index].duration = Int(512 * factor) }
    let shop = try Workshop(irregular)
    let outcome = shop.run("extract @in.mov --captions cc1 --format mcc")
    #expect(outcome.exitCode == .done && outcome.errors == [], "\(outcome.errors)")
    #expect(try text(shop, "in.cc.mcc").contains("Time Code Rate=25\n"))
    let file = try SubtitleFile.read(shop.folder.read("in.cc.mcc"), named: nil)
    let delay = index < 6 ? 40 * Int64(factor - 1) : 0
    #expect(file.cues.map(\.startMilliseconds) == [240 + delay] && file.cues.map(\.endMilliseconds) == [480 + delay])
  }

  /// A caption track and captions in pictures have the same language and role.
  @Test func captionsOfTracksAndPicturesGetDifferentNames() throws {
    let track = TestCaptions.track(
      id: 3, [TestCaptions.sample(TestCaptions.load("Hello!") + TestCaptions.endOfCaption, duration: 30_000)])
    let shop = try Workshop(movie(language: "eng", both).with { $0.tracks.append(track) })
    for options in ["--captions", "--captions --all", "--all"] {
      let outcome = shop.run("extract @in.mov --force \(options)")
      #expect(outcome.exitCode == .done && outcome.errors == [], "\(outcome.errors)")
      #expect(
        outcome.output == [
          "extracted English CC: track 3, 1 cue, to in.en.cc.3.srt",
          "extracted English CC1: track 1, 1 cue, to in.en.cc.1.srt",
          "extracted English CC3: track 1, 1 cue, to in.en.cc3.1.srt",
        ], "\(options)")
    }
  }

  @Test func anOmittedCaptionTrackNamesTheCaptionsInPictures() throws {
    let track = TestCaptions.track(
      id: 3, [TestCaptions.sample(TestCaptions.load("Hello!") + TestCaptions.endOfCaption, duration: 30_000)])
    let shop = try Workshop(movie(language: "eng", both).with { $0.tracks.append(track) })
    let outcome = shop.run("extract @in.mov --captions cc1 -o @x.srt")
    #expect(outcome.exitCode == .done)
    #expect(
      outcome.errors == [
        "warning: in.mov: the captions of track 3 are left out, because CC1 in the pictures of track 1 is written to "
          + "x.srt; --track id:3 extracts them"
      ])
  }

  @Test func requiresTheRolePlaceholderInANameForSeveralChannels() throws {
    let shop = try Workshop(movie(both))
    let channels = shop.run("extract @in.mov --captions -o @x.srt")
    #expect(channels.exitCode == .usage && channels.errors.first?.contains("use {role}") == true, "\(channels.errors)")
    #expect(shop.run("extract @in.mov --captions -o @x.{role}.srt").exitCode == .done)
    let subtitled = try Workshop(
      movie(both).with { $0.tracks.append(StreamableMovie.subtitles(id: 3, "eng", [(100, 200, "Sub")])) })
    // --all requests no captions by name, so they do not change what a name means.
    let all = subtitled.run("extract @in.mov --all -o @x.srt")
    #expect(all.exitCode == .done && all.errors.count == 2 && all.output.count == 1, "\(all.errors)")
    let explicit = subtitled.run("extract @in.mov --captions cc1 -o @y.srt")
    #expect(explicit.exitCode == .usage && explicit.errors.first?.contains("use {id}") == true, "\(explicit.errors)")
  }

  @Test func jsonNamesTheChannel() throws {
    let shop = try Workshop(movie(both))
    let answer = shop.run("extract @in.mov --captions cc3 --json").json
    let track = try #require((answer["tracks"] as? [[String: Any]])?.first)
    #expect(track["captionChannel"] as? String == "CC3" && track["isInPictures"] as? Bool == true)
    #expect(track["role"] as? String == "cc3" && track["output"] as? String == "in.cc3.srt")
  }

  @Test func findsWordsInCaptions() throws {
    let shop = try Workshop(movie(both))
    #expect(shop.run("extract @in.mov --captions --grep hi").output == ["00:00:00.240  1 CC1  HI"])
    #expect(shop.run("extract @in.mov --grep hi").exitCode == .no)
  }

  @Test func allIncludesCaptionsAndSubtitles() throws {
    let shop = try Workshop(
      movie(both).with { $0.tracks.append(StreamableMovie.subtitles(id: 3, "eng", [(100, 200, "Sub")])) })
    let names = try Set(shop.folder.names())
    #expect(shop.run("extract @in.mov").exitCode == .done)
    #expect(try Set(shop.folder.names()).subtracting(names) == ["in.en.srt"])
    #expect(shop.run("extract @in.mov --all --force").exitCode == .done)
    #expect(try Set(shop.folder.names()).subtracting(names) == ["in.en.srt", "in.cc.srt", "in.cc3.srt"])
    // Without captions, --all has nothing to report.
    let plain = try Workshop(StreamableMovie.talk)
    #expect(plain.run("extract @in.mov --all").errors == [])
    let missing = plain.run("extract @in.mov --captions").errors
    #expect(missing.contains { $0.hasSuffix("the pictures of track 1 contain no closed captions") })
  }

  @Test func suggestsCaptionsIfThereAreNoSubtitles() throws {
    let shop = try Workshop(movie { _ in [(0, 0x94, 0x20), (0, 0xC8, 0x49)] })
    let outcome = shop.run("extract @in.mov")
    #expect(outcome.exitCode == .no)
    #expect(
      outcome.errors == [
        "in.mov has no subtitles to extract; its pictures contain closed captions (CC1): extract them with --captions"
      ])
    #expect(
      shop.run("extract @in.mov --grep hi").errors == [
        "in.mov has no subtitles to search; its pictures contain closed captions (CC1): extract them with --captions"
      ])
    let digital = try Workshop(movie { _ in [(3, 0x02, 0x22), (2, 0x41, 0x42)] })
    let words = "only CEA-708 captions (service 1); movtool decodes only CEA-608"
    #expect(digital.run("extract @in.mov").errors.first?.hasSuffix(words) == true)
    let requested = digital.run("extract @in.mov --captions")
    #expect(requested.exitCode == .no)
    #expect(requested.errors.contains { $0.contains("the pictures contain \(words)") })
  }

  @Test func inspectShowsTheServices() throws {
    let shop = try Workshop(movie { _ in [(0, 0x94, 0x20), (0, 0xC8, 0x49), (3, 0x02, 0x22), (2, 0x41, 0x42)] })
    #expect(shop.run("inspect @in.mov").output.contains("Captions  CC1, SERVICE1 in pictures"))
    func services(_ shop: Workshop) -> Any? {
      (shop.run("inspect @in.mov --json").json["files"] as? [[String: Any]])?.first?["captionServices"]
    }
    #expect(services(shop) as? [String] == ["CC1", "SERVICE1"])
    let plain = try Workshop(StreamableMovie.talk)
    #expect(plain.run("inspect @in.mov").output.contains("Captions  none found in pictures"))
    #expect(services(plain) as? [String] == [])
    let other = try Workshop(
      StreamableMovie.talk.with {
        $0.tracks[0].sampleEntries = [SampleEntry.video("mp4v", width: 64, height: 36, extensions: SampleEntry.avcC)]
      })
    #expect(!other.run("inspect @in.mov").output.contains { $0.hasPrefix("Captions") })
  }
}
