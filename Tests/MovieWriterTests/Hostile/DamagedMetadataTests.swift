import TestSupport
import Testing

/// Damaged metadata results in an error or a value. The fuzzers test this for half an hour, this test for a few seconds.
struct DamagedMetadataTests {
  private static let movies: [(name: String, movie: TestMovie)] = [
    ("lists and texts", .stating), ("packets", .statingInPackets), ("3GPP", .statingAsISO),
    ("space beside items", .withSpace(zeros(300))), ("space beside keys", .withSpace(zeros(300), besideKeys: true)),
  ]

  /// The number of damaged movies made from each.
  private static let count = 80

  @Test(arguments: movies.indices) func survivesDamagedItems(_ index: Int) throws {
    let (name, movie) = Self.movies[index]
    let bytes = movie.bytes()
    let reader = try SecondReader(bytes)
    let places = ["moov/meta", "moov/udta"].compactMap { reader.atom($0) }.flatMap { Int($0.offset)..<Int($0.end) }
    HostileTrial(name, bytes).runMetadata()
    var chance = Chance(seed: UInt64(index))
    for number in 0..<Self.count {
      var damaged = bytes
      for _ in 0...Int.random(in: 0..<3, using: &chance) {
        let place = places[Int.random(in: 0..<places.count, using: &chance)]
        damaged[place] =
          switch Int.random(in: 0..<4, using: &chance) {
          case 0: 0
          case 1: 0xFF
          case 2: damaged[place] ^ (1 << UInt8(Int.random(in: 0..<8, using: &chance)))
          default: damaged[places[Int.random(in: 0..<places.count, using: &chance)]]
          }
      }
      HostileTrial("\(name), damaged movie \(number)", damaged).runMetadata()
    }
  }
}
