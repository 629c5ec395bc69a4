import MovieBox

/// Converts metadata to the vocabularies of another file type in three steps, as AVFoundation does (WWDC14 "Harnessing
/// Metadata in Audiovisual Media"). First, items that the type supports are kept. Second, facts for which the type has
/// another identifier are written with that identifier. Third, the remaining items are dropped, each with a warning.
/// Facts that only QuickTime metadata can express, such as make and model, are written as QuickTime metadata, because
/// Android also writes them that way in MP4 files.
struct MetadataConverter {
  /// The change to the metadata of the converted movie.
  private(set) var change: MetadataChange
  /// The new type of the movie.
  let type: MovieType
  /// Warnings about the dropped items.
  private(set) var notices: [EditNotice] = []
  /// The indices of the dropped items that a warning reports.
  private(set) var reportedItems: Set<Int> = []

  init(_ change: MetadataChange, to type: MovieType) {
    (self.change, self.type) = (change, type)
  }

  /// Writes the facts of a movie in the vocabularies of its new type, and drops unsupported items.
  mutating func convert(_ original: Movie) {
    let items = change.index.items
    var writtenFacts = WrittenFacts(items.filter { $0.trackID == nil && isSupported($0) })
    let facts = original.metadata.filter { $0.trackID == nil && $0.atomLocation.atom != nil && !$0.isStructural }
    let decimalLocations = DecimalLocations(facts)
    for item in facts {
      // Three kinds of items are not mirrored. Artwork is large, and readers of QuickTime movies find it in the iTunes
      // list. An iTunes genre number (`gnre`) is not a genre name. An empty ID3 frame has no value.
      guard let fact = item.identifier.common, !(fact.key == "artwork" && type.isQuickTime),
        !(item.identifier.space == .iTunes && item.identifier.type == "gnre"), item.value != .data(Bytes())
      else { continue }
      for space in change.spaces(forNew: fact, insteadOf: isSupported(item) ? nil : item) {
        _ = mirror(decimalLocations.withMostExactLocation(item), in: space, &writtenFacts)
      }
    }
    writeJoinedTexts(&writtenFacts)
    for (number, item) in items.enumerated() where item.trackID == nil && !isSupported(item) {
      change.edits.remove(number)
      if let fact = item.identifier.common, fact.spellings.contains(where: { writtenFacts.containsValue($0, item) }) {
        continue
      }
      reportedItems.insert(number)
      notices.append(
        EditNotice(
          .leftOut, isWarning: true,
          "\(item.identifier) is dropped, because \(type.name) has no equivalent: \(Self.excerpt(item))"))
    }
    // QuickTime reads an iTunes list without a handler, but players of the new type ignore it.
    if !type.isQuickTime, !change.movie.tree.metadataListsWithoutHandler.isEmpty {
      change.edits.addsHandlers = true
    }
  }

  /// Writes the fact of an item in a vocabulary unless the vocabulary already contains the fact. Returns whether it was
  /// written.
  ///
  /// In an iTunes list, several values of a fact in one language remain separate. In other vocabularies, they are
  /// joined into one text.
  private mutating func mirror(
    _ item: MetadataItem, in space: MetadataIdentifier.Space, _ known: inout WrittenFacts
  ) -> Bool {
    guard let fact = item.identifier.common else { return false }
    let spellings = fact.spellings.filter { $0.space == space }
    guard let newIdentifier = spellings.first(where: { !MetadataChange.isNeverCreated($0) }),
      !spellings.contains(where: { known.containsValue($0, item) })
    else { return false }
    // A location does not depend on the language, so a second location would contradict the first.
    if fact.key == "location", spellings.contains(where: { known.hasValue(for: $0) }) { return false }
    if let source = spellings.compactMap({ known.source(of: $0, item.language) }).first {
      // A value that was already written from another identifier, or in another script of the language, takes
      // precedence.
      guard source == .added(item.identifier, item.language) else { return false }
      if !newIdentifier.allowsSeveralValues { return known.join(item, to: newIdentifier) }
    } else if space == .iTunes, spellings.contains(where: { known.hasValue(for: $0) }),
      fact.spellings.contains(where: { $0.space == .isoUserData && known.containsValue($0, item) })
    {
      // Readers of iTunes lists ignore languages and show the first of two titles.
      return false
    }
    guard add(item, as: newIdentifier) else { return false }
    known.add(newIdentifier, item)
    return true
  }

  /// Replaces the first of several values with the joined text of all values.
  private mutating func writeJoinedTexts(_ known: inout WrittenFacts) {
    guard known.hasJoinedTexts else { return }
    change.edits.added = change.edits.added.map { first in
      guard first.trackID == nil, let text = known.joined(first.identifier, first.language) else { return first }
      let content = MetadataContent(.text(text), for: first.identifier, typeCode: nil, language: first.language)
      let new = content.map { NewMetadataItem(first.identifier, $0, language: first.language, trackID: nil) }
      if let new, new.isWritable {
        change.reportJoinedValues(first.identifier)
        return new
      }
      known.forgetTextsAfterFirst(first.identifier, first.language)
      return first
    }
  }

  /// Adds an item with the value and language of another item, and returns whether the new identifier allows the value.
  private mutating func add(_ item: MetadataItem, as newIdentifier: MetadataIdentifier) -> Bool {
    do throws(MovieError) {
      try change.add(
        MetadataInput(newIdentifier, item.value, language: item.language), as: [newIdentifier], nil)
      return true
    } catch {
      return false
    }
  }

