import MovieBox

// Plans all changes before making any: if one item cannot store the fact, none may change.
extension MetadataChange {
  /// The changes that state a fact.
  struct Statement {
    /// The changes to items of one identifier that stand together.
    struct Change {
      /// What the first of them says instead, or `nil` if it is removed too.
      var replaced: (number: Int, content: MetadataContent)?
      /// The items that are removed.
      var removed: [Int]
    }

    var changes: [Change] = []
    /// The items that are added.
    var added: [NewMetadataItem] = []
    /// The identifiers of all items that state the fact then.
    var identifiers: [MetadataIdentifier] = []

    /// The language of the items, or `nil` if they apply to all languages.
    fileprivate let language: LanguageTag?
    fileprivate let trackID: UInt32?
    /// The identifiers and the fact of the earlier additions that the statement replaces.
    fileprivate var superseded: (identifiers: [MetadataIdentifier], fact: MetadataIdentifier?) = ([], nil)

    fileprivate init(_ language: LanguageTag?, ofTrack trackID: UInt32?) {
      (self.language, self.trackID) = (language, trackID)
    }
  }

  /// Makes the changes of a statement. Never fails, so that a fact is stated everywhere or nowhere.
  mutating func apply(_ statement: Statement) {
    edits.additions.remove(
      statement.superseded.identifiers, stating: statement.superseded.fact, language: statement.language,
      ofTrack: statement.trackID)
    for change in statement.changes {
      for number in change.removed { edits.remove(number) }
      guard let (number, content) = change.replaced else { continue }
      edits.replace(number, of: index.items, with: content, language: statement.language)
    }
    for item in statement.added { edits.additions.append(item) }
  }

  /// The items of a statement that neither the movie nor the edit contains yet.
  func newItems(of statement: Statement) -> [NewMetadataItem] {
    let items = index.items
    let replaced = statement.changes.compactMap { change -> NewMetadataItem? in
      guard let (number, content) = change.replaced, content != MetadataContent(items[number]),
        edits.replaced[number] != .init(content: content, language: statement.language)
      else { return nil }
      return NewMetadataItem(
        items[number].identifier, content, language: statement.language, trackID: statement.trackID)
    }
    return replaced + statement.added.filter { !edits.additions.contains($0) }
  }

  /// Returns the changes that state a fact. Makes none of them.
  ///
  /// Costs a search for each identifier, and the items that state the fact in the language.
  mutating func statement(
    of input: MetadataInput, _ trackID: UInt32?, isExact: Bool
  ) throws(MovieError) -> Statement {
    try requireOneFrame(input, trackID)
    let wanted = identifiers(for: input, trackID)
    // A number in iTunes' list of genres is no word for one.
    let fact = isExact || input.identifier.type == "gnre" ? nil : input.identifier.common
    let language = input.language?.ifDetermined
    var statement = Statement(language, ofTrack: trackID)
    for numbers in placesOfItems(wanted, stating: fact, input, trackID) {
      let meant = itemsInLanguage(of: input, among: numbers)
      guard let first = meant.first else { continue }
      let old = index.items[first]
      if var content = content(input, for: old.identifier, replacing: old, at: first) {
        if content.bytes != old.bytes, losesName(old, ofValues: meant) { content.details["name"] = nil }
        statement.changes.append(.init(replaced: (first, content), removed: Array(meant.dropFirst())))
        statement.identifiers.append(old.identifier)
      } else {
        // A genre by its number cannot stay beside one that has none.
        if old.identifier == input.identifier { throw refusal(of: input, for: old.identifier) }
        statement.changes.append(.init(removed: meant))
      }
    }
    // What was added before is stated again.
    let before = edits.additions.identifiers(wanted, stating: fact, language: language, ofTrack: trackID)
    let others = Set(before).subtracting(statement.identifiers).subtracting(wanted)
      .sorted { $0.description < $1.description }
    for identifier in others + wanted.withoutRepetition where !statement.identifiers.contains(identifier) {
      statement.added.append(try newItem(input, as: identifier, trackID))
      statement.identifiers.append(identifier)
    }
    guard !statement.identifiers.isEmpty else {
      throw MovieError(.invalidEdit, "no vocabulary of this movie has a word for \(input.identifier)")
    }
    try requireRoom(for: statement.added)
    statement.identifiers = statement.identifiers.withoutRepetition
    statement.superseded = (wanted, fact)
    return statement
  }

