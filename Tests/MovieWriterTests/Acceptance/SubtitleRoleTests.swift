import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// The atoms that make a player list a track, read byte by byte.
struct SubtitleRoleTests {
  private static let cue = Cue(startMilliseconds: 200, endMilliseconds: 900, text: StyledText("here"))

  private func edited(
    _ movie: TestMovie, _ change: (inout MovieEdit) throws -> Void
  ) throws -> (reader: SecondReader, movie: Movie) {
    let source = MemorySource(Bytes(movie.bytes()))
    var edit = try MovieEdit(of: Movie(of: source))
    try change(&edit)
    let plan = try edit.outputPlan(of: source)
    let bytes = try PlannedSource(plan, of: source).read(ByteRange(0..<plan.byteCount))
    return (try SecondReader(bytes.array), try Movie(of: MemorySource(bytes)))
  }

  private func add(_ tag: String, forced: Bool = false, to edit: inout MovieEdit) throws -> UInt32 {
    var input = SubtitleInput(cues: [Self.cue], language: LanguageTag(tag))
    input.containsOnlyForcedSubtitles = forced
    input.mediaCharacteristics = forced ? [] : MediaCharacteristic.sdh
    let id = try edit.add(input)
    try edit.addToSubtitleGroup(id, asDefault: false)
    try edit.pairForcedSubtitles(id)
    try edit.followAudio(id)
    return id
  }

  @Test func writesSDHAsTwoTags() throws {
    var id: UInt32 = 0
    let (reader, _) = try edited(.talk) { id = try add("en", to: &$0) }
    let tags = try reader.atoms.filter { $0.path == "moov/trak#\(id)/udta/tagc" }.map { try reader.bytes(of: $0) }
    #expect(
      tags == [
        atom("tagc") { text("public.accessibility.transcribes-spoken-dialog") },
        atom("tagc") { text("public.accessibility.describes-music-and-sound") },
      ])
  }

  @Test(arguments: [false, true])
  func refersToTheForcedPartnerInAnyOrder(_ forcedFirst: Bool) throws {
    var (regular, forced): (UInt32, UInt32) = (0, 0)
    let (reader, movie) = try edited(.simple) { edit in
      if forcedFirst { forced = try add("en", forced: true, to: &edit) }
      regular = try add("en", to: &edit)
      if !forcedFirst { forced = try add("en", forced: true, to: &edit) }
    }
    #expect(reader.track(regular)?.references("forc") == [forced])
    #expect(reader.track(forced)?.references("forc") == [])
    #expect(reader.track(2)?.references("folw") == [forced])
    #expect(try displayFlags(forced, reader) == [0xC0, 0, 0, 0])
    #expect(try displayFlags(regular, reader)[0] & 0xC0 == 0)
    let menu = try #require(movie.mediaSelectionGroups.first { $0.kind == .legible })
    #expect(menu.options.map(\.trackID) == [regular])
    #expect(menu.options.map(\.forcedPartner) == [forced])
  }

  @Test func keepsOneAudioTrackEnabled() throws {
    let (reader, _) = try edited(.talk) { edit in
      _ = try add("en", to: &edit)
      try edit.group(TrackGroup(members: [2, 3], defaultMember: 3))
    }
    #expect(reader.tracks.filter { $0.handler == "soun" && $0.isEnabled }.map(\.id) == [3])
    #expect(Set(reader.tracks.filter { $0.handler == "soun" }.map(\.group)) == [1])
  }

  @Test(arguments: [("yue-Hant", "yue-Hant"), ("pt-BR", "pt-BR"), ("am", nil), ("sr-Latn-RS", "sr-Latn-RS")])
  func roundTripsTheLanguage(_ tag: String, _ extended: String?) throws {
    var id: UInt32 = 0
    let (reader, movie) = try edited(.simple) { id = try add(tag, to: &$0) }
    #expect(movie.track(id)?.language?.description == tag)
    #expect(reader.track(id)?.extendedLanguage == extended)
    #expect(reader.track(id)?.language != nil)
  }

  @Test func writesAThreeLetterLanguage() throws {
    var id: UInt32 = 0
    let (reader, _) = try edited(.simple) { id = try add("am", to: &$0) }
    #expect(reader.track(id)?.language == "amh")
  }

  @Test func keepsMacintoshCodes() throws {
    let movie = TestMovie.simple.with {
      $0.tracks[1].language = .macintosh(0)  // English
      $0.tracks.append(TestTrack(.sound, id: 3).with { $0.language = .macintosh(6) })  // Spanish
    }
    var id: UInt32 = 0
    let (reader, _) = try edited(movie) { id = try add("es-419", to: &$0) }
    #expect(reader.track(2)?.languageField == 0)
    #expect(reader.track(3)?.languageField == 6)
    #expect(reader.track(2)?.references("folw") == [])
    #expect(reader.track(3)?.references("folw") == [id])
  }

  private func displayFlags(_ id: UInt32, _ reader: SecondReader) throws -> [UInt8] {
    let stsd = try #require(reader.atom("moov/trak#\(id)/mdia/minf/stbl/stsd"))
    // Version, flags and count; the entry's header, reserved bytes and data reference.
    return Array(try reader.content(of: stsd)[24..<28])
  }
}
