import Subtitles

/// The differences between two movies: atoms, tracks, tables of samples, and samples' bytes.
///
/// Samples are compared by track, wherever they lie and whether tables or fragments list them; that they lie
/// elsewhere, and free space, is not a difference. Tracks are the same where ID and kind are.
///
///     let comparison = try MovieComparison(FileSource(path: "film.mov"), FileSource(path: "edited.mov"))
///     for difference in comparison.differences { print(difference.kind, difference.topic, difference.description) }
///
/// Costs memory in proportion to the movie atoms and `moof` atoms, and one pass over the media of both files, in blocks
/// of 1 MiB.
public struct MovieComparison: Sendable {
  /// Whether the two files are the same byte for byte.
  public let isSameBytes: Bool
  /// The differences between the movies, in the order of the old file, track by track.
  public let differences: [MovieDifference]
  /// Whether there are more than ``differenceLimit``, which are not listed.
  public let hasFurtherDifferences: Bool
  /// The differences between files whose movies are equal.
  public let remarks: [MovieComparison.Remark]

  /// No more differences are listed.
  public static let differenceLimit = 1000

  /// Compares two movies; `step` is called before each block of bytes, and what it throws ends the work.
  ///
  /// Throws what the sources throw, and ``MovieError`` for what is not a movie or cannot be read as one; `.limit` where
  /// tracks name the same bytes again and again. The error of the new movie is thrown as ``NewMovieError``.
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
    /// The error.
    public let error: MovieError

    /// Throws a movie's error as that of the new movie.
    static func wrapping<Result>(_ body: () throws -> Result) throws -> Result {
      do {
        return try body()
      } catch let error as MovieError {
        throw MovieComparison.NewMovieError(error: error)
      }
    }
  }
}

/// One of two movies that are compared.
package struct MovieSide<Source: RandomAccessSource> {
  let source: Source
  let movie: Movie
  /// `nil` for a movie without fragments.
  let fragments: MovieFragments?

  package init(_ movie: Movie, _ fragments: MovieFragments?, of source: Source) {
    self.source = source
    self.movie = movie
    self.fragments = fragments
  }

  init(_ source: Source, limits: MovieLimits) throws {
    self.source = source
    movie = try Movie(of: source, limits: limits)
    if let refusal = movie.refusalAsReferenceMovie { throw refusal }
    fragments = movie.isFragmented ? try movie.readFragments(of: source) : nil
  }

  /// The tracks in the order of the movie. Those of one ID are distinguished by their number among these.
  var tracks: [TrackSide] {
    var seen: [UInt32: Int] = [:]
    return movie.tracks.enumerated().map { index, track in
      let number = seen[track.id, default: 0]
      seen[track.id] = number + 1
      return TrackSide(track: track, fragmented: fragments?.tracks[index], number: number)
    }
  }

  /// Returns the place of an atom of the movie atom.
  func place(_ index: Int) -> MovieDifference.Place { movie.tree.place(of: index) }

  /// The first of some atoms in the sample table of a track; the track itself in a movie whose fragments say instead.
  func table(_ types: [FourCC], of track: Track) -> MovieDifference.Place? {
    guard fragments == nil else { return place(track.atom) }
    guard let stbl = movie.tree.sampleTable(ofTrack: track.atom) else { return nil }
    return place(types.lazy.compactMap { movie.tree.child(of: stbl, $0) }.first ?? stbl)
  }
}

/// A track of one of two movies.
struct TrackSide {
  let track: Track
  /// Its samples in `moov` and fragments; `nil` in a movie without fragments.
  let fragmented: FragmentedTrack?
  /// Its number among the tracks of the same ID.
  let number: Int

  /// The properties by which a track is found in the other movie.
  var key: [UInt32] { [track.id, UInt32(clamping: number)] }

  /// Whether a track of the same key may be this one: one of sound is not made of one of pictures.
  func isAlike(_ other: TrackSide) -> Bool {
    track.mediaType == other.track.mediaType || !Set(track.formats).isDisjoint(with: other.track.formats)
  }

  var sampleCount: Int { fragmented?.sampleCount ?? track.samples.sampleCount }
}

extension MovieComparison {
  /// A kind of difference that somebody expects, in words such as `added:track` or `changed:moov/mvhd`.
  ///
  ///     let expected = try MovieComparison.Expectation("added:track@4")
  ///
  /// Before the colon stands `added`, `removed` or `changed`; after it a topic (``MovieDifference/Topic``), or a path
  /// of atoms, which stands for the atom and all in it; a type without a number in brackets stands for each of its
  /// kind. `@` and an ID at the end narrow it to a track. `changed` of anything but whole tracks holds for what was
  /// added to it and removed from it too.
  public struct Expectation: Hashable, Sendable, CustomStringConvertible {
    /// The subject of an expectation.
    private enum Subject: Hashable {
      case topic(MovieDifference.Topic)
      case path([Step])
    }

