import Foundation
import MovieBox
import Synchronization
import TestSupport
import Testing

/// movtool killed or stopped at random moments: each time the movie is the old one or the new one.
@Suite(.serialized)
struct StoppedProcessTests {
  /// The way an edit is written.
  enum Strategy: String, CaseIterable {
    case inPlace
    case newFile

    var options: [String] { self == .inPlace ? [] : ["--fast-start"] }
  }

  private let folder: TemporaryFolder
  private let movie: String
  private let old: [UInt8]
  private let oldTrackCount: Int
  private let tool: String

  init() throws {
    folder = try TemporaryFolder()
    movie = try folder.copy(TestMedia.path("interview.mov"), as: "in.mov")
    try folder.copy(TestMedia.path("en.srt"))
    old = try folder.read("in.mov")
    oldTrackCount = try SecondReader(old).tracks.count
    tool = try Tool.path()
  }

  @Test(arguments: Strategy.allCases) func leavesTheOldOrNewMovieWhenKilled(_ strategy: Strategy) throws {
    let ffprobe = try Witness.require("ffprobe")
    var outcomes: [Int: Int] = [:]
    let longest = try duration(of: strategy) * 1.2
    for index in 0..<(Tool.isRelease ? 250 : 40) {
      try reset()
      _ = try run(strategy, signal: "KILL", after: .random(in: 0...longest))
      let trackCount = try checkMovie(strategy)
      outcomes[trackCount, default: 0] += 1
      // Players agree with our reader.
      if index % 20 == 0 {
        let streams = try ffprobe.run(["-v", "error", "-show_entries", "stream=index", "-of", "csv=p=0", movie])
        #expect(streams.outputText.split(separator: "\n").count == trackCount)
      }
      // Leftovers do not prevent further edits.
      if index % 10 == 0, trackCount == oldTrackCount {
        #expect(try Shell.run(tool, ["add-subtitle", movie, folder.file("en.srt")] + strategy.options).code == 0)
        #expect(try checkMovie(strategy) == oldTrackCount + 1)
      }
    }
    let (before, after) = (outcomes[oldTrackCount] ?? 0, outcomes[oldTrackCount + 1] ?? 0)
    print("\(strategy.rawValue): killed \(before) times before the edit counted, \(after) times after")
    #expect(Set(outcomes.keys).isSubset(of: [oldTrackCount, oldTrackCount + 1]))
  }

  /// A movie that is edited and killed again and again: each edit starts from what the previous one left.
  @Test func leavesAnIntactMovieWhenKilledRepeatedly() throws {
    let ffprobe = try Witness.require("ffprobe")
    let longest = try duration(of: .inPlace) * 1.2
    try reset()
    let first = try SecondReader(old).tracks
    var (kills, made, largest) = (0, 0, 0)
    for index in 0..<(Tool.isRelease ? 1000 : 60) {
      let before = try SecondReader(path: movie).tracks.map(\.samples)
      _ = try run(.inPlace, signal: "KILL", after: .random(in: 0...longest))
      kills += 1
      let after = try SecondReader(path: movie)
      #expect(after.topLevel.count { $0.type == "moov" } == 1)
      #expect(Array(after.tracks.map(\.samples).prefix(before.count)) == before)
      #expect([0, 1].contains(after.tracks.count - before.count))
      made += after.tracks.count - before.count
      if Tool.isRelease || index % 10 == 0 {
        let streams = try ffprobe.run(["-v", "error", "-show_entries", "stream=index", "-of", "csv=p=0", movie])
        #expect(streams.outputText.split(separator: "\n").count == after.tracks.count)
      }
      let media = try after.tracks.prefix(first.count).flatMap {
        try $0.samples.map { try after.store.read($0.offset, $0.byteCount) }
      }
      if index == 0 || index % 50 == 49 {
        let reader = try SecondReader(old)
        #expect(media == (try first.flatMap { try $0.samples.map { try reader.store.read($0.offset, $0.byteCount) } }))
      }
      largest = max(largest, try folder.read("in.mov").count)
      #expect(try folder.names() == ["en.srt", "in.mov"])
      // Start again before many tracks slow the edits down.
      if after.tracks.count > 60 { try reset() }
    }
    print(
      "killed \(kills) times over and over: \(made) edits were made; the movie had \(old.count) bytes, \(largest) at most"
    )
    #expect(made > 0)
  }

