import MovieBox

// What a movie says of itself, in the vocabularies of another type, in three steps as AVFoundation has them (WWDC14
// "Harnessing Metadata in Audiovisual Media"): what the type has stays as it is; what it has another word for is said in
// that; what is left is left out, and listed. QuickTime metadata is the word for facts that only it has, such as makes and
// models: Android writes them so into MP4 files.
extension MovieEdit {
  /// States the facts of a movie in the vocabularies of its new type, and takes out what that has no place for.
  mutating func convertMetadata(of original: Movie) {
    guard let type = stages.converted?.type else { return }
    let items = changes.metadata.index.items
    var known = StatedFacts(items.enumerated().filter { $1.trackID == nil && isSupported($1, in: type) }.map(\.element))
    let facts = original.metadata.filter { $0.trackID == nil && $0.place.atom != nil && !$0.isStructure }
    let places = StatedPlaces(facts)
    for item in facts {
      // A picture is large, and those who read QuickTime movies find that of iTunes' list there. A number in iTunes'
      // list of genres is no name of one. A frame of ID3 without a byte states nothing.
      guard let fact = item.identifier.common, !(fact.key == "artwork" && type.isQuickTime),
        !(item.identifier.space == .iTunes && item.identifier.type == "gnre"), item.value != .data(Bytes())
      else { continue }
      for space in changes.metadata.spaces(forNew: fact, insteadOf: isSupported(item, in: type) ? nil : item) {
        _ = restate(places.exact(item), in: space, &known)
      }
    }
    stateJoined(&known)
    for (number, item) in items.enumerated() where item.trackID == nil && !isSupported(item, in: type) {
      changes.metadata.edits.remove(number)
      if let fact = item.identifier.common, fact.spellings.contains(where: { known.states($0, item) }) { continue }
      var notice = EditNotice(
        .leftOut, isWarning: true,
        "\(item.identifier) is left out, which has no equivalent in \(type.name): \(Self.excerpt(item))")
      notice.metadataItem = number
      recordedNotices.append(notice)
    }
    // The list of iTunes that QuickTime reads without a handler is nothing to players of the new type.
    if !type.isQuickTime, !changes.metadata.movie.tree.listsWithoutHandler.isEmpty {
      changes.metadata.edits.addsHandlers = true
    }
    stages.converted?.metadata = changes.metadata.edits
  }

  /// States what an item says in a vocabulary, unless it is stated there; gives whether it came.
  ///
  /// Of several values that one item has in one language, iTunes' lists have several too; elsewhere they are one text.
  private mutating func restate(
    _ item: MetadataItem, in space: MetadataIdentifier.Space, _ known: inout StatedFacts
  ) -> Bool {
    guard let fact = item.identifier.common else { return false }
    let spellings = fact.spellings.filter { $0.space == space }
    guard let wanted = spellings.first(where: { !MetadataChange.isNeverCreated($0) }),
      !spellings.contains(where: { known.states($0, item) })
    else { return false }
    // A place is no text in a language: another one would contradict it.
    if fact.key == "location", spellings.contains(where: { known.hasValue(for: $0) }) { return false }
    if let source = spellings.compactMap({ known.source(of: $0, item.language) }).first {
      // Another identifier, or another script of the language, says it there: that counts.
      guard source == .added(item.identifier, item.language) else { return false }
      if !wanted.hasSeveralValues { return known.join(item, to: wanted) }
    } else if space == .iTunes, spellings.contains(where: { known.hasValue(for: $0) }),
      fact.spellings.contains(where: { $0.space == .isoUserData && known.states($0, item) })
    {
      // Readers of such lists know no languages, and of two titles take the first.
      return false
    }
    guard state(item, as: wanted) else { return false }
    known.add(wanted, item)
    return true
  }

  /// Has each first item of several say what all of them do.
  private mutating func stateJoined(_ known: inout StatedFacts) {
    guard known.hasJoined else { return }
    changes.metadata.edits.added = changes.metadata.edits.added.map { first in
      guard first.trackID == nil, let text = known.joined(first.identifier, first.language) else { return first }
      let content = MetadataContent(.text(text), for: first.identifier, typeCode: nil, language: first.language)
      let new = content.map { NewMetadataItem(first.identifier, $0, language: first.language, trackID: nil) }
      if let new, new.isWritable {
        changes.metadata.noteJoined(first.identifier)
        return new
      }
      known.forgetJoined(first.identifier, first.language)
      return first
    }
  }

