import MovieBox
import Subtitles

/// The requested changes to the metadata of a movie: changed, removed and added items, and the dates in headers.
///
/// Several vocabularies may contain the same fact, such as the title, so a request is not a list of items. This value
/// reads the items of the movie once, determines which items contain a fact, and collects the changes in ``edits``.
/// ``MetadataWriter`` writes the changes, and ``RequestedMetadata`` checks the planned movie against them.
struct MetadataChange: Sendable {
  /// The movie whose metadata changes.
  private(set) var movie: Movie
  /// The items of the movie, read once.
  private(set) var index: MetadataIndex
  /// The changes to the items and to the dates in headers.
  var edits = MetadataEdits()
  /// The new items that the caller did not request: imported, mirrored and rewritten items. The sharing policy applies
  /// to them as it does to the movie's own items.
  var derivedItems: Set<NewMetadataItem> = []
  /// The derived items that were copied from a movie, if no camera recorded that movie.
  var importedItems: Set<NewMetadataItem> = []
  /// The lists of keys that were read, by track ID; see ``keyList(ofTrack:)``.
  private var keyLists: [UInt32?: LimitedKeyList?] = [:]
  private(set) var notices: [EditNotice] = []

  init(in movie: Movie) {
    self.movie = movie
    index = MetadataIndex(of: movie)
  }

  /// Replaces the movie with the result of a later stage. Both movies contain the same items.
  mutating func rebind(to movie: Movie) {
    (self.movie, index, keyLists) = (movie, MetadataIndex(of: movie), [:])
  }

  var isEmpty: Bool { edits.isEmpty }

  /// Records a notice once.
  mutating func report(_ notice: EditNotice) {
    if !notices.contains(notice) { notices.append(notice) }
  }

  // MARK: - Requests

  /// Sets a fact in every item that contains it; see ``MovieEdit/setMetadata(_:ofTrack:isExact:)``.
  mutating func set(
    _ input: MetadataInput, ofTrack trackID: UInt32?, isExact: Bool = false
  ) throws(MovieError) -> [MetadataIdentifier] {
    try requireWritable(input)
    let statement = try statement(of: input.normalized, trackID, isExact: isExact)
    apply(statement)
    if input.identifier.common?.key == "location", !isExact {
      for number in locationDetails(ofTrack: trackID).keys { edits.remove(number) }
    }
    return statement.identifiers
  }

  /// Adds an item without changing other items that contain the fact; see ``MovieEdit/addMetadata(_:ofTrack:)``.
  mutating func add(_ input: MetadataInput, ofTrack trackID: UInt32?) throws(MovieError) -> [MetadataIdentifier] {
    try requireWritable(input)
    let keywords = keywords(inLanguageOf: input, trackID)
    if !keywords.isEmpty {  // Keywords are stored as one list.
      let all = keywords + MetadataValue.keywords(in: input.value.stringValue ?? "").filter { !keywords.contains($0) }
      let list = MetadataInput(
        input.identifier, .text(all.joined(separator: ", ")), language: input.language, typeCode: input.typeCode)
      return try set(list, ofTrack: trackID)
    }
    let input = input.normalized
    let identifiers = identifiers(for: input, trackID)
    guard !identifiers.isEmpty else {
      throw MovieError(.invalidEdit, "no vocabulary of this movie can store \(input.identifier)")
    }
    try add(input, as: identifiers, trackID)
    return identifiers
  }

  /// Removes items; see ``MovieEdit/removeMetadata(matching:language:ofTrack:)``.
  ///
  /// - Parameter conversion: the conversion of the movie, or `nil` if it is not converted. Mirrored items are dropped
  ///   if all their source items are removed.
  mutating func remove(
    matching pattern: String, language: LanguageTag?, ofTrack trackID: UInt32?, _ conversion: ConvertedMovie?
  ) -> [MetadataItem] {
    let language = language.map(\.ifDetermined)
    func isInLanguage(_ other: LanguageTag?) -> Bool { language.map { $0 == other } ?? true }
    var removedItems: [MetadataItem] = []
    for (number, item) in index.items.enumerated() where canChange(item, number) {
      guard item.identifier.isMatched(by: pattern), isInLanguage(item.language),
        trackID == nil || item.trackID == trackID
      else { continue }
      edits.remove(number)
      removedItems.append(item)
    }
    edits.added.removeAll {
      $0.identifier.isMatched(by: pattern) && (trackID == nil || $0.trackID == trackID) && isInLanguage($0.language)
    }
    if trackID == nil, let conversion {
      dropMirroredItems(of: conversion) { item in
        item.identifier.isMatched(by: pattern) && isInLanguage(item.language)
      } unless: { _ in
        true
      }
    }
    return removedItems
  }

