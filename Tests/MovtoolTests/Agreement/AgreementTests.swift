import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// Groups, defaults, roles, languages and titles agree with other programs, or the difference has a known reason.
struct AgreementTests {
  @Test func agreesWithMediaInfo() throws {
    let witness = try Witness.require("mediainfo")
    var agreement = Agreement()
    let movies = try AgreedMovies()
    for path in movies.paths { try agreement.compare(path, with: witness) }
    agreement.print(as: "MediaInfo")
    #expect(agreement.disagreements == [])
    #expect(agreement.sameCount > 500)
  }

  @Test func agreesWithFFprobe() throws {
    let witness = try Witness.require("ffprobe")
    var agreement = Agreement()
    let movies = try AgreedMovies()
    for path in movies.paths { try agreement.compare(path, withProbe: witness) }
    agreement.print(as: "ffprobe")
    #expect(agreement.disagreements == [])
    #expect(agreement.sameCount > 1500)
  }

  @Test func coversAllComparedRoles() throws {
    let movies = try AgreedMovies()
    for name in ["roles.mov", "roles.mp4"] {
      let movie = try Movie(of: FileSource(path: movies.shop.folder.file(name)))
      let roles = movie.tracks.map { $0.role(in: movie) }
      for role in ["SDH", "forced only", "commentary", "describes-video"] {
        #expect(roles.contains { $0?.contains(role) ?? false }, "\(name): \(roles)")
      }
      #expect(
        movie.tracks.map(\.displayName).contains("Portuguese (Brazil) — Carioca"), "\(movie.tracks.map(\.displayName))"
      )
      #expect(movie.tracks.filter(\.isExcludedFromAutomaticSelection).count == 1)
      #expect(movie.mediaSelectionGroups.filter { $0.alternateGroup != 0 }.map(\.kind) == [.audible, .legible])
    }
  }
}

/// The compared movies: real ones if available, and ones made for the test.
struct AgreedMovies {
  let shop: Workshop
  let paths: [String]

  init() throws {
    shop = try Workshop()
    let corpus = Corpus.find()
    let made = try Self.withRoles(shop) + Self.withFlags(shop) + Self.withLanguages(shop)
    paths = made + (corpus?.movies.map(\.path) ?? []) + (corpus?.broken ?? [])
  }

  /// Our own commands assign roles, languages and titles to five audio and four subtitle tracks, in both dialects.
  private static func withRoles(_ shop: Workshop) throws -> [String] {
    try ["mov", "mp4"].map { ending in
      let movie = TestMovie.playable.with { movie in
        movie.dialect = ending == "mov" ? .quickTime : .iso
        let sound = movie.tracks[1]
        for id in 3...6 { movie.tracks.append(sound.with { $0.id = UInt32(id) }) }
        for place in 1...5 { movie.tracks[place].group = 1 }
        for place in 2...5 { movie.tracks[place].isEnabled = false }
      }
      let path = try shop.folder.write(movie, as: "roles.\(ending)")
      for line in [
        "set @roles.\(ending) --track id:3 --role commentary --title Talk --autoselect off --track id:4 --language fr "
          + "--role dub --track id:5 --role describes-video --track id:6 --language pt-BR --title Carioca",
        "add-subtitle @roles.\(ending) @en.srt --language en --sdh @en.srt --language zh-Hant --default "
          + "@en.srt --language fr @en.srt --language fr --forced",
      ] {
        let outcome = shop.run(line)
        guard outcome.exitCode == .done else { throw TestSupportError("\(line): \(outcome.errors)") }
      }
      return path
    }
  }

  /// All combinations of the two display flags of forced subtitles.
  private static func withFlags(_ shop: Workshop) throws -> [String] {
    let flags = [0, 0x4000_0000, 0x8000_0000, 0xC000_0000]
    let movie = TestMovie.playable.with { movie in
      for (index, flag) in flags.enumerated() {
        movie.tracks.append(
          .rightSubtitles(UInt32(3 + index), "eng", displayFlags: flag).with { $0.isEnabled = index == 0 })
      }
    }
    return [try shop.folder.write(movie, as: "flags.mov")]
  }

  /// Every Macintosh code, invalid letters, and a tag that is more specific than its code.
  private static func withLanguages(_ shop: Workshop) throws -> [String] {
    let codes = Array(0...138) + [0x7FFF, 0x400, 0x7C00, 0xFFFF]
    let languages = codes.map { TestLanguage.macintosh($0) } + ["mis", "und", "ger", "scr", "zho"].map { .packed($0) }
    var sound = TestTrack(.sound, id: 1)
    sound.sampleEntries = [SampleEntry.sound("sowt", rate: 8000)]
    let tracks = languages.enumerated().map { index, language in
      sound.with { ($0.id, $0.language) = (UInt32(index + 1), language) }
    }
    let tagged = sound.with { ($0.id, $0.extendedLanguage) = (UInt32(tracks.count + 1), "de-CH") }
    return [try shop.folder.write(TestMovie(tracks: tracks + [tagged]), as: "languages.mov")]
  }
}
