import Foundation
import MovieBox
import MovieWriter
import TestSupport
import Testing

@testable import MovtoolCommands

struct RemuxCommandTests {
  /// All video chunks, then audio, free space, and bytes that no sample refers to.
  private static let movie = TestMovie.talk.with {
    $0.storesTrackAfterTrack = true
    $0.layout = [.fileType, .free(400), .media(.ordinary), .movie(.ordinary), .bytes(atom("mdat") { zeros(100) })]
  }

  private static let rearranged = AllowedChanges().with { ($0.mediaDataRearranged, $0.movieMoved) = (true, true) }

  @Test(arguments: [
    "", " --fast-start", " --interleave", " --interleave --split-chunks", " --compact", " --flatten",
    " --tracks video --tracks audio", " --self-contained",
  ])
  func remuxesIdempotently(options: String) throws {
    let shop = try Workshop(Self.movie)
    let old = try shop.folder.read("in.mov")
    let outcome = shop.run("remux @in.mov -o @once.mov" + options)
    #expect(outcome.exitCode == .done)
    let hasNothingToDo = options.contains("flatten")
    #expect(
      outcome.errors == (hasNothingToDo ? ["note: --flatten has no effect: in.mov has no fragments"] : []))
    #expect(shop.run("remux @once.mov -o @twice.mov" + options).exitCode == .done)
    let once = try shop.folder.read("once.mov")
    #expect(try shop.folder.read("twice.mov") == once)
    #expect(try shop.folder.read("in.mov") == old)
    let removed: Set<UInt32> = options.contains("tracks") ? [4] : []
    let allowed = Self.rearranged.with { ($0.removedTracks, $0.chunksSplit) = (removed, options.contains("split")) }
    #expect(try differences(old: old, new: once, allowing: allowed) == [])
    if ["", " --flatten", " --self-contained"].contains(options) { #expect(once == old) }
  }

  @Test func writesTheMovieAtomFirstForFastStart() throws {
    let shop = try Workshop(Self.movie)
    #expect(shop.movieAtomPlace() == .last)
    shop.run("remux @in.mov -o @out.mov --fast-start")
    #expect(shop.movieAtomPlace("out.mov") == .first)
  }

  @Test func reportsInterleavingBeforeAndAfter() throws {
    let shop = try Workshop(Self.movie)
    let outcome = shop.run("remux @in.mov -o @out.mov --interleave")
    let (before, after) = try (
      shop.movie().interleavingDistance(), shop.movie("out.mov").interleavingDistance()
    )
    #expect(after.byteCount < before.byteCount && after.microseconds < before.microseconds)
    #expect(outcome.output.last == "interleaving distance: \(before.description) before, \(after.description) now")
    for line in ["remux @in.mov -o @out2.mov --interleave", "remux @in.mov -o @out2.mov --interleave --dry-run"] {
      let interleaving = shop.run(line + " --json --force").json["interleaving"] as? [String: Any]
      let (old, new) = (interleaving?["before"] as? [String: Any], interleaving?["after"] as? [String: Any])
      #expect(old?["byteCount"] as? UInt64 == before.byteCount && new?["byteCount"] as? UInt64 == after.byteCount)
      #expect(new?["microseconds"] as? UInt64 == after.microseconds)
      #expect(interleaving?["needsSplitting"] as? Bool == (after.microseconds > 3_000_000))
    }
    #expect(shop.run("remux @in.mov -o @out3.mov --json").json["interleaving"] is NSNull)
  }

  @Test func improvesInterleavingBySplittingChunks() throws {
    let shop = try Workshop(
      Self.movie.with { movie in
        for track in movie.tracks.indices {
          movie.tracks[track].samples += movie.tracks[track].samples
          movie.tracks[track].chunking = [100]
        }
      })
    shop.run("remux @in.mov -o @whole.mov --interleave")
    let outcome = shop.run("remux @in.mov -o @out.mov --interleave --split-chunks")
    let (whole, split) = try (
      shop.movie("whole.mov").interleavingDistance(), shop.movie("out.mov").interleavingDistance()
    )
    #expect(split.microseconds < whole.microseconds && split.byteCount < whole.byteCount)
    #expect(outcome.output.last?.hasSuffix(" before, \(split.description) now") == true)
  }

