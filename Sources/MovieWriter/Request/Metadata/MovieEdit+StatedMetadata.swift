package import MovieBox

// What items of a movie say as the edit stands, and what belongs to others.
extension MovieEdit {
  /// Whether an item of iTunes' loses the name of the file that its picture was: where all its values go.
  func losesName(_ item: MetadataItem, ofValues numbers: [Int], of items: [MetadataItem]) -> Bool {
    guard item.typeCode != nil, item.details["name"] != nil, let atom = item.place.atom else { return false }
    let others = items.indices.filter { items[$0].place.atom.map { movie.tree[$0].parent } == movie.tree[atom].parent }
    return Set(others).isSubset(of: numbers)
  }

  /// What QuickTime metadata says of the place beside the place, such as its name and how exact it is, and this edit has
  /// not stated; by the numbers of the items.
  package func detailsOfPlace(ofTrack trackID: UInt32?) -> [Int: MetadataIdentifier] {
    let found = movie.metadata.enumerated().filter { number, item in
      item.trackID == trackID && item.identifier.isDetailOfPlace && canChange(item, number, [])
        && metadataChanges.replaced[number] == nil
    }
    return Dictionary(found.map { ($0, $1.identifier) }) { first, _ in first }
  }

  /// The keywords that a movie or a track has in the language of others that come.
  func statedKeywords(beside input: MetadataInput, _ trackID: UInt32?) -> [String] {
    guard input.identifier.common?.key == "keywords" else { return [] }
    var stated: [(language: LanguageTag?, text: String?)] = []
    for (number, item) in movie.metadata.enumerated()
    where item.trackID == trackID && item.identifier.common?.key == "keywords" {
      let content = metadataChanges.content(of: item, number: number)
      stated.append(
        (metadataChanges.language(of: item, number: number), content?.value(of: item.identifier).stringValue))
    }
    for item in metadataChanges.added where item.trackID == trackID && item.identifier.common?.key == "keywords" {
      stated.append((item.language, item.content.value(of: item.identifier).stringValue))
    }
    let language = input.language?.ifDetermined
    var meant = stated.filter { $0.language == language }
    if meant.isEmpty, language == nil { meant = stated.filter { $0.language?.language == "en" } }
    return meant.flatMap { MetadataValue.keywords(in: $0.text ?? "") }.withoutRepetition
  }

  /// The items that the edit takes out, but for those for which the type has no place.
  package var removedMetadata: [MetadataItem] {
    let gone = metadataChanges.removed.subtracting(conversion?.metadata.removed ?? [])
    let items = movie.metadata
    return gone.sorted().map { items[$0] }
  }

  /// Whether the edit has an item of the movie say something.
  package func statesMetadata(_ number: Int) -> Bool { metadataChanges.replaced[number] != nil }
}
