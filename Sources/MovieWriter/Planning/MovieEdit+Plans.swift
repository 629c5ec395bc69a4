public import MovieBox

extension MovieEdit {
  /// The edited movie as a new file: every atom in its old order, media copied.
  ///
  /// Where the edit takes bytes from ``otherSources``, `source` is a ``JoinedSource`` of the movie's own and those.
  /// Laid out as `layout` says; a fragmented movie whose media that moves is written without fragments, see
  /// ``defragments(for:)``. The plan is checked: every sample of every kept track names the bytes it named, every atom
  /// that the edit does not name is there. Reads a file-level `meta` and nothing else of `source`.
  public func remuxPlan(of source: some RandomAccessSource, _ layout: RemuxLayout = RemuxLayout()) throws -> RemuxPlan {
    var layout = layout
    var edit = layout.splitsChunks ? try splittingChunks() : self
    if let kept = keepingFragments(layout) {
      edit = kept
      layout.blockByteCount = nil  // Free space would come between a fragment and its samples.
    }
    let revision = try edit.revision(isInterleaved: layout.interleaving != .none)
    try Self.check(source, revision)
    return try source.reading(since: movie.layout.identity) {
      let plan = try MoviePlanner(revision: revision, source: source).newFilePlan(layout)
      try PlanChecker.check(plan, of: revision, strategy: .rewrite(layout), source: source)
      return plan
    }
  }

  /// The edit in place: new bytes and one header write. Checked as ``remuxPlan(of:_:)`` is.
  ///
  /// Throws `.invalidEdit` with the reason where it is not possible. Reads what stands after `moov`, 1 MiB at most, and
  /// free space beside it.
  public func inPlacePlan(
    of source: some RandomAccessSource, _ position: InPlacePlan.Position = .inOrder
  ) throws -> InPlacePlan {
    switch try inPlaceDecision(of: source, position) {
    case .plan(let plan): return plan
    case .blocked(let reason): throw MovieError(.invalidEdit, reason)
    }
  }

  /// The edit in place, or why there is none.
  func inPlaceDecision(
    of source: some RandomAccessSource, _ position: InPlacePlan.Position
  ) throws -> InPlaceDecision {
    let revision = try (keepingFragments(RemuxLayout()) ?? self).revision(isInterleaved: false)
    try Self.check(source, revision)
    return try source.reading(since: movie.layout.identity) {
      let decision = try MoviePlanner(revision: revision, source: source).inPlaceDecision(position)
      if case .plan(let plan) = decision { try PlanChecker.check(plan, of: revision, source: source) }
      return decision
    }
  }

  /// Why the movie cannot be edited in place, in words; `nil` when it can, if the movie atom does not outgrow the space
  /// that the edit would go to. Reads free space beside the movie atom.
  public func inPlaceBlocker(
    of source: some RandomAccessSource, _ position: InPlacePlan.Position = .inOrder
  ) throws -> String? {
    var revision = MovieRevision(movie: keepingFragments(RemuxLayout())?.movie ?? movie)
    revision.importedMedia = tracks.flatMap(\.importedMedia) + externalMediaCells.flatMap(\.cells)
    return try MoviePlanner(revision: revision, source: source).inPlaceBlocker(position)
  }

  /// Makes sure that a source has the other files of an edit behind the movie.
  private static func check(_ source: some RandomAccessSource, _ revision: MovieRevision) throws {
    guard !revision.otherFiles.isEmpty else { return }
    let identity = try source.identity()
    guard identity.parts.count == revision.otherFiles.count + 1 else {
      throw MovieError(
        .invalidEdit,
        "the edit takes bytes from \(revision.otherFiles.count) other files: plan it on a joined source of all")
    }
    guard try identity == revision.sourceIdentity() else {
      throw MovieError(.sourceChanged, "one of the files has changed since it was read")
    }
  }

  /// Why this movie cannot be edited in place, for those who do not edit it.
  package static func inPlaceBlocker(
    of movie: Movie, in source: some RandomAccessSource, _ position: InPlacePlan.Position = .inOrder
  ) throws -> String? {
    try MoviePlanner(revision: MovieRevision(movie: movie), source: source).inPlaceBlocker(position)
  }

  /// The bytes that the samples of all tracks take.
  var mediaByteCount: UInt64 {
    tracks.reduce(0) { sum, track in
      switch track.origin {
      case .movie(let old):  // A hostile sum that wraps only makes a number for people wrong.
        sum &+ old.mediaByteCount &+ (externalMedia[old.id].map { old.externalByteCount($0) } ?? 0)
      case .new(let new): sum &+ UInt64(new.samples.count)
      case .imported(let copied): sum &+ copied.input.track.mediaByteCount
      }
    }
  }

