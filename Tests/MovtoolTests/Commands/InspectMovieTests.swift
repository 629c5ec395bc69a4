import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

struct InspectMovieTests {
  @Test func textShowsTracksMenusAndReferences() throws {
    let movie = TestMovie.talk.with { $0.tracks[2].references = [TestReference("folw", 4)] }
    let outcome = try Workshop(movie).run("inspect @in.mov")
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    #expect(
      outcome.output.drop { $0 != "" } == [
        "",
        "ID  Kind      Codec  Language  Tag  Size or sound  Samples  Enabled  Group",
        " 1  video     avc1                  1280 × 720          24  yes",
        " 2  audio     mp4a   English   en   mono, 8 kHz         16  yes          1",
        " 3  audio     mp4a   Spanish   es   mono, 8 kHz         16  no           1",
        " 4  subtitle  tx3g   Spanish   es   1280 × 108           3  yes          2",
        "",
        "Audio menu (group 1)",
        "  English  track 2, default",
        "  Spanish  track 3",
        "",
        "Subtitle menu (group 2)",
        "  Off",
        "  Spanish  track 4, default",
        "",
        "References",
        "  audio 3 is followed by subtitle 4 (folw)",
        "  subtitle 4 follows audio 3",
        "",
        "Metadata",
        "  recorded  2019-05-14T05:17:52Z (moov/mvhd)",
      ])
    #expect(outcome.output.first == "Format    QuickTime, brand qt")
    #expect(outcome.output.contains("Duration  2.000 s"))
    #expect(outcome.output.contains("Editing   in place"))
  }

  @Test func showsSampleRatesOfTheDescription() throws {
    for (stored, timeScale, rate) in [
      (48000, 10_000_000, 48000), (16000, 1_000_000, 16000), (0, 96000, 96000), (96000 & 0xFFFF, 96000, 96000),
      (44100, 600, 44100),
    ] {
      let track = TestTrack(.sound, id: 1).with {
        $0.timeScale = timeScale
        $0.sampleEntries = [SampleEntry.sound("mp4a", channels: 2, rate: stored)]
      }
      let shop = try Workshop(TestMovie(tracks: [track]).with { $0.dialect = .iso })
      let file = (shop.run("inspect --json @in.mov").json["files"] as? [[String: Any]])?.first
      let details = try #require((file?["tracks"] as? [[String: Any]])?.first)
      #expect(details["sampleRate"] as? Int == rate)
      #expect(details["channelCount"] is NSNull)  // Two is what MP4 files say of any AAC.
    }
  }

  @Test func reportsACompressedMovieAtom() throws {
    let compressed = try Workshop(TestMovie.simple.with { $0.hasCompressedMovieAtom = true })
    #expect(
      compressed.run("inspect @in.mov").output.contains {
        $0.hasPrefix("Layout ") && $0.hasSuffix("; the movie atom is compressed (cmov)")
      })
    for (shop, isCompressed) in [(compressed, true), (try Workshop(.simple), false)] {
      let file = (shop.run("inspect --json @in.mov").json["files"] as? [[String: Any]])?.first
      #expect(file?["isMovieAtomCompressed"] as? Bool == isCompressed)
    }
  }

  @Test func tablesThatContradictEachOtherAreFindings() throws {
    let shop = try Workshop(.simple)
    let tree = try shop.movie().tree
    let stts = try #require(tree.index(at: "moov/trak[2]/mdia/minf/stbl/stts"))
    let place = tree.range(of: stts).offset
    #expect(!shop.run("inspect @in.mov").output.contains("Findings"))
    var bytes = try shop.folder.read("in.mov")
    bytes[Int(place) + 19] += 1  // The sample count of the first entry.
    try shop.folder.write(bytes, as: "in.mov")
    let outcome = shop.run("inspect @in.mov")
    #expect(outcome.exitCode == .done)
    let prefix = "  warning: moov/trak[2]/mdia/minf/stbl/stts at byte \(place): covers "
    #expect(outcome.output.last?.hasPrefix(prefix) == true, "\(outcome.output)")
  }

  @Test func assignsReferencesToTheFirstOfEqualIDs() throws {
    let movie = TestMovie.simple.with { movie in
      movie.tracks[0].references = [TestReference("folw", 2, 2), TestReference("chap", 2)]
      movie.tracks.append(TestTrack(.sound, id: 2).with { $0.references = [TestReference("folw", 2)] })
    }
    let files = try Workshop(movie).run("inspect --json @in.mov").json["files"] as? [[String: Any]]
    let tracks = try #require(files?.first?["tracks"] as? [[String: Any]])
    #expect(tracks.map { $0["path"] as? String } == ["moov/trak[1]", "moov/trak[2]", "moov/trak[3]"])
    let incoming = tracks.map { $0["referencedBy"] as? [[String: Any]] ?? [] }
    #expect(incoming.map(\.count) == [0, 2, 0])
    #expect(incoming[1].map { $0["type"] as? String } == ["folw", "chap"])
    #expect(incoming[1].map { $0["tracks"] as? [Int] } == [[1, 2], [1]])
  }

  private static let rewritten =
    "the file is rewritten and replaced: media follows the movie atom (fast start); --append edits the file in place"

  @Test(
    arguments: [
      ([TestMovie.Piece].movieLast, "movie atom after the media", "in place"),
      (.movieFirst, "movie atom before the media (fast start)", rewritten),
      (.movieBetween, "movie atom between media", "in place"),
    ])
  func reportsTheEditStrategy(layout: [TestMovie.Piece], place: String, editing: String) throws {
    let output = try Workshop(TestMovie.simple.with { $0.layout = layout }).run("inspect @in.mov").output
    #expect(output.contains("Layout    \(place)"))
    #expect(output.contains { $0.hasPrefix("Editing   \(editing)") })
  }

  @Test func showsOffAsTheDefaultWithoutEnabledSubtitles() throws {
    let output = try Workshop(TestMovie.talk.with { $0.tracks[3].isEnabled = false }).run("inspect @in.mov").output
    #expect(output.contains("  Off      default"))
  }

  @Test func showsAMovieWithMisplacedSamples() throws {
    let whole = TestMovie.simple.with { $0.layout = .movieFirst }.bytes()
    let shop = try Workshop()
    try shop.folder.write(Array(whole.dropLast(10)), as: "cut.mov")
    let outcome = shop.run("inspect @cut.mov")
    #expect(outcome.exitCode == .done)
    #expect(outcome.output.contains { $0.hasPrefix("  error: moov/trak") && $0.contains("past the end of the file") })
    #expect(outcome.output.count { $0.contains("error: moov/trak") } == 1)
    #expect(outcome.output.contains { $0.hasPrefix("Editing   not possible: chunk ") })
  }

  @Test func showsTheReadablePartOfATruncatedMovieAtom() throws {
    let whole = TestMovie.talk.bytes()
    let shop = try Workshop()
    try shop.folder.write(Array(whole.dropLast(300)), as: "cut.mov")
    let outcome = shop.run("inspect @cut.mov")
    #expect(outcome.exitCode == .badData)
    #expect(outcome.errors.count == 2)
    #expect(outcome.errors.first?.hasPrefix("cut.mov: moov at byte ") == true, "\(outcome.errors)")
    #expect(outcome.output.first == "Format  QuickTime, brand qt")
    for type in ["ftyp", "mvhd", "stco", "tkhd"] { #expect(outcome.output.contains { $0.hasSuffix(" \(type)") }) }
    #expect(outcome.output.contains { $0.contains("! claims") })

    let json = shop.run("inspect --json @cut.mov").json["files"] as? [[String: Any]]
    #expect(json?.first?["tracks"] is NSNull)
    #expect((json?.first?["atoms"] as? [Any])?.count == 4)
    #expect(((json?.first?["error"] as? [String: Any])?["path"] as? String) == "moov")
  }

  @Test func explainsAFileThatIsNotAMovie() throws {
    let shop = try Workshop()
    try shop.folder.write(Array("no movie at all, just text".utf8), as: "a.mov")
    try shop.folder.write([], as: "b.mov")
    try shop.folder.write(TestSupport.movie { atom("mdat") { zeros(8) } }, as: "c.mov")
    for name in ["a.mov", "b.mov", "c.mov"] {
      for options in ["", "--json "] { #expect(shop.run("inspect \(options)@\(name)").exitCode == .badData) }
    }
    let errors = shop.run("inspect @c.mov").errors
    #expect(errors.count == 1)
    #expect(errors[0].hasPrefix("c.mov: at byte 0: has no movie atom (moov) among its atoms: mdat; no tool can read"))
  }

  @Test func namesAnUnknownCompression() throws {
    let shop = try Workshop()
    try shop.folder.write(compressedMoov(algorithm: "lzma", zlib: [], inflatedByteCount: 0), as: "a.mov")
    let outcome = shop.run("inspect @a.mov")
    #expect(outcome.exitCode == .badData)
    #expect(
      outcome.errors == [
        "a.mov: moov/cmov/dcom at byte 24: the movie atom is compressed with lzma: only zlib is supported"
      ]
    )
    #expect(outcome.output.contains { $0.hasSuffix("    dcom") })
  }

  @Test func samplesInFragmentsAreCounted() throws {
    let pictures: [TestSample] = .pictures(4, around: 20, duration: 300)
    let fragments = [0, 1].map { number in
      TestFragment([
        .init(id: 1, decodeTime: UInt64(1200 * number), runs: [.init(pictures), .init([])]),
        .init(id: 2, runs: [.init([TestSample](repeating: pictures[0], count: 3))]),
      ])
    }
    let shop = try Workshop()
    try shop.folder.write(TestMovie.simple.initial.bytes(fragments: fragments), as: "in.mp4")
    let outcome = shop.run("inspect @in.mp4")
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    #expect(outcome.output.contains("Duration  4.000 s"))
    #expect(outcome.output.contains("Layout    movie atom before the media (fast start); fragmented, 2 fragments"))
    #expect(outcome.output.contains { $0.hasPrefix(" 1  video") && $0.contains(" 8  yes") })
    let file = try #require((shop.run("inspect --json @in.mp4").json["files"] as? [[String: Any]])?.first)
    #expect(file["fragmentCount"] as? Int == 2)
    #expect(file["duration"] as? Int == 2400)
    let tracks = try #require(file["tracks"] as? [[String: Any]])
    #expect(tracks.map { $0["sampleCount"] as? Int } == [8, 6])
    #expect(tracks.map { $0["chunkCount"] as? Int } == [4, 2])
    #expect(tracks.map { $0["mediaDuration"] as? Int } == [2400, 1800])
  }

  @Test func showsAMovieWithDamagedFragments() throws {
    let shop = try Workshop()
    let broken = atom("moof") { atom("traf") }
    try shop.folder.write(TestMovie.simple.initial.bytes(fragments: []) + broken, as: "in.mp4")
    let outcome = shop.run("inspect @in.mp4")
    #expect(outcome.exitCode == .badData)
    #expect(outcome.errors.count == 1 && outcome.errors[0].contains("moof/traf at byte"), "\(outcome.errors)")
    #expect(outcome.output.contains { $0.hasPrefix(" 1  video") })
  }

  @Test func showsOtherFilesAfterADamagedOne() throws {
    let shop = try Workshop(.simple)
    try shop.folder.write(TestMovie.simple, as: "other.mov")
    let outcome = shop.run("inspect @in.mov @none.mov @other.mov @./in.mov")
    #expect(outcome.exitCode == .noInput)
    #expect(outcome.output.filter { $0.hasSuffix(":") } == ["in.mov:", "none.mov:", "other.mov:"])
    #expect(outcome.output.count { $0.hasPrefix("Format") } == 2)
  }

  @Test func escapesTextOfTheMovie() throws {
    let movie = TestMovie.simple.with {
      $0.tracks[1].userData = atom("name") { text("a\u{1B}[2Jb") }
    }
    let output = try Workshop(movie).run("inspect @in.mov").output
    #expect(output.contains { $0.hasSuffix("a\\u{1b}[2Jb") })
  }
}
