package import MovieBox

// Metadata is copied from another movie in two steps. First, each item is copied unchanged in its own vocabulary. Then
// the facts of the copied items are mirrored: they are also set in the other vocabularies of this movie. Otherwise,
// these vocabularies would contradict the copied items.
extension MetadataChange {
  /// Copies items in their own vocabularies, and returns the items that were not copied.
  ///
  /// - Parameters:
  ///   - ownItems: the items of the movie, including items outside its movie atom.
  ///   - ids: the IDs of the tracks that the edit keeps.
  mutating func copy(
    _ all: [NewMetadataItem], beside ownItems: [MetadataItem], keeping ids: Set<UInt32>
  ) -> [NewMetadataItem] {
    // An edit cannot change items outside the movie atom. For each such item, one equal item of the other movie is
    // skipped.
    var itemsOutsideMovieAtom = Dictionary(
      ownItems.filter { $0.atomLocation.atom == nil }.map { (NewMetadataItem($0), 1) }, uniquingKeysWith: +)
    let new = all.filter { item in
      guard let count = itemsOutsideMovieAtom[item], count > 0 else { return true }
      itemsOutsideMovieAtom[item] = count - 1
      return false
    }
    let hasPacket = itemsOutsideMovieAtom.keys.contains { $0.identifier.space == .xmp }
    struct Subject: Hashable {
      let identifier: MetadataIdentifier
      let trackID: UInt32?
    }
    var keysByTrack: [UInt32?: Set<MetadataIdentifier>] = [:]
    let copiedItems = new.filter { item in
      guard item.isCopiable, item.trackID.map(ids.contains) ?? true, canContain(item) else { return false }
      guard !hasPacket || item.identifier.space != .xmp else { return false }
      guard item.needsKey, let list = keyList(ofTrack: item.trackID) else { return true }
      var newKeys = keysByTrack.removeValue(forKey: item.trackID) ?? addedKeys(to: list, ofTrack: item.trackID)
      let allowsKey = list.allowsKey(for: item.identifier, inAdditionTo: newKeys)
      if allowsKey, !list.keys.contains(item.identifier) { newKeys.insert(item.identifier) }
      keysByTrack[item.trackID] = newKeys
      return allowsKey
    }
    let items = index.items
    let changeable = items.indices.filter { canChange(items[$0], $0) }
    let old = Dictionary(grouping: changeable) { Subject(identifier: items[$0].identifier, trackID: items[$0].trackID) }
    let newItemsBySubject = Dictionary(grouping: copiedItems) {
      Subject(identifier: $0.identifier, trackID: $0.trackID)
    }
    edits.added.removeAll { newItemsBySubject[Subject(identifier: $0.identifier, trackID: $0.trackID)] != nil }
    if copiedItems.contains(where: { $0.trackID == nil && $0.identifier.common?.key == "location" }) {
      for number in locationDetails(ofTrack: nil).keys { edits.remove(number) }  // Copied details are added below.
    }
    var placedCounts: [Subject: Int] = [:]
    for (subject, new) in newItemsBySubject {
      // A changed item keeps its position in the movie if its form can store the new value.
      for number in old[subject] ?? [] {
        let next = placedCounts[subject, default: 0]
        guard next < new.count, new[next].hasForm(of: items[number]) else {
          edits.remove(number)
          continue
        }
        edits.replace(number, of: items, with: new[next].content, language: new[next].language)
        placedCounts[subject] = next + 1
      }
    }
    // The copied items that replaced no old item are added in their original order.
    for item in copiedItems {
      let subject = Subject(identifier: item.identifier, trackID: item.trackID)
      let remainingCount = placedCounts[subject, default: 0]
      if remainingCount > 0 { placedCounts[subject] = remainingCount - 1 } else { edits.additions.append(item) }
    }
    let copies = Set(copiedItems)
    return new.filter { !copies.contains($0) }
  }

