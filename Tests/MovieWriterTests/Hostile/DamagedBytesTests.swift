import Foundation
import TestSupport
import Testing

/// Every truncation of a movie and every damaged byte of its header results in an error or a value, without more reads.
struct DamagedBytesTests {
  /// Reading, comparing and planning a small movie read each of its bytes about eight times.
  private static let allowedReadings = 10.0

  /// The number of truncations of each movie, in addition to those near its end.
  private static let cutCount = 60

  private static let movies: [String] = ["interview.mov", "interview.mp4", "spanish.mov"] + built.keys.sorted()

  private static let built: [String: TestMovie] = [
    "movie last": FuzzSeeds.small, "movie first": FuzzSeeds.small.with { $0.layout = .movieFirst },
    "movie between": .talk.with { $0.layout = .movieBetween },
    "compressed": .simple.with { $0.hasCompressedMovieAtom = true },
    "right": .rightISO, "old sound": ClassicFeature.compressedSound.movie, "fragments": FuzzSeeds.small.initial,
  ]

  private static func bytes(_ name: String) throws -> [UInt8] {
    guard let movie = built[name] else {
      return Array(try Data(contentsOf: URL(fileURLWithPath: TestMedia.path(name))))
    }
    guard name == "fragments" else { return movie.bytes() }
    let run = TestFragment.Run(.pictures(3, around: 12, duration: 50))
    return movie.bytes(fragments: [
      TestFragment([.init(id: 1, decodeTime: 0, runs: [run])]), TestFragment([.init(id: 2, runs: [run])]),
    ])
  }

  private func check(_ name: String, _ bytes: [UInt8]) {
    let trial = HostileTrial(name, bytes)
    trial.runShort()
    if trial.readingsOfEachByte > Self.allowedReadings {
      Issue.record("\(name): each byte was read \(trial.readingsOfEachByte) times")
    }
  }

  @Test(arguments: movies) func survivesEveryTruncationOfAMovie(name: String) throws {
    let bytes = try Self.bytes(name)
    let step = bytes.count / Self.cutCount + 1
    for count in Set(stride(from: 0, through: bytes.count, by: step)).union(bytes.count - 20...bytes.count).sorted() {
      let cut = Array(bytes[..<count])
      check("\(name) cut to \(count) bytes", cut)
      HostileTrial("\(name) cut to \(count) bytes, every way", cut).runAll()
    }
  }

  @Test(arguments: [{ _ in 0 }, { _ in 0xFF }, { $0 ^ 1 }] as [@Sendable (UInt8) -> UInt8])
  func survivesEveryDamagedHeaderByte(change: @Sendable (UInt8) -> UInt8) throws {
    let bytes = FuzzSeeds.small.with { $0.tracks.removeLast() }.bytes()
    let moov = try #require(try SecondReader(bytes).atom("moov"))
    for index in Int(moov.offset)..<Int(moov.end) where change(bytes[index]) != bytes[index] {
      var damaged = bytes
      damaged[index] = change(bytes[index])
      check("byte \(index) is \(damaged[index])", damaged)
    }
  }
}
