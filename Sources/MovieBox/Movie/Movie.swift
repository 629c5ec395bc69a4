import Synchronization

/// A movie in a file, with its header and tracks. ``findings`` lists its defects.
///
/// A movie is an immutable value. Its initializer reads the first 64 KiB of the file, the headers of all later
/// top-level atoms, and `moov`. It reads no samples.
///
///     let movie = try Movie(of: FileSource(path: "interview.mov"))
///     for track in movie.tracks where track.mediaType == .audio {
///       print(track.id, track.language?.description ?? "und")
///     }
public struct Movie: Sendable {
  /// The stored members. A movie has many of them and is part of many values, so copies of a movie share its members.
  private let storage: Storage

  /// The top-level atoms.
  package var layout: FileLayout { storage.members.layout }
  /// The `moov` atom.
  package var movieAtom: FileLayout.TopLevelAtom { storage.members.movieAtom }
  /// All atoms of `moov`. If the movie atom is compressed, these are the atoms of the inflated `moov`.
  package var tree: AtomTree { storage.members.tree }
  /// The limits for reading the movie and its fragments.
  public var limits: MovieLimits { storage.members.limits }
  /// The brands, or `nil` if there is no `ftyp`, as in QuickTime files from before 2004.
  package var fileType: FileType? { storage.members.fileType }
  /// The dialect of the file format.
  package var dialect: Dialect { storage.members.fileType?.isQuickTime ?? true ? .quickTime : .iso }
  /// The header, with time scale, duration and next track ID.
  package var header: MovieHeader { storage.members.header }
  /// The number of movie ticks per second (`mvhd`).
  public var timeScale: UInt32 { header.timeScale }
  /// Whether the file is a QuickTime movie. Other files follow ISO/IEC 14496-12, such as MP4 files.
  public var isQuickTime: Bool { dialect == .quickTime }
  /// Whether the movie atom precedes the media, so the movie can play while it loads.
  public var isFastStart: Bool { layout.isFastStart }
  /// The tracks, in file order.
  public var tracks: [Track] { storage.members.tracks }
  /// The IDs of tracks that other tracks refer to as their chapter lists.
  public var chapterTrackIDs: Set<UInt32> { storage.members.chapterTrackIDs }
  /// The IDs of tracks to which unreadable tracks refer as their chapter lists. The array is empty if all tracks are
  /// readable.
  var chapterTrackIDsInUnreadableTracks: [UInt32] { storage.members.chapterTrackIDsInUnreadableTracks }
  /// Whether the movie has fragments or announces them.
  public var isFragmented: Bool { storage.members.isFragmented }
  /// The metadata in the movie atom. It is read at the first request.
  var storedMetadata: StoredValue { storage.members.storedMetadata }

  /// Reads the movie in a source.
  ///
  /// Throws the source's errors and ``MovieError``. The error is `.notAMovie` if there is no `moov`, and
  /// `.unsupported` if the compression of the movie atom is unknown. It is `.malformed` or `.truncated`, with path
  /// and offset, if a required atom is invalid.
  public init(of source: some RandomAccessSource, limits: MovieLimits = MovieLimits()) throws {
    try self.init(of: source, layout: FileLayout(of: source, limits: limits), limits: limits)
  }

  /// Reads the movie in a source on another thread, because reading waits for the disk.
  ///
  ///     let movie = try await Movie.load(from: source)
  public static func load(
    from source: some RandomAccessSource, limits: MovieLimits = MovieLimits()
  ) async throws -> Movie {
    try await BlockingWork.run { _ in try Movie(of: source, limits: limits) }
  }

  /// Reads the movie in a source whose top-level atoms are known.
  package init(of source: some RandomAccessSource, layout: FileLayout, limits: MovieLimits = MovieLimits()) throws {
    self = try source.reading(since: layout.identity) {
      let tree = try Self.movieTree(of: source, layout: layout, limits: limits)
      let fileType = try Self.fileType(of: source, layout: layout)
      return try Movie(layout: layout, tree: tree, fileType: fileType, limits: limits)
    }
  }

