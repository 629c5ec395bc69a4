import MovieBox
import SubtitleTestSupport
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// Caption tracks that an edit adds: their atoms, their place among the subtitles, and their verification.
struct AddedCaptionsTests {
  private static let scc = """
    Scenarist_SCC V1.0

    00:00:00:10\t9420 9420 9470 9470 c8e9 942f 942f

    00:00:01:20\t942c 942c

    """

  private func input(_ language: String? = "en") throws -> SubtitleInput {
    let file = try SubtitleFile.read(Array(Self.scc.utf8), named: "film.en.scc")
    var input = SubtitleInput(file, language: language.flatMap { LanguageTag($0) })
    input.format = .captions
    return input
  }

  private func read(_ edit: MovieEdit) throws -> SecondReader {
    let source = try edit.joinedSource()
    let bytes = try edit.outputPlan(of: source).rendered(from: source)
    let inPlace = try edit.inPlacePlan(of: source).rendered().rendered(from: source)
    let readers = [try SecondReader(bytes), try SecondReader(inPlace)]
    let id = try #require(edit.tracks.last?.id)
    #expect(try ReadCaptions(readers[0], track: id) == ReadCaptions(readers[1], track: id))
    return readers[0]
  }

  @Test(arguments: [TestMovie.Dialect.quickTime, .iso])
  func writesCaptionTracksAsAppleDoes(_ dialect: TestMovie.Dialect) throws {
    let movie = TestMovie.talk.with { $0.dialect = dialect }
    var edit = try MovieEdit(of: movie.source)
    let added = try edit.addSubtitles(try input("pt-BR"))
    let reader = try read(edit)
    let track = try #require(reader.track(added.trackID))
    #expect(track.handler == "clcp" && track.formats == ["c608"] && track.timeScale == 30_000)
    #expect(track.layer == -1 && track.width == 0 && track.height == 0 && !track.isEnabled)
    #expect(track.extendedLanguage == "pt-BR" && track.language == "por")
    #expect(track.characteristics == [])
    let media = "moov/trak#5/mdia/minf"
    #expect((reader.atom(media + "/gmhd/gmin") != nil) == (dialect == .quickTime))
    #expect((reader.atom(media + "/nmhd") != nil) == (dialect == .iso))
    #expect(try #require(reader.atom(media + "/stbl/stsd")).byteCount == 32)
    #expect(reader.track(1)?.references("clcp") == [added.trackID])
    // The group of the movie's subtitles.
    #expect(track.group == reader.track(4)?.group && track.group != 0)
    let captions = try ReadCaptions(reader, track: added.trackID)
    #expect(captions.fields[0].map(\.frame) == Array(10...16) + [50, 51])
    #expect(captions.samples.map(\.start) == [0] + captions.fields[0].map(\.frame))
  }

