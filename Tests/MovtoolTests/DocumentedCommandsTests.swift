import Foundation
import TestSupport
import Testing

@testable import MovtoolCommands

/// Runs every command in the README and in `Docs`, as a user would paste it into a shell.
struct DocumentedCommandsTests {
  private static let pages = [
    "README.md", "Docs/subtitles.md", "Docs/editing.md", "Docs/metadata.md", "Docs/chapters.md", "Docs/selection.md",
    "Docs/validation.md",
    "Docs/limits.md", "Docs/streaming.md", "Docs/conversion.md", "Docs/page.md", "Docs/questions.md", "Docs/batch.md",
  ]

  private static func text(_ page: String) throws -> String {
    try String(contentsOfFile: TestMedia.path("../" + page), encoding: .utf8)
  }

  /// Returns the commands in the page's `sh` blocks, and in the second column of the README's table.
  private static func commands(_ page: String) throws -> [String] {
    let text = try text(page)
    var commands: [String] = []
    for block in text.components(separatedBy: "\n```").filter({ $0.hasPrefix("sh\n") }) {
      commands += block.components(separatedBy: "\n").dropFirst().filter { !$0.isEmpty }
    }
    for row in text.components(separatedBy: "\n") where row.hasPrefix("| ") {
      commands += row.components(separatedBy: "`").filter { $0.hasPrefix("movtool ") }
    }
    // Build commands are checked by `Scripts/check`, help contains placeholders, and a server runs until it is stopped.
    return commands.filter {
      !$0.hasPrefix("movtool serve ") && !$0.hasPrefix("swift ") && !$0.hasPrefix("Scripts/")
        && !$0.hasPrefix("install ") && !$0.contains("COMMAND")
    }
  }

  /// A route that begins with the film.
  private static let ride = """
    <gpx version="1.1" creator="test"><trk><trkseg>
    <trkpt lat="48.1" lon="11.5"><time>2024-01-20T10:26:09Z</time></trkpt>
    <trkpt lat="48.2" lon="11.6"><time>2024-01-20T10:26:19Z</time></trkpt>
    </trkseg></trk></gpx>
    """

