import MovieBox

/// An edit after all its requests are resolved: the changed atoms of `moov`, the new samples, and the requested tracks.
///
/// The planner converts it into a plan, and the checker compares the plan with the requests.
struct ResolvedEdit: Sendable {
  /// The movie as it was read and after each stage.
  var stages: MovieStages
  /// The movie that ``edits`` changes: the result of all stages.
  var movie: Movie { stages.current }
  /// The changes to the atoms of `moov`.
  var edits = AtomEdits()
  /// User data for kept tracks without `udta`, by track. It is written together with their labels.
  var newUserData: [UInt32: [[UInt8]]] = [:]
  /// The tracks that the edit adds and removes.
  var tracks = ChangedTracks()
  /// The media that is added.
  var added = AddedMedia()
  /// The requested tracks, against which the checker compares the planned tracks.
  var requested: RequestedTracks
  /// The requested metadata, or `nil` if it is unchanged.
  var requestedMetadata: RequestedMetadata?
  /// The requested chapters, or `nil` if they are unchanged.
  var requestedChapters: RequestedChapters?
  /// The sharing policy, or `nil` if nothing is removed.
  var sharing: SharingPolicy?
  /// The items that the caller requested for a movie that is prepared for sharing.
  var callerItems: Set<NewMetadataItem> = []
  /// The items of a shared movie that were imported from movies that no camera recorded.
  var importedItems: Set<NewMetadataItem> = []

  /// The free space that is added to the new movie atom next to its metadata, or `nil` if no space is added.
  var metadataRoom: MetadataRoom?

  init(_ stages: MovieStages, requested: RequestedTracks? = nil) {
    self.stages = stages
    self.requested = requested ?? RequestedTracks(unchanged: stages.current)
  }

  /// Creates a resolved edit from the requests of an edit. Its writers have not added any bytes yet.
  init(_ edit: MovieEdit, isInterleaved: Bool) throws(MovieError) {
    self.init(edit.stages, requested: RequestedTracks(edit, isInterleaved: isInterleaved))
    if let conversion = edit.stages.converted {
      if let refusal = edit.tracks.lazy.compactMap({ conversion.refusals[$0.id] }).first { throw refusal }
    }
    let metadata = edit.changes.metadata
    if edit.changesMetadata {
      var edits = metadata.edits
      edits.headerDates = edit.headerDateChange
      requestedMetadata = RequestedMetadata(edits, to: metadata.index.items, of: movie)
    }
    requestedChapters = edit.changes.chapters?.requested
    tracks.removed = Set(movie.tracks.map(\.id)).subtracting(edit.tracks.map(\.id))
    added.otherFiles = edit.changes.media.files
    if var sharing = edit.changes.sharing {
      sharing.hasEncryptedTracks = edit.hasEncryptedTracks
      self.sharing = sharing
      callerItems = edit.callerItems
      importedItems = metadata.importedItems
    }
  }

  /// Returns the identity of a plan's source: the file of the movie, followed by the other files.
  func sourceIdentity() throws(MovieError) -> SourceIdentity {
    guard !added.otherFiles.isEmpty else { return movie.layout.identity }
    guard let joined = SourceIdentity(joining: [movie.layout.identity] + added.otherFiles.map(\.identity)) else {
      throw MovieError(.limit, "the total size of the files exceeds 2⁶⁴ bytes")
    }
    return joined
  }

  /// Returns whether the new file declares the actual size of this atom. It does for media whose size field is 0, and
  /// for truncated atoms of a salvaged movie.
  func closes(_ atom: FileLayout.TopLevelAtom) -> Bool {
    if atom.sizeField == .toEndOfFile { return true }
    return atom.isTruncated && (stages.closesTruncatedAtoms || atom.type == "mdat" && !stages.missingSamples.isEmpty)
  }

  /// Whether the new file omits a top-level atom.
  func omits(_ atom: FileLayout.TopLevelAtom) -> Bool {
    stages.flattened != nil && MovieFragments.atomTypes.contains(atom.type) || stages.converted?.omits(atom) ?? false
      || sharing?.drops(atom) ?? false
  }

  /// Returns the new `moov`.
  ///
  /// - Parameter wideTracks: the indices of the `trak` atoms, from 0, whose chunk offset tables have 64-bit entries.
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
      // The entries double in size, so a table in a 2 GiB movie atom can exceed the largest size of an atom.
      guard table.count <= (Int(UInt32.max) - 16 - table.tail.count) / 8 else {
        throw MovieError(
          .limit, in: "moov", "a 64-bit table of \(table.count) chunks exceeds the largest size of an atom")
      }
      let head = table.payload.slice(at: 0, count: 4) ?? Bytes()
      let wide = SampleTableAtoms.chunkOffsets(table, isWide: true, head: head, tail: table.tail)
      widening.replace(stco, with: wide.atom)
    }
    return widening.draft(of: tree)
  }

  /// Returns the chunk offset tables of a track. A malformed track may have more than one table.
  private static func chunkOffsetTables(in trak: Int, of tree: AtomTree) -> [Int] {
    (trak..<tree[trak].subtreeEnd).filter { index in
      tree[index].type == "stco" && tree[index].parent.map { tree[$0].type == "stbl" } == true
    }
  }
}

