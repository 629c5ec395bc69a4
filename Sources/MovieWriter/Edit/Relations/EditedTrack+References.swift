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

  /// Removes the references for which `isWrong` returns `true`, and returns the types of the removed references.
  /// `isWrong` receives the ID of the track to which a reference points.
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

extension [EditedTrack] {
  /// Adds a reference from the track at an index to another track. A new selection follower or forced partner replaces
  /// the old one. Unlike ``link(_:to:_:)``, does not check whether two subtitle tracks may form a pair.
  ///
  /// Throws `.invalidEdit` if a track has the wrong kind. The message names the track that must contain the reference.
  mutating func associate(
    at position: Int, with target: Int, _ association: TrackAssociation
  ) throws(MovieError) {
    let (id, other) = (self[position].id, self[target].id)
    guard id != other else { throw MovieError(.invalidEdit, "track \(id) cannot refer to itself") }
    if let objection = association.objection(from: self[position].mediaType, to: self[target].mediaType) {
      throw MovieError(.invalidEdit, objection)
    }
    let oldIDs = association.isSingle ? [] : self[position].references[association.rawValue] ?? []
    self[position].references[association.rawValue] = oldIDs.contains(other) ? oldIDs : oldIDs + [other]
  }

  /// Returns the IDs of the tracks on a path of references of one type, including both ends, or `nil` if there is no
  /// path.
  func chain(from start: UInt32, to end: UInt32, _ association: TrackAssociation) -> [UInt32]? {
    let references = Dictionary(map { ($0.id, $0.references[association.rawValue] ?? []) }) { first, _ in first }
    var predecessors: [UInt32: UInt32] = [:]
    var openIDs = [start]
    while let id = openIDs.popLast() {
      guard id != end else {
        var chain = [end]
        while let last = chain.last, last != start, let earlier = predecessors[last] { chain.append(earlier) }
        return chain.reversed()
      }
      for next in references[id] ?? [] where next != start && predecessors[next] == nil {
        predecessors[next] = id
        openIDs.append(next)
      }
    }
    return nil
  }

  /// Returns the index of the track to which audio refers for a subtitle track: its forced-only partner (QTFF "Subtitle
  /// Follows"), or the track itself if it has no partner. Ignores a `forc` reference to a missing track or to other
  /// media.
  func indexOfFollower(_ id: UInt32) throws(MovieError) -> Int {
    let position = try index(of: id)
    guard let forced = self[position].references[TrackAssociation.forcedSubtitlesOnly.rawValue]?.first else {
      return position
    }
    return firstIndex { $0.id == forced && $0.mediaType.isLegible } ?? position
  }
}
