public import MovieBox

// Facts of another movie.
extension MovieEdit {
  /// Takes the facts of another movie over: items of the same identifiers say what they say there, all others stay.
  ///
  /// Items are taken as they stand, in the vocabulary that they are in; what they say of the movie is stated in the
  /// vocabularies of its type too, as ``setMetadata(_:ofTrack:isExact:)`` does. Those about tracks are taken where this
  /// movie has a track of the same ID. Gives what was left out: lists of chapters, titles and tags of tracks, those of
  /// tracks that are not there, frames of ID3 that are compressed or encrypted, or have no place; and, in an edit that
  /// ``prepareForSharing(keeping:dropping:keepsDates:)`` has prepared, what would not stay in the other movie either.
  ///
  /// `items` are what the other movie says, all of it or some; whether that is a camera's own, which a movie for sharing
  /// asks, is judged by these items alone. `own` is what this movie says, beside its movie atom too
  /// (``/MovieBox/Movie/metadata(from:)``): what stands there already is not added again, and XMP beside other XMP is
  /// left out.
  @discardableResult
  public mutating func takeMetadata(_ items: [MetadataItem], beside own: [MetadataItem] = []) -> [MetadataItem] {
    let new = items.map { NewMetadataItem($0) }
    let stay = shareable(among: new).stay
    let left = Set(takeMetadata(stay, beside: own)).union(Set(new).subtracting(stay))
    stateFacts(of: zip(items, new).filter { !left.contains($1) }.map(\.0))
    return zip(items, new).filter { left.contains($1) }.map(\.0)
  }

  /// Takes items over as they stand, whichever way they came; gives what was left out.
  package mutating func takeMetadata(
    _ all: [NewMetadataItem], beside own: [MetadataItem] = []
  ) -> [NewMetadataItem] {
    // No edit changes what stands beside the movie atom; of an item that is there twice, one may be there.
    var standing = Dictionary(own.filter { $0.place.atom == nil }.map { (NewMetadataItem($0), 1) }, uniquingKeysWith: +)
    let new = all.filter { item in
      guard let count = standing[item], count > 0 else { return true }
      standing[item] = count - 1
      return false
    }
    let hasPacket = standing.keys.contains { $0.identifier.space == .xmp }
    struct Subject: Hashable {
      let identifier: MetadataIdentifier
      let trackID: UInt32?
    }
    let ids = Set(tracks.compactMap { $0.old?.id })
    var coming: [UInt32?: Set<MetadataIdentifier>] = [:]
    let taken = new.filter { item in
      guard item.isTaken, item.trackID.map(ids.contains) ?? true, hasPlace(item) else { return false }
      guard !hasPacket || item.identifier.space != .xmp else { return false }
      guard item.needsKey, let list = keyList(ofTrack: item.trackID) else { return true }
      var others = coming.removeValue(forKey: item.trackID) ?? addedKeys(to: list, ofTrack: item.trackID)
      let hasRoom = list.hasRoom(for: item.identifier, beside: others)
      if hasRoom, !list.keys.contains(item.identifier) { others.insert(item.identifier) }
      coming[item.trackID] = others
      return hasRoom
    }
    let items = metadataIndex.items
    let changeable = items.indices.filter { canChange(items[$0], $0) }
    let old = Dictionary(grouping: changeable) { Subject(identifier: items[$0].identifier, trackID: items[$0].trackID) }
    let wanted = Dictionary(grouping: taken) { Subject(identifier: $0.identifier, trackID: $0.trackID) }
    metadataChanges.added.removeAll { wanted[Subject(identifier: $0.identifier, trackID: $0.trackID)] != nil }
    if taken.contains(where: { $0.trackID == nil && $0.identifier.common?.key == "location" }) {
      for number in detailsOfPlace(ofTrack: nil).keys { metadataChanges.remove(number) }  // Unless they come too.
    }
    var placed: [Subject: Int] = [:]
    for (subject, new) in wanted {
      // An item keeps its place where its form can hold what comes.
      for number in old[subject] ?? [] {
        let next = placed[subject, default: 0]
        guard next < new.count, new[next].hasForm(of: items[number]) else {
          metadataChanges.remove(number)
          continue
        }
        metadataChanges.replace(number, of: items, with: new[next].content, language: new[next].language)
        placed[subject] = next + 1
      }
    }
    // In the order in which they came.
    for item in taken {
      let subject = Subject(identifier: item.identifier, trackID: item.trackID)
      let left = placed[subject, default: 0]
      if left > 0 { placed[subject] = left - 1 } else { metadataChanges.additions.append(item) }
    }
    let known = Set(taken)
    return new.filter { !known.contains($0) }
  }

