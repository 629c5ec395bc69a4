import MovieBox

/// What an edit makes of a movie: the changed atoms of `moov`, the new samples, and the tracks that were asked for.
///
/// The planners turn it into a plan; the checker holds the plan against it.
struct ResolvedEdit: Sendable {
  /// The movie as it was read, and what each stage made of it.
  var stages: MovieStages
  /// The movie that ``edits`` change: the result of all stages.
  var movie: Movie { stages.current }
  /// The changes to the atoms of `moov`.
  var edits = AtomEdits()
  /// User data for kept tracks without `udta`, by track. It is written with their labels.
  var newUserData: [UInt32: [[UInt8]]] = [:]
  /// The tracks that the edit adds and removes.
  var tracks = ChangedTracks()
  /// The media that is added.
  var added = AddedMedia()
  /// The tracks that were asked for, which the checker goes by.
  let requested: RequestedTracks
  /// The metadata that was asked for; `nil` where it stays as it is.
  var requestedMetadata: RequestedMetadata?
  /// The chapters that were asked for; `nil` where they stay as they are.
  var requestedChapters: RequestedChapters?
  /// What stays of a movie that is given to others; `nil` where all does.
  var sharing: SharingPolicy?
  /// The items that the caller of the edit has set in such a movie.
  var statedItems: Set<NewMetadataItem> = []
  /// The items of a shared movie that come from others which are not a camera's own.
  var importedItems: Set<NewMetadataItem> = []

  /// Free space that the new movie atom gets beside its metadata, or `nil` if none is added.
  var metadataRoom: MetadataRoom?

  init(_ stages: MovieStages, requested: RequestedTracks? = nil) {
    self.stages = stages
    self.requested = requested ?? RequestedTracks(unchanged: stages.current)
  }

  /// What the source of a plan looks like: the file of the movie, and after it the other files.
  func sourceIdentity() throws(MovieError) -> SourceIdentity {
    guard !added.otherFiles.isEmpty else { return movie.layout.identity }
    guard let joined = SourceIdentity(joining: [movie.layout.identity] + added.otherFiles.map(\.identity)) else {
      throw MovieError(.limit, "the files have more than 2⁶⁴ bytes together")
    }
    return joined
  }

  /// Whether the new file stores the actual size of this atom: media whose size field is 0, and truncated media once
  /// no sample refers to its missing part.
  func closes(_ atom: FileLayout.TopLevelAtom) -> Bool {
    if atom.sizeField == .toEndOfFile { return true }
    return atom.type == "mdat" && atom.isTruncated && !stages.missingSamples.isEmpty
  }

  /// Whether a top-level atom has no place in the new one.
  func omits(_ atom: FileLayout.TopLevelAtom) -> Bool {
    stages.flattened != nil && MovieFragments.atomTypes.contains(atom.type) || stages.converted?.omits(atom) ?? false
      || sharing?.drops(atom) ?? false
  }

  /// The new `moov`, with the chunk offset tables of `wideTracks` (`trak` atoms counted from 0) 64 bits wide.
  func draft(wideTracks: Set<Int>) throws(MovieError) -> AtomDraft {
    let draft = edits.draft(of: movie.tree)
    guard !wideTracks.isEmpty || metadataRoom != nil else { return draft }
    try draft.requireFits32BitSize()
    var writer = ByteWriter()
    draft.write(to: &writer)
    let tree = try AtomTree(Bytes(writer.take()), at: 0, limits: movie.limits.withRoomForEdits)
    var widening = AtomEdits()
    metadataRoom?.add(to: &widening, in: tree, from: movie.tree)
    let traks = tree.children(of: tree.root, "trak").enumerated().filter { wideTracks.contains($0.offset) }
    for stco in traks.flatMap({ Self.chunkOffsetTables(in: $0.element, of: tree) }) {
      let table = try tree.locating(stco) { bytes throws(MovieError) in
        try ChunkOffsetTable(payload: bytes, isWide: false)
      }
      // Twice as wide: what the tables of a movie atom of 2 GiB cannot become.
      guard table.count <= (Int(UInt32.max) - 16 - table.tail.count) / 8 else {
        throw MovieError(
          .limit, in: "moov", "a table of \(table.count) chunks does not fit one atom when it is widened")
      }
      let head = table.payload.slice(at: 0, count: 4) ?? Bytes()
      let wide = SampleTableAtoms.chunkOffsets(table, isWide: true, head: head, tail: table.tail)
      widening.replace(stco, with: wide.atom)
    }
    return widening.draft(of: tree)
  }

  /// All of them: a broken track may have more than one.
  private static func chunkOffsetTables(in trak: Int, of tree: AtomTree) -> [Int] {
    (trak..<tree[trak].subtreeEnd).filter { index in
      tree[index].type == "stco" && tree[index].parent.map { tree[$0].type == "stbl" } == true
    }
  }
}

/// The tracks that an edit adds and removes.
struct ChangedTracks: Sendable {
  /// The IDs of tracks that are new.
  var new: Set<UInt32> = []
  /// The IDs of tracks that are left out.
  var removed: Set<UInt32> = []
}

