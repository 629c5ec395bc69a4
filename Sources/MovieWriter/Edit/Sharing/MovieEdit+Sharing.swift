public import MovieBox

extension MovieEdit {
  /// Removes everything that may identify the location, time, device or author of a recording, and everything unknown.
  /// Returns a decision, with its reason, for each item, track and atom.
  ///
  /// An allow list determines the contents to keep: contents that players need, rights, accessibility, and facts about
  /// a work, such as its title and cover. In a movie from a camera, text that the owner may have typed is removed. The
  /// edit also removes timed metadata tracks with their samples, XMP, atoms of manufacturers, the contents of free
  /// space, unused media, bytes after the last atom, handler names, keys without items, and the dates in headers.
  ///
  /// The movie becomes a new file without fragments. The media itself is unchanged, including messages in the stream
  /// (SEI) and samples that an edit list hides. Items that the caller sets are kept; the allow list applies to items
  /// that ``copyMetadata(_:beside:)`` imports later. Throws the errors of removing tracks.
  ///
  /// - Parameters:
  ///   - kept: patterns of identifiers to keep as well, such as `mdta/com.example.*` or `common/location`.
  ///   - dropped: patterns of identifiers to remove as well. They override `kept`.
  ///   - keepsDates: whether to keep the dates in headers.
  @discardableResult
  public mutating func prepareForSharing(
    keeping kept: [String] = [], dropping dropped: [String] = [], keepsDates: Bool = false
  ) throws(MovieError) -> [SharingDecision] {
    try atomically { edit throws(MovieError) in
      try edit.applySharingPolicy(SharingPolicy(keptPatterns: kept, droppedPatterns: dropped, keepsDates: keepsDates))
    }
  }

  private mutating func applySharingPolicy(_ policy: SharingPolicy) throws(MovieError) -> [SharingDecision] {
    var policy = policy
    guard tracks.allSatisfy({ $0.imported == nil }) else {
      throw MovieError(
        .invalidEdit, "cannot prepare a movie for sharing after adding tracks of other movies; write the movie first")
    }
    if let tail = movie.tree.firstAtomWithTrailingBytes {
      throw movie.tree.error(
        .unsupported, at: tail, "ends with bytes that are not an atom and may identify a person")
    }
    var decisions: [SharingDecision] = []
    var removedIDs: Set<UInt32> = []
    for (index, track) in tracks.enumerated() {
      guard let old = track.old else {
        if !policy.keepsDates { tracks[index].forgetDates() }
        let contents = track.generated?.contents ?? track.mediaType.name
        decisions.append(.init(subject: "track \(track.id)", trackID: track.id, isKept: true, reason: contents))
        continue
      }
      guard let refusal = policy.refusal(of: old) else {
        let kind = track.mediaType.name
        let caution =
          if track.mediaType == .timecode {
            ", may reveal the time of day"
          } else if track.mediaType == .video, movie.chapterTrackIDs.contains(track.id) {
            ", chapter pictures that may reveal a place"
          } else {
            ""
          }
        decisions.append(
          .init(
            subject: "track \(track.id)", trackID: track.id, isKept: true,
            reason: kind + caution))
        continue
      }
      removedIDs.insert(track.id)
      decisions.append(.init(subject: "track \(track.id)", trackID: track.id, isKept: false, reason: refusal))
    }
    if !removedIDs.isEmpty { try remove(removedIDs) }
    policy.hasEncryptedTracks = hasEncryptedTracks
    let remainingIDs = Set(tracks.map(\.id))
    let items = changes.metadata.index.items
    let isCameraOriginal = SharingPolicy.isCameraOriginal(items.map(\.identifier))
    for (number, item) in items.enumerated() {
      if let id = item.trackID, !remainingIDs.contains(id) { continue }
      let old = changes.metadata.edits.content(of: item, at: number) ?? MetadataContent(item)
      let (isKept, reason) =
        item.isStructural
        ? (true, item.isTrackLabel ? "title or tag of a track" : "chapters")
        : policy.decision(on: item.identifier, content: old, isCameraOriginal: isCameraOriginal)
      let new = isKept ? policy.removingPrivateData(old, item.identifier) : old
      if let new {
        decisions.append(
          .init(subject: item.identifier.description, trackID: item.trackID, isKept: isKept, reason: reason))
        guard !isKept || !changes.metadata.edits.removed.contains(number) else { continue }
        if new != old {
          let language = changes.metadata.edits.language(of: item, at: number)
          let isSetByCaller = changes.metadata.edits.replaced[number] != nil
          changes.metadata.edits.replace(number, of: items, with: new, language: language)
          if !isSetByCaller {
            changes.metadata.derivedItems.insert(
              NewMetadataItem(item.identifier, new, language: language, trackID: item.trackID))
          }
        }
      }
      decisions += SharingDecision.losses(from: old, to: new, item.identifier, ofTrack: item.trackID)
      if !isKept || new == nil { changes.metadata.edits.remove(number) }
    }
    let droppedSubjects = Set(decisions.lazy.filter { !$0.isKept && $0.trackID == nil }.map(\.subject))
    if let conversion = stages.converted {
      changes.metadata.dropMirroredItems(of: conversion) { item in
        droppedSubjects.contains(item.identifier.description)
      } unless: { item in
        policy.decision(on: item.identifier, content: item.content, isCameraOriginal: isCameraOriginal).isKept
      }
    }
    decisions += try policy.droppedAtoms(of: stages, keeping: Set(tracks.map(\.id)))
    changes.sharing = policy
    let knownDecisions = Set(decisions)
    decisions += removeEmbeddedNotes().filter { !knownDecisions.contains($0) }
    flatten()
    return decisions
  }

