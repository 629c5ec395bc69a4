public import MovieBox

/// The contents of a movie file as far as they could be read, with an error if something could not be read. `movtool
/// inspect` prints this report.
///
///     let report = MovieReport(of: try FileSource(path: "film.mov"), named: "film.mov")
///     print(String(decoding: report.json(), as: UTF8.self))
public struct MovieReport: Sendable {
  /// The edits that the movie allows.
  package struct Editing: Equatable, Sendable {
    /// The reason why the movie cannot be edited, or `nil` if it can.
    package let refusal: MovieError?
    /// The reason why the movie cannot be edited in place, or `nil` if it can.
    package let inPlaceBlocker: String?
    /// Whether the movie can be edited in place if the movie atom is written after the media (`--append`).
    package let canAppend: Bool
    /// Whether the edited movie must be a new file. This applies to a file that is cut off, because it may be the only
    /// copy.
    package let needsNewFile: Bool
    /// Whether a new file can contain the remaining samples of a cut-off movie.
    package let canSalvage: Bool
  }

  /// The position of the movie atom relative to the media.
  package enum MovieAtomPlace: String, Sendable {
    /// Before all media: fast start.
    case first
    /// After all media.
    case last
    /// Between media.
    case between
    /// In a file without media.
    case alone
  }

  /// The name of the file in the report.
  public let file: String
  /// The top-level atoms.
  package private(set) var layout: FileLayout?
  /// The brands.
  package private(set) var fileType: FileType?
  /// The movie, or `nil` if it cannot be read completely.
  public private(set) var movie: Movie?
  /// The readable atoms of a movie atom that cannot be read as a movie.
  package private(set) var brokenTree: AtomTree?
  /// The samples outside the movie atom, or `nil` for a movie without fragments.
  package private(set) var fragments: MovieFragments?
  /// The start of the earliest track on the clock of a fragmented movie, or `nil` if it is 0.
  package private(set) var start: MediaTime?
  /// The video and audio properties of each track.
  package private(set) var details: [TrackDetails] = []
  /// The sample statistics of each track.
  package private(set) var media: [TrackMedia] = []
  /// The samples that are missing because the file is cut off.
  public private(set) var missingSamples: [MissingSamples] = []
  /// The services of closed captions that some pictures contain, such as `CC1` and `SERVICE1`, or `nil` if no video in
  /// this file can contain captions. Other pictures may contain more services.
  public private(set) var captionServices: [String]?
  /// The edits that the movie allows, or `nil` if the movie cannot be read.
  package private(set) var editing: Editing?
  /// The findings of all rules, independent of the player.
  public private(set) var findings: [Finding] = []
  /// A line for each track with timed metadata, except for time codes.
  package private(set) var timedMetadata: [String] = []
  /// The reason why a part of the file could not be read.
  public private(set) var error: (any Error)?

  /// Reads a movie as far as possible. Never throws, because a malformed movie also has a report.
  ///
  /// Reads the movie atom and any fragments, but no media except for the orientation of a video.
  ///
  /// - Parameters:
  ///   - source: the source of the movie.
  ///   - file: the name of the file in the report.
  ///   - limits: the limits of reading.
  public init(of source: any RandomAccessSource, named file: String, limits: MovieLimits = MovieLimits()) {
    self.init(named: file, limits: limits) { source }
  }

  /// Opens and reads a movie as far as possible. The report includes an error of `opening`.
  package init(named file: String, limits: MovieLimits, opening: () throws -> any RandomAccessSource) {
    self.file = file
    do {
      try read(opening(), limits)
    } catch {
      self.error = error
      // If the file is not a movie, its bytes are not listed as atoms.
      if let error = error as? MovieError, error.code == .notAMovie, layout?.atoms.isEmpty == true { layout = nil }
    }
  }

  /// The number of fragments that contain samples outside the movie atom.
  package var fragmentCount: Int { layout?.atoms.count { $0.type == "moof" } ?? 0 }

  /// The duration of the movie in movie ticks.
  package var durationInMovieTicks: UInt64? {
    movie.map { movie in
      fragments == nil && missingSamples.isEmpty
        ? movie.durationInMovieTicks : media.map(\.durationInMovieTicks).max() ?? 0
    }
  }

  /// The position of the movie atom relative to the media.
  package var movieAtomPlace: MovieAtomPlace? { layout.flatMap(Self.movieAtomPlace) }

