package import MovieBox

// What items of a movie say as the edit stands, and what belongs to others.
extension MovieEdit {
  /// Whether an item of iTunes' loses the name of the file that its picture was: where all its values go.
  func losesName(_ item: MetadataItem, ofValues numbers: [Int]) -> Bool {
    guard item.typeCode != nil, item.details["name"] != nil,
      let parent = item.place.atom.flatMap({ movie.tree[$0].parent })
    else { return false }
    return Set(metadataIndex.numbers(in: parent)).isSubset(of: numbers)
  }

  /// What QuickTime metadata says of the place beside the place, such as its name and how exact it is, and this edit has
  /// not stated; by the numbers of the items.
  package func detailsOfPlace(ofTrack trackID: UInt32?) -> [Int: MetadataIdentifier] {
    let items = metadataIndex.items
    let found = metadataIndex.detailsOfPlace.filter { number in
      items[number].trackID == trackID && metadataChanges.replaced[number] == nil
        && canChange(items[number], number)
    }
    return Dictionary(found.map { ($0, items[$0].identifier) }) { first, _ in first }
  }

  /// The keywords that a movie or a track has in the language of others that come.
  func statedKeywords(beside input: MetadataInput, _ trackID: UInt32?) -> [String] {
    guard input.identifier.common?.key == "keywords" else { return [] }
    var stated: [(language: LanguageTag?, text: String?)] = []
    let keywords = MetadataIdentifier(.common, key: "keywords")
    for number in metadataIndex.numbers(of: keywords) where metadataIndex.items[number].trackID == trackID {
      let item = metadataIndex.items[number]
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
    let gone = metadataChanges.removed.subtracting(stages.converted?.metadata.removed ?? [])
    let items = metadataIndex.items
    return gone.sorted().map { items[$0] }
  }

  /// Whether the edit has an item of the movie say something.
  package func statesMetadata(_ number: Int) -> Bool { metadataChanges.replaced[number] != nil }
}
