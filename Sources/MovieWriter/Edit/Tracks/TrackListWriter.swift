import MovieBox

/// Removes and adds track atoms, and collects the media of new tracks.
///
/// New media is either generated in memory or copied from other files. A chunk offset of a generated track counts from
/// the first byte of the new media, because the planner assigns the file offset of that media later. Offsets of
/// imported tracks initially refer to their original file, and the planner rewrites them as well.
struct TrackListWriter: ChangeWriter {
  private let edit: MovieEdit
  private let tree: AtomTree

  init(_ edit: MovieEdit) {
    (self.edit, tree) = (edit, edit.movie.tree)
  }

  func write(into resolved: inout ResolvedEdit) throws(MovieError) {
    for track in edit.movie.tracks where resolved.tracks.removed.contains(track.id) {
      resolved.edits.remove(track.atom)
    }
    // Auxiliary information of fragments precedes the generated samples.
    var media = ByteWriter()
    let tables = writeAuxiliaryInformation(into: &resolved, &media)
    resolved.added.auxiliaryByteCount = media.bytes.count
    let successor = tree.successorOfNewTracks(isISO: edit.movie.dialect == .iso)
    for track in edit.tracks {
      let trak: [UInt8]
      switch track.planned.origin {
      case .kept: continue
      case .generated(let generated):
        guard let offset = UInt32(exactly: media.bytes.count) else {
          throw MovieError(
            .limit,
            "the new tracks contain too much media: a track would begin after \(media.bytes.count) bytes, "
              + "but the limit is \(UInt32.max)"
          )
        }
        trak = generated.trackAtom(
          as: track, chunkOffset: offset, isInterleaved: resolved.requested.isInterleaved)
        media.write(generated.sampleData)
      case .imported(let copied):
        trak = copied.trackAtom(as: track, tables: tables[track.id] ?? [])
        resolved.added.importedTracks.append(
          ImportedTrackOrigin(id: track.id, track: copied.input.track, part: copied.part))
      }
      resolved.tracks.new.insert(track.id)
      resolved.edits.insert(trak, into: tree.root, before: successor)
    }
    resolved.added.bytes = Bytes(media.take())
    resolved.added.copiedMedia = try copiedMedia(resolved.sourceIdentity())
  }

  /// Returns the media that is copied from other files, in the order of the joined source. Extents that share bytes are
  /// merged.
  private func copiedMedia(_ source: SourceIdentity) -> [MediaExtent] {
    var extents: [MediaExtent] = []
    func record(_ media: [MediaExtent], ofPart part: Int, track number: Int) {
      guard let part = source.range(ofPart: part) else { return }
      extents += media.map { extent in
        MediaExtent(
          range: ByteRange(part.offset &+ extent.range.offset..<part.offset &+ extent.range.end),  // Inside the part.
          time: MediaExtent.Time(microseconds: extent.time.microseconds, track: Int32(clamping: number)),
          use: extent.use)
      }
    }
    for (number, track) in edit.tracks.enumerated() {
      if let copied = track.imported { record(copied.media, ofPart: copied.part, track: number) }
    }
    for media in edit.externalMediaExtents { record(media.extents, ofPart: media.part, track: media.track) }
    extents.sortAndMerge()
    return extents
  }

  /// Writes the auxiliary information from fragments into `media`, and its sizes and offsets into the sample tables of
  /// kept tracks. Returns the atoms for the sample tables of imported tracks, by track ID.
  ///
  /// The offsets count from the first byte of the new media, so `media` must be empty.
  private func writeAuxiliaryInformation(
    into resolved: inout ResolvedEdit, _ media: inout ByteWriter
  ) -> [UInt32: [[UInt8]]] {
    // The information will be next to `moov`, and `moov` may be anywhere in the file. An offset may therefore be as
    // large as the file, so files over 2 GiB get 64-bit offsets.
    let byteCount = edit.otherSources.reduce(edit.movie.layout.identity.byteCount) { $0.addingClamped($1.byteCount) }
    let isWide = byteCount > UInt64(UInt32.max) / 2
    func atoms(_ tables: [AuxiliaryTable]) -> [[UInt8]] {
      tables.flatMap { table in
        defer { media.write(table.bytes) }
        return [table.sizesAtom, table.offsetsAtom(position: media.bytes.count, isWide: isWide)]
      }
    }
    for (track, tables) in zip(edit.movie.tracks, edit.stages.flattened?.auxiliary ?? []) where !tables.isEmpty {
      guard !resolved.tracks.removed.contains(track.id), let stbl = tree.sampleTable(ofTrack: track.atom) else {
        continue
      }
      for atom in atoms(tables) { resolved.edits.insert(atom, into: stbl) }
      resolved.added.tracksWithAuxiliary.insert(track.id)
    }
    var imported: [UInt32: [[UInt8]]] = [:]
    for track in edit.tracks {
      guard let copied = track.imported, !copied.auxiliary.isEmpty else { continue }
      imported[track.id] = atoms(copied.auxiliary)
      resolved.added.tracksWithAuxiliary.insert(track.id)
    }
    return imported
  }
}

