/// A movie as it stands in a file: its header and its tracks; ``findings`` says what is odd about it.
///
/// A value, made once; every part remembers the atom that it came from. Reading costs one read of the first 64 KiB, one
/// of each atom header beyond them and one of `moov`; no sample is read.
///
///     let movie = try Movie(of: FileSource(path: "interview.mov"))
///     for track in movie.tracks where track.mediaType == .audio {
///       print(track.id, track.language?.description ?? "und")
///     }
public struct Movie: Sendable {
  /// The top-level atoms.
  package let layout: FileLayout
  /// The `moov` atom among them.
  package let movieAtom: FileLayout.TopLevelAtom
  /// All atoms of `moov`; those of the inflated `moov` where the movie atom is compressed.
  package let tree: AtomTree
  /// The limits that the movie was read with.
  public let limits: MovieLimits
  /// The brands; `nil` in QuickTime files of before 2004.
  package let fileType: FileType?
  /// The family of the file format.
  package let dialect: Dialect
  /// Time scale, duration, next track ID.
  package let header: MovieHeader
  /// The number of movie ticks per second (`mvhd`).
  public var timeScale: UInt32 { header.timeScale }
  /// Whether the file is a QuickTime movie; else it follows ISO/IEC 14496-12, as MP4 files do.
  public var isQuickTime: Bool { dialect == .quickTime }
  /// Whether the movie atom comes before the media, so that the movie plays while it loads.
  public var isFastStart: Bool { layout.isFastStart }
  /// The tracks, in the order of the file.
  public let tracks: [Track]
  /// The tracks that another track names as its chapter list.
  public let chapterTrackIDs: Set<UInt32>
  /// The tracks that tracks which cannot be read name as their chapter lists; empty for a movie that is whole.
  let chapterTrackIDsOfLostTracks: [UInt32]
  /// Whether samples lie in fragments, or may.
  public let isFragmented: Bool
  /// The position in ``tracks`` of the first track with each ID.
  private let positions: [UInt32: Int]

  /// Reads the movie of a source.
  ///
  /// Throws what the source throws, and ``MovieError``: `.notAMovie` without a `moov`, `.unsupported` for a movie atom
  /// that is compressed in an unknown way, `.malformed` or `.truncated` with path and offset for atoms that a movie
  /// cannot do without.
  public init(of source: some RandomAccessSource, limits: MovieLimits = MovieLimits()) throws {
    try self.init(of: source, layout: FileLayout(of: source, limits: limits), limits: limits)
  }

  /// Reads the movie of a source on another thread, for it waits for disks.
  ///
  ///     let movie = try await Movie.load(from: source)
  public static func load(
    from source: some RandomAccessSource, limits: MovieLimits = MovieLimits()
  ) async throws -> Movie {
    try await BlockingWork.run { _ in try Movie(of: source, limits: limits) }
  }

  /// Reads the movie of a source whose top-level atoms are known.
  package init(of source: some RandomAccessSource, layout: FileLayout, limits: MovieLimits = MovieLimits()) throws {
    self = try source.reading(since: layout.identity) {
      let tree = try Self.movieTree(of: source, layout: layout, limits: limits)
      let fileType = try Self.fileType(of: source, layout: layout)
      return try Movie(layout: layout, tree: tree, fileType: fileType, limits: limits)
    }
  }

  /// The atoms of `moov`, for those who want to look at a movie that cannot be read as a whole.
  ///
  /// A compressed movie atom (`cmov`) is inflated: the atoms are then those of the `moov` that it holds, and their
  /// paths and positions as ``AtomTree/enclosingPath`` says.
  package static func movieTree(
    of source: some RandomAccessSource, layout: FileLayout, limits: MovieLimits = MovieLimits()
  ) throws -> AtomTree {
    guard let atom = layout.first("moov") else { throw noMovie(layout) }
    if let claimed = atom.claimedByteCount {
      throw MovieError(
        .truncated, at: atom.range.offset, in: "moov",
        "claims \(claimed) bytes, \(atom.range.count) left in the file: the movie atom is cut off; "
          + needsOtherRecording)
    }
    guard atom.range.count <= limits.movieByteCount else {
      throw MovieError(
        .limit, at: atom.range.offset, in: "moov",
        "\(atom.range.count) bytes of movie atom, the limit is \(limits.movieByteCount)")
    }
    let tree = try AtomTree(layout.read(atom.range, of: source), at: atom.range.offset, limits: limits)
    return try CompressedMovieAtom.inflate(tree, limits: limits) ?? tree
  }

  /// The movie of a tree of `moov` that may not stand in any file yet.
  package init(layout: FileLayout, tree: AtomTree, fileType: FileType?, limits: MovieLimits) throws(MovieError) {
    try self.init(layout: layout, tree: tree, fileType: fileType, limits: limits) { error throws(MovieError) in
      throw error
    }
  }

  /// The movie of a broken tree of `moov`, without the tracks that cannot be read.
  init(
    readablePartsOf tree: AtomTree, layout: FileLayout, fileType: FileType?, limits: MovieLimits
  ) throws(MovieError) {
    try self.init(layout: layout, tree: tree, fileType: fileType, limits: limits) { _ throws(MovieError) in }
  }

