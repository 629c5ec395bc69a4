import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

struct BatchCommandTests {
  private let shop: Workshop

  init() throws {
    shop = try Workshop(.talk)
  }

  /// Runs a batch whose lines may contain `@` before names in the folder. Returns the exit code and the answers.
  private func run(_ lines: [String], _ options: String = "--ordered", parts: Int = 1) throws -> (
    ExitCode, [[String: Any]]
  ) {
    let text = lines.map { $0 + "\n" }.joined().replacingOccurrences(of: "@", with: shop.folder.path + "/")
    return try run(Array(text.utf8), options, parts: parts)
  }

  private func run(_ input: [UInt8], _ options: String, parts: Int = 1) throws -> (ExitCode, [[String: Any]]) {
    let console = Console(isOnDisk: true)
    let size = max(1, input.count / parts)
    console.input = stride(from: 0, to: input.count, by: size).map { Array(input[$0..<min($0 + size, input.count)]) }
    let exitCode = console.run("batch " + options)
    #expect(console.errors.text == "")
    let answers = try console.output.lines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    return (exitCode, answers)
  }

  private func answer(_ line: [String: Any]) -> [String: Any] { line["answer"] as? [String: Any] ?? [:] }
  private func error(_ line: [String: Any]) -> [String: Any] { answer(line)["error"] as? [String: Any] ?? [:] }

