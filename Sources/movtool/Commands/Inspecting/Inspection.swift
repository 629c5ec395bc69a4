import MovieBox
import MovieWriter

/// What `inspect` finds in one file: as much as could be read, then the error, if there is one.
struct Inspection {
  /// What an edit would do to the movie.
  struct Editing: Equatable, Sendable {
    /// Why the movie cannot be edited; `nil` when it can.
    let refusal: MovieError?
    /// Why it cannot be edited in place; `nil` when it can.
    let inPlaceBlocker: String?
    /// Whether it can be all the same when the movie atom goes after the media (`--append`).
    let canAppend: Bool
  }

  /// Where the movie atom lies.
  enum MovieAtomPlace: String, Sendable {
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
  let file: String
  /// The top-level atoms.
  private(set) var layout: FileLayout?
  /// The brands.
  private(set) var fileType: FileType?
  /// The movie; `nil` when it cannot be read as a whole.
  private(set) var movie: Movie?
  /// The atoms of a movie atom that cannot be read as a movie, as far as they are there.
  private(set) var brokenTree: AtomTree?
  /// The samples that lie outside the movie atom; `nil` for a movie without fragments.
  private(set) var fragments: MovieFragments?
  /// Picture and sound of each track.
  private(set) var details: [TrackDetails] = []
  /// The samples of each track in numbers.
  private(set) var media: [TrackMedia] = []
  /// What an edit would do.
  private(set) var editing: Editing?
  /// What is odd, whatever plays the movie.
  private(set) var findings: [Finding] = []
  /// Why not everything could be read.
  private(set) var error: ToolError?

  /// Reads the file as far as it can be read; never throws, since a broken file has an inspection too.
  init(of file: String, in context: Context) {
    self.file = file
    do {
      try read(context.open(file), context.limits.movie)
    } catch {
      self.error = ToolError(error, about: file)
      // What lies in a file of another kind is not listed as atoms.
      if let error = error as? MovieError, error.code == .notAMovie, layout?.atoms.isEmpty == true { layout = nil }
    }
  }

  /// How many fragments hold samples beside those of the movie atom.
  var fragmentCount: Int { layout?.atoms.count { $0.type == "moof" } ?? 0 }

  /// How long the movie is, in movie ticks.
  var durationInMovieTicks: UInt64? {
    movie.map { movie in
      fragments == nil ? movie.durationInMovieTicks : media.map(\.durationInMovieTicks).max() ?? 0
    }
  }

  /// Where the movie atom lies among the media.
  var movieAtomPlace: MovieAtomPlace? { layout.flatMap(Self.movieAtomPlace) }

  /// Where the movie atom lies in a file; `nil` without one.
  static func movieAtomPlace(in layout: FileLayout) -> MovieAtomPlace? {
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
      media = zip(movie.tracks, fragments.tracks).map { TrackMedia($0, in: movie, $1) }
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
      canAppend: try refusal == nil && MovieEdit.inPlaceBlocker(of: movie, in: source, .afterMedia) == nil)
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
