import MovieBox

/// The media data of a file cut into cells: bytes of chunks, and the bytes between them.
///
/// Chunks that share bytes are one cell, so that cells may be moved about without tearing any.
struct MediaMap {
  /// When and for which track a cell is wanted; the order in which cells are put between one another.
  struct Time: Comparable, Hashable {
    /// From the start of the movie.
    let microseconds: UInt64
    /// The number of the track in the new movie. Half a word: there is a cell for each of a hundred thousand chunks.
    let track: Int32

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
    /// What is named otherwise than as samples that stay, such as auxiliary information and items.
    case other
  }

  struct Cell: Hashable {
    let range: ByteRange
    /// That of the samples; for other cells that of the cell before.
    let time: Time
    let use: Use
  }

  /// The cells of an `mdat`, in the order of the file, without gaps.
  struct MediaAtom {
    /// Its index among the atoms at the top of the file.
    let index: Int
    let cells: ArraySlice<Cell>
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

  /// The atoms at the top, by index, that hold something which is named, `mdat` or not.
  let namedAtoms: Set<Int>

  /// Whether all chunks lie in the cells of ``atoms``, where nothing tears them.
  let holdsAllChunks: Bool

  /// The map of the media that the tracks of `new` name, by positions in the old file, of what removed tracks named,
  /// and of `others`, which are named otherwise; 0 bytes where a length is not told.
  ///
  /// Costs the chunks of all tracks, and a sort of what mostly is in order.
  init(_ revision: MovieRevision, new: Movie, others: [ByteRange]) {
    var named: [Cell] = []
    named.reserveCapacity(revision.movie.tracks.reduce(others.count) { $0 + $1.samples.chunkCount })
    var newChunks = revision.importedMedia.map { NewChunk(piece: .old($0.range), time: $0.time) }
    let imported = Set(revision.importedTracks.map(\.id))
    for (number, track) in new.tracks.enumerated() where !imported.contains(track.id) {
      let homes = ChunkHomes(track, revision.externalMedia[track.id])
      let scale = new.header.timeScale
      if revision.newTrackIDs.contains(track.id) {
        var cells: [Cell] = []
        cells.appendChunks(of: track, number: number, use: .samples, movieTimeScale: scale, homes)
        newChunks += cells.map { NewChunk(piece: .new($0.range), time: $0.time) }
      } else {
        named.appendChunks(of: track, number: number, use: .samples, movieTimeScale: scale, homes)
      }
    }
    for track in revision.movie.tracks where revision.removedTrackIDs.contains(track.id) {
      let scale = revision.movie.header.timeScale
      named.appendChunks(of: track, number: .max, use: .removedSamples, movieTimeScale: scale)
    }
    let later = Time(microseconds: .max, track: .max)  // Than any samples that it shares bytes with.
    named += others.lazy.filter { $0.count > 0 }.map { Cell(range: $0, time: later, use: .other) }
    if revision.auxiliaryByteCount > 0 {  // At the start of what is new, and of the media.
      let range = ByteRange(0..<UInt64(revision.auxiliaryByteCount))
      newChunks.append(NewChunk(piece: .new(range), time: Time(microseconds: 0, track: 0)))
    }
    named.sortAndMerge()
    self.newChunks = newChunks.sorted { $0.time < $1.time }
    var cutter = MediaCutter(named, others.filter { $0.count == 0 }.map(\.offset).sorted())
    atoms = revision.movie.layout.atoms.enumerated().compactMap { cutter.cut($0.element, index: $0.offset) }
    namedAtoms = cutter.namedAtoms
    holdsAllChunks = cutter.cutCellCount == named.count
  }
}

extension [MediaMap.Cell] {
  /// Appends the chunks of a track, but empty ones and those of other files; with `homes` those that lie in one part.
  mutating func appendChunks(
    of track: Track, number: Int, use: MediaMap.Use, movieTimeScale: UInt32, _ homes: ChunkHomes? = nil,
    ofPart part: Int = 0
  ) {
    let locator = ChunkLocator(track)
    let homes = homes ?? ChunkHomes(track, nil)
    var times = DecodeTimeCursor(track.samples.timeToSample)
    let clock = track.clock(movieTimeScale: movieTimeScale)
    for chunk in track.samples.chunks {
      let decodeTime = times.decodeTime(of: chunk.firstSample)
      guard chunk.byteCount > 0, homes.part(of: chunk) == part, let range = locator.byteRange(of: chunk) else {
        continue
      }
      let microseconds = clock.microseconds(ofDecodeTime: decodeTime)
      let time = MediaMap.Time(microseconds: microseconds, track: Int32(clamping: number))
      append(MediaMap.Cell(range: range, time: time, use: use))
    }
  }

