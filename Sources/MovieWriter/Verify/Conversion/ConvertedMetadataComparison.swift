import MovieBox

/// Compares the metadata of a movie before and after a conversion.
///
/// A conversion may express a fact, such as the title, in the vocabulary of the target type. Each fact must still be
/// present or be reported as dropped, and no new fact may appear. The comparison considers the common identifier
/// (``MetadataIdentifier/common``) and value of items, not the items themselves.
struct ConvertedMetadataComparison {
  private let conversion: ConvertedMovie
  private var changes: MetadataEdits { conversion.metadata }
  /// The items of the converted movie, before the conversion adds and removes items.
  private let items: [MetadataItem]
  /// The items of the old movie, by fact.
  private var oldFacts: [MetadataIdentifier: FactItems] = [:]
  /// The items of the new movie, by fact: the remaining items and the items that the conversion added.
  private var newFacts: [MetadataIdentifier: FactItems] = [:]
  /// The added items as read from the planned movie.
  private var readItems: [NewItem: MetadataItem] = [:]

  private struct NewItem: Hashable {
    let identifier: MetadataIdentifier
    let content: MetadataContent
  }

  /// A value with the ISO 639-2 code of its language.
  private struct LocalizedValue: Hashable {
    let value: MetadataValue
    let languageCode: UInt16?

    init(_ value: MetadataValue, _ item: MetadataItem) {
      (self.value, languageCode) = (value, item.language?.ifDetermined.map { LanguageCode.packed(for: $0) })
    }
  }

  private struct FactItems {
    private(set) var items: [MetadataItem] = []
    private var localizedValues: Set<LocalizedValue> = []

    mutating func add(_ item: MetadataItem) {
      items.append(item)
      localizedValues.insert(LocalizedValue(item.value, item))
      // One text may contain the values of several items, as a list with separators.
      guard let text = item.stringValue, items.count <= ConvertedMetadataComparison.comparedCountLimit else { return }
      var rest = text[...]
      while let end = rest.firstRange(of: MetadataValue.listSeparator) {
        localizedValues.insert(LocalizedValue(.text(String(rest[..<end.lowerBound])), item))
        rest = rest[end.upperBound...]
      }
      localizedValues.insert(LocalizedValue(.text(String(rest)), item))
    }

    func has(_ item: MetadataItem) -> Bool { localizedValues.contains(LocalizedValue(item.value, item)) }
  }

  /// The largest number of items of one fact that are compared one by one. ``/MovieBox/MetadataItem``'s own comparison
  /// has the same limit.
  private static let comparedCountLimit = 500

  /// Creates a comparison of a conversion with the planned movie.
  init(conversion: ConvertedMovie, planned: Movie) {
    self.conversion = conversion
    items = conversion.movie.metadata
    for item in conversion.original.metadata where item.trackID == nil {
      if let fact = item.identifier.common { oldFacts[fact, default: FactItems()].add(item) }
    }
    for item in planned.metadata where item.trackID == nil {
      readItems[NewItem(identifier: item.identifier, content: MetadataContent(item))] = item
    }
    for (number, item) in items.enumerated() where item.trackID == nil && !changes.removed.contains(number) {
      if let fact = item.identifier.common { newFacts[fact, default: FactItems()].add(item) }
    }
    for item in changes.added {
      guard let fact = item.identifier.common,
        let found = readItems[NewItem(identifier: item.identifier, content: item.content)]
      else { continue }
      newFacts[fact, default: FactItems()].add(found)
    }
  }