  /// The movie of a tree. `found` gets each defect, and may throw it.
  private init(
    layout: FileLayout, tree: AtomTree, fileType: FileType?, limits: MovieLimits,
    _ found: (MovieError) throws(MovieError) -> Void
  ) throws(MovieError) {
    guard let movieAtom = layout.first("moov") else { throw Self.noMovie(layout) }
    if let refusal = JoinedMovies.refusal(of: layout) { throw refusal }
    if let defect = tree.defects.first(where: Self.isHarmful) { try found(defect) }
    // A defect that is not listed may lie on the way to a track.
    if tree.hasFurtherDefects {
      try found(
        MovieError(
          .limit, at: tree.offset, in: "moov", "the movie atom is broken in more than \(limits.defectCount) places"))
    }
    guard let mvhd = tree.child(of: tree.root, "mvhd") else {
      if let refusal = AlternateMovie.refusal(of: tree) { throw refusal }
      throw MovieError(.malformed, at: tree.offset, in: tree.path(of: tree.root), "has no mvhd")
    }
    self.layout = layout
    self.movieAtom = movieAtom
    self.tree = tree
    self.limits = limits
    self.fileType = fileType
    dialect = fileType?.isQuickTime ?? true ? .quickTime : .iso
    header = try tree.decode(MovieHeader.self, at: mvhd)
    var tracks: [Track] = []
    var lostReferences: [UInt32] = []
    for trak in tree.children(of: tree.root, "trak") {
      do throws(MovieError) {
        tracks.append(try Track(at: trak, of: tree))
      } catch {
        try found(error)
        lostReferences += Self.chapterReferences(of: trak, in: tree)
      }
    }
    self.tracks = tracks
    chapterTrackIDsOfLostTracks = lostReferences
    chapterTrackIDs = tracks.chapterTrackIDs.union(lostReferences)
    isFragmented = tree.child(of: tree.root, "mvex") != nil || layout.first("moof") != nil
    positions = Dictionary(tracks.indices.map { (tracks[$0].id, $0) }) { first, _ in first }
  }

  /// The tracks that a track which cannot be read names as its chapter lists.
  private static func chapterReferences(of trak: Int, in tree: AtomTree) -> [UInt32] {
    do throws(MovieError) {
      return try Track.references(in: trak, of: tree).filter { $0.type == "chap" }.flatMap(\.trackIDs)
    } catch {
      return []
    }
  }

  /// The movie with other values of its tracks, which have their atoms still.
  init(_ movie: Movie, tracks: [Track]) {
    layout = movie.layout
    movieAtom = movie.movieAtom
    tree = movie.tree
    limits = movie.limits
    fileType = movie.fileType
    dialect = movie.dialect
    header = movie.header
    self.tracks = tracks
    chapterTrackIDsOfLostTracks = movie.chapterTrackIDsOfLostTracks
    chapterTrackIDs = movie.chapterTrackIDs
    isFragmented = movie.isFragmented
    positions = movie.positions
  }

  /// The movie with another movie atom in the place of its own, in the same file.
  ///
  /// Positions in ``tree`` and in errors then count from the start of the old movie atom. Throws as reading does,
  /// `.limit` where the movie atom is larger than ``MovieLimits`` allow.
  package func replacingMovieAtom(with bytes: Bytes) throws(MovieError) -> Movie {
    guard UInt64(bytes.count) <= limits.movieByteCount else {
      throw MovieError(
        .limit, in: "moov", "\(bytes.count) bytes of movie atom, the limit is \(limits.movieByteCount)")
    }
    let tree = try AtomTree(bytes, at: movieAtom.range.offset, limits: limits.withRoomForEdits)
    return try Movie(layout: layout, tree: tree, fileType: fileType, limits: limits)
  }

  /// The error for a reference movie, which lists other movies and has no tracks; `nil` for other movies.
  package var refusalAsReferenceMovie: MovieError? {
    tracks.isEmpty ? AlternateMovie.refusal(of: tree) : nil
  }

  /// Reads from the source that the movie was read from, and from no other.
  package func reading<Result>(_ source: some RandomAccessSource, _ body: () throws -> Result) throws -> Result {
    guard try source.identity() == layout.identity else {
      throw MovieError(.sourceChanged, "the source is not the one that the movie was read from, or has changed")
    }
    return try source.reading(since: layout.identity, body)
  }

  /// Returns the duration of the movie with all its fragments, in ticks of ``timeScale``, from the start of its
  /// earliest track.
  ///
  /// For a movie without fragments the same as ``durationInMovieTicks``, and reads nothing; of others the headers of
  /// all fragments. Throws what the source throws, and ``MovieError`` `.sourceChanged` for another source than the
  /// movie's.
  public func durationInMovieTicks(readingFragmentsOf source: some RandomAccessSource) throws -> UInt64 {
    guard isFragmented else { return durationInMovieTicks }
    return try reading(source) {
      let fragments = try readFragments(of: source)
      return fragments.durationInMovieTicks(of: self, from: fragments.start(in: self))
    }
  }

