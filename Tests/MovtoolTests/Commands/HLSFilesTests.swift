import Foundation
import MovieBox
import MovieStreaming
import TestSupport
import Testing

@testable import MovtoolCommands

/// `hls IN --audio FILE --subtitle SUB`.
struct HLSFilesTests {
  /// A film of 24 seconds with English and Spanish audio and English subtitles, and dubs of it.
  private func workshop(as name: String = "film.mp4") throws -> Workshop {
    let shop = try Workshop(StreamableMovie.talk, as: name)
    try shop.folder.write(TestMovie(tracks: [StreamableMovie.sound(id: 1, "und")]), as: "dub.m4a")
    try shop.folder.write(TestMovie(tracks: [StreamableMovie.sound(id: 1, "deu", packetCount: 700)]), as: "short.m4a")
    try shop.folder.write(TestMovie(tracks: [StreamableMovie.sound(id: 1, "deu", packetCount: 1_400)]), as: "long.m4a")
    try shop.folder.write(TestMovie(tracks: [StreamableMovie.picture()]), as: "silent.mp4")
    try shop.write("film.fr.srt", ["Bonjour", "<i>Qui</i> est là ?"])
    return shop
  }

  /// Returns the `#EXT-X-MEDIA` lines of the playlist in a folder.
  private func renditions(_ shop: Workshop, _ folder: String = "out") throws -> [String] {
    String(decoding: try shop.folder.read("\(folder)/main.m3u8"), as: UTF8.self).split(separator: "\n").map(String.init)
      .filter { $0.hasPrefix("#EXT-X-MEDIA:") }
  }

