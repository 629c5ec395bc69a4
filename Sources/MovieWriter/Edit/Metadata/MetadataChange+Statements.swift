import MovieBox

// Several items in several vocabularies may contain the same fact. Setting the fact changes all these items. All
// changes are planned as a `Statement` before any change is made, so that nothing changes if one item cannot store the
// fact.
extension MetadataChange {
  /// The planned changes that set a fact.
  struct Statement {
    /// The changes to the items with one identifier in one container.
    struct Change {
      /// The index and new content of the first item, or `nil` if that item is removed as well.
      var replaced: (number: Int, content: MetadataContent)?
      /// The indices of the removed items.
      var removed: [Int]
    }

    var changes: [Change] = []
    var added: [NewMetadataItem] = []
    /// The identifiers of all items that contain the fact after these changes.
    var identifiers: [MetadataIdentifier] = []

    /// The language of the items, or `nil` if they apply to all languages.
    fileprivate let language: LanguageTag?
    fileprivate let trackID: UInt32?
    /// The added items of earlier requests that the statement replaces. They have one of these identifiers or this
    /// fact.
    fileprivate var superseded: (identifiers: [MetadataIdentifier], fact: MetadataIdentifier?) = ([], nil)

    fileprivate init(_ language: LanguageTag?, ofTrack trackID: UInt32?) {
      (self.language, self.trackID) = (language, trackID)
    }
  }

  /// Makes the changes of a statement. It never fails, so that a fact is set either in all items or in none.
  mutating func apply(_ statement: Statement) {
    edits.additions.remove(
      statement.superseded.identifiers, ofFact: statement.superseded.fact, language: statement.language,
      ofTrack: statement.trackID)
    for change in statement.changes {
      for number in change.removed { edits.remove(number) }
      guard let (number, content) = change.replaced else { continue }
      edits.replace(number, of: index.items, with: content, language: statement.language)
    }
    for item in statement.added { edits.additions.append(item) }
  }

  /// Returns the items of a statement that neither the movie nor the edit contains yet.
  func newItems(of statement: Statement) -> [NewMetadataItem] {
    let items = index.items
    let replacements = statement.changes.compactMap { change -> NewMetadataItem? in
      guard let (number, content) = change.replaced, content != MetadataContent(items[number]),
        edits.replaced[number] != .init(content: content, language: statement.language)
      else { return nil }
      return NewMetadataItem(
        items[number].identifier, content, language: statement.language, trackID: statement.trackID)
    }
    return replacements + statement.added.filter { !edits.additions.contains($0) }
  }

  /// Returns the changes that set a fact, without making them.
  ///
  /// Looks up each identifier once, and visits each item that contains the fact in the language.
  mutating func statement(
    of input: MetadataInput, _ trackID: UInt32?, isExact: Bool
  ) throws(MovieError) -> Statement {
    try requireOneFrame(input, trackID)
    let targetIdentifiers = identifiers(for: input, trackID)
    // `gnre` contains a number from iTunes' list of genres. Items with other identifiers contain the genre as text, so
    // setting `gnre` does not change them.
    let fact = isExact || input.identifier.type == "gnre" ? nil : input.identifier.common
    let language = input.language?.ifDetermined
    var statement = Statement(language, ofTrack: trackID)
    for numbers in groupedItemNumbers(targetIdentifiers, ofFact: fact, input, trackID) {
      let matching = itemsInLanguage(of: input, among: numbers)
      guard let first = matching.first else { continue }
      let old = index.items[first]
      if var content = content(input, for: old.identifier, replacing: old, at: first) {
        if content.bytes != old.bytes, losesName(old, ofValues: matching) { content.details["name"] = nil }
        statement.changes.append(.init(replaced: (first, content), removed: Array(matching.dropFirst())))
        statement.identifiers.append(old.identifier)
      } else {
        // An item that cannot store the value (such as `gnre` for a genre without a number) would contradict the other
        // items.
        if old.identifier == input.identifier { throw refusal(of: input, for: old.identifier) }
        statement.changes.append(.init(removed: matching))
      }
    }
    // Items that earlier requests added also receive the new value.
    let before = edits.additions.identifiers(targetIdentifiers, ofFact: fact, language: language, ofTrack: trackID)
    let otherIdentifiers = Set(before).subtracting(statement.identifiers).subtracting(targetIdentifiers)
      .sorted { $0.description < $1.description }
    for identifier in otherIdentifiers + targetIdentifiers.withoutRepetition
    where !statement.identifiers.contains(identifier) {
      statement.added.append(try newItem(input, as: identifier, trackID))
      statement.identifiers.append(identifier)
    }
    guard !statement.identifiers.isEmpty else {
      throw MovieError(
        .invalidEdit, "\(input.identifier) has no equivalent in the metadata vocabularies of this type of movie")
    }
    try requireAllowedKeys(for: statement.added)
    statement.identifiers = statement.identifiers.withoutRepetition
    statement.superseded = (targetIdentifiers, fact)
    return statement
  }