  /// A folder with a movie whose media is in `media/`.
  private func referring() throws -> Workshop {
    let shop = try Workshop(
      TestMovie.simple.with {
        $0.layout = [.fileType, .movie(.ordinary)]
        $0.tracks[0].dataReferences = [urlReference("media/one.mov")]
        $0.tracks[0].externalOffsets = [100, 400, 1000, 1300, 1700, 2100]
        $0.tracks[1].dataReferences = [aliasReference("one.mov", levels: (1, 2), path: "Disk:media:one.mov")]
        $0.tracks[1].externalOffsets = [2500, 2700, 40, 300]
      })
    try shop.folder.makeFolder("media")
    try shop.folder.write(TestSample.pattern(track: 9, number: 1, byteCount: 3000), as: "media/one.mov")
    return shop
  }

  @Test func copiesExternalMediaOnRequest() throws {
    let shop = try referring()
    let outcome = shop.run("remux @in.mov -o @out.mov --self-contained")
    #expect(outcome.exitCode == .done)
    #expect(
      outcome.errors
        == [1, 2].map {
          "note: the samples of track \($0) are copied into the movie from media/one.mov"
        })
    let media = ByteStore(try shop.folder.read("media/one.mov"))
    let allowed = Self.rearranged.with { $0.takenIn = [1: [1: media], 2: [1: media]] }
    #expect(try differences(old: shop.folder.read("in.mov"), new: shop.folder.read("out.mov"), allowing: allowed) == [])
    #expect(shop.run("remux @out.mov -o @again.mov --self-contained --strict").errors.isEmpty)
    #expect(try shop.folder.read("again.mov") == shop.folder.read("out.mov"))