  /// The changed atoms of `moov`, and the new samples one track after the other; where they are to be put between
  /// others, in chunks of about a second.
  func revision(isInterleaved: Bool) throws(MovieError) -> MovieRevision {
    var revision = MovieRevision(
      movie: movie, defragmentation: defragmentation, keptFragments: keptFragments, unsplitMovie: unsplitMovie)
    let kept = Set(tracks.map(\.id))
    revision.removedTrackIDs = Set(movie.tracks.map(\.id)).subtracting(kept)
    for track in movie.tracks where !kept.contains(track.id) { revision.edits.remove(track.atom) }
    var media = ByteWriter()
    let tables = writeAuxiliaryInformation(into: &revision, &media)
    var newTraks: [[UInt8]] = []
    for track in tracks {
      switch track.origin {
      case .movie(let old):
        try reviseHeader(of: old, as: track, in: &revision)
        reviseLabels(of: old, as: track, in: &revision)
        reviseReferences(of: old, as: track, in: &revision)
        try reviseDataReferences(of: old, in: &revision)
      case .new(let new):
        // Encryption information of fragments comes before new samples; both are made in memory.
        guard let offset = UInt32(exactly: media.bytes.count) else {
          throw MovieError(
            .limit, "\(media.bytes.count) bytes before the samples of a new track, \(UInt32.max) at most")
        }
        revision.newTrackIDs.insert(track.id)
        newTraks.append(new.trackAtom(as: track, chunkOffset: offset, isInterleaved: isInterleaved))
        media.write(new.samples)
      case .imported(let copied):
        revision.newTrackIDs.insert(track.id)
        revision.importedTracks.append(
          ImportedTrackRevision(id: track.id, track: copied.input.track, part: copied.part))
        newTraks.append(copied.trackAtom(as: track, tables: tables[track.id] ?? []))
      }
    }
    revision.newMedia = Bytes(media.take())
    revision.otherFiles = otherFiles
    revision.importedMedia = try importedMedia(revision.sourceIdentity())
    let root = movie.tree.root
    let lastTrak = movie.tree.children(of: root, "trak").last
    let successor = lastTrak.flatMap { last in movie.tree.children(of: root).first { $0 > last } }
    for trak in newTraks { revision.edits.insert(trak, into: root, before: successor) }
    reviseMovieHeader(in: &revision)
    try reviseFragmentDefaults(in: &revision)
    return revision
  }

  /// The media that is taken from other files, in the order of the joined source; what shares bytes is one.
  private func importedMedia(_ source: SourceIdentity) -> [MediaMap.Cell] {
    var cells: [MediaMap.Cell] = []
    func take(_ media: [MediaMap.Cell], ofPart part: Int, track number: Int) {
      guard let part = source.range(ofPart: part) else { return }
      cells += media.map { cell in
        MediaMap.Cell(
          range: ByteRange(part.offset &+ cell.range.offset..<part.offset &+ cell.range.end),  // Inside the part.
          time: MediaMap.Time(microseconds: cell.time.microseconds, track: Int32(clamping: number)), use: cell.use)
      }
    }
    for (number, track) in tracks.enumerated() {
      if case .imported(let copied) = track.origin { take(copied.media, ofPart: copied.part, track: number) }
    }
    for media in externalMediaCells { take(media.cells, ofPart: media.part, track: media.track) }
    cells.sortAndMerge()
    return cells
  }

  private func reviseMovieHeader(in revision: inout MovieRevision) {
    var header = movie.header
    header.nextTrackID = nextTrackID
    header.duration = durationInMovieTicks
    if movie.hasKnownDuration, header.duration >= UInt64(UInt32.max) {
      header.version = 1  // All ones would mean an unknown one.
    }
    guard header != movie.header, let mvhd = movie.tree.child(of: movie.tree.root, "mvhd") else { return }
    revision.edits.replace(mvhd, with: header.atom("mvhd"))
  }

  private func reviseHeader(of old: Track, as track: EditedTrack, in revision: inout MovieRevision) throws(MovieError) {
    guard track.hasChangedHeader, let tkhd = movie.tree.child(of: old.atom, "tkhd") else { return }
    var header = old.header
    header.isEnabled = track.isEnabled
    header.alternateGroup = track.alternateGroup
    revision.edits.replace(tkhd, with: header.atom("tkhd"))
    revision.namedAtoms[track.id, default: []].insert("tkhd")
  }

  private func reviseLabels(of old: Track, as track: EditedTrack, in revision: inout MovieRevision) {
    guard track.hasChangedLabels else { return }
    let writer = LabelWriter(track.labels, of: old, in: movie.tree, movie.dialect)
    revision.namedLabels[track.id, default: []].formUnion(writer.write(into: &revision.edits))
    revision.labels[track.id] = track.labels
  }

  /// Writes the references that changed, and leaves the others as they are.
  private func reviseReferences(of old: Track, as track: EditedTrack, in revision: inout MovieRevision) {
    let before = EditedTrack.references(of: old)
    let changed = Set(before.keys).union(track.references.keys)
      .filter { before[$0] != track.references[$0] }.sorted { $0.rawValue < $1.rawValue }
    guard !changed.isEmpty else { return }
    revision.namedAtoms[track.id, default: []].formUnion(changed + ["tref"])
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

extension EditedTrack {
  /// The media that a track from another movie takes along, by places in its own file; none of other tracks.
  fileprivate var importedMedia: [MediaMap.Cell] {
    if case .imported(let copied) = origin { copied.media } else { [] }
  }
}
