import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Sets a title, a location, a comment and an unknown item in every real movie. The second reader finds no other change,
/// in place and in a new file, and every other item keeps its bytes.
@Suite struct MetadataCorpusTests {
  /// The facts that are set, added and removed.
  private static let facts: Set<String> = [
    "common/title", "common/location", "udta/%A9cmt", "mdta/com.example.id", "common/copyrights",
  ]

  private func change(_ edit: inout MovieEdit) throws {
    let title = try #require(MetadataInput("common/title", "Ünïque", language: LanguageTag("en")))
    try edit.setMetadata(title)
    try edit.setMetadata(
      #require(MetadataInput("common/location", "+10.00000-020.00000/", language: LanguageTag("en"))))
    try edit.addMetadata(#require(MetadataInput("udta/©cmt", "hello")))
    let id = try #require(MetadataIdentifier("mdta/com.example.id"))
    try edit.setMetadata(MetadataInput(id, .integer(-7), typeCode: 67))
    edit.removeMetadata(matching: "common/copyrights", ofTrack: nil)
  }

  /// An item without its position.
  private struct Fact: Hashable {
    let identifier: MetadataIdentifier
    let trackID: UInt32?
    let content: MetadataContent
  }

  /// Returns the number of occurrences of each unchanged item.
  private func otherFacts(_ movie: Movie) -> [Fact: Int] {
    var counts: [Fact: Int] = [:]
    for item in movie.metadata {
      let isChanged = [item.identifier.description, item.identifier.common?.description]
        .contains { $0.map(Self.facts.contains) ?? false }
      // Details of the old location are removed with it.
      let isOfPlace = item.identifier.description.hasPrefix("mdta/com.apple.quicktime.location.")
      guard !isChanged && !isOfPlace || item.isStructural else { continue }
      counts[Fact(identifier: item.identifier, trackID: item.trackID, content: MetadataContent(item)), default: 0] += 1
    }
    return counts
  }

  /// Returns the changes allowed for the edit.
  private func allowed(_ movie: Movie) -> AllowedChanges {
    let spellings = Self.facts.flatMap {
      MetadataIdentifier($0).map { $0.space == .common ? $0.spellings : [$0] } ?? []
    }
    let types = spellings.compactMap { $0.type?.description }
    let lists = ["ilst", "keys", "ID32"].flatMap { ["moov/meta/\($0)", "moov/udta/meta/\($0)"] }
    let tracks = movie.tracks.flatMap { track in
      types.map { "moov/trak#\(track.id)/udta/\($0)" }
    }
    let paths = Set(types.map { "moov/udta/\($0)" } + lists + tracks + ["moov/udta", "moov/meta", "moov/udta/meta"])
    return AllowedChanges().with {
      ($0.addedAtoms, $0.changedAtoms, $0.removedAtoms) = (paths, paths, paths)
    }
  }

  private func check(_ bytes: [UInt8], _ name: String) throws {
    let source = MemorySource(Bytes(bytes))
    let movie = try Movie(of: source)
    var edit = try MovieEdit(of: movie, from: source)
    try change(&edit)
    try edit.forEachOutput(source, allowing: allowed(movie), name) { edited in
      #expect(otherFacts(edited) == otherFacts(movie), "\(name)")
      let items = edited.metadata.filter { $0.trackID == nil }
      #expect(items.matching("common/title").contains { $0.stringValue == "Ünïque" }, "\(name)")
      #expect(items.matching("common/location").contains { $0.locationValue?.longitude == -20 }, "\(name)")
      #expect(items.matching("mdta/com.example.id").map(\.value) == [.integer(-7)], "\(name)")
      #expect(edited.metadata.matching("common/copyrights").allSatisfy { $0.isStructural }, "\(name)")
    }
  }

  @Test(.timeLimit(.minutes(5))) func changesOnlyMetadataOfRealMovies() throws {
    let count = try Corpus.require().forEachEditable { bytes, name in try check(bytes, name) }
    print("\(count) movies from the wild got another title, a place and a comment")
    #expect(count > 0)
  }

  @Test(arguments: ReadyMovies.built) func changesOnlyMetadataOfBuiltMovies(_ built: ReadyMovies.Built) throws {
    try check(built.movie.bytes(), built.description)
  }
}