/// The media that an edit adds to a movie: samples that it makes, and those of other files.
struct AddedMedia: Sendable {
  /// Auxiliary information that lay in fragments, then the samples of new tracks; positions of both count from its
  /// first byte until the plan says where it lies.
  var bytes = Bytes()
  /// How much of ``bytes`` is auxiliary information.
  var auxiliaryByteCount = 0
  /// The tracks of this and of other movies whose auxiliary information lies there.
  var tracksWithAuxiliary: Set<UInt32> = []
  /// The media that is copied from other files: chunks, and what else they refer to, by places in the joined
  /// source.
  var copiedMedia: [MediaExtent] = []
  /// The new tracks that are from other movies.
  var importedTracks: [ImportedTrackOrigin] = []
  /// The files that tracks and media are taken from, in the order of the parts of the source from its second on.
  var otherFiles: [OtherFile] = []
  /// The kept tracks whose media in other files is taken along, and where it lies.
  var externalMedia: [UInt32: ExternalMedia] = [:]

  /// How many bytes it has.
  var byteCount: UInt64 {
    copiedMedia.reduce(UInt64(bytes.count)) { $0 &+ $1.range.count }  // Parts of files.
  }
}

/// A file beside that of the movie which an edit takes bytes from.
enum OtherFile: Sendable {
  /// A movie that tracks are taken from.
  case movie(Movie)
  /// A fragmented one, and what it is without fragments.
  case flattened(FlattenedMovie)
  /// Media that tracks of the edited movie name.
  case media(SourceIdentity)

  /// What the file looked like when the edit was made.
  var identity: SourceIdentity {
    switch self {
    case .movie(let movie): movie.layout.identity
    case .flattened(let flattenedMovie): flattenedMovie.original.layout.identity
    case .media(let identity): identity
    }
  }

  /// The movie that tracks are taken from, with all its samples in the movie atom; `nil` for media alone.
  var movie: Movie? {
    switch self {
    case .movie(let movie): movie
    case .flattened(let flattenedMovie): flattenedMovie.movie
    case .media: nil
    }
  }
}

/// A new track that is one of another movie.
struct ImportedTrackOrigin: Sendable {
  /// Its ID in the edited movie.
  let id: UInt32
  /// The track as its own movie has it.
  let track: Track
  /// Its movie's number among the parts of the source, from 1.
  let part: Int
}

extension MovieEdit {
  /// Makes sure that the files of the edit can be joined to one source.
  func requireJoinedSource() throws(MovieError) {
    if let refusal = initializationSegmentRefusal { throw refusal }
    _ = try requestedEdit(isInterleaved: false).sourceIdentity()
  }

  /// The requests of the edit, before any atom is written for them.
  func requestedEdit(isInterleaved: Bool) throws(MovieError) -> ResolvedEdit {
    var resolved = ResolvedEdit(stages, requested: RequestedTracks(self, isInterleaved: isInterleaved))
    if let conversion = stages.converted {
      if let refusal = tracks.lazy.compactMap({ conversion.refusals[$0.id] }).first { throw refusal }
      if LeftOutContents(recordedNotices).contains("chpl", ofTrack: nil) {
        resolved.stages.converted?.leavesOutChapters = true
      }
      resolved.stages.converted?.listedItems = Set(recordedNotices.lazy.filter(\.isWarning).compactMap(\.metadataItem))
    }
    if changesMetadata {
      var edits = changes.metadata.edits
      edits.headerDates = headerDateChange
      resolved.requestedMetadata = RequestedMetadata(edits, to: changes.metadata.index.items, of: movie)
    }
    resolved.requestedChapters = changes.chapters?.requested
    resolved.tracks.removed = Set(movie.tracks.map(\.id)).subtracting(tracks.map(\.id))
    resolved.added.otherFiles = changes.media.files
    if var sharing = changes.sharing {
      sharing.hasEncryptedTracks = hasEncryptedTracks
      resolved.sharing = sharing
      resolved.statedItems = itemsOfCaller
      resolved.importedItems = changes.metadata.importedItems
    }
    return resolved
  }
}

extension ResolvedEdit {
  /// The new places of what samples were encrypted with; none if the movie atom of the file is another one than that of
  /// the edit: compressed, or with fragments whose samples an edit lists.
  func encryptionMoves(to new: AtomTree, at offset: UInt64 = 0) throws(MovieError) -> EncryptionMoves {
    guard !movie.hasCompressedMovieAtom, stages.flattened == nil else { return EncryptionMoves() }
    return try EncryptionMoves(from: movie.tree, to: new, at: offset)
  }
}

// Free space inside of the movie atom of a new file.
extension ResolvedEdit {
  /// Has free space that an edit in place left be zeros, so that what was taken out does not go along into a new file; or
  /// leaves all free space out. What another edit has put in its place stays.
  mutating func clearFreeSpace(isCompact: Bool) {
    let tree = movie.tree
    for index in tree.root..<tree[tree.root].subtreeEnd
    where FreeSpace.isSpace(index, in: tree) && !edits.isChanged(index) {
      if isCompact, Self.mayLeaveOutSpace(index, in: tree) {
        edits.remove(index)
      } else if FreeSpace.isLeftByItemEdit(index, in: tree) {
        let byteCount = tree.payload(of: index).count
        let header = tree.bytes(of: index).array.dropLast(byteCount)
        edits.replace(index, with: header + [UInt8](repeating: 0, count: byteCount))
      }
    }
  }

  /// Whether an atom is free space that nothing needs where it stands: descriptions of samples and references to data
  /// stay as they are.
  static func mayLeaveOutSpace(_ index: Int, in tree: AtomTree) -> Bool {
    guard FreeSpace.isSpace(index, in: tree), let parent = tree[index].parent else { return false }
    return tree[parent].type != "ilst" && SharingPolicy.mayLose(parent, in: tree)
  }
}
