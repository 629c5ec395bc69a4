import MovieBox
import Subtitles

/// The request to change the metadata of a movie: which items change, go and come, and the dates in headers.
///
/// A fact may be stated in several vocabularies, so a request is not a list of items. This value reads the items of the
/// movie once, decides which of them state a fact, and collects the changes in ``edits``. ``MetadataWriter`` writes them,
/// and ``RequestedMetadata`` checks the planned movie against them.
struct MetadataChange: Sendable {
  /// The movie whose metadata changes.
  private(set) var movie: Movie
  /// The items of the movie, read once.
  private(set) var index: MetadataIndex
  /// The changes to the items and to the dates in headers.
  var edits = MetadataEdits()
  /// The new items that the caller did not request: imported, mirrored and rewritten ones. A movie for sharing keeps them
  /// only if its policy does.
  var derivedItems: Set<NewMetadataItem> = []
  /// The derived items from movies that no camera recorded.
  var importedItems: Set<NewMetadataItem> = []
  /// The lists of keys that have been read, by track; see ``keyList(ofTrack:)``.
  private var keyLists: [UInt32?: FullKeyList?] = [:]
  private(set) var notices: [EditNotice] = []

  init(in movie: Movie) {
    self.movie = movie
    index = MetadataIndex(of: movie)
  }

  /// Passes to another stage of the movie, which has the same items.
  mutating func rebind(to movie: Movie) {
    (self.movie, index, keyLists) = (movie, MetadataIndex(of: movie), [:])
  }

  var isEmpty: Bool { edits.isEmpty }

  /// Reports an effect, once.
  mutating func report(_ notice: EditNotice) {
    if !notices.contains(notice) { notices.append(notice) }
  }

  // MARK: - Requests

  /// Sets a fact in every item that states it; see ``MovieEdit/setMetadata(_:ofTrack:isExact:)``.
  mutating func set(
    _ input: MetadataInput, ofTrack trackID: UInt32?, isExact: Bool = false
  ) throws(MovieError) -> [MetadataIdentifier] {
    try requireWritable(input)
    let statement = try statement(of: input.limitedToOwnIdentifier, trackID, isExact: isExact)
    apply(statement)
    if input.identifier.common?.key == "location", !isExact {
      for number in locationDetails(ofTrack: trackID).keys { edits.remove(number) }
    }
    return statement.identifiers
  }

  /// Adds an item beside those that state the same fact; see ``MovieEdit/addMetadata(_:ofTrack:)``.
  mutating func add(_ input: MetadataInput, ofTrack trackID: UInt32?) throws(MovieError) -> [MetadataIdentifier] {
    try requireWritable(input)
    let keywords = statedKeywords(beside: input, trackID)
    if !keywords.isEmpty {  // They are one list.
      let all = keywords + MetadataValue.keywords(in: input.value.stringValue ?? "").filter { !keywords.contains($0) }
      let list = MetadataInput(
        input.identifier, .text(all.joined(separator: ", ")), language: input.language, typeCode: input.typeCode)
      return try set(list, ofTrack: trackID)
    }
    let input = input.limitedToOwnIdentifier
    let identifiers = identifiers(for: input, trackID)
    guard !identifiers.isEmpty else {
      throw MovieError(.invalidEdit, "no vocabulary of this movie has a word for \(input.identifier)")
    }
    for identifier in identifiers { try add(input, as: identifier, trackID) }
    return identifiers
  }