/// Updates the `mvex` of a movie that keeps its fragments: removes the defaults of removed tracks and shortens the
/// duration.
struct FragmentDefaultsWriter: ChangeWriter {
  private let edit: MovieEdit

  init(_ edit: MovieEdit) {
    self.edit = edit
  }

  func write(into resolved: inout ResolvedEdit) throws(MovieError) {
    guard let keptFragments = edit.stages.keptFragments, !resolved.tracks.removed.isEmpty else { return }
    let movie = edit.movie
    let tree = movie.tree
    let durations = keptFragments.durations(in: movie, removing: resolved.tracks.removed)
    for child in tree.children(of: tree.root, "mvex").flatMap({ Array(tree.children(of: $0)) }) {
      switch tree[child].type {
      case "trex", "trep":
        // `trex` and `trep` contain the track ID after the version and flags (ISO/IEC 14496-12 8.8.3, 8.8.15).
        guard let id = tree.payload(of: child).load(at: 4, as: UInt32.self), resolved.tracks.removed.contains(id)
        else { continue }
        resolved.edits.remove(child)
      case "mehd":
        var header = try tree.decode(MovieExtendsHeader.self, at: child)
        guard durations.remainingTracks < durations.allTracks, durations.matchesLongestTrack(header.fragmentDuration)
        else {
          continue
        }
        header.fragmentDuration = durations.remainingTracks
        resolved.edits.replace(child, with: header.atom("mehd"))
      default: break
      }
    }
  }
}

extension MovieFragments {
  /// Returns the durations of the movie that contains the fragments, before and after the removal of some of its
  /// tracks.
  fileprivate func durations(in movie: Movie, removing removed: Set<UInt32>) -> FragmentedDurations {
    let keptTracks = zip(tracks, movie.tracks).filter { !removed.contains($0.1.id) }
    return FragmentedDurations(
      allTracks: durationInMovieTicks(of: movie),
      remainingTracks: keptTracks.map { $0.durationInMovieTicks(of: $1, movieTimeScale: movie.header.timeScale) }.max()
        ?? 0)
  }
}

// The `trak` atom of a track from another movie: a copy of the original, with the ID, group, labels and references that
// it has in this movie.
extension ImportedTrack {
  /// Returns the `trak` atom. Its offsets refer to the track's own file.
  ///
  /// - Parameter tables: the atoms to add to its `stbl`.
  func trackAtom(as edited: EditedTrack, tables: [[UInt8]] = []) -> [UInt8] {
    var changes = AtomEdits()
    let trak = input.track.atom
    if let stbl = tree.sampleTable(ofTrack: trak) {
      for table in tables { changes.insert(table, into: stbl) }
    }
    writeHeader(as: edited, into: &changes)
    if facts.dialect == .quickTime { changes.writeQuickTimeHandler(of: input.track, in: tree) }
    for (elst, rescaled) in edits { changes.replace(elst, with: rescaled.list.atom("elst")) }
    writeShiftedEdits(into: &changes)
    writeReferences(of: edited, into: &changes)
    LabelWriter(edited.labels, of: input.track, in: tree, facts.dialect).write(into: &changes)
    var writer = ByteWriter()
    changes.draft(of: tree, at: trak).write(to: &writer)
    return writer.take()
  }

  private func writeHeader(as edited: EditedTrack, into changes: inout AtomEdits) {
    guard let tkhd = tree.child(of: input.track.atom, "tkhd") else { return }
    var header = input.track.header
    header.trackID = id
    header.alternateGroup = edited.alternateGroup
    header.isEnabled = edited.isEnabled
    header.isInMovie = facts.isInMovie
    header.isInPreview = facts.isInPreview
    if let duration = headerDuration {
      header.duration = duration
      if duration >= UInt64(UInt32.max) { header.version = 1 }  // All ones mean an unknown duration.
    }
    changes.replace(tkhd, with: header.atom("tkhd"))
  }

  private func writeShiftedEdits(into changes: inout AtomEdits) {
    guard let shiftedEdits else { return }
    let trak = input.track.atom
    if let elst = tree.descendant(of: trak, "edts", "elst") {
      changes.replace(elst, with: shiftedEdits.atom("elst"))
    } else if let edts = tree.child(of: trak, "edts") {
      changes.insert(shiftedEdits.atom("elst"), into: edts)
    } else {
      var edts = ByteWriter()
      edts.atom("edts") { $0.write(shiftedEdits.atom("elst")) }
      changes.insert(edts.take(), into: trak, before: tree.child(of: trak, "mdia"))
    }
  }

  /// Replaces the references that the track has in its original movie, because they contain track IDs of that movie.
  private func writeReferences(of edited: EditedTrack, into changes: inout AtomEdits) {
    let trak = input.track.atom
    let oldReferences = tree.children(of: trak, "tref")
    for tref in oldReferences { changes.remove(tref) }
    guard let tref = edited.referencesAtom else { return }
    changes.insert(tref, into: trak, before: oldReferences.first ?? tree.child(of: trak, "mdia"))
  }
}