  /// Removes embedded metadata, such as EXIF in covers, from all new values of items. Also removes new values that
  /// cannot be read.
  ///
  /// Returns the decisions about removed data, or an empty array if the movie is not prepared for sharing.
  @discardableResult
  package mutating func removeEmbeddedNotes() -> [SharingDecision] {
    guard let sharing = changes.sharing else { return [] }
    var decisions: [SharingDecision] = []
    let items = changes.metadata.edits.replaced.isEmpty ? [] : changes.metadata.index.items
    for (number, old) in changes.metadata.edits.replaced.sorted(by: { $0.key < $1.key }) {
      let item = NewMetadataItem(
        items[number].identifier, old.content, language: old.language, trackID: items[number].trackID)
      if let new = removingPrivateData(item, sharing, &decisions) {
        changes.metadata.edits.replace(number, of: items, with: new.content, language: old.language)
      } else {
        changes.metadata.edits.remove(number)
      }
    }
    let addedItems = changes.metadata.edits.added
    changes.metadata.edits.added = []
    for item in addedItems {
      if let new = removingPrivateData(item, sharing, &decisions) { changes.metadata.edits.additions.append(new) }
    }
    return decisions
  }

  /// Returns the item without embedded metadata, or `nil` if it cannot be read. The result inherits the origin of the
  /// item.
  private mutating func removingPrivateData(
    _ item: NewMetadataItem, _ sharing: SharingPolicy, _ decisions: inout [SharingDecision]
  ) -> NewMetadataItem? {
    let content = sharing.removingPrivateData(item.content, item.identifier)
    decisions += SharingDecision.losses(
      from: item.content, to: content, item.identifier, ofTrack: item.trackID)
    guard let content else { return nil }
    guard content != item.content else { return item }
    let new = NewMetadataItem(item.identifier, content, language: item.language, trackID: item.trackID)
    if changes.metadata.derivedItems.contains(item) || stages.converted?.metadata.added.contains(item) ?? false {
      changes.metadata.derivedItems.insert(new)
    }
    if changes.metadata.importedItems.contains(item) { changes.metadata.importedItems.insert(new) }
    return new
  }

  /// Applies the sharing policy to items of another movie. Returns the kept items, and the decisions about the removed
  /// items.
  ///
  /// Keeps all items if the movie is not prepared for sharing.
  package mutating func applySharingPolicy(to items: [NewMetadataItem]) -> (
    kept: [NewMetadataItem], decisions: [SharingDecision]
  ) {
    guard let sharing = changes.sharing else { return (items, []) }
    let isCameraOriginal = SharingPolicy.isCameraOriginal(items.map(\.identifier))
    var (kept, decisions): ([NewMetadataItem], [SharingDecision]) = ([], [])
    for item in items {
      let (isKept, reason) = sharing.decision(
        on: item.identifier, content: item.content, isCameraOriginal: isCameraOriginal)
      if isKept {
        kept.append(item)
      } else {
        decisions.append(
          .init(subject: item.identifier.description, trackID: item.trackID, isKept: false, reason: reason))
      }
    }
    changes.metadata.derivedItems.formUnion(kept)
    if !isCameraOriginal { changes.metadata.importedItems.formUnion(kept) }
    return (kept, decisions)
  }

  /// Whether a kept track contains encrypted samples (ISO/IEC 14496-12 8.12).
  var hasEncryptedTracks: Bool {
    tracks.contains { $0.formats.contains { $0.description.hasPrefix("enc") || $0 == "resv" } }
  }

  /// The items that the caller set, without imported items and items that the edit derived.
  var callerItems: Set<NewMetadataItem> {
    let items = changes.metadata.edits.replaced.isEmpty ? [] : changes.metadata.index.items
    return changedItems(of: items).subtracting(changes.metadata.derivedItems).subtracting(
      stages.converted?.metadata.added ?? [])
  }

  /// Returns the items that the edit adds, and the new states of changed items. `items` contains the items of the
  /// movie.
  private func changedItems(of items: [MetadataItem]) -> Set<NewMetadataItem> {
    var changedItems = Set(changes.metadata.edits.added)
    for (number, new) in changes.metadata.edits.replaced {
      let item = items[number]
      changedItems.insert(NewMetadataItem(item.identifier, new.content, language: new.language, trackID: item.trackID))
    }
    return changedItems
  }
}

extension AtomTree {
  /// The first atom that ends with bytes that are neither an atom nor the terminator of user data.
  fileprivate var firstAtomWithTrailingBytes: Int? {
    (root..<self[root].subtreeEnd).first { index in
      let tail = tail(of: index)
      return !tail.isEmpty && !tail.allSatisfy { $0 == 0 } && SharingPolicy.mayLose(index, in: self)
    }
  }
}
