import MovieBox

extension MovieEdit {
  /// The bytes that the samples of all tracks take.
  var mediaByteCount: UInt64 {
    tracks.reduce(0) { sum, track in  // A hostile sum that wraps only makes a number for people wrong.
      let external = track.old.flatMap { old in changes.media.external[old.id].map { old.externalByteCount($0) } }
      return sum &+ track.planned.mediaByteCount &+ (external ?? 0)
    }
  }

  /// The changed atoms of `moov`, and the new samples one track after the other; where they are to be put between
  /// others, in chunks of about a second.
  func revision(isInterleaved: Bool) throws(MovieError) -> MovieRevision {
    if let refusal = initializationSegmentRefusal { throw refusal }
    var edit = self
    edit.leaveOutNotes()  // In covers that were set since the movie was prepared for sharing.
    return try edit.ownRevision(isInterleaved: isInterleaved)
  }

  private func ownRevision(isInterleaved: Bool) throws(MovieError) -> MovieRevision {
    var revision = MovieRevision(stages, requested: RequestedTracks(self, isInterleaved: isInterleaved))
    if let conversion = stages.converted {
      if let refusal = tracks.lazy.compactMap({ conversion.refusals[$0.id] }).first { throw refusal }
      if LeftOutContents(ownNotes).contains("chpl", ofTrack: nil) {
        revision.stages.converted?.leavesOutChapters = true
      }
      revision.stages.converted?.listedItems = Set(ownNotes.lazy.filter(\.isWarning).compactMap(\.metadataItem))
    }
    if changesMetadata {
      var changes = changes.metadata.edits
      changes.headerDates = headerDateChange
      revision.requestedMetadata = RequestedMetadata(changes, in: movie)
    }
    revision.requestedChapters = changes.chapters?.requested
    let kept = Set(tracks.map(\.id))
    revision.tracks.removed = Set(movie.tracks.map(\.id)).subtracting(kept)
    for track in movie.tracks where !kept.contains(track.id) { revision.edits.remove(track.atom) }
    var media = ByteWriter()
    let tables = writeAuxiliaryInformation(into: &revision, &media)
    var newTraks: [[UInt8]] = []
    var metadata = MetadataWriter(changes.metadata.edits, in: movie, keeping: kept)
    let userData = metadata.write(into: &revision.edits)
    if removesChapters { removeUserDataOfChapters(in: &revision) }
    for track in tracks {
      if let old = track.old {
        try reviseHeader(of: old, as: track, in: &revision)
        reviseLabels(of: old, as: track, userData[old.id] ?? [], in: &revision)
        reviseParameterSets(of: old, as: track, in: &revision)
        reviseReferences(of: old, as: track, in: &revision)
        try reviseDataReferences(of: old, in: &revision)
      } else if let generated = track.generated {
        // Encryption information of fragments comes before new samples; both are made in memory.
        guard let offset = UInt32(exactly: media.bytes.count) else {
          throw MovieError(
            .limit, "\(media.bytes.count) bytes before the samples of a new track, \(UInt32.max) at most")
        }
        revision.tracks.new.insert(track.id)
        newTraks.append(generated.trackAtom(as: track, chunkOffset: offset, isInterleaved: isInterleaved))
        media.write(generated.sampleData)
      } else if let copied = track.planned as? ImportedTrack {
        revision.tracks.new.insert(track.id)
        revision.added.importedTracks.append(
          ImportedTrackOrigin(id: track.id, track: copied.input.track, part: copied.part))
        newTraks.append(copied.trackAtom(as: track, tables: tables[track.id] ?? []))
      }
    }
    revision.added.bytes = Bytes(media.take())
    revision.added.otherFiles = changes.media.files
    revision.added.copiedMedia = try importedMedia(revision.sourceIdentity())
    let successor = movie.tree.successorOfNewTracks(isISO: movie.dialect == .iso)
    for trak in newTraks { revision.edits.insert(trak, into: movie.tree.root, before: successor) }
    reviseMovieHeader(in: &revision)
    try reviseFragmentDefaults(in: &revision)
    if var sharing = changes.sharing {
      sharing.hasEncryptedTracks = hasEncryptedTracks
      revision.sharing = sharing
      revision.statedItems = itemsOfCaller
      revision.importedItems = changes.metadata.importedItems
      try share(sharing, in: &revision.edits)
    }
    return revision
  }

  /// The media that is taken from other files, in the order of the joined source; what shares bytes is one.
  private func importedMedia(_ source: SourceIdentity) -> [MediaExtent] {
    var extents: [MediaExtent] = []
    func take(_ media: [MediaExtent], ofPart part: Int, track number: Int) {
      guard let part = source.range(ofPart: part) else { return }
      extents += media.map { extent in
        MediaExtent(
          range: ByteRange(part.offset &+ extent.range.offset..<part.offset &+ extent.range.end),  // Inside the part.
          time: MediaExtent.Time(microseconds: extent.time.microseconds, track: Int32(clamping: number)),
          use: extent.use)
      }
    }
    for (number, track) in tracks.enumerated() {
      if let copied = track.planned as? ImportedTrack { take(copied.media, ofPart: copied.part, track: number) }
    }
    for media in externalMediaExtents { take(media.extents, ofPart: media.part, track: media.track) }
    extents.sortAndMerge()
    return extents
  }

