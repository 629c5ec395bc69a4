import MovieBox
import MovieWriter

/// What `diff` says of two movies.
struct DifferenceReport {
  private let comparison: MovieComparison
  private let verdict: MovieComparison.Verdict

  init(_ comparison: MovieComparison, _ verdict: MovieComparison.Verdict) {
    self.comparison = comparison
    self.verdict = verdict
  }

  /// Whether nothing differs but what was expected, and all of that does.
  var isAsExpected: Bool {
    unexpectedCount == 0 && verdict.missing.isEmpty && !comparison.hasFurtherDifferences
  }

  private var unexpectedCount: Int { verdict.isExpected.count { !$0 } }

  // MARK: - For people

  /// The differences by what they are in, then what does not count as one, then a summary.
  var lines: [String] {
    var lines: [String] = []
    for group in groups {
      lines.append(group.title)
      for index in group.indices { lines.append("  " + line(of: index)) }
    }
    if !lines.isEmpty { lines.append("") }
    lines += comparison.remarks.map(\.description)
    lines += verdict.missing.map { "expected difference not found: \($0)" }
    return lines + [summary]
  }

  private struct Group {
    let title: String
    var indices: [Int] = []
  }

  /// The groups in which there are differences: those outside of `moov`, the movie, tracks that came and went, each
  /// track.
  private var groups: [Group] {
    var groups = [Group(title: "File"), Group(title: "Movie"), Group(title: "Tracks")]
    var places: [UInt32: Int] = [:]
    for (index, difference) in comparison.differences.enumerated() {
      let place: Int
      if difference.topic == .track {
        place = 2
      } else if let id = difference.trackID {
        place = places[id] ?? groups.count
        if places[id] == nil {
          places[id] = place
          groups.append(Group(title: "Track \(id)"))
        }
      } else {
        place = (difference.old ?? difference.new)?.path?.hasPrefix("moov") ?? false ? 1 : 0
      }
      groups[place].indices.append(index)
    }
    return groups.filter { !$0.indices.isEmpty }
  }

  private func line(of index: Int) -> String {
    let difference = comparison.differences[index]
    let note = verdict.isExpected[index] ? " (expected)" : ""
    if difference.topic == .track, let id = difference.trackID {
      return "\(difference.kind.rawValue) track \(id): \(difference.description)\(note)"
    }
    let path = (difference.new ?? difference.old)?.path
    return (path.map { $0 + ": " } ?? "") + difference.description + note
  }

  private var summary: String {
    if comparison.isSameBytes { return "the same bytes" }
    let count = comparison.differences.count
    if count == 0 { return "no difference: the same atoms, tracks, samples" }
    if comparison.hasFurtherDifferences { return "more than \(MovieComparison.differenceLimit) differences" }
    let all = count == 1 ? "1 difference" : "\(count) differences"
    switch unexpectedCount {
    case 0: return all + ", expected"
    case count: return all
    case let rest: return all + ", \(rest) of them not expected"
    }
  }

  // MARK: - For programs

  /// Writes the members of the answer.
  func write(to json: inout JSONWriter) {
    json.member("isSameBytes", comparison.isSameBytes)
    json.member("isAsExpected", isAsExpected)
    json.objects("differences", of: zip(comparison.differences, verdict.isExpected)) {
      Self.write($0.0, $0.1, to: &$1)
    }
    json.member("hasFurtherDifferences", comparison.hasFurtherDifferences)
    json.objects("remarks", of: comparison.remarks) { remark, json in
      json.member("kind", remark.kind.rawValue)
      json.member("description", remark.description)
    }
    json.member("missing", verdict.missing.map(\.description))
  }

  private static func write(_ difference: MovieDifference, _ isExpected: Bool, to json: inout JSONWriter) {
    json.member("kind", difference.kind.rawValue)
    json.member("topic", difference.topic.rawValue)
    json.member("track", difference.trackID)
    write(difference.old, "old", to: &json)
    write(difference.new, "new", to: &json)
    json.member("field", difference.values?.field)
    json.member("oldValue", difference.values?.old)
    json.member("newValue", difference.values?.new)
    json.member("followsFrom", difference.followsFromTracks.map { "\($0.rawValue):track" })
    json.member("isExpected", isExpected)
    json.member("description", difference.description)
  }

  private static func write(_ place: MovieDifference.Place?, _ name: String, to json: inout JSONWriter) {
    guard let place else {
      json.memberNull(name)
      return
    }
    json.object(name) { json in
      json.member("path", place.path)
      json.member("offset", place.offset)
      json.member("byteCount", place.byteCount)
    }
  }
}
