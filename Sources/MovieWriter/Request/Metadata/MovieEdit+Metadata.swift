public import MovieBox
import Subtitles

// Facts that a movie or a track states about itself. An item that is changed keeps its place and its form.
extension MovieEdit {
  /// Whether metadata comes, goes, or says something else than it did.
  public var changesMetadata: Bool { !metadataChanges.isEmpty }

  /// States a fact: every spelling of it that the movie has says this from now on, and no other spelling of the same
  /// fact contradicts it.
  ///
  /// What the movie does not have yet is created: an identifier that is named, as it is; one of
  /// ``/MovieBox/MetadataIdentifier/Space/common`` in the vocabularies that belong to the type of the movie, which are
  /// QuickTime metadata for `.mov`, user data of ISO and iTunes metadata for `.mp4`, iTunes metadata for `.m4v` and
  /// `.m4a`, user data of ISO for `.3gp`. Of a fact in a language only the items in that language change, and of one
  /// without only those without, or in English where there is none; translations stay. What QuickTime metadata says of
  /// the old location, such as how exact it is, goes with it.
  ///
  /// Places and dates are taken as ``/MovieBox/WrittenValue`` reads them, and written as ISO 6709 and ISO 8601 have them.
  ///
  /// Gives the identifiers of the items that say it. Throws ``/MovieBox/MovieError``, `.invalidEdit`, for a language
  /// without an ISO 639-2 code, for a value that is no place or date where the identifier takes one, for a value that
  /// the form of an item cannot hold, for titles and tags of tracks, which
  /// ``setTitle(_:of:)`` and ``addCharacteristics(_:to:)`` are for, and where no track has the ID.
  ///
  /// - Parameters:
  ///   - input: the fact.
  ///   - trackID: the track that it is about; `nil` for the movie.
  ///   - isExact: whether items of other identifiers that state the same fact stay as they are.
  @discardableResult
  public mutating func setMetadata(
    _ input: MetadataInput, ofTrack trackID: UInt32? = nil, isExact: Bool = false
  ) throws(MovieError) -> [MetadataIdentifier] {
    try requireMetadataTrack(trackID, input.identifier)
    try requireWritable(input)
    let statement = try statement(of: input.inOneSpelling, trackID, isExact: isExact)
    apply(statement)
    if input.identifier.common?.key == "location", !isExact {
      for number in detailsOfPlace(ofTrack: trackID).keys { metadataChanges.remove(number) }
    }
    return statement.identifiers
  }

  /// Whether an item can be changed and taken out, and has not been.
  func canChange(_ item: MetadataItem, _ number: Int) -> Bool {
    guard let atom = item.place.atom, !item.isStructure else { return false }
    return !metadataIndex.fixedAtoms.contains(atom) && !metadataChanges.removed.contains(number)
  }

  /// Adds an item, beside those that state the same fact; one of ``/MovieBox/MetadataIdentifier/Space/common`` in each
  /// vocabulary that belongs to the type of the movie.
  ///
  /// Gives the identifiers of the items. Throws as ``setMetadata(_:ofTrack:isExact:)`` does.
  @discardableResult
  public mutating func addMetadata(
    _ input: MetadataInput, ofTrack trackID: UInt32? = nil
  ) throws(MovieError) -> [MetadataIdentifier] {
    try requireMetadataTrack(trackID, input.identifier)
    try requireWritable(input)
    let keywords = statedKeywords(beside: input, trackID)
    if !keywords.isEmpty {  // They are one list.
      let all = keywords + MetadataValue.keywords(in: input.value.stringValue ?? "").filter { !keywords.contains($0) }
      let list = MetadataInput(
        input.identifier, .text(all.joined(separator: ", ")), language: input.language, typeCode: input.typeCode)
      return try setMetadata(list, ofTrack: trackID)
    }
    let input = input.inOneSpelling
    let identifiers = wantedSpellings(of: input, trackID)
    guard !identifiers.isEmpty else {
      throw MovieError(.invalidEdit, "no vocabulary of this movie has a word for \(input.identifier)")
    }
    for identifier in identifiers { try add(input, as: identifier, trackID) }
    return identifiers
  }

