/// A movie as rules look at it, with what several of them ask worked out once.
struct MovieExamination {
  let movie: Movie
  /// The samples outside the movie atom; `nil` where they were not read.
  let fragments: MovieFragments?
  /// The file's name; `nil` where it is not known.
  let fileName: String?
  /// The examined texts of the subtitles; `nil` if no samples were read.
  let text: TextExamination?
  /// The chapters; `nil` where no samples were read, or a movie has them in one form.
  let chapterList: ChapterList?
  /// The reasons why tracks of `hev1` and `dvhe` cannot be renamed, by their atoms, or `nil` if no samples were read. A
  /// track that can be renamed has none.
  let parameterSetObstacles: [Int: String]?
  /// The contradictions between the sample tables.
  let inconsistencies: [MovieError]
  /// The `tx3g` descriptions of each track, including those in `text` entries.
  let textDescriptions: [[Tx3gDescription]]
  /// The members of each alternate group, in the order of the movie, by the groups' numbers.
  let groups: [(number: UInt16, members: [Track])]
  /// The metadata of the movie and its tracks.
  let metadata: [MetadataItem]
  private let trackByID: [UInt32: Int]

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
    inconsistencies = movie.inconsistencies()
    textDescriptions = movie.tracks.map(\.tx3gDescriptions)
    trackByID = Dictionary(movie.tracks.indices.map { (movie.tracks[$0].id, $0) }) { first, _ in first }
    groups = movie.tracks.groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value.map { movie.tracks[$0] }) }
  }

  var tracks: [Track] { movie.tracks }
  var tree: AtomTree { movie.tree }

  /// The track with this ID.
  func track(_ id: UInt32) -> Track? { trackByID[id].map { tracks[$0] } }

  /// An atom of a track, the track's own where it has no such atom.
  func atom(_ track: Track, _ types: FourCC...) -> Int {
    var found = track.atom
    for type in types {
      guard let next = tree.child(of: found, type) else { return track.atom }
      found = next
    }
    return found
  }

  /// The header of a track.
  func tkhd(_ track: Track) -> Int { atom(track, "tkhd") }

  /// Whether another track names it as its chapter list.
  func isChapterList(_ track: Track) -> Bool { movie.chapterTrackIDs.contains(track.id) }

  /// The tracks of a kind, chapter lists left out.
  func tracks(_ kind: MediaSelectionGroup.Kind) -> [Track] { movie.tracks(of: kind) }

  /// The subtitle tracks of timed text, each with its first description.
  var subtitles: [(track: Track, description: Tx3gDescription)] {
    zip(tracks, textDescriptions).compactMap { track, descriptions in
      guard track.mediaType.isLegible, !isChapterList(track), let first = descriptions.first else { return nil }
      return (track, first)
    }
  }

  /// All references, each with its track.
  var references: some Sequence<(track: Track, reference: Track.Reference)> {
    tracks.lazy.flatMap { track in track.references.lazy.map { (track, $0) } }
  }

  /// The references of one type, each with a track that it names; once where a reference names it often.
  func references(_ type: FourCC) -> [(track: Track, atom: Int, target: Track)] {
    var found: [(track: Track, atom: Int, target: Track)] = []
    for (track, reference) in references where reference.type == type {
      var seen: Set<UInt32> = []
      for id in reference.trackIDs where seen.insert(id).inserted {
        if let target = self.track(id) { found.append((track, reference.atom, target)) }
      }
    }
    return found
  }

  /// The size of the picture that subtitles are placed on.
  var pictureSize: (width: UInt32, height: UInt32)? { movie.mainPicture?.pictureSize }
}

/// Finds chunks that share some of their bytes with another.
///
/// Chunks that begin and end at the same bytes are not a mistake: hint tracks have them, and writers that store the
/// same samples once.
enum OverlappingChunks {
  /// The first such chunk of each track, counted from 0, and the track that it shares bytes with.
  ///
  /// Costs the chunks, or a sort of them (``ChunksInFileOrder``). A movie of more than
  /// ``MovieLimits/comparedChunkCount`` is not looked at.
  static func find(in movie: Movie) -> [(track: Track, chunk: Int, other: Track)] {
    var count = 0
    for track in movie.tracks { count = count.addingReportingOverflow(track.samples.chunkCount).partialValue }
    guard count >= 0, count <= movie.limits.comparedChunkCount else { return [] }
    var found: [(track: Track, chunk: Int, other: Track)] = []
    var reported: Set<Int> = []
    ChunksInFileOrder(movie.tracks).forEachOverlap(by: { $0.range }) { chunk, before in
      guard before.range != chunk.range, reported.insert(chunk.track).inserted else { return }
      found.append((movie.tracks[chunk.track], chunk.chunk.index, movie.tracks[before.track]))
    }
    return found
  }
}
