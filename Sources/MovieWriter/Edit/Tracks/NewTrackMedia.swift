import MovieBox

/// The properties that all new tracks of an edit share, and the unused track IDs.
///
/// Each property costs a pass over all tracks. An edit that adds thousands of tracks computes them once.
struct TrackTemplate {
  let movie: Movie
  /// The header fields of a new track.
  let facts: NewTrackFacts
  /// The free track IDs.
  var ids: FreeTrackIDs

  /// Creates the template for new tracks of a movie.
  init(_ edit: MovieEdit) {
    movie = edit.movie
    var facts = NewTrackFacts(movie, durationInMovieTicks: 0)
    if let sharing = edit.changes.sharing, !sharing.keepsDates { facts.modificationTime = 0 }
    self.facts = facts
    ids = edit.freeTrackIDs
    ListPass.end(after: movie.tracks.count)
  }
}

/// An allocator of free track IDs.
///
/// An allocated ID is at least the movie's next track ID, and greater than every ID in use, including IDs that occur
/// only in references. If there is no such ID, the lowest unused ID is allocated and the next track ID becomes all ones
/// (ISO/IEC 14496-12 8.2.2).
struct FreeTrackIDs {
  private var inUse: Set<UInt32>
  /// The next track ID that `mvhd` must declare.
  private(set) var next: UInt32
  private var candidate: UInt64
  private var lowest: UInt32 = 1

  init(except inUse: Set<UInt32>, from next: UInt32) {
    self.inUse = inUse
    self.next = next
    candidate = max(inUse.max().map { UInt64($0) + 1 } ?? 1, UInt64(next), 1)
  }

  /// Allocates and returns an ID.
  mutating func allocate() throws(MovieError) -> UInt32 {
    if next != .max, let id = UInt32(exactly: candidate), id != .max {
      (candidate, next) = (UInt64(id) + 1, id + 1)
      inUse.insert(id)
      return id
    }
    while inUse.contains(lowest) {
      guard lowest < .max - 1 else { throw MovieError(.limit, "no track ID is free") }
      lowest += 1
    }
    inUse.insert(lowest)
    next = .max
    return lowest
  }
}

/// The header fields that a new track inherits from its movie.
struct NewTrackFacts: Sendable {
  let dialect: Dialect
  var modificationTime: UInt64
  var durationInMovieTicks: UInt64
  private let isInMovie: Bool
  private let isInPreview: Bool

  init(_ movie: Movie, durationInMovieTicks: UInt64) {
    dialect = movie.dialect
    modificationTime = movie.header.modificationTime
    self.durationInMovieTicks = durationInMovieTicks
    isInMovie = movie.tracks.contains { $0.header.isInMovie }
    isInPreview = movie.tracks.contains { $0.header.isInPreview }
  }

  /// Returns the header of a track. The caller sets its layer, matrix and size.
  func header(_ id: UInt32, as edited: EditedTrack) -> TrackHeader {
    var header = TrackHeader(
      flags: 0, creationTime: modificationTime, modificationTime: modificationTime, trackID: id,
      duration: durationInMovieTicks, alternateGroup: edited.alternateGroup)
    header.isEnabled = edited.isEnabled
    header.isInMovie = isInMovie
    header.isInPreview = isInPreview
    return header
  }
}

/// The sample tables of a new track, ready to be written as `mdia`.
struct NewTrackMedia {
  let timeScale: UInt32
  let duration: UInt64
  /// The `nmhd`, `gmhd` or `vmhd` atom.
  let informationHeader: [UInt8]
  /// The entries of `stsd`.
  let sampleEntries: [[UInt8]]
  let sampleSizes: [UInt32]
  let durationRuns: [SampleDurationRun]
  let chunks: [ChunkPlace]

