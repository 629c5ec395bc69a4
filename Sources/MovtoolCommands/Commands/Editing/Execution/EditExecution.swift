import MovieBox
import MovieWriter
import Subtitles

/// The execution of an editing command: checks the output, prepares the edit, plans, warns, writes, and reports.
///
/// All editing commands use this type, so they handle dry runs, `--strict`, signals and errors in the same way.
/// Warnings are printed before the movie is written. If the report cannot be printed after the movie was written, the
/// command still succeeds.
struct EditExecution {
  /// The name of the command.
  let command: String
  /// The path of the movie as the user wrote it.
  let movie: String
  let options: EditOptions
  /// Whether the command always writes a new file.
  var requiresNewFile = false
  /// The input files other than the movie.
  var otherInputs: [String] = []
  var layout = OutputLayout()
  /// Whether to write nothing if the edit changes neither tracks nor metadata.
  var skipsIfUnchanged = false
  /// The target for the rule check of the edited movie, or `nil` for no check.
  var ruleTarget: Rule.Target?
  /// Whether notes among the remaining findings are shown in detail.
  var isVerbose = false

  /// The result of an execution.
  struct Outcome {
    let report: EditReport
    /// Whether nothing was written because of warnings and `--strict`.
    let isRefused: Bool

    var exitCode: ExitCode { isRefused ? .no : .done }
  }

  /// Opens the movie, applies the changes of `change`, and writes the result. Returns the exit code.
  func edit(
    in context: Context, _ change: (inout EditBuilder, any RandomAccessSource) throws -> Void
  ) throws -> ExitCode {
    try carryOut(in: context) { source in
      var builder = try EditBuilder(movie, source, options, in: context)
      try change(&builder, source)
      return builder
    }
  }

  /// Writes the edit that `prepare` returns. Returns the exit code.
  func carryOut(in context: Context, _ prepare: (any RandomAccessSource) throws -> EditBuilder) throws -> ExitCode {
    try carryOut(warnings: [], in: context, prepare).exitCode
  }

  /// Writes the edit that `prepare` returns. `commandLineWarnings` are warnings about the command line, not about
  /// files.
  func carryOut(
    warnings commandLineWarnings: [Warning], in context: Context,
    _ prepare: (any RandomAccessSource) throws -> EditBuilder
  ) throws -> Outcome {
    do {
      if let step = context.step, step.movie != movie {
        throw UsageError(.conflict, "the command names \(movie), but this edit is of \(step.movie)")
      }
      try checkUpload(context)
      try checkOutput(context)
      let source = try context.open(movie)
      let builder = try prepare(source)
      try requireWholeMovie(builder.edit, in: context)
      // Warnings about the command line are printed after the edit is prepared, because an error in the preparation
      // matters more than a warning.
      if !options.isJSON { for warning in commandLineWarnings { try context.warn(warning) } }
      try requireOutputDiffers(from: builder.otherFiles, context)
      try context.checkStop()
      return try write(builder, commandLineWarnings, context)
    } catch var error as UsageError {
      error.command = command  // For example, a selector that matches no track of this movie.
      throw error
    }
  }

  /// Throws if the output is also an input or already exists, or if a movie would be written to a terminal.
  private func checkOutput(_ context: Context) throws {
    if options.target == .input, context.namedInputs.contains(movie) {
      throw UsageError(.notSupported, "\(movie) is not a file and cannot be edited in place; add -o")
    }
    if options.target == .standardOutput, !options.isDryRun {
      guard context.standardOutput.terminalWidth == nil else {
        throw UsageError(.conflict, "-o - would write the movie to a terminal; redirect the output, or specify a file")
      }
    }
    try requireOutputDiffers(from: [movie] + otherInputs, context)
    try options.checkOutputType(of: movie)
    guard case .newFile(let path, let mayOverwrite, _) = options.target else { return }
    try NewFileSink(path: path, existing: mayOverwrite ? .replace : .keep, synchronizes: false).checkName()
  }

  /// Throws if the edit would replace a cut-off movie. The file may be the only copy of a recording.
  private func requireWholeMovie(_ edit: MovieEdit, in context: Context) throws {
    guard options.target == .input, !edit.missingSamples.isEmpty else { return }
    let missingSamples = edit.missingSamples.map(\.description).joined(separator: "; ")
    throw ToolError(
      .badData, code: "cut-off", file: movie,
      "the recording is cut off, and this file may be the only copy: \(missingSamples); write the edited movie to a new file",
      hint: "try: " + suggestedCommandLine(context))
  }

  /// Returns a command that writes the movie to a new file: the user's command line with `-o`. If that command line
  /// edits several movies or contains `--append`, returns `remux --salvage` for this movie.
  private func suggestedCommandLine(_ context: Context) -> String {
    let path = FilePath(movie)
    let name = path.withoutExtension
    let output = ShellWord.path(name + "-salvaged" + movie.dropFirst(name.count))
    let words = context.words
    guard words.count > 1, context.record == nil, !words.contains("--append") else {
      return "movtool remux \(ShellWord.path(movie)) -o \(output) --salvage"
    }
    // Insert `-o` directly after the command's name, because after `--` it would be an operand.
    return (["movtool", words[0], "-o", output] + words.dropFirst().map(ShellWord.quoted)).joined(separator: " ")
  }