  /// Adds an item that says what another does, in its language; gives whether its form can.
  private mutating func state(_ item: MetadataItem, as wanted: MetadataIdentifier) -> Bool {
    do throws(MovieError) {
      try changes.metadata.add(MetadataInput(wanted, item.value, language: item.language), as: wanted, nil)
      return true
    } catch {
      return false
    }
  }

  /// Whether items like this one stay in files of a type: texts of QuickTime's user data do in its own movies, but for
  /// the place, which phones write into MP4 files too; lists of iTunes' do not in 3GP files.
  private func isSupported(_ item: MetadataItem, in type: MovieType) -> Bool {
    guard item.place.atom != nil, !item.isStructure else { return true }
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

/// What the vocabularies of the new movie state so far.
private struct StatedFacts {
  /// An identifier in a language, as files name it: by its ISO 639-2 code.
  private struct Statement: Hashable {
    let identifier: MetadataIdentifier
    let languageCode: UInt16?

    init(_ identifier: MetadataIdentifier, _ language: LanguageTag?) {
      (self.identifier, languageCode) = (identifier, language?.ifDetermined.map { LanguageCode.packed(for: $0) })
    }
  }

  /// Where a statement is from.
  enum Source: Hashable {
    /// The movie had it.
    case movie
    /// An item of this identifier, in this language, is stated so too.
    case added(MetadataIdentifier, LanguageTag?)
  }

  /// Texts that are to be one.
  private struct Texts {
    var texts: [String]
    var byteCount: Int
  }

  /// No more texts are made one, and no longer ones: what comes after is left out, and listed.
  private static let joinedCount = 500
  private static let joinedByteCount = 32 << 10

  private var sources: [Statement: Source] = [:]
  private var texts: [Statement: Texts] = [:]
  private var values: [Statement: Set<MetadataValue>] = [:]
  /// What is said in any language, and in none.
  private var valuesByIdentifier: [MetadataIdentifier: Set<MetadataValue>] = [:]
  /// Whether several texts are to be one.
  private(set) var hasJoined = false

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

  /// Whether a value stands there in its language; one without a language holds in all.
  func states(_ identifier: MetadataIdentifier, _ item: MetadataItem) -> Bool {
    let statement = Statement(identifier, item.language)
    if statement.languageCode == nil { return valuesByIdentifier[identifier]?.contains(item.value) ?? false }
    return values[statement]?.contains(item.value) ?? false
      || values[Statement(identifier, nil)]?.contains(item.value) ?? false
  }

  /// Whether anything is said there, in whatever language.
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

  /// Notes that the text of an item is to stand after the one that was added before it; gives whether it can.
  mutating func join(_ item: MetadataItem, to identifier: MetadataIdentifier) -> Bool {
    let statement = Statement(identifier, item.language)
    guard let text = item.stringValue, let before = texts[statement], before.texts.count < Self.joinedCount,
      before.byteCount + text.utf8.count <= Self.joinedByteCount
    else { return false }
    texts[statement]?.texts.append(text)
    texts[statement]?.byteCount += text.utf8.count
    insert(item, identifier)
    hasJoined = true
    return true
  }

  /// The one text; `nil` where there are not several.
  func joined(_ identifier: MetadataIdentifier, _ language: LanguageTag?) -> String? {
    guard let texts = texts[Statement(identifier, language)], texts.texts.count > 1 else { return nil }
    return texts.texts.joined(separator: identifier.valueSeparator)
  }

  /// Notes that only the first text is stated.
  mutating func forgetJoined(_ identifier: MetadataIdentifier, _ language: LanguageTag?) {
    let statement = Statement(identifier, language)
    for text in texts[statement]?.texts.dropFirst() ?? [] {
      values[statement]?.remove(.text(text))
      valuesByIdentifier[identifier]?.remove(.text(text))
    }
  }
}
