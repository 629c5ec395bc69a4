import MovieBox

/// The metadata items that an edit adds, in order, found by what they are about.
///
/// A later value replaces the earlier one. Searching the whole list for each new item would take quadratic time when
/// an edit copies another movie's metadata.
struct AddedMetadata: Sendable {
  /// The key by which a new item replaces earlier ones: an identifier or a fact, in one language, of one track.
  private struct Subject: Hashable {
    let identifier: MetadataIdentifier
    let language: LanguageTag?
    let trackID: UInt32?
  }

  /// The items; `nil` in the place of one that was removed.
  private var slots: [NewMetadataItem?] = []
  private var positions: [Subject: [Int]] = [:]
  /// How many items with an identifier need a key, by track.
  private var keyCounts: [UInt32?: [MetadataIdentifier: Int]] = [:]
  /// How many items there are.
  private(set) var count = 0

  init(_ items: [NewMetadataItem] = []) {
    for item in items { append(item) }
  }

  /// The items, in order. Costs a pass over all.
  var items: [NewMetadataItem] {
    ListPass.end(after: slots.count)
    return slots.compactMap { $0 }
  }

  /// The identifiers of the items about a track, or about the movie, that a list of keys has to name.
  func keys(ofTrack trackID: UInt32?) -> Set<MetadataIdentifier> {
    let keys = Set((keyCounts[trackID] ?? [:]).keys)
    ListPass.end(after: keys.count)
    return keys
  }

  /// Adds an item after the others.
  mutating func append(_ item: NewMetadataItem) {
    for subject in Self.subjects(of: item) { positions[subject, default: []].append(slots.count) }
    if item.needsKey { keyCounts[item.trackID, default: [:]][item.identifier, default: 0] += 1 }
    slots.append(item)
    count += 1
  }

  /// The identifiers of the items in a language that have one of some identifiers, or state a fact.
  func identifiers(
    _ identifiers: [MetadataIdentifier], stating fact: MetadataIdentifier?, language: LanguageTag?,
    ofTrack trackID: UInt32?
  ) -> [MetadataIdentifier] {
    found(identifiers, stating: fact, language, trackID).compactMap { slots[$0]?.identifier }
  }

  /// Whether an equal item was added.
  func contains(_ item: NewMetadataItem) -> Bool {
    let subject = Subject(identifier: item.identifier, language: item.language, trackID: item.trackID)
    return positions[subject]?.contains { slots[$0] == item } ?? false
  }

  private func found(
    _ identifiers: [MetadataIdentifier], stating fact: MetadataIdentifier?, _ language: LanguageTag?,
    _ trackID: UInt32?
  ) -> [Int] {
    let found = (identifiers + (fact.map { [$0] } ?? []))
      .flatMap { positions[Subject(identifier: $0, language: language, trackID: trackID)] ?? [] }
    ListPass.end(after: found.count)
    return Set(found).sorted()
  }

  /// Removes the items in a language that have one of some identifiers, or state a fact.
  mutating func remove(
    _ identifiers: [MetadataIdentifier], stating fact: MetadataIdentifier?, language: LanguageTag?,
    ofTrack trackID: UInt32?
  ) {
    for position in found(identifiers, stating: fact, language, trackID) {
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
    let own = Subject(identifier: item.identifier, language: item.language, trackID: item.trackID)
    guard let fact = item.identifier.common, fact != item.identifier else { return [own] }
    return [own, Subject(identifier: fact, language: item.language, trackID: item.trackID)]
  }
}

extension AddedMetadata: Hashable {
  static func == (left: AddedMetadata, right: AddedMetadata) -> Bool { left.items == right.items }
  func hash(into hasher: inout Hasher) { hasher.combine(items) }
}
