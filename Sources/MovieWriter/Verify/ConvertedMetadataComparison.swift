import MovieBox

/// Compares what a movie says of itself with what a conversion makes of that: every fact is still stated, or was listed,
/// and nothing is stated that was not.
struct ConvertedMetadataComparison {
  let conversion: ConvertedMovie
  /// The movie that comes of the whole edit.
  let planned: Movie

  func check() throws(MovieError) {
    let items = conversion.movie.metadata
    let old = conversion.original.metadata.filter { $0.trackID == nil }
    let changes = conversion.metadata
    guard changes.replaced.isEmpty else { throw failure("an item was changed") }
    for (number, item) in items.enumerated() where changes.removed.contains(number) {
      guard item.trackID == nil, !isOfType(item.identifier), item.place.atom != nil else {
        throw failure("\(item.identifier) was left out, which \(conversion.type.name) has a place for")
      }
      guard conversion.listedItems.contains(number) || isStatedOtherwise(item, items, changes) else {
        throw failure("\(item.identifier) was left out, and not listed")
      }
    }
    for (number, item) in items.enumerated() where item.trackID == nil && !changes.removed.contains(number) {
      guard isOfType(item.identifier) || item.place.atom == nil || item.isStructure else {
        throw failure("\(item.identifier) is in \(conversion.type.name), which has no place for it")
      }
    }
    for item in changes.added {
      let fact = item.identifier.common
      guard item.trackID == nil, let fact, old.contains(where: { $0.identifier.common == fact && says($0, item) })
      else {
        throw failure("\(item.identifier) says what no item said")
      }
    }
  }

  private func failure(_ reason: String) -> MovieError { MovieError(.planCheckFailed, in: "moov", reason) }

  /// Whether files of the type have items like this: user data of QuickTime's that are texts belong to its movies alone,
  /// but for the place, and lists of iTunes' are not in 3GP files.
  private func isOfType(_ identifier: MetadataIdentifier) -> Bool {
    let (space, code) = (identifier.space, identifier.type)
    if space == .quickTimeUserData, let code, code.rawValue >> 24 == 0xA9, code != "©xyz" {
      return conversion.type.isQuickTime
    }
    let isITunes = space == .iTunes || space == .iTunesLongForm
    return !isITunes || conversion.type != .threeGPP && conversion.type != .threeGPP2
  }

  /// Whether another item that stays, or comes, states the same fact.
  private func isStatedOtherwise(_ item: MetadataItem, _ items: [MetadataItem], _ changes: MetadataChanges) -> Bool {
    guard let fact = item.identifier.common else { return false }
    return changes.added.contains { $0.identifier.common == fact }
      || items.enumerated().contains { number, other in
        other.identifier.common == fact && other.trackID == nil && !changes.removed.contains(number)
      }
  }

  /// Whether an item says what one that comes does, as it is read from the new movie; one that the edit changed further
  /// is not there to be read.
  private func says(_ old: MetadataItem, _ new: NewMetadataItem) -> Bool {
    let read = planned.metadata.filter {
      $0.identifier == new.identifier && $0.trackID == nil && MetadataContent($0) == new.content
    }
    return read.isEmpty || read.contains { agree(old, $0) }
  }

  private func agree(_ left: MetadataItem, _ right: MetadataItem) -> Bool {
    if left.value == right.value { return true }
    if let text = left.stringValue, text == right.stringValue { return true }
    if let number = left.numberValue, number == right.numberValue { return true }
    if let date = left.dateValue, let other = right.dateValue { return date.agrees(with: other) }
    guard let here = left.locationValue, let there = right.locationValue else { return false }
    // `loci` has places in 65536ths of a degree.
    let step = 1.0 / 65_536
    return abs(here.latitude - there.latitude) <= step && abs(here.longitude - there.longitude) <= step
  }
}
