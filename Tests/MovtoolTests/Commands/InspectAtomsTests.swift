import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// The views `--atoms` and `--atom`.
struct InspectAtomsTests {
  @Test func listsAtomsInFileOrder() throws {
    let movie = TestMovie(tracks: []).with { $0.layout = [.fileType, .wide, .movie(.ordinary), .free(12)] }
    let outcome = try Workshop(movie).run("inspect --atoms @in.mov")
    #expect(outcome.exitCode == .done)
    #expect(
      outcome.output == [
        "offset  size  atom",
        "     0    20  ftyp",
        "    20     8  wide",
        "    28   116  moov",
        "    36   108    mvhd",
        "   144    12  free",
      ])
  }

  @Test func limitsTheDepth() throws {
    let shop = try Workshop(.torture)
    let all = shop.run("inspect --atoms @in.mov").output
    let first = shop.run("inspect --atoms --depth 1 @in.mov").output
    let second = shop.run("inspect --atoms --depth 2 @in.mov").output
    #expect(first.count == 7)
    #expect(first.allSatisfy(second.contains) && second.allSatisfy(all.contains))
    #expect(second.contains { $0.hasSuffix("    trak") })
    #expect(!second.contains { $0.hasSuffix("tkhd") })
    #expect(all.count > second.count && second.count > first.count)
  }

  @Test func listsTailsAndDefects() throws {
    let movie = TestMovie.simple.with {
      $0.userData = TestSupport.movie {
        atom("©nam") { internationalText("x") }
        u32(0)
      }
      $0.movieAtoms = TestSupport.movie {
        atom("udta") {
          atom("name") { text("x") }
          u32(4000)
          code("oops")
        }
      }
      $0.layout += [.bytes([1, 2, 3])]
    }
    let output = try Workshop(movie).run("inspect --atoms @in.mov").output
    #expect(output.contains { $0.hasSuffix("     4      (zeros)") })
    #expect(output.contains { $0.hasSuffix("     8      (! declares 4000 bytes, but its parent has only 8 left)") })
    #expect(output.last?.contains("     3  no atom: ") == true)
  }

  @Test func atomWithoutHexShowsItsFields() throws {
    let shop = try Workshop(.talk)
    let output = shop.run("inspect @in.mov --atom moov/trak[4]/tkhd").output
    #expect(output.first?.hasPrefix("moov/trak[4]/tkhd at byte ") == true)
    #expect(output.contains("  track ID         4"))
    #expect(output.contains("  matrix           1 0 0 / 0 1 0 / 0 612 1"))
    #expect(output.contains("  width            1280") && output.contains("  height           108"))
    #expect(shop.run("inspect @in.mov --atom moov").output.last == "  contains mvhd, 4 trak")
    #expect(shop.run("inspect @in.mov --atom ftyp").output.contains("  compatible     \"qt  \""))
    #expect(shop.run("inspect @in.mov --atom moov/trak/mdia/minf/stbl/stsz").output.contains("  samples  24"))
    #expect(shop.run("inspect @in.mov --atom moov/trak/mdia/minf/vmhd").output.contains("  graphics mode  0"))
  }

  @Test func everyKnownAtomOfATortureMovieShowsFields() throws {
    let shop = try Workshop(.torture)
    let tree = try shop.movie().tree
    for index in tree.atoms.indices {
      let outcome = shop.run("inspect @in.mov --atom=\(tree.path(of: index))")
      #expect(outcome.exitCode == .done && outcome.errors.isEmpty, "\(tree.path(of: index)): \(outcome.errors)")
      #expect(outcome.output.count > 1)
    }
  }

  @Test func dumpsTheStartOfAnUnknownAtom() throws {
    let shop = try Workshop(TestMovie.simple.with { $0.movieAtoms = atom("XXXX") { text("hello") + zeros(100) } })
    let output = shop.run("inspect @in.mov --atom moov/XXXX").output
    #expect(output.count == 6)
    #expect(output[1].hasSuffix("|hello...........|"))
    #expect(output.last == "… 41 more bytes; --hex shows all bytes")
  }

  @Test func brokenAtomIsShownAndLocated() throws {
    let shop = try Workshop(TestMovie.simple.with { $0.movieAtoms = atom("elst") { u32(0, 9) } })
    let outcome = shop.run("inspect @in.mov --atom moov/elst")
    #expect(outcome.exitCode == .badData)
    #expect(outcome.errors.first?.hasPrefix("in.mov: moov/elst at byte ") == true)
    #expect(outcome.output.count == 2)
  }

  @Test func hexShowsAllBytesOfTheAtomInPieces() throws {
    let content = (0..<150_000).map { UInt8(truncatingIfNeeded: $0) }
    let shop = try Workshop(TestMovie.simple.with { $0.layout.insert(.bytes(atom("XXXX") { content }), at: 1) })
    let console = Console(isOnDisk: true)
    let output = shop.run("inspect @in.mov --atom XXXX --hex", console).output
    let whole = try shop.folder.read("in.mov")
    #expect(output.count == (content.count + 8 + 15) / 16)
    #expect(console.output.writes.count == 3)
    let digits = output.flatMap { $0.dropFirst(10).prefix(49).split(separator: " ") }
    #expect(digits.compactMap { UInt8($0, radix: 16) } == Array(whole[20..<20 + content.count + 8]))
    #expect(output.first?.hasPrefix("00000014  ") == true)
  }

  @Test func atomOfAnyTopLevelTypeIsFoundByNumber() throws {
    let movie = TestMovie.simple.with {
      $0.layout += [
        .bytes(atom("uuid") { zeros(16) + text("one") }), .bytes(atom("uuid") { zeros(16) + text("two") }),
      ]
    }
    let shop = try Workshop(movie)
    #expect(shop.run("inspect @in.mov --atom uuid[2]").output.first?.hasPrefix("uuid[2] at byte ") == true)
    #expect(shop.run("inspect @in.mov --atom uuid").output.first?.hasPrefix("uuid[1] at byte ") == true)
    #expect(shop.run("inspect @in.mov --atom uuid[2]").output.last?.hasSuffix("two|") == true)
  }

  @Test func findsEveryPathInACompressedMovieAtom() throws {
    let shop = try Workshop(TestMovie.simple.with { $0.hasCompressedMovieAtom = true })
    let plain = try Workshop(.simple)
    let tree = try shop.movie().tree
    for index in tree.atoms.indices {
      let path = tree.path(of: index)
      let outcome = shop.run("inspect @in.mov --atom=\(path)")
      #expect(outcome.exitCode == .done && outcome.errors.isEmpty, "\(path): \(outcome.errors)")
      let place = "\(path) at byte \(tree.range(of: index).offset) of the inflated movie atom, "
      #expect(outcome.output.first?.hasPrefix(place) == true, "\(outcome.output)")
      let short = path.replacingOccurrences(of: "moov/cmov/cmvd/", with: "")
      let other = plain.run("inspect @in.mov --atom=\(short)").output
      // A dump begins with the offset.
      #expect(
        outcome.output.dropFirst().map { $0.drop { $0 != " " } } == other.dropFirst().map { $0.drop { $0 != " " } })
      let digits = shop.run("inspect @in.mov --hex --atom=\(path)").output.flatMap {
        $0.dropFirst(10).prefix(49).split(separator: " ")
      }
      #expect(digits.compactMap { UInt8($0, radix: 16) } == tree.bytes(of: index).array)
    }
    #expect(shop.run("inspect @in.mov --atom moov/cmov/cmvd").output.first?.contains("inflated") == false)
  }

  @Test(
    arguments: [
      ("moov/trak", "moov has no trak; it contains cmov; the movie atom is compressed, so use moov/cmov/cmvd/moov"),
      ("moov/cmov/cmvd/trak", "moov/cmov/cmvd has no trak; it contains moov"),
      ("moov/cmov/cmvd/moov[2]", "moov/cmov/cmvd has 1 moov, not 2"),
      ("moov/cmov/cmvd/moov/trak[9]", "moov/cmov/cmvd/moov has 2 trak, not 9"),
      ("moov/cmov/dcom/x", "moov/cmov/dcom has no x; it contains no atoms"),
    ])
  func listsAtomsForAMissingPathInACompressedMovieAtom(path: String, reason: String) throws {
    let outcome = try Workshop(TestMovie.simple.with { $0.hasCompressedMovieAtom = true }).run(
      "inspect @in.mov --atom \(path)")
    #expect(outcome.exitCode == .usage)
    #expect(outcome.errors.first == "movtool inspect: --atom \(path): \(reason)")
  }

  @Test(
    arguments: [
      ("uuid", "the file has no uuid; it contains ftyp, wide, mdat, moov"),
      ("moov/trak[9]", "moov has 2 trak, not 9"), ("moov/trk", "moov has no trk; it contains mvhd, trak"),
      ("moov/trak[2]/tkhd/x", "moov/trak[2]/tkhd has no x; it contains no atoms"),
      ("mdat/x", "mdat has no x; it contains no atoms"),
      ("moov/trak[0]", "\"trak[0]\" has an invalid atom number; write a number from 1, as in trak[2]"),
      ("moov//trak", "\"\" is not an atom type"), ("moov/trakk", "\"trakk\" is not an atom type"),
    ])
  func listsAtomsForAMissingPath(path: String, reason: String) throws {
    let outcome = try Workshop(.simple).run("inspect @in.mov --atom \(path)")
    #expect(outcome.exitCode == .usage)
    #expect(outcome.errors == ["movtool inspect: --atom \(path): \(reason)", "see movtool help inspect"])
    #expect(outcome.output.isEmpty)
  }
}
