import MovieBox

// What a conversion states in the vocabularies of the new type, beside what the movie has.
extension MovieEdit {
  /// Says which facts are stated in the words of the new type.
  mutating func noteRestated() {
    guard let conversion = stages.converted else { return }
    ownNotes.removeAll { $0.kind == .metadataConverted }
    let restated = Set(conversion.metadata.added)
    let facts = metadataChanges.added.filter(restated.contains).compactMap { $0.identifier.common?.key }
      .withoutRepetition
    guard !facts.isEmpty else { return }
    ownNotes.append(
      EditNotice(
        .metadataConverted, "stated in the words of \(conversion.type.name) too: \(facts.joined(separator: ", "))"))
  }

  /// Leaves out what the conversion states in the words of the new type where all that says it in the old words is left
  /// out, and what may not stay itself.
  mutating func leaveOutRestated(
    where isLeftOut: (MetadataItem) -> Bool, and stays: (NewMetadataItem) -> Bool
  ) {
    guard let conversion = stages.converted, !conversion.metadata.added.isEmpty else { return }
    // The caller's, not those for which the type has no place.
    let gone = metadataChanges.removed.subtracting(conversion.metadata.removed)
    let sources = metadataIndex.items.enumerated().filter { $1.trackID == nil && $1.identifier.common != nil }
    let restated = Set(conversion.metadata.added)
    metadataChanges.added.removeAll { new in
      guard restated.contains(new) else { return false }
      let said = sources.filter { $1.identifier.common == new.identifier.common }
      return !stays(new) || !said.isEmpty && said.allSatisfy { gone.contains($0) || isLeftOut($1) }
    }
    noteRestated()
  }
}