  /// Takes items out, and gives those that went: of the movie and its tracks, or of one track.
  ///
  /// Titles and tags of tracks stay, and so does what stands beside the movie atom. With the location goes what else is
  /// said of it, such as its name. Where the movie is edited in place, the bytes of what went stay in the file, unused.
  ///
  /// - Parameters:
  ///   - pattern: such as `mdta/com.example.*`; `common/title` stands for every spelling of it.
  ///   - language: the language of the items; `nil` for all.
  ///   - trackID: the track that they are about; `nil` for the movie and all tracks.
  @discardableResult
  public mutating func removeMetadata(
    matching pattern: String, language: LanguageTag? = nil, ofTrack trackID: UInt32? = nil
  ) -> [MetadataItem] {
    var gone: [MetadataItem] = []
    for (number, item) in metadataIndex.items.enumerated() where canChange(item, number) {
      guard item.identifier.isMeant(by: pattern), language == nil || item.language == language?.ifDetermined,
        trackID == nil || item.trackID == trackID
      else { continue }
      metadataChanges.remove(number)
      gone.append(item)
    }
    metadataChanges.added.removeAll {
      $0.identifier.isMeant(by: pattern) && (trackID == nil || $0.trackID == trackID)
        && (language == nil || $0.language == language?.ifDetermined)
    }
    if trackID == nil {
      leaveOutRestated { item in
        item.identifier.isMeant(by: pattern) && (language == nil || item.language == language?.ifDetermined)
      } and: { _ in
        true
      }
    }
    return gone
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

  /// The vocabularies in which a movie of its type states a fact: its own. The place of ISO files Apple's programs have in
  /// 3GPP's form, while Android, MediaInfo and most galleries read that of QuickTime alone.
  func ownSpaces(of fact: MetadataIdentifier) -> [MetadataIdentifier.Space] {
    fact.key == "location" && movie.dialect == .iso ? [.isoUserData, .quickTimeUserData] : ownSpaces
  }

  /// What a fact is to be called that the movie does not state yet.
  func wantedSpellings(of input: MetadataInput, _ trackID: UInt32?) -> [MetadataIdentifier] {
    guard input.identifier.space == .common else { return [input.identifier] }
    let spellings = input.identifier.spellings.filter { !Self.isNeverCreated($0) }
    // Tracks have no list of iTunes'.
    let own = ownSpaces(of: input.identifier).filter { trackID == nil || $0 != .iTunes }
    let wanted = own.compactMap { space in spellings.first { $0.space == space } }
    return wanted.isEmpty ? spellings.first { $0.space == .quickTimeMetadata }.map { [$0] } ?? [] : wanted
  }

  /// Thumbnails are small, no reader is known that takes makes and models from user data of ISO, and iTunes has no place.
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
    metadataChanges.additions.append(item)
  }

  /// The item that states a fact as an identifier. Throws where there is no such item, or no place for it.
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

  /// Throws where a list of keys has no room for the keys of new items about one track, or about the movie.
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

  /// What an item says: the well-known type that is wanted is that of the identifier which is named.
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
    let isInLanguage = metadataChanges.language(of: old, number: number) != nil
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

  /// What is added to the movie or a track that such a list has no key for yet.
  func addedKeys(to list: FullKeyList, ofTrack trackID: UInt32?) -> Set<MetadataIdentifier> {
    metadataChanges.additions.keys(ofTrack: trackID).subtracting(list.keys)
  }

  /// Whether the movie has a place for an item: frames of ID3 stand in a `meta` of their own.
  func hasPlace(_ item: NewMetadataItem) -> Bool {
    guard item.identifier.space == .id3 else { return true }
    let (tree, parent) = (movie.tree, subject(item.trackID))
    return tree.child(of: parent, "meta") == nil
      || (tree.children(of: parent, "meta")
        + tree.children(of: parent, "udta").flatMap { tree.children(of: $0, "meta") })
        .contains { tree.holdsFrames($0) }
  }

  // MARK: - Refusals

  private func requireMetadataTrack(_ id: UInt32?, _ identifier: MetadataIdentifier) throws(MovieError) {
    guard let id else { return }
    let place = try onlyIndex(of: id)
    guard tracks[place].old != nil else {
      throw MovieError(.invalidEdit, "track \(id) is new: what it says of itself is set once it is added")
    }
    guard !identifier.isTrackLabel, identifier.common?.key != "title" else {
      throw MovieError(
        .invalidEdit,
        "\(identifier) of a track is its title or a tag, which belong to the track, not to metadata")
    }
  }

  /// Items name a language by its ISO 639-2 code, and a picture is no text.
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
    if identifier.isOfOwnKind {
      advice = ": such an item has a description beside the text; import it with that, as the JSON of metadata has it"
    }
    return MovieError(.invalidEdit, "\(identifier)\(type) cannot say \(value)\(advice)")
  }
}