  /// Whether files of the new type support this item. Only QuickTime movies support texts in user data. The location is
  /// an exception, because phones also write it to MP4 files. 3GP files do not support iTunes lists.
  private func isSupported(_ item: MetadataItem) -> Bool {
    guard item.atomLocation.atom != nil, !item.isStructural else { return true }
    switch item.identifier.space {
    case .quickTimeUserData:
      guard !type.isQuickTime, let code = item.identifier.type else { return true }
      return code.rawValue >> 24 != 0xA9 || code == "©xyz"
    case .iTunes, .iTunesLongForm: return type != .threeGPP && type != .threeGPP2
    default: return true
    }
  }

  private static func excerpt(_ item: MetadataItem) -> String {
    guard let text = item.stringValue else { return "\(item.bytes.count) bytes" }
    return "\"\(text.prefix(40))\(text.count > 40 ? "…" : "")\""
  }
}

/// The facts that the new movie contains so far, by identifier and language.
private struct WrittenFacts {
  /// An identifier and a language, compared by ISO 639-2 code.
  private struct Statement: Hashable {
    let identifier: MetadataIdentifier
    let languageCode: UInt16?

    init(_ identifier: MetadataIdentifier, _ language: LanguageTag?) {
      (self.identifier, languageCode) = (identifier, language?.ifDetermined.map { LanguageCode.packed(for: $0) })
    }
  }

  /// The origin of a value.
  enum Source: Hashable {
    /// An item of the old movie.
    case movie
    /// A copy of an item with this identifier and language.
    case added(MetadataIdentifier, LanguageTag?)
  }

  /// Texts to be joined.
  private struct Texts {
    var texts: [String]
    var byteCount: Int
  }

  /// The limits for joined texts. Further texts are dropped, each with a warning.
  private static let maximumJoinedCount = 500
  private static let joinedByteCount = 32 << 10

  private var sources: [Statement: Source] = [:]
  private var texts: [Statement: Texts] = [:]
  private var values: [Statement: Set<MetadataValue>] = [:]
  /// The values by identifier, whatever their language.
  private var valuesByIdentifier: [MetadataIdentifier: Set<MetadataValue>] = [:]
  /// Whether several texts of a fact must be joined.
  private(set) var hasJoinedTexts = false

  init(_ items: [MetadataItem]) {
    for item in items {
      sources[Statement(item.identifier, item.language)] = .movie
      insert(item, item.identifier)
    }
  }

  private mutating func insert(_ item: MetadataItem, _ identifier: MetadataIdentifier) {
    values[Statement(identifier, item.language), default: []].insert(item.value)
    valuesByIdentifier[identifier, default: []].insert(item.value)
  }

  /// Whether an identifier already has the value of an item in its language. A value without a language applies to all
  /// languages.
  func containsValue(_ identifier: MetadataIdentifier, _ item: MetadataItem) -> Bool {
    let statement = Statement(identifier, item.language)
    if statement.languageCode == nil { return valuesByIdentifier[identifier]?.contains(item.value) ?? false }
    return values[statement]?.contains(item.value) ?? false
      || values[Statement(identifier, nil)]?.contains(item.value) ?? false
  }

  /// Whether an identifier has a value in any language.
  func hasValue(for identifier: MetadataIdentifier) -> Bool { valuesByIdentifier[identifier] != nil }

  func source(of identifier: MetadataIdentifier, _ language: LanguageTag?) -> Source? {
    sources[Statement(identifier, language)]
  }

  mutating func add(_ identifier: MetadataIdentifier, _ item: MetadataItem) {
    let statement = Statement(identifier, item.language)
    sources[statement] = .added(item.identifier, item.language)
    texts[statement] = item.stringValue.map { Texts(texts: [$0], byteCount: $0.utf8.count) }
    insert(item, identifier)
  }

  // MARK: - Several texts as one

  /// Records that the text of an item must be appended to the previous texts. Returns whether the limits allow it.
  mutating func join(_ item: MetadataItem, to identifier: MetadataIdentifier) -> Bool {
    let statement = Statement(identifier, item.language)
    guard let text = item.stringValue, let before = texts[statement], before.texts.count < Self.maximumJoinedCount,
      before.byteCount + text.utf8.count <= Self.joinedByteCount
    else { return false }
    texts[statement]?.texts.append(text)
    texts[statement]?.byteCount += text.utf8.count
    insert(item, identifier)
    hasJoinedTexts = true
    return true
  }

  /// Returns the joined text, or `nil` if there are fewer than two texts.
  func joined(_ identifier: MetadataIdentifier, _ language: LanguageTag?) -> String? {
    guard let texts = texts[Statement(identifier, language)], texts.texts.count > 1 else { return nil }
    return texts.texts.joined(separator: identifier.valueSeparator)
  }

  /// Removes all texts but the first from the written values, because the joined text cannot be written.
  mutating func forgetTextsAfterFirst(_ identifier: MetadataIdentifier, _ language: LanguageTag?) {
    let statement = Statement(identifier, language)
    for text in texts[statement]?.texts.dropFirst() ?? [] {
      values[statement]?.remove(.text(text))
      valuesByIdentifier[identifier]?.remove(.text(text))
    }
  }
}
