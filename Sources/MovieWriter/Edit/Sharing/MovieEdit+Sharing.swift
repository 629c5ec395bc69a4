public import MovieBox

extension MovieEdit {
  /// Leaves out what says where a movie was made, when, with what and by whom, and all that nobody knows.
  ///
  /// The rule is a list of what stays: what is needed to play the movie, rights, accessibility, and what is said of a
  /// work, such as its title and cover; of a movie from a camera not what its owner may have typed in. Tracks of timed
  /// metadata go with their samples, as do XMP, atoms of vendors, what free space holds, media that no track uses, what
  /// stands after the last atom, names of handlers, keys without items, and the dates in headers. Gives what became of
  /// what, and why.
  ///
  /// The movie is a new file then, without fragments. What the media itself says stays: messages in the stream (SEI),
  /// and samples that an edit list hides. Items that the caller sets stay; those that
  /// ``takeMetadata(_:beside:)`` takes over later stay where those of the other movie would. Throws what removing tracks
  /// throws.
  ///
  /// - Parameters:
  ///   - kept: identifiers that stay too, as patterns such as `mdta/com.example.*` or `common/location`.
  ///   - dropped: identifiers that go too; they win over `kept`.
  ///   - keepsDates: whether dates in headers stay.
  @discardableResult
  public mutating func prepareForSharing(
    keeping kept: [String] = [], dropping dropped: [String] = [], keepsDates: Bool = false
  ) throws(MovieError) -> [SharingDecision] {
    // A conversion makes a track of chapters that a list was.
    guard tracks.allSatisfy({ $0.old != nil || $0.isMadeOfChapters }) else {
      throw MovieError(.invalidEdit, "tracks are added after a movie is prepared for sharing")
    }
    if let tail = movie.tree.firstTailWithContent {
      throw movie.tree.error(
        .unsupported, at: tail, "has bytes in it that are no atom: nobody can say what they tell")
    }
    var policy = SharingPolicy(kept: kept, dropped: dropped, keepsDates: keepsDates)
    var edit = self
    var decisions: [SharingDecision] = []
    var gone: Set<UInt32> = []
    for (place, track) in edit.tracks.enumerated() {
      guard let old = track.old else {
        if !keepsDates { edit.tracks[place].forgetDates() }
        decisions.append(.init(subject: "track \(track.id)", trackID: track.id, stays: true, reason: "chapters"))
        continue
      }
      guard let refusal = policy.refusal(of: old) else {
        let kind = track.mediaType.name
        let caution =
          if track.mediaType == .timecode {
            ", which may begin at the time of day"
          } else if track.mediaType == .video, edit.movie.chapterTrackIDs.contains(track.id) {
            ", pictures of chapters, which may say where they were taken"
          } else {
            ""
          }
        decisions.append(
          .init(
            subject: "track \(track.id)", trackID: track.id, stays: true,
            reason: kind + caution))
        continue
      }
      gone.insert(track.id)
      decisions.append(.init(subject: "track \(track.id)", trackID: track.id, stays: false, reason: refusal))
    }
    if !gone.isEmpty { try edit.remove(gone) }
    policy.hasEncryptedTracks = edit.hasEncryptedTracks
    let left = Set(edit.tracks.map(\.id))
    let items = edit.changes.metadata.index.items
    let isCameraOriginal = SharingPolicy.isCameraOriginal(items.map(\.identifier))
    for (number, item) in items.enumerated() {
      if let id = item.trackID, !left.contains(id) { continue }
      let old = edit.changes.metadata.edits.content(of: item, number: number) ?? MetadataContent(item)
      let (stays, reason) =
        item.isStructure
        ? (true, item.isTrackLabel ? "title or tag of a track" : "chapters")
        : policy.decision(on: item.identifier, saying: old, isCameraOriginal: isCameraOriginal)
      let new = stays ? policy.withoutNotes(old, item.identifier) : old
      if let new {
        decisions.append(
          .init(subject: item.identifier.description, trackID: item.trackID, stays: stays, reason: reason))
        guard !stays || !edit.changes.metadata.edits.removed.contains(number) else { continue }
        if new != old {
          let language = edit.changes.metadata.edits.language(of: item, number: number)
          let isOfCaller = edit.changes.metadata.edits.replaced[number] != nil
          edit.changes.metadata.edits.replace(number, of: items, with: new, language: language)
          if !isOfCaller {
            edit.changes.metadata.derivedItems.insert(
              NewMetadataItem(item.identifier, new, language: language, trackID: item.trackID))
          }
        }
      }
      decisions += SharingDecision.losses(from: old, to: new, item.identifier, ofTrack: item.trackID)
      if !stays || new == nil { edit.changes.metadata.edits.remove(number) }
    }
    let dropped = Set(decisions.lazy.filter { !$0.stays && $0.trackID == nil }.map(\.subject))
    if let conversion = stages.converted {
      edit.changes.metadata.dropMirroredItems(of: conversion) { item in
        dropped.contains(item.identifier.description)
      } unless: { item in
        policy.decision(on: item.identifier, saying: item.content, isCameraOriginal: isCameraOriginal).stays
      }
    }
    decisions += try edit.droppedAtoms(policy)
    edit.changes.sharing = policy
    let known = Set(decisions)
    decisions += edit.leaveOutNotes().filter { !known.contains($0) }
    edit.flatten()
    self = edit
    return decisions
  }