  /// Sets the facts of copied items in all other items with these facts; see ``MovieEdit/mirrorFacts(of:)``.
  mutating func mirrorFacts(of importedItems: [MetadataItem], for sharing: SharingPolicy?) -> MirroredFacts {
    /// A fact or an identifier, in one language.
    struct Statement: Hashable {
      let fact: MetadataIdentifier
      let language: LanguageTag?
    }
    let decimalLocations = DecimalLocations(importedItems)
    let facts = importedItems.filter { $0.trackID == nil && !$0.isStructural && !$0.dependsOnDescription }.map {
      decimalLocations.withMostExactLocation($0)
    }
    let values = Dictionary(grouping: facts) { Statement(fact: $0.identifier, language: $0.language) }
    let copied = Set(facts.map(\.identifier))
    let factsWithoutLanguage = Set(facts.filter { $0.language == nil }.compactMap(\.identifier.common))
    let items = index.items
    let mine = items.indices.filter { number in
      items[number].trackID == nil && !items[number].isStructural && items[number].atomLocation.atom != nil
    }
    let mineByFact = Dictionary(grouping: mine) { items[$0].identifier.common }.mapValues { numbers in
      Dictionary(grouping: numbers) { items[$0].language }
    }
    let copiedSpaces = Dictionary(grouping: copied, by: \.common).mapValues { Set($0.map(\.space)) }
    var (known, result): (Set<Statement>, MirroredFacts) = ([], MirroredFacts())
    for item in facts {
      guard let fact = item.identifier.common, known.insert(Statement(fact: fact, language: item.language)).inserted
      else { continue }
      let own = identifiers(for: MetadataInput(fact, item.value), nil).filter { candidate in
        !(copiedSpaces[fact]?.contains(candidate.space) ?? false)
      }
      // Players prefer an item without a language, so an old item without a language would hide a new item in English.
      let replacesUnmarked = item.language != nil && !factsWithoutLanguage.contains(fact)
      let byLanguage = mineByFact[fact] ?? [:]
      var others = byLanguage[item.language] ?? []
      if item.language == nil {
        others += byLanguage.filter { $0.key?.language == "en" }.flatMap(\.value)
      } else if replacesUnmarked {
        others += byLanguage[nil] ?? []
      }
      others = others.sorted().filter { !copied.contains(items[$0].identifier) }
      let left = others.filter { number in
        let content = edits.content(of: items[number], at: number)  // This includes the changes made so far.
        return content.map { $0.value(of: items[number].identifier).stringValue != item.stringValue } ?? false
      }.map { items[$0].identifier }
      if fact.key == "software" {
        result.contradictions += left
        continue
      }
      let identifiers = Set(own + others.map { items[$0].identifier })
      for identifier in identifiers.sorted(by: { $0.description < $1.description }) {
        do throws(MovieError) {
          let same = values[Statement(fact: item.identifier, language: item.language)] ?? [item]
          if let writtenIdentifiers = try setValues(same.map(\.value), of: item, as: identifier, for: sharing) {
            result.identifiers += writtenIdentifiers
            for number in others where replacesUnmarked && items[number].identifier == identifier {
              if items[number].language == nil { edits.remove(number) }
            }
            continue
          }
        } catch {
          // The form of the item cannot store the value. For example, the form may require a date with a month and a
          // day.
        }
        if left.contains(identifier) { result.contradictions.append(identifier) }
      }
    }
    return result
  }

  /// Stores the values of an imported fact under `identifier`, which differs from the identifier of the imported
  /// `item`. If the vocabulary allows several values, adds one item for each value. Otherwise, joins the values into
  /// one text.
  ///
  /// Returns the identifiers of the items. Returns `nil` and changes nothing if the sharing policy would drop an item.
  /// The policy treats the new items like `item`.
  private mutating func setValues(
    _ all: [MetadataValue], of item: MetadataItem, as identifier: MetadataIdentifier, for sharing: SharingPolicy?
  ) throws(MovieError) -> [MetadataIdentifier]? {
    var values = all.withoutRepetition
    let texts = values.compactMap(\.stringValue)
    let isJoined = texts.count > 1 && !identifier.allowsSeveralValues
    if isJoined {
      values = [.text(texts.joined(separator: identifier.valueSeparator))]
    } else if texts.count > 1, identifier.common?.key == "keywords" {
      values = [.text(texts.flatMap { MetadataValue.keywords(in: $0) }.withoutRepetition.joined(separator: ", "))]
    }
    let inputs = values.map { MetadataInput(identifier, $0, language: item.language) }
    guard let first = inputs.first else { return [] }
    try requireWritable(first)
    var statement = try statement(of: first.normalized, nil, isExact: true)
    if identifier.allowsSeveralValues {
      for input in inputs.dropFirst() {
        try requireWritable(input)
        statement.added.append(try newItem(input.normalized, as: identifier, nil))
      }
      try requireAllowedKeys(for: statement.added)
    }
    if let sharing {
      let new = newItems(of: statement)
      let isImported = importedItems.contains(NewMetadataItem(item))
      let areAllKept = new.allSatisfy { new in
        sharing.decision(on: new.identifier, content: new.content, isCameraOriginal: !isImported).isKept
      }
      guard areAllKept else { return nil }
      derivedItems.formUnion(new)
      if isImported { importedItems.formUnion(new) }
    }
    apply(statement)
    if isJoined {
      reportJoinedValues(identifier)
      if all.withoutRepetition.count > texts.count { report(.onlyTextsWritten(to: identifier)) }
    } else if values.count > 1, !identifier.allowsSeveralValues {
      report(.onlyFirstValueWritten(to: identifier))
    }
    return statement.identifiers
  }

