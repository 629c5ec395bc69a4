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
  /// `.m4a`, user data of ISO for `.3gp`. Of a fact in a language only the items in that language change.
  ///
  /// Gives the identifiers of the items that say it. Throws ``/MovieBox/MovieError``, `.invalidEdit`, for a fact that
  /// stands in several languages where none is named, for a value that the form of an item cannot hold, for titles and
  /// tags of tracks, which ``setTitle(_:of:)`` and ``addCharacteristics(_:to:)`` are for, and where no track has the ID.
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
    let before = metadataChanges
    do throws(MovieError) {
      return try stateFact(input, trackID, isExact: isExact)
    } catch {
      metadataChanges = before
      throw error
    }
  }

  private mutating func stateFact(
    _ input: MetadataInput, _ trackID: UInt32?, isExact: Bool
  ) throws(MovieError) -> [MetadataIdentifier] {
    let items = movie.metadata
    let fact = isExact ? nil : input.identifier.common
    let stated = items.indices.filter { number in
      let item = items[number]
      return item.trackID == trackID && item.place.atom != nil && !item.isStructure
        && (item.identifier == input.identifier || fact != nil && item.identifier.common == fact)
    }
    try requireOneLanguage(of: stated.map { items[$0] }, input)
    let meant = input.language.map { language in stated.filter { items[$0].language == language } } ?? stated
    var said: [MetadataIdentifier] = []
    var places: Set<Place> = []
    for number in meant {
      let item = items[number]
      let place = Place(identifier: item.identifier, container: container(of: item))
      guard !places.contains(place) else {
        metadataChanges.remove(number)
        continue
      }
      guard let content = content(input, for: item.identifier, replacing: item) else {
        // A genre by its number cannot stay beside one that has none.
        if item.identifier == input.identifier { throw refusal(of: input, for: item.identifier) }
        metadataChanges.remove(number)
        continue
      }
      places.insert(place)
      metadataChanges.replace(number, of: items, with: content)
      said.append(item.identifier)
    }
    for identifier in wantedSpellings(of: input, trackID) where !said.contains(identifier) {
      try add(input, as: identifier, trackID, replacesAdded: true)
      said.append(identifier)
    }
    guard !said.isEmpty else {
      throw MovieError(.invalidEdit, "no vocabulary of this movie has a word for \(input.identifier)")
    }
    return Array(said.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
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
    let identifiers = wantedSpellings(of: input, trackID)
    guard !identifiers.isEmpty else {
      throw MovieError(.invalidEdit, "no vocabulary of this movie has a word for \(input.identifier)")
    }
    for identifier in identifiers { try add(input, as: identifier, trackID, replacesAdded: false) }
    return identifiers
  }

  /// Takes items out, and gives those that went: of the movie and its tracks, or of one track.
  ///
  /// Titles and tags of tracks stay, and so does what stands beside the movie atom, about which there is a warning.
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
    var gone: [MetadataItem] = []
    for (number, item) in items.enumerated() where !item.isStructure {
      guard item.identifier.matches(pattern) || item.identifier.common?.matches(pattern) ?? false,
        language == nil || item.language == language, trackID == nil || item.trackID == trackID
      else { continue }
      metadataChanges.remove(number)
      gone.append(item)
    }
    metadataChanges.added.removeAll {
      $0.identifier.matches(pattern) && (trackID == nil || $0.trackID == trackID) && language == nil
    }
    return gone
  }

  /// Takes the facts of another movie over: items of the same identifiers say what they say there, all others stay.
  ///
  /// Items are taken as they stand, in the vocabulary that they are in. Those about tracks are taken where this movie
  /// has a track of the same ID. Gives what was left out: items of ID3 and Windows', lists of chapters, titles and tags
  /// of tracks, and those of tracks that are not there.
  @discardableResult
  public mutating func takeMetadata(_ items: [MetadataItem]) -> [MetadataItem] {
    let new = items.map { NewMetadataItem($0.identifier, MetadataContent($0), trackID: $0.trackID) }
    let left = Set(takeMetadata(new))
    return zip(items, new).filter { left.contains($1) }.map(\.0)
  }

  /// The same for items that may have come another way.
  package mutating func takeMetadata(_ new: [NewMetadataItem]) -> [NewMetadataItem] {
    struct Subject: Hashable {
      let identifier: MetadataIdentifier
      let trackID: UInt32?
    }
    let ids = Set(tracks.compactMap { $0.old?.id })
    let taken = new.filter { $0.isTaken && ($0.trackID.map(ids.contains) ?? true) }
    let items = movie.metadata
    for (subject, new) in Dictionary(grouping: taken, by: { Subject(identifier: $0.identifier, trackID: $0.trackID) }) {
      var rest = new[...]
      // An item keeps its place where its form can hold what comes.
      for number in items.indices where items[number].identifier == subject.identifier {
        let item = items[number]
        guard item.trackID == subject.trackID, item.place.atom != nil else { continue }
        guard let content = rest.first?.content, (content.typeCode == nil) == (item.typeCode == nil) else {
          metadataChanges.remove(number)
          continue
        }
        metadataChanges.replace(number, of: items, with: content)
        rest.removeFirst()
      }
      metadataChanges.added.removeAll { $0.identifier == subject.identifier && $0.trackID == subject.trackID }
    }
    // In the order in which they came.
    var missing: [Subject: Int] = [:]
    for item in taken {
      let subject = Subject(identifier: item.identifier, trackID: item.trackID)
      let count = items.indices.count { number in
        items[number].identifier == item.identifier && items[number].trackID == item.trackID
          && items[number].place.atom != nil && !metadataChanges.removed.contains(number)
      }
      missing[subject, default: 0] += 1
      if missing[subject, default: 0] > count { metadataChanges.added.append(item) }
    }
    let known = Set(taken)
    return new.filter { !known.contains($0) }
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
  private var ownSpaces: [MetadataIdentifier.Space] {
    guard movie.dialect == .iso else { return [.quickTimeMetadata] }
    switch movie.fileType?.majorBrand.description.prefix(3) {
    case "M4A", "M4B", "M4V", "M4P": return [.iTunes]
    case "3gp", "3g2", "3gr", "3gs": return [.isoUserData]
    default: return [.isoUserData, .iTunes]
    }
  }

  /// What a fact is to be called that the movie does not state yet.
  private func wantedSpellings(of input: MetadataInput, _ trackID: UInt32?) -> [MetadataIdentifier] {
    guard input.identifier.space == .common else { return [input.identifier] }
    let spellings = input.identifier.spellings.filter { !Self.isNeverCreated($0) }
    // Tracks have no list of iTunes'.
    let own = trackID == nil ? ownSpaces : ownSpaces.filter { $0 != .iTunes }
    let wanted = own.compactMap { space in spellings.first { $0.space == space } }
    return wanted.isEmpty ? spellings.first { $0.space == .quickTimeMetadata }.map { [$0] } ?? [] : wanted
  }

  /// Thumbnails are small, and no reader is known that takes makes and models from user data of ISO.
  private static func isNeverCreated(_ identifier: MetadataIdentifier) -> Bool {
    identifier.space == .isoUserData && ["thmb", "manu", "modl"].contains(identifier.type)
  }

  private mutating func add(
    _ input: MetadataInput, as identifier: MetadataIdentifier, _ trackID: UInt32?, replacesAdded: Bool
  ) throws(MovieError) {
    guard let content = content(input, for: identifier, replacing: nil) else {
      throw refusal(of: input, for: identifier)
    }
    if replacesAdded {
      metadataChanges.added.removeAll { old in
        old.identifier == identifier && old.trackID == trackID
          && old.content.localeCode == content.localeCode
      }
    }
    metadataChanges.added.append(NewMetadataItem(identifier, content, trackID: trackID))
  }

  /// What an item says: the well-known type that is wanted is that of the identifier which is named.
  private func content(
    _ input: MetadataInput, for identifier: MetadataIdentifier, replacing old: MetadataItem?
  ) -> MetadataContent? {
    MetadataContent(
      input.value, for: identifier, typeCode: identifier == input.identifier ? input.typeCode : nil,
      language: input.language, replacing: old)
  }

  // MARK: - Refusals

  private func requireMetadataTrack(_ id: UInt32?, _ identifier: MetadataIdentifier) throws(MovieError) {
    guard let id else { return }
    let place = try onlyIndex(of: id)
    guard tracks[place].old != nil else {
      throw MovieError(.invalidEdit, "track \(id) is new: what it says of itself is set once it is added")
    }
    guard !identifier.isTrackLabel, identifier.common?.key != "title" else {
      throw MovieError(.invalidEdit, "\(identifier) of a track is its title or a tag, which labels of tracks set")
    }
  }

  private func requireOneLanguage(of items: [MetadataItem], _ input: MetadataInput) throws(MovieError) {
    let languages = Set(items.compactMap { $0.language?.description })
    guard input.language == nil, languages.count > 1 else { return }
    throw MovieError(
      .invalidEdit,
      "\(input.identifier) stands in several languages, \(languages.sorted().joined(separator: ", ")); say in which")
  }

  private func refusal(of input: MetadataInput, for identifier: MetadataIdentifier) -> MovieError {
    let value = input.value.stringValue.map { "\"\($0.prefix(40))\"" } ?? "a picture or bytes"
    let type = input.typeCode.map { " of type \($0)" } ?? ""
    return MovieError(.invalidEdit, "\(identifier)\(type) cannot say \(value)")
  }
}
