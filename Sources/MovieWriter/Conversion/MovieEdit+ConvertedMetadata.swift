import MovieBox

// What a movie says of itself, in the vocabularies of another type, in three steps as AVFoundation has them (WWDC14
// "Harnessing Metadata in Audiovisual Media"): what the type has stays as it is; what it has another word for is said in
// that; what is left is left out, and listed.
extension MovieEdit {
  /// States the facts of a movie in the vocabularies of its new type, and takes out what that has no place for.
  mutating func convertMetadata(of original: Movie) {
    guard let type = conversion?.type else { return }
    let items = movie.metadata
    var stated = Set(items.map { Statement($0) })
    var values = Set(items.map { Value($0.identifier, $0) })
    var facts: [String] = []
    for item in original.metadata where item.trackID == nil && item.place.atom != nil && !item.isStructure {
      // A picture is large, and those who read QuickTime movies find that of iTunes' list there.
      guard let fact = item.identifier.common, !(fact.key == "artwork" && type.isQuickTime) else { continue }
      for space in ownSpaces {
        let spellings = fact.spellings.filter { $0.space == space }
        guard let wanted = spellings.first(where: { !Self.isNeverCreated($0) }),
          !spellings.contains(where: {
            stated.contains(Statement($0, item.language)) || values.contains(Value($0, item))
          }), state(item, as: wanted)
        else { continue }
        stated.insert(Statement(wanted, item.language))
        values.insert(Value(wanted, item))
        if !facts.contains(fact.key) { facts.append(fact.key) }
      }
    }
    if !facts.isEmpty {
      note(.metadataConverted, "stated in the words of \(type.name) too: \(facts.joined(separator: ", "))")
    }
    for (number, item) in items.enumerated() where item.trackID == nil && !hasPlace(item, in: type) {
      metadataChanges.remove(number)
      let others = Set(item.identifier.common.map { $0.spellings } ?? []).subtracting([item.identifier])
      let isStated = others.contains {
        stated.contains(Statement($0, item.language)) || values.contains(Value($0, item))
      }
      if !isStated {
        conversion?.listedItems.insert(number)
        note(.leftOut, "\(item.identifier) is left out, for which \(type.name) has no word: \(Self.excerpt(item))")
      }
    }
    conversion?.metadata = metadataChanges
  }

  /// Adds an item that says the same; gives whether its form can.
  private mutating func state(_ item: MetadataItem, as wanted: MetadataIdentifier) -> Bool {
    do throws(MovieError) {
      try add(MetadataInput(wanted, item.value, language: item.language), as: wanted, nil, replacesAdded: false)
      return true
    } catch {
      return false
    }
  }

  /// A fact in a language.
  private struct Statement: Hashable {
    let identifier: MetadataIdentifier
    let language: String?

    init(_ identifier: MetadataIdentifier, _ language: LanguageTag?) {
      self.identifier = identifier
      self.language = language?.language
    }

    init(_ item: MetadataItem) { self.init(item.identifier, item.language) }
  }

  /// What an item says; the same in two languages is one.
  private struct Value: Hashable {
    let identifier: MetadataIdentifier
    let value: MetadataValue

    init(_ identifier: MetadataIdentifier, _ item: MetadataItem) { (self.identifier, value) = (identifier, item.value) }
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