  /// Reads the atoms of `moov`, even if they do not form a readable movie.
  ///
  /// If the movie atom is compressed (`cmov`), returns the atoms of the inflated `moov`. ``AtomTree/enclosingPath``
  /// describes their paths and offsets.
  package static func movieTree(
    of source: some RandomAccessSource, layout: FileLayout, limits: MovieLimits = MovieLimits()
  ) throws -> AtomTree {
    guard let atom = layout.first("moov") else { throw notAMovieError(layout) }
    if let claimedByteCount = atom.claimedByteCount {
      throw MovieError(
        .truncated, at: atom.range.offset, in: "moov",
        "declares \(claimedByteCount) bytes, but the file has only \(atom.range.count) left: the movie atom is truncated; "
          + recoveryAdvice)
    }
    guard atom.range.count <= limits.movieByteCount else {
      throw MovieError(
        .limit, at: atom.range.offset, in: "moov",
        "the movie atom has \(atom.range.count) bytes: the limit is \(limits.movieByteCount)")
    }
    let tree = try AtomTree(layout.read(atom.range, of: source), at: atom.range.offset, limits: limits)
    return try CompressedMovieAtom.inflate(tree, limits: limits) ?? tree
  }

  /// Creates the movie of a `moov` tree. The tree need not be in a file yet.
  package init(layout: FileLayout, tree: AtomTree, fileType: FileType?, limits: MovieLimits) throws(MovieError) {
    try self.init(layout: layout, tree: tree, fileType: fileType, limits: limits) { error throws(MovieError) in
      throw error
    }
  }

  /// Creates the movie of a damaged `moov` tree, without unreadable tracks.
  init(
    damagedTree tree: AtomTree, layout: FileLayout, fileType: FileType?, limits: MovieLimits
  ) throws(MovieError) {
    try self.init(layout: layout, tree: tree, fileType: fileType, limits: limits) { _ throws(MovieError) in }
  }

  /// Creates the movie of a tree. `found` is called with each defect, and may throw the defect.
  private init(
    layout: FileLayout, tree: AtomTree, fileType: FileType?, limits: MovieLimits,
    _ found: (MovieError) throws(MovieError) -> Void
  ) throws(MovieError) {
    guard let movieAtom = layout.first("moov") else { throw Self.notAMovieError(layout) }
    if let refusal = JoinedMovies.error(of: layout) { throw refusal }
    if let defect = tree.defects.first(where: Self.preventsReading) { try found(defect) }
    // The tree lists only the first defects. A defect that is not listed could affect a track, so a tree with unlisted
    // defects is itself defective.
    if tree.hasUnlistedDefects {
      try found(
        MovieError(
          .limit, at: tree.offset, in: "moov", "the movie atom has more than \(limits.defectCount) defects"))
    }
    guard let mvhd = tree.child(of: tree.root, "mvhd") else {
      if let refusal = AlternateMovie.referenceMovieError(of: tree) { throw refusal }
      throw MovieError(.malformed, at: tree.offset, in: tree.path(of: tree.root), "has no mvhd")
    }
    let header = try tree.decode(MovieHeader.self, at: mvhd)
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
    storage = Storage(
      Members(
        layout: layout, movieAtom: movieAtom, tree: tree, limits: limits, fileType: fileType, header: header,
        tracks: tracks, chapterTrackIDs: tracks.chapterTrackIDs.union(lostReferences),
        chapterTrackIDsInUnreadableTracks: lostReferences,
        isFragmented: tree.child(of: tree.root, "mvex") != nil || layout.first("moof") != nil,
        trackIndexByID: Dictionary(tracks.indices.map { (tracks[$0].id, $0) }) { first, _ in first }))
  }

  /// Returns the tracks that an unreadable track refers to as its chapter lists.
  private static func chapterReferences(of trak: Int, in tree: AtomTree) -> [UInt32] {
    do throws(MovieError) {
      return try Track.references(in: trak, of: tree).filter { $0.type == "chap" }.flatMap(\.trackIDs)
    } catch {
      return []
    }
  }

  /// Creates a copy of the movie with changed tracks. The changed tracks must refer to the same atoms as the original
  /// tracks.
  init(_ movie: Movie, tracks: [Track]) {
    var members = movie.storage.members
    members.tracks = tracks
    members.storedMetadata = StoredValue()
    storage = Storage(members)
  }

  /// Returns a copy of the movie with another movie atom, as if the atom were in the same file.
  ///
  /// Offsets in ``tree`` and in errors count from the start of the original movie atom. Throws an error if the new atom
  /// cannot be read, and throws `.limit` if it is larger than ``MovieLimits`` permits.
  package func replacingMovieAtom(with bytes: Bytes) throws(MovieError) -> Movie {
    guard UInt64(bytes.count) <= limits.movieByteCount else {
      throw MovieError(
        .limit, in: "moov", "the movie atom has \(bytes.count) bytes: the limit is \(limits.movieByteCount)")
    }
    let tree = try AtomTree(bytes, at: movieAtom.range.offset, limits: limits.withRoomForEdits)
    return try Movie(layout: layout, tree: tree, fileType: fileType, limits: limits)
  }