  /// Throws if an input is also the output. The output is a new file, or the file to which standard output is
  /// redirected (`-o - >> media.raw`).
  private func requireOutputDiffers(from inputs: [String], _ context: Context) throws {
    switch options.target {
    case .input: break
    case .newFile(let path, _, _):
      for input in inputs where path == input || context.isSameFile(path, input) {
        let advice = input == movie && !requiresNewFile ? "; to edit the movie itself, omit -o" : ""
        throw UsageError(.conflict, "-o \(path) is the input \(input)\(advice)")
      }
    case .standardOutput:
      guard !options.isDryRun else { return }
      for input in inputs where context.isSameFile(input, "/dev/stdout") {
        throw UsageError(.conflict, "standard output is the input \(input)")
      }
    }
  }

  private func write(
    _ builder: EditBuilder, _ commandLineWarnings: [Warning], _ context: Context
  ) throws -> Outcome {
    if skipsIfUnchanged, options.target == .input, !builder.edit.changesTracks, !builder.edit.changesMetadata {
      return try reportUnchanged(builder, commandLineWarnings, context)
    }
    var report: EditReport
    let isRefused: Bool
    do {
      var layout = layout
      layout.paddingByteCount = options.padding
      if options.upload.usesStoreLayout { (layout.interleaving, layout.omitsSpaceLeftByEdits) = (.none, true) }
      // The movie atom is written first, because the reader of a pipe cannot seek to the end. Fragmented movies need no
      // reordering.
      if options.target == .standardOutput, context.step == nil, !builder.edit.wasFragmented {
        layout.isFastStart = true
      }
      let writer = try MovieFileWriter(
        builder.edit, to: output(context), layout,
        movieAtom: options.appends ? .afterMedia : .keepingFastStart)
      var builder = builder
      if let note = lostFastStartNote(builder.edit.movie, writer.verifiedPlan) { builder.notes.append(note) }
      if options.keepsStart, !builder.edit.wasFragmented, builder.edit.movie.commonDelay() == nil {
        builder.notes.append(
          EditNotice(.nothingToDo, "--keep-start has no effect: \(movie) has no fragments"))
      }
      if let note = ineffectivePaddingNote(writer) { builder.notes.append(note) }
      if let note = options.keptTypeNote(for: builder.edit.movie, named: movie) { builder.notes.append(note) }
      if let warning = unusedAppendWarning(writer.verifiedPlan) { builder.warnings.append(warning) }
      if let warning = options.typeWarning(for: builder.edit.movie, named: movie) { builder.warnings.append(warning) }
      let editWarnings = builder.warnings + builder.warnings(of: writer.notices)
      report = EditReport(
        output: outputPath, builder: builder, plan: .init(of: writer),
        interleaving: layout.interleaving == .all
          ? .init(builder.edit.movie, writer.plannedMovie, splitsChunks: layout.splitsChunks) : nil,
        warnings: commandLineWarnings + editWarnings + builder.addedSubtitles.flatMap(Self.warnings)
          + builder.retimed.flatMap { Self.warnings(of: $0.notices.map(\.withScaleOption), movie, trackID: $0.trackID) }
      )
      try context.checkStop()  // Planning a large movie takes long enough to be interrupted.
      if !options.isJSON { try printNotices(editWarnings, report, context) }
      isRefused = options.isStrict && !report.warnings.isEmpty
      report.parts = try parts(of: report, mayWrite: !isRefused, context)
      if !isRefused, let step = context.step {
        step.result = (builder.edit, PlannedSource(writer.plan, of: try builder.edit.joinedSource()))
      }
      if let target = ruleTarget { report.remainingFindings = try remainingFindings(after: writer, for: target) }
      if !options.isDryRun, !isRefused {
        do {
          report.sinkReport = try write(writer, context)
        } catch let error as FileError where error.isOutOfSpace {
          throw diskFullError(error, writer, builder.edit)
        } catch let error as FileError where error.code == .cannotCreate && options.target == .input {
          throw newFileError(error, writer, builder.edit)
        }
      }
    } catch let error as StreamError {
      throw error  // A stream caused the error, not the movie.
    } catch is Interruption where options.target != .standardOutput {
      let outcome = options.target == .input ? "the movie is unchanged" : "\(outputPath) is not written"
      throw ToolError(.interrupted, code: "interrupted", file: movie, "interrupted; \(outcome)")
    } catch {
      var error = ToolError(error, about: movie)
      if error.hint == nil { error.hint = Self.advice(onRefusalOf: builder.edit) }
      throw error
    }
    do {
      try show(report, isRefused: isRefused, in: context)
    } catch {
      guard report.sinkReport != nil, context.record == nil else { throw error }
      Self.warnOfUnprintedReport(report, error, context)
    }
    return Outcome(report: report, isRefused: isRefused)
  }

