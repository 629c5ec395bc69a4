import Foundation
import TestSupport
import Testing

@testable import MovtoolCommands

/// The lines that lead people from the words of other tools to the work.
struct GuidanceTests {
  @Test(arguments: [
    ("trim film.mov", "unknown command trim; movtool does not cut movies", "try: ffmpeg -ss 10 "),
    ("join a.mov b.mov", "unknown command join; movtool does not join movies", "try: printf "),
    ("split film.mov", "unknown command split; movtool does not split movies", "try: ffmpeg "),
    (
      "rotate film.mov", "unknown command rotate; movtool does not rotate video",
      "try: ffmpeg -i film.mov -map 0 -dn -c copy -c:v:0 libx264 -filter:v:0 transpose=1 out.mov"
    ),
    ("delay film.mov", "unknown command delay", "try: movtool retime film.mov --track subtitle --offset 1.5"),
    ("timecode film.mov", "unknown command timecode", "try: movtool inspect film.mov"),
    ("cover film.mov", "unknown command cover", "try: movtool metadata film.mov cover.jpg --artwork"),
    ("recover film.mov", "unknown command recover", "try: movtool remux film.mov -o out.mov --salvage"),
    (
      "undo", "unknown command undo; movtool does not keep the old movie; -o FILE writes a new file instead",
      "movtool help"
    ),
    ("remux film.mov --trim 3", "unknown option --trim; movtool does not cut movies", "try: ffmpeg "),
    ("remux film.mov --hls_time 6", "unknown option --hls_time", "try: movtool hls "),
    (
      "hls film.mov --encrypt",
      "unknown option --encrypt; movtool does not encrypt; ffmpeg encrypts video and audio, without subtitles",
      "try: ffmpeg "
    ),
    (
      "hls film.mov --segment-duration 4", "unknown option --segment-duration; did you mean --duration?",
      "see movtool help hls"
    ),
    ("hls film.mov --hls_time 4", "unknown option --hls_time; did you mean --duration?", "see movtool help hls"),
    ("retime film.mov --fps 25", "unknown option --fps; did you mean --from-fps?", "see movtool help retime"),
    (
      "remux film.mov --fps 25", "unknown option --fps; movtool does not change the frame rate of video",
      "try: ffmpeg "
    ),
    (
      "select film.mov --prefer-voiceover", "unknown option --prefer-voiceover; did you mean --prefer-description?",
      "see movtool help select"
    ),
  ]) func suggestsCommandsForWordsOfOtherTools(_ line: String, _ message: String, _ hint: String) {
    let console = Console()
    let code = Movtool.run(line.split(separator: " ").map(String.init), in: console.context)
    #expect(code == .usage)
    let lines = console.errors.lines
    #expect(lines.count == 2 && lines[0].hasSuffix(": " + message), "\(lines)")
    #expect(lines.last?.hasPrefix(hint) == true, "\(lines)")
  }

  @Test func givesOneAnswerForEachWord() {
    let words = Guidance.all.flatMap(\.words)
    #expect(Set(words).count == words.count)
    #expect(Guidance.all.allSatisfy { $0.guidance.line != nil || $0.guidance.refusal != nil })
    #expect(words.allSatisfy { word in !CommandTable.all.contains { $0.name == word } })
  }

