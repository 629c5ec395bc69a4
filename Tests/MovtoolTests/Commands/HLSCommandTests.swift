import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

struct HLSCommandTests {
  @Test func presentationIsWrittenAndNamed() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    let outcome = shop.run("hls @film.mp4 -o @out")
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    #expect(outcome.output[0].hasPrefix("out/main.m3u8: wrote 25 files"))
    #expect(outcome.output.contains("  audio: English (en, default)"))
    #expect(shop.run("hls @film.mp4 -o @out").exitCode == .cannotCreate)
    #expect(shop.run("hls @film.mp4 -o @out/ --force").output.first?.hasPrefix("out/main.m3u8: ") == true)
  }

  @Test func planWritesNothing() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    let json = shop.run("hls @film.mp4 --dry-run --json").json
    #expect(json["isWritten"] as? Bool == false && (json["files"] as? [Any])?.count == 25)
    #expect(try shop.folder.names() == ["en.srt", "film.mp4"])
    // A dry run reports the same obstacles.
    try shop.folder.makeFolder("full/video")
    try shop.folder.makeSymbolicLink("link", to: "missing")
    for folder in ["en.srt", "full", "none/out", "link"] {
      let line = "hls @film.mp4 -o @\(folder)"
      let outcome = shop.run(line)
      #expect(outcome.exitCode == .cannotCreate, "\(outcome)")
      let planned = shop.run(line + " --dry-run")
      #expect(planned.exitCode == .cannotCreate && planned.errors == outcome.errors, "\(planned)")
    }
    #expect(shop.run("hls @film.mp4 -o @full --force --dry-run").exitCode == .done)
    #expect(shop.run("hls @film.mp4 -o @new/ --dry-run").exitCode == .done)
    #expect(try shop.folder.names() == ["en.srt", "film.mp4", "full", "link"])
  }

  @Test func subtitlesAreAddedWithoutTouchingMedia() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    shop.run("hls @film.mp4 -o @out")
    let media = try shop.folder.read("out/video/segment-1.m4s")
    try shop.write("film.fr.sdh.srt", ["[porte]", "Qui est là ?"])
    let planned = shop.run("hls --add @film.fr.sdh.srt -o @out --dry-run")
    #expect(planned.output == ["out: would add subtitles Français SDH, 5 files; media is unchanged"])
    #expect(throws: (any Error).self) { try shop.folder.read("out/subtitles-fr-sdh/playlist.m3u8") }
    let outcome = shop.run("hls --add @film.fr.sdh.srt -o @out")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    #expect(outcome.output == ["out: added subtitles Français SDH, 5 files; media is unchanged"])
    #expect(try shop.folder.read("out/video/segment-1.m4s") == media)
    let playlist = String(decoding: try shop.folder.read("out/main.m3u8"), as: UTF8.self)
    #expect(
      playlist.contains(#"NAME="Français SDH",LANGUAGE="fr",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,CHARACTERISTICS="#))
    let segment = String(decoding: try shop.folder.read("out/subtitles-fr-sdh/segment-1.vtt"), as: UTF8.self)
    #expect(
      segment.hasPrefix("WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:3600\n\n00:00:00.100 --> 00:00:00.500\n"))
    let again = shop.run("hls --add @film.fr.sdh.srt -o @out --dry-run")
    #expect(again.errors.count == 1 && again.errors[0].contains("so the new name is Français SDH 2"))
    // If no subtitles declare it, the clock is taken from the media.
    try shop.folder.remove("out")
    var silent = StreamableMovie.talk
    silent.tracks.removeLast()
    try shop.folder.write(silent, as: "silent.mp4")
    shop.run("hls @silent.mp4 -o @out --single-file")
    #expect(shop.run("hls --add @film.fr.sdh.srt -o @out --title Untertitel --language de").exitCode == .done)
    let other = String(decoding: try shop.folder.read("out/subtitles-de-sdh/segment-1.vtt"), as: UTF8.self)
    #expect(other.contains("MPEGTS:3600"))
    let main = String(decoding: try shop.folder.read("out/main.m3u8"), as: UTF8.self)
    #expect(main.components(separatedBy: #"SUBTITLES="subtitles""#).count == 3)
    // The subtitles without a role come first, in whatever order they are added.
    shop.run("hls --add @en.srt -o @out --language de --forced")
    #expect(shop.run("hls --add @en.srt -o @out --language fr --sdh").exitCode == .done)
    #expect(shop.run("hls --add @en.srt -o @out --language de").exitCode == .done)
    let all = String(decoding: try shop.folder.read("out/main.m3u8"), as: UTF8.self)
    #expect(
      all.matches(of: /TYPE=SUBTITLES.*NAME="([^"]*)"/).map { String($0.1) } == [
        "Deutsch", "Untertitel", "Français SDH", "Deutsch (erzwungen)",
      ])
    let checked = try Shell.run("python3", [TestMedia.path("../Scripts/check-hls"), shop.folder.file("out/main.m3u8")])
    #expect(!checked.outputText.contains("must"), "\(checked.outputText)")
    #expect(!checked.outputText.contains("media.order"), "\(checked.outputText)")
  }

  @Test func trimsTheStartAndOmitsTheAudioOnlyVariant() throws {
    let late = StreamableMovie.talk.with { movie in
      movie.tracks[1].edits.insert(TestEdit(duration: 1_800, mediaTime: -1), at: 0)
    }
    let shop = try Workshop(late, as: "film.mp4")
    let plain = shop.run("hls @film.mp4 --dry-run --strict")
    let advice = "too early (to begin at the next key picture, add --trim-start)"
    #expect(plain.exitCode == .no && plain.errors.contains { $0.hasSuffix(advice) }, "\(plain.errors)")
    let outcome = shop.run("hls @film.mp4 -o @out --trim-start --no-audio-only-variant --json")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    // The first cue is before the new start.
    let codes = (outcome.json["warnings"] as? [[String: Any]])?.compactMap { $0["code"] as? String } ?? []
    #expect(codes.contains("cues-before-start") && !codes.contains("begins-late"), "\(codes)")
    #expect((outcome.json["variants"] as? [[String: Any]])?.count == 1)
    #expect((outcome.json["notes"] as? [String])?.contains { $0.contains("begins at 00:00:04.000") } == true)
    for option in ["--trim-start", "--no-audio-only-variant"] {
      #expect(shop.run("hls --add @en.srt -o @out \(option)").exitCode == .usage)
    }
  }

  @Test func namesTheFileWithoutATrimmedStart() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "high.mp4")
    // Its only key picture precedes the start of the audio.
    let other = StreamableMovie.talk.with { movie in
      for index in movie.tracks[0].samples.indices { movie.tracks[0].samples[index].isSync = index == 0 }
    }
    try shop.folder.write(
      StreamableMovie.talk.with { $0.tracks[1].edits.insert(TestEdit(duration: 1_800, mediaTime: -1), at: 0) },
      as: "late.mp4")
    try shop.folder.write(other, as: "other.mp4")
    let outcome = shop.run("hls @late.mp4 @other.mp4 -o @out --trim-start")
    #expect(outcome.exitCode == .badData)
    #expect(outcome.errors.first?.hasPrefix("other.mp4: track 1 has no key picture") == true, "\(outcome.errors)")
    #expect(outcome.errors.last == "omit --trim-start")
  }

  @Test func combinesSeveralMoviesAsVariants() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "high.mp4")
    try shop.folder.write(
      StreamableMovie.talk.with { ($0.tracks[0].width, $0.tracks[0].height) = (320, 180) }, as: "low.mp4")
    let json = shop.run("hls @high.mp4 @low.mp4 -o @out --json").json
    #expect((json["variants"] as? [[String: Any]])?.map { $0["width"] as? Int } == [640, 320, nil])
    let other = StreamableMovie.talk.with { movie in
      for index in movie.tracks[0].samples.indices { movie.tracks[0].samples[index].isSync = index % 45 == 0 }
    }
    try shop.folder.write(other, as: "other.mp4")
    let refused = shop.run("hls @high.mp4 @other.mp4 -o @more")
    #expect(refused.exitCode == .badData)
    #expect(
      refused.errors == [
        "other.mp4: the segments of the variants begin at different pictures: segment 2 begins at 00:00:06.000 in "
          + "high.mp4, "
          + "at 00:00:07.160 in other.mp4; a segment duration of 8 s suits both movies", "--duration 8 sets it",
      ])
    for seconds in [8, 17] {
      #expect(shop.run("hls @high.mp4 @other.mp4 --duration \(seconds) --dry-run").exitCode == .done)
    }
    #expect(shop.run("hls @high.mp4 @other.mp4 --duration 7 --dry-run").exitCode == .badData)
    #expect(try !shop.folder.names().contains("more"))
    let short = StreamableMovie.talk.with { $0.tracks[0] = StreamableMovie.picture(frameCount: 100) }
    try shop.folder.write(short, as: "short.mp4")
    let unequal = shop.run("hls @high.mp4 @short.mp4 -o @more")
    #expect(unequal.exitCode == .badData && unequal.errors[0].contains("the video of short.mp4 at 00:00:04.0"))
    // An error in a movie names that movie.
    let encrypted = StreamableMovie.talk.with {
      $0.tracks[0].sampleEntries = [SampleEntry.video("encv", width: 640, height: 360, extensions: [])]
    }
    try shop.folder.write(encrypted, as: "encrypted.mp4")
    let secret = shop.run("hls @high.mp4 @encrypted.mp4 -o @more")
    #expect(secret.exitCode == .badData && secret.errors[0].hasPrefix("encrypted.mp4: "))
    var sound = StreamableMovie.talk
    sound.tracks.removeFirst()
    try shop.folder.write(sound, as: "sound.m4a")
    for line in ["hls @high.mp4 @sound.m4a -o @more", "hls @sound.m4a @high.mp4 -o @more"] {
      let silent = shop.run(line)
      #expect(
        silent.exitCode == .badData
          && silent.errors[0].hasPrefix("sound.m4a: the movie cannot be a variant: it has no video"))
    }
  }

  @Test func replacesOrSkipsExistingRenditions() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    shop.run("hls @film.mp4 -o @out")
    try shop.write("film.fr.srt", ["Bonjour"])
    #expect(shop.run("hls --add @film.fr.srt -o @out --if-absent").exitCode == .done)
    let list = try shop.folder.read("out/main.m3u8")
    let again = shop.run("hls --add @film.fr.srt -o @out --if-absent")
    #expect(again.exitCode == .done && again.errors.isEmpty)
    #expect(again.output == ["out: skipped, because the subtitles Français already exist"])
    #expect(try shop.folder.read("out/main.m3u8") == list)
    let leftOut = shop.run("hls --add @film.fr.srt -o @out --if-absent --dry-run --json").json
    #expect(leftOut["alike"] as? String == "Français" && leftOut["added"] is NSNull)

    try shop.write("film.fr.srt", ["Bonsoir"])
    try shop.folder.write(Array("theirs".utf8), as: "out/subtitles-fr/notes.txt")
    let outcome = shop.run("hls --add @film.fr.srt -o @out --replace")
    #expect(outcome.output == ["out: added subtitles Français in place of Français, 5 files; media is unchanged"])
    #expect(try shop.folder.read("out/main.m3u8") == list)
    let segment = String(decoding: try shop.folder.read("out/subtitles-fr/segment-1.vtt"), as: UTF8.self)
    #expect(segment.contains("Bonsoir") && !segment.contains("Bonjour"))
    #expect(try shop.folder.read("out/subtitles-fr/notes.txt") == Array("theirs".utf8))
    let names = try FileManager.default.contentsOfDirectory(atPath: shop.folder.file("out"))
    #expect(!names.contains { $0.hasPrefix(".") || $0.hasSuffix("-2") }, "\(names)")
    // The bandwidth of variants rises and falls; playlists of other programs are kept.
    try shop.write("film.fr.srt", [String(repeating: "Bonsoir ", count: 200)])
    shop.run("hls --add @film.fr.srt -o @out --replace")
    let raised = String(decoding: try shop.folder.read("out/main.m3u8"), as: UTF8.self)
    let others = raised.replacing(/# The movie begins.*\n/, with: "")
    try shop.write("film.fr.srt", ["Bonsoir"])
    try shop.folder.write(Array(others.utf8), as: "out/main.m3u8")
    shop.run("hls --add @film.fr.srt -o @out --replace")
    #expect(try shop.folder.read("out/main.m3u8") == Array(others.utf8) && others != raised)
    try shop.folder.write(list, as: "out/main.m3u8")
    try shop.write("film.fr.srt", [String(repeating: "Bonsoir ", count: 200)])
    shop.run("hls --add @film.fr.srt -o @out --replace")
    try shop.write("film.fr.srt", ["Bonsoir"])
    shop.run("hls --add @film.fr.srt -o @out --replace")
    #expect(try shop.folder.read("out/main.m3u8") == list && Array(raised.utf8) != list)
    // All renditions of the language and role are removed with their files; files of other programs are kept.
    shop.run("hls --add @film.fr.srt -o @out")
    shop.run("hls --add @film.fr.srt -o @out")
    try shop.folder.write(Array("theirs".utf8), as: "out/subtitles-fr-3/notes.txt")
    let all = shop.run("hls --add @film.fr.srt -o @out --replace --json").json
    #expect(all["replaced"] as? [String] == ["Français", "Français 2", "Français 3"])
    #expect(try shop.folder.read("out/main.m3u8") == list)
    let left = try FileManager.default.contentsOfDirectory(atPath: shop.folder.file("out/subtitles-fr-3"))
    #expect(left == ["notes.txt"])
    #expect(!FileManager.default.fileExists(atPath: shop.folder.file("out/subtitles-fr-2")))
    // Renditions of another role, or with another name, are kept.
    #expect(
      shop.run("hls --add @film.fr.srt -o @out --sdh --replace").output[0].contains("added subtitles Français SDH,"))
    let named = shop.run("hls --add @film.fr.srt -o @out --replace --title Sous-titres")
    #expect(named.output[0].contains("added subtitles Sous-titres in place of Français,"))
    let changed = String(decoding: try shop.folder.read("out/main.m3u8"), as: UTF8.self)
    #expect(!changed.contains(#"NAME="Français","#) && changed.contains(#"NAME="Français SDH","#))
    #expect(shop.run("hls --add @film.fr.srt -o @out --replace --if-absent").exitCode == .usage)
    // The name remains taken, however often it is requested.
    for replaced in ["Sous-titres", "English 2", "English 2"] {
      let taken = shop.run("hls --add @film.fr.srt -o @out --replace --title English")
      #expect(taken.output[0].contains("added subtitles English 2 in place of \(replaced),"))
      #expect(
        taken.errors.count == 1 && taken.errors[0].contains("subtitles in English have this name, so the new name is"))
    }
    let hint = shop.run("hls --add @film.fr.srt -o @out --title English --dry-run").errors
    #expect(hint.count == 1 && hint[0].contains("the new name is English 3") && !hint[0].contains("--replace"))
  }

  @Test func replacesOnlyRenditionsOfTheSameRole() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    try shop.write("film.fr.srt", ["Bonjour"])
    shop.run("hls @film.mp4 -o @out")
    shop.run("hls --add @film.fr.srt -o @out")
    let media = #"#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",LANGUAGE="fr""#
    let subtitles = try shop.folder.read("out/subtitles-fr/playlist.m3u8")
    try shop.folder.makeFolder("out/elsewhere")
    try shop.folder.write(subtitles, as: "out/elsewhere/playlist.m3u8")
    try shop.folder.write(subtitles, as: "out/subtitles-fr/other.m3u8")
    let others = [
      #"NAME="Facile",CHARACTERISTICS="public.easy-to-read",URI="./subtitles-fr/other.m3u8""#,
      #"NAME="Commentaires",AUTOSELECT=NO,URI="elsewhere/playlist.m3u8""#,
    ].map { "\(media),\($0)\n" }
    let list = String(decoding: try shop.folder.read("out/main.m3u8"), as: UTF8.self) + others.joined()
    try shop.folder.write(Array(list.utf8), as: "out/main.m3u8")
    let outcome = shop.run("hls --add @film.fr.srt -o @out --replace --json").json
    #expect(outcome["replaced"] as? [String] == ["Français"])
    let new = String(decoding: try shop.folder.read("out/main.m3u8"), as: UTF8.self)
    #expect(others.allSatisfy { new.contains($0) } && new.contains(#"URI="subtitles-fr-2/playlist.m3u8""#))
    // Another line refers to a file in the folder.
    #expect(FileManager.default.fileExists(atPath: shop.folder.file("out/subtitles-fr/segment-1.vtt")))
  }

  @Test func reportsLeftoverFolders() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    shop.run("hls @film.mp4 -o @out")
    try shop.folder.write(StreamableMovie.talk.with { $0.tracks.removeLast() }, as: "silent.mp4")
    try shop.folder.write(Array("theirs".utf8), as: "out/notes.txt")
    let outcome = shop.run("hls @silent.mp4 -o @out --force")
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    #expect(outcome.output.last == "  remaining folders of the previous presentation: subtitles-en")
    #expect(shop.run("hls @film.mp4 -o @out --force").output.allSatisfy { !$0.contains("remaining folders") })
    // The presentation is complete, although its folder cannot be listed.
    #expect(HLSCommand.remainingFolders(in: shop.folder.file("out"), unusedBy: ["main.m3u8"]).contains("video"))
    #expect(HLSCommand.remainingFolders(in: shop.folder.file("none"), unusedBy: ["main.m3u8"]).isEmpty)
  }

  @Test func explainsHowToMakeAMissingPresentation() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    try shop.folder.makeFolder("empty")
    for folder in ["empty", "missing"] {
      let outcome = shop.run("hls --add @en.srt -o @\(folder)")
      #expect(outcome.exitCode == .noInput)
      #expect(
        outcome.errors == [
          "\(folder): the folder contains no presentation: main.m3u8 is missing",
          "movtool hls MOVIE -o FOLDER makes a presentation",
        ])
    }
  }

  @Test func rejectsAMovieAsSubtitles() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    shop.run("hls @film.mp4 -o @out")
    let outcome = shop.run("hls --add @film.mp4 -o @out --language en")
    #expect(
      outcome.exitCode == .badData
        && outcome.errors[0].contains("cannot read a QuickTime or MP4 movie; the supported subtitle formats are"))
  }

  /// A title without a language, and others in languages.
  @Test func writesTitlesWithAndWithoutALanguage() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    #expect(shop.run("metadata @film.mp4 --set title=Home --set title=Heimat --language de").exitCode == .done)
    shop.run("hls @film.mp4 -o @out --session-data com.example.name=common/title")
    let main = String(decoding: try shop.folder.read("out/main.m3u8"), as: UTF8.self)
    for id in ["com.apple.hls.title", "com.example.name"] {
      #expect(main.contains("DATA-ID=\"\(id)\",VALUE=\"Home\"\n"))
      #expect(main.contains("DATA-ID=\"\(id)\",VALUE=\"Heimat\",LANGUAGE=\"de\"\n"))
    }
  }

  /// A playlist of another program cannot refer to files outside of the folder.
  @Test(arguments: [
    "../other/playlist.m3u8", "/etc/playlist.m3u8", "%2e%2e/playlist.m3u8", "video/../../x.m3u8", "..%2F%CC%81x.m3u8",
  ])
  func rejectsPlaylistsThatLeaveTheFolder(_ name: String) throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    shop.run("hls @film.mp4 -o @out")
    let list = String(decoding: try shop.folder.read("out/main.m3u8"), as: UTF8.self)
    let changed = list.replacingOccurrences(of: "\nvideo/playlist.m3u8", with: "\n\(name)")
    #expect(changed != list)
    try shop.folder.write(Array(changed.utf8), as: "out/main.m3u8")
    let outcome = shop.run("hls --add @en.srt -o @out")
    #expect(outcome.exitCode == .badData)
    #expect(outcome.errors.contains { $0.contains("which is outside of the folder") }, "\(outcome.errors)")
  }

  /// The clock is stored, so added subtitles have the same times as those of the movie, although the video begins two
  /// seconds late.
  @Test func addedSubtitlesAreOnTheClockOfTheMovie() throws {
    let late = StreamableMovie.talk.with { movie in
      movie.tracks[0].edits.insert(TestEdit(duration: 1_200, mediaTime: -1), at: 0)
    }
    let shop = try Workshop(late, as: "film.mp4")
    try shop.folder.write(late.with { $0.tracks.removeLast() }, as: "silent.mp4")
    shop.run("hls @film.mp4 -o @out")
    shop.run("hls @silent.mp4 -o @other")
    #expect(shop.run("hls --add @en.srt -o @other").exitCode == .done)
    func map(_ name: String) throws -> Substring? {
      String(decoding: try shop.folder.read(name), as: UTF8.self).split(separator: "\n").dropFirst().first
    }
    let line = try map("other/subtitles-en/segment-1.vtt")
    #expect(try line == map("out/subtitles-en/segment-1.vtt") && line?.contains("MPEGTS:") == true)
    // The same applies to audio alone.
    try shop.folder.write(late.with { $0.tracks = [$0.tracks[1]] }, as: "sound.m4a")
    shop.run("hls @sound.m4a -o @heard")
    #expect(shop.run("hls --add @en.srt -o @heard").exitCode == .done)
    #expect(try map("heard/subtitles-en/segment-1.vtt")?.hasSuffix("MPEGTS:2100") == true)
  }

  /// If the movie shows nothing at its start, segments begin later. Added cues go to the same segments as cues of the
  /// movie.
  @Test func placesAddedCuesInTheirSegments() throws {
    let late = StreamableMovie.talk.with { movie in
      movie.tracks[0].edits.insert(TestEdit(duration: 1_200, mediaTime: -1), at: 0)
      movie.tracks = [movie.tracks[0]]
    }
    let texts: [(from: Int, to: Int, text: String)] = [
      (500, 1_500, "Early"), (2_100, 2_900, "One"), (6_500, 7_800, "Two"), (9_000, 9_500, "Three"),
    ]
    let shop = try Workshop(
      late.with { $0.tracks.append(StreamableMovie.subtitles(id: 9, "eng", texts)) }, as: "film.mp4")
    try shop.folder.write(late, as: "silent.mp4")
    // Cues that end before the first picture are never shown.
    let (of, early) = ("1 of 4 cues", "end before the presentation begins, at 00:00:02.000, and are never shown")
    #expect(shop.run("hls @film.mp4 -o @out").errors == ["warning: film.mp4: \(of) of track 9 \(early)"])
    shop.run("extract @film.mp4 -o @film.en.srt")
    shop.run("hls @silent.mp4 -o @other")
    let added = shop.run("hls --add @film.en.srt -o @other")
    #expect(added.exitCode == .done && added.errors == ["warning: film.en.srt: \(of) \(early)"])
    func shown(_ folder: String, _ number: Int) throws -> [Substring] {
      let bytes = try shop.folder.read("\(folder)/subtitles-en/segment-\(number).vtt")
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter {
        ["One", "Two", "Three"].contains($0)
      }
    }
    #expect(try shown("out", 1) == ["One", "Two"])
    for number in 1...4 { #expect(try shown("other", number) == shown("out", number), "\(number)") }
  }

  /// Simultaneous additions wait for each other, so none is lost and no temporary file remains.
  @Test func keepsAllSimultaneousAdditions() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    shop.run("hls @film.mp4 -o @out")
    DispatchQueue.concurrentPerform(iterations: 6) { index in
      let outcome = shop.run("hls --add @en.srt -o @out --language fr --title Title-\(index + 1)")
      #expect(outcome.exitCode == .done, "\(outcome.errors)")
    }
    let list = String(decoding: try shop.folder.read("out/main.m3u8"), as: UTF8.self)
    for number in 1...6 { #expect(list.contains("NAME=\"Title-\(number)\"")) }
    let folders = try SystemCalls.names(in: shop.folder.file("out"), prefix: "", suffix: "").filter {
      $0.hasPrefix("subtitles-fr") || $0.hasPrefix(".movtool")
    }
    #expect(folders.sorted() == ["subtitles-fr"] + (2...6).map { "subtitles-fr-\($0)" })
    for folder in folders { #expect(list.contains("URI=\"\(folder)/playlist.m3u8\"")) }
  }

  /// The folder's name is used as the movie's name when reading the file name.
  @Test(arguments: [
    ("film.it.srt", "Italiano", nil), ("en.sdh.srt", "English SDH", nil), ("film.de.forced.srt", "Deutsch", nil),
    ("hi.fr.srt", "Français SDH", "French according to the name, in which \"hi\" may have another meaning"),
    ("film.und.srt", "Subtitles,", nil),
  ]) func derivesLanguageAndRoleFromTheFileName(_ file: String, _ name: String, _ doubt: String?) throws {
    let shop = try Workshop(StreamableMovie.talk.with { $0.tracks.removeLast() }, as: "film.mp4")
    shop.run("hls @film.mp4 -o @film-hls")
    try shop.write(file, ["Who is there?"])
    let outcome = shop.run("hls --add @\(file) -o @film-hls --dry-run")
    #expect(outcome.output[0].contains("would add subtitles \(name)"), "\(outcome)")
    for folder in ["film-hls/.", "film-hls/video/.."] {
      #expect(shop.run("hls --add @\(file) -o @\(folder) --dry-run").errors == outcome.errors)
    }
    #expect(outcome.output[0].contains(" SDH") == name.contains(" SDH"))
    #expect(outcome.errors.count == (doubt == nil ? 0 : 1) && outcome.errors.allSatisfy { $0.contains(doubt ?? "") })
    // `add-subtitle` gives the same warnings.
    let other = try AddSubtitleCommand.parse(["film.mp4", shop.folder.file(file)]).command.subtitles[0].warnings
    #expect(other.count == outcome.errors.count && other.allSatisfy { $0.message.contains(doubt ?? "") })
  }

  /// Players that show full subtitles hide forced ones.
  @Test func warnsOfForcedCuesMissingFromFullSubtitles() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    shop.run("hls @film.mp4 -o @out")
    let cues = "1\n00:00:01,500 --> 00:00:02,500\n<i>First</i>\n\n2\n00:00:03,000 --> 00:00:04,000\nFirst\n"
    try shop.folder.write(Array(cues.utf8), as: "film.en.forced.srt")
    let outcome = shop.run("hls --add @film.en.forced.srt -o @out")
    #expect(outcome.exitCode == .done && outcome.errors.count == 1)
    #expect(outcome.errors[0].contains("1 of 2 forced cues are not in the full subtitles English; players hide"))
    #expect(shop.run("hls --add @film.en.forced.srt -o @out --language fr").errors.isEmpty)
    // The same applies if full subtitles are added or replaced later. Cues in two segments count once.
    try shop.folder.write(Array((cues + "\n3\n00:00:01,500 --> 00:00:07,000\nLong\n").utf8), as: "long.srt")
    shop.run("hls --add @long.srt -o @out --language fr --replace --forced")
    for options in ["", " --replace", " --sdh"] {
      let full = shop.run("hls --add @en.srt -o @out --language fr" + options)
      #expect(full.exitCode == .done && full.errors.count == 1)
      let name = "Français" + (options == " --sdh" ? " SDH" : "")
      #expect(full.errors[0].contains(" of 3 forced cues are not in the full subtitles \(name); players hide"))
    }
    #expect(shop.run("hls --add @long.srt -o @out --language fr --replace").errors.isEmpty)
  }

  @Test func warnsOfCuesAfterTheEnd() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    shop.run("hls @film.mp4 -o @out")
    let late = "1\n00:00:05,000 --> 00:00:06,000\nOne\n\n2\n00:01:00,000 --> 00:01:02,000\nTwo\n"
    try shop.folder.write(Array(late.utf8), as: "late.nl.srt")
    let refused = shop.run("hls --add @late.nl.srt -o @out --strict")
    #expect(refused.exitCode == .no && refused.errors[0].contains("1 of 2 cues begin after the end"))
    #expect(refused.errors[0].contains(", and are never shown; the subtitles may belong"))
    try shop.folder.write(Array("1\n00:01:00,000 --> 00:01:02,000\nTwo\n".utf8), as: "none.nl.srt")
    let none = shop.run("hls --add @none.nl.srt -o @out --dry-run")
    #expect(
      none.exitCode == .badData && none.errors[0].contains("its only cue is not shown: the presentation lasts from"))
    #expect(shop.run(#"hls --add @late.nl.srt -o @out --title A"b""#).output[0].contains("added subtitles A'b',"))
    // A skipped file causes no warnings.
    #expect(shop.run("hls --add @late.nl.srt -o @out").exitCode == .done)
    let again = shop.run("hls --add @late.nl.srt -o @out --if-absent --strict")
    #expect(again.exitCode == .done && again.errors.isEmpty, "\(again.errors)")
    #expect(again.output == ["out: skipped, because the subtitles Nederlands already exist"])
  }

  @Test(arguments: ["samples=500", "segments=3", "fragments=10", "cues=2", "text-bytes=100"])
  func appliesStreamLimits(_ limit: String) throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    let outcome = shop.run("hls @film.mp4 -o @out --limits streamed-\(limit)")
    #expect(outcome.exitCode == .badData && outcome.errors.last == "movtool help limits lists the limits")
    #expect(try !shop.folder.names().contains("out"))
  }

  @Test func stylesAreInEverySegment() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    shop.run("hls @film.mp4 -o @out --style .huge=150% --style .hint=yellow --style .-a=#FFCC00 --style .b=87.5%")
    for number in 1...4 {
      let text = String(decoding: try shop.folder.read("out/subtitles-en/segment-\(number).vtt"), as: UTF8.self)
      #expect(text.contains("\nSTYLE\n::cue(.huge) { font-size: 150% }\n\nSTYLE\n::cue(.hint) { color: yellow }\n"))
    }
  }

  @Test func rejectsInvalidUsage() throws {
    let shop = try Workshop(StreamableMovie.talk)
    for line in [
      "hls", "hls @in.mov", "hls @in.mov -o -", "hls @in.mov -o @out.m3u8", "hls @in.mov -o @out --duration 0",
      "hls @in.mov -o @out --style huge", "hls @in.mov -o @out --style .1a=red", "hls @in.mov -o @out --style .-1=red",
      "hls @in.mov -o @out --style .a=0%", "hls @in.mov -o @out --style .a=1.%", "hls @in.mov -o @out --style .a=rot",
      "hls @in.mov -o @out --style .a=#12345", #"hls @in.mov -o @out --session-data a.b"=1"#,
      "hls @in.mov -o @out --session-data title=x", "hls @in.mov -o @out --session-data a.b=1 --session-data a.b=2",
      "hls @in.mov -o @out --session-data a.b=common/nope", "hls @in.mov -o @out --sdh",
      "hls @in.mov --add @en.srt -o @out",
      "hls --add @en.srt --dry-run",
    ] {
      #expect(shop.run(line).exitCode == .usage, "\(line)")
    }
    let fact = shop.run("hls @in.mov -o @out --session-data a.b=common/titel")
    #expect(fact.errors.first?.hasSuffix("a.b=common/titel: unknown fact; did you mean common/title?") == true)
    #expect(shop.run("hls @none.mov -o @out").exitCode == .noInput)
    #expect(try shop.folder.names() == ["en.srt", "in.mov"])
  }
}
