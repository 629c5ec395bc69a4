import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter
@testable import MovtoolCommands

/// `-o -`: standard output contains the movie and nothing else.
struct StreamedMovieTests {
  private let shop: Workshop
  private let console = Console(isOnDisk: true)

  init() throws {
    shop = try Workshop(.talk.with { $0.layout = .movieFirst })
    try shop.folder.write(.torture, as: "other.mov")
  }

  private static let add = "add-subtitle @in.mov @en.srt -o -"

  @Test(arguments: [
    "add-subtitle @in.mov @en.srt", "add-subtitle @in.mov @en.srt --fast-start", "remux @in.mov --interleave",
    "remove @in.mov --track audio:2", "add-track @in.mov @other.mov --track audio",
  ])
  func streamsTheBytesOfTheFile(_ command: String) throws {
    let old = try shop.folder.read("in.mov")
    let file = shop.run(command + " -o @out.mov")
    let stream = shop.run(command + " -o -", console)
    #expect(file.exitCode == .done && stream.exitCode == .done)
    let movie = try shop.folder.read("out.mov")
    // A file that shares blocks with the old one has another layout.
    let source = try FileSource(path: shop.folder.file("in.mov"))
    let sharesBlocks = NewFileSink.sharedBlockByteCount(with: source, at: shop.folder.file("out.mov")) != nil
    #expect(sharesBlocks || console.output.bytes == movie)
    // All messages are identical, but go to one stream.
    let said = (file.errors + file.output).map { $0.replacingOccurrences(of: "out.mov", with: "standard output") }
    #expect(sharesBlocks || stream.errors.sorted() == said.sorted())
    let size = Quantity.exactBytes(UInt64(console.output.bytes.count))
    #expect(stream.errors.contains { $0.hasPrefix("wrote standard output: \(size)") })
    #expect(try shop.folder.names() == ["en.srt", "in.mov", "other.mov", "out.mov"])
    #expect(try shop.folder.read("in.mov") == old)
    #expect(console.holdsStops.isEmpty)
  }

  /// The reader of a pipe cannot seek to a movie atom after the media.
  @Test(arguments: [
    "add-subtitle @in.mov @en.srt", "remux @in.mov", "remove @in.mov --track audio:2",
    "set @in.mov --track audio:1 --language fr",
    "metadata @in.mov --set title=Home", "chapters @in.mov --set @chapters.txt", "link @in.mov --auto",
    "add-track @in.mov @other.mov --track audio",
  ])
  func streamsTheMovieAtomBeforeTheMedia(_ command: String) throws {
    let shop = try Workshop(.talk)
    try shop.folder.write(.torture, as: "other.mov")
    try shop.folder.write(Array("0:00 One\n".utf8), as: "chapters.txt")
    #expect(shop.movieAtomPlace() == .last)
    let console = Console(isOnDisk: true)
    #expect(shop.run(command + " -o -", console).exitCode == .done)
    try shop.folder.write(console.output.bytes, as: "streamed.mov")
    #expect(shop.movieAtomPlace("streamed.mov") == .first)
  }

  @Test func writesJSONAfterTheProgressOnStandardError() throws {
    let outcome = shop.run(Self.add + " --json --progress json", console)
    let start = try #require(outcome.errors.firstIndex(of: "{"))
    #expect(outcome.errors[..<start].allSatisfy { $0.hasPrefix("{\"done\":") } && start > 0)
    let answer = try JSONSerialization.jsonObject(with: Data(outcome.errors[start...].joined(separator: "\n").utf8))
    let members = try #require(answer as? [String: Any])
    #expect(members["output"] as? String == "-" && members["isWritten"] as? Bool == true)
    #expect(members["bytesWritten"] as? Int == console.output.bytes.count)
  }

  @Test func keepsErrorsOutOfTheStreamedMovie() throws {
    for (command, exitCode) in [
      ("add-subtitle @none.mov @en.srt -o - --json", ExitCode.noInput), (Self.add + " --json --bogus", .usage),
      (Self.add + " --json --force", .usage), ("remux @en.srt -o=- --json", .badData),
      ("add-subtitle @in.mov @en.srt --language xx -o - --json --strict", .no),
    ] {
      let console = Console(isOnDisk: true)
      let outcome = shop.run(command, console)
      #expect(outcome.exitCode == exitCode, "\(command)")
      #expect(console.output.bytes.isEmpty && outcome.errors.first == "{", "\(command)")
    }
  }

  @Test func printsAPlanToStandardOutput() throws {
    console.output.terminalWidth = 80
    let outcome = shop.run(Self.add + " --dry-run", console)
    #expect(outcome.exitCode == .done)
    #expect(outcome.output.contains { $0.hasPrefix("would write standard output: ") })
    let json = shop.run(Self.add + " --dry-run --json").json
    #expect(json["output"] as? String == "-" && json["strategy"] as? String == "rewrite")
  }

