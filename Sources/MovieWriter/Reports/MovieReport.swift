public import MovieBox

/// What is in a file: as much as could be read, then the error, if there is one. It is what `movtool inspect` shows.
///
///     let report = MovieReport(of: try FileSource(path: "film.mov"), named: "film.mov")
///     print(String(decoding: report.json(), as: UTF8.self))
public struct MovieReport: Sendable {
  /// What an edit would do to the movie.
  package struct Editing: Equatable, Sendable {
    /// Why the movie cannot be edited; `nil` when it can.
    package let refusal: MovieError?
    /// Why it cannot be edited in place; `nil` when it can.
    package let inPlaceBlocker: String?
    /// Whether it can be all the same when the movie atom goes after the media (`--append`).
    package let canAppend: Bool
    /// Whether the edited movie has to be a new file, since this one is cut off and may be the only copy.
    package let needsNewFile: Bool
    /// Whether a new file can have the samples that a cut-off movie still has.
    package let canSalvage: Bool
  }

  /// Where the movie atom lies.
  package enum MovieAtomPlace: String, Sendable {
    /// Before all media: fast start.
    case first
    /// After all media.
    case last
    /// Media lies on both sides.
    case between
    /// There is no media in the file.
    case alone
  }

  /// The file as it was named.
  public let file: String
  /// The top-level atoms.
  package private(set) var layout: FileLayout?
  /// The brands.
  package private(set) var fileType: FileType?
  /// The movie; `nil` when it cannot be read as a whole.
  public private(set) var movie: Movie?
  /// The atoms of a movie atom that cannot be read as a movie, as far as they are there.
  package private(set) var brokenTree: AtomTree?
  /// The samples that lie outside the movie atom; `nil` for a movie without fragments.
  package private(set) var fragments: MovieFragments?
  /// The time of the earliest track on the clock of a fragmented movie; `nil` where that is 0.
  package private(set) var start: MediaTime?
  /// Picture and sound of each track.
  package private(set) var details: [TrackDetails] = []
  /// The samples of each track in numbers.
  package private(set) var media: [TrackMedia] = []
  /// The samples that the end of the file cut off.
  public private(set) var missingSamples: [MissingSamples] = []
  /// What an edit would do.
  package private(set) var editing: Editing?
  /// What is odd, whatever plays the movie.
  public private(set) var findings: [Finding] = []
  /// Why not everything could be read.
  public private(set) var error: (any Error)?

  /// Reads a movie as far as it can be read; never throws, since a broken one has a report too.
  ///
  /// `file` is how the report calls it. Reads the movie atom, and the fragments, where there are some; no media.
  public init(of source: any RandomAccessSource, named file: String, limits: MovieLimits = MovieLimits()) {
    self.init(named: file, limits: limits) { source }
  }

  /// The same of a movie that has to be opened, which may fail too.
  package init(named file: String, limits: MovieLimits, opening: () throws -> any RandomAccessSource) {
    self.file = file
    do {
      try read(opening(), limits)
    } catch {
      self.error = error
      // What lies in a file of another kind is not listed as atoms.
      if let error = error as? MovieError, error.code == .notAMovie, layout?.atoms.isEmpty == true { layout = nil }
    }
  }

  /// How many fragments hold samples beside those of the movie atom.
  package var fragmentCount: Int { layout?.atoms.count { $0.type == "moof" } ?? 0 }

  /// How long the movie is, in movie ticks.
  package var durationInMovieTicks: UInt64? {
    movie.map { movie in
      fragments == nil && missingSamples.isEmpty
        ? movie.durationInMovieTicks : media.map(\.durationInMovieTicks).max() ?? 0
    }
  }

  /// Where the movie atom lies among the media.
  package var movieAtomPlace: MovieAtomPlace? { layout.flatMap(Self.movieAtomPlace) }

  /// Where the movie atom lies in a file; `nil` without one.
  package static func movieAtomPlace(in layout: FileLayout) -> MovieAtomPlace? {
    guard let moov = layout.first("moov") else { return nil }
    let media = layout.atoms.filter { $0.type == "mdat" }
    let isBefore = media.contains { $0.range.offset < moov.range.offset }
    let isAfter = media.contains { $0.range.offset > moov.range.offset }
    switch (isBefore, isAfter) {
    case (true, true): return layout.isFastStart ? .first : layout.isMovieAtomLast ? .last : .between
    case (true, false): return .last
    case (false, true): return .first
    case (false, false): return .alone
    }
  }

