import Foundation
import MovieBox
import Synchronization
import TestSupport
import Testing

@testable import MovtoolCommands

struct CommandHostTests {
  /// A source that fails with an error of its own.
  private struct FailingSource: RandomAccessSource {
    struct Refusal: Error, CustomStringConvertible {
      var description: String { "the store does not answer" }
    }

    func identity() throws -> SourceIdentity { throw Refusal() }
    func read(_ range: ByteRange) throws -> Bytes { throw Refusal() }
  }

  private func json(_ bytes: [UInt8]) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  @Test func runsACommandOnAnInputInMemory() throws {
    var host = CommandHost()
    host.inputs["film.mov"] = MemorySource(Bytes(TestMovie.talk.bytes()))
    let outcome = host.run(["inspect", "--json", "film.mov"])
    #expect(outcome.exitCode == .done)
    #expect(outcome.messages == [])
    let files = try #require(try json(outcome.answer)["files"] as? [[String: Any]])
    #expect(files.first?["file"] as? String == "film.mov")
  }

  @Test func passesTheEditedMovieToTheHostAndReturnsTheAnswer() throws {
    let shop = try Workshop()
    let received = Mutex<[UInt8]>([])
    var host = CommandHost()
    host.inputs["film.mov"] = MemorySource(Bytes(TestMovie.talk.bytes()))
    host.receiveOutput = { bytes in received.withLock { $0 += bytes } }
    let outcome = host.run(
      ["add-subtitle", "film.mov", shop.folder.file("en.srt"), "--language", "en", "-o", "-", "--json"])
    #expect(outcome.exitCode == .done)
    #expect(try json(outcome.answer)["isWritten"] as? Bool == true)
    let movie = try Movie(of: MemorySource(Bytes(received.withLock { $0 })))
    #expect(movie.tracks.count == (try Movie(of: MemorySource(Bytes(TestMovie.talk.bytes())))).tracks.count + 1)
  }

  @Test func refusesToEditAnInputInMemoryInPlace() throws {
    let shop = try Workshop()
    var host = CommandHost()
    host.inputs["film.mov"] = MemorySource(Bytes(TestMovie.talk.bytes()))
    let outcome = host.run(["add-subtitle", "film.mov", shop.folder.file("en.srt")])
    #expect(outcome.exitCode == .usage)
    #expect(String(decoding: outcome.messages, as: UTF8.self).contains("cannot be edited in place; add -o"))
  }

  @Test func reportsAnErrorOfTheReceiverOrOfAnInput() throws {
    let shop = try Workshop(.talk)
    var host = CommandHost()
    host.receiveOutput = { _ in throw FailingSource.Refusal() }
    let line = ["remux", shop.folder.file("in.mov"), "-o", "-", "--fast-start", "--json"]
    let written = host.run(line)
    #expect(written.exitCode == .inputOutput)
    #expect((try json(written.answer)["error"] as? [String: Any])?["message"] as? String == "the store does not answer")
    host.inputs["film.mov"] = FailingSource()
    let read = host.run(["validate", "film.mov"])
    #expect(read.exitCode == .inputOutput)
    #expect(
      String(decoding: read.messages + read.answer, as: UTF8.self).contains("film.mov: the store does not answer"))
  }

  @Test func hasNoStandardInputOrOutput() throws {
    let shop = try Workshop(.talk)
    let host = CommandHost()
    #expect(host.run(["add-subtitle", shop.folder.file("in.mov"), "-"]).exitCode == .noInput)
    #expect(host.run(["remux", shop.folder.file("in.mov"), "-o", "-"]).exitCode == .usage)
    #expect(host.run([]).exitCode == .usage)
    #expect(try FileManager.default.contentsOfDirectory(atPath: shop.folder.path).sorted() == ["en.srt", "in.mov"])
  }

  @Test func stopsServeAndEditsOnRequest() throws {
    let shop = try Workshop(.talk)
    let answers = Mutex(0)
    var host = CommandHost()
    host.isStopped = {
      answers.withLock {
        $0 += 1; return $0 > 20
      }
    }
    #expect(host.run(["serve", "--port", "0", shop.folder.file("in.mov")]).exitCode == .done)
    host.isStopped = { true }
    let before = try shop.folder.read("in.mov")
    #expect(
      host.run(["add-subtitle", shop.folder.file("in.mov"), shop.folder.file("en.srt")]).exitCode == .interrupted)
    #expect(try shop.folder.read("in.mov") == before)
  }

  @Test func passesProgressWhileTheCommandRuns() throws {
    let shop = try Workshop(.talk)
    let messages = Mutex<[String]>([])
    var host = CommandHost()
    host.receiveMessage = { bytes in messages.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } }
    let out = shop.folder.file("out.mov")
    #expect(host.run(["remux", shop.folder.file("in.mov"), "-o", out, "--progress", "json"]).exitCode == .done)
    #expect(messages.withLock { $0.contains { $0.hasPrefix(#"{"done":"#) } })
  }

  /// `Scripts/sanitize thread` runs this test with ThreadSanitizer. The threads share one host and one movie that they
  /// only read.
  @Test func runsTwentyCommandsOnFourThreads() throws {
    let shops = try (0..<4).map { _ in try Workshop(.talk) }
    let shared = try Workshop(.talk)
    let host = CommandHost()
    let work = WorkQueue(slotCount: 4)
    let results = Mutex<[[ExitCode]]>([])
    for shop in shops {
      try #require(work.beginItem(waitingMilliseconds: 0))
      let (file, movie) = (shop.folder.file, shared.folder.file("in.mov"))
      let lines = [
        ["inspect", "--json", movie], ["metadata", file("in.mov"), "--set", "title=A"],
        ["add-subtitle", file("in.mov"), file("en.srt"), "--language", "en", "--sdh"],
        ["select", file("in.mov")], ["validate", file("in.mov"), "--fix"],
        ["extract", file("in.mov"), "--track", "subtitle:en", "-o", file("out.srt")],
        ["set", file("in.mov"), "--track", "subtitle:en", "--forced"],
        ["retime", file("in.mov"), "--track", "subtitle:en", "--offset", "0.1"],
        ["remux", file("in.mov"), "-o", file("out.mov"), "--fast-start"],
        ["remux", file("in.mov"), "-o", file("out.mp4")], ["diff", movie, file("out.mov")],
        ["inspect", "--atoms", file("out.mov")], ["inspect", "--samples", "video", movie],
        ["hls", file("out.mp4"), "-o", file("hls")], ["html", file("out.mp4"), "-o", file("page.html")],
        ["remove", file("in.mov"), "--track", "subtitle:en"], ["help"], ["help", "man"], ["--version"],
        ["inspect", file("missing.mov")],
      ]
      work.run {
        let codes = lines.map { host.run($0).exitCode }
        results.withLock { $0.append(codes) }
        work.endItem()
      }
    }
    work.waitForItems()
    // The movies differ, and the last file is missing.
    let expected: [ExitCode] = Array(repeating: .done, count: 20).enumerated().map { index, code in
      index == 10 ? .no : index == 19 ? .noInput : code
    }
    #expect(results.withLock { $0 } == Array(repeating: expected, count: 4))
  }
}