  /// Takes notes out of what items are to say, whether they were set before the movie was prepared for sharing or since;
  /// what cannot be read goes. Gives what went; nothing where the movie is not shared.
  @discardableResult
  package mutating func leaveOutNotes() -> [SharingDecision] {
    guard let sharing = changes.sharing else { return [] }
    var decisions: [SharingDecision] = []
    let items = changes.metadata.edits.replaced.isEmpty ? [] : changes.metadata.index.items
    for (number, old) in changes.metadata.edits.replaced.sorted(by: { $0.key < $1.key }) {
      let item = NewMetadataItem(
        items[number].identifier, old.content, language: old.language, trackID: items[number].trackID)
      if let new = withoutNotes(item, sharing, &decisions) {
        changes.metadata.edits.replace(number, of: items, with: new.content, language: old.language)
      } else {
        changes.metadata.edits.remove(number)
      }
    }
    let added = changes.metadata.edits.added
    changes.metadata.edits.added = []
    for item in added {
      if let new = withoutNotes(item, sharing, &decisions) { changes.metadata.edits.additions.append(new) }
    }
    return decisions
  }

  /// An item without notes, which is judged as the one with them; `nil` for one that cannot be read.
  private mutating func withoutNotes(
    _ item: NewMetadataItem, _ sharing: SharingPolicy, _ decisions: inout [SharingDecision]
  ) -> NewMetadataItem? {
    let content = sharing.withoutNotes(item.content, item.identifier)
    decisions += SharingDecision.losses(from: item.content, to: content, item.identifier, ofTrack: item.trackID)
    guard let content else { return nil }
    guard content != item.content else { return item }
    let new = NewMetadataItem(item.identifier, content, language: item.language, trackID: item.trackID)
    if changes.metadata.derivedItems.contains(item) || stages.converted?.metadata.added.contains(item) ?? false {
      changes.metadata.derivedItems.insert(new)
    }
    if changes.metadata.importedItems.contains(item) { changes.metadata.importedItems.insert(new) }
    return new
  }

  /// Leaves out of the items of another movie those that would not stay in that either; gives the others, and what went.
  /// All stay where the movie is not shared.
  package mutating func shareable(among items: [NewMetadataItem]) -> (stay: [NewMetadataItem], gone: [SharingDecision])
  {
    guard let sharing = changes.sharing else { return (items, []) }
    let isCameraOriginal = SharingPolicy.isCameraOriginal(items.map(\.identifier))
    var (stay, gone): ([NewMetadataItem], [SharingDecision]) = ([], [])
    for item in items {
      let (stays, reason) = sharing.decision(
        on: item.identifier, saying: item.content, isCameraOriginal: isCameraOriginal)
      if stays {
        stay.append(item)
      } else {
        gone.append(
          .init(subject: item.identifier.description, trackID: item.trackID, stays: false, reason: reason))
      }
    }
    changes.metadata.derivedItems.formUnion(stay)
    if !isCameraOriginal { changes.metadata.importedItems.formUnion(stay) }
    return (stay, gone)
  }