  func write(to trak: inout ByteWriter, of mediaType: MediaType, _ labels: TrackLabels, _ facts: NewTrackFacts) {
    trak.atom("mdia") { mdia in
      let header = MediaHeader(
        creationTime: facts.modificationTime, modificationTime: facts.modificationTime, timeScale: timeScale,
        duration: duration, languageCode: labels.languageCode)
      mdia.write(header.atom("mdhd"))
      if let tag = labels.language, tag.needsExtendedTag {
        mdia.write(ExtendedLanguage(tag: tag.description).atom("elng"))
      }
      // Some players show the handler name as a title, so it is empty. One zero byte is both an empty Pascal string and
      // an empty C string.
      let noName = Bytes([0])
      let isQuickTime = facts.dialect == .quickTime
      mdia.write(
        HandlerReference(
          componentType: isQuickTime ? "mhlr" : FourCC(rawValue: 0), handlerType: mediaType.rawValue, nameBytes: noName
        ).atom("hdlr"))
      mdia.atom("minf") { minf in
        minf.write(informationHeader)
        if isQuickTime {
          minf.write(HandlerReference(componentType: "dhlr", handlerType: "url ", nameBytes: noName).atom("hdlr"))
        }
        minf.atom("dinf") { $0.write(DataReference.selfContained.atom("dref")) }
        minf.atom("stbl") { stbl in for table in sampleTables { stbl.write(table) } }
      }
    }
  }

  /// The atoms of `stbl`. They do not include `stss` and `ctts`, because all samples are sync samples in presentation
  /// order.
  private var sampleTables: [[UInt8]] {
    var stsd = ByteWriter()
    stsd.atom("stsd") { stsd in
      stsd.write(FullAtomHeader())
      stsd.write(UInt32(clamping: sampleEntries.count))
      for entry in sampleEntries { stsd.write(entry) }
    }
    let stsz: [UInt8] =
      if let size = sampleSizes.commonValue, size > 0 {
        SampleTableAtoms.sampleSizes(size, ofAll: sampleSizes.count)
      } else {
        SampleTableAtoms.sampleSizes(bigEndianWords: sampleSizes.map { $0.bigEndian })
      }
    return [
      stsd.bytes,
      SampleTableAtoms.timeToSample(durationRuns.lazy.map { (count: Int($0.sampleCount), duration: $0.duration) }),
      SampleTableAtoms.sampleToChunk(chunks), stsz, SampleTableAtoms.chunkOffsets(chunks.lazy.map(\.offset)).atom,
    ]
  }
}

extension ChunkPlace {
  /// Divides samples into chunks. The first chunk begins at the offset `start`. A chunk ends before the first sample
  /// that begins at least `duration` ticks after the start of the chunk. If `duration` is `nil`, there is only one
  /// chunk.
  static func chunks(
    of sampleSizes: [UInt32], _ durationRuns: [SampleDurationRun], from start: UInt32, lasting duration: UInt32?
  ) -> [ChunkPlace] {
    guard !sampleSizes.isEmpty else { return [] }
    guard let duration else {
      return [ChunkPlace(offset: UInt64(start), sampleCount: UInt32(clamping: sampleSizes.count))]
    }
    var chunks: [ChunkPlace] = []
    var chunk = (offset: UInt64(start), sampleCount: UInt32(0), ticks: UInt64(0))
    var durations = durationRuns.lazy.flatMap { repeatElement($0.duration, count: Int($0.sampleCount)) }.makeIterator()
    var offset = UInt64(start)
    for size in sampleSizes {
      if chunk.sampleCount > 0, chunk.ticks >= UInt64(duration) {
        chunks.append(ChunkPlace(offset: chunk.offset, sampleCount: chunk.sampleCount))
        chunk = (offset, 0, 0)
      }
      chunk.sampleCount += 1
      chunk.ticks += UInt64(durations.next() ?? 0)
      offset &+= UInt64(size)  // Cannot overflow, because the media is in memory.
    }
    chunks.append(ChunkPlace(offset: chunk.offset, sampleCount: chunk.sampleCount))
    return chunks
  }
}
