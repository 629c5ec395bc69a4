import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovtoolCommands

/// Subtitles that ffmpeg writes into QuickTime movies, with the text handler.
struct TextHandlerTests {
  /// Returns a movie by ffmpeg with the two cues of `en.srt`, the second in italics.
  private func made() throws -> Workshop {
    let ffmpeg = try Witness.require("ffmpeg")
    let shop = try Workshop()
    try shop.write("en.srt", ["Who is there?", "<i>Nobody.</i>"])
    let inputs = ["-i", TestMedia.path("interview.mov"), "-i", shop.folder.file("en.srt")]
    let mapping = ["-map", "0:v", "-map", "0:a", "-map", "1", "-c", "copy", "-c:s", "mov_text"]
    let result = try ffmpeg.run(
      ["-v", "error", "-nostdin"] + inputs + mapping + ["-metadata:s:s:0", "language=eng", shop.folder.file("in.mov")])
    #expect(result.code == 0, "\(result.errorText)")
    return shop
  }

  @Test func fixesTextTracksThatMenusOmit() throws {
    let shop = try made()
    let old = try SecondReader(path: shop.folder.file("in.mov"))
    let text = try #require(old.tracks.first { $0.handler == "text" })
    let words = "not in the menus of Apple's players: the handler \"text\""
    #expect(shop.run("inspect @in.mov").output.contains { $0.contains(words) })
    #expect(shop.run("validate @in.mov").output.contains { $0.contains("subtitle.text-handler") })
    let cues = shop.run("extract @in.mov --track subtitle:1 -o -").output
    #expect(cues.contains("<i>Nobody.</i>"))

    let outcome = shop.run("validate @in.mov --fix")
    #expect(outcome.exitCode == .done)
    #expect(
      outcome.output.contains { $0.hasPrefix("fixed subtitle.text-handler: the subtitles of track \(text.id) ") })
    #expect(!shop.run("inspect @in.mov").output.contains { $0.contains(words) })
    #expect(!shop.run("validate @in.mov").output.contains { $0.contains("subtitle.") })
    #expect(shop.run("extract @in.mov --track subtitle:1 -o -").output == cues)

