import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// A made-up kind of track: a sample for each beep, with its pitch in hertz.
private struct BeepTrack: GeneratedTrack {
  let id: UInt32
  let pitches: [UInt16]
  var facts: NewTrackFacts

  init(_ pitches: [UInt16], as template: TrackTemplate, id: UInt32) {
    (self.id, self.pitches, facts) = (id, pitches, template.facts)
    facts.durationInMovieTicks = template.movie.durationInMovieTicks
  }

  var mediaType: MediaType { .metadata }
  var formats: [FourCC] { ["beep"] }
  var labels: TrackLabels { TrackLabels(language: LanguageTag("en")) }
  var sampleData: [UInt8] { pitches.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] } }

  func media(at chunkOffset: UInt32, isInterleaved: Bool) -> NewTrackMedia {
    var entry = ByteWriter()
    entry.atom("beep") { $0.write([0, 0, 0, 0, 0, 0, 0, 1] as [UInt8]) }
    return NewTrackMedia(
      timeScale: 10, duration: UInt64(pitches.count), informationHeader: NullMediaHeader().atom("nmhd"),
      sampleEntries: [entry.bytes], sampleSizes: pitches.map { _ in 2 },
      durationRuns: [SampleDurationRun(sampleCount: UInt32(pitches.count), duration: 1)],
      chunks: [ChunkPlace(offset: UInt64(chunkOffset), sampleCount: UInt32(pitches.count))])
  }
}

extension MovieEdit {
  fileprivate mutating func addBeeps(_ pitches: [UInt16]) throws -> UInt32 {
    var template = TrackTemplate(self)
    return try addGeneratedTrack(&template) { BeepTrack(pitches, as: $0, id: $1) }
  }
}

/// A new kind of generated track needs nothing but its own type: labels, references, both strategies and sharing follow.
struct GeneratedTrackTests {
  @Test func writesATrackOfANewKind() throws {
    for dialect in [TestMovie.Dialect.quickTime, .iso] {
      let movie = TestMovie.talk.with { $0.dialect = dialect }
      let allowed = AllowedChanges().with { $0.addedTracks = [5] }
      for new in try movie.edited(
        allowing: allowed,
        {
          let id = try $0.addBeeps([440, 880])
          try $0.setTitle("Beeps", of: id)
          try $0.setLanguage(LanguageTag("pt-BR"), of: id)
          try $0.addCharacteristics([.easyToRead], to: id)
          try $0.link(id, to: 1, .metadataReferent)
        })
      {
        let track = try #require(new.track(5))
        #expect(track.formats == ["beep"] && track.samples.sampleCount == 2 && track.title == "Beeps")
        #expect(track.language == LanguageTag("pt-BR") && track.taggedCharacteristics == [.easyToRead])
        #expect(track.referenced("cdsc") == [1] && track.header.duration == new.header.duration)
      }
    }
  }

  @Test func sharesATrackOfANewKind() throws {
    let movie = TestMovie.talk.with { $0.dialect = .iso }
    for isFirst in [true, false] {
      var edit = try MovieEdit(of: movie.source)
      if !isFirst { try edit.prepareForSharing() }
      let id = try edit.addBeeps([440])
      if isFirst { try edit.prepareForSharing() }
      let new = try Movie(of: edit.plannedSource())
      #expect(new.track(id)?.formats == ["beep"] && new.track(id)?.header.creationTime == 0)
    }
  }

  /// The check encodes the track once more, and refuses a plan whose track has another sample or label.
  @Test func rejectsATrackOtherThanTheRequestedOne() throws {
    let movie = TestMovie.talk
    var edit = try MovieEdit(of: movie.source)
    let id = try edit.addBeeps([440, 880])
    try edit.setTitle("Beeps", of: id)
    var other = edit
    try other.setTitle("Beepz", of: id)
    var pitch = try MovieEdit(of: movie.source)
    let same = try pitch.addBeeps([440, 881])
    try pitch.setTitle("Beeps", of: same)
    let resolved = try edit.resolved(isInterleaved: false)
    for wrong in [other, pitch] {
      let plan = try wrong.outputPlan()
      #expect(throws: MovieError.self) {
        try PlanChecker.check(plan, of: resolved, strategy: .rewrite(OutputLayout()), source: movie.source)
      }
    }
    let plan = try edit.outputPlan()
    try PlanChecker.check(plan, of: resolved, strategy: .rewrite(OutputLayout()), source: movie.source)
  }
}