  @Test(arguments: ["film.mp4", "film.mov"]) func soundAndSubtitlesOfOtherFilesAreRenditions(_ name: String) throws {
    let shop = try workshop(as: name)
    let names = try shop.folder.names()
    let outcome = shop.run(
      words: [
        "hls", "@" + name, "--audio", "@dub.m4a", "--language", "fr", "--dub", "--title", "Version française",
        "--subtitle", "@film.fr.srt", "-o", "@out",
      ])
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty, "\(outcome)")
    #expect(outcome.output.contains("  audio: Version française (fr, public.translation.dubbed, public.translation)"))
    #expect(outcome.output.contains("  subtitles: Français (fr)"))
    #expect(try shop.folder.names() == (names + ["out"]).sorted())
    // Everything else is unchanged, and the audio data equals that of the file.
    shop.run("hls @\(name) -o @plain")
    for path in ["video/segment-2.m4s", "audio-es/segment-1.m4s", "audio-es/init.mp4", "subtitles-en/segment-1.vtt"] {
      #expect(try shop.folder.read("out/" + path) == shop.folder.read("plain/" + path), "\(path)")
    }
    let parts = ["init.mp4"] + (1...4).map { "segment-\($0).m4s" }
    let sound = try SecondReader(parts.flatMap { try shop.folder.read("out/audio-fr/" + $0) })
    let dub = try SecondReader(shop.folder.read("dub.m4a"))
    let (streamed, own) = (try #require(sound.tracks.first).samples, try #require(dub.tracks.first).samples)
    #expect(try streamed.map(sound.bytes(of:)) == own.map(dub.bytes(of:)))
    // The subtitles equal those written by `--add`.
    shop.run("hls --add @film.fr.srt -o @plain")
    for path in ["segment-1.vtt", "segment-4.vtt", "playlist.m3u8"] {
      #expect(
        try shop.folder.read("out/subtitles-fr/" + path) == shop.folder.read("plain/subtitles-fr/" + path), "\(path)")
    }
    let checked = try Shell.run("python3", [TestMedia.path("../Scripts/check-hls"), shop.folder.file("out/main.m3u8")])
    #expect(checked.outputText.hasSuffix("no findings\n"), "\(checked.outputText)")
  }

  @Test func appliesAnOptionToTheFileBeforeIt() throws {
    let shop = try workshop()
    let outcome = shop.run(
      "hls @silent.mp4 --audio @dub.m4a --language en --default --audio @dub.m4a --language en --describes-video "
        + "--subtitle @film.fr.srt --sdh --subtitle @en.srt --language de --offset 3 --forced -o @out")
    #expect(outcome.exitCode == .done)
    #expect(outcome.errors == ["note: en.srt declares English in its name; --language sets German"])
    let lines = try renditions(shop)
    #expect(lines.count == 4)
    #expect(lines[0].contains(#"NAME="English",LANGUAGE="en",DEFAULT=YES"#) && !lines[0].contains("CHARACTERISTICS"))
    #expect(lines[1].contains(#"CHARACTERISTICS="public.accessibility.describes-video""#))
    #expect(lines[2].contains(#"NAME="Français SDH""#) && lines[2].contains("FORCED=NO"))
    #expect(lines[3].contains(#"LANGUAGE="de""#) && lines[3].contains("FORCED=YES"))
    let segment = String(decoding: try shop.folder.read("out/subtitles-de-forced/segment-1.vtt"), as: UTF8.self)
    #expect(segment.contains("00:00:03.100 --> 00:00:03.500"))
  }

  /// A presentation takes audio and subtitles from the first movie that has some.
  @Test func addsFilesToTheMovieWithAudio() throws {
    let shop = try workshop()
    let outcome = shop.run(
      "hls @silent.mp4 @film.mp4 --audio @dub.m4a --language fr --subtitle @film.fr.srt -o @out")
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty, "\(outcome)")
    let languages = try renditions(shop).compactMap { $0.firstMatch(of: /LANGUAGE="([^"]*)"/).map { String($0.1) } }
    #expect(languages == ["en", "es", "fr", "en", "fr"])
  }

  @Test func warningsNameTheFiles() throws {
    let shop = try workshop()
    let short = shop.run("hls @film.mp4 --audio @short.m4a --dry-run")
    #expect(short.exitCode == .done)
    #expect(
      short.errors == [
        "warning: short.m4a: the audio track ends 7809 ms before the picture; players expect all tracks to end together"
      ])
    let json = shop.run("hls @film.mp4 --audio @short.m4a --dry-run --json").json
    let warning = try #require((json["warnings"] as? [[String: Any]])?.first)
    #expect(warning["code"] as? String == "ends-early" && warning["track"] is NSNull)
    #expect(warning["file"] as? String == "short.m4a")
    #expect(shop.run("hls @film.mp4 --audio @short.m4a -o @out --strict").exitCode == .no)
    #expect(try !shop.folder.names().contains("out"))
    let long = shop.run("hls @film.mp4 --audio @long.m4a --dry-run")
    // A single notice, about the dub: the tracks of the film have their usual ends.
    #expect(long.errors.count == 1, "\(long.errors)")
    #expect(long.errors.first?.hasPrefix("warning: long.m4a: the audio track ends 84") == true, "\(long.errors)")
    #expect(long.errors.first?.contains("players expect all tracks to end together") == true)
    let twice = shop.run(
      "hls @silent.mp4 --audio @dub.m4a --language fr --audio @dub.m4a --language fr --subtitle @film.fr.srt "
        + "--subtitle @en.srt --language fr --dry-run")
    #expect(
      twice.errors == [
        "warning: dub.m4a: the audio track of dub.m4a has the same language and role; --title distinguishes them",
        "warning: en.srt: the subtitle track of film.fr.srt has the same language and role; added by the same command",
        "note: en.srt declares English in its name; --language sets French",
      ], "\(twice.errors)")
  }

  @Test func replacesOrSkipsSubtitlesOfTheMovie() throws {
    let shop = try workshop()
    #expect(shop.run("hls @film.mp4 --subtitle @en.srt --replace -o @out").exitCode == .done)
    #expect(try renditions(shop).count { $0.contains("SUBTITLES") } == 1)
    #expect(
      String(decoding: try shop.folder.read("out/subtitles-en/segment-1.vtt"), as: UTF8.self).contains("Who is there?"))
    let absent = shop.run("hls @film.mp4 --subtitle @en.srt --if-absent -o @absent")
    #expect(
      absent.exitCode == .done && absent.errors == ["note: en.srt is skipped: track 4 has the same language and role"])
    shop.run("hls @film.mp4 -o @plain")
    #expect(try shop.folder.read("absent/main.m3u8") == shop.folder.read("plain/main.m3u8"))
  }

  @Test(arguments: [
    ("@film.mp4 --audio @silent.mp4", "silent.mp4: has no audio track: id:1 is video", ExitCode.badData),
    (
      "@film.mp4 --audio @en.srt", "en.srt: at byte 0: looks like SubRip subtitles, not a QuickTime or MP4 movie",
      .badData
    ),
    ("@film.mp4 --audio @none.m4a", "none.m4a: cannot open: No such file or directory", .noInput),
    (
      "@film.mp4 --audio @film.mp4", "specify a track of film.mp4 with --track SELECTOR; id:2 is audio, English", .usage
    ),
    ("@film.mp4 --audio @film.mp4 --track video", "matches no audio track of film.mp4", .usage),
    ("@film.mp4 --language fr --audio @dub.m4a", "--language applies to one file: specify it after --audio", .usage),
    ("@film.mp4 --language fr", "--language must follow --audio FILE, --subtitle SUB or --add SUB", .usage),
    ("@film.mp4 --audio @dub.m4a --sdh", "--sdh cannot be combined with --audio dub.m4a", .usage),
    ("@film.mp4 --subtitle @en.srt --dub", "--dub cannot be combined with --subtitle en.srt", .usage),
    (
      "@film.mp4 --audio @dub.m4a --language fr --language de", "--language is specified twice for the same file",
      .usage
    ),
    ("@film.mp4 --audio @dub.m4a --replace", "--replace requires --subtitle or --add", .usage),
    ("@film.mp4 --audio @dub.m4a --keep-start", "--keep-start cannot be combined with --audio and --subtitle", .usage),
    ("--audio @dub.m4a", "specify a movie", .usage),
    ("@film.mp4 --audio -", "standard input is not supported", .usage),
    ("--add @en.srt --audio @dub.m4a", "--add changes an existing presentation", .usage),
    ("--remove subtitle:en --subtitle @en.srt", "--remove changes an existing presentation", .usage),
    ("--add @en.srt --scale 2", "--scale cannot be combined with --add", .usage),
    ("--add @en.srt --offset x", "--offset x: specify seconds", .usage),
    ("@film.mp4 --subtitle @en.srt --sdh --default", "en.srt --default: the subtitles are for the deaf", .usage),
    (
      "@film.mp4 --audio @dub.m4a --commentary --default", "dub.m4a --default: players never select a commentary",
      .usage
    ),
    ("@film.mp4 --audio @dub.m4a --default --audio @e.m4a --default", "e.m4a: a presentation has only one", .usage),
    ("@film.mp4 --subtitle @en.srt --forced --default", "--default: the subtitles are forced", .usage),
    ("--remove subtitle:en --offset 3", "--offset cannot be combined with --remove", .usage),
  ]) func filesThatCannotBeAddedAreRefused(_ words: String, _ reason: String, _ exitCode: ExitCode) throws {
    let shop = try workshop()
    let outcome = shop.run("hls \(words) -o @out")
    #expect(outcome.exitCode == exitCode && outcome.errors[0].contains(reason), "\(outcome)")
    #expect(try !shop.folder.names().contains("out"))
  }

  /// An unplayable track of the movie itself is dropped with a warning.
  @Test func rejectsUnplayableAudio() throws {
    let shop = try workshop()
    let pcm = StreamableMovie.sound(id: 1, "deu").with {
      $0.sampleEntries = [SampleEntry.sound("sowt", channels: 2, rate: 44_100, extensions: [])]
    }
    try shop.folder.write(TestMovie(tracks: [pcm]), as: "pcm.mov")
    let outcome = shop.run("hls @film.mp4 --audio @pcm.mov -o @out")
    #expect(outcome.exitCode == .badData)
    let line = try #require(outcome.errors.last)
    #expect(outcome.errors.count == 2 && line.hasPrefix("try: ffmpeg -i ") && line.hasSuffix("pcm-aac.m4a"))
    #expect(outcome.errors[0] == "pcm.mov: the audio track (audio, sowt) is in PCM, which HLS does not support")
    #expect(try !shop.folder.names().contains("out"))
  }

  @Test func rejectsSubtitlesOfUnknownLanguage() throws {
    let shop = try workshop()
    try shop.write("text.srt", ["A"])
    let outcome = shop.run("hls @film.mp4 --subtitle @text.srt -o @out")
    #expect(outcome.exitCode == .usage && outcome.errors[0].contains("--subtitle text.srt: the language is unknown"))
    #expect(shop.run("hls @film.mp4 --subtitle @text.srt --language und -o @out").exitCode == .done)
  }

  /// The clock of a recording starts at 0, and so do the times of files.
  @Test func filesThatAreCutOffAreNamed() throws {
    let shop = try workshop()
    shop.run("hls @film.mp4 --single-file -o @single")
    let whole = try shop.folder.read("single/audio-en/media.mp4")
    try shop.folder.write(Array(whole.dropLast(100)), as: "cut.mp4")
    for line in ["hls @silent.mp4 --audio @cut.mp4 --language en -o @out", "add-track @film.mp4 @cut.mp4 -o @more.mp4"]
    {
      let outcome = shop.run(line)
      #expect(outcome.exitCode == .done)
      #expect(
        outcome.errors.contains { $0.hasPrefix("warning: cut.mp4: track 1 is incomplete from ") }, "\(outcome.errors)")
    }
  }

  @Test func suggestsTheConversionOfAudioToAAC() throws {
    let shop = try workshop()
    try shop.folder.write(text("RIFF") + u32(36) + text("WAVEfmt ") + [UInt8](repeating: 0, count: 28), as: "dub.wav")
    let hint = shop.run("hls @film.mp4 --audio @dub.wav --language fr -o @out").errors.last
    #expect(hint?.contains("-c:a aac") == true && hint?.hasSuffix("dub.m4a") == true, "\(hint ?? "no hint")")
    let movie = shop.run("add-track @film.mp4 @dub.wav -o @more.mp4").errors.last
    #expect(movie?.contains("-c copy") == true && movie?.hasSuffix("dub.mov") == true, "\(movie ?? "no hint")")
  }

  /// A dub in a format that some players lack: the warning names them and suggests a conversion.
  @Test func suggestsAACForPartlySupportedAudio() throws {
    let shop = try workshop()
    let formats: [(String, [UInt8], String)] = [
      ("mp4a", StreamableMovie.esds([], objectType: 0x6B), "is in MP3, which hls.js in Chrome, Edge and Firefox"),
      ("ac-3", atom("dac3") { u8(0x10, 0x3D, 0xE0) }, "is available only in Dolby's formats"),
    ]
    for (format, configuration, reason) in formats {
      let dub = StreamableMovie.sound(id: 1, "deu").with {
        $0.sampleEntries = [SampleEntry.sound(format, channels: 2, rate: 44_100, extensions: configuration)]
      }
      try shop.folder.write(TestMovie(tracks: [dub]), as: "dub.mp4")
      for movie in ["film.mp4", "silent.mp4"] {
        let outcome = shop.run("hls @\(movie) --audio @dub.mp4 --dry-run")
        #expect(outcome.exitCode == .done && outcome.errors.count == 1, "\(outcome)")
        let line = try #require(outcome.errors.first)
        #expect(line.hasPrefix("warning: dub.mp4: the audio track ") && line.contains(reason), "\(line)")
        #expect(line.contains("; try: ffmpeg -i ") && line.hasSuffix("dub-aac.m4a"), "\(line)")
      }
    }
  }

  /// In a presentation, audio of one language in two codecs is one menu entry, so its name is not ambiguous. In a
  /// movie, both tracks are entries, unless one is the fallback of the other.
  @Test func acceptsAACBesideDolbyAudioOfTheSameLanguage() throws {
    let shop = try workshop()
    let film = TestMovie(tracks: [
      StreamableMovie.picture(),
      StreamableMovie.sound(id: 2, "eng").with {
        $0.sampleEntries = [
          SampleEntry.sound("ac-3", channels: 2, rate: 44_100, extensions: atom("dac3") { u8(0x10, 0x3D, 0xE0) })
        ]
      },
    ])
    try shop.folder.write(film, as: "dolby.mp4")
    let alone = shop.run("hls @dolby.mp4 --dry-run")
    #expect(alone.errors.count == 1 && alone.errors[0].contains("-map 0:a:0 -c:a aac "), "\(alone.errors)")
    #expect(alone.errors.first?.hasSuffix("dolby-aac.m4a adds it") == true, "\(alone.errors)")
    let both = shop.run("hls @dolby.mp4 --audio @dub.m4a --language en -o @out")
    #expect(both.exitCode == .done && both.errors.isEmpty, "\(both.errors)")
    #expect(try renditions(shop).map { $0.contains(#"GROUP-ID="audio-aac""#) } == [false, true])
    let movie = shop.run("add-track @dolby.mp4 @dub.m4a --language en --dry-run")
    let warning = try #require(movie.errors.first { $0.hasPrefix("warning: ") })
    #expect(warning.contains("track 2 of dolby.mp4 has the same language and role"), "\(warning)")
    #expect(warning.contains("movtool link --fallback id:2=id:3"), "\(warning)")
  }

  /// The only sound of a movie: who does not hear it, and the line that makes what all play.
  @Test(
    arguments: [
      ("sowt", [], "the presentation has no audio"),
      ("mp4a", StreamableMovie.esds([], objectType: 0x6B), "hls.js in Chrome, Edge and Firefox does not play"),
    ] as [(String, [UInt8], String)])
  func suggestsAnAACCommandForAMovieWithoutPlayableAudio(
    _ format: String, _ configuration: [UInt8], _ reason: String
  ) throws {
    let shop = try workshop()
    let film = TestMovie(tracks: [
      StreamableMovie.picture(),
      StreamableMovie.sound(id: 2, "eng").with {
        $0.sampleEntries = [SampleEntry.sound(format, channels: 2, rate: 44_100, extensions: configuration)]
      },
    ])
    try shop.folder.write(film, as: "own.mov")
    let outcome = shop.run("hls @own.mov --dry-run")
    let line = try #require(outcome.errors.last)
    #expect(outcome.exitCode == .done && line.contains(reason), "\(outcome.errors)")
    #expect(line.contains("; try: ffmpeg -i ") && line.hasSuffix("own-aac.mp4"), "\(line)")
    #expect(outcome.errors.count { $0.contains("try: ffmpeg") } == 1)
    // ffmpeg writes captions only into QuickTime movies.
    let captions = TestCaptions.track(id: 3, [TestCaptions.sample(TestCaptions.null, duration: 30_000)])
    try shop.folder.write(film.with { $0.tracks.append(captions) }, as: "captioned.mov")
    let captioned = shop.run("hls @captioned.mov --dry-run")
    #expect(captioned.errors.contains { $0.hasSuffix("captioned-aac.mov") }, "\(captioned.errors)")
    #expect(!captioned.errors.contains { $0.contains("libx264") }, "\(captioned.errors)")
  }

  /// ffmpeg writes captions only into QuickTime movies, and VP9 only into MP4 files.
  @Test func suggestedAACCommandAlsoEncodesVideoThatQuickTimeMoviesCannotContain() throws {
    let vpcC = atom("vpcC") { u8(1, 0, 0, 0, 0, 11, 0x82, 1, 1, 1, 0, 0) }
    let dOps = atom("dOps") { u8(0, 2) + zeros(9) }
    var film = TestMovie(tracks: [
      StreamableMovie.picture().with {
        $0.sampleEntries = [SampleEntry.video("vp09", width: 640, height: 360, extensions: vpcC)]
      },
      StreamableMovie.sound(id: 2, "eng").with {
        $0.sampleEntries = [SampleEntry.sound("Opus", channels: 2, rate: 44_100, extensions: dOps)]
      },
    ])
    let shop = try Workshop(film, as: "film.mp4")
    let plain = shop.run("hls @film.mp4 --dry-run").errors
    #expect(plain.contains { $0.hasSuffix(" -map 0 -dn -c copy -c:a aac film-aac.mp4") }, "\(plain)")
    film.tracks.append(TestCaptions.track(id: 3, [TestCaptions.sample(TestCaptions.null, duration: 30_000)]))
    try shop.folder.write(film, as: "film.mp4")
    let captioned = shop.run("hls @film.mp4 --dry-run").errors
    let command = " -map 0 -dn -c copy -c:a aac -c:v libx264 -pix_fmt yuv420p film-aac.mov"
    #expect(captioned.contains { $0.hasSuffix(command) }, "\(captioned)")
  }

  /// Without -map, ffmpeg takes the audio track with the most channels, which may not be the requested track.
  @Test func suggestedAACCommandSelectsTheAudioTrack() throws {
    let shop = try workshop()
    let sounds = [StreamableMovie.sound(id: 1, "eng"), StreamableMovie.sound(id: 2, "deu")].map { sound in
      sound.with {
        $0.sampleEntries = [
          SampleEntry.sound(
            "mp4a", channels: 2, rate: 44_100, extensions: StreamableMovie.esds([], objectType: 0x6B))
        ]
      }
    }
    try shop.folder.write(TestMovie(tracks: sounds), as: "dubs.mp4")
    let outcome = shop.run("hls @film.mp4 --audio @dubs.mp4 --track audio:2 --dry-run")
    #expect(outcome.errors.count == 1 && outcome.errors[0].contains(" -map 0:a:1 -c:a aac "), "\(outcome.errors)")
  }
  /// A dub is not added to unplayable audio of the movie.
  @Test func addsADubToPlayableAudio() throws {
    let shop = try workshop()
    let unheard = StreamableMovie.talk.with { movie in
      movie.tracks.removeLast(2)
      movie.tracks[1].sampleEntries = [SampleEntry.sound("sowt", channels: 2, rate: 44_100, extensions: [])]
    }
    try shop.folder.write(unheard, as: "unheard.mp4")
    let outcome = shop.run("hls @unheard.mp4 @film.mp4 --audio @dub.m4a --language fr -o @out")
    #expect(outcome.exitCode == .done, "\(outcome)")
    let sounds = try renditions(shop).filter { $0.contains("TYPE=AUDIO") }
    #expect(sounds.compactMap { $0.firstMatch(of: /LANGUAGE="([^"]*)"/).map { String($0.1) } } == ["en", "es", "fr"])
    #expect(
      !outcome.errors.contains { $0.contains("all variants use the audio of the first movie") }, "\(outcome.errors)")
  }

  /// An event time of version 0 is relative to a segment, which the movie with added files lacks.
  @Test func keepsTimedEventsOfARecordingIfFilesAreAdded() throws {
    let shop = try workshop()
    func event(_ version: Int, _ time: Int) -> [UInt8] {
      fullAtom("emsg", version: version) {
        if version == 0 {
          Array("urn:x\0v\0".utf8) + u32(1_000, time, 10, 1)
        } else {
          u32(1_000) + u64(UInt64(time)) + u32(10, 1) + Array("urn:x\0v\0".utf8)
        }
      }
    }
    let header = StreamableMovie.talk.initial.with { movie in
      movie.dialect = .iso
      movie.tracks = [movie.tracks[0].with { $0.edits = [] }]
    }
    for start in [0, 1_000] as [UInt64] {
      var bytes = header.bytes(fragments: [])
      for number in 0..<3 {
        if number == 1 { bytes += event(0, 250) + event(1, Int(start) * 1_000 + 12_500) }
        let samples = StreamableMovie.picture().samples.dropFirst(number * 200).prefix(200)
        let time = (start + UInt64(number) * 8) * 12_800
        let track = TestFragment.Track(id: 1, decodeTime: time, runs: [.init(Array(samples))])
        bytes += TestFragment([track]).bytes(at: UInt64(bytes.count))
      }
      try shop.folder.write(bytes, as: "recording.mp4")
      for files in ["", "--subtitle @film.fr.srt", "--audio @dub.m4a --language fr"] {
        let outcome = shop.run("hls @recording.mp4 \(files) -o @out --force --strict")
        #expect(outcome.exitCode == .done, "\(files): \(outcome)")
        let second = try shop.folder.read("out/video/segment-2.m4s")
        #expect(second.firstRange(of: code("emsg")) != nil, "\(files)")
        let events = try [1, 2, 3, 4].map { number in
          try SecondReader(shop.folder.read("out/video/init.mp4") + shop.folder.read("out/video/segment-\(number).m4s"))
            .topLevel.count { $0.type == "emsg" }
        }
        // At 8.25 s and at 12.5 s.
        #expect(events == [0, 1, 1, 0], "\(files), from \(start)")
      }
    }
  }

  /// A recording that keeps its clock begins far from the times of ordinary subtitles.
  @Test func movesAddedSubtitlesByAnOffset() throws {
    let shop = try workshop()
    let header = StreamableMovie.talk.initial.with { movie in
      movie.dialect = .iso
      movie.tracks = [movie.tracks[0].with { $0.edits = [] }]
    }
    let track = TestFragment.Track(id: 1, decodeTime: 36_000 * 12_800, runs: [.init(StreamableMovie.picture().samples)])
    try shop.folder.write(header.bytes(fragments: [TestFragment([track])]), as: "recording.mp4")
    #expect(shop.run("hls @recording.mp4 -o @out --keep-start").exitCode == .done)
    let early = shop.run("hls --add @film.fr.srt -o @out")
    #expect(early.exitCode == .badData && early.errors[0].contains("none of its 2 cues is shown"), "\(early)")
    #expect(shop.run("hls --add @film.fr.srt --offset 10:00:00 -o @out").exitCode == .done)
    let segment = String(decoding: try shop.folder.read("out/subtitles-fr/segment-1.vtt"), as: UTF8.self)
    #expect(segment.contains("10:00:00.100 --> 10:00:00.500") && segment.contains("Bonjour"), "\(segment)")
    // A cue that would begin before 0 begins at 0.
    #expect(shop.run("hls @film.mp4 -o @plain").exitCode == .done)
    #expect(shop.run("hls --add @film.fr.srt --offset -0.3 -o @plain").exitCode == .done)
    let first = String(decoding: try shop.folder.read("plain/subtitles-fr/segment-1.vtt"), as: UTF8.self)
    #expect(first.contains("00:00:00.000 --> 00:00:00.200"), "\(first)")
    let moved = shop.run("hls --add @film.fr.srt --offset -0.6 --replace -o @plain")
    #expect(moved.errors.contains { $0.contains("1 of 2 cues end before the presentation begins") }, "\(moved)")
  }

  @Test func addsAChannelOfCaptionsToAPresentation() throws {
    let shop = try workshop()
    #expect(shop.run("hls @film.mp4 -o @out").exitCode == .done)
    let codes = "9420 9420 9476 9476 c8e9 942f 942f 1c20 1c20 1c76 1c76 ce4f 1c2f 1c2f"
    try shop.folder.write(
      Array("Scenarist_SCC V1.0\n\n01:00:00:12\t\(codes)\n\n01:00:02:12\t942c 1c2c\n".utf8), as: "film.de.scc")
    let late = shop.run("hls --add @film.de.scc -o @out")
    let advice = "the time codes begin in hour 1: --timecode-base 01:00:00:00 subtracts it"
    #expect(late.exitCode == .badData && late.errors.last == advice, "\(late)")
    let wrong = shop.run("hls --add @film.de.scc --timecode-base 05:00:00:00 -o @out")
    #expect(wrong.exitCode == .badData && wrong.errors.last == advice, "\(wrong)")
    let lost = shop.run("hls --add @film.de.scc --timecode-base 05:00:00:00 --offset 36000 -o @out")
    #expect(lost.errors.last?.hasPrefix("--offset shifts all cues of a file") == true, "\(lost)")
    for (channel, text, start) in [("", "Hi", "00:00:00.167"), ("--channel cc2", "NO", "00:00:00.400")] {
      let outcome = shop.run("hls --add @film.de.scc \(channel) --timecode-base 01:00:00:12 --replace -o @out")
      #expect(outcome.exitCode == .done, "\(outcome)")
      #expect(outcome.errors.contains { $0.contains("also contains CC2") } == channel.isEmpty, "\(outcome)")
      let segment = String(decoding: try shop.folder.read("out/subtitles-de/segment-1.vtt"), as: UTF8.self)
      #expect(segment.contains(text) && segment.contains("\(start) -->"), "\(segment)")
    }
    for (options, reason) in [
      ("@film.fr.srt --channel cc1", "contains no channels"), ("@film.de.scc --channel cc5", "use one of cc1"),
      ("@film.de.scc --timecode-base movie", "contains no time code track"),
      ("@film.de.scc --timecode-base x", "specify a time such as"),
      ("@film.de.scc --timecode-base 01:00:00:00@25", "count 30 frames a second"),
    ] {
      let refused = shop.run("hls --add \(options) -o @out")
      #expect(refused.exitCode == .usage && refused.errors.first?.contains(reason) == true, "\(refused)")
    }
  }

  @Test func addsFilesToRecordings() throws {
    let shop = try workshop()
    shop.run("hls @film.mp4 --single-file -o @single")
    try shop.folder.write(shop.folder.read("single/audio-en/media.mp4"), as: "fragments.mp4")
    let outcome = shop.run(
      "hls @silent.mp4 --audio @fragments.mp4 --language en --subtitle @film.fr.srt -o @out")
    #expect(outcome.exitCode == .done, "\(outcome)")
    let added = shop.run("hls @fragments.mp4 --audio @dub.m4a --language fr -o @more")
    #expect(added.exitCode == .done, "\(added)")
    #expect(try renditions(shop, "more").count == 2)
  }
}
