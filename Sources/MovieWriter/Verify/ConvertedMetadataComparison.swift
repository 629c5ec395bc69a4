import MovieBox

/// Compares what a movie says of itself with what a conversion makes of that: every fact is still stated, or was listed,
/// and nothing is stated that was not.
struct ConvertedMetadataComparison {
  private let conversion: ConvertedMovie
  private var changes: MetadataEdits { conversion.metadata }
  /// What the converted movie says, before facts come and go.
  private let items: [MetadataItem]
  /// What the old movie says of each fact.
  private var old: [MetadataIdentifier: Facts] = [:]
  /// What the new movie says of each fact by items that stayed or came with the conversion.
  private var new: [MetadataIdentifier: Facts] = [:]
  /// The items that came, as they are read from the new movie.
  private var read: [NewItem: MetadataItem] = [:]

  private struct NewItem: Hashable {
    let identifier: MetadataIdentifier
    let content: MetadataContent
  }

  /// A value in a language, by its ISO 639-2 code.
  private struct Statement: Hashable {
    let value: MetadataValue
    let languageCode: UInt16?

    init(_ value: MetadataValue, _ item: MetadataItem) {
      (self.value, languageCode) = (value, item.language?.ifDetermined.map { LanguageCode.packed(for: $0) })
    }
  }

  /// Items that state one fact.
  private struct Facts {
    private(set) var items: [MetadataItem] = []
    private var statements: Set<Statement> = []

    mutating func add(_ item: MetadataItem) {
      items.append(item)
      statements.insert(Statement(item.value, item))
      // One text may say what several said.
      guard let text = item.stringValue, items.count <= ConvertedMetadataComparison.comparedCount else { return }
      var rest = text[...]
      while let end = rest.firstRange(of: MetadataValue.listSeparator) {
        statements.insert(Statement(.text(String(rest[..<end.lowerBound])), item))
        rest = rest[end.upperBound...]
      }
      statements.insert(Statement(.text(String(rest)), item))
    }

    func has(_ item: MetadataItem) -> Bool { statements.contains(Statement(item.value, item)) }
  }

  /// No more items of a fact are compared one by one, as by ``/MovieBox/MetadataItem``'s own comparison.
  private static let comparedCount = 500

  /// A comparison of a conversion with the movie that comes of the whole edit.
  init(conversion: ConvertedMovie, planned: Movie) {
    self.conversion = conversion
    items = conversion.movie.metadata
    for item in conversion.original.metadata where item.trackID == nil {
      if let fact = item.identifier.common { old[fact, default: Facts()].add(item) }
    }
    for item in planned.metadata where item.trackID == nil {
      read[NewItem(identifier: item.identifier, content: MetadataContent(item))] = item
    }
    for (number, item) in items.enumerated() where item.trackID == nil && !changes.removed.contains(number) {
      if let fact = item.identifier.common { new[fact, default: Facts()].add(item) }
    }
    for item in changes.added {
      guard let fact = item.identifier.common,
        let found = read[NewItem(identifier: item.identifier, content: item.content)]
      else { continue }
      new[fact, default: Facts()].add(found)
    }
  }

  func check() throws(MovieError) {
    guard changes.replaced.isEmpty else { throw failure("an item was changed") }
    for item in changes.added {
      guard item.trackID == nil, let fact = item.identifier.common, let known = old[fact] else {
        throw failure("\(item.identifier) says what no item said")
      }
      // One that the edit changed further is not there to be read.
      guard let found = read[NewItem(identifier: item.identifier, content: item.content)] else { continue }
      guard states(known, found, { says(found, $0) }) else {
        throw failure("\(item.identifier) says what no item said")
      }
    }
    for (number, item) in items.enumerated() where changes.removed.contains(number) {
      guard item.trackID == nil, !isOfType(item.identifier), item.place.atom != nil else {
        throw failure("\(item.identifier) was left out, which \(conversion.type.name) has a place for")
      }
      guard conversion.listedItems.contains(number) || isStatedOtherwise(item) else {
        throw failure("\(item.identifier) was left out, and not listed")
      }
    }
    for (number, item) in items.enumerated() where item.trackID == nil && !changes.removed.contains(number) {
      guard isOfType(item.identifier) || item.place.atom == nil || item.isStructure else {
        throw failure("\(item.identifier) is in \(conversion.type.name), which has no place for it")
      }
    }
  }

  private func failure(_ reason: String) -> MovieError { MovieError(.planCheckFailed, in: "moov", reason) }

  /// Whether files of the type have items like this: user data of QuickTime's that are texts belong to its movies alone,
  /// but for the place, and lists of iTunes' are not in 3GP files.
  private func isOfType(_ identifier: MetadataIdentifier) -> Bool {
    let (space, code) = (identifier.space, identifier.type)
    if space == .quickTimeUserData, let code, code.rawValue >> 24 == 0xA9, code != "©xyz" {
      return conversion.type.isQuickTime
    }
    let isITunes = space == .iTunes || space == .iTunesLongForm
    return !isITunes || conversion.type != .threeGPP && conversion.type != .threeGPP2
  }

  /// Whether another item that stays, or comes, says the same of the same fact; what the edit changed further is not
  /// there to be read.
  private func isStatedOtherwise(_ item: MetadataItem) -> Bool {
    guard let fact = item.identifier.common else { return false }
    if let stated = new[fact], states(stated, item, { says($0, item) }) { return true }
    return changes.added.contains {
      $0.identifier.common == fact && read[NewItem(identifier: $0.identifier, content: $0.content)] == nil
    }
  }

  private func states(_ facts: Facts, _ item: MetadataItem, _ says: (MetadataItem) -> Bool) -> Bool {
    facts.has(item) || facts.items.count > Self.comparedCount || facts.items.contains(where: says)
  }

  /// Whether an item says what another did, alone or as one of several, in its language or without one.
  private func says(_ new: MetadataItem, _ old: MetadataItem) -> Bool {
    let codes = (Statement(new.value, new).languageCode, Statement(old.value, old).languageCode)
    guard codes.0 == nil || codes.1 == nil || codes.0 == codes.1 else { return false }
    if agree(old, new) { return true }
    if let words = new.keywords, let known = old.keywords { return Set(known).isSubset(of: words) }
    guard let whole = new.stringValue, let part = old.stringValue else { return false }
    return MetadataValue.list(whole, has: part)
  }

  private func agree(_ left: MetadataItem, _ right: MetadataItem) -> Bool {
    if left.value == right.value { return true }
    if let text = left.stringValue, text == right.stringValue { return true }
    if let number = left.numberValue, number == right.numberValue { return true }
    if let date = left.dateValue, let other = right.dateValue { return date.agrees(with: other) }
    guard let here = left.locationValue, let there = right.locationValue else { return false }
    // `loci` has places in 65536ths of a degree.
    let step = 1.0 / 65_536
    return abs(here.latitude - there.latitude) <= step && abs(here.longitude - there.longitude) <= step
  }
}
