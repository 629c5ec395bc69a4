import MovieBox

// What a movie says of itself, in the vocabularies of another type, in three steps as AVFoundation has them (WWDC14
// "Harnessing Metadata in Audiovisual Media"): what the type has stays as it is; what it has another word for is said in
// that; what is left is left out, and listed.
extension MovieEdit {
  /// States the facts of a movie in the vocabularies of its new type, and takes out what that has no place for.
  mutating func convertMetadata(of original: Movie) {
    guard let type = conversion?.type else { return }
    let items = movie.metadata
    var known = StatedFacts(items.enumerated().filter { $1.trackID == nil && hasPlace($1, in: type) }.map(\.element))
    var facts: [String] = []
    for item in original.metadata where item.trackID == nil && item.place.atom != nil && !item.isStructure {
      // A picture is large, and those who read QuickTime movies find that of iTunes' list there.
      guard let fact = item.identifier.common, !(fact.key == "artwork" && type.isQuickTime) else { continue }
      for space in ownSpaces where restate(item, in: space, &known) {
        if !facts.contains(fact.key) { facts.append(fact.key) }
      }
    }
    if !facts.isEmpty {
      note(.metadataConverted, "stated in the words of \(type.name) too: \(facts.joined(separator: ", "))")
    }
    for (number, item) in items.enumerated() where item.trackID == nil && !hasPlace(item, in: type) {
      metadataChanges.remove(number)
      guard !known.values(of: item.identifier.common).contains(item.value) else { continue }
      conversion?.listedItems.insert(number)
      note(.leftOut, "\(item.identifier) is left out, for which \(type.name) has no word: \(Self.excerpt(item))")
    }
    conversion?.metadata = metadataChanges
  }

  /// States what an item says in a vocabulary, unless it is stated there; gives whether it came.
  ///
  /// Of several values that one item has in one language, iTunes' lists have several too; elsewhere they are one text.
  private mutating func restate(
    _ item: MetadataItem, in space: MetadataIdentifier.Space, _ known: inout StatedFacts
  ) -> Bool {
    guard let fact = item.identifier.common else { return false }
    let spellings = fact.spellings.filter { $0.space == space }
    guard let wanted = spellings.first(where: { !Self.isNeverCreated($0) }),
      !spellings.contains(where: { known.states($0, item.value) })
    else { return false }
    if let source = spellings.compactMap({ known.source(of: $0, item.language) }).first {
      // Another identifier, or another script of the language, says it there: that counts.
      guard source == .added(item.identifier, item.language) else { return false }
      if space != .iTunes { return join(item, as: wanted, &known) }
    }
    guard state(item, item.value, as: wanted) else { return false }
    known.add(wanted, item)
    return true
  }

  /// Adds a text to the one that was stated before it.
  private mutating func join(_ item: MetadataItem, as wanted: MetadataIdentifier, _ known: inout StatedFacts) -> Bool {
    guard let text = item.stringValue, let before = known.text(of: wanted, item.language) else { return false }
    let old = metadataChanges
    metadataChanges.added.removeAll {
      $0.identifier == wanted && $0.trackID == nil && $0.language == item.language?.ifDetermined
    }
    guard state(item, .text(before + "; " + text), as: wanted) else {
      metadataChanges = old
      return false
    }
    known.add(wanted, item, joined: before + "; " + text)
    return true
  }

  /// Adds an item that says this in the language of another; gives whether its form can.
  private mutating func state(_ item: MetadataItem, _ value: MetadataValue, as wanted: MetadataIdentifier) -> Bool {
    do throws(MovieError) {
      try add(MetadataInput(wanted, value, language: item.language), as: wanted, nil, replacesAdded: false)
      return true
    } catch {
      return false
    }
  }

  private mutating func note(_ kind: EditNotice.Kind, _ message: String) {
    ownNotes.append(EditNotice(kind, isWarning: kind == .leftOut, message))
  }

  /// Whether items like this one stay in files of a type: texts of QuickTime's user data do in its own movies, but for
  /// the place, which phones write into MP4 files too; lists of iTunes' do not in 3GP files.
  private func hasPlace(_ item: MetadataItem, in type: MovieType) -> Bool {
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

  private var sources: [Statement: Source] = [:]
  private var texts: [Statement: String] = [:]
  private var valuesByIdentifier: [MetadataIdentifier: Set<MetadataValue>] = [:]

  init(_ items: [MetadataItem]) {
    for item in items {
      sources[Statement(item.identifier, item.language)] = .movie
      valuesByIdentifier[item.identifier, default: []].insert(item.value)
    }
  }

  func states(_ identifier: MetadataIdentifier, _ value: MetadataValue) -> Bool {
    valuesByIdentifier[identifier]?.contains(value) ?? false
  }

  func source(of identifier: MetadataIdentifier, _ language: LanguageTag?) -> Source? {
    sources[Statement(identifier, language)]
  }

  func text(of identifier: MetadataIdentifier, _ language: LanguageTag?) -> String? {
    texts[Statement(identifier, language)]
  }

  /// All that is said of a fact.
  func values(of fact: MetadataIdentifier?) -> Set<MetadataValue> {
    (fact?.spellings ?? []).reduce(into: []) { $0.formUnion(valuesByIdentifier[$1] ?? []) }
  }

  mutating func add(_ identifier: MetadataIdentifier, _ item: MetadataItem, joined: String? = nil) {
    let statement = Statement(identifier, item.language)
    sources[statement] = .added(item.identifier, item.language)
    texts[statement] = joined ?? item.stringValue
    valuesByIdentifier[identifier, default: []].insert(item.value)
  }
}
