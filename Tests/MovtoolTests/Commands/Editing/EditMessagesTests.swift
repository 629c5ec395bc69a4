import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// The messages about mistakes on the command line and in the files that it names.
struct EditMessagesTests {
  @Test func rejectsAnImpossibleOutputBeforeReading() throws {
    let shop = try Workshop()
    try shop.folder.write([1], as: "old.mov")
    try FileManager.default.createDirectory(atPath: shop.folder.file("dir"), withIntermediateDirectories: false)
    try shop.folder.makeSymbolicLink("link.mov", to: "nowhere")
    for (name, lines) in [
      ("old.mov", ["old.mov: already exists", "--force overwrites it"]),
      // `--force` does not replace a dangling link.
      ("link.mov", ["link.mov: is a dangling symbolic link, not a file that could be replaced"]),
      ("dir", ["dir: is a folder; specify a file in it"]), ("dir --force", ["dir: is a folder; specify a file in it"]),
      ("none/out.mov", ["none/out.mov: the folder none does not exist"]),
      ("old.mov/out.mov --force", nil), ("dir/", ["dir/: is not the name of a file"]),
    ] as [(String, [String]?)] {
      let outcome = shop.run("add-subtitle @none.mov @und.srt -o @\(name)")
      #expect(outcome.exitCode == .cannotCreate, "\(name)")
      if let lines { #expect(outcome.errors == lines) }
    }
    #expect(try shop.folder.names() == ["dir", "en.srt", "link.mov", "old.mov"])
    let device = shop.run("add-subtitle @none.mov @und.srt -o /dev/null")
    #expect(device.exitCode == .cannotCreate)
    #expect(device.errors == ["/dev/null: is a device, not an ordinary file that could be replaced"])
  }

  @Test func namesTheKindOfAnUnsuitableFile() throws {
    let shop = try Workshop(.simple)
    let known = "; the supported subtitle formats are SubRip (.srt), WebVTT (.vtt), SCC (.scc) and MCC (.mcc)"
    try shop.folder.write(Array("words\n".utf8), as: "en.vtt")
    try shop.folder.write([0x1A, 0x45, 0xDF, 0xA3] + [UInt8](repeating: 0, count: 40), as: "film.mkv")
    for (files, lines) in [
      (
        "@film.mkv @en.srt",
        [
          "film.mkv: at byte 0: looks like a Matroska or WebM file, not a QuickTime or MP4 movie",
          "try: ffmpeg -i film.mkv -map '0:v?' -map '0:a?' -map '0:s?' -c copy -c:s mov_text film.mp4",
        ]
      ),
      (
        "@in.mov @in.mov --language en",
        [
          "in.mov: cannot read a QuickTime or MP4 movie" + known,
          "try: movtool extract in.mov --all, which writes its subtitles and captions to files",
        ]
      ),
      (
        "@in.mov @film.mkv --language en",
        [
          "film.mkv: cannot read a Matroska or WebM file" + known,
          "try: ffmpeg -i film.mkv -map 0:s:0 film.srt",
        ]
      ),
      (
        "@in.mov @en.vtt",
        ["en.vtt: line 1 at byte 0: the file is not WebVTT: the first line does not begin with WEBVTT"]
      ),
    ] {
      let outcome = shop.run("add-subtitle \(files)")
      #expect(outcome.exitCode == .badData)
      #expect(outcome.errors == lines)
    }
    try shop.folder.write(shop.folder.read("en.srt"), as: "subtitles.txt")
    #expect(
      shop.run("add-subtitle @subtitles.txt @en.srt").errors == [
        "subtitles.txt: at byte 0: looks like SubRip subtitles, not a QuickTime or MP4 movie",
        "specify the movie first, and then its subtitles",
      ])
  }

  @Test func stopsWhilePlanningADryRun() throws {
    let shop = try Workshop(.simple)
    for stops in 0..<3 {
      let console = Console(isOnDisk: true)
      console.stopsAfter = stops
      #expect(shop.run("add-subtitle @in.mov @en.srt --dry-run", console).exitCode == .interrupted)
      #expect(console.output.text.isEmpty)
    }
  }

  @Test func replacesASubtitleTrackWithAMissingForcedPartner() throws {
    for options in ["", " --follow audio:2", " --follow none"] {
      let shop = try Workshop(TestMovie.talk.with { $0.tracks[3].references = [TestReference("forc", 99)] })
      let outcome = shop.run("add-subtitle @in.mov @en.srt --language es --replace" + options)
      #expect(outcome.exitCode == .done, "\(outcome.errors)")
      let movie = try shop.movie()
      #expect(movie.track(100)?.referenced("forc") == [99])
      #expect(movie.track(3)?.referenced("folw") == (options.hasSuffix("none") ? [] : [100]))
    }
  }

