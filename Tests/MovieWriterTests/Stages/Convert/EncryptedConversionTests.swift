import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Movies with Common Encryption whose auxiliary information is inside the movie atom, as ffmpeg writes it.
struct EncryptedConversionTests {
  private static let keys = (0..<24).map { u64(UInt64(0xA0 + $0)) }

  /// Returns video with `senc` in `stbl`, and `saio` that points to its first entry.
  private static func movie(
    _ dialect: TestMovie.Dialect = .iso, holder: String = "stbl", isUserType: Bool = false
  ) throws -> TestMovie {
    func movie(_ position: Int) -> TestMovie {
      TestMovie(tracks: [
        TestTrack(.sound, id: 1),
        TestTrack(.video, id: 2).with { track in
          track.sampleEntries = [
            SampleEntry.video(
              "encv", width: 64, height: 36,
              extensions: atom("avcC") { u32(0x0142_001E, 0xFFE1_0000) }
                + atom("sinf") {
                  atom("frma") { code("avc1") } + fullAtom("schm") { code("cenc") + u32(0x1_0000) }
                    + atom("schi") { fullAtom("tenc") { [0, 0, 1, 8] + zeros(16) } }
                })
          ]
          let entries = u32(keys.count) + Array(keys.joined())
          let senc =
            isUserType
            ? atom("uuid") { SampleEncryption.userType.array + u32(0) + entries } : fullAtom("senc") { entries }
          if holder == "trak" { track.trackAtoms = senc }
          track.sampleTableAtoms =
            (holder == "stbl" ? senc : []) + fullAtom("saio") { u32(1, position) }
            + fullAtom("saiz") { [8] + u32(keys.count) }
        },
      ]).with {
        $0.dialect = dialect
        $0.layout = .movieFirst
      }
    }
    let place = try #require(
      SecondReader(movie(0).bytes()).atoms.first { $0.type == (isUserType ? "uuid" : "senc") })
    return movie(Int(place.contentOffset) + (isUserType ? 24 : 8))
  }

  /// Checks that `saio` points to the entries of `senc`, and that these and `saiz` are unchanged.
  private func expectKeys(_ bytes: [UInt8], at location: SourceLocation = #_sourceLocation) throws {
    let reader = try SecondReader(bytes)
    let saio = try #require(reader.atoms.first { $0.type == "saio" }, sourceLocation: location)
    let position = try reader.content(of: saio).suffix(4).reduce(0) { $0 << 8 | Int($1) }
    let all = Array(Self.keys.joined())
    #expect(bytes.dropFirst(position).prefix(all.count).elementsEqual(all), sourceLocation: location)
    let saiz = try #require(reader.atoms.first { $0.type == "saiz" }, sourceLocation: location)
    #expect(try reader.content(of: saiz) == u32(0) + [8] + u32(Self.keys.count), sourceLocation: location)
    let movie = try Movie(of: MemorySource(Bytes(bytes)))
    let ranges = try #require(movie.track(2)).auxiliaryInformation(in: movie.tree)
    #expect(ranges.map(\.range.count) == [UInt64(all.count)], sourceLocation: location)
  }

  @Test(arguments: [("stbl", false), ("trak", false), ("stbl", true)])
  func keepsKeyPositionsAfterConversions(_ holder: String, _ isUserType: Bool) throws {
    let old = try Self.movie(holder: holder, isUserType: isUserType)
    try expectKeys(old.bytes())
    var bytes = old.bytes()
    for _ in 1...2 {
      let there = try ConversionTrial(bytes, to: .quickTime)
      try there.expectSameMedia()
      try expectKeys(there.bytes)
      let back = try ConversionTrial(there.bytes, to: .mp4)
      try back.expectSameMedia()
      try expectKeys(back.bytes)
      bytes = back.bytes
    }
  }

  /// A title of the first track moves the following parts of the movie atom.
  @Test func keepsKeyPositionsWhenTheMovieAtomMoves() throws {
    let source = MemorySource(Bytes(try Self.movie().bytes()))
    var edit = try MovieEdit(of: source)
    try edit.remove(1)
    try expectKeys(edit.outputPlan(of: source).rendered(from: source))
    var titled = try MovieEdit(of: source)
    try titled.setTitle("A title that is long enough to move the rest", of: 1)
    try expectKeys(titled.outputPlan(of: source).rendered(from: source))
  }

  @Test func detectsWrongKeyPositions() throws {
    let movie = try Self.movie()
    for change in [1, 8] {
      try SpoiledConversion(movie, to: .quickTime).expectFailure("saio") { edits, movie in
        let stbl = try #require(movie.tree.sampleTable(ofTrack: movie.tracks[1].atom))
        let saio = try #require(movie.tree.child(of: stbl, "saio"))
        var bytes = movie.tree.bytes(of: saio).array
        bytes[bytes.count - 1] ^= UInt8(change)
        edits.replace(saio, with: bytes)
      }
    }
  }

  /// The plan's positions are checked as well as those of the converted movie.
  @Test func detectsPlansWithOtherKeyPositions() throws {
    let source = MemorySource(Bytes(try Self.movie().bytes()))
    var edit = try MovieEdit(of: source)
    try edit.remove(1)
    let layout = OutputLayout(interleaving: .none)
    let (plan, resolved) = (try edit.outputPlan(of: source, layout), try edit.resolved(isInterleaved: false))
    let reader = try SecondReader(plan.rendered(from: source))
    let saio = try #require(reader.atoms.first { $0.type == "saio" })
    let end = saio.offset + saio.byteCount
    let number = try reader.bytes(of: saio).suffix(4).reduce(0) { $0 << 8 | Int($1) }
    let spoiled = try plan.spoiled(end - 4..<end, with: u32(number + 8))
    #expect {
      try PlanChecker.check(spoiled, of: resolved, strategy: .rewrite(layout), source: source)
    } throws: { ($0 as? MovieError)?.code == .planCheckFailed }
  }

  @Test func convertsMoviesThatFFmpegDecrypts() throws {
    let folder = try TemporaryFolder()
    let key = "76a6c65c5ea762046bd749a2e632ccbb"
    let ffmpeg = try Witness.require("ffmpeg")
    let path = folder.file("in.mp4")
    let made = try ffmpeg.run([
      "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc=s=64x36:r=10:d=1", "-f", "lavfi", "-i",
      "sine=440:d=1:r=48000", "-c:v", "mpeg4", "-c:a", "aac", "-encryption_scheme", "cenc-aes-ctr",
      "-encryption_key", key, "-encryption_kid", "a7e61c373e219033c21091fa607bf3b8", path,
    ])
    try #require(made.code == 0, "\(made.errorText)")
    func frames(_ path: String) throws -> [Substring] {
      let result = try ffmpeg.run([
        "-v", "error", "-nostdin", "-decryption_key", key, "-i", path, "-f", "framemd5", "-",
      ])
      return result.outputText.split(separator: "\n").filter { !$0.hasPrefix("#") }
    }
    let wanted = try frames(path)
    #expect(wanted.count > 20)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let there = try ConversionTrial(bytes, to: .quickTime)
    #expect(try frames(folder.write(there.bytes, as: "there.mov")) == wanted)
    let back = try ConversionTrial(there.bytes, to: .mp4)
    #expect(try frames(folder.write(back.bytes, as: "back.mp4")) == wanted)
    let (old, new) = (try Movie(of: MemorySource(Bytes(bytes))), try Movie(of: MemorySource(Bytes(back.bytes))))
    for (before, after) in zip(old.tracks, new.tracks) {
      let one = try before.auxiliaryInformation(in: old.tree).map {
        Array(bytes[Int($0.range.offset)..<Int($0.range.end)])
      }
      let other = try after.auxiliaryInformation(in: new.tree).map {
        Array(back.bytes[Int($0.range.offset)..<Int($0.range.end)])
      }
      #expect(!one.isEmpty && one == other)
    }
  }
}
