public import MovieBox

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
  /// Gives the identifiers of the items that say it. Throws ``/MovieBox/MovieError``, `.invalidEdit`, for a language
  /// without an ISO 639-2 code, for a value that the form of an item cannot hold, for titles and tags of tracks, which
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
    let before = metadataChanges
    do throws(MovieError) {
      let said = try stateFact(input.inOneSpelling, trackID, isExact: isExact)
      if input.identifier.common?.key == "location", !isExact {
        for number in detailsOfPlace(ofTrack: trackID).keys { metadataChanges.remove(number) }
      }
      return said
    } catch {
      metadataChanges = before
      throw error
    }
  }

  private mutating func stateFact(
    _ input: MetadataInput, _ trackID: UInt32?, isExact: Bool
  ) throws(MovieError) -> [MetadataIdentifier] {
    let items = movie.metadata
    try requireOneFrame(input, trackID, among: items)
    let wanted = wantedSpellings(of: input, trackID)
    // A number in iTunes' list of genres is no word for one.
    let fact = isExact || input.identifier.type == "gnre" ? nil : input.identifier.common
    let fixed = fixedAtoms(holding: items)
    var places: [(place: Place, numbers: [Int])] = []
    for (number, item) in items.enumerated() where item.trackID == trackID && canChange(item, number, fixed) {
      guard wanted.contains(item.identifier) || fact != nil && item.identifier.common == fact,
        !item.isDescribed || item.identifier == input.identifier && item.identifier.isOfOwnKind
      else {
        continue
      }
      let place = Place(identifier: item.identifier, container: container(of: item))
      if let known = places.firstIndex(where: { $0.place == place }) {
        places[known].numbers.append(number)
      } else {
        places.append((place, [number]))
      }
    }
    var said: [MetadataIdentifier] = []
    for (_, numbers) in places {
      let meant = itemsInLanguage(of: input, among: numbers, of: items)
      guard let first = meant.first else { continue }
      let old = items[first]
      if var content = content(input, for: old.identifier, replacing: old, at: first) {
        if content.bytes != old.bytes, losesName(old, ofValues: meant, of: items) { content.details["name"] = nil }
        metadataChanges.replace(first, of: items, with: content, language: input.language?.ifDetermined)
        said.append(old.identifier)
      } else {
        // A genre by its number cannot stay beside one that has none.
        if old.identifier == input.identifier { throw refusal(of: input, for: old.identifier) }
        metadataChanges.remove(first)
      }
      for surplus in meant.dropFirst() { metadataChanges.remove(surplus) }
    }
    // What was added before is stated again.
    let isMeant: (NewMetadataItem) -> Bool = { item in
      item.trackID == trackID && item.language == input.language?.ifDetermined
        && (wanted.contains(item.identifier) || fact != nil && item.identifier.common == fact)
    }
    let added = metadataChanges.added.filter(isMeant).map(\.identifier)
    metadataChanges.added.removeAll(where: isMeant)
    for identifier in Set(added).subtracting(said).subtracting(wanted).sorted(by: { $0.description < $1.description }) {
      try add(input, as: identifier, trackID, replacesAdded: true)
      said.append(identifier)
    }
    for identifier in wanted where !said.contains(identifier) {
      try add(input, as: identifier, trackID, replacesAdded: true)
      said.append(identifier)
    }
    guard !said.isEmpty else {
      throw MovieError(.invalidEdit, "no vocabulary of this movie has a word for \(input.identifier)")
    }
    return said.withoutRepetition
  }

  /// Whether an item can be changed and taken out, and has not been; `fixed` is ``fixedAtoms(holding:)``.
  func canChange(_ item: MetadataItem, _ number: Int, _ fixed: Set<Int>) -> Bool {
    guard let atom = item.place.atom, !item.isStructure else { return false }
    return !fixed.contains(atom) && !metadataChanges.removed.contains(number)
  }

  /// The atoms of which no item can be changed: of frames and Windows' items those in which not all is understood. Each
  /// is read once, however many items it has.
  func fixedAtoms(holding items: [MetadataItem]) -> Set<Int> {
    Set(items.compactMap(\.place.atom)).filter { atom in
      switch movie.tree[atom].type {
      case "ID32": ID3Tag(movie.tree.payload(of: atom).dropFirst(6))?.isPlain != true
      case "Xtra": !WindowsMetadata(movie.tree.payload(of: atom)).isWhole
      default: false
      }
    }
  }

  /// Those of some items of one identifier that a fact is meant for: the ones in its language. One without a language
  /// is meant for those without, else for those in English, which many writers say who do not know it; translations stay.
  private func itemsInLanguage(of input: MetadataInput, among numbers: [Int], of items: [MetadataItem]) -> [Int] {
    func inLanguage(_ wanted: LanguageTag?) -> [Int] {
      numbers.filter { number in
        let language = metadataChanges.language(of: items[number], number: number)
        return language == wanted
          || language.map { $0.isStored(like: wanted, withCountry: items[number].typeCode != nil) } ?? false
      }
    }
    let exact = inLanguage(input.language?.ifDetermined)
    guard exact.isEmpty, input.language == nil else { return exact }
    return numbers.filter { metadataChanges.language(of: items[$0], number: $0)?.language == "en" }
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
    for identifier in identifiers { try add(input, as: identifier, trackID, replacesAdded: false) }
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
    let items = movie.metadata
    let fixed = fixedAtoms(holding: items)
    var gone: [MetadataItem] = []
    for (number, item) in items.enumerated() where canChange(item, number, fixed) {
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

  mutating func add(
    _ input: MetadataInput, as identifier: MetadataIdentifier, _ trackID: UInt32?, replacesAdded: Bool
  ) throws(MovieError) {
    guard let content = content(input, for: identifier, replacing: nil) else {
      throw refusal(of: input, for: identifier)
    }
    let item = NewMetadataItem(identifier, content, language: input.language?.ifDetermined, trackID: trackID)
    guard item.isWritable else { throw refusal(of: input, for: identifier) }
    guard hasPlace(item) else {
      throw MovieError(
        .invalidEdit, "\(identifier): the movie has metadata of another kind where a tag of ID3 would stand (meta)")
    }
    if item.needsKey, let list = fullKeyList(ofTrack: trackID),
      !list.hasRoom(for: identifier, beside: addedKeys(to: list, ofTrack: trackID))
    {
      throw MovieError(
        .invalidEdit, "\(identifier): the movie has an item without a key (ilst), which a new key would name")
    }
    if replacesAdded {
      metadataChanges.added.removeAll { old in
        old.identifier == identifier && old.trackID == trackID && old.language == item.language
      }
    }
    metadataChanges.added.append(item)
  }

  /// What an item says: the well-known type that is wanted is that of the identifier which is named.
  private func content(
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
    trackID.flatMap { id in movie.tracks.first { $0.id == id }?.atom } ?? movie.tree.root
  }

  /// The list of keys of the movie or a track, where not any number of them may come.
  func fullKeyList(ofTrack trackID: UInt32?) -> FullKeyList? { movie.tree.fullKeyList(about: subject(trackID)) }

  /// What is added to the movie or a track that such a list has no key for yet.
  func addedKeys(to list: FullKeyList, ofTrack trackID: UInt32?) -> Set<MetadataIdentifier> {
    Set(metadataChanges.added.filter { $0.trackID == trackID && $0.needsKey }.map(\.identifier)).subtracting(list.keys)
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

  /// Of frames that a description tells apart, only one can be meant.
  private func requireOneFrame(
    _ input: MetadataInput, _ trackID: UInt32?, among items: [MetadataItem]
  ) throws(MovieError) {
    let meant = items.filter { $0.trackID == trackID && $0.identifier == input.identifier && $0.identifier.isOfOwnKind }
    guard meant.count > 1 else { return }
    throw MovieError(
      .invalidEdit,
      "\(input.identifier): \(meant.count) items, which their descriptions tell apart; "
        + "take the JSON of the metadata, change the one, and import it")
  }

  /// Items name a language by its ISO 639-2 code, and a picture is no text.
  private func requireWritable(_ input: MetadataInput) throws(MovieError) {
    if let tag = input.language?.ifDetermined, LanguageCode.packed(for: tag) == LanguageCode.undetermined {
      throw MovieError(.invalidEdit, "\(tag) has no ISO 639-2 code, by which items name their language")
    }
    guard input.identifier.common?.key == "artwork", input.typeCode == nil, case .text = input.value else { return }
    throw MovieError(.invalidEdit, "\(input.identifier) is a picture, and no text")
  }

  private func refusal(of input: MetadataInput, for identifier: MetadataIdentifier) -> MovieError {
    let value = input.value.stringValue.map { "\"\($0.prefix(40))\"" } ?? "a picture or bytes"
    let type = input.typeCode.map { " of type \($0)" } ?? ""
    // Of iTunes' items only numbers are no text.
    let isNumber = identifier.space == .iTunes && input.typeCode == nil && input.value.stringValue != nil
    var advice = !isNumber ? "" : ["trkn", "disk"].contains(identifier.type) ? "; write 3 or 3/12" : "; write a number"
    if identifier.space == .iTunesLongForm, !identifier.key.contains(".") {
      advice = "; its whole name is such as itlk/com.apple.iTunes.\(identifier.key)"
    }
    if identifier.isOfOwnKind {
      advice = ": such an item has a description beside the text; import it with that, as the JSON of metadata has it"
    }
    return MovieError(.invalidEdit, "\(identifier)\(type) cannot say \(value)\(advice)")
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
