import Foundation
import TestSupport
import Testing

@testable import MovtoolCommands

/// Inspecting movies from before MPEG-4.
struct InspectClassicTests {
  private static let sound = " 2  audio  mp4a   English   en   mono, 8 kHz         16  yes"
  private static let pictures = " 1  video  avc1                  64 × 36             24  yes"

  /// Returns the rows of the track table that differ from those of a simple movie.
  private static func rows(_ feature: ClassicFeature) -> [String] {
    switch feature {
    case .noFileType, .preload, .clipping, .matte, .trackInputMap, .referenceMovies: []
    case .macintoshLanguages:
      [
        " 3  audio  mp4a   Japanese  ja   mono, 8 kHz         16  yes",
        " 4  text   text   French    fr                        3  yes",
        " 5  audio  mp4a                  mono, 8 kHz         16  yes",
      ]
    case .severalSampleDescriptions:
      [
        " 1  video  cvid, SVQ3, rle                  64 × 36             24  yes",
        " 2  audio  mp4a              English   en   mono, 8 kHz         16  yes",
      ]
    case .colourTable: [" 1  video  rle                   64 × 36             24  yes"]
    case .spriteTrack: [" 3  sprt   sprt                  64 × 36              2  yes"]
    case .flashTrack: [" 3  flsh   swf                   64 × 36              1  yes"]
    case .pascalNames: [" 2  audio  mp4a   English   en   mono, 8 kHz         16  yes      Sound"]
    case .soundVersion0: [" 2  audio  twos   English   en   stereo, 8 kHz    16000  yes"]
    case .soundVersion1: [" 2  audio  ima4   English   en   stereo, 8 kHz    16000  yes"]
    case .soundVersion2: [" 2  audio  lpcm   English   en   stereo, 8 kHz    16000  yes"]
    case .compressedSound: [" 2  audio  MAC6   English   en   mono, 8 kHz      15996  yes"]
    case .terminators: [" 1  video  cvid                  64 × 36             24  yes"]
    }
  }

  private static func findings(_ feature: ClassicFeature) -> [String] {
    guard feature == .referenceMovies else { return [] }
    return ["note: refers to other movies, which players may open instead: small.mov, http://example.org/large.mov"]
  }

  @Test(arguments: ClassicFeature.allCases)
  func showsTracksOfAClassicMovie(_ feature: ClassicFeature) throws {
    let outcome = try Workshop(feature.movie).run("inspect @in.mov")
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    #expect(outcome.output.first == "Format    QuickTime, without brands (ftyp)")
    #expect(outcome.output.contains("Duration  2.000 s") && outcome.output.contains("Editing   in place"))
    let table = outcome.output.drop { !$0.hasPrefix("ID ") }.dropFirst().prefix { $0 != "" }
    #expect(table.filter { ![Self.sound, Self.pictures].contains($0) } == Self.rows(feature))
    let findings = outcome.output.drop { $0 != "Findings" }.dropFirst().map { line in
      line.dropFirst(2).split(separator: " ").prefix(1).joined() + " "
        + (line.components(separatedBy: ": ").dropFirst(2).joined(separator: ": "))
    }
    #expect(findings == Self.findings(feature))
  }

  @Test(arguments: ClassicFeature.allCases)
  func listsAtomsOfAClassicMovie(_ feature: ClassicFeature) throws {
    let shop = try Workshop(feature.movie)
    #expect(shop.run("inspect @in.mov --atoms").exitCode == .done)
    #expect(shop.run("inspect @in.mov --json").json["files"] != nil)
    #expect(shop.run("inspect @in.mov --layout").exitCode == .done)
  }

  @Test func referenceMovieWithoutMediaIsRefusedInOneLine() throws {
    let shop = try Workshop()
    try shop.folder.write(atom("moov") { alternateMovies(["small.mov"]) }, as: "in.mov")
    for line in ["inspect @in.mov", "add-subtitle @in.mov @en.srt", "remux @in.mov -o @out.mov"] {
      let outcome = shop.run(line)
      #expect(outcome.exitCode == .badData)
      #expect(
        outcome.errors == [
          "in.mov: moov/rmra at byte 8: is a reference movie, which contains no media and refers to other movies: small.mov; "
            + "open one of these movies instead"
        ])
    }
  }

  @Test func mediaInOtherFilesIsAFinding() throws {
    let movie = TestMovie.simple.with {
      $0.tracks[1].dataReferences = [fullAtom("url ", flags: 1), urlReference("sound/one.wav"), fullAtom("rsrc")]
    }
    let shop = try Workshop(movie)
    let outcome = shop.run("inspect @in.mov")
    #expect(outcome.exitCode == .done)
    #expect(outcome.output.last?.hasPrefix("  warning: moov/trak[2]/mdia/minf/dinf/dref at byte ") == true)
    #expect(
      outcome.output.last?.hasSuffix(": the track has media in other files: sound/one.wav, a resource fork") == true)
  }
}
