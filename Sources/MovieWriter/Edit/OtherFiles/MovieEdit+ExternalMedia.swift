import MovieBox

extension MovieEdit {
  /// Copies samples from other files into the new movie and makes the data references self-contained.
  ///
  /// Returns the files without duplicates, in the order in which they follow the earlier sources of the edit (see
  /// ``otherSources``). Rethrows errors of `open`. Throws ``MovieError`` for samples beyond the end of their file, for
  /// fragmented movies, and for tracks with auxiliary information. The edit is unchanged after an error.
  ///
  /// - Parameter open: opens the file of a reference, or throws to reject the reference, because a reference can name any
  ///   file. It is not called for references without samples. See ``ExternalMediaFolder`` for files in the folder of the
  ///   movie.
  @discardableResult
  mutating func makeSelfContained(
    _ open: (ExternalReference) throws -> ExternalFile
  ) throws -> [ExternalFile] {
    var edit = self
    var files: [ExternalFile] = []
    for track in tracks {
      guard let old = track.old, old.hasExternalMedia, edit.changes.media.external[old.id] == nil else {
        continue
      }
      try edit.requireKnownPlaces(of: old)
      var media = ExternalMedia()
      for reference in references(of: old) {
        let file = try open(reference)
        if let known = files.firstIndex(where: { $0.name == file.name }) {
          media.parts[reference.index] = changes.media.files.count + known + 1
        } else {
          files.append(file)
          edit.changes.media.files.append(
            OtherFile(contents: .media(try file.source.identity()), source: file.source))
          media.parts[reference.index] = edit.changes.media.files.count
        }
      }
      try edit.requireSamplesInFile(for: old, media, files.map(\.name))
      edit.changes.media.external[old.id] = media
      let names = Set(media.parts.values).sorted().map { files[$0 - changes.media.files.count - 1].name }
      edit.recordedNotices.append(.externalMediaCopied(from: names, track: old.id))
    }
    try edit.requireJoinedSource()
    self = edit
    return files
  }

  /// The extents that kept tracks copy from other files, for each part of the source and track.
  var externalMediaExtents: [(part: Int, track: Int, extents: [MediaExtent])] {
    guard !changes.media.external.isEmpty else { return [] }
    let ids = Dictionary(tracks.enumerated().map { ($0.element.id, $0.offset) }) { first, _ in first }
    return movie.tracks.flatMap { track -> [(part: Int, track: Int, extents: [MediaExtent])] in
      guard let number = ids[track.id], let external = changes.media.external[track.id] else { return [] }
      let origins = ChunkOrigins(track, external)
      let scale = movie.header.timeScale
      return origins.otherParts.sorted().map { part in
        (part, number, track.mediaExtents(number: number, movieTimeScale: scale, origins, part: part))
      }
    }
  }

  func references(of track: Track) -> [ExternalReference] {
    guard let entries = track.dataReferences?.entries, track.hasExternalMedia,
      let dref = movie.tree.descendant(of: track.atom, "mdia", "minf", "dinf", "dref")
    else { return [] }
    let locator = ChunkLocator(track)
    var descriptions: Set<UInt32> = []
    for chunk in track.samples.chunks where chunk.byteCount > 0 && locator.isExternal(chunk) {
      descriptions.insert(chunk.sampleDescriptionIndex)
    }
    let usedReferences = Set(
      descriptions.map { Int(track.sampleDescriptions.entries[Int($0) - 1].dataReferenceIndex) - 1 })
    let atoms = Array(movie.tree.children(of: dref))
    return usedReferences.sorted().map { index in
      let atom = atoms.indices.contains(index) ? atoms[index] : dref
      return ExternalReference(
        trackID: track.id, index: index, entry: entries[index], path: movie.tree.path(of: atom),
        offset: movie.tree.range(of: atom).offset)
    }
  }

  /// Returns the data references of a track with their atoms.
  func entryAtoms(of track: Track) throws(MovieError) -> [(DataReference.Entry, Int)] {
    guard let entries = track.dataReferences?.entries,
      let dref = movie.tree.descendant(of: track.atom, "mdia", "minf", "dinf", "dref")
    else { return [] }
    let atoms = Array(movie.tree.children(of: dref))
    guard atoms.count == entries.count else {
      throw failure(.malformed, dref, "has \(entries.count) references and \(atoms.count) atoms")
    }
    return Array(zip(entries, atoms))
  }

  private func requireKnownPlaces(of track: Track) throws(MovieError) {
    let tree = movie.tree
    guard stages.flattened == nil else {
      throw failure(
        .unsupported, track.atom,
        "cannot copy media of other files into a fragmented movie; first write the movie without fragments")
    }
    guard movie.tracks.count(where: { $0.id == track.id }) == 1 else {
      throw failure(.malformed, track.atom, "the movie has more than one track \(track.id)")
    }
    if let stbl = tree.sampleTable(ofTrack: track.atom), let saio = tree.child(of: stbl, "saio") {
      throw failure(
        .unsupported, saio, "track \(track.id) has auxiliary information about samples in other files")
    }
    _ = try entryAtoms(of: track)
  }

  /// Throws unless every sample is inside its file.
  ///
  /// - Parameter names: the names of the last parts.
  private func requireSamplesInFile(for track: Track, _ media: ExternalMedia, _ names: [String]) throws(MovieError) {
    let origins = ChunkOrigins(track, media)
    let locator = ChunkLocator(track)
    for chunk in track.samples.chunks where chunk.byteCount > 0 {
      guard let part = origins.part(of: chunk), part > 0 else { continue }
      let byteCount = changes.media.files[part - 1].identity.byteCount
      let range = locator.byteRange(of: chunk)
      if let range, range.end <= byteCount { continue }
      let stbl = movie.tree.sampleTable(ofTrack: track.atom) ?? track.atom
      throw failure(
        .truncated, movie.tree.child(of: stbl, "stco") ?? movie.tree.child(of: stbl, "co64") ?? stbl,
        "chunk \(chunk.index + 1) of \(range?.count ?? chunk.byteCount) bytes at \(chunk.offset) reaches past the end of "
          + "\(names[part - 1 - (changes.media.files.count - names.count)]) at \(byteCount)")
    }
  }

  private func failure(_ code: MovieError.Code, _ atom: Int, _ reason: String) -> MovieError {
    movie.tree.error(code, at: atom, reason)
  }
}

extension Track {
  /// Returns the number of sample bytes that are copied from other files.
  func externalByteCount(_ external: ExternalMedia) -> UInt64 {
    let origins = ChunkOrigins(self, external)
    let locator = ChunkLocator(self)
    return samples.chunks.reduce(0) { sum, chunk in
      origins.part(of: chunk) ?? 0 == 0 ? sum : sum.addingClamped(locator.byteRange(of: chunk)?.count ?? 0)
    }
  }
}
