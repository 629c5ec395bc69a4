import Subtitles

/// The differences between two movies in atoms, tracks, sample tables and media bytes.
///
/// Samples are compared track by track. Their file offsets may differ, and either tables or fragments may list them.
/// Free space may differ too. Tracks correspond to each other if their IDs and media types are equal.
///
///     let comparison = try MovieComparison(FileSource(path: "film.mov"), FileSource(path: "edited.mov"))
///     for difference in comparison.differences { print(difference.kind, difference.topic, difference.description) }
///
/// The required memory is proportional to the size of the `moov` and `moof` atoms. The comparison makes one pass over
/// the media of both files, in blocks of 1 MiB.
public struct MovieComparison: Sendable {
  /// Whether both files are equal byte for byte.
  public let isSameBytes: Bool
  /// The differences between the movies. They are grouped by track, and in the order of the old file.
  public let differences: [MovieComparison.Difference]
  /// Whether the movies have more than ``differenceLimit`` differences. The differences beyond the limit are not
  /// listed.
  public let hasFurtherDifferences: Bool
  /// The differences between the files that do not change the movie, such as moved media.
  public let remarks: [MovieComparison.Remark]

  /// The maximum number of listed differences.
  public static let differenceLimit = 1000

  /// Compares two movies. `step` is called before each block of bytes. An error thrown by `step` ends the comparison.
  ///
  /// Throws the errors of the sources, and ``MovieError`` if a file is not a movie or is unreadable. Throws `.limit` if
  /// tracks refer to the same bytes too often. Errors of the new movie are wrapped in ``NewMovieError``.
  public init<Old: RandomAccessSource, New: RandomAccessSource>(
    _ old: Old, _ new: New, limits: MovieLimits = MovieLimits(), step: () throws -> Void = {}
  ) throws {
    let before = try MovieSide(old, limits: limits)
    let after = try MovieComparison.NewMovieError.wrapping { try MovieSide(new, limits: limits) }
    self = try withoutActuallyEscaping(step) { step in
      try MovieComparison(before, after, MediaComparison(old: old, new: new, step: step))
    }
  }

  private init<Old, New>(
    _ old: MovieSide<Old>, _ new: MovieSide<New>, _ media: MediaComparison<Old, New>
  ) throws {
    let sizes = (old: old.movie.layout.identity.byteCount, new: new.movie.layout.identity.byteCount)
    let commonStart = sizes.old == sizes.new ? try media.commonStart(upTo: sizes.old) : 0
    isSameBytes = sizes.old == sizes.new && commonStart == sizes.old
    guard !isSameBytes else {
      (differences, hasFurtherDifferences, remarks) = ([], false, [])
      return
    }
    var work = ComparisonWork(old, new, media, commonStart: commonStart)
    try work.run()
    hasFurtherDifferences = work.differences.count >= Self.differenceLimit
    differences = Array(work.differences.prefix(Self.differenceLimit))
    remarks = work.remarks
  }

  /// An error in the second of two compared movies.
  public struct NewMovieError: Error, Hashable, Sendable {
    /// The error of the new movie.
    public let error: MovieError

    static func wrapping<Result>(_ body: () throws -> Result) throws -> Result {
      do {
        return try body()
      } catch let error as MovieError {
        throw MovieComparison.NewMovieError(error: error)
      }
    }
  }
}

