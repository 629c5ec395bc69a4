import MovieBox

// The items that a conversion adds in the vocabularies of the new type, beside the items that the movie has.
extension MetadataChange {
  /// The notice of the facts that are also written in the vocabularies of the new type, or `nil` if there are none.
  func noticeOfMirroredItems(of conversion: ConvertedMovie) -> EditNotice? {
    let mirrored = Set(conversion.metadata.added)
    let facts = edits.added.filter(mirrored.contains).compactMap { $0.identifier.common?.key }.withoutRepetition
    guard !facts.isEmpty else { return nil }
    return EditNotice(
      .metadataConverted, "also written in the vocabulary of \(conversion.type.name): \(facts.joined(separator: ", "))")
  }

  /// Drops items that the conversion added if every item of the movie that states their fact goes.
  ///
  /// - Parameters:
  ///   - isLeftOut: whether an item of the movie goes.
  ///   - stays: whether an added item may stay at all.
  mutating func dropMirroredItems(
    of conversion: ConvertedMovie, where isLeftOut: (MetadataItem) -> Bool, unless stays: (NewMetadataItem) -> Bool
  ) {
    guard !conversion.metadata.added.isEmpty else { return }
    // Items that the caller removed, without those that the type has no place for.
    let gone = edits.removed.subtracting(conversion.metadata.removed)
    let sources = index.items.enumerated().filter { $1.trackID == nil && $1.identifier.common != nil }
    let mirrored = Set(conversion.metadata.added)
    edits.added.removeAll { new in
      guard mirrored.contains(new) else { return false }
      let stating = sources.filter { $1.identifier.common == new.identifier.common }
      return !stays(new) || !stating.isEmpty && stating.allSatisfy { gone.contains($0) || isLeftOut($1) }
    }
  }
}
