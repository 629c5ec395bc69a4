import MovieBox
import MovieWriter

/// `movtool diff A B`.
struct DiffCommand: Command {
  static let name = "diff"

  static let manual = CommandManual(
    operands: "A B",
    summary: "shows how two movies differ, down to the bytes of samples",
    examples: [
      .init(line: "movtool diff film.mov edited.mov", effect: "shows every difference"),
      .init(
        line: "movtool diff film.mov edited.mov --expect added:track",
        effect: "for scripts: exit code 0 when nothing but one track was added, else 1"),
      .init(
        line: "movtool diff a.mp4 b.mp4 --expect changed:language@2 --allow changed:metadata --json",
        effect: "the language of track 2 must have changed, metadata may have"),
    ],
    options: [
      OptionSpec(
        "expect", value: "KIND:WHAT", isRepeatable: true, "a difference that must be there; counts for nothing"),
      OptionSpec("allow", value: "KIND:WHAT", isRepeatable: true, "a difference that may be there; counts for nothing"),
      .json,
    ],
    notes: [
      "KIND is added, removed or changed. WHAT is track, movie (its header), metadata, language, title,",
      "enabled, group, characteristics, references, edits, header (the rest of a track's headers), format,",
      "samples (tables), bytes (of samples), other; or a path of atoms such as moov/mvhd or",
      "moov/trak[2]/udta, for these and all in them. @ID after it narrows it to a track: changed:group@3.",
      "added:track is one track; give it twice for two. What follows from it (the next track ID,",
      "references to the new track) is expected with it. changed also holds for what was added to",
      "something or removed from it; changed:track is any change inside of tracks.",
      "Tracks are matched by ID and kind, samples by number, wherever they lie; that media lies elsewhere,",
      "and free space, is not a difference. A fragmented movie can be compared with one without fragments.",
    ])

  let files: [String]
  let expected: [MovieComparison.Expectation]
  let allowed: [MovieComparison.Expectation]
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    files = arguments.operands
    guard files.count >= 2 else { throw UsageError(.missingOperand, "which two movies?") }
    guard files.count == 2 else {
      throw UsageError(.unexpectedOperand, "two movies at a time, \(files.count) are named")
    }
    for file in files { try EditOptions.requireFile(file) }
    expected = try Self.expectations(arguments, "expect")
    allowed = try Self.expectations(arguments, "allow")
    isJSON = arguments.contains("json")
  }

  private static func expectations(
    _ arguments: Arguments, _ option: String
  ) throws(UsageError) -> [MovieComparison.Expectation] {
    var found: [MovieComparison.Expectation] = []
    for words in arguments.values(option) {
      do throws(MovieError) {
        found.append(try MovieComparison.Expectation(words))
      } catch {
        throw UsageError(.invalidValue, "--\(option) \(error.reason)")
      }
    }
    return found
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

  /// What a cut-off file lacks, which is no difference to one that lacks the same.
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
