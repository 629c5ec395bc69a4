import MovieBox

extension MovieEdit {
  /// A decision to keep or remove data of a movie that is prepared for sharing.
  public struct SharingDecision: Hashable, Sendable {
    /// The data: an identifier, a track such as `track 3`, an atom, or a description such as `dates in headers`.
    public let subject: String
    /// The ID of the track that is kept or removed or that contains the data, or `nil` for the movie.
    public let trackID: UInt32?
    /// Whether the data is kept.
    public let isKept: Bool
    /// The reason, in a few words.
    public let reason: String

    /// Returns the decisions about bytes that are removed from an item.
    ///
    /// - Parameter new: the rewritten item, or `nil` if the item is unreadable and removed.
    static func losses(
      from old: MetadataContent, to new: MetadataContent?, _ identifier: MetadataIdentifier, ofTrack trackID: UInt32?
    ) -> [MovieEdit.SharingDecision] {
      guard new?.bytes != old.bytes else { return [] }
      let (subject, reason) =
        if new == nil {
          (identifier.description, "cannot be read")
        } else if identifier.isChapterList {
          ("bytes after the list of chapters", "unknown")
        } else {
          ("embedded metadata of the picture, such as EXIF", "may reveal a place")
        }
      return [.init(subject: subject, trackID: trackID, isKept: false, reason: reason)]
    }
  }
}

extension SharingPolicy {
  /// Returns the decisions about removed atoms and fields other than items. Throws if a sample description cannot be
  /// read.
  func droppedAtoms(of stages: MovieStages, keeping remainingIDs: Set<UInt32>) throws(MovieError)
    -> [MovieEdit.SharingDecision]
  {
    let movie = stages.current
    let tree = movie.tree
    let descriptions = Self.descriptions(in: tree)
    let items = MetadataReader.identifiers(in: tree)
    var decisions: [MovieEdit.SharingDecision] = []
    for index in tree.root..<tree[tree.root].subtreeEnd where drops(index, in: tree, items) {
      guard !["free", "skip", "wide"].contains(tree[index].type),
        movie.track(containing: index).map({ remainingIDs.contains($0.id) }) ?? true
      else { continue }
      let reason = Self.reason(toDrop: tree[index].type)
      decisions.append(.init(subject: tree.path(of: index), trackID: nil, isKept: false, reason: reason))
    }
    if hasEncryptedTracks {
      for index in tree.children(of: tree.root, "pssh") {
        let reason = "needed for decryption, but may identify the recipient"
        decisions.append(.init(subject: tree.path(of: index), trackID: nil, isKept: true, reason: reason))
      }
    }
    let original = stages.original.layout
    for atom in original.atoms where drops(atom) && !atom.isFreeSpace {
      if MovieFragments.atomTypes.contains(atom.type) { continue }
      decisions.append(
        .init(
          subject: "\(atom.type) at byte \(atom.range.offset)", trackID: nil, isKept: false,
          reason: Self.reason(toDrop: atom.type)))
    }
    if let trailing = original.trailing {
      decisions.append(
        .init(
          subject: "\(trailing.count) bytes after the last atom", trackID: nil, isKept: false, reason: "unknown"))
    }
    for track in movie.tracks where remainingIDs.contains(track.id) {
      var saysMore = false
      for index in track.atom..<tree[track.atom].subtreeEnd {
        guard let handler = descriptions[index] else { continue }
        let old = tree.bytes(of: index)
        do throws(MovieError) {
          if try Self.namesVendor(old, ofMedia: handler) { saysMore = true }
        } catch {
          throw tree.error(
            .unsupported, at: index,
            "cannot be read (\(error.reason)) and may identify a person; remove track \(track.id)")
        }
      }
      guard saysMore, let handler = track.handler?.handlerType else { continue }
      let (subject, reason) =
        handler == "tmcd"
        ? ("name of the reel", "identifies other files") : ("maker of the encoder", "identifies the software or device")
      decisions.append(.init(subject: subject, trackID: track.id, isKept: false, reason: reason))
    }
    decisions += Self.decisionsOnDescriptions(of: movie, descriptions, tracks: remainingIDs)
    if !keepsDates, Self.hasDates(movie, tracks: remainingIDs) {
      decisions.append(
        .init(subject: "dates in headers", trackID: nil, isKept: false, reason: "reveal the time of recording"))
    }
    return decisions
  }
}
