import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// If an edit requests the change of a label, the checker allows only that change.
struct PlanCheckerLabelTests {
  private let movie = TestMovie.talk.with {
    $0.dialect = .iso
    $0.tracks[3].extendedLanguage = "es-419"
    $0.tracks[3].userData = TestSupport.movie {
      atom("name") { text("Old") }
      atom("tagc") { text("public.easy-to-read") }
      atom("XXXX") { text("kept") }
    }
  }

  private func spoil(
    _ path: String, byte: Int, _ reason: String, at location: SourceLocation = #_sourceLocation,
    _ change: (inout MovieEdit) throws -> Void
  ) throws {
    let source = movie.source
    var edit = try MovieEdit(of: source)
    try change(&edit)
    let resolved = try edit.resolved(isInterleaved: false)
    let plan = try edit.outputPlan(of: source)
    let bytes = try plan.rendered(from: source)
    let atom = try #require(try SecondReader(bytes).atom(path), sourceLocation: location)
    let place = Int(byte < 0 ? atom.end : atom.offset) + byte
    let spoiled = try plan.spoiled(UInt64(place)..<UInt64(place + 1), with: [bytes[place] ^ 1])
    #expect(sourceLocation: location) {
      try PlanChecker.check(spoiled, of: resolved, strategy: .rewrite(OutputLayout()), source: source)
    } throws: { error in
      isMovieError(error, .planCheckFailed) && (error as? MovieError)?.reason.contains(reason) == true
    }
  }

  private func changeAll(_ edit: inout MovieEdit) throws {
    try edit.setLanguage(LanguageTag("pt-BR"), of: 4)
    try edit.setTitle("New", of: 4)
    try edit.setRole(.sdh, of: 4)
    try edit.setContainsOnlyForcedSubtitles(true, of: 4)
  }

  @Test func detectsUnrequestedChanges() throws {
    let trak = "moov/trak#4"
    try spoil(trak + "/mdia/mdhd", byte: 8 + 15, "more than the language", changeAll)
    try spoil(trak + "/mdia/minf/stbl/stsd", byte: -1, "more than the flags of forced", changeAll)
    try spoil(trak + "/mdia/minf/stbl/stsd", byte: 8 + 8 + 16 + 3, "more than the flags of forced", changeAll)
    try spoil(trak + "/udta/XXXX", byte: -1, "its bytes changed", changeAll)
    try spoil(trak + "/tkhd", byte: -1, "its bytes changed", changeAll)
    // The label of another track.
    try spoil("moov/trak#2/mdia/mdhd", byte: 8 + 21, "its bytes changed", changeAll)
  }

  @Test func detectsLabelsThatDifferFromTheRequest() throws {
    let trak = "moov/trak#4"
    let reason = "does not have the requested labels"
    try spoil(trak + "/mdia/elng", byte: 8 + 4, reason, changeAll)
    try spoil(trak + "/udta/tnam", byte: -2, reason, changeAll)
    try spoil(trak + "/udta/tagc", byte: -1, reason, changeAll)
    try spoil(trak + "/udta/kind", byte: -2, reason, changeAll)
    try spoil(trak + "/mdia/minf/stbl/stsd", byte: 8 + 8 + 16, "", changeAll)
  }

  @Test func detectsUnrequestedLabels() throws {
    try spoil("moov/trak#4/udta/tagc", byte: -1, "its bytes changed") { try $0.setTitle("New", of: 4) }
    try spoil("moov/trak#4/mdia/elng", byte: -2, "its bytes changed") { try $0.setTitle("New", of: 4) }
    try spoil("moov/trak#4/udta/name", byte: -1, "its bytes changed") { try $0.setRole(.sdh, of: 4) }
  }
}
