import MovieBox

/// The metadata items that an edit adds, in order, indexed by identifier, fact and language.
///
/// A later value replaces an earlier value. Searching the whole list for each new item would take quadratic time if an
/// edit copies the metadata of another movie, so the list has an index.
struct AddedMetadata: Sendable {
  /// The key by which a new item replaces earlier items: an identifier or a common fact, in one language, of one track.
  private struct Subject: Hashable {
    let identifier: MetadataIdentifier
    let language: LanguageTag?
    let trackID: UInt32?
  }

  /// The items, with `nil` for each removed item.
  private var slots: [NewMetadataItem?] = []
  private var positions: [Subject: [Int]] = [:]
  /// The number of items that need a key, by track and identifier.
  private var keyCounts: [UInt32?: [MetadataIdentifier: Int]] = [:]
  /// The number of items.
  private(set) var count = 0

  init(_ items: [NewMetadataItem] = []) {
    for item in items { append(item) }
  }

  /// The items, in order. Makes one pass over all items.
  var items: [NewMetadataItem] {
    ListPass.end(after: slots.count)
    return slots.compactMap { $0 }
  }

  /// Returns the identifiers that the list of keys must contain for the items of a track, or of the movie if `trackID`
  /// is `nil`.
  func keys(ofTrack trackID: UInt32?) -> Set<MetadataIdentifier> {
    let keys = Set((keyCounts[trackID] ?? [:]).keys)
    ListPass.end(after: keys.count)
    return keys
  }

  mutating func append(_ item: NewMetadataItem) {
    for subject in Self.subjects(of: item) { positions[subject, default: []].append(slots.count) }
    if item.needsKey { keyCounts[item.trackID, default: [:]][item.identifier, default: 0] += 1 }
    slots.append(item)
    count += 1
  }

  /// Selects the items in one language that have one of the given identifiers or the fact. Returns their identifiers.
  func identifiers(
    _ identifiers: [MetadataIdentifier], ofFact fact: MetadataIdentifier?, language: LanguageTag?,
    ofTrack trackID: UInt32?
  ) -> [MetadataIdentifier] {
    positionsOfItems(identifiers, ofFact: fact, language, trackID).compactMap { slots[$0]?.identifier }
  }

  /// Returns whether the edit adds an equal item.
  func contains(_ item: NewMetadataItem) -> Bool {
    let subject = Subject(identifier: item.identifier, language: item.language, trackID: item.trackID)
    return positions[subject]?.contains { slots[$0] == item } ?? false
  }

  private func positionsOfItems(
    _ identifiers: [MetadataIdentifier], ofFact fact: MetadataIdentifier?, _ language: LanguageTag?,
    _ trackID: UInt32?
  ) -> [Int] {
    let itemPositions = (identifiers + (fact.map { [$0] } ?? []))
      .flatMap { positions[Subject(identifier: $0, language: language, trackID: trackID)] ?? [] }
    ListPass.end(after: itemPositions.count)
    return Set(itemPositions).sorted()
  }

  /// Selects the items in one language that have one of the given identifiers or the fact, and removes them.
  mutating func remove(
    _ identifiers: [MetadataIdentifier], ofFact fact: MetadataIdentifier?, language: LanguageTag?,
    ofTrack trackID: UInt32?
  ) {
    for position in positionsOfItems(identifiers, ofFact: fact, language, trackID) {
      guard let item = slots[position] else { continue }
      slots[position] = nil
      count -= 1
      for subject in Self.subjects(of: item) {
        positions[subject]?.removeAll { $0 == position }
        if positions[subject]?.isEmpty ?? false { positions[subject] = nil }
      }
      guard item.needsKey, let left = keyCounts[item.trackID]?[item.identifier] else { continue }
      keyCounts[item.trackID]?[item.identifier] = left > 1 ? left - 1 : nil
    }
  }

  private static func subjects(of item: NewMetadataItem) -> [Subject] {
    let subject = Subject(identifier: item.identifier, language: item.language, trackID: item.trackID)
    guard let fact = item.identifier.common, fact != item.identifier else { return [subject] }
    return [subject, Subject(identifier: fact, language: item.language, trackID: item.trackID)]
  }
}

extension AddedMetadata: Hashable {
  static func == (left: AddedMetadata, right: AddedMetadata) -> Bool { left.items == right.items }
  func hash(into hasher: inout Hasher) { hasher.combine(items) }
}