  @Test func everySuggestedMovtoolCommandWorks() throws {
    let tool = try Tool.path()
    for line in Guidance.all.compactMap(\.guidance.line) where line.hasPrefix("movtool ") {
      guard !line.hasPrefix("movtool serve ") else { continue }
      let folder = try folder()
      let result = try Shell.run(
        "/bin/sh", ["-c", line.replacingOccurrences(of: "movtool ", with: tool + " ")], in: folder.path)
      #expect(
        result.code == 0 || result.code == 1 && ["validate", "--grep", "timed"].contains { line.contains($0) },
        "\(line): \(result.errorText)")
    }
  }

  private static let linesOfOthers = Guidance.all.compactMap(\.guidance.line).filter { !$0.hasPrefix("movtool ") }

  @Test(arguments: linesOfOthers) func suggestedCommandsOfOtherProgramsWork(_ line: String) throws {
    _ = try Witness.require(line.contains("exiftool") ? "exiftool" : "ffmpeg")
    let folder = try folder()
    let result = try Shell.run("/bin/sh", ["-c", line + " </dev/null"], in: folder.path)
    #expect(result.code == 0, "\(line): \(result.errorText)")
  }

  /// A movie with two sounds and subtitles, and one without sound: no line of ffmpeg loses a track without a word.
  @Test(arguments: linesOfOthers.filter { $0.contains("ffmpeg") && !$0.contains("-frames:v 1") }, [true, false])
  func suggestedFFmpegCommandsKeepAllTracks(_ line: String, _ hasSound: Bool) throws {
    let ffprobe = try Witness.require("ffprobe")
    let ffmpeg = try Witness.require("ffmpeg")
    let folder = try folder()
    let film = folder.file("film.mov")
    try folder.remove("film.mov")
    let sounds = hasSound ? ["-map", "0:a", "-map", "0:a"] : []
    let made = try ffmpeg.run(
      [
        "-v", "error", "-nostdin", "-i", TestMedia.path("interview.mov"), "-i", folder.file("film.en.srt"), "-map",
        "0:v",
      ]
        + sounds + ["-map", "1", "-map", "1", "-c", "copy", "-c:s", "mov_text", film])
    try #require(made.code == 0, "\(made.errorText)")
    for name in ["a.mov", "b.mov"] {
      try folder.remove(name)
      try folder.copy(film, as: name)
    }
    let before = Set(try folder.names())
    let result = try Shell.run("/bin/sh", ["-c", line + " </dev/null"], in: folder.path)
    #expect(result.code == 0, "\(line): \(result.errorText)")
    let new = Set(try folder.names()).subtracting(before)
    let output = try #require(
      new.filter { !$0.hasSuffix(".txt") && !$0.hasSuffix(".m4s") && !$0.hasSuffix(".ts") }.min())
    func kinds(_ name: String) throws -> [String] {
      let entries = [
        "-v", "error", "-allowed_extensions", "ALL", "-show_entries", "stream=codec_type", "-of", "csv=p=0",
      ]
      let hls = name.hasSuffix(".m3u8") ? entries : entries.filter { $0 != "-allowed_extensions" && $0 != "ALL" }
      return try ffprobe.run(hls + [folder.file(name)]).outputText.split(separator: "\n").map {
        $0.split(separator: ",")[0]
      }
      .map(String.init).filter { $0 != "data" && !$0.isEmpty }.sorted()
    }
    let isWithoutSubtitles = Guidance.all.first { $0.guidance.line == line }?.guidance.refusal?.contains(
      "without subtitles")
    let expected = (hasSound ? ["audio", "audio"] : []) + (isWithoutSubtitles == true ? [] : ["subtitle", "subtitle"])
    guard !output.hasSuffix(".m3u8"), !output.hasSuffix(".mpd") else { return }
    #expect(try kinds(output) == expected + ["video"], "\(line)")
  }

  /// ffmpeg cannot write captions into MP4 files.
  @Test(arguments: linesOfOthers.filter { $0.contains("ffmpeg") })
  func suggestedFFmpegCommandsAcceptCaptions(_ line: String) throws {
    _ = try Witness.require("ffmpeg")
    let folder = try folder()
    let tool = try Tool.path()
    for name in ["film.mov", "a.mov", "b.mov"] {
      let added = try Shell.run(tool, ["add-captions", name, "film.en.scc"], in: folder.path)
      try #require(added.code == 0, "\(added.errorText)")
    }
    let result = try Shell.run("/bin/sh", ["-c", line + " </dev/null"], in: folder.path)
    #expect(result.code == 0, "\(line): \(result.errorText)")
  }

  @Test func unfinishedMovieIsReportedAsUnfinished() throws {
    let shop = try Workshop(.simple)
    let bytes = try shop.folder.read("in.mov")
    try shop.folder.write(bytes.dropLast(bytes.count / 2), as: "half.mov")
    let half = shop.run("add-subtitle @half.mov @en.srt")
    #expect(half.exitCode == .badData)
    #expect(
      half.errors.last
        == "the file is incomplete or is still being written; wait until it is complete, or download it again")
  }

  @Test func suggestsACommandThatMakesAMovieFromAPlaylist() throws {
    let folder = try folder()
    let tool = try Tool.path()
    try #require(try Shell.run(tool, ["hls", "film.mov", "-o", "film-hls"], in: folder.path).code == 0)
    let result = try Shell.run(tool, ["inspect", "film-hls/main.m3u8"], in: folder.path)
    let hint = "this is a playlist; try: ffmpeg -i film-hls/main.m3u8 -c copy film-hls/main.mp4"
    #expect(result.code == 65 && result.errorText.contains(hint), "\(result)")
    _ = try Witness.require("ffmpeg")
    let line = "ffmpeg -i film-hls/main.m3u8 -c copy film-hls/main.mp4 </dev/null"
    #expect(try Shell.run("/bin/sh", ["-c", line], in: folder.path).code == 0)
  }

  @Test func severalSubRipFilesGetOneNoteAboutVoices() throws {
    let shop = try Workshop(.simple)
    try shop.write("es.srt", ["A"])
    let outcome = shop.run("add-subtitle @in.mov --voices @en.srt @es.srt")
    #expect(outcome.errors.count { $0.contains("--voices has no effect: SubRip") } == 1, "\(outcome.errors)")
    try shop.folder.write(Array("WEBVTT\n\n00:00.100 --> 00:00.500\n<v Ann>Hello\n".utf8), as: "fr.vtt")
    let mixed = shop.run("add-subtitle @in.mov --voices --replace @en.srt @fr.vtt")
    #expect(mixed.exitCode == .done && !mixed.errors.contains { $0.contains("--voices") }, "\(mixed.errors)")
  }

  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in ["film.mov", "a.mov", "b.mov"] { try folder.copy(TestMedia.path("spanish.mov"), as: name) }
    try folder.copy(TestMedia.path("interview.mp4"), as: "dub.m4a")
    try folder.copy(TestMedia.path("en.srt"), as: "film.en.srt")
    let captions = "Scenarist_SCC V1.0\n\n00:00:01:00\t9420 9470 c8e9 942f\n\n00:00:02:00\t942c\n"
    try folder.write(Array(captions.utf8), as: "film.en.scc")
    try folder.write([0xFF, 0xD8, 0xFF, 0xE0, 0], as: "cover.jpg")
    try folder.write(Array("key\nkey.bin\n".utf8), as: "key.info")
    try folder.write([UInt8](repeating: 7, count: 16), as: "key.bin")
    return folder
  }
}