  /// What items of one identifier that stand together are told by.
  private struct Place: Hashable {
    let identifier: MetadataIdentifier
    let container: Int?
  }

  /// The list or the user data that an item stands in.
  private func container(of item: MetadataItem) -> Int? {
    let parent = item.place.atom.flatMap { movie.tree[$0].parent }
    return item.typeCode == nil ? parent : parent.flatMap { movie.tree[$0].parent }
  }

  /// The numbers of the items that may state the fact in the input's language, grouped by identifier and container.
  private func placesOfItems(
    _ wanted: [MetadataIdentifier], stating fact: MetadataIdentifier?, _ input: MetadataInput, _ trackID: UInt32?
  ) -> [[Int]] {
    let (index, items) = (index, index.items)
    var candidates: Set<Int> = []
    for subject in wanted + (fact.map { [$0] } ?? []) {
      // English may be meant where there is no language.
      let languages = [input.language?.ifDetermined] + (input.language == nil ? [LanguageTag("en")] : [])
      for language in languages {
        candidates.formUnion(index.numbers(of: subject, language: language, ofTrack: trackID))
      }
      candidates.formUnion((edits.relocated[subject] ?? []).filter { items[$0].trackID == trackID })
    }
    var places: [Place: [Int]] = [:]
    var inOrder: [Place] = []
    for number in candidates.sorted() where canChange(items[number], number) {
      let item = items[number]
      guard !item.isDescribed || item.identifier == input.identifier && item.identifier.isUserDefinedFrame else {
        continue
      }
      let place = Place(identifier: item.identifier, container: container(of: item))
      if places[place] == nil { inOrder.append(place) }
      places[place, default: []].append(number)
    }
    return inOrder.compactMap { places[$0] }
  }

  /// Returns the items in the language of the input. An input without a language selects items without one, otherwise
  /// English ones, because many writers use `eng` for an unknown language.
  private func itemsInLanguage(of input: MetadataInput, among numbers: [Int]) -> [Int] {
    let items = index.items
    func inLanguage(_ wanted: LanguageTag?) -> [Int] {
      numbers.filter { number in
        let language = edits.language(of: items[number], number: number)
        return language == wanted
          || language.map { $0.isStored(like: wanted, withCountry: items[number].typeCode != nil) } ?? false
      }
    }
    let exact = inLanguage(input.language?.ifDetermined)
    guard exact.isEmpty, input.language == nil else { return exact }
    return numbers.filter { edits.language(of: items[$0], number: $0)?.language == "en" }
  }

  /// Of frames that a description tells apart, only one can be meant.
  private func requireOneFrame(_ input: MetadataInput, _ trackID: UInt32?) throws(MovieError) {
    guard input.identifier.isUserDefinedFrame else { return }
    let meant = index.numbers(of: input.identifier).filter { index.items[$0].trackID == trackID }
    guard meant.count > 1 else { return }
    throw MovieError(
      .invalidEdit,
      "\(input.identifier): \(meant.count) items, which their descriptions tell apart; "
        + "take the JSON of the metadata, change the one, and import it")
  }
}

extension LanguageTag {
  /// Whether an item that names a language by its ISO 639-2 code, and by a country where it has one, says the same for
  /// both.
  fileprivate func isStored(like other: LanguageTag?, withCountry hasCountry: Bool) -> Bool {
    guard let other, LanguageCode.packed(for: self) == LanguageCode.packed(for: other) else { return false }
    return !hasCountry || region == other.region
  }

  private var region: Substring? {
    description.split(separator: "-").dropFirst().first { $0.utf8.count == 2 && $0.allSatisfy(\.isLetter) }
  }
}