  /// Puts the cells in the order of the file, those that share bytes as one; of what stays and what goes, it stays.
  mutating func sortAndMerge() {
    sort { ($0.range.offset, $0.range.end) < ($1.range.offset, $1.range.end) }
    var mergedCount = 0
    for index in indices {  // In place: another hundred thousand cells cost more than all else here.
      let cell = self[index]
      guard mergedCount > 0, cell.range.offset < self[mergedCount - 1].range.end else {
        self[mergedCount] = cell
        mergedCount += 1
        continue
      }
      let last = self[mergedCount - 1]
      let uses = [last.use, cell.use]
      self[mergedCount - 1] = MediaMap.Cell(
        range: ByteRange(last.range.offset..<Swift.max(last.range.end, cell.range.end)),
        time: Swift.min(last.time, cell.time),
        use: last.use == cell.use ? cell.use : uses.contains(.samples) ? .samples : .other)
    }
    removeLast(count - mergedCount)
  }
}

/// Cuts one atom after the other, in the order of the file, into cells.
private struct MediaCutter {
  /// In the order of the file, sharing no bytes.
  private let named: [MediaMap.Cell]
  /// Bytes that are named without a length, in the order of the file.
  private let positions: [UInt64]
  private var next = 0
  private var nextPosition = 0
  private(set) var namedAtoms: Set<Int> = []
  /// How many of the named cells lie in atoms that were cut.
  private(set) var cutCellCount = 0

  init(_ named: [MediaMap.Cell], _ positions: [UInt64]) {
    self.named = named
    self.positions = positions
  }

  /// The cells of an `mdat`; `nil` for another atom, and for one that a chunk reaches out of.
  mutating func cut(_ atom: FileLayout.TopLevelAtom, index: Int) -> MediaMap.MediaAtom? {
    let payload = atom.payloadRange
    while next < named.count, named[next].range.end <= payload.offset { next += 1 }
    let first = next
    while next < named.count, named[next].range.offset < payload.end { next += 1 }
    let inside = named[first..<next]
    if let last = inside.last, last.range.end > payload.end { next -= 1 }  // It reaches into the next atom too.
    if !inside.isEmpty { namedAtoms.insert(index) }
    let canBeCut = atom.type == "mdat" && !atom.isTruncated && inside.allSatisfy { payload.contains($0.range) }
    guard canBeCut else {
      if isNamed(payload) { namedAtoms.insert(index) }
      return nil
    }
    cutCellCount += inside.count
    if isCutAlready(inside, payload) { return MediaMap.MediaAtom(index: index, cells: inside) }
    var cells: [MediaMap.Cell] = []
    var end = payload.offset
    func appendGap(to start: UInt64) {
      guard end < start else { return }
      // What may lie behind a position that is named stays as a whole.
      let gap = ByteRange(end..<start)
      let time = cells.last?.time ?? MediaMap.Time(microseconds: 0, track: 0)
      cells.append(MediaMap.Cell(range: gap, time: time, use: isNamed(gap) ? .other : .unused))
    }
    for cell in inside {
      appendGap(to: cell.range.offset)
      let isOther = cell.use == .other || cell.use == .removedSamples && isNamed(cell.range)
      let before = cells.last?.time ?? MediaMap.Time(microseconds: 0, track: 0)
      cells.append(isOther ? MediaMap.Cell(range: cell.range, time: before, use: .other) : cell)
      end = cell.range.end
    }
    appendGap(to: payload.end)
    return MediaMap.MediaAtom(index: index, cells: cells[...])
  }

  /// Whether there is nothing but chunks of tracks that stay, one behind the other.
  private func isCutAlready(_ cells: ArraySlice<MediaMap.Cell>, _ payload: ByteRange) -> Bool {
    var end = payload.offset
    for cell in cells {
      guard cell.use == .samples, cell.range.offset == end else { return false }
      end = cell.range.end
    }
    return end == payload.end
  }

  /// Whether a position lies in the range; asked for ranges in the order of the file.
  private mutating func isNamed(_ range: ByteRange) -> Bool {
    while nextPosition < positions.count, positions[nextPosition] < range.offset { nextPosition += 1 }
    return nextPosition < positions.count && positions[nextPosition] < range.end
  }
}