  // MARK: - Items of the movie

  /// Whether an item can be changed and removed, and is not removed yet.
  func canChange(_ item: MetadataItem, _ itemIndex: Int) -> Bool {
    guard let atom = item.atomLocation.atom, !item.isStructural else { return false }
    return !index.uneditableAtoms.contains(atom) && !edits.removed.contains(itemIndex)
  }

  /// Returns whether the removal of these values also removes the file name of an iTunes item. An item such as a cover
  /// may have a file name, which is removed together with the last value.
  func losesName(_ item: MetadataItem, ofValues numbers: [Int]) -> Bool {
    guard item.typeCode != nil, item.details["name"] != nil,
      let parent = item.atomLocation.atom.flatMap({ movie.tree[$0].parent })
    else { return false }
    return Set(index.indices(in: parent)).isSubset(of: numbers)
  }

  /// Returns the items that describe the location in QuickTime metadata, such as its name and accuracy, by index.
  /// Excludes items that the edit changed.
  func locationDetails(ofTrack trackID: UInt32?) -> [Int: MetadataIdentifier] {
    let items = index.items
    let changeableItems = index.locationDetails.filter { number in
      items[number].trackID == trackID && edits.replaced[number] == nil
        && canChange(items[number], number)
    }
    return Dictionary(changeableItems.map { ($0, items[$0].identifier) }) { first, _ in first }
  }

  /// Returns the keywords of the movie or a track in the language of the input. If the input has no language and every
  /// keyword has a language, returns the English keywords.
  func keywords(inLanguageOf input: MetadataInput, _ trackID: UInt32?) -> [String] {
    guard input.identifier.common?.key == "keywords" else { return [] }
    var values: [(language: LanguageTag?, text: String?)] = []
    let identifier = MetadataIdentifier(.common, key: "keywords")
    for number in index.indices(of: identifier) where index.items[number].trackID == trackID {
      let item = index.items[number]
      let content = edits.content(of: item, at: number)
      values.append(
        (edits.language(of: item, at: number), content?.value(of: item.identifier).stringValue))
    }
    for item in edits.added where item.trackID == trackID && item.identifier.common?.key == "keywords" {
      values.append((item.language, item.content.value(of: item.identifier).stringValue))
    }
    let language = input.language?.ifDetermined
    var matches = values.filter { $0.language == language }
    if matches.isEmpty, language == nil { matches = values.filter { $0.language?.language == "en" } }
    return matches.flatMap { MetadataValue.keywords(in: $0.text ?? "") }.withoutRepetition
  }

  // MARK: - Vocabularies

  /// The vocabularies of the movie's type.
  var ownSpaces: [MetadataIdentifier.Space] {
    guard movie.dialect == .iso else { return [.quickTimeMetadata] }
    switch movie.fileType?.majorBrand.description.prefix(3) {
    case "M4A", "M4B", "M4V", "M4P": return [.iTunes]
    case "3gp", "3g2", "3gr", "3gs": return [.isoUserData]
    default: return [.isoUserData, .iTunes]
    }
  }

  /// Returns the vocabularies in which a movie of this type contains a fact. The location in ISO files is written in
  /// two vocabularies: Apple's programs write 3GPP's form, but Android, MediaInfo and most galleries read only
  /// QuickTime's form.
  func ownSpaces(of fact: MetadataIdentifier) -> [MetadataIdentifier.Space] {
    fact.key == "location" && movie.dialect == .iso ? [.isoUserData, .quickTimeUserData] : ownSpaces
  }

