import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// The output of `inspect --layout`.
struct InspectLayoutTests {
  @Test func namesAtomsAndTheTracksOfMedia() throws {
    let movie = TestMovie.simple.with {
      $0.layout = [
        .fileType, .wide, .free(16), .media(.ordinary), .movie(.ordinary), .bytes(atom("mdat") { zeros(5) }),
        .bytes(atom("ABCD") {}), .bytes([1, 2]),
      ]
    }
    let outcome = try Workshop(movie).run("inspect --layout @in.mov")
    #expect(outcome.exitCode == .done)
    let words = [
      "contents", "the brands", "space for a 64-bit size of the next atom", "free space", "media data of tracks 1, 2",
      "the movie atom with 2 tracks", "media data; 5 bytes that no sample refers to", "unknown",
    ]
    for (line, end) in zip(outcome.output, words) { #expect(line.hasSuffix("  " + end)) }
    #expect(outcome.output[words.count].contains("not an atom: "))
    #expect(outcome.output.contains("Layout        movie atom after the media"))
  }

  @Test func reportsInterleavingInBytesSecondsAndTracks() throws {
    let shop = try Workshop(TestMovie.simple.with { $0.storesTrackAfterTrack = true })
    let distance = try shop.movie().interleavingDistance()
    let line = shop.run("inspect --layout @in.mov").output.last
    #expect(line == "Interleaving  distance: \(distance.description) (tracks 1 and 2)")
    let file = (shop.run("inspect --layout --json @in.mov").json["files"] as? [[String: Any]])?.first
    let interleaving = file?["interleaving"] as? [String: Any]
    #expect(interleaving?["byteCount"] as? UInt64 == distance.byteCount)
    #expect(interleaving?["microseconds"] as? UInt64 == distance.microseconds)
    #expect(interleaving?["tracks"] as? [Int] == [1, 2])

    let ordered = TestMovie.simple.with { for index in 0..<2 { $0.tracks[index].chunking = [1] } }
    try shop.folder.write(ordered, as: "ordered.mov")
    shop.run("remux @ordered.mov -o @out.mov --interleave")
    #expect(shop.run("inspect --layout @out.mov").output.last == "Interleaving  in order")
  }

  @Test func brokenFileShowsItsAtomsThenTheError() throws {
    let shop = try Workshop()
    try shop.folder.write(Array(TestMovie.simple.bytes().dropLast(40)), as: "cut.mov")
    let outcome = shop.run("inspect --layout @cut.mov")
    #expect(outcome.exitCode == .badData && outcome.errors.count == 2)
    #expect(outcome.output.contains { $0.contains("mdat  media data") })
    #expect(outcome.output.contains { $0.contains("moov  cut off: the header declares ") })
  }

  @Test func rejectsTheLayoutWithOtherViews() throws {
    #expect(try InspectCommand.parse(["--layout", "a.mov"]).command.view == .layout)
    #expect(try InspectCommand.parse(["--layout", "--json", "a.mov"]).command.view == .json(includesLayout: true))
    for other in ["--atoms", "--hex", "--depth=2", "--atom=moov"] {
      #expect(throws: UsageError.self) { try InspectCommand.parse(["--layout", other, "a.mov"]) }
    }
  }
}