  /// Reports that the edit changes nothing. The edit is not planned.
  private func reportUnchanged(_ builder: EditBuilder, _ commandLineWarnings: [Warning], _ context: Context) throws
    -> Outcome
  {
    let plan: EditReport.Plan
    do {
      plan = try EditReport.Plan(unchanged: builder.edit)
    } catch {
      throw ToolError(error, about: movie)
    }
    let editWarnings = builder.warnings + builder.warnings(of: plan.notes)
    var report = EditReport(
      output: outputPath, builder: builder, plan: plan, interleaving: nil,
      warnings: commandLineWarnings + editWarnings)
    report.changesNothing = true
    if let target = ruleTarget {
      report.remainingFindings = Validation(of: movie, for: target, canFix: false, isVerbose: isVerbose, in: context)
    }
    if !options.isJSON { try printNotices(editWarnings, report, context) }
    let isRefused = options.isStrict && !report.warnings.isEmpty
    report.parts = try parts(of: report, mayWrite: !isRefused, context)
    try show(report, isRefused: isRefused, in: context)
    return Outcome(report: report, isRefused: isRefused)
  }

  /// Returns the findings that the planned movie still has.
  private func remainingFindings(
    after writer: MovieFileWriter, for target: Rule.Target
  ) throws -> Validation {
    let name = options.target == .standardOutput ? nil : outputPath
    return Validation(of: outputPath, try writer.plannedFindings(for: target, fileName: name), isVerbose: isVerbose)
  }

  private func write(_ writer: MovieFileWriter, _ context: Context) throws -> SinkReport {
    let progress = Progress(options.progress, in: context)
    defer { progress.finish() }
    // While a temporary file exists, a second signal must not end the process. So signals are deferred before the last
    // check. Output to a stream needs no temporary file, and a signal must be able to end it, because its reader may
    // block forever.
    let leavesFiles = options.target != .standardOutput
    if leavesFiles { context.deferStops(true) }
    defer { if leavesFiles { context.deferStops(false) } }
    try context.checkStop()
    return try writer.write { done, planned in
      try context.checkStop()
      progress.update(done, of: planned)
    }
  }

  /// Returns the error for a full disk. Its hint advises to edit in place if that is possible.
  private func diskFullError(_ error: FileError, _ failedWriter: MovieFileWriter, _ edit: MovieEdit) -> ToolError {
    var toolError = ToolError(error)
    toolError.hint = "write the movie to another disk with -o FILE"
    guard let byteCount = byteCountToAppend(insteadOf: failedWriter, for: edit) else { return toolError }
    let option = if case .input = options.target { "--append" } else { "--append, without -o," }
    toolError.hint = "\(option) edits the movie in place, which needs \(Quantity.bytes(byteCount))"
    return toolError
  }

  /// Returns the error for a folder in which no file can be created. A rewrite needs a new file in the movie's folder.
  private func newFileError(_ error: FileError, _ failedWriter: MovieFileWriter, _ edit: MovieEdit) -> ToolError {
    guard case .newFile = failedWriter.strategy else { return ToolError(error) }
    let folder = FilePath(movie).folder
    var toolError = ToolError(
      .cannotCreate, code: error.code.rawValue, file: movie,
      "the movie cannot be rewritten, because no file can be created in its folder, \(folder): \(error.reason)",
      hint: "-o FILE writes the movie to another folder")
    guard byteCountToAppend(insteadOf: failedWriter, for: edit) != nil else { return toolError }
    toolError.hint = "--append edits the movie in place; -o FILE writes it to another folder"
    return toolError
  }

  /// After a new file could not be written, returns the number of bytes that an edit in place with `--append` would
  /// write. Returns `nil` if the movie cannot be edited in place.
  private func byteCountToAppend(insteadOf failedWriter: MovieFileWriter, for edit: MovieEdit) -> UInt64? {
    guard !requiresNewFile, case .newFile = failedWriter.strategy else { return nil }
    do {
      let appendingWriter = try MovieFileWriter(edit, to: .sourceFile(movie), layout, movieAtom: .afterMedia)
      guard case .inPlace = appendingWriter.strategy else { return nil }
      return appendingWriter.byteCountToWrite
    } catch {
      return nil  // The first error is reported.
    }
  }

  private var outputPath: String {
    switch options.target {
    case .input: movie
    case .newFile(let path, _, _): path
    case .standardOutput: "-"
    }
  }

  private func output(_ context: Context) -> MovieFileWriter.Output {
    switch options.target {
    case .input: .sourceFile(movie)
    case .newFile(let path, let mayOverwrite, let waitsForDisk):
      .newFile(path, overwrites: mayOverwrite, synchronizes: waitsForDisk)
    case .standardOutput: .stream(StreamSink { [output = context.standardOutput] block in try output.write(block) })
    }
  }
}