  /// The error for a reference movie, or `nil` for other movies. A reference movie lists other movies and has no
  /// tracks.
  package var referenceMovieError: MovieError? {
    tracks.isEmpty ? AlternateMovie.referenceMovieError(of: tree) : nil
  }

  /// Runs `body`, which reads from the source. Throws if the source is not the source of the movie.
  package func reading<Result>(_ source: some RandomAccessSource, _ body: () throws -> Result) throws -> Result {
    guard try source.identity() == layout.identity else {
      throw MovieError(.sourceChanged, "the source has changed, or is not the source of the movie")
    }
    return try source.reading(since: layout.identity, body)
  }

  /// Returns the duration of the movie with all its fragments, in ticks of ``timeScale`` from the start of its
  /// earliest track.
  ///
  /// For a movie without fragments, returns ``durationInMovieTicks`` without reading. Otherwise, reads the headers of
  /// all fragments. Throws the source's errors and ``MovieError``. The error is `.sourceChanged` if the source is not
  /// the source of the movie.
  public func durationInMovieTicks(readingFragmentsOf source: some RandomAccessSource) throws -> UInt64 {
    guard isFragmented else { return durationInMovieTicks }
    return try reading(source) {
      let fragments = try readFragments(of: source)
      return fragments.durationInMovieTicks(of: self, from: fragments.start(in: self))
    }
  }

  /// Returns the track with an ID, or `nil` if no track has the ID.
  public func track(_ id: UInt32) -> Track? { storage.members.trackIndexByID[id].map { tracks[$0] } }

  /// Returns the track whose atom contains an offset, or `nil` if there is none. The offset counts as in ``tree``.
  package func track(at offset: UInt64) -> Track? {
    let next = tracks.partitioningIndex { tree.range(of: $0.atom).offset > offset }
    guard next > 0, offset < tree.range(of: tracks[next - 1].atom).end else { return nil }
    return tracks[next - 1]
  }

  /// Returns the track whose atom equals or contains an atom of ``tree``, or `nil` if there is none.
  package func track(containing atom: Int) -> Track? {
    let next = tracks.partitioningIndex { $0.atom > atom }
    guard next > 0, atom < tree[tracks[next - 1].atom].subtreeEnd else { return nil }
    return tracks[next - 1]
  }

  /// Whether the movie atom is compressed (`cmov`).
  public var hasCompressedMovieAtom: Bool { !tree.enclosingPath.isEmpty }

  /// Whether the file has no samples, but announces fragments.
  public var isInitializationSegment: Bool {
    isFragmented && layout.first("moof") == nil && tracks.allSatisfy { $0.samples.sampleCount == 0 }
  }

  /// The duration in movie ticks, from `mvhd`. If `mvhd` declares 0 or an unknown duration, this is the duration of
  /// the longest track.
  public var durationInMovieTicks: UInt64 {
    if header.duration != 0, !header.isDurationUnknown { return header.duration }
    return tracks.map { $0.durationInMovieTicks(movieTimeScale: header.timeScale) }.max() ?? 0
  }

  /// The end of the movie, in movie ticks: ``durationInMovieTicks`` or the end of the last enabled track, whichever is
  /// later.
  ///
  /// Makes a pass over `stts` for tracks without edits.
  package var endInMovieTicks: UInt64 {
    tracks.lazy.filter(\.isEnabled)
      .map { $0.presentationEndInMovieTicks(movieTimeScale: header.timeScale) }
      .reduce(durationInMovieTicks, max)
  }

  /// The end of the movie, in movie ticks. Text tracks that are longer than all other tracks are ignored.
  ///
  /// It differs from ``endInMovieTicks`` only if a text track is the longest track. New subtitle tracks end at this
  /// time.
  package var endWithoutTextInMovieTicks: UInt64 {
    let end = endInMovieTicks
    guard let media = pictureAndSoundEndInMovieTicks else { return end }
    func lastEnd(_ isIncluded: (Track) -> Bool) -> UInt64 {
      tracks.lazy.filter(isIncluded)
        .map {
          max(
            $0.durationInMovieTicks(movieTimeScale: header.timeScale),
            $0.presentationEndInMovieTicks(movieTimeScale: header.timeScale))
        }
        .reduce(0, max)
    }
    let rounding = UInt64(header.timeScale) / 10  // As in the rule `timeline.past-end`.
    let endWithoutText = max(
      media, lastEnd { $0.mediaType == .video || $0.mediaType == .audio || $0.isEnabled && !$0.mediaType.isLegible })
    guard end > endWithoutText.addingClamped(rounding), lastEnd(\.mediaType.isLegible).addingClamped(rounding) >= end
    else {
      return end
    }
    return endWithoutText
  }
  /// The end of the last video or audio track, in movie ticks. The value is `nil` if the movie has neither video nor
  /// audio, or if it is fragmented.
  package var pictureAndSoundEndInMovieTicks: UInt64? {
    guard !isFragmented else { return nil }
    let ends = tracks.lazy.filter { $0.mediaType == .video || $0.mediaType == .audio }
      .map { $0.durationInMovieTicks(movieTimeScale: header.timeScale) }
    return ends.max().flatMap { $0 > 0 ? $0 : nil }
  }