    private struct Step: Hashable {
      let type: FourCC
      /// `nil` for each of its kind.
      let number: Int?
    }

    /// The expected kind of difference.
    public let kind: MovieDifference.Kind
    /// The track; `nil` for any, and none.
    public let trackID: UInt32?
    /// The expectation as it was written.
    public let description: String
    private let subject: Subject

    /// Reads `added:track`, `changed:group@3` and the like. Throws `.invalidEdit` for anything else.
    public init(_ text: String) throws(MovieError) {
      func failure(_ reason: String) -> MovieError { MovieError(.invalidEdit, "\(text): \(reason)") }
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let kind = MovieDifference.Kind(rawValue: String(parts[0])) else {
        throw failure("write added:, removed: or changed: and what, such as added:track")
      }
      var rest = parts[1]
      var trackID: UInt32?
      if let mark = rest.lastIndex(of: "@") {
        guard let id = UInt32(digits: rest[rest.index(after: mark)...]) else {
          throw failure("after @ stands the ID of a track, as in changed:group@3")
        }
        trackID = id
        rest = rest[..<mark]
      }
      if let topic = MovieDifference.Topic(rawValue: String(rest)) {
        subject = .topic(topic)
      } else {
        do throws(MovieError) {
          subject = .path(try Self.steps(of: rest))
        } catch {
          let topics = MovieDifference.Topic.allCases.map(\.rawValue).joined(separator: ", ")
          throw failure("\"\(rest)\" is not a path of atoms such as moov/mvhd, and none of \(topics)")
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

    /// Whether each such expectation uses up one difference: two of `added:track` want two added tracks.
    package var usesUpDifference: Bool { subject == .topic(.track) && kind != .changed }

    /// Whether the difference is one that is expected.
    package func covers(_ difference: MovieDifference) -> Bool {
      if let trackID, difference.trackID != trackID { return false }
      switch subject {
      case .topic(.track) where kind == .changed: return difference.trackID != nil && difference.topic != .track
      case .topic(.track): return difference.topic == .track && difference.kind == kind
      case .topic(let topic): return difference.topic == topic && (kind == .changed || difference.kind == kind)
      case .path(let steps):
        let isThere = [difference.old?.path, difference.new?.path].contains {
          $0.map { Self.covers(steps, $0) } ?? false
        }
        return isThere && (difference.kind == kind || kind == .changed && difference.topic != .track)
      }
    }

    private static func covers(_ steps: [Step], _ path: String) -> Bool {
      let found: [Step]
      do throws(MovieError) {
        // What was inflated is named as it would be without.
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
    /// For each difference, whether it was expected, or follows from tracks that were.
    public let isExpected: [Bool]
    /// The expectations that were not met.
    public let missing: [Expectation]
  }

  /// Holds the differences against what was expected (each must come about) and what is allowed (it may).
  public func verdict(
    expecting expected: [Expectation], allowing allowed: [Expectation] = []
  ) -> Verdict {
    var isExpected = differences.map { difference in allowed.contains { $0.covers(difference) } }
    var missing: [Expectation] = []
    var claimed: Set<Int> = []
    // Those that name a track come first: another one must not take it from them.
    for expectation in expected.filter({ $0.trackID != nil }) + expected.filter({ $0.trackID == nil }) {
      let covered = differences.indices.filter { expectation.covers(differences[$0]) }
      if expectation.usesUpDifference {
        guard let one = covered.first(where: { !claimed.contains($0) }) else {
          missing.append(expectation)
          continue
        }
        claimed.insert(one)
        isExpected[one] = true
      } else {
        if covered.isEmpty { missing.append(expectation) }
        for index in covered { isExpected[index] = true }
      }
    }
    // What follows from tracks having been added is expected where that is.
    for kind in [MovieDifference.Kind.added, .removed] {
      let tracks = differences.indices.filter { differences[$0].topic == .track && differences[$0].kind == kind }
      guard tracks.allSatisfy({ isExpected[$0] }) else { continue }
      for index in differences.indices where differences[index].followsFromTracks == kind { isExpected[index] = true }
    }
    return Verdict(isExpected: isExpected, missing: missing)
  }
}