  /// Three processes edit one movie at once. A half-finished edit of another process is a transient error, never a
  /// damaged file.
  @Test func reportsTransientErrorsToSimultaneousEdits() throws {
    try reset()
    let rounds = Tool.isRelease ? 210 : 12
    let codes = Mutex<[String: Int]>([:])
    DispatchQueue.concurrentPerform(iterations: 3) { _ in
      for _ in 0..<rounds {
        do {
          let result = try Shell.run(tool, ["add-subtitle", movie, folder.file("en.srt"), "--json"])
          let json = try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any]
          let code = (json?["error"] as? [String: Any])?["code"] as? String ?? ""
          codes.withLock { $0["\(result.code) \(code)", default: 0] += 1 }
        } catch {
          Issue.record(error)
        }
      }
    }
    var refused = codes.withLock { $0 }
    let made = refused.removeValue(forKey: "0 ") ?? 0
    print("three processes, \(3 * rounds) edits: \(made) made, \(refused)")
    #expect(made > 0 && refused.keys.allSatisfy { $0.hasPrefix("74 ") }, "\(refused)")
    let reader = try SecondReader(path: movie)
    #expect(reader.tracks.count == oldTrackCount + made)
    #expect(try folder.names() == ["en.srt", "in.mov"])
  }

  @Test(arguments: Strategy.allCases, ["INT", "TERM", "HUP"])
  func leavesNoFilesWhenStopped(_ strategy: Strategy, _ signal: String) throws {
    let longest = try duration(of: strategy) * 1.2
    for _ in 0..<(Tool.isRelease ? 60 : 10) {
      try reset()
      let code = try run(strategy, signal: signal, after: .random(in: 0...longest))
      let trackCount = try checkMovie(strategy)
      switch code {
      case 0: #expect(trackCount == oldTrackCount + 1)
      case 130: #expect(trackCount == oldTrackCount)
      default:
        // Before the handlers were installed, the signal ended the process.
        #expect(code > 128)
        #expect(trackCount == oldTrackCount)
      }
      #expect(try folder.names() == ["en.srt", "in.mov"])
      if trackCount == oldTrackCount { #expect(try folder.read("in.mov") == old) }
    }
  }

  // MARK: - Steps

  private func reset() throws {
    for name in try folder.names() where name != "en.srt" { try folder.remove(name) }
    try folder.write(old, as: "in.mov")
  }

  /// Returns the duration of an undisturbed edit in seconds.
  private func duration(of strategy: Strategy) throws -> Double {
    let start = ContinuousClock.now
    #expect(try Shell.run(tool, ["add-subtitle", movie, folder.file("en.srt")] + strategy.options).code == 0)
    let taken = ContinuousClock.now - start
    return Double(taken.components.attoseconds) / 1e18 + Double(taken.components.seconds)
  }

  /// Returns the exit code of an edit that receives a signal after this time.
  private func run(_ strategy: Strategy, signal: String, after seconds: Double) throws -> Int32 {
    let edit = [tool, "add-subtitle", movie, folder.file("en.srt")] + strategy.options
    let delay = String(format: "%.6f", max(seconds, 0.000_1))
    return try Shell.run("timeout", ["--preserve-status", "-s", signal, delay] + edit).code
  }

  /// Returns the number of the movie's tracks after checking that it is the old movie, or the old one with another track.
  private func checkMovie(_ strategy: Strategy) throws -> Int {
    let bytes = try folder.read("in.mov")
    if bytes.starts(with: old) {
      // An uncommitted edit in place has only appended bytes.
      #expect(strategy == .inPlace || bytes.count == old.count)
      return try Movie(of: MemorySource(Bytes(bytes))).tracks.count
    }
    var allowed = AllowedChanges.adding(UInt32(oldTrackCount) + 1)
    allowed.references = [2: ["folw"]]
    allowed.movieMoved = strategy == .newFile
    #expect(try differences(old: old, new: bytes, allowing: allowed) == [])
    return try SecondReader(bytes).tracks.count
  }
}