  private mutating func read(_ source: any RandomAccessSource, _ limits: MovieLimits) throws {
    let layout = try FileLayout(of: source, limits: limits)
    self.layout = layout
    fileType = try Movie.fileType(of: source, layout: layout)
    do {
      movie = try Movie(of: source, layout: layout, limits: limits)
    } catch {
      brokenTree = Self.tree(layout, of: source, limits)
      throw error
    }
    guard let movie else { return }
    details = movie.tracks.map { TrackDetails($0, in: movie) }
    media = movie.tracks.map { TrackMedia($0, in: movie, nil) }
    if layout.first("moof") != nil {
      let fragments = try movie.readFragments(of: source)
      self.fragments = fragments
      start = fragments.start(in: movie)
      media = zip(movie.tracks, fragments.tracks).map { TrackMedia($0, in: movie, $1, from: start) }
    }
    missingSamples = fragments?.missingSamples ?? (layout.cutOffset == nil ? [] : movie.missingSamples())
    if fragments == nil, !missingSamples.isEmpty {
      let missing = Dictionary(missingSamples.map { ($0.trackID, $0) }) { first, _ in first }
      media = zip(movie.tracks, media).map { track, media in
        missing[track.id].map { media.without($0, of: track, movieTimeScale: movie.header.timeScale) } ?? media
      }
    }
    try examine(movie, of: source)
  }

  /// The rules on places where no samples can be, which keep a movie from being edited.
  private static let misplacing: Set = ["media.misplaced", "fragment.misplaced"]

  private mutating func examine(_ movie: Movie, of source: any RandomAccessSource) throws {
    findings = movie.findings(for: nil, fragments: fragments)
    let misplaced = findings.filter { Self.misplacing.contains($0.rule.id) }.map(\.error)
    let refusal = MovieEdit.refusal(of: movie, misplacedSamples: misplaced)
    editing = Editing(
      refusal: refusal, inPlaceBlocker: refusal == nil ? try MovieEdit.inPlaceBlocker(of: movie, in: source) : nil,
      canAppend: try refusal == nil && MovieEdit.inPlaceBlocker(of: movie, in: source, .afterMedia) == nil,
      needsNewFile: refusal == nil && !missingSamples.isEmpty,
      canSalvage: !missingSamples.isEmpty && (refusal == nil || !movie.isFragmented))
  }

  /// The atoms of a movie atom that is not a movie, as far as they can be read.
  private static func tree(
    _ layout: FileLayout, of source: any RandomAccessSource, _ limits: MovieLimits
  ) -> AtomTree? {
    do {
      return try layout.first("moov")?.tree(of: source, limits: limits)
    } catch {
      return nil  // Why the movie cannot be read is known already, and reported.
    }
  }
}

extension FileLayout.TopLevelAtom {
  /// The atoms inside, as far as the file has them; reads the whole atom.
  package func tree(of source: any RandomAccessSource, limits: MovieLimits) throws -> AtomTree {
    guard range.count <= limits.movieByteCount else {
      throw MovieError(
        .limit, at: range.offset, in: type.description,
        "\(range.count) bytes to look into, the limit is \(limits.movieByteCount)")
    }
    let bytes = try source.readExactly(range)
    return isTruncated
      ? try AtomTree(cut: bytes, at: range.offset, limits: limits)
      : try AtomTree(bytes, at: range.offset, limits: limits)
  }
}

extension MovieReport {
  /// What the samples of the movie name of the media data.
  package struct MediaUse {
    private let trackIDs: [UInt32]
    private let all: MediaRanges
    /// The places of the tracks that have samples in an atom, by the atom's offset.
    private var users: [UInt64: Set<Int>] = [:]

    init(_ movie: Movie) {
      trackIDs = movie.tracks.map(\.id)
      all = MediaRanges(movie.tracks)
      let media = movie.layout.atoms.filter { $0.type == "mdat" }
      for (index, track) in movie.tracks.enumerated() {
        for atom in media where track.hasSamples(in: atom.payloadRange) {
          users[atom.range.offset, default: []].insert(index)
        }
      }
    }

    /// The tracks that have samples in the atom, in the order of the movie.
    package func trackIDs(in atom: FileLayout.TopLevelAtom) -> [UInt32] {
      (users[atom.range.offset] ?? []).sorted().map { trackIDs[$0] }
    }

    /// How many bytes of the atom, its header aside, no sample refers to.
    package func unreferencedByteCount(in atom: FileLayout.TopLevelAtom) -> UInt64 {
      atom.payloadRange.count - all.byteCount(in: atom.payloadRange)
    }
  }

  /// The use of the media data; `nil` where samples lie in fragments too, or the movie cannot be read. Costs a walk
  /// over all chunks.
  package var mediaUse: MediaUse? {
    movie.flatMap { $0.isFragmented ? nil : MediaUse($0) }
  }

  /// How far apart lies what is played at the same time; `nil` where ``mediaUse`` is.
  package var interleaving: InterleavingDistance? {
    movie.flatMap { $0.isFragmented ? nil : $0.interleavingDistance() }
  }
}

/// The version of the libraries and of the tool, as semver.org counts.
public let movtoolVersion = "0.3.0"