  private func reviseMovieHeader(in revision: inout MovieRevision) {
    var header = movie.header
    header.nextTrackID = nextTrackID
    header.duration = durationInMovieTicks
    headerDateChange?.apply(to: &header)
    if movie.hasKnownDuration, header.duration >= UInt64(UInt32.max) {
      header.version = 1  // All ones would mean an unknown one.
    }
    guard header != movie.header, let mvhd = movie.tree.child(of: movie.tree.root, "mvhd") else { return }
    revision.edits.replace(mvhd, with: header.atom("mvhd"))
  }

  private func reviseHeader(of old: Track, as track: OutputTrack, in revision: inout MovieRevision) throws(MovieError) {
    guard track.hasChangedHeader || headerDateChange != nil, let tkhd = movie.tree.child(of: old.atom, "tkhd") else {
      return
    }
    var header = old.header
    header.isEnabled = track.isEnabled
    header.alternateGroup = track.alternateGroup
    headerDateChange?.apply(to: &header)
    guard header != old.header else { return }
    revision.edits.replace(tkhd, with: header.atom("tkhd"))
  }

  /// Writes the labels that changed; `userData` is what comes into user data that the track does not have yet.
  private func reviseLabels(
    of old: Track, as track: OutputTrack, _ userData: [[UInt8]], in revision: inout MovieRevision
  ) {
    var mediaHeader = old.mediaHeader
    headerDateChange?.apply(to: &mediaHeader)
    if mediaHeader != old.mediaHeader, let mdhd = movie.tree.descendant(of: old.atom, "mdia", "mdhd") {
      revision.edits.replace(mdhd, with: mediaHeader.atom("mdhd"))
    }
    guard track.hasChangedLabels || !userData.isEmpty else { return }
    LabelWriter(track.labels, of: old, mediaHeader, in: movie.tree, movie.dialect)
      .write(into: &revision.edits, userData)
  }

  /// Removes user data of the movie that held the list of chapters and nothing else.
  private func removeUserDataOfChapters(in revision: inout MovieRevision) {
    let tree = movie.tree
    guard !changes.metadata.edits.added.contains(where: { $0.trackID == nil }) else { return }
    for udta in tree.children(of: tree.root, "udta") where tree.tail(of: udta).allSatisfy({ $0 == 0 }) {
      let children = tree.children(of: udta)
      let isEmptied = children.allSatisfy(revision.edits.isRemoved)
      if isEmptied, children.contains(where: { tree[$0].type == "chpl" }) { revision.edits.remove(udta) }
    }
  }

  /// Writes the references that changed, and leaves the others as they are. The atom that held them goes where an edit
  /// takes out all chapters and nothing else was in it.
  private func reviseReferences(of old: Track, as track: OutputTrack, in revision: inout MovieRevision) {
    let before = OutputTrack.references(of: old)
    let changed = Set(before.keys).union(track.references.keys)
      .filter { before[$0] != track.references[$0] }.sorted { $0.rawValue < $1.rawValue }
    guard !changed.isEmpty else { return }
    let tree = movie.tree
    var added: [[UInt8]] = []
    let atomsByType = Dictionary(grouping: old.references, by: \.type)
    for type in changed {
      let atoms = (atomsByType[type] ?? []).map(\.atom)
      if let ids = track.references[type] {
        let atom = TrackReference(trackIDs: ids).atom(type)
        if let first = atoms.first { revision.edits.replace(first, with: atom) } else { added.append(atom) }
        for surplus in atoms.dropFirst() { revision.edits.remove(surplus) }
      } else {
        for atom in atoms { revision.edits.remove(atom) }
      }
    }
    if removesChapters, changed.contains("chap") {
      for tref in tree.children(of: old.atom, "tref") where tree.tail(of: tref).isEmpty {
        let children = tree.children(of: tref)
        let holdsChapters = children.contains { tree[$0].type == "chap" }
        guard holdsChapters, added.isEmpty, children.allSatisfy(revision.edits.isRemoved) else { continue }
        revision.edits.remove(tref)
      }
    }
    if let tref = tree.child(of: old.atom, "tref") {
      for atom in added { revision.edits.insert(atom, into: tref) }
    } else if !added.isEmpty {
      var writer = ByteWriter()
      writer.atom("tref") { tref in for atom in added { tref.write(atom) } }
      revision.edits.insert(writer.bytes, into: old.atom, before: tree.child(of: old.atom, "mdia"))
    }
  }
}

extension AtomPayload {
  /// The whole atom, with a header of this type.
  func atom(_ type: FourCC) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom(type) { write(to: &$0) }
    return writer.bytes
  }
}