/// One of the two compared movies.
package struct MovieSide<Source: RandomAccessSource> {
  let source: Source
  let movie: Movie
  /// The fragments, or `nil` if the movie is not fragmented.
  let fragments: MovieFragments?

  package init(_ movie: Movie, _ fragments: MovieFragments?, of source: Source) {
    self.source = source
    self.movie = movie
    self.fragments = fragments
  }

  init(_ source: Source, limits: MovieLimits) throws {
    self.source = source
    movie = try Movie(of: source, limits: limits)
    if let refusal = movie.referenceMovieError { throw refusal }
    fragments = movie.isFragmented ? try movie.readFragments(of: source) : nil
  }

  /// The tracks in the order of the movie. Tracks with equal IDs are distinguished by a number.
  var tracks: [TrackSide] {
    var countsByID: [UInt32: Int] = [:]
    return movie.tracks.enumerated().map { index, track in
      let number = countsByID[track.id, default: 0]
      countsByID[track.id] = number + 1
      return TrackSide(track: track, fragmented: fragments?.tracks[index], number: number)
    }
  }

  func location(ofAtom index: Int) -> MovieComparison.Difference.Location { movie.tree.place(of: index) }

  /// Returns the location of the first atom in the track's sample table that has one of the `types`. Returns the
  /// location of the track if the movie is fragmented.
  func tableLocation(_ types: [FourCC], of track: Track) -> MovieComparison.Difference.Location? {
    guard fragments == nil else { return location(ofAtom: track.atom) }
    guard let stbl = movie.tree.sampleTable(ofTrack: track.atom) else { return nil }
    return location(ofAtom: types.lazy.compactMap { movie.tree.child(of: stbl, $0) }.first ?? stbl)
  }
}

/// A track of one of the compared movies.
struct TrackSide {
  let track: Track
  /// The track's samples in `moov` and fragments, or `nil` if the movie is not fragmented.
  let fragmented: FragmentedTrack?
  /// The track's index among the tracks with the same ID.
  let number: Int

  /// The ID and number of the track. A track corresponds to a track of the other movie only if their keys are equal.
  var key: [UInt32] { [track.id, UInt32(clamping: number)] }

  /// Whether the tracks have equal media types, or a common format in their sample descriptions. Otherwise, the tracks
  /// do not correspond to each other.
  func corresponds(to other: TrackSide) -> Bool {
    track.mediaType == other.track.mediaType || !Set(track.formats).isDisjoint(with: other.track.formats)
  }

  var sampleCount: Int { fragmented?.sampleCount ?? track.samples.sampleCount }
}

extension MovieComparison {
  /// A kind of difference that the user expects, such as `added:track` or `changed:moov/mvhd`.
  ///
  ///     let expected = try MovieComparison.Expectation("added:track@4")
  ///
  /// An expectation consists of `added`, `removed` or `changed`, a colon, and a topic
  /// (``MovieComparison/Difference/Topic``) or a path of atoms. A path matches its atom and all descendants. A type
  /// without a number in brackets matches every atom of the type. An optional `@` and track ID restrict the expectation
  /// to a track. `changed` also matches additions and removals, except for whole tracks.
  public struct Expectation: Hashable, Sendable, CustomStringConvertible {
    /// The topic or path of an expectation.
    private enum Subject: Hashable {
      case topic(MovieComparison.Difference.Topic)
      case path([Step])
    }

    private struct Step: Hashable {
      let type: FourCC
      /// The number of the atom among its siblings of the same type, or `nil` to match all of them.
      let number: Int?
    }

    /// The expected kind of difference.
    public let kind: MovieComparison.Difference.Kind
    /// The track ID, or `nil` to match differences in any track or outside tracks.
    public let trackID: UInt32?
    /// The expectation as written by the user.
    public let description: String
    private let subject: Subject

    /// Parses an expectation such as `added:track` or `changed:group@3`. Throws `.invalidEdit` if it is malformed.
    public init(_ text: String) throws(MovieError) {
      func failure(_ reason: String) -> MovieError { MovieError(.invalidEdit, "\(text): \(reason)") }
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let kind = MovieComparison.Difference.Kind(rawValue: String(parts[0])) else {
        throw failure(
          "the expectation is malformed; write added:, removed: or changed: and a topic, such as "
            + "added:track")
      }
      var rest = parts[1]
      var trackID: UInt32?
      if let mark = rest.lastIndex(of: "@") {
        guard let id = UInt32(digits: rest[rest.index(after: mark)...]) else {
          throw failure("the track ID after @ is invalid; write an ID, as in changed:group@3")
        }
        trackID = id
        rest = rest[..<mark]
      }
      if let topic = MovieComparison.Difference.Topic(rawValue: String(rest)) {
        subject = .topic(topic)
      } else {
        do throws(MovieError) {
          subject = .path(try Self.steps(of: rest))
        } catch {
          let topics = MovieComparison.Difference.Topic.allCases.map(\.rawValue).joined(separator: ", ")
          throw failure("\"\(rest)\" is neither a path of atoms such as moov/mvhd nor one of \(topics)")
        }
      }
      self.kind = kind
      self.trackID = trackID
      description = text
    }

