import Subtitles

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
    /// What the words stand for.
    private enum Subject: Hashable {
      case topic(MovieDifference.Topic)
      case path([Step])
    }

    private struct Step: Hashable {
      let type: FourCC
      /// `nil` for each of its kind.
      let number: Int?
    }

    /// What happens.
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
}

extension MovieComparison {
  /// Which differences were expected, and which expectations were not met.
  public struct Verdict: Hashable, Sendable {
    /// For each difference, whether it was expected, or follows from tracks that were.
    public let isExpected: [Bool]
    /// What was expected and is not so.
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