  @Test func notesThatAppendingEndsFastStart() throws {
    let note =
      "note: the movie atom now follows the media, so the movie is not fast-start; "
      + "movtool remux --fast-start restores this"
    let first = try Workshop(TestMovie.simple.with { $0.layout = .movieFirst })
    #expect(first.run("add-subtitle @in.mov @en.srt --append").errors == [note])
    try first.write("subs.srt", ["a"])
    #expect(first.run("add-subtitle @in.mov @subs.srt --append --language fr").errors == [])
    #expect(try Workshop(.simple).run("add-subtitle @in.mov @en.srt --append").errors == [])
  }

  @Test func notesThatForcedForMakesATrackForced() throws {
    let shop = try Workshop(.talk)
    let note =
      "note: es.srt becomes a forced-only track because of --forced-for, and is shown even if subtitles are off"
    try shop.write("es.srt", ["a"])
    try shop.write("es.forced.srt", ["a"])
    for (words, isSignalled) in [("es.srt", true), ("es.srt --forced", false), ("es.forced.srt", false)] {
      let outcome = shop.run("add-subtitle @in.mov @\(words) --forced-for subtitle:es --dry-run")
      #expect(outcome.exitCode == .done)
      #expect(outcome.errors.contains { $0.hasSuffix(note.dropFirst(6)) } == isSignalled, "\(outcome.errors)")
    }
  }

  @Test func forcedDefaultIsAWarning() throws {
    let shop = try Workshop(.simple)
    #expect(shop.run("add-subtitle @in.mov @en.srt --forced --default --strict").exitCode == .no)
    #expect(shop.run("add-subtitle @in.mov @en.srt --default --strict").exitCode == .done)
  }

  @Test func notesChangedSelectionFollowers() throws {
    let shop = try Workshop(.talk)
    try shop.write("en.srt", ["Sign", "Hello"])
    try shop.write("en.forced.srt", ["Sign"])
    #expect(shop.run("add-subtitle @in.mov @en.srt").errors.isEmpty)
    #expect(
      shop.run("add-subtitle @in.mov @en.forced.srt").errors == [
        "note: audio track 2 is now followed by track 6, the forced-only partner of track 5"
      ])
    let movie = TestMovie.simple.with { $0.tracks[1].language = .packed("und") }
    #expect(
      try Workshop(movie).run("add-subtitle @in.mov @en.srt").errors == [
        "note: track 3 has no audio to follow: no audio track is marked as English, and audio track 2 has no language"
      ])
  }

  @Test func tracksThatFollowNoAudioShareANote() throws {
    let shop = try Workshop(TestMovie.simple.with { $0.tracks[1].language = .packed("und") })
    for name in ["de.srt", "es.srt"] { try shop.write(name, ["a"]) }
    #expect(
      shop.run("add-subtitle @in.mov @en.srt @de.srt @es.srt").errors == [
        "note: tracks 3, 4 and 5 have no audio to follow: no audio track is marked as English, German or Spanish, and "
          + "audio "
          + "track 2 has no language"
      ])
  }

  @Test func onlyRepairsAreCountedAsRepaired() throws {
    let shop = try Workshop(.simple)
    let text = "WEBVTT\n\n00:00.100 --> 00:00.300\nA\n\nWEBVTT\n\n00:00.050 --> 00:00.200\nB\n"
    try shop.folder.write(Array(text.utf8), as: "de.vtt")
    let late = "1\n00:00:00,100 --> 00:00:00,900\nA\n\n2\n00:00:02,005 --> 00:00:02,035\nB\n"
    try shop.folder.write(Array(late.utf8), as: "fr.srt")
    let outcome = shop.run("add-subtitle @in.mov @de.vtt @fr.srt --json --dry-run")
    let tracks = try #require(outcome.json["tracks"] as? [[String: Any]])
    #expect(tracks.map { $0["repairedCount"] as? Int } == [0, 0], "\(tracks)")
    #expect(!shop.run("add-subtitle @in.mov @de.vtt --dry-run").output.joined().contains("repaired"))
  }

  @Test func takesTheDefaultFromTheFileNameUnlessAnOptionSetsIt() throws {
    let shop = try Workshop(.simple)
    for name in ["fr.default.srt", "de.default.srt"] { try shop.write(name, ["a"]) }
    #expect(shop.run("add-subtitle @in.mov @fr.default.srt @de.default.srt").exitCode == .usage)
    #expect(shop.run("add-subtitle @in.mov @fr.default.srt @de.default.srt @en.srt --default").exitCode == .done)
    #expect(try shop.movie().tracks.filter { $0.mediaType == .subtitle }.map(\.isEnabled) == [false, false, true])
    #expect(shop.run("add-subtitle @in.mov @fr.default.srt --replace").exitCode == .done)
    #expect(try shop.movie().tracks.filter(\.isEnabled).last?.language?.description == "fr")
  }

  @Test func menuMentionsForcedTracks() throws {
    let shop = try Workshop(.simple)
    try shop.write("en.forced.srt", ["Sign"])
    #expect(shop.run("add-subtitle @in.mov @en.forced.srt").exitCode == .done)
    #expect(
      shop.run("inspect @in.mov").output.contains {
        $0.hasPrefix("  (English, forced only)") && $0.hasSuffix("track 3, shown automatically if subtitles are off")
      })
  }
}