  /// Returns a folder with the files of a command. Films have English and Spanish audio, and Spanish subtitles.
  private static func folder(for command: String = "") throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in ["film.mov", "film.mp4", "old.mov"] { try folder.copy(TestMedia.path("spanish.mov"), as: name) }
    try folder.copy(TestMedia.path("interview.mp4"), as: "dub.m4a")
    try FileManager.default.createDirectory(atPath: folder.file("TestMedia"), withIntermediateDirectories: false)
    for name in ["en.srt", "interview.mov", "spanish.mov"] {
      try folder.copy(TestMedia.path(name), as: "TestMedia/" + name)
    }
    let cues = try folder.read("TestMedia/en.srt")
    for name in ["film.en.srt", "film.es.srt", "film.en.forced.srt"] where command.contains(name) {
      try folder.write(cues, as: name)
    }
    let hour = command.contains("--timecode-base") ? "01" : "00"
    let caption = "Scenarist_SCC V1.0\n\n\(hour):00:01:00\t9420 9470 c8e9 942f\n\n\(hour):00:02:00\t942c\n"
    try folder.write(Array(caption.utf8), as: "film.en.scc")
    try folder.write(Array("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>Hello, my dear\n".utf8), as: "film.en.vtt")
    try folder.write(Array("1\n00:00:01,000 --> 00:00:02,000\n".utf8) + [0xCF, 0xF0, 0xE8], as: "film.ru.srt")
    try folder.write([0xFF, 0xD8, 0xFF, 0xE0, 0], as: "cover.jpg")
    try folder.write(Array(";FFMETADATA1\ntitle=Home\nalbum_artist=Ann\n".utf8), as: "tags.txt")
    try folder.write(
      Array("{\"_type\": \"video\", \"title\": \"Home\", \"upload_date\": \"20240120\"}".utf8), as: "video.info.json")
    try folder.write(
      Array(
        #"""
        ["inspect", "film.mov"]
        {"id": 2, "arguments": ["select", "film.mp4"]}
        """#.utf8), as: "lines.jsonl")
    try folder.write(Array("0:00 Intro\n0:02 The interview\n".utf8), as: "chapters.txt")
    for (name, title) in [("en.vtt", "Intro"), ("de.vtt", "Einleitung")] {
      let cues = "00:00.000 --> 00:02.000\n\(title)\n\n00:02.000 --> 00:03.000\nInterview\n"
      try folder.write(Array("WEBVTT\n\n\(cues)".utf8), as: name)
    }
    try FileManager.default.createDirectory(atPath: folder.file("art"), withIntermediateDirectories: false)
    try folder.write(jpegPicture(8, 6), as: "art/01.jpg")
    return folder
  }

  @Test(arguments: pages) func commandsOfAPageSucceed(_ page: String) throws {
    let commands = try Self.commands(page)
    try #require(!commands.isEmpty)
    let tool = try Tool.path()
    let path =
      URL(fileURLWithPath: tool).deletingLastPathComponent().path + ":"
      + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    let shared = try Self.folder()
    for command in commands {
      // The commands about a talk depend on one another.
      let folder = command.contains("talk.mov") || command.hasPrefix("cp ") ? shared : try Self.folder(for: command)
      let movie = folder.file("film.mov")
      let edited = try Shell.run(
        tool, ["add-subtitle", movie, folder.file("TestMedia/en.srt"), "-o", folder.file("edited.mov")])
      #expect(edited.code == 0 || folder === shared)
      if command.contains("ride.gpx") {
        let dated = try Shell.run(tool, ["metadata", movie, "--creation-date", "2024-01-20T10:26:09Z"])
        #expect(dated.code == 0, "\(dated.errorText)")
        try folder.write(Array(Self.ride.utf8), as: "ride.gpx")
      }
      if command.hasPrefix("movtool chapters ") {
        let given = try Shell.run(tool, ["chapters", movie, "--set", folder.file("chapters.txt")])
        #expect(given.code == 0, "\(given.errorText)")
      }
      let line = command.replacingOccurrences(of: "swift run movtool", with: "movtool")
      for program in ["ffmpeg", "jq", "parallel"] where line.contains(program + " ") {
        _ = try Witness.require(program)
      }
      let result = try Shell.run("/bin/sh", ["-c", line], in: folder.path, environment: ["PATH": path])
      let isAnswer =
        result.code == 1 && ["validate", "diff ", "extract ", "timed "].contains { line.contains("movtool " + $0) }
      #expect(result.code == 0 || isAnswer, "\(page): \(command): \(result.errorText)")
    }
  }

  @Test(arguments: [("js", "node"), ("python", "python3")])
  func programsThatUseBatchWork(_ language: String, _ program: String) throws {
    let block = try #require(
      try Self.text("Docs/batch.md").components(separatedBy: "\n```").first { $0.hasPrefix(language + "\n") })
    let folder = try Self.folder()
    try folder.write(Array(block.dropFirst(language.count + 1).utf8), as: "example." + language)
    let path = URL(fileURLWithPath: try Tool.path()).deletingLastPathComponent().path
    _ = try Witness.require(program)
    let result = try Shell.run(
      "/usr/bin/env", [program, "example." + language], in: folder.path,
      environment: ["PATH": path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")])
    #expect(result.code == 0, "\(result.errorText)")
    let expected = language == "js" ? ["4"] : ["film.mov 0 4", "film.mov 0 4"]
    #expect(result.outputText.split(separator: "\n").map(String.init) == expected)
  }

  /// The first block of the README prints the text below it.
  @Test func printsTheOutputShownInTheReadme() throws {
    let blocks = try Self.text("README.md").components(separatedBy: "\n```")
    let command = try #require(blocks.first { $0.hasPrefix("sh\n") }).dropFirst(3)
    let shown = try #require(blocks.first { $0.hasPrefix("text\n") }).dropFirst(5)
    let folder = try Self.folder()
    let tool = try Tool.path()
    let line = command.replacingOccurrences(of: "swift run movtool", with: tool)
    let result = try Shell.run("/bin/sh", ["-c", line], in: folder.path)
    #expect(result.outputText == shown + "\n")
  }

  /// The page on selection shows part of the output of the last command in its first block.
  @Test func printsTheMenuShownOnTheSelectionPage() throws {
    let blocks = try Self.text("Docs/selection.md").components(separatedBy: "\n```")
    let commands = try #require(blocks.first { $0.hasPrefix("sh\n") }).dropFirst(3)
    let shown = try #require(blocks.first { $0.hasPrefix("text\n") }).dropFirst(5)
    let folder = try Self.folder()
    let script = commands.replacingOccurrences(of: "\nmovtool", with: "\n" + (try Tool.path()))
    let result = try Shell.run("/bin/sh", ["-e", "-c", script], in: folder.path)
    #expect(result.code == 0 && result.errorText.isEmpty, "\(result.errorText)")
    #expect(result.outputText.contains("\n" + shown + "\n"))
  }

  @Test func documentsTheExitCodes() throws {
    let rows = try Self.text("Docs/limits.md").components(separatedBy: "\n").map { $0.filter { $0 != "`" } }
    for code in ExitCode.allCases { #expect(rows.contains("| \(code.rawValue) | \(code.meaning) |")) }
  }

  /// Links between the pages refer to existing files.
  @Test func resolvesLinks() throws {
    for page in Self.pages + [
      "Docs/comparison.md", "Docs/library.md", "Docs/testing.md", "Docs/performance.md", "Docs/contributing.md",
    ] {
      let base = URL(fileURLWithPath: TestMedia.path("../" + page)).deletingLastPathComponent()
      for part in try Self.text(page).components(separatedBy: "](").dropFirst() {
        let target = part.prefix { $0 != ")" && $0 != "#" }
        guard !target.isEmpty, !target.hasPrefix("http") else { continue }
        let path = base.appendingPathComponent(String(target)).path
        #expect(FileManager.default.fileExists(atPath: path), "\(page): \(target)")
      }
    }
  }
}