  /// Whether samples of a track that stays are encrypted (ISO/IEC 14496-12 8.12).
  var hasEncryptedTracks: Bool {
    tracks.contains { $0.formats.contains { $0.description.hasPrefix("enc") || $0 == "resv" } }
  }

  /// The items that the caller has set: not those of other movies, nor what the edit has stated or written again itself.
  var itemsOfCaller: Set<NewMetadataItem> {
    let items = changes.metadata.edits.replaced.isEmpty ? [] : changes.metadata.index.items
    return changedItems(of: items).subtracting(changes.metadata.derivedItems).subtracting(
      stages.converted?.metadata.added ?? [])
  }

  /// The items that come, or say something else than those of the movie, `items`.
  private func changedItems(of items: [MetadataItem]) -> Set<NewMetadataItem> {
    var all = Set(changes.metadata.edits.added)
    for (number, new) in changes.metadata.edits.replaced {
      let item = items[number]
      all.insert(NewMetadataItem(item.identifier, new.content, language: new.language, trackID: item.trackID))
    }
    return all
  }

  /// What goes that is no item. Throws where nobody can say what a description of samples tells.
  private func droppedAtoms(_ policy: SharingPolicy) throws(MovieError) -> [SharingDecision] {
    let tree = movie.tree
    let descriptions = SharingPolicy.descriptions(in: tree)
    let items = MetadataReader.identifiers(in: tree)
    var decisions: [SharingDecision] = []
    let left = Set(tracks.map(\.id))
    for index in tree.root..<tree[tree.root].subtreeEnd where policy.drops(index, in: tree, items) {
      guard !["free", "skip", "wide"].contains(tree[index].type),
        movie.track(holding: index).map({ left.contains($0.id) }) ?? true
      else { continue }
      let reason = SharingPolicy.reason(toDrop: tree[index].type)
      decisions.append(.init(subject: tree.path(of: index), trackID: nil, stays: false, reason: reason))
    }
    if policy.hasEncryptedTracks {
      for index in tree.children(of: tree.root, "pssh") {
        let reason = "needed to decrypt it, and may say whom it was made for"
        decisions.append(.init(subject: tree.path(of: index), trackID: nil, stays: true, reason: reason))
      }
    }
    let original = stages.original.layout
    for atom in original.atoms where policy.drops(atom) && !atom.isFreeSpace {
      if MovieFragments.atomTypes.contains(atom.type) { continue }
      decisions.append(
        .init(
          subject: "\(atom.type) at byte \(atom.range.offset)", trackID: nil, stays: false,
          reason: SharingPolicy.reason(toDrop: atom.type)))
    }
    if let trailing = original.trailing {
      decisions.append(
        .init(
          subject: "\(trailing.count) bytes after the last atom", trackID: nil, stays: false, reason: "not known"))
    }
    for track in movie.tracks where left.contains(track.id) {
      var saysMore = false
      for index in track.atom..<tree[track.atom].subtreeEnd {
        guard let handler = descriptions[index] else { continue }
        let old = tree.bytes(of: index)
        do throws(MovieError) {
          if try SharingPolicy.saysMaker(old, ofMedia: handler) { saysMore = true }
        } catch {
          throw tree.error(
            .unsupported, at: index,
            "cannot be read (\(error.reason)): nobody can say what it tells; leave track \(track.id) out")
        }
      }
      guard saysMore, let handler = track.handler?.handlerType else { continue }
      let (subject, reason) =
        handler == "tmcd"
        ? ("name of the reel", "leads to other files") : ("maker of the encoder", "what it was made with")
      decisions.append(.init(subject: subject, trackID: track.id, stays: false, reason: reason))
    }
    decisions += SharingPolicy.decisionsOnDescriptions(of: movie, descriptions, tracks: left)
    if !policy.keepsDates, SharingPolicy.hasDates(movie, tracks: left) {
      decisions.append(
        .init(subject: "dates in headers", trackID: nil, stays: false, reason: "when it was made"))
    }
    return decisions
  }
}

extension AtomTree {
  /// The first atom that ends in bytes which are no atom, and no terminator of user data.
  fileprivate var firstTailWithContent: Int? {
    (root..<self[root].subtreeEnd).first { index in
      let tail = tail(of: index)
      return !tail.isEmpty && !tail.allSatisfy { $0 == 0 } && SharingPolicy.mayLose(index, in: self)
    }
  }
}