    let new = try SecondReader(path: shop.folder.file("in.mov"))
    let made = try #require(new.tracks.last)
    #expect(made.handler == "sbtl" && made.group == text.group && made.isEnabled == text.isEnabled)
    var allowed = AllowedChanges.adding(made.id)
    (allowed.removedTracks, allowed.movieMoved, allowed.mediaDataRearranged) = ([text.id], true, true)
    allowed.regroupedTracks = Set(old.tracks.map(\.id))
    for track in old.tracks { allowed.references[track.id] = ["folw"] }
    #expect(try differences(old: old, new: new, allowing: allowed) == [])
    // A second run changes nothing.
    let bytes = try shop.folder.read("in.mov")
    #expect(shop.run("validate @in.mov --fix").exitCode == .done)
    #expect(try shop.folder.read("in.mov") == bytes)
  }

  @Test func selectsTextTracksAsSubtitles() throws {
    let shop = try made()
    #expect(shop.run("set @in.mov --track subtitle:1 --title Dialog").exitCode == .done)
    #expect(shop.run("set @in.mov --track subtitle:en --language fr").exitCode == .done)
    let text = try shop.movie().tracks.first { $0.mediaType == .text }
    #expect(text?.language?.description == "fr")
    #expect(shop.run("set @in.mov --track text:1 --title Other").exitCode == .done)
    // A chapter track is not a subtitle track.
    #expect(shop.run("link @in.mov --chapters video:1=text:1").exitCode == .done)
    #expect(shop.run("set @in.mov --track subtitle:1 --title X").exitCode == .usage)
    #expect(shop.run("validate @in.mov").output.allSatisfy { !$0.contains("subtitle.text-handler") })
    let bytes = try shop.folder.read("in.mov")
    _ = shop.run("validate @in.mov --fix")
    let movie = try shop.movie()
    #expect(movie.tracks.contains { $0.mediaType == .text } && bytes.count > 0)
  }

  /// A track with properties that a new track would lose is left to the user.
  @Test func leavesTextTracksThatWouldLoseProperties() throws {
    let shop = try made()
    #expect(shop.run("set @in.mov --track subtitle:1 --characteristic +com.example.note").exitCode == .done)
    let outcome = shop.run("validate @in.mov --fix")
    #expect(outcome.exitCode == .done)
    let movie = try shop.movie()
    let track = try #require(movie.tracks.last)
    #expect(track.mediaType == .subtitle && track.taggedCharacteristics.map(\.rawValue) == ["com.example.note"])
  }

  /// Rewritten subtitles end with the picture or with their last cue, however long the other text tracks are.
  @Test func rewritesTextTracksWithoutLengtheningThem() throws {
    let ffmpeg = try Witness.require("ffmpeg")
    let shop = try Workshop()
    try shop.folder.write(Array("1\n00:00:01,000 --> 00:00:02,000\nShort\n".utf8), as: "short.srt")
    try shop.folder.write(Array("1\n00:00:01,000 --> 00:00:14,000\nLong\n".utf8), as: "long.srt")
    let inputs = [TestMedia.path("interview.mov"), shop.folder.file("short.srt"), shop.folder.file("long.srt")]
    let mapping = ["-map", "0:v", "-map", "0:a", "-map", "1", "-map", "2", "-c", "copy", "-c:s", "mov_text"]
    let result = try ffmpeg.run(
      ["-v", "error", "-nostdin"] + inputs.flatMap { ["-i", $0] } + mapping + [shop.folder.file("in.mov")])
    #expect(result.code == 0, "\(result.errorText)")
    func pastEnd() -> [String] {
      shop.run("validate @in.mov").output.filter { $0.hasPrefix("    moov") && $0.contains("the subtitles end at") }
    }
    #expect(pastEnd().count == 1)
    #expect(shop.run("validate @in.mov --fix").output.count { $0.hasPrefix("fixed subtitle.text-handler") } == 2)
    // The long cue is kept, which a person may decide to cut, and the other track is as long as the film.
    #expect(pastEnd().count == 1)
    #expect(shop.run("validate @in.mov --fix").output.allSatisfy { !$0.hasPrefix("fixed") })

    // The advice works even if other subtitles last as long.
    let long = try #require(try shop.movie().tracks.last { $0.mediaType == .subtitle })
    #expect(shop.run("add-track @in.mov @in.mov --track id:\(long.id) --language fr").exitCode == .done)
    #expect(pastEnd().count == 2)
    for _ in 0..<2 {
      let line = try #require(shop.run("validate @in.mov").output.first { $0.contains("fix:    movtool extract") })
      let id = try #require(line.split(separator: ":").last)
      #expect(shop.run("extract @in.mov --track id:\(id) -o @sub.srt --force").exitCode == .done)
      #expect(shop.run("remove @in.mov --track id:\(id)").exitCode == .done)
      #expect(shop.run("add-subtitle @in.mov @sub.srt --language de").exitCode == .done)
    }
    #expect(pastEnd().isEmpty)
  }

  /// After a fix, no finding is left that the command reported as fixed, and none is new.
  @Test func fixesNothingTwice() throws {
    var fixedCount = 0
    for entry in try Corpus.require().movies {
      let bytes = try readFile(entry.path)
      guard bytes.count <= 8 << 20 else { continue }
      let shop = try Workshop()
      try shop.folder.write(bytes, as: entry.name)
      func findings() -> [String: Int] {
        let file = (shop.run("validate @\(entry.name) --json").json["files"] as? [[String: Any]])?.first
        let rules = (file?["findings"] as? [[String: Any]])?.compactMap { $0["rule"] as? String } ?? []
        return Dictionary(rules.map { ($0, 1) }, uniquingKeysWith: +)
      }
      let before = findings()
      let answer = shop.run("validate @\(entry.name) --fix --json").json
      let fixed = (answer["fixed"] as? [[String: Any]])?.compactMap { $0["rule"] as? String } ?? []
      guard !fixed.isEmpty else { continue }
      let after = findings()
      for rule in Set(fixed) { #expect(after[rule, default: 0] < before[rule, default: 0], "\(entry.name): \(rule)") }
      for (rule, count) in after { #expect(count <= before[rule, default: 0], "\(entry.name): \(rule)") }
      let second = shop.run("validate @\(entry.name) --fix --json").json
      #expect((second["fixed"] as? [Any])?.isEmpty ?? true, "\(entry.name)")
      fixedCount += 1
    }
    #expect(fixedCount > 0)
  }
}