  /// Reads the brands of a file, given its top-level atoms. Returns `nil` if there is no `ftyp`.
  package static func fileType(of source: some RandomAccessSource, layout: FileLayout) throws -> FileType? {
    guard let atom = layout.first("ftyp"), atom.range.count <= 1 << 20 else { return nil }
    do {
      return try FileType(payload: layout.read(atom.payloadRange, of: source))
    } catch let error as MovieError {
      throw error.located(inside: "ftyp", startingAt: atom.payloadRange.offset)
    }
  }

  /// The advice for a movie without sample tables. The positions of samples cannot be derived from the coded data
  /// alone.
  private static let recoveryAdvice = "no tool can read its media without another movie of the same recorder"

  private static func notAMovieError(_ layout: FileLayout) -> MovieError {
    if layout.identity.byteCount == 0 { return MovieError(.notAMovie, "the file is empty") }
    if layout.first("moof") != nil || layout.first("styp") != nil || layout.first("sidx") != nil {
      return MovieError(
        .notAMovie,
        "is a media segment without a movie atom (moov); prepend its initialization segment")
    }
    if layout.first("meta") != nil, layout.first("ftyp") != nil {
      return MovieError(.notAMovie, at: 0, "is an image file, not a movie: it has no movie atom (moov)")
    }
    if let format = FileSignature(layout.head), format != .movie {
      return MovieError(.notAMovie, at: 0, "looks like \(format.rawValue), not a QuickTime or MP4 movie")
    }
    if let last = layout.atoms.last, let claimedByteCount = last.claimedByteCount {
      return MovieError(
        .truncated, at: last.range.offset, in: last.type.description,
        "the file is truncated: its last atom declares \(claimedByteCount) bytes, but has only \(last.range.count); the movie atom (moov) that "
          + "should follow is missing; " + recoveryAdvice)
    }
    if let defect = layout.trailingDefect, layout.atoms.isEmpty {
      return MovieError(.notAMovie, at: 0, "is not a QuickTime or MP4 movie: \(defect.reason)")
    }
    let types = layout.atoms.prefix(8).map(\.type.description).joined(separator: ", ")
    let remedy = layout.first("mdat") == nil ? "" : "; " + recoveryAdvice
    return MovieError(.notAMovie, at: 0, "has no movie atom (moov) among its atoms: \(types)" + remedy)
  }

  /// Whether a defect prevents reading the movie. Defects in the atoms above the sample tables prevent reading. Defects
  /// in user data, metadata and sample descriptions do not.
  private static func preventsReading(_ defect: MovieError) -> Bool {
    let harmlessTypes = ["udta", "meta", "stsd", "iods", "tapt", "load", "gmhd"]
    return !defect.path.split(separator: "/").contains { part in harmlessTypes.contains { part.hasPrefix($0) } }
  }
}

extension Movie {
  /// The members that a movie stores.
  private struct Members: Sendable {
    let layout: FileLayout
    let movieAtom: FileLayout.TopLevelAtom
    let tree: AtomTree
    let limits: MovieLimits
    let fileType: FileType?
    let header: MovieHeader
    var tracks: [Track]
    let chapterTrackIDs: Set<UInt32>
    let chapterTrackIDsInUnreadableTracks: [UInt32]
    let isFragmented: Bool
    /// The index in ``tracks`` of the first track with each ID.
    let trackIndexByID: [UInt32: Int]
    var storedMetadata = StoredValue()
  }

  /// The memory that copies of a movie share.
  private final class Storage: Sendable {
    let members: Members

    init(_ members: Members) { self.members = members }
  }
}

/// A value that is derived from a movie at the first use. A movie never changes, so its copies share the value.
final class StoredValue: Sendable {
  private let stored = Mutex<(any Sendable)?>(nil)

  /// Returns the stored value. If there is none, creates the value with `make` and stores it.
  func value<Value: Sendable>(orStore make: () -> Value) -> Value {
    stored.withLock { stored in
      if let value = stored as? Value { return value }
      let value = make()
      stored = value
      return value
    }
  }
}