  /// Returns the vocabularies in which a converted movie contains a fact.
  ///
  /// They are usually the vocabularies of the movie's type. If these vocabularies cannot store the fact, and the
  /// conversion would drop the item `lost`, the result is QuickTime metadata instead.
  func spaces(forNew fact: MetadataIdentifier, insteadOf lost: MetadataItem?) -> [MetadataIdentifier.Space] {
    let movieSpaces = ownSpaces(of: fact)
    let spellings = fact.spellings.filter { !Self.isNeverCreated($0) }
    guard lost != nil, !spellings.contains(where: { movieSpaces.contains($0.space) }) else { return movieSpaces }
    return [.quickTimeMetadata]
  }

  /// Returns the identifiers of the new items for an input. A fact has an identifier in each vocabulary of the movie.
  func identifiers(for input: MetadataInput, _ trackID: UInt32?) -> [MetadataIdentifier] {
    guard input.identifier.space == .common else { return [input.identifier] }
    let spellings = input.identifier.spellings.filter { !Self.isNeverCreated($0) }
    // Tracks do not contain iTunes lists.
    let movieSpaces = ownSpaces(of: input.identifier).filter { trackID == nil || $0 != .iTunes }
    let identifiers = movieSpaces.compactMap { space in spellings.first { $0.space == space } }
    return identifiers.isEmpty ? spellings.first { $0.space == .quickTimeMetadata }.map { [$0] } ?? [] : identifiers
  }

  /// Returns whether no new item ever gets this identifier. The thumbnail of ISO user data (`thmb`) is for small
  /// pictures only, no known reader reads the make and model in ISO user data, and iTunes does not define a location.
  static func isNeverCreated(_ identifier: MetadataIdentifier) -> Bool {
    identifier.space == .isoUserData && ["thmb", "manu", "modl"].contains(identifier.type)
      || identifier.space == .iTunes && identifier.type == "©xyz"
  }

  /// Adds an item with each identifier, without changing other items of the fact. Checks all items before it adds one.
  mutating func add(
    _ input: MetadataInput, as identifiers: [MetadataIdentifier], _ trackID: UInt32?
  ) throws(MovieError) {
    let items = try identifiers.map { identifier throws(MovieError) in try newItem(input, as: identifier, trackID) }
    try requireAllowedKeys(for: items)
    for item in items { edits.additions.append(item) }
  }

  /// Returns a new item. Throws `.invalidEdit` if the value is not valid for the identifier, or if the movie cannot
  /// contain the item.
  mutating func newItem(
    _ input: MetadataInput, as identifier: MetadataIdentifier, _ trackID: UInt32?
  ) throws(MovieError) -> NewMetadataItem {
    guard let content = content(input, for: identifier, replacing: nil) else {
      throw refusal(of: input, for: identifier)
    }
    let item = NewMetadataItem(identifier, content, language: input.language?.ifDetermined, trackID: trackID)
    guard item.isWritable else { throw refusal(of: input, for: identifier) }
    guard canContain(item) else {
      throw MovieError(
        .invalidEdit, "cannot add \(identifier): ID3 tags require the movie's meta atom, which contains other metadata")
    }
    return item
  }

  /// Throws `.invalidEdit` if the list of keys of the movie or a track cannot be extended with the keys of new items.
  /// All items must describe one track, or all must describe the movie.
  mutating func requireAllowedKeys(for items: [NewMetadataItem]) throws(MovieError) {
    guard let first = items.first(where: \.needsKey), let list = keyList(ofTrack: first.trackID) else { return }
    var addedKeys = addedKeys(to: list, ofTrack: first.trackID)
    for item in items where item.needsKey {
      guard list.allowsKey(for: item.identifier, inAdditionTo: addedKeys) else {
        throw MovieError(
          .invalidEdit,
          "cannot add \(item.identifier): an existing item of the movie has no key, and the new key would name this item (ilst)"
        )
      }
      if !list.keys.contains(item.identifier) { addedKeys.insert(item.identifier) }
    }
  }

  /// Returns the content of an item with an identifier, or `nil` if the value is not valid for the identifier. The
  /// requested well-known type applies only to the identifier of the input.
  func content(
    _ input: MetadataInput, for identifier: MetadataIdentifier, replacing old: MetadataItem?, at number: Int? = nil
  ) -> MetadataContent? {
    func content(_ language: LanguageTag?) -> MetadataContent? {
      MetadataContent(
        input.value, for: identifier, typeCode: identifier == input.identifier ? input.typeCode : nil,
        language: language, replacing: old)
    }
    guard input.language == nil, let old, let number else { return content(input.language) }
    let keptContent = content(nil)
    // A new value without a language applies to all languages. An unchanged value keeps its language.
    let isInLanguage = edits.language(of: old, at: number) != nil
    return isInLanguage && keptContent != MetadataContent(old) ? content(LanguageTag("und")) : keptContent
  }