  /// Returns the position of the movie atom in a file, or `nil` if there is none.
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
    do {
      timedMetadata = try movie.timedMetadataSummaries(fragments, from: source)
    } catch let error as MovieError where [.malformed, .limit].contains(error.code) {
      timedMetadata = []  // The findings list the defects of the tracks.
    }

    captionServices = try movie.captionServices(fragments, in: source)?.allNames
  }

  /// The rules that report samples outside media data. Such samples prevent edits.
  private static let misplacedSampleRules: Set = ["media.misplaced", "fragment.misplaced"]

  private mutating func examine(_ movie: Movie, of source: any RandomAccessSource) throws {
    findings = movie.findings(for: nil, fragments: fragments)
    let misplaced = findings.filter { Self.misplacedSampleRules.contains($0.rule.id) }.map(\.error)
    let refusal = movie.editRefusal(misplacedSamples: misplaced)
    editing = Editing(
      refusal: refusal, inPlaceBlocker: refusal == nil ? try MovieEdit.inPlaceBlocker(of: movie, in: source) : nil,
      canAppend: try refusal == nil && MovieEdit.inPlaceBlocker(of: movie, in: source, .afterMedia) == nil,
      needsNewFile: refusal == nil && !missingSamples.isEmpty,
      canSalvage: !missingSamples.isEmpty && (refusal == nil || !movie.isFragmented))
  }

  /// Returns the readable atoms of a movie atom that cannot be read as a movie.
  private static func tree(
    _ layout: FileLayout, of source: any RandomAccessSource, _ limits: MovieLimits
  ) -> AtomTree? {
    do {
      return try layout.first("moov")?.tree(of: source, limits: limits)
    } catch {
      return nil  // The report already contains the error.
    }
  }
}

extension FileLayout.TopLevelAtom {
  /// Reads the whole atom and returns its child atoms, as far as the file contains them.
  package func tree(of source: any RandomAccessSource, limits: MovieLimits) throws -> AtomTree {
    guard range.count <= limits.movieByteCount else {
      throw MovieError(
        .limit, at: range.offset, in: type.description,
        "is too large to be read: \(range.count) bytes; the limit is \(limits.movieByteCount)")
    }
    let bytes = try source.readExactly(range)
    return isTruncated
      ? try AtomTree(truncated: bytes, at: range.offset, limits: limits)
      : try AtomTree(bytes, at: range.offset, limits: limits)
  }
}

extension MovieReport {
  /// The use of the media data by the tracks.
  package struct MediaUse {
    private let trackIDs: [UInt32]
    private let mediaRanges: MediaRanges
    /// The indices of the tracks with samples in an atom, by the atom's offset.
    private var users: [UInt64: Set<Int>] = [:]

    init(_ movie: Movie) {
      trackIDs = movie.tracks.map(\.id)
      mediaRanges = MediaRanges(movie.tracks)
      let media = movie.layout.atoms.filter { $0.type == "mdat" }
      for (index, track) in movie.tracks.enumerated() {
        for atom in media where track.hasSamples(in: atom.payloadRange) {
          users[atom.range.offset, default: []].insert(index)
        }
      }
    }

    /// Returns the IDs of the tracks with samples in the atom, in movie order.
    package func trackIDs(in atom: FileLayout.TopLevelAtom) -> [UInt32] {
      (users[atom.range.offset] ?? []).sorted().map { trackIDs[$0] }
    }

    /// Returns the number of payload bytes of the atom to which no sample refers.
    package func unreferencedByteCount(in atom: FileLayout.TopLevelAtom) -> UInt64 {
      atom.payloadRange.count - mediaRanges.byteCount(in: atom.payloadRange)
    }
  }

  /// The use of the media data, or `nil` if samples are in fragments or the movie cannot be read. Makes a pass over all
  /// chunks.
  package var mediaUse: MediaUse? {
    movie.flatMap { $0.isFragmented ? nil : MediaUse($0) }
  }

  /// The distance in the file between media that is played at the same time, or `nil` if ``mediaUse`` is `nil`.
  package var interleaving: InterleavingDistance? {
    movie.flatMap { $0.isFragmented ? nil : $0.interleavingDistance() }
  }
}

/// The version of the libraries and the tool, according to semver.org.
public let movtoolVersion = "0.3.0"
