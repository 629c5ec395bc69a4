import MovieBox
import MovieWriter

/// `movtool diff A B`.
struct DiffCommand: Command {
  static let name = "diff"

  static let manual = CommandManual(
    operands: "A B",
    summary: "compare two movies, down to the bytes of samples",
    examples: [
      .init(line: "movtool diff film.mov edited.mov", effect: "show every difference"),
      .init(
        line: "movtool diff film.mov edited.mov --expect added:track",
        effect: "exit with 0 if an added track is the only difference, else 1"),
      .init(
        line: "movtool diff a.mp4 b.mp4 --expect changed:language@2 --allow changed:metadata --json",
        effect: "require a new language of track 2; allow new metadata"),
    ],
    options: [
      OptionSpec(
        "expect", value: "KIND:WHAT", isRepeatable: true, "accept this difference, and require it"),
      OptionSpec("allow", value: "KIND:WHAT", isRepeatable: true, "accept this difference"),
      .json,
    ],
    notes: [
      "KIND is added, removed or changed. WHAT is track, movie (its header), metadata, language, title,",
      "enabled, group, characteristics, references, edits, header (the rest of a track's headers), format,",
      "samples (tables), bytes (of samples), other, or the path of an atom such as moov/trak[2]/udta.",
      "@ID stands for one track: changed:group@3. changed:track is any change in a track.",
      "added:track accepts one new track, the next track ID, and references to the new track. Repeat the",
      "option for each new track.",
      "After movtool remove, the next track ID has changed; --allow changed:movie accepts this.",
      "Tracks are matched by ID and media type, samples by number. Offsets and free space do not count.",
    ])

  let files: [String]
  let expected: [MovieComparison.Expectation]
  let allowed: [MovieComparison.Expectation]
  let isJSON: Bool

  var isReadOnly: Bool { true }

  init(_ arguments: Arguments) throws(UsageError) {
    files = arguments.operands
    guard files.count >= 2 else { throw UsageError(.missingOperand, "which two movies?") }
    guard files.count == 2 else {
      throw UsageError(.unexpectedOperand, "specify two movies, not \(files.count)")
    }
    for file in files { try EditOptions.requireFile(file) }
    expected = try Self.expectations(arguments, "expect")
    allowed = try Self.expectations(arguments, "allow")
    isJSON = arguments.contains("json")
  }

  private static func expectations(
    _ arguments: Arguments, _ option: String
  ) throws(UsageError) -> [MovieComparison.Expectation] {
    var expectations: [MovieComparison.Expectation] = []
    for words in arguments.values(option) {
      do throws(MovieError) {
        expectations.append(try MovieComparison.Expectation(words))
      } catch {
        throw UsageError(.invalidValue, "--\(option) \(error.reason)")
      }
    }
    return expectations
  }

  func run(in context: Context) throws -> ExitCode {
    let comparison = try compare(in: context)
    let warnings = try files.flatMap { file in try missingSamples(of: file, in: context) }
    let verdict = comparison.verdict(expecting: expected, allowing: allowed)
    let report = DifferenceReport(comparison, verdict)
    if isJSON {
      try context.printJSON { json in
        json.member("file", files[0])
        json.member("otherFile", files[1])
        report.write(to: &json)
        json.warnings(warnings)
      }
    } else {
      try context.print(report.lines)
    }
    return report.isAsExpected ? .done : .no
  }

  /// Returns warnings about the missing samples of a cut-off file. If both files lack the same samples, there is no
  /// difference to report.
  private func missingSamples(of file: String, in context: Context) throws -> [Warning] {
    do {
      return try context.movie(at: file, of: context.open(file), asJSON: isJSON).warnings
    } catch {
      throw ToolError(error, about: file)
    }
  }

  private func compare(in context: Context) throws -> MovieComparison {
    let old: any RandomAccessSource
    let new: any RandomAccessSource
    do {
      old = try context.open(files[0])
    } catch {
      throw ToolError(error, about: files[0])
    }
    do {
      new = try context.open(files[1])
    } catch {
      throw ToolError(error, about: files[1])
    }
    do {
      return try MovieComparison(old, new, limits: context.limits.movie, step: context.checkStop)
    } catch let error as MovieComparison.NewMovieError {
      throw ToolError(error.error, about: files[1])
    } catch {
      throw ToolError(error, about: files[0])
    }
  }
}

/// The answer of `diff`: the differences, the remarks, and whether the differences are the expected ones.
struct DifferenceReport {
  private let comparison: MovieComparison
  private let verdict: MovieComparison.Verdict

  init(_ comparison: MovieComparison, _ verdict: MovieComparison.Verdict) {
    self.comparison = comparison
    self.verdict = verdict
  }

  /// Whether every difference is expected and every expected difference was found.
  var isAsExpected: Bool {
    unexpectedCount == 0 && verdict.missing.isEmpty && !comparison.hasFurtherDifferences
  }

  private var unexpectedCount: Int { verdict.isExpected.count { !$0 } }

  // MARK: - For people

  /// The lines of the text output: differences grouped by location, remarks, expected differences that were not found,
  /// and a summary.
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

  /// The non-empty groups: outside of `moov`, in the movie, added and removed tracks, each track.
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
    if count == 0 { return "no differences: atoms, tracks and samples are the same" }
    if comparison.hasFurtherDifferences { return "more than \(MovieComparison.differenceLimit) differences" }
    let all = count == 1 ? "1 difference" : "\(count) differences"
    switch unexpectedCount {
    case 0: return all + ", expected"
    case count: return all
    case let rest: return all + ", \(rest) of them unexpected"
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

  private static func write(_ difference: MovieComparison.Difference, _ isExpected: Bool, to json: inout JSONWriter) {
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

  private static func write(_ place: MovieComparison.Difference.Location?, _ name: String, to json: inout JSONWriter) {
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