  /// The key of items with one identifier in one container.
  private struct ItemKey: Hashable {
    let identifier: MetadataIdentifier
    let container: Int?
  }

  /// Returns the `ilst` or `udta` that contains an item.
  private func container(of item: MetadataItem) -> Int? {
    let parent = item.atomLocation.atom.flatMap { movie.tree[$0].parent }
    return item.typeCode == nil ? parent : parent.flatMap { movie.tree[$0].parent }
  }

  /// Returns the indices of the items that may contain the fact in the input's language, grouped by identifier and
  /// container.
  private func groupedItemNumbers(
    _ targetIdentifiers: [MetadataIdentifier], ofFact fact: MetadataIdentifier?, _ input: MetadataInput,
    _ trackID: UInt32?
  ) -> [[Int]] {
    let (index, items) = (index, index.items)
    var candidates: Set<Int> = []
    for subject in targetIdentifiers + (fact.map { [$0] } ?? []) {
      // An input without a language may apply to English items; see `itemsInLanguage`.
      let languages = [input.language?.ifDetermined] + (input.language == nil ? [LanguageTag("en")] : [])
      for language in languages {
        candidates.formUnion(index.indices(of: subject, language: language, ofTrack: trackID))
      }
      candidates.formUnion((edits.itemsWithNewLanguage[subject] ?? []).filter { items[$0].trackID == trackID })
    }
    var itemsByPlace: [ItemKey: [Int]] = [:]
    var inOrder: [ItemKey] = []
    for number in candidates.sorted() where canChange(items[number], number) {
      let item = items[number]
      guard !item.dependsOnDescription || item.identifier == input.identifier && item.identifier.isUserDefinedFrame
      else {
        continue
      }
      let place = ItemKey(identifier: item.identifier, container: container(of: item))
      if itemsByPlace[place] == nil { inOrder.append(place) }
      itemsByPlace[place, default: []].append(number)
    }
    return inOrder.compactMap { itemsByPlace[$0] }
  }

  /// Returns the items in the language of the input. An input without a language selects the items without a language.
  /// If there are no such items, it selects English items, because many writers use `eng` for an unknown language.
  private func itemsInLanguage(of input: MetadataInput, among numbers: [Int]) -> [Int] {
    let items = index.items
    func numbersInLanguage(_ target: LanguageTag?) -> [Int] {
      numbers.filter { number in
        let language = edits.language(of: items[number], at: number)
        return language == target
          || language.map { $0.isStored(like: target, withCountry: items[number].typeCode != nil) } ?? false
      }
    }
    let exact = numbersInLanguage(input.language?.ifDetermined)
    guard exact.isEmpty, input.language == nil else { return exact }
    return numbers.filter { edits.language(of: items[$0], at: $0)?.language == "en" }
  }

  /// Throws `.invalidEdit` if several user-defined frames have the input's identifier. The frames differ only in their
  /// descriptions, and an input has no description.
  private func requireOneFrame(_ input: MetadataInput, _ trackID: UInt32?) throws(MovieError) {
    guard input.identifier.isUserDefinedFrame else { return }
    let matching = index.indices(of: input.identifier).filter { index.items[$0].trackID == trackID }
    guard matching.count > 1 else { return }
    throw MovieError(
      .invalidEdit,
      "\(input.identifier) is ambiguous: \(matching.count) items differ only in their descriptions; "
        + "export the metadata as JSON, change the item there, and import it")
  }
}

extension LanguageTag {
  /// Returns whether an item stores both tags identically: the ISO 639-2 codes are equal and, if the item has a field
  /// for the country, the countries are equal.
  fileprivate func isStored(like other: LanguageTag?, withCountry hasCountry: Bool) -> Bool {
    guard let other, LanguageCode.packed(for: self) == LanguageCode.packed(for: other) else { return false }
    return !hasCountry || region == other.region
  }

  private var region: Substring? {
    description.split(separator: "-").dropFirst().first { $0.utf8.count == 2 && $0.allSatisfy(\.isLetter) }
  }
}
