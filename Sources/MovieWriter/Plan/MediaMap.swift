import MovieBox

/// The media data of a file cut into cells: bytes of chunks, and the bytes between them.
///
/// Chunks that share bytes are one cell, so that cells may be moved about without tearing any.
struct MediaMap {
  /// When and for which track a cell is wanted; the order in which cells are put between one another.
  struct Time: Comparable, Hashable {
    /// From the start of the movie.
    let microseconds: UInt64
    /// The number of the track in the new movie.
    let track: Int

    static func < (left: Time, right: Time) -> Bool {
      (left.microseconds, left.track) < (right.microseconds, right.track)
    }
  }

  /// What the bytes of a cell are.
  enum Use: Hashable {
    /// Samples of a track that stays.
    case samples
    /// Samples of tracks that are taken out.
    case removedSamples
    /// What no table names.
    case unused
    /// What is named otherwise than by a chunk, such as auxiliary information.
    case other
  }

  struct Cell: Hashable {
    let range: ByteRange
    let use: Use
    /// That of the samples; for other cells that of the cell before.
    let time: Time
  }

  /// The cells of an `mdat`, in the order of the file, without gaps.
  struct MediaAtom {
    /// Its index among the atoms at the top of the file.
    let index: Int
    let cells: [Cell]
  }

  /// The `mdat` atoms that can be taken apart: no chunk reaches out of them.
  let atoms: [MediaAtom]

  /// A chunk of a new track.
  struct NewChunk: Hashable {
    let piece: MediaArrangement.Piece
    let time: Time
  }

  /// The chunks of new tracks, in the order of their times.
  let newChunks: [NewChunk]

  /// The map of the media that the tracks of `new` name, by positions in the old file, and of what removed tracks
  /// named.
  ///
  /// Costs the chunks of all tracks, and a sort.
  init(_ revision: MovieRevision, new: Movie, otherPositions: [UInt64]) {
    var named: [Cell] = []
    var newChunks = revision.importedMedia.map { NewChunk(piece: .old($0.range), time: $0.time) }
    let imported = Set(revision.importedTracks.map(\.id))
    for (number, track) in new.tracks.enumerated() where !imported.contains(track.id) {
      let cells = Self.cells(of: track, number: number, use: .samples, movieTimeScale: new.header.timeScale)
      if revision.newTrackIDs.contains(track.id) {
        newChunks += cells.map { NewChunk(piece: .new($0.range), time: $0.time) }
      } else {
        named += cells
      }
    }
    for track in revision.movie.tracks where revision.removedTrackIDs.contains(track.id) {
      let scale = revision.movie.header.timeScale
      named += Self.cells(of: track, number: .max, use: .removedSamples, movieTimeScale: scale)
    }
    named.sort { ($0.range.offset, $0.range.end) < ($1.range.offset, $1.range.end) }
    self.newChunks = newChunks.sorted { $0.time < $1.time }
    atoms = Self.atoms(of: revision.movie.layout, Self.merged(named), otherPositions.sorted())
  }

  /// The chunks of a track, but empty ones and those of other files.
  static func cells(of track: Track, number: Int, use: Use, movieTimeScale: UInt32) -> [Cell] {
    var cells: [Cell] = []
    let locator = ChunkLocator(track)
    var times = DecodeTimeCursor(track.samples.timeToSample)
    let clock = track.clock(movieTimeScale: movieTimeScale)
    for chunk in track.samples.chunks {
      let decodeTime = times.decodeTime(of: chunk.firstSample)
      guard chunk.byteCount > 0, !locator.isExternal(chunk), let range = locator.byteRange(of: chunk) else { continue }
      let time = Time(microseconds: clock.microseconds(ofDecodeTime: decodeTime), track: number)
      cells.append(Cell(range: range, use: use, time: time))
    }
    return cells
  }

  /// Cells that share bytes as one; of tracks that stay and ones that go, it stays.
  static func merged(_ sorted: [Cell]) -> [Cell] {
    var merged: [Cell] = []
    merged.reserveCapacity(sorted.count)
    for cell in sorted {
      guard let last = merged.last, cell.range.offset < last.range.end else {
        merged.append(cell)
        continue
      }
      merged[merged.count - 1] = Cell(
        range: ByteRange(last.range.offset..<Swift.max(last.range.end, cell.range.end)),
        use: last.use == cell.use ? cell.use : .samples, time: Swift.min(last.time, cell.time))
    }
    return merged
  }

  private static func atoms(of layout: FileLayout, _ named: [Cell], _ positions: [UInt64]) -> [MediaAtom] {
    var atoms: [MediaAtom] = []
    var next = 0
    var position = 0
    for (index, atom) in layout.atoms.enumerated() {
      let payload = atom.payloadRange
      while next < named.count, named[next].range.end <= payload.offset { next += 1 }
      let first = next
      while next < named.count, named[next].range.offset < payload.end { next += 1 }
      let inside = named[first..<next]
      if let last = inside.last, last.range.end > payload.end { next -= 1 }  // It reaches into the next atom too.
      guard atom.type == "mdat", !atom.isTruncated else { continue }
      guard inside.allSatisfy({ payload.contains($0.range) }) else { continue }
      var cells: [Cell] = []
      var end = payload.offset
      // A place between chunks that something names stays with the cell, whatever else becomes of it.
      func appendGap(to start: UInt64) {
        guard end < start else { return }
        while position < positions.count, positions[position] < end { position += 1 }
        let isNamed = position < positions.count && positions[position] < start
        cells.append(
          Cell(
            range: ByteRange(end..<start), use: isNamed ? .other : .unused,
            time: cells.last?.time ?? Time(microseconds: 0, track: 0)))
      }
      for cell in inside {
        appendGap(to: cell.range.offset)
        cells.append(cell)
        end = cell.range.end
      }
      appendGap(to: payload.end)
      atoms.append(MediaAtom(index: index, cells: cells))
    }
    return atoms
  }
}