  /// Removes items; see ``MovieEdit/removeMetadata(matching:language:ofTrack:)``.
  ///
  /// - Parameter conversion: the conversion of the movie. What it mirrored goes if all its sources go.
  mutating func remove(
    matching pattern: String, language: LanguageTag?, ofTrack trackID: UInt32?, _ conversion: ConvertedMovie?
  ) -> [MetadataItem] {
    let language = language.map(\.ifDetermined)
    func isInLanguage(_ other: LanguageTag?) -> Bool { language.map { $0 == other } ?? true }
    var gone: [MetadataItem] = []
    for (number, item) in index.items.enumerated() where canChange(item, number) {
      guard item.identifier.isMatched(by: pattern), isInLanguage(item.language),
        trackID == nil || item.trackID == trackID
      else { continue }
      edits.remove(number)
      gone.append(item)
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
    return gone
  }

  // MARK: - Items of the movie

  /// Whether an item can be changed and taken out, and has not been.
  func canChange(_ item: MetadataItem, _ number: Int) -> Bool {
    guard let atom = item.place.atom, !item.isStructure else { return false }
    return !index.fixedAtoms.contains(atom) && !edits.removed.contains(number)
  }

  /// Whether an iTunes item loses the name of its picture's file because all its values go.
  func losesName(_ item: MetadataItem, ofValues numbers: [Int]) -> Bool {
    guard item.typeCode != nil, item.details["name"] != nil,
      let parent = item.place.atom.flatMap({ movie.tree[$0].parent })
    else { return false }
    return Set(index.numbers(in: parent)).isSubset(of: numbers)
  }

  /// The items of QuickTime metadata that describe the location, such as its name and accuracy, and that the edit did not
  /// set, by their numbers.
  func locationDetails(ofTrack trackID: UInt32?) -> [Int: MetadataIdentifier] {
    let items = index.items
    let found = index.locationDetails.filter { number in
      items[number].trackID == trackID && edits.replaced[number] == nil
        && canChange(items[number], number)
    }
    return Dictionary(found.map { ($0, items[$0].identifier) }) { first, _ in first }
  }

  /// The keywords that a movie or a track has in the language of the input.
  func statedKeywords(beside input: MetadataInput, _ trackID: UInt32?) -> [String] {
    guard input.identifier.common?.key == "keywords" else { return [] }
    var stated: [(language: LanguageTag?, text: String?)] = []
    let keywords = MetadataIdentifier(.common, key: "keywords")
    for number in index.numbers(of: keywords) where index.items[number].trackID == trackID {
      let item = index.items[number]
      let content = edits.content(of: item, number: number)
      stated.append(
        (edits.language(of: item, number: number), content?.value(of: item.identifier).stringValue))
    }
    for item in edits.added where item.trackID == trackID && item.identifier.common?.key == "keywords" {
      stated.append((item.language, item.content.value(of: item.identifier).stringValue))
    }
    let language = input.language?.ifDetermined
    var meant = stated.filter { $0.language == language }
    if meant.isEmpty, language == nil { meant = stated.filter { $0.language?.language == "en" } }
    return meant.flatMap { MetadataValue.keywords(in: $0.text ?? "") }.withoutRepetition
  }

  // MARK: - Spellings

  /// The vocabularies that belong to the type of the movie.
  var ownSpaces: [MetadataIdentifier.Space] {
    guard movie.dialect == .iso else { return [.quickTimeMetadata] }
    switch movie.fileType?.majorBrand.description.prefix(3) {
    case "M4A", "M4B", "M4V", "M4P": return [.iTunes]
    case "3gp", "3g2", "3gr", "3gs": return [.isoUserData]
    default: return [.isoUserData, .iTunes]
    }
  }

  /// The vocabularies in which a movie of this type states a fact. Apple's programs write the location of ISO files in
  /// 3GPP's form, while Android, MediaInfo and most galleries read QuickTime's form alone.
  func ownSpaces(of fact: MetadataIdentifier) -> [MetadataIdentifier.Space] {
    fact.key == "location" && movie.dialect == .iso ? [.isoUserData, .quickTimeUserData] : ownSpaces
  }

  /// The vocabularies in which a converted movie states a fact: its own, or QuickTime metadata if none of them has a word
  /// for the fact and an item about it is left out.
  func spaces(forNew fact: MetadataIdentifier, insteadOf lost: MetadataItem?) -> [MetadataIdentifier.Space] {
    let own = ownSpaces(of: fact)
    let spellings = fact.spellings.filter { !Self.isNeverCreated($0) }
    guard lost != nil, !spellings.contains(where: { own.contains($0.space) }) else { return own }
    return [.quickTimeMetadata]
  }

  /// The identifiers by which new items state a fact.
  func identifiers(for input: MetadataInput, _ trackID: UInt32?) -> [MetadataIdentifier] {
    guard input.identifier.space == .common else { return [input.identifier] }
    let spellings = input.identifier.spellings.filter { !Self.isNeverCreated($0) }
    // Tracks have no list of iTunes'.
    let own = ownSpaces(of: input.identifier).filter { trackID == nil || $0 != .iTunes }
    let wanted = own.compactMap { space in spellings.first { $0.space == space } }
    return wanted.isEmpty ? spellings.first { $0.space == .quickTimeMetadata }.map { [$0] } ?? [] : wanted
  }

  /// Whether no item is created with an identifier. Thumbnails are small, no known reader looks for makes and models in ISO
  /// user data, and iTunes has no location.
  static func isNeverCreated(_ identifier: MetadataIdentifier) -> Bool {
    identifier.space == .isoUserData && ["thmb", "manu", "modl"].contains(identifier.type)
      || identifier.space == .iTunes && identifier.type == "©xyz"
  }

  /// Adds an item of an identifier, beside those that state the same fact.
  mutating func add(
    _ input: MetadataInput, as identifier: MetadataIdentifier, _ trackID: UInt32?
  ) throws(MovieError) {
    let item = try newItem(input, as: identifier, trackID)
    try requireRoom(for: [item])
    edits.additions.append(item)
  }

  /// Returns a new item. Throws if the identifier cannot have the value, or if the movie has no place for the item.
  mutating func newItem(
    _ input: MetadataInput, as identifier: MetadataIdentifier, _ trackID: UInt32?
  ) throws(MovieError) -> NewMetadataItem {
    guard let content = content(input, for: identifier, replacing: nil) else {
      throw refusal(of: input, for: identifier)
    }
    let item = NewMetadataItem(identifier, content, language: input.language?.ifDetermined, trackID: trackID)
    guard item.isWritable else { throw refusal(of: input, for: identifier) }
    guard hasPlace(item) else {
      throw MovieError(
        .invalidEdit, "\(identifier): the movie has metadata of another kind where a tag of ID3 would stand (meta)")
    }
    return item
  }

  /// Throws if a list of keys has no room for the keys of new items about one track, or about the movie.
  mutating func requireRoom(for items: [NewMetadataItem]) throws(MovieError) {
    guard let first = items.first(where: \.needsKey), let list = keyList(ofTrack: first.trackID) else { return }
    var others = addedKeys(to: list, ofTrack: first.trackID)
    for item in items where item.needsKey {
      guard list.hasRoom(for: item.identifier, beside: others) else {
        throw MovieError(
          .invalidEdit, "\(item.identifier): the movie has an item without a key (ilst), which a new key would name")
      }
      if !list.keys.contains(item.identifier) { others.insert(item.identifier) }
    }
  }

  /// The content of an item. The requested well-known type applies to the identifier of the input alone.
  func content(
    _ input: MetadataInput, for identifier: MetadataIdentifier, replacing old: MetadataItem?, at number: Int? = nil
  ) -> MetadataContent? {
    func content(_ language: LanguageTag?) -> MetadataContent? {
      MetadataContent(
        input.value, for: identifier, typeCode: identifier == input.identifier ? input.typeCode : nil,
        language: language, replacing: old)
    }
    guard input.language == nil, let old, let number else { return content(input.language) }
    let kept = content(nil)
    // What was in a language and is now stated without one holds in all; what says the same stays as it is.
    let isInLanguage = edits.language(of: old, number: number) != nil
    return isInLanguage && kept != MetadataContent(old) ? content(LanguageTag("und")) : kept
  }

  /// The atom that items are about.
  private func subject(_ trackID: UInt32?) -> Int {
    trackID.flatMap { movie.track($0)?.atom } ?? movie.tree.root
  }

  /// The list of keys of the movie or a track, or `nil` if any number of keys may come. Read once.
  mutating func keyList(ofTrack trackID: UInt32?) -> FullKeyList? {
    if let known = keyLists[trackID] { return known }
    let list = movie.tree.fullKeyList(about: subject(trackID))
    keyLists[trackID] = .some(list)
    return list
  }

  /// The identifiers of added items about the movie or a track that the list has no key for.
  func addedKeys(to list: FullKeyList, ofTrack trackID: UInt32?) -> Set<MetadataIdentifier> {
    edits.additions.keys(ofTrack: trackID).subtracting(list.keys)
  }

  /// Whether the movie has a place for an item: ID3 frames need a `meta` of their own.
  func hasPlace(_ item: NewMetadataItem) -> Bool {
    guard item.identifier.space == .id3 else { return true }
    let (tree, parent) = (movie.tree, subject(item.trackID))
    return tree.child(of: parent, "meta") == nil
      || (tree.children(of: parent, "meta")
        + tree.children(of: parent, "udta").flatMap { tree.children(of: $0, "meta") })
        .contains { tree.holdsFrames($0) }
  }

  // MARK: - Refusals

  /// Throws for a language without an ISO 639-2 code, which items need, and for text in the place of a picture.
  func requireWritable(_ input: MetadataInput) throws(MovieError) {
    if let tag = input.language?.ifDetermined, LanguageCode.packed(for: tag) == LanguageCode.undetermined {
      throw MovieError(.invalidEdit, "\(tag) has no ISO 639-2 code, by which items name their language")
    }
    if let form = input.missingForm {
      let value = input.value.stringValue.map { excerpt($0.utf8) } ?? "bytes"
      throw MovieError(.invalidEdit, "\(input.identifier) cannot have \(value): it takes a \(form.name)")
    }
    guard input.identifier.common?.key == "artwork", input.typeCode == nil, case .text = input.value else { return }
    throw MovieError(.invalidEdit, "\(input.identifier) is a picture, and no text")
  }

  func refusal(of input: MetadataInput, for identifier: MetadataIdentifier) -> MovieError {
    let value = input.value.stringValue.map { "\"\($0.prefix(40))\"" } ?? "a picture or bytes"
    let type = input.typeCode.map { " of type \($0)" } ?? ""
    // Of iTunes' items only numbers are no text.
    let isNumber = identifier.space == .iTunes && input.typeCode == nil && input.value.stringValue != nil
    var advice = !isNumber ? "" : ["trkn", "disk"].contains(identifier.type) ? "; write 3 or 3/12" : "; write a number"
    if isNumber, let names = identifier.valueNames {
      // iTunes' genres are more than a line holds.
      advice += " or a name: " + names.prefix(12).joined(separator: ", ") + (names.count > 12 ? ", …" : "")
    }
    if identifier.space == .iTunesLongForm, !identifier.key.contains(".") {
      advice = "; its whole name is such as itlk/com.apple.iTunes.\(identifier.key)"
    }
    if identifier.isUserDefinedFrame {
      advice = ": such an item has a description beside the text; import it with that, as the JSON of metadata has it"
    }
    return MovieError(.invalidEdit, "\(identifier)\(type) cannot say \(value)\(advice)")
  }
}