  /// What comes of stating in other words what was taken over.
  package struct RestatedFacts {
    /// The identifiers of the items that say it too.
    package var stated: [MetadataIdentifier] = []
    /// The identifiers of items that state the same facts otherwise, and stay.
    package var left: [MetadataIdentifier] = []
  }

  /// Has the vocabularies of the type of the movie say what items say that were taken over, and the other spellings of
  /// the same facts that the movie has. What is said in a language alone takes the place of the same fact in none.
  ///
  /// The first item of a fact in a language counts, with all its values. Software is not stated otherwise: the items that
  /// the movie has say what encoded its samples.
  @discardableResult
  package mutating func stateFacts(of taken: [MetadataItem]) -> RestatedFacts {
    /// A fact, or an identifier, in a language.
    struct Statement: Hashable {
      let fact: MetadataIdentifier
      let language: LanguageTag?
    }
    let places = StatedPlaces(taken)
    let facts = taken.filter { $0.trackID == nil && !$0.isStructure && !$0.isDescribed }.map { places.exact($0) }
    let values = Dictionary(grouping: facts) { Statement(fact: $0.identifier, language: $0.language) }
    let copied = Set(facts.map(\.identifier))
    let inNoLanguage = Set(facts.filter { $0.language == nil }.compactMap(\.identifier.common))
    let items = metadataIndex.items
    let mine = items.indices.filter { number in
      items[number].trackID == nil && !items[number].isStructure && items[number].place.atom != nil
    }
    let mineByFact = Dictionary(grouping: mine) { items[$0].identifier.common }.mapValues { numbers in
      Dictionary(grouping: numbers) { items[$0].language }
    }
    let copiedSpaces = Dictionary(grouping: copied, by: \.common).mapValues { Set($0.map(\.space)) }
    var (known, result): (Set<Statement>, RestatedFacts) = ([], RestatedFacts())
    for item in facts {
      guard let fact = item.identifier.common, known.insert(Statement(fact: fact, language: item.language)).inserted
      else { continue }
      let own = wantedSpellings(of: MetadataInput(fact, item.value), nil).filter { wanted in
        !(copiedSpaces[fact]?.contains(wanted.space) ?? false)
      }
      // Players show an item without a language first: an old one would hide a new one in English.
      let replacesUnmarked = item.language != nil && !inNoLanguage.contains(fact)
      let byLanguage = mineByFact[fact] ?? [:]
      var others = byLanguage[item.language] ?? []
      if item.language == nil {
        others += byLanguage.filter { $0.key?.language == "en" }.flatMap(\.value)
      } else if replacesUnmarked {
        others += byLanguage[nil] ?? []
      }
      others = others.sorted().filter { !copied.contains(items[$0].identifier) }
      let left = others.filter { number in
        let content = metadataChanges.content(of: items[number], number: number)  // As the edit stands.
        return content.map { $0.value(of: items[number].identifier).stringValue != item.stringValue } ?? false
      }.map { items[$0].identifier }
      if fact.key == "software" {
        result.left += left
        continue
      }
      let identifiers = Set(own + others.map { items[$0].identifier })
      for identifier in identifiers.sorted(by: { $0.description < $1.description }) {
        do throws(MovieError) {
          let same = values[Statement(fact: item.identifier, language: item.language)] ?? [item]
          if let stated = try state(same.map(\.value), of: item, as: identifier) {
            result.stated += stated
            for number in others where replacesUnmarked && items[number].identifier == identifier {
              if items[number].language == nil { metadataChanges.remove(number) }
            }
            continue
          }
        } catch {
          // Its form cannot say this, such as a year that is no date.
        }
        if left.contains(identifier) { result.left.append(identifier) }
      }
    }
    return result
  }

