/// The input of the rules: a movie, and values that several rules need. Each value is computed only once.
struct MovieExamination {
  let movie: Movie
  /// The fragments, or `nil` if they were not read.
  let fragments: MovieFragments?
  /// The name of the file, or `nil` if it is unknown.
  let fileName: String?
  /// The examined subtitle samples, or `nil` if no samples were read.
  let text: TextExamination?
  /// The chapters, or `nil` if no samples were read, or if only tracks or only user data contain chapters.
  let chapterList: ChapterList?
  /// The reasons why tracks with `hev1` and `dvhe` cannot be renamed, by track atom, or `nil` if no samples were
  /// read. The dictionary omits tracks that can be renamed.
  let parameterSetObstacles: [Int: String]?
  /// The contradictions between the sample tables.
  let inconsistencies: [MovieError]
  /// The `tx3g` descriptions of each track, including descriptions in `text` entries.
  let textDescriptions: [[Tx3gDescription]]
  /// The alternate groups by number, with their members in the order of the movie.
  let groups: [(number: UInt16, members: [Track])]
  let metadata: [MetadataItem]
  private let trackIndexByID: [UInt32: Int]

  init(
    _ movie: Movie, fragments: MovieFragments?, fileName: String?, text: TextExamination?,
    chapterList: ChapterList? = nil, parameterSetObstacles: [Int: String]? = nil
  ) {
    self.movie = movie
    self.fragments = fragments
    self.fileName = fileName
    self.text = text
    self.chapterList = chapterList
    self.parameterSetObstacles = parameterSetObstacles
    metadata = movie.metadata
    movie.computeTableFacts()
    inconsistencies = movie.inconsistencies()
    textDescriptions = movie.tracks.map(\.tx3gDescriptions)
    trackIndexByID = Dictionary(movie.tracks.indices.map { (movie.tracks[$0].id, $0) }) { first, _ in first }
    groups = movie.tracks.groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value.map { movie.tracks[$0] }) }
  }

  var tracks: [Track] { movie.tracks }
  var tree: AtomTree { movie.tree }

  func track(_ id: UInt32) -> Track? { trackIndexByID[id].map { tracks[$0] } }

  /// Returns a descendant atom of a track, or the track's own atom if there is no such descendant.
  func atom(_ track: Track, _ types: FourCC...) -> Int {
    var descendant = track.atom
    for type in types {
      guard let next = tree.child(of: descendant, type) else { return track.atom }
      descendant = next
    }
    return descendant
  }

  func trackHeaderAtom(_ track: Track) -> Int { atom(track, "tkhd") }

  /// Whether another track refers to the track as its chapter list.
  func isChapterList(_ track: Track) -> Bool { movie.chapterTrackIDs.contains(track.id) }

  /// Returns the tracks of a media type except chapter tracks.
  func tracks(_ kind: MediaSelectionGroup.Kind) -> [Track] { movie.tracks(of: kind) }

  /// The timed text tracks for subtitles, each with its first description.
  var subtitles: [(track: Track, description: Tx3gDescription)] {
    zip(tracks, textDescriptions).compactMap { track, descriptions in
      guard track.mediaType.isLegible, !isChapterList(track), let first = descriptions.first else { return nil }
      return (track, first)
    }
  }

  /// All track references, each with its track.
  var references: some Sequence<(track: Track, reference: Track.Reference)> {
    tracks.lazy.flatMap { track in track.references.lazy.map { (track, $0) } }
  }

  /// Returns each existing track to which a reference of this type refers, with the referring track and the atom of the
  /// reference. A track counts once if the reference lists its ID twice.
  func references(_ type: FourCC) -> [(track: Track, atom: Int, target: Track)] {
    var matches: [(track: Track, atom: Int, target: Track)] = []
    for (track, reference) in references where reference.type == type {
      var seen: Set<UInt32> = []
      for id in reference.trackIDs where seen.insert(id).inserted {
        if let target = self.track(id) { matches.append((track, reference.atom, target)) }
      }
    }
    return matches
  }

  /// The size of the picture on which subtitles are placed.
  var pictureSize: (width: UInt32, height: UInt32)? { movie.mainPicture?.pictureSize }
}

/// Finds chunks that partly overlap another chunk.
///
/// Chunks with equal bounds are valid. They occur in hint tracks, and some writers store equal samples only once.
enum OverlappingChunks {
  /// Returns the index of the first overlapping chunk of each track, and the track that the chunk overlaps.
  ///
  /// Makes a pass over the chunks, or sorts them (``ChunksInFileOrder``). Does nothing if the movie has more than
  /// ``MovieLimits/comparedChunkCount`` chunks.
  static func find(in movie: Movie) -> [(track: Track, chunk: Int, overlappedTrack: Track)] {
    var count = 0
    for track in movie.tracks { count = count.addingReportingOverflow(track.samples.chunkCount).partialValue }
    guard count >= 0, count <= movie.limits.comparedChunkCount else { return [] }
    let chunks = ChunksInFileOrder(movie.tracks)
    guard !chunks.areChunksSeparate else { return [] }
    var sharedChunks: [(track: Track, chunk: Int, overlappedTrack: Track)] = []
    var reportedTracks: Set<Int> = []
    chunks.forEachOverlap(by: { $0.range }) { chunk, before in
      guard before.range != chunk.range, reportedTracks.insert(chunk.track).inserted else { return }
      sharedChunks.append((movie.tracks[chunk.track], chunk.chunk.index, movie.tracks[before.track]))
    }
    return sharedChunks
  }
}