  @Test func existingCaptionsKeepTheirReferenceWhenCaptionsAreAdded() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let added = try edit.addSubtitles([input("en"), input("fr")])
    #expect(edit.tracks[0].references["clcp"] == added.map(\.trackID))
    var replacing = try input("en")
    replacing.existingTrackPolicy = .replace
    let replacement = try edit.addSubtitles(replacing)
    #expect(replacement.replacedTrackID == added[0].trackID)
    #expect(Set(edit.tracks[0].references["clcp"] ?? []) == [added[1].trackID, replacement.trackID])
    var skipping = try input("fr")
    skipping.existingTrackPolicy = .skip
    #expect(try !edit.addSubtitles(skipping).isAdded)
  }

  @Test func captionsReplaceNoSubtitlesOfTheirLanguage() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    var subtitles = try input("de")
    subtitles.format = .tx3g
    try edit.addSubtitles(subtitles)
    var captions = try input("de")
    captions.existingTrackPolicy = .replace
    #expect(try edit.addSubtitles(captions).replacedTrackID == nil)
  }

  @Test func captionsCannotBeForced() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    var forced = try input()
    forced.containsOnlyForcedSubtitles = true
    let error = #expect(throws: MovieError.self) { try edit.addSubtitles(forced) }
    #expect(error?.code == .invalidEdit)
    // Nor does a new caption track become the full track of forced subtitles.
    var subtitles = try input("fr")
    (subtitles.format, subtitles.containsOnlyForcedSubtitles) = (.tx3g, true)
    let added = try edit.addSubtitles([subtitles, input("fr")])
    #expect(edit.tracks.first { $0.id == added[1].trackID }?.references["forc"] == nil)
  }

  @Test func audioFollowsCaptionsOfItsLanguage() throws {
    let movie = TestMovie.simple.with { movie in
      movie.tracks.append(TestTrack(.sound, id: 9).with { $0.language = .packed("eng") })
    }
    var edit = try MovieEdit(of: movie.source)
    let added = try edit.addSubtitles(input("en"))
    #expect(edit.tracks.first { $0.id == 9 }?.references["folw"] == [added.trackID])
  }

  @Test func playersOfferCaptionsWithSubtitlesAndPreferThemForDeafViewers() throws {
    var edit = try MovieEdit(of: TestMovie.right.source)
    var captions = try input("es")
    captions.follow = .nothing
    let added = try edit.addSubtitles(captions)
    let movie = try Movie(of: edit.plannedSource())
    let menu = try #require(movie.mediaSelectionGroups.first { $0.kind == .legible })
    #expect(menu.options.contains { $0.trackID == added.trackID })
    var criteria = MediaSelectionCriteria()
    criteria.preferredLanguages = ["es"].compactMap { LanguageTag($0) }
    criteria.prefersSDH = true
    #expect(movie.automaticSelection(for: criteria).legible.trackID == added.trackID)
  }

  /// The check encodes the captions once more, and refuses a plan with another pair.
  @Test func refusesATrackWithOtherCodes() throws {
    let movie = TestMovie.talk
    var edit = try MovieEdit(of: movie.source)
    try edit.addSubtitles(input())
    var wrong = try MovieEdit(of: movie.source)
    var other = try input()
    other.captions?.fields[0][4].pair = CaptionPair(0xC8, 0xEF)
    try wrong.addSubtitles(other)
    let resolved = try edit.resolved(isInterleaved: false)
    let plan = try wrong.outputPlan()
    #expect(throws: MovieError.self) {
      try PlanChecker.check(plan, of: resolved, strategy: .rewrite(OutputLayout()), source: movie.source)
    }
  }

  @Test func retimedCaptionsKeepTheirCodesAndReferences() throws {
    let movie = TestMovie.talk
    var first = try MovieEdit(of: movie.source)
    let added = try first.addSubtitles(input())
    let source = MemorySource(Bytes(try first.outputPlan(of: movie.source).rendered(from: movie.source)))
    let before = try ReadCaptions(SecondReader(source.bytes.array), track: added.trackID)
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    let new = try edit.retime(added.trackID, CueTiming(offsetMilliseconds: 200))
    let after = try ReadCaptions(read(edit), track: new)
    #expect(after.fields[0] == before.fields[0].map { .init(frame: $0.frame + 6, $0.first, $0.second) })
    #expect(edit.tracks[0].references["clcp"] == [new])
    #expect(edit.tracks.last?.language == LanguageTag("en"))
  }

  /// Returns a movie with captions in CC1 and CC2 from 0.3 s on, and the ID of their track. `erasures` are further lines
  /// of the caption file.
  private func movieWithTwoChannels(erasedBy erasures: String = "") throws -> (source: MemorySource, trackID: UInt32) {
    let words = "9420 9420 9476 9476 c8e9 942f 942f 1c20 1c20 1c76 1c76 ce4f 1c2f 1c2f"
    let text = "Scenarist_SCC V1.0\n\n00:00:00:10\t\(words)\n" + erasures
    var input = SubtitleInput(try SubtitleFile.read(Array(text.utf8), named: "film.en.scc"), language: nil)
    input.format = .captions
    let movie = TestMovie.talk
    var edit = try MovieEdit(of: movie.source)
    let trackID = try edit.addSubtitles(input).trackID
    return (MemorySource(Bytes(try edit.outputPlan(of: movie.source).rendered(from: movie.source))), trackID)
  }

  @Test func retimingMovesAllChannelsWithoutANotice() throws {
    let (source, trackID) = try movieWithTwoChannels(erasedBy: "\n00:00:01:10\t942c 942c 1c2c 1c2c\n")
    let before = try ReadCaptions(SecondReader(source.bytes.array), track: trackID)
    let captioned = try Movie(of: source)
    let read = try captioned.text(ofTrack: trackID, from: source)
    #expect(read.notices.map(\.kind).contains(.otherServices), "\(read.notices)")
    var edit = try MovieEdit(of: captioned, from: source)
    let retimed = try edit.retime([trackID], CueTiming(offsetMilliseconds: 200))
    #expect(retimed.count == 1 && !retimed.flatMap(\.notices).map(\.kind).contains(.otherServices), "\(retimed)")
    let after = try ReadCaptions(self.read(edit), track: try #require(retimed.first).trackID)
    #expect(before.fields[0].contains { $0.first == 0x1C && $0.second == 0x2F })
    #expect(after.fields[0] == before.fields[0].map { .init(frame: $0.frame + 6, $0.first, $0.second) })
  }

  /// The last captions of both channels last until the movie's end, because no code erases them.
  @Test(arguments: [-200, 100] as [Int64]) func lastCaptionsEndWhereTheShiftedCuesEnd(_ offset: Int64) throws {
    let (source, trackID) = try movieWithTwoChannels()
    let captioned = try Movie(of: source)
    var edit = try MovieEdit(of: captioned, from: source)
    let retimed = try edit.retime(trackID, CueTiming(offsetMilliseconds: offset))
    let shifted = MemorySource(Bytes(try edit.outputPlan(of: source).rendered(from: source)))
    let retimedMovie = try Movie(of: shifted)
    for channel in [CaptionChannel.cc1, .cc2] {
      let before = try captioned.text(ofTrack: trackID, from: source, captionChannel: channel).cues
      let after = try retimedMovie.text(ofTrack: retimed, from: shifted, captionChannel: channel).cues
      #expect(before.count == 1 && after.count == 1)
      let end = (before.first?.endMilliseconds ?? 0) + min(offset, 0)
      // Each erasure takes two frames, and the channels share the field, so an erasure may be three frames from its time.
      #expect(abs((after.first?.endMilliseconds ?? 0) - end) <= 101, "\(before) \(after)")
      #expect(abs((after.first?.startMilliseconds ?? 0) - (before.first?.startMilliseconds ?? 0) - offset) <= 34)
    }
  }

  @Test func changedCuesAreEncodedAgain() throws {
    var changed = try input()
    changed.cues[0].text = "Ho"
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let added = try edit.addSubtitles(changed)
    let captions = try ReadCaptions(read(edit), track: added.trackID)
    let words = captions.fields[0].flatMap { [$0.first & 0x7F, $0.second & 0x7F] }
    #expect(words.contains(UInt8(ascii: "o")) && !words.contains(UInt8(ascii: "i")))
  }
}
