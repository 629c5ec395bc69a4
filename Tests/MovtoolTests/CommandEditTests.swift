import Foundation
import MovieBox
import MovieWriter
import Synchronization
import TestSupport
import Testing

@testable import MovtoolCommands

struct CommandEditTests {
  private let source = MemorySource(Bytes(TestMovie.talk.bytes()))

  private var host: CommandHost {
    var host = CommandHost()
    host.printsJSONLines = true
    host.reportsErrorsAsJSON = true
    return host
  }

  /// A host that receives a movie, and the received bytes.
  private final class Received: Sendable {
    let bytes = Mutex<[UInt8]>([])
  }

  @Test func commandsAddTheirChangesToOnePlan() throws {
    let shop = try Workshop()
    let edit = CommandEdit(of: "film.mov", source)
    #expect(
      try edit.apply(["set", "film.mov", "--track", "audio:1", "--title", "A"], in: host).outcome.exitCode == .done)
    let words = ["add-subtitle", "film.mov", shop.folder.file("en.srt"), "--language", "en", "--json"]
    let (outcome, plan) = try edit.apply(words, in: host)
    #expect(outcome.exitCode == .done)
    #expect(String(decoding: outcome.answer, as: UTF8.self).contains(#""isDryRun":true"#))
    let planned = try #require(plan)
    let received = Received()
    var receiver = host
    receiver.receiveOutput = { block in received.bytes.withLock { $0 += block } }
    try receiver.send(planned)
    let old = try Movie(of: source)
    let new = try Movie(of: MemorySource(Bytes(received.bytes.withLock { $0 })))
    #expect(new.tracks.count == old.tracks.count + 1)
    #expect(new.tracks.first { $0.mediaType == .audio }?.title == "A")
    #expect(new.tracks.last?.language?.description == "en")
  }

  @Test func aCommandThatFailsLeavesTheEditUnchanged() throws {
    let edit = CommandEdit(of: "film.mov", source)
    let set = ["set", "film.mov", "--track", "audio:1", "--title", "A"]
    let before = try #require(try edit.apply(set, in: host).plan)
    for words in [
      ["remove", "film.mov", "--track", "subtitle:fr"], ["set", "other.mov", "--track", "audio:1", "--title", "B"],
      ["remux", "film.mov", "--salvage"], set + ["-o", "out.mov"], set + ["--append"],
    ] {
      let (outcome, plan) = try edit.apply(words, in: host)
      #expect(outcome.exitCode == .usage, "\(words)")
      #expect(outcome.failure != nil)
      #expect(plan == nil)
    }
    #expect(try edit.apply(set, in: host).plan?.plan == before.plan)
  }

  @Test func anEditInUseRefusesASecondCall() throws {
    let edit = CommandEdit(of: "film.mov", source)
    let refusals = Mutex(0)
    var intruding = host
    intruding.isStopped = { [host] in
      do {
        _ = try edit.apply(["set", "film.mov", "--track", "audio:1", "--title", "B"], in: host)
      } catch {
        refusals.withLock { $0 += 1 }
      }
      return false
    }
    _ = try edit.apply(["set", "film.mov", "--track", "audio:1", "--title", "A"], in: intruding)
    #expect(refusals.withLock { $0 } > 0)
  }

  @Test func theOutcomeContainsTheFirstErrorOfAnyCommand() throws {
    #expect(
      host.run(["inspect", "--json", "missing.mov", "absent.mov"]).failure?.line.hasPrefix("missing.mov") == true)
    #expect(host.run(["extract", "missing.mov", "-o", "out.srt"]).failure?.code == "no-input")
    #expect(host.run(["completions", "csh"]).failure?.code == "invalid-value")
    #expect(host.run(["--version"]).failure == nil)
    let names = ["inspect", "add-subtitle", "completions", "inspekt"].map { CommandHost.wordsWithJSON([$0]) }
    #expect(names == [["inspect", "--json"], ["add-subtitle", "--json"], ["completions"], ["inspekt", "--json"]])
    #expect(CommandHost.wordsWithJSON([]) == [])
  }
}