  @Test func refusesToStreamToATerminal() throws {
    console.output.terminalWidth = 80
    let outcome = shop.run(Self.add, console)
    #expect(outcome.exitCode == .usage && console.output.bytes.isEmpty)
    #expect(
      outcome.errors.first
        == "movtool add-subtitle: -o - would write the movie to a terminal; redirect the output, or specify a file")
  }

  @Test func rejectsTheInputAsStandardOutput() throws {
    for name in ["in.mov", "other.mov"] {
      let console = Console(isOnDisk: true)
      console.links["/dev/stdout"] = shop.folder.file(name)
      let outcome = shop.run("add-track @in.mov @other.mov --track audio -o -", console)
      #expect(outcome.exitCode == .usage && console.output.bytes.isEmpty)
      #expect(outcome.errors.first == "movtool add-track: standard output is the input \(name)")
    }
  }

  @Test func rejectsFileOptionsForAStream() {
    for option in ["--force", "--sync", "--append"] {
      #expect(shop.run(Self.add + " " + option).exitCode == .usage)
    }
    // A file with this name is not a stream.
    #expect(!CommandTable.streamsMovie(["remux", "in.mov", "-o", "./-"]))
    #expect(!CommandTable.streamsMovie(["remux", "in.mov", "--", "-o", "-"]))
    #expect(!CommandTable.streamsMovie(["remux", "in.mov", "-o", "-", "--dry-run"]))
    #expect(CommandTable.streamsMovie(["remux", "in.mov", "-o", "-"]))
    #expect(CommandTable.streamsMovie(["remux", "-o=-", "in.mov"]))
    // Commands that write no file do not have the option.
    for words in [["inspect", "-o", "-"], ["bogus", "-o", "-"], ["-o", "-"], []] {
      #expect(!CommandTable.streamsMovie(words))
    }
    let inspected = shop.run("inspect --json -o - @in.mov")
    #expect(inspected.exitCode == .usage && inspected.errors.isEmpty && inspected.json["error"] != nil)
  }

  @Test func namesAStreamThatFails() throws {
    try shop.folder.write(TestMovie.simple.with { $0.layout.insert(.free(3_000_000), at: 1) }, as: "in.mov")
    for (answer, lines) in [
      (SystemError.Code.noSpace, ["standard output: cannot write: No space left on device"]),
      (.brokenPipe, ["standard output: the reader closed the pipe before the end"]),
    ] {
      for write in [1, 2] {
        let console = Console(isOnDisk: true)
        console.output.failsAtWrite = write
        console.output.failure = StreamError(stream: "standard output", systemError: SystemError("write", answer))
        let outcome = shop.run(Self.add, console)
        #expect(outcome.exitCode == .inputOutput && outcome.errors == lines)
        #expect(console.output.bytes.count == (write - 1) * 256 << 10)
      }
    }
  }

  @Test func stopsStreamingOnRequest() throws {
    console.output.beforeWrite = { [console] _ in console.isStopped = true }
    let outcome = shop.run(Self.add, console)
    #expect(outcome.exitCode == .interrupted)
    #expect(outcome.errors.last == "in.mov: interrupted")
  }

  @Test func reportsAMovieThatChangesWhileStreaming() throws {
    try shop.folder.write(TestMovie.simple.with { $0.layout.insert(.free(3_000_000), at: 1) }, as: "in.mov")
    console.output.beforeWrite = { [shop] _ in
      let file = try SystemCalls.open(shop.folder.file("in.mov"), .updating)
      try SystemCalls.truncate(file, to: 2_000_000)
      try SystemCalls.close(file)
    }
    let outcome = shop.run(Self.add, console)
    #expect(outcome.exitCode == .inputOutput && outcome.errors.count == 1)
    #expect(outcome.errors.first?.hasPrefix("in.mov: ") == true)
  }

  @Test func splitsALargeUploadIntoPartsForAStore() throws {
    let size: UInt64 = 20 << 30
    let movie = TestMovie.simple.with {
      $0.layout = [.fileType, .hole(size), .media(.ordinary), .movie(.ordinary)]
      for index in $0.tracks.indices { $0.tracks[index].usesLongOffsets = true }
    }
    try shop.folder.write(movie, as: "large.mov")
    let answer = shop.run("add-subtitle @large.mov @en.srt --dry-run --json").json
    let parts = try #require(answer["parts"] as? [[String: Any]])
    #expect(parts.count == 9 && parts.filter { $0["sourceFile"] is NSNull }.count == 1)
    var end = 0
    for part in parts {
      #expect(part["offset"] as? Int == end)
      let byteCount = try #require(part["byteCount"] as? Int)
      #expect(byteCount <= 5 << 30 && (byteCount >= 5 << 20 || part["offset"] as? Int == parts.last?["offset"] as? Int))
      end += byteCount
    }
    #expect(end == answer["fileByteCount"] as? Int)
  }
}