  /// Reports that several values were joined into one text.
  mutating func reportJoinedValues(_ identifier: MetadataIdentifier) { report(.valuesJoined(in: identifier)) }
}

extension NewMetadataItem {
  /// Returns whether the item can replace the value of an old item, so that the old item keeps its position.
  ///
  /// A typed item can replace only a typed item, and an untyped item only an untyped item. Typed values of one iTunes
  /// item share its name, so the names must be equal.
  fileprivate func hasForm(of old: MetadataItem) -> Bool {
    guard old.typeCode != nil else { return content.typeCode == nil }
    return content.typeCode != nil && content.details["name"] == old.details["name"]
  }
}

extension MetadataIdentifier {
  /// Whether an item with this identifier can contain several values, such as several artists.
  var allowsSeveralValues: Bool { space == .iTunes || space == .iTunesLongForm }

  /// The separator between values that are joined into one text.
  var valueSeparator: String { common?.key == "keywords" ? ", " : MetadataValue.listSeparator }
}

/// The result of mirroring the facts of copied items.
package struct MirroredFacts {
  /// The identifiers of the items that now contain the facts.
  package var identifiers: [MetadataIdentifier] = []
  /// The identifiers of items that contradict the facts but were left unchanged.
  package var contradictions: [MetadataIdentifier] = []
}

// A conversion keeps the movie's items, and mirrors their facts as added items in the vocabularies of the new type.
extension MetadataChange {
  /// Returns the notice that lists the facts that the conversion added, or `nil` if it added none.
  func mirroredItemsNotice(of conversion: ConvertedMovie) -> EditNotice? {
    let mirrored = Set(conversion.metadata.added)
    let facts = edits.added.filter(mirrored.contains).compactMap { $0.identifier.common?.key }.withoutRepetition
    return facts.isEmpty ? nil : .metadataMirrored(facts, conversion.type)
  }

  /// Drops the items that the conversion added for a fact if all other items of this fact are dropped.
  ///
  /// - Parameters:
  ///   - isLeftOut: whether an item of the movie is dropped.
  ///   - mayKeep: whether an added item may be kept. Otherwise, the item is dropped in any case.
  mutating func dropMirroredItems(
    of conversion: ConvertedMovie, where isLeftOut: (MetadataItem) -> Bool, unless mayKeep: (NewMetadataItem) -> Bool
  ) {
    guard !conversion.metadata.added.isEmpty else { return }
    // Items that the caller removed. Items that the conversion removed because the new type cannot store them are
    // excluded.
    let removedByEdit = edits.removed.subtracting(conversion.metadata.removed)
    let sources = index.items.enumerated().filter { $1.trackID == nil && $1.identifier.common != nil }
    let mirrored = Set(conversion.metadata.added)
    edits.added.removeAll { new in
      guard mirrored.contains(new) else { return false }
      let sourceItems = sources.filter { $1.identifier.common == new.identifier.common }
      return !mayKeep(new)
        || !sourceItems.isEmpty && sourceItems.allSatisfy { removedByEdit.contains($0) || isLeftOut($1) }
    }
  }
}