  /// States the values of an item's fact as items of another identifier: one item for each value if the vocabulary
  /// allows several, otherwise one text.
  ///
  /// Returns `nil`, and states nothing, if the movie is prepared for sharing and the sharing policy would drop an item.
  /// The policy judges the items as it judges `item`.
  private mutating func state(
    _ all: [MetadataValue], of item: MetadataItem, as identifier: MetadataIdentifier
  ) throws(MovieError) -> [MetadataIdentifier]? {
    var values = all.withoutRepetition
    let texts = values.compactMap(\.stringValue)
    let isJoined = texts.count > 1 && !identifier.hasSeveralValues
    if isJoined {
      values = [.text(texts.joined(separator: identifier.valueSeparator))]
    } else if texts.count > 1, identifier.common?.key == "keywords" {
      values = [.text(texts.flatMap { MetadataValue.keywords(in: $0) }.withoutRepetition.joined(separator: ", "))]
    }
    let inputs = values.map { MetadataInput(identifier, $0, language: item.language) }
    guard let first = inputs.first else { return [] }
    try requireWritable(first)
    var statement = try statement(of: first.inOneSpelling, nil, isExact: true)
    if identifier.hasSeveralValues {
      for input in inputs.dropFirst() {
        try requireWritable(input)
        statement.added.append(try newItem(input.inOneSpelling, as: identifier, nil))
      }
      try requireRoom(for: statement.added)
    }
    if let sharing {
      let new = newItems(of: statement)
      let isOfOtherWork = itemsOfOtherWorks.contains(NewMetadataItem(item))
      let allStay = new.allSatisfy { new in
        sharing.decision(on: new.identifier, saying: new.content, isCameraOriginal: !isOfOtherWork).stays
      }
      guard allStay else { return nil }
      itemsNotOfCaller.formUnion(new)
      if isOfOtherWork { itemsOfOtherWorks.formUnion(new) }
    }
    apply(statement)
    if isJoined {
      noteJoined(identifier)
      if all.withoutRepetition.count > texts.count { noteTexts(identifier) }
    } else if values.count > 1, !identifier.hasSeveralValues {
      noteFirst(identifier)
    }
    return statement.identifiers
  }

  /// Says that several values became one text.
  mutating func noteJoined(_ identifier: MetadataIdentifier) {
    let note = EditNotice(
      .valuesJoined,
      "the values of \(identifier.common?.key ?? identifier.key) are one text in \(identifier), which holds one alone")
    if !ownNotes.contains(note) { ownNotes.append(note) }
  }
}

extension MovieEdit {
  /// Says that of several values that are no texts, such as covers, the first is stated.
  private mutating func noteFirst(_ identifier: MetadataIdentifier) {
    let fact = identifier.common?.key ?? identifier.key
    let note = EditNotice(
      .leftOut, "of the values of \(fact) the first alone is in \(identifier), which holds one")
    if !ownNotes.contains(note) { ownNotes.append(note) }
  }

  /// Says that of several values the texts are stated, and no others, such as covers.
  private mutating func noteTexts(_ identifier: MetadataIdentifier) {
    let fact = identifier.common?.key ?? identifier.key
    let note = EditNotice(.leftOut, "of the values of \(fact) the texts alone are in \(identifier)")
    if !ownNotes.contains(note) { ownNotes.append(note) }
  }
}

extension NewMetadataItem {
  /// Whether it can take the place of another: the form of an item has types or not, and the name of an item of iTunes'
  /// is that of all its values.
  fileprivate func hasForm(of old: MetadataItem) -> Bool {
    guard old.typeCode != nil else { return content.typeCode == nil }
    return content.typeCode != nil && content.details["name"] == old.details["name"]
  }
}

extension MetadataIdentifier {
  /// Whether items have several values where one states several: artists, say.
  var hasSeveralValues: Bool { space == .iTunes || space == .iTunesLongForm }

  /// What stands between values that are one text.
  var valueSeparator: String { common?.key == "keywords" ? ", " : MetadataValue.listSeparator }
}