  /// Returns the atom of a track, or the root if `trackID` is `nil` or no track has the ID.
  private func atom(ofTrack trackID: UInt32?) -> Int {
    trackID.flatMap { movie.track($0)?.atom } ?? movie.tree.root
  }

  /// Returns the list of keys of the movie or a track, or `nil` if any number of keys may be added. Reads each list
  /// once.
  mutating func keyList(ofTrack trackID: UInt32?) -> LimitedKeyList? {
    if let keyList = keyLists[trackID] { return keyList }
    let list = movie.tree.limitedKeyList(about: atom(ofTrack: trackID))
    keyLists[trackID] = .some(list)
    return list
  }

  /// Returns the identifiers of the items that are added to a track, or to the movie if `trackID` is `nil`. Identifiers
  /// that `list` contains are omitted.
  func addedKeys(to list: LimitedKeyList, ofTrack trackID: UInt32?) -> Set<MetadataIdentifier> {
    edits.additions.keys(ofTrack: trackID).subtracting(list.keys)
  }

  /// Whether the movie can contain an item. ID3 frames need a `meta` atom of their own.
  func canContain(_ item: NewMetadataItem) -> Bool {
    guard item.identifier.space == .id3 else { return true }
    let (tree, parent) = (movie.tree, atom(ofTrack: item.trackID))
    return tree.child(of: parent, "meta") == nil
      || (tree.children(of: parent, "meta")
        + tree.children(of: parent, "udta").flatMap { tree.children(of: $0, "meta") })
        .contains { tree.containsID3Frames($0) }
  }

  // MARK: - Errors

  /// Throws `.invalidEdit` if the language has no ISO 639-2 code, or if the value does not fit the fact. Every item
  /// requires a code.
  func requireWritable(_ input: MetadataInput) throws(MovieError) {
    if let tag = input.language?.ifDetermined, LanguageCode.packed(for: tag) == LanguageCode.undetermined {
      throw MovieError(.invalidEdit, "language \(tag) has no ISO 639-2 code, which metadata items require")
    }
    if let form = input.missingForm {
      let value = input.value.stringValue.map { excerpt($0.utf8) } ?? "bytes"
      throw MovieError(.invalidEdit, "\(input.identifier) cannot have the value \(value): it must be a \(form.name)")
    }
    guard input.identifier.common?.key == "artwork", input.typeCode == nil, case .text = input.value else { return }
    throw MovieError(.invalidEdit, "\(input.identifier) must be a picture, not text")
  }

  /// Returns the error for a value that is not valid for an identifier, with advice on valid values.
  func refusal(of input: MetadataInput, for identifier: MetadataIdentifier) -> MovieError {
    let value = input.value.stringValue.map { "\"\($0.prefix(40))\"" } ?? "a picture or bytes"
    let type = input.typeCode.map { " of type \($0)" } ?? ""
    // An iTunes item that rejects text must be a number.
    let isNumber = identifier.space == .iTunes && input.typeCode == nil && input.value.stringValue != nil
    var advice = !isNumber ? "" : ["trkn", "disk"].contains(identifier.type) ? "; write 3 or 3/12" : "; write a number"
    if isNumber, let names = identifier.valueNames {
      // The list of iTunes genres is too long for a message, so only the first 12 names appear.
      advice += " or a name: " + names.prefix(12).joined(separator: ", ") + (names.count > 12 ? ", …" : "")
    }
    if identifier.space == .iTunesLongForm, !identifier.key.contains(".") {
      advice = "; write the full name, such as itlk/com.apple.iTunes.\(identifier.key)"
    }
    if identifier.isUserDefinedFrame {
      advice = ": the item needs a description as well as the text; import both as JSON"
    }
    return MovieError(.invalidEdit, "\(identifier)\(type) cannot have the value \(value)\(advice)")
  }
}