  @Test func answersEachLineWithTheCommandsJSON() throws {
    let (exitCode, lines) = try run([#"["inspect", "@in.mov"]"#, #"["select", "--json", "@in.mov"]"#])
    #expect(exitCode == .done)
    #expect(lines.map { $0["line"] as? Int } == [1, 2])
    #expect(lines.map { answer($0)["command"] as? String } == ["inspect", "select"])
    #expect(lines.allSatisfy { $0["exitCode"] as? Int == 0 && $0["id"] is NSNull })
    let direct = try #require(shop.run("inspect --json @in.mov").json["files"] as? [[String: Any]])
    let files = try #require(answer(lines[0])["files"] as? [[String: Any]])
    let tracks = try #require(files.first?["tracks"] as? NSArray)
    #expect(tracks == direct.first?["tracks"] as? NSArray)
  }

  @Test func repeatsTheIdentifierExactly() throws {
    let (_, lines) = try run([
      #"{"id": "film \u00e9", "arguments": ["inspect", "@in.mov"]}"#,
      #"{"id": 9007199254740993, "arguments": ["help"]}"#,
      #"{"id": "lost"}"#, #"{"id": [1], "arguments": ["help"]}"#,
    ])
    #expect(lines[0]["id"] as? String == "film é")
    #expect((lines[1]["id"] as? NSNumber)?.int64Value == 9_007_199_254_740_993)
    #expect(lines[2]["id"] as? String == "lost")
    #expect(lines[3]["id"] is NSNull)
    #expect(lines.map { $0["exitCode"] as? Int } == [0, 0, 64, 64])
  }

  @Test func joinsRelativeFileNamesToTheFolder() throws {
    let folder = shop.folder.path
    let (exitCode, lines) = try run([
      #"{"folder": "\#(folder)", "arguments": ["add-subtitle", "in.mov", "en.srt", "--language=en", "-o", "out.mov"]}"#,
      #"{"folder": "\#(folder)/", "arguments": ["inspect", "--", "out.mov"]}"#,
      #"{"folder": "/nowhere", "arguments": ["inspect", "\#(folder)/in.mov"]}"#,
      #"{"folder": "", "arguments": ["inspect", "in.mov"]}"#,
    ])
    #expect(exitCode == .usage)
    #expect(lines.map { $0["exitCode"] as? Int } == [0, 0, 0, 64])
    #expect(answer(lines[0])["output"] as? String == folder + "/out.mov")
    #expect(try shop.movie("out.mov").tracks.count == shop.movie().tracks.count + 1)
  }

  @Test func joinsTemplatesToTheFolder() throws {
    let folder = shop.folder.path
    let (exitCode, lines) = try run([
      #"{"folder": "\#(folder)", "arguments": ["remux", "in.mov", ".", "-o", "{folder}/{name}.new.mov"]}"#
    ])
    #expect(exitCode == .done, "\(lines)")
    #expect(try shop.movie("in.new.mov").tracks.count == shop.movie().tracks.count)
  }

  @Test func rejectsANullCharacter() throws {
    let before = try shop.folder.read("in.mov")
    let (exitCode, lines) = try run([#"["metadata", "@in.mov\u0000.txt", "--set", "title=A"]"#])
    #expect(exitCode == .usage)
    #expect(error(lines[0])["message"] as? String == "a word of the command line contains a null character")
    #expect(try shop.folder.read("in.mov") == before)
  }

  @Test func continuesAfterLinesThatFail() throws {
    let (exitCode, lines) = try run([
      "nonsense", "", "[]", #"["inspect", 5]"#, #"["batch"]"#, #"["serve", "@in.mov"]"#, #"["frobnicate"]"#,
      #"["inspect", "@missing.mov"]"#, #"["add-subtitle", "@in.mov", "@en.srt", "-o", "-"]"#,
      #"["add-subtitle", "@in.mov", "-"]"#, #"["inspect", "@in.mov"]"#,
    ])
    #expect(lines.map { $0["line"] as? Int } == [1, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    #expect(lines.map { $0["exitCode"] as? Int } == [64, 64, 64, 64, 64, 64, 66, 64, 66, 0])
    #expect(exitCode == .usage)
    #expect(error(lines[0])["message"] as? String == "line 1: not JSON: the value is not valid JSON")
    #expect(error(lines[3])["message"] as? String == "line 5: batch cannot be part of a batch; run it by itself")
    #expect(error(lines[5])["code"] as? String == "unknown-command")
    #expect(error(lines[7])["message"] as? String == "-o -: this command has no standard output; name a file")
    #expect(error(lines[8])["file"] as? String == "-")
  }

  @Test(arguments: [1, 7, 1000]) func readsLinesThatArriveInParts(parts: Int) throws {
    let (exitCode, lines) = try run(Array(repeating: #"["inspect", "@in.mov"]"#, count: 40), parts: parts)
    #expect(exitCode == .done && lines.count == 40)
  }

  @Test func readsALastLineWithoutALineEnd() throws {
    let (exitCode, lines) = try run(Array(#"["help", "limits"]"#.utf8), "")
    #expect(exitCode == .done && lines.count == 1)
    #expect((lines[0]["answer"] as? String)?.contains("movie-bytes") == true)
  }

  @Test func rejectsALineOverOneMebibyteAndContinues() throws {
    let long = #"["inspect", ""# + String(repeating: "a", count: 1 << 20) + #""]"#
    let most = #"["help", ""# + String(repeating: "a", count: (1 << 20) - 12) + #""]"#
    #expect(most.utf8.count == 1 << 20)
    let (_, lines) = try run(
      Array([long, most, #"["--version"]"#].joined(separator: "\n").utf8), "--ordered", parts: 40)
    #expect(error(lines[0])["message"] as? String == "line 1: longer than 1 MiB")
    #expect(error(lines[1])["code"] as? String == "unknown-command")
    #expect(answer(lines[2])["version"] != nil)
    #expect(lines.count == 3)
  }

  @Test func returnsSeveralAnswersOfACommandAsAnArray() throws {
    let (_, lines) = try run([#"["add-subtitle", "--pair", "@in.mov"]"#])
    let answers = try #require(lines.first?["answer"] as? [[String: Any]])
    #expect(answers.count == 2)
    #expect(answers.last?["movieCount"] as? Int == 1)
  }

  @Test func runsLinesThatEditOneFileInOrder() throws {
    let count = 24
    let (exitCode, lines) = try run(
      (0..<count).map { #"["metadata", "@in.mov", "--set", "title=\#($0)"]"# } + [#"["metadata", "@./in.mov"]"#],
      "--jobs 8")
    #expect(exitCode == .done)
    #expect(lines.map { $0["line"] as? Int } == Array(1...count + 1))
    let items = try #require(answer(lines[count])["items"] as? [[String: Any]])
    #expect(items.contains { $0["string"] as? String == "\(count - 1)" })
  }

  @Test func keepsTheOrderOfAnswersOnRequest() throws {
    let lines = (0..<200).map { index in index % 3 == 0 ? #"["inspect", "@in.mov"]"# : #"["help"]"# }
    let (_, answers) = try run(lines, "--ordered --jobs 4")
    #expect(answers.map { $0["line"] as? Int } == Array(1...200))
  }

  /// Starts a batch whose first line reads a pipe that nobody writes to, and stops it.
  @Test func answersAllReceivedLinesWhenInterrupted() throws {
    let pipe = shop.folder.file("wait.srt")
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    let movie = shop.folder.file("in.mov")
    let before = try shop.folder.read("in.mov")
    let console = Console(isOnDisk: true)
    let wait = #"["add-subtitle", "\#(movie)", "\#(pipe)", "--language", "en"]"# + "\n"
    let edit = #"["metadata", "\#(movie)", "--set", "title=A"]"# + "\n"
    console.input = [Array((wait + String(repeating: edit, count: 600) + #"["--ver"#).utf8)]
    console.stopsAfter = 300
    let exitCode = console.run("batch --jobs 1")
    let codes = try console.output.lines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])["exitCode"] as? Int
    }
    #expect(codes == Array(repeating: 130, count: 601))
    #expect(exitCode == .interrupted)
    #expect(console.holdsStops == [true, false])
    #expect(try shop.folder.read("in.mov") == before)
  }

  @Test func answersInOrderWhenInterrupted() throws {
    let console = Console(isOnDisk: true)
    console.input = [Array(String(repeating: "[\"--version\"]\n", count: 40).utf8)]
    console.inputError = Interruption()
    #expect(console.run("batch --ordered --jobs 3") == .interrupted)
    let numbers = try console.output.lines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])["line"] as? Int
    }
    #expect(numbers == Array(1...40))
  }

  /// The pool of Dispatch would start further threads only after seconds.
  @Test func runsAsManyLinesAtOnceAsJobs() throws {
    let pipes = try (0..<12).map { index in
      let path = shop.folder.file("wait\(index).srt")
      try #require(unsafe mkfifo(path, 0o600) == 0)
      return path
    }
    let movie = shop.folder.file("in.mov")
    let console = Console(isOnDisk: true)
    let lines = pipes.enumerated().map { index, pipe in
      #"["add-subtitle", "\#(movie)", "\#(pipe)", "-o", "\#(shop.folder.file("out\(index).mov"))"]"#
    }
    console.input = [Array((lines + [#"["--version"]"#]).map { $0 + "\n" }.joined().utf8)]
    // The answer of the last line releases the others.
    console.output.beforeWrite = { number in
      guard number == 1 else { return }
      for pipe in pipes { try Data("1\n00:00:01,000 --> 00:00:02,000\nA\n".utf8).write(to: URL(fileURLWithPath: pipe)) }
    }
    #expect(console.run("batch --jobs 13") == .done)
    let first = try #require(console.output.lines.first)
    #expect(first.contains(#""line":13"#))
    #expect(console.output.lines.count == 13)
  }

  @Test func startsNoLineAfterItsOutputFailed() throws {
    let before = try shop.folder.read("in.mov")
    let movies = try (0..<20).map { index in
      try FileManager.default.copyItem(
        atPath: shop.folder.file("in.mov"), toPath: shop.folder.file("film\(index).mov"))
      return shop.folder.file("film\(index).mov")
    }
    let console = Console(isOnDisk: true)
    console.output.failsAtWrite = 1
    console.output.failure = StreamError(stream: "standard output", systemError: SystemError("write", .brokenPipe))
    console.input = [Array(movies.map { #"["metadata", "\#($0)", "--set", "title=A"]"# + "\n" }.joined().utf8)]
    #expect(console.run("batch --jobs 1") == .inputOutput)
    let editedCount = try movies.indices.count { try shop.folder.read("film\($0).mov") != before }
    #expect(editedCount == 1)
  }

  @Test func answersCommandLinesWithoutJSON() throws {
    let (_, lines) = try run([
      #"["inspect", "@in.mov", "--atom", "moov/mvhd"]"#, #"["chapters", "@in.mov", "--export", "ffmetadata"]"#,
    ])
    #expect(lines.map { $0["exitCode"] as? Int } == [0, 1], "\(lines)")  // The movie has no chapters.
    #expect((lines[0]["answer"] as? String)?.isEmpty == false)
  }

  @Test func rejectsUnknownMembers() throws {
    let (_, lines) = try run([
      #"{"folders": "/nowhere", "arguments": ["inspect", "@in.mov"]}"#,
      #"{"folder": "-films", "arguments": ["inspect", "a.mov"]}"#,
    ])
    #expect(
      error(lines[0])["message"] as? String
        == "line 1: unknown member folders; a line has id, folder and arguments")
    let files = try #require(answer(lines[1])["files"] as? [[String: Any]])
    #expect(files[0]["file"] as? String == "./-films/a.mov")
  }

  @Test func acceptsAByteOrderMark() throws {
    let (exitCode, lines) = try run([0xEF, 0xBB, 0xBF] + Array(#"["--version"]"#.utf8), "")
    #expect(exitCode == .done && lines.count == 1)
  }

  @Test func passesLimitsToItsLines() throws {
    let (exitCode, lines) = try run([#"["inspect", "@in.mov"]"#], "--limits movie-bytes=100")
    #expect(exitCode == .badData)
    #expect((answer(lines[0])["files"] as? [[String: Any]])?.first?["error"] != nil)
  }

  @Test func stopsWhenItsReaderIsGone() throws {
    let console = Console(isOnDisk: true)
    console.output.failsAtWrite = 3
    console.output.failure = StreamError(stream: "standard output", systemError: SystemError("write", .brokenPipe))
    console.input = (0..<500).map { _ in Array((#"["--version"]"# + "\n").utf8) }
    #expect(console.run("batch --jobs 2") == .inputOutput)
    #expect(!console.input.isEmpty)
  }

  @Test(arguments: ["0", "257", "x", "-1"]) func rejectsANumberOfJobsOutsideTheRange(_ text: String) {
    let console = Console()
    #expect(console.run("batch --jobs \(text)") == .usage)
    #expect(console.errors.lines.first == "movtool batch: --jobs \(text): not a number from 1 to 256")
  }

  @Test func rejectsAnOperand() {
    let console = Console()
    #expect(console.run("batch lines.jsonl") == .usage)
    #expect(
      console.errors.text.contains("batch reads its command lines from standard input: movtool batch <lines.jsonl"))
  }
}

struct BatchFileTests {
  private func files(_ words: [String]) throws -> [BatchFile] {
    let text = "[" + words.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    return try BatchLine(Bytes(Array(text.utf8)), number: 1).files
  }

  /// A line can contain a path of a mebibyte, whose folders would exceed the memory.
  @Test(arguments: ["/a", "a/"]) func limitsTheFoldersOfALongPath(_ part: String) throws {
    let path = String(repeating: part, count: 500_000)
    #expect(try files(["inspect", path]).map(\.folders) == [[]])
  }

  @Test func recognizesHardLinks() throws {
    let folder = try TemporaryFolder()
    try folder.write(TestMovie.simple, as: "a.mov")
    try FileManager.default.linkItem(atPath: folder.file("a.mov"), toPath: folder.file("b.mov"))
    var set = BatchFileSet()
    set.insert(try files(["metadata", folder.file("a.mov"), "--set", "title=A"]))
    #expect(set.conflicts(with: try files(["inspect", folder.file("b.mov")])))
    #expect(!set.conflicts(with: try files(["inspect", folder.file("c.mov")])))
  }

  @Test(arguments: [
    (["set", "/a.mov", "--track", "audio"], ["/a.mov", "/a.mov"], true),
    (["set", "/a.mov", "/b.mov", "--track", "audio", "--language", "en"], ["/b.mov"], true),
    (["add-track", "/a.mov", "/b.mov"], ["/b.mov"], false),
    (["chapters", "/a.mov", "--images", "/art/{number}.jpg"], ["/a.mov"], false),
    (["inspect", "/a.mov"], ["/a.mov"], false),
    (["inspect", "/a.mov"], ["/b.mov"], false),
    (["remux", "/a.mov", "-o", "/b.mov"], ["/a.mov"], false),
    (["remux", "/a.mov", "-o", "/b.mov"], ["/b.mov"], true),
    (["remux", "/a.mov", "-o=/b.mov"], ["/b.mov"], true),
    (["validate", "/a.mov"], ["/a.mov"], false),
    (["validate", "/a.mov", "--fix"], ["/a.mov"], true),
    (["add-subtitle", "/a.mov", "/en.srt"], ["/en.srt"], false),
    (["add-subtitle", "--pair", "/a.mov", "/films"], ["/films/b.mov"], true),
    (["add-subtitle", "--pair", "/films"], ["/filmstar.mov"], false),
    (["hls", "/a.mov", "-o", "/out"], ["/out/main.m3u8"], true),
    (["metadata", "/a.mov", "--copy-from", "/b.mov"], ["/b.mov"], false),
    (["metadata", "/a.mov"], ["/a.mov"], false),
    (["remux", "/a.mov", "--dry-run"], ["/a.mov"], false),
    (["remux", "/a.mov", "/b.mov", "-o", "/out/{name}.mp4"], ["/out/a.mp4"], true),
    (["remux", "/films/a.mov", "-o", "{folder}/{name}.mp4"], ["/films/a.mp4"], true),
    (["hls", "/a.mov", "-o", "/missing/out"], ["/missing/out/video/init.mp4"], true),
    (["chapters", "/a.mov", "--images", "/art/{number}.jpg"], ["/art/1.jpg"], true),
    (["remove", "/", "--track", "audio"], ["/a.mov"], true),
  ])
  func separatesLinesThatNameAChangedFile(_ first: [String], _ second: [String], _ conflicts: Bool) throws {
    let others = try files(["inspect"] + second)
    var set = BatchFileSet()
    set.insert(try files(first))
    #expect(set.conflicts(with: others) == conflicts)
    var reverse = BatchFileSet()
    reverse.insert(others)
    #expect(reverse.conflicts(with: try files(first)) == conflicts)
  }
}