  /// The track with this ID.
  public func track(_ id: UInt32) -> Track? { positions[id].map { tracks[$0] } }

  /// The track whose atom this place lies in, by the positions of ``tree``.
  package func track(at offset: UInt64) -> Track? {
    let next = tracks.partitioningIndex { tree.range(of: $0.atom).offset > offset }
    guard next > 0, offset < tree.range(of: tracks[next - 1].atom).end else { return nil }
    return tracks[next - 1]
  }

  /// The track whose atom is this atom of ``tree``, or contains it.
  package func track(holding atom: Int) -> Track? {
    let next = tracks.partitioningIndex { $0.atom > atom }
    guard next > 0, atom < tree[tracks[next - 1].atom].subtreeEnd else { return nil }
    return tracks[next - 1]
  }

  /// Whether `moov` holds the movie atom compressed (`cmov`).
  public var hasCompressedMovieAtom: Bool { !tree.enclosingPath.isEmpty }

  /// Whether the file has no samples, and says that they are in fragments, which it does not have either.
  public var isInitializationSegment: Bool {
    isFragmented && layout.first("moof") == nil && tracks.allSatisfy { $0.samples.sampleCount == 0 }
  }

  /// The duration in movie ticks: `mvhd`'s, or the longest track's where that is 0 or unknown.
  public var durationInMovieTicks: UInt64 {
    if header.duration != 0, !header.isDurationUnknown { return header.duration }
    return tracks.map { $0.durationInMovieTicks(movieTimeScale: header.timeScale) }.max() ?? 0
  }

  /// The end of the movie, in movie ticks: ``durationInMovieTicks``, or the end of its last enabled track if the header
  /// declares too little.
  ///
  /// Costs the runs of `stts` of tracks without edits.
  package var endInMovieTicks: UInt64 {
    tracks.lazy.filter(\.isEnabled)
      .map { $0.presentationEndInMovieTicks(movieTimeScale: header.timeScale) }
      .reduce(durationInMovieTicks, max)
  }

  /// The end of the last of picture and sound, in movie ticks; `nil` without both, and if fragments determine it.
  package var pictureAndSoundEndInMovieTicks: UInt64? {
    guard !isFragmented else { return nil }
    let ends = tracks.lazy.filter { $0.mediaType == .video || $0.mediaType == .audio }
      .map { $0.durationInMovieTicks(movieTimeScale: header.timeScale) }
    return ends.max().flatMap { $0 > 0 ? $0 : nil }
  }

  /// The brands of a file whose top-level atoms are known; `nil` where it has none.
  package static func fileType(of source: some RandomAccessSource, layout: FileLayout) throws -> FileType? {
    guard let atom = layout.first("ftyp"), atom.range.count <= 1 << 20 else { return nil }
    do {
      return try FileType(payload: layout.read(atom.payloadRange, of: source))
    } catch let error as MovieError {
      throw error.inside("ftyp", startingAt: atom.payloadRange.offset)
    }
  }

  /// The advice for a movie without a list of samples. The codecs' data alone does not show where samples begin.
  private static let needsOtherRecording = "no tool can read its media without another movie of the same recorder"

  private static func noMovie(_ layout: FileLayout) -> MovieError {
    if layout.identity.byteCount == 0 { return MovieError(.notAMovie, "the file is empty") }
    if layout.first("moof") != nil || layout.first("styp") != nil || layout.first("sidx") != nil {
      return MovieError(
        .notAMovie,
        "a media segment without its movie atom (moov); put the initialization segment that it belongs to before it")
    }
    if layout.first("meta") != nil, layout.first("ftyp") != nil {
      return MovieError(.notAMovie, at: 0, "an image file, not a movie: it has no moov")
    }
    if let format = FileSignature(layout.head), format != .movie {
      return MovieError(.notAMovie, at: 0, "\(format.rawValue), not a QuickTime or MP4 movie")
    }
    if let last = layout.atoms.last, let claimed = last.claimedByteCount {
      return MovieError(
        .truncated, at: last.range.offset, in: last.type.description,
        "the file is cut short: claims \(claimed) bytes, \(last.range.count) are there; the movie atom (moov) that "
          + "should follow is missing; " + needsOtherRecording)
    }
    if let defect = layout.trailingDefect, layout.atoms.isEmpty {
      return MovieError(.notAMovie, at: 0, "not a QuickTime or MP4 movie: \(defect.reason)")
    }
    let types = layout.atoms.prefix(8).map(\.type.description).joined(separator: ", ")
    let remedy = layout.first("mdat") == nil ? "" : "; " + needsOtherRecording
    return MovieError(.notAMovie, at: 0, "has no movie atom (moov) among its atoms: \(types)" + remedy)
  }

  /// A defect in user data, metadata or a sample description leaves the movie readable; one on the way to the sample
  /// tables does not.
  private static func isHarmful(_ defect: MovieError) -> Bool {
    let harmless = ["udta", "meta", "stsd", "iods", "tapt", "load", "gmhd"]
    return !defect.path.split(separator: "/").contains { part in harmless.contains { part.hasPrefix($0) } }
  }
}
