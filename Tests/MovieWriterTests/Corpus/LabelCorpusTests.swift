import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Changes language, title, tag and enabled flag of the last track of every real movie. The second reader finds no other
/// change, in place and in a new file.
@Suite struct LabelCorpusTests {
  private func change(_ edit: inout MovieEdit, _ id: UInt32) throws {
    try edit.setLanguage(LanguageTag("pt-BR"), of: id)
    try edit.setTitle("Título", of: id)
    try edit.addCharacteristics([.auxiliaryContent], to: id)
    try edit.setEnabled(false, of: id)
  }

  private func check(_ bytes: [UInt8], _ name: String) throws {
    let source = MemorySource(Bytes(bytes))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    guard let id = edit.tracks.last?.id, edit.tracks.count(where: { $0.id == id }) == 1 else { return }
    try change(&edit, id)
    let paths = Set(
      [
        "mdia/mdhd", "mdia/elng", "txas", "udta", "udta/name", "udta/tnam", "udta/titl", "udta/©nam", "udta/tagc",
        "udta/kind",
      ]
      .map { "moov/trak#\(id)/\($0)" })
    let allowed = AllowedChanges().with {
      $0.regroupedTracks = [id]
      ($0.addedAtoms, $0.changedAtoms) = (paths, paths.filter { !$0.hasSuffix("/udta") })
      $0.removedAtoms = $0.changedAtoms
    }
    try edit.forEachOutput(source, allowing: allowed, name) { movie in
      let track = try #require(movie.track(id))
      #expect(track.language == LanguageTag("pt-BR") && track.title == "Título" && !track.isEnabled, "\(name)")
      #expect(track.taggedCharacteristics.contains(.auxiliaryContent), "\(name)")
    }
  }

  @Test(.timeLimit(.minutes(5))) func changesOnlyLabelsOfTheLastTrackInRealMovies() throws {
    let count = try Corpus.require().forEachEditable { bytes, name in try check(bytes, name) }
    print("\(count) movies from the wild got another language, title and tag")
    #expect(count > 0)
  }

  @Test(arguments: ReadyMovies.built) func changesOnlyLabelsOfTheLastTrackInBuiltMovies(
    _ built: ReadyMovies.Built
  ) throws {
    try check(built.movie.bytes(), built.description)
  }
}