    let planned = shop.run("remux @in.mov -o @other.mov --self-contained --dry-run")
    #expect(planned.output.contains { $0.hasSuffix("copied from byte 40 of media/one.mov") })
    let json = shop.run("remux @in.mov -o @other.mov --self-contained --dry-run --json").json
    #expect((json["notes"] as? [[String: Any]])?.map { $0["code"] as? String } == ["external-media", "external-media"])
    #expect(json["bytesUnused"] as? Int == 0)
    #expect(try shop.folder.names() == ["again.mov", "en.srt", "in.mov", "media", "out.mov"])
  }

  @Test func keepsExternalReferencesWithAWarning() throws {
    let shop = try referring()
    for options in ["", " --fast-start", " --interleave", " --compact", " --interleave --split-chunks"] {
      let outcome = shop.run("remux @in.mov -o @out.mov --force" + options)
      #expect(outcome.exitCode == .done)
      #expect(
        outcome.errors.filter { $0.hasPrefix("warning: ") }
          == [1, 2].map {
            "warning: in.mov: the media of track \($0) is in another file; the reference is unchanged and works only if "
              + "the movie stays in the same folder (movtool remux --self-contained copies the media)"
          })
      let allowed = Self.rearranged.with { $0.chunksSplit = options.contains("split") }
      #expect(
        try differences(old: shop.folder.read("in.mov"), new: shop.folder.read("out.mov"), allowing: allowed) == [])
    }
  }

  @Test func rejectsMissingExternalMediaInOneLine() throws {
    let shop = try referring()
    try shop.folder.remove("media/one.mov")
    let gone = shop.run("remux @in.mov -o @out.mov --self-contained")
    #expect(gone.exitCode == .noInput)
    #expect(
      gone.errors == ["media/one.mov: cannot find: No such file or directory; the media of track 1 is in this file"])
    try shop.folder.write([1, 2, 3], as: "media/one.mov")
    let short = shop.run("remux @in.mov -o @out.mov --self-contained")
    #expect(short.exitCode == .badData && short.errors.count == 1)
    #expect(short.errors[0].hasPrefix("in.mov: moov/trak[1]/mdia/minf/stbl/stco at byte "))
    #expect(short.errors[0].hasSuffix(" bytes at 100) reaches past the end of media/one.mov at 3"))

    try shop.folder.write(
      TestMovie.simple.with {
        $0.tracks[0].dataReferences = [urlReference("../one.mov")]
        $0.tracks[0].externalOffsets = [100, 400, 1000, 1300, 1700, 2100]
      }, as: "out-of.mov")
    let outside = shop.run("remux @out-of.mov -o @out.mov --self-contained")
    #expect(outside.exitCode == .badData && outside.errors.count == 1)
    #expect(
      outside.errors[0].hasSuffix(
        "the media of track 1 is in ../one.mov, outside the movie's folder, and is not followed; move the file "
          + "to the movie's folder and refer to it by name, or keep the reference"))
    #expect(try shop.folder.names() == ["en.srt", "in.mov", "media", "out-of.mov"])
  }

  @Test func rejectsAnExternalMediaFileAsTheOutput() throws {
    let shop = try referring()
    let outcome = shop.run("remux @in.mov -o @media/one.mov --self-contained --force")
    #expect(outcome.exitCode == .usage)
    #expect(outcome.errors.first == "movtool remux: -o media/one.mov is the input media/one.mov")
    #expect(try shop.folder.read("media/one.mov").count == 3000)

    // As with `-o - >> media/one.mov`.
    let console = Console(isOnDisk: true)
    console.links["/dev/stdout"] = shop.folder.file("media/one.mov")
    let stream = shop.run("remux @in.mov -o - --self-contained", console)
    #expect(stream.exitCode == .usage && console.output.bytes.isEmpty)
    #expect(stream.errors.first == "movtool remux: standard output is the input media/one.mov")
    // Without the media of the file, it is not read; and a plan is not a movie.
    for options in ["", " --self-contained --dry-run"] {
      let console = Console(isOnDisk: true)
      console.links["/dev/stdout"] = shop.folder.file("media/one.mov")
      #expect(shop.run("remux @in.mov -o -" + options, console).exitCode == .done, "\(options)")
    }
  }

  @Test func interleavesNewSubtitles() throws {
    let shop = try Workshop(Self.movie)
    let outcome = shop.run("add-subtitle @in.mov @en.srt --interleave -o @out.mov")
    #expect(outcome.exitCode == .done)
    let (before, after) = try (
      shop.movie().interleavingDistance(), shop.movie("out.mov").interleavingDistance()
    )
    #expect(after.byteCount < before.byteCount)
    #expect(outcome.output.contains("interleaving distance: \(before.description) before, \(after.description) now"))
    let allowed = Self.rearranged.with { ($0.addedTracks, $0.references) = ([5], [2: ["folw"]]) }
    #expect(
      try differences(old: shop.folder.read("in.mov"), new: shop.folder.read("out.mov"), allowing: allowed) == [])

    let itself = shop.run("add-subtitle @in.mov @en.srt --interleave")
    #expect(itself.output.contains { $0.hasPrefix("rewrote in.mov, because interleaving was requested: ") })
    #expect(try shop.folder.read("in.mov") == shop.folder.read("out.mov"))
  }

  @Test func dropsUnusedBytesForCompact() throws {
    let shop = try Workshop(Self.movie)
    shop.run("remove @in.mov --track audio:2 --append")
    let outcome = shop.run("remux @in.mov -o @out.mov --compact")
    let (old, new) = try (shop.folder.read("in.mov").count, shop.folder.read("out.mov").count)
    #expect(outcome.output.last?.hasSuffix(", \(Quantity.bytes(UInt64(old - new))) less than before") == true)
    let movie = try shop.movie("out.mov")
    #expect(movie.layout.atoms.allSatisfy { !$0.isFreeSpace })
    let media = movie.layout.atoms.filter { $0.type == "mdat" }.reduce(0) { $0 + $1.payloadRange.count }
    #expect(media == MediaRanges(movie.tracks).byteCount)
  }

  @Test func removesTracksThatAreNotSelected() throws {
    let shop = try Workshop(TestMovie.talk.with { $0.tracks[1].references = [TestReference("folw", 4)] })
    let outcome = shop.run("remux @in.mov -o @out.mov --tracks audio --tracks id:1")
    #expect(
      outcome.output.first == "removed subtitle, Spanish: track 4; also removed: the folw reference of track 2 to it")
    #expect(try shop.movie("out.mov").tracks.map(\.id) == [1, 2, 3])
    #expect(try shop.movie("out.mov").tracks[1].references.isEmpty)
    let none = shop.run("remux @in.mov -o @none.mov --track timecode --track video")
    #expect(none.exitCode == .usage)
    #expect(none.errors.first?.hasPrefix("movtool remux: --track timecode matches no track: id:1 is video") == true)
    #expect(try shop.folder.names() == ["en.srt", "in.mov", "out.mov"])
  }

  @Test func removedDefaultIsAWarning() throws {
    let shop = try Workshop(.talk)
    let outcome = shop.run("remux @in.mov -o @out.mov --tracks video --tracks audio:es --strict")
    #expect(outcome.exitCode == .no)
    #expect(
      outcome.errors.first == "warning: in.mov: track 2 was the default of group 1; track 3 is now enabled instead")
  }

  @Test func rejectsTheInputAndExistingFilesAsTheOutput() throws {
    let shop = try Workshop(Self.movie)
    let old = try shop.folder.read("in.mov")
    let same = shop.run("remux @in.mov -o @in.mov --force")
    #expect(same.exitCode == .usage)
    #expect(same.errors.first == "movtool remux: -o in.mov is the input in.mov")
    try shop.folder.write([1], as: "out.mov")
    #expect(shop.run("remux @in.mov -o @out.mov").exitCode == .cannotCreate)
    #expect(try shop.folder.read("out.mov") == [1])
    #expect(shop.run("remux @in.mov -o @out.mov --force --sync").exitCode == .done)
    #expect(try shop.folder.read("in.mov") == old)
  }

  /// Tracks of one chunk each are stored one after the other, in any order.
  @Test func reportsLongChunks() throws {
    func track(_ kind: TestTrack.Kind, _ id: UInt32) -> TestTrack {
      TestTrack(kind, id: id).with {
        $0.timeScale = 600
        $0.samples = (0..<10).map { _ in TestSample(content: zeros(100), duration: 600) }
        $0.chunking = [10]
      }
    }
    let shop = try Workshop(TestMovie(tracks: [track(.video, 1), track(.sound, 2)]))
    let hint = "now; --split-chunks splits the long chunks that cause this"
    #expect(shop.run("remux @in.mov -o @out.mov --interleave").output.contains { $0.hasSuffix(hint) })
    let split = shop.run("remux @in.mov -o @split.mov --interleave --split-chunks").output
    #expect(split.contains { $0.hasPrefix("interleaving distance: ") && $0.hasSuffix(" now") })
  }

  /// Fragments are kept unless an option moves media.
  @Test func rejectsMovingMediaOfAFragmentedMovie() throws {
    let shop = try Workshop()
    let fragment = TestFragment([.init(id: 1, runs: [.init(.pictures(4, around: 40, duration: 50))])])
    try shop.folder.write(TestMovie.simple.initial.bytes(fragments: [fragment]), as: "in.mov")
    let outcome = shop.run("remux @in.mov -o @out.mov --interleave")
    #expect(outcome.exitCode == .badData && outcome.errors.count == 1)
    #expect(
      outcome.errors.first?.hasSuffix(
        "the fragments of the movie cannot be kept; --flatten writes the movie without fragments") == true)
    #expect(try shop.folder.names() == ["en.srt", "in.mov"])
    #expect(shop.run("remux @in.mov -o @out.mov").exitCode == .done)
    #expect(try shop.folder.read("out.mov") == shop.folder.read("in.mov"))
  }

  @Test(arguments: [
    ("", UsageError.Code.missingOperand), ("a.mov", .missingOperand), ("a.mov --fast-start", .missingOperand),
    ("a.mov b.mov -o c.mov", .unexpectedOperand), ("a.mov -o - --force", .conflict), ("a.mov -o=", .missingValue),
    ("a.mov -o b.mov --track", .missingValue), ("a.mov -o b.mov --track sound", .invalidValue),
    ("a.mov -o b.mov --append", .unknownOption), ("a.mov -o b.mov --split-chunks", .conflict),
    ("a.mov --force", .missingOperand),
  ])
  func rejectsInvalidOptions(line: String, code: UsageError.Code) throws {
    let words = line.split(separator: " ").map(String.init)
    let error = try #require(throws: UsageError.self) { try RemuxCommand.parse(words) }
    #expect(error.code == code && error.command == "remux")
  }
}