/// The tracks that an edit adds and removes.
struct ChangedTracks: Sendable {
  /// The IDs of the new tracks.
  var new: Set<UInt32> = []
  /// The IDs of the removed tracks.
  var removed: Set<UInt32> = []
}

/// The media that an edit adds to a movie: generated samples, and samples from other files.
struct AddedMedia: Sendable {
  /// Auxiliary information from fragments, followed by the samples of generated tracks. Their offsets count from the
  /// first of these bytes until the planner assigns the file offsets.
  var bytes = Bytes()
  /// The number of ``bytes`` that are auxiliary information.
  var auxiliaryByteCount = 0
  /// The kept and imported tracks whose auxiliary information is in ``bytes``.
  var tracksWithAuxiliary: Set<UInt32> = []
  /// The media that is copied from other files. It consists of chunks and other bytes to which tracks refer, with
  /// offsets in the joined source.
  var copiedMedia: [MediaExtent] = []
  var importedTracks: [ImportedTrackOrigin] = []
  /// The files that contain imported tracks or copied media. In the joined source, they follow the movie's own file in
  /// this order.
  var otherFiles: [OtherFile] = []
  /// The location of the media that kept tracks copy from other files, by track.
  var externalMedia: [UInt32: ExternalMedia] = [:]

  /// The number of added bytes.
  var byteCount: UInt64 {
    copiedMedia.reduce(UInt64(bytes.count)) { $0 &+ $1.range.count }  // The ranges are parts of files.
  }
}

/// A file, other than the movie's own file, from which an edit copies bytes.
struct OtherFile: Sendable {
  /// The contents of a file from which an edit copies bytes.
  enum Contents: Sendable {
    /// A movie with imported tracks.
    case movie(Movie)
    /// A fragmented movie with imported tracks, and the movie after flattening.
    case flattened(FlattenedMovie)
    /// Media to which tracks of the edited movie refer.
    case media(SourceIdentity)
  }

  let contents: Contents
  let source: any RandomAccessSource
  /// The identity of the file when the edit was created.
  var identity: SourceIdentity {
    switch contents {
    case .movie(let movie): movie.layout.identity
    case .flattened(let flattenedMovie): flattenedMovie.original.layout.identity
    case .media(let identity): identity
    }
  }

  /// The movie with imported tracks, without fragments, or `nil` if the file contains only media.
  var movie: Movie? {
    switch contents {
    case .movie(let movie): movie
    case .flattened(let flattenedMovie): flattenedMovie.movie
    case .media: nil
    }
  }
}

struct ImportedTrackOrigin: Sendable {
  /// The ID of the track in the edited movie.
  let id: UInt32
  /// The track in its original movie.
  let track: Track
  /// The number of the original movie's file in the joined source. File 0 is the edited movie.
  let part: Int
}

extension ResolvedEdit {
  /// Returns the moves of the samples' encryption information. The result is empty for a compressed or flattened movie
  /// atom, because its offsets differ from the offsets in the file.
  func encryptionMoves(to new: AtomTree, at offset: UInt64 = 0) throws(MovieError) -> EncryptionMoves {
    guard !movie.hasCompressedMovieAtom, stages.flattened == nil else { return EncryptionMoves() }
    return try EncryptionMoves(from: movie.tree, to: new, at: offset)
  }
}

// Free space inside the movie atom of a new file.
extension ResolvedEdit {
  /// Overwrites with zeros the free space that earlier in-place edits left, so that a new file does not contain removed
  /// metadata. If `isCompact`, removes all free space instead. Free space that this edit replaced is unchanged.
  mutating func clearFreeSpace(isCompact: Bool) {
    let tree = movie.tree
    for index in tree.root..<tree[tree.root].subtreeEnd
    where FreeSpace.isSpace(index, in: tree) && !edits.isChanged(index) {
      if isCompact, Self.mayRemoveSpace(index, in: tree) {
        edits.remove(index)
      } else if FreeSpace.isLeftByItemEdit(index, in: tree) {
        let byteCount = tree.payload(of: index).count
        let header = tree.bytes(of: index).array.dropLast(byteCount)
        edits.replace(index, with: header + [UInt8](repeating: 0, count: byteCount))
      }
    }
  }

  /// Whether an atom is free space that can be removed. Free space in sample descriptions, data references and item
  /// lists is kept, because its siblings depend on their position.
  static func mayRemoveSpace(_ index: Int, in tree: AtomTree) -> Bool {
    guard FreeSpace.isSpace(index, in: tree), let parent = tree[index].parent else { return false }
    return tree[parent].type != "ilst" && SharingPolicy.mayLose(parent, in: tree)
  }
}