    private static func steps(of path: Substring) throws(MovieError) -> [Step] {
      var steps: [Step] = []
      for part in path.split(separator: "/", omittingEmptySubsequences: false) {
        let step = try AtomPathStep(part)
        steps.append(Step(type: step.type, number: part.hasSuffix("]") ? step.number : nil))
      }
      return steps
    }

    /// Whether the expectation matches only one difference. If a user specifies `added:track` twice, two tracks must be
    /// added.
    package var matchesOnlyOnce: Bool { subject == .topic(.track) && kind != .changed }

    package func covers(_ difference: MovieComparison.Difference) -> Bool {
      if let trackID, difference.trackID != trackID { return false }
      switch subject {
      case .topic(.track) where kind == .changed: return difference.trackID != nil && difference.topic != .track
      case .topic(.track): return difference.topic == .track && difference.kind == kind
      case .topic(let topic): return difference.topic == topic && (kind == .changed || difference.kind == kind)
      case .path(let steps):
        let hasMatch = [difference.old?.path, difference.new?.path].contains {
          $0.map { Self.covers(steps, $0) } ?? false
        }
        return hasMatch && (difference.kind == kind || kind == .changed && difference.topic != .track)
      }
    }

    private static func covers(_ steps: [Step], _ path: String) -> Bool {
      let found: [Step]
      do throws(MovieError) {
        // Expectations contain the path in an uncompressed movie atom, so remove the path of the compressed data.
        let inflated = "moov/cmov/cmvd/"
        found = try self.steps(of: path.hasPrefix(inflated) ? path.dropFirst(inflated.count) : path[...])
      } catch {
        return false
      }
      guard found.count >= steps.count else { return false }
      return zip(steps, found).allSatisfy { wanted, step in
        wanted.type == step.type && (wanted.number == nil || wanted.number == step.number ?? 1)
      }
    }
  }

  /// The expected differences, and the expectations that were not met.
  public struct Verdict: Hashable, Sendable {
    /// Whether each difference was expected. A difference that follows from expected changes of tracks is expected too.
    public let isExpected: [Bool]
    /// The expectations that no difference matched.
    public let missing: [Expectation]
  }

  /// Compares the differences with `expected` and `allowed`. Every expectation in `expected` must match a difference.
  /// An expectation in `allowed` may match none.
  public func verdict(
    expecting expected: [Expectation], allowing allowed: [Expectation] = []
  ) -> Verdict {
    var isExpected = differences.map { difference in allowed.contains { $0.covers(difference) } }
    var unmetExpectations: [Expectation] = []
    var claimedIndices: Set<Int> = []
    // Match expectations with a track ID first. Otherwise, an expectation without a track ID could match a difference
    // that an expectation with a track ID requires.
    for expectation in expected.filter({ $0.trackID != nil }) + expected.filter({ $0.trackID == nil }) {
      let covered = differences.indices.filter { expectation.covers(differences[$0]) }
      if expectation.matchesOnlyOnce {
        guard let one = covered.first(where: { !claimedIndices.contains($0) }) else {
          unmetExpectations.append(expectation)
          continue
        }
        claimedIndices.insert(one)
        isExpected[one] = true
      } else {
        if covered.isEmpty { unmetExpectations.append(expectation) }
        for index in covered { isExpected[index] = true }
      }
    }
    // The consequences of added tracks are expected if all added tracks were expected. The same applies to removed
    // tracks.
    for kind in [MovieComparison.Difference.Kind.added, .removed] {
      let tracks = differences.indices.filter { differences[$0].topic == .track && differences[$0].kind == kind }
      guard tracks.allSatisfy({ isExpected[$0] }) else { continue }
      for index in differences.indices where differences[index].followsFromTracks == kind { isExpected[index] = true }
    }
    return Verdict(isExpected: isExpected, missing: unmetExpectations)
  }
}
