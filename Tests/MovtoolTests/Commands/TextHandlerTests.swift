import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import movtool

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
}
