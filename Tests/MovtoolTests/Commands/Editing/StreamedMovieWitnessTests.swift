import Foundation
import TestSupport
import Testing

/// `-o -` of the program itself, with real pipes and devices, checked by ffmpeg and system tools.
struct StreamedMovieWitnessTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Runs a line of `bash` in the folder. `movtool` is the program that was built with these tests.
  private func bash(_ line: String) throws -> Shell.Result {
    // Without `set -e`, so that the exit codes of all parts of a pipe are available.
    try Shell.run(
      "bash", ["-c", line], in: folder.path,
      environment: ["PATH": "\(try Self.programs()):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"])
  }

  /// Returns the folder of the program, next to the bundle of these tests.
  private static func programs() throws -> String {
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    let folder = URL(fileURLWithPath: bundle).deletingLastPathComponent().path
    try #require(Shell.find(folder + "/movtool") != nil, "no movtool in \(folder)")
    return folder
  }

  @Test func streamsPacketsThatFFmpegReads() throws {
    _ = try Witness.require("ffmpeg")
    for name in ["interview.mov", "interview.mp4"] {
      try folder.copy(TestMedia.path(name), as: "in.mov")
      try folder.copy(TestMedia.path("en.srt"))
      let hash = "ffmpeg -v error -nostdin -i %@ -map 0:v -map 0:a -map 0:s -c copy -f framemd5 -"
      let streamed = try bash(
        "set -o pipefail; movtool add-subtitle in.mov en.srt --fast-start -o - | "
          + hash.replacingOccurrences(of: "%@", with: "pipe:0").replacingOccurrences(of: "-nostdin ", with: ""))
      let written = try bash(
        "movtool add-subtitle in.mov en.srt --fast-start --keep-type -o out.mov >&2 && "
          + hash.replacingOccurrences(of: "%@", with: "out.mov"))
      #expect(streamed.code == 0 && written.code == 0, "\(streamed.errorText) \(written.errorText)")
      #expect(streamed.outputText == written.outputText && streamed.outputText.split(separator: "\n").count > 700)
      // A file that shares blocks with the old one has another layout.
      let compare = "movtool add-subtitle in.mov en.srt --fast-start -o - | cmp - out.mov"
      #expect(try bash("cp --reflink=always in.mov probe.mov 2> probe || \(compare)").code == 0)
      try folder.remove("out.mov")
      try folder.remove("in.mov")
      try folder.remove("en.srt")
    }
  }

  @Test func aFullDeviceIsAnError() throws {
    try folder.copy(TestMedia.path("interview.mov"), as: "in.mov")
    let result = try bash("movtool remux in.mov -o - > /dev/full")
    #expect(result.code == 74)
    #expect(result.errorText == "standard output: cannot write: No space left on device\n")
    let json = try bash("movtool remux in.mov -o - --json 2> errors > /dev/full; echo $?; head -c 1 errors")
    #expect(json.outputText == "74\n{")
  }

  @Test func reportsAFileSizeLimit() throws {
    try folder.copy(TestMedia.path("interview.mov"), as: "in.mov")
    let result = try bash("ulimit -f 40; movtool remux in.mov -o - > out.mov")
    #expect(result.code == 74)
    #expect(result.errorText == "standard output: cannot write: File too large\n")
  }

  @Test func reportsAReaderThatClosesEarly() throws {
    try folder.write(TestMovie.simple.with { $0.layout.insert(.free(3_000_000), at: 1) }, as: "in.mov")
    let result = try bash("movtool remux in.mov -o - | head -c 100000 | wc -c; echo ${PIPESTATUS[0]}")
    #expect(result.outputText.split(whereSeparator: \.isWhitespace) == ["100000", "74"])
    #expect(result.errorText == "standard output: the reader closed the pipe before the end\n")
    #expect(try folder.names() == ["in.mov"])
    // A reader of a list may stop early.
    let list = try bash("movtool inspect in.mov --atoms | head -c 1 | wc -c")
    #expect(list.errorText.isEmpty)
  }

  @Test func refusesToAppendTheInputToItself() throws {
    try folder.copy(TestMedia.path("interview.mov"), as: "in.mov")
    let old = try folder.read("in.mov")
    let result = try bash("movtool remux in.mov -o - >> in.mov")
    #expect(result.code == 64)
    #expect(result.errorText.hasPrefix("movtool remux: standard output is the input in.mov\n"))
    #expect(try folder.read("in.mov") == old)
  }

  @Test func refusesToStreamToATerminal() throws {
    _ = try Witness.require("script")
    try folder.copy(TestMedia.path("interview.mov"), as: "in.mov")
    let result = try bash("script -qec 'movtool remux in.mov -o - 2>errors; echo $? >code' /dev/null >screen; cat code")
    #expect(result.outputText == "64\n")
    #expect(try folder.read("screen").isEmpty)
  }
}
