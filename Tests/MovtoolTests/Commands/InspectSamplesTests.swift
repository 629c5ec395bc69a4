import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// `inspect --samples` agrees with an independent reader.
struct InspectSamplesTests {
  private func compare(_ shop: Workshop, _ name: String, track id: Int, count: Int) throws {
    let bytes = try shop.folder.read(name)
    let found = try #require(try SecondReader(bytes).track(UInt32(id))?.samples)
    let answer = shop.run("inspect --samples id:\(id) --json @\(name)")
    let file = try #require((answer.json["files"] as? [[String: Any]])?.first)
    let samples = try #require(file["samples"] as? [[String: Any]])
    #expect(answer.exitCode == .done && samples.count == count && found.count == count)
    #expect(file["sampleCount"] as? Int == count && file["error"] is NSNull)
    for (place, (sample, read)) in zip(samples, found).enumerated() {
      let numbers = ["number", "offset", "byteCount", "decodeTime", "compositionTime", "duration", "description"]
      #expect(
        numbers.map { sample[$0] as? Int } == [
          place + 1, Int(read.offset), read.byteCount, Int(read.decodeTime), Int(read.presentationTime),
          Int(read.duration), Int(read.description),
        ])
      #expect(sample["isSync"] as? Bool == read.isSync)
    }
    // The text has a line for each sample.
    let lines = shop.run("inspect --samples id:\(id) @\(name)").output
    #expect(lines.count == count + 2 && lines.first?.hasPrefix("track \(id), ") == true)
    for (line, sample) in zip(lines.dropFirst(2), samples) {
      let words = line.split(separator: " ").map(String.init)
      #expect(words.first == "\(sample["number"] ?? "")" && words.contains("\(sample["offset"] ?? "")"))
      #expect(words.contains("sync") == (sample["isSync"] as? Bool))
    }
  }

  @Test func samplesOfTablesAreListed() throws {
    let shop = try Workshop(.torture)
    for id in 1...4 {
      let count = try #require(try SecondReader(try shop.folder.read("in.mov")).track(UInt32(id))?.samples.count)
      try compare(shop, "in.mov", track: id, count: count)
    }
    let first = shop.run("inspect --samples video @in.mov").output.prefix(3)
    let columns = first.dropFirst().first?.split(separator: " ").map(String.init) ?? []
    #expect(Array(columns.prefix(3)) == ["sample", "decoded", "composed"])
    #expect(
      first.first
        == "track 1, video, avc1: 240 samples, 12288 ticks per second; times are media times, before edits"
        && first.last?.contains("0.041666") == true,
      "\(first)")
  }

  @Test func samplesOfFragmentsFollow() throws {
    let pictures = (0..<400).map { TestSample(content: u16($0), duration: 50) }
    let fragments = [0, 20_000].map { time in
      TestFragment([TestFragment.Track(id: 1, decodeTime: time, runs: [.init(pictures)])])
    }
    let shop = try Workshop()
    try shop.folder.write(TestMovie.simple.initial.bytes(fragments: fragments), as: "in.mp4")
    let json = shop.run("inspect --samples video --json @in.mp4").json
    let samples = try #require((json["files"] as? [[String: Any]])?.first?["samples"] as? [[String: Any]])
    #expect(samples.count == 800 && samples[400]["decodeTime"] as? Int == 20_000)
    #expect(samples[799]["decodeTime"] as? Int == 39_950)
    let bytes = try shop.folder.read("in.mp4")
    for place in [0, 399, 400, 799] {
      let offset = try #require(samples[place]["offset"] as? Int)
      #expect(Array(bytes[offset..<offset + 2]) == u16(place % 400))
    }
  }

  @Test func oneTrackIsListed() throws {
    let shop = try Workshop(.talk)
    let several = shop.run("inspect --samples audio @in.mov")
    #expect(several.exitCode == .usage && several.errors.first?.contains("matches several tracks") == true)
    let json = shop.run("inspect --samples audio --json @in.mov @none.mov")
    let errors = (json.json["files"] as? [[String: Any]])?.compactMap { ($0["error"] as? [String: Any])?["code"] }
    #expect(json.exitCode == .usage && errors?.map { "\($0)" } == ["ambiguous", "no-input"])
  }
}