  func check() throws(MovieError) {
    guard changes.replaced.isEmpty else { throw failure("the conversion changed an item") }
    for item in changes.added {
      guard item.trackID == nil, let fact = item.identifier.common, let known = oldFacts[fact] else {
        throw failure("\(item.identifier) has a value that no item of the old movie had")
      }
      // An item that the edit has also changed cannot be found in the planned movie.
      guard let found = readItems[NewItem(identifier: item.identifier, content: item.content)] else { continue }
      guard includes(known, found, { hasValue(found, $0) }) else {
        throw failure("\(item.identifier) has a value that no item of the old movie had")
      }
    }
    for (number, item) in items.enumerated() where changes.removed.contains(number) {
      guard item.trackID == nil, !isSupported(item.identifier), item.atomLocation.atom != nil else {
        throw failure("\(item.identifier) was dropped, but \(conversion.type.name) can contain it")
      }
      guard conversion.reportedItems.contains(number) || hasSubstitute(item) else {
        throw failure("\(item.identifier) was dropped without a warning")
      }
    }
    for (number, item) in items.enumerated() where item.trackID == nil && !changes.removed.contains(number) {
      guard isSupported(item.identifier) || item.atomLocation.atom == nil || item.isStructural else {
        throw failure("\(item.identifier) was kept, but \(conversion.type.name) cannot contain it")
      }
    }
  }

  private func failure(_ reason: String) -> MovieError { MovieError(.planCheckFailed, in: "moov", reason) }

  /// Whether files of the type may contain items with this identifier. Only QuickTime movies contain text items of
  /// QuickTime user data, except the location. 3GP files do not contain iTunes item lists.
  private func isSupported(_ identifier: MetadataIdentifier) -> Bool {
    let (space, code) = (identifier.space, identifier.type)
    if space == .quickTimeUserData, let code, code.rawValue >> 24 == 0xA9, code != "©xyz" {
      return conversion.type.isQuickTime
    }
    let isITunes = space == .iTunes || space == .iTunesLongForm
    return !isITunes || conversion.type != .threeGPP && conversion.type != .threeGPP2
  }

  /// Whether another remaining or added item contains the fact and the value of this item. An added item that the edit
  /// has also changed cannot be read and counts as equal.
  private func hasSubstitute(_ item: MetadataItem) -> Bool {
    guard let fact = item.identifier.common else { return false }
    if let sameFact = newFacts[fact], includes(sameFact, item, { hasValue($0, item) }) { return true }
    return changes.added.contains {
      $0.identifier.common == fact && readItems[NewItem(identifier: $0.identifier, content: $0.content)] == nil
    }
  }

  private func includes(_ facts: FactItems, _ item: MetadataItem, _ hasValue: (MetadataItem) -> Bool) -> Bool {
    facts.has(item) || facts.items.count > Self.comparedCountLimit || facts.items.contains(where: hasValue)
  }

  /// Whether a new item contains the value of an old item, either alone or in a list. The language of the new item must
  /// equal the language of the old item, or be undetermined.
  private func hasValue(_ new: MetadataItem, _ old: MetadataItem) -> Bool {
    let codes = (LocalizedValue(new.value, new).languageCode, LocalizedValue(old.value, old).languageCode)
    guard codes.0 == nil || codes.1 == nil || codes.0 == codes.1 else { return false }
    if haveEqualValues(old, new) { return true }
    if let words = new.keywords, let known = old.keywords { return Set(known).isSubset(of: words) }
    guard let newText = new.stringValue, let oldText = old.stringValue else { return false }
    return MetadataValue.isValue(oldText, inList: newText)
  }

  private func haveEqualValues(_ first: MetadataItem, _ second: MetadataItem) -> Bool {
    if first.value == second.value { return true }
    if let text = first.stringValue, text == second.stringValue { return true }
    if let number = first.numberValue, number == second.numberValue { return true }
    if let date = first.dateValue, let other = second.dateValue { return date.agrees(with: other) }
    guard let newLocation = first.locationValue, let oldLocation = second.locationValue else { return false }
    // `loci` stores coordinates in 65536ths of a degree.
    let step = 1.0 / 65_536
    return abs(newLocation.latitude - oldLocation.latitude) <= step
      && abs(newLocation.longitude - oldLocation.longitude) <= step
  }
}
