package import MovieBox

extension EditedTrack {
  /// Returns the references of a track of a movie, without empty slots.
  static func references(of track: Track) -> [FourCC: [UInt32]] {
    Dictionary(grouping: track.references, by: \.type).mapValues { $0.flatMap(\.trackIDs).filter { $0 != 0 } }
      .filter { !$0.value.isEmpty }
  }

  /// The `tref` atom of a new track, or `nil` if the track has no references.
  var referencesAtom: [UInt8]? {
    guard !references.isEmpty else { return nil }
    var writer = ByteWriter()
    writer.atom("tref") { tref in
      for (type, ids) in references.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        tref.write(TrackReference(trackIDs: ids).atom(type))
      }
    }
    return writer.bytes
  }

  /// Removes the references to tracks for whose IDs `isWrong` is true, and returns the types of the removed references.
  ///
  /// - Parameter only: the type of the references, or `nil` for any type.
  mutating func removeReferences(
    ofType only: FourCC? = nil, where isWrong: (UInt32) -> Bool
  ) -> [FourCC] {
    var changedTypes: [FourCC] = []
    for (type, ids) in references where only == nil || only == type {
      let kept = ids.filter { !isWrong($0) }
      guard kept.count < ids.count else { continue }
      references[type] = kept.isEmpty ? nil : kept
      changedTypes.append(type)
    }
    return changedTypes.sorted { $0.rawValue < $1.rawValue }
  }

  /// Replaces references to replaced tracks by references to their successors. Drops duplicates and references of the
  /// track to itself.
  ///
  /// - Parameter successors: the ID of the new track, by the ID of the track that it replaces.
  mutating func replaceReferences(_ successors: [UInt32: UInt32]) {
    for (type, ids) in references where ids.contains(where: { successors[$0] != nil }) {
      let known = Set(ids)
      let kept = ids.compactMap { id -> UInt32? in
        guard let new = successors[id] else { return id }
        return new == self.id || known.contains(new) ? nil : new
      }
      references[type] = kept.isEmpty ? nil : kept
    }
  }
}

/// A reference from one track to another.
package struct TrackLink: Hashable {
  package let type: FourCC
  /// The ID of the track that contains the reference.
  package let trackID: UInt32
  /// The ID of the track that the reference points to.
  package let target: UInt32
}

extension [EditedTrack] {
  /// Returns the references of these tracks to `targets`, sorted by track and type, without duplicates. Makes one pass.
  package func references(to targets: Set<UInt32>) -> [TrackLink] {
    ListPass.end(after: count)
    return flatMap { track in
      track.references.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { type, ids in
        ids.filter(targets.contains).withoutRepetition
          .map { TrackLink(type: type, trackID: track.id, target: $0) }
      }
    }
  }
}
