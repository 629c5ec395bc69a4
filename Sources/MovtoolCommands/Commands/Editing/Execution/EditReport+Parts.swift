import MovieBox
import MovieStreaming
import MovieWriter

// The plan of the output: its source, its extents, and the parts of an upload.

extension EditReport {
  /// The parts of an upload.
  struct Parts {
    let parts: [OutputPlan.Part]
    /// The files that contain the parts to send, by index of the part.
    var files: [Int: String] = [:]
  }

  /// Writes the members that describe the plan.
  func writePlan(to json: inout JSONWriter, isDryRun: Bool) {
    guard isDryRun else {
      for name in ["source", "extents", "parts"] { json.memberNull(name) }
      return
    }
    json.object("source") { json in
      json.member("byteCount", plan.outputPlan.source.primary.byteCount)
      json.member("tag", plan.outputPlan.source.primary.tag)
    }
    json.objects("extents", of: plan.outputPlan.extents) { write($0.range, from: $0.sourceRange, to: &$1) }
    guard let parts else { return json.memberNull("parts") }
    json.objects("parts", of: parts.parts.indices) { index, json in
      let part = parts.parts[index]
      if case .copied(let source) = part.origin {
        write(part.range, from: source, to: &json)
      } else {
        write(part.range, from: nil, to: &json)
      }
      json.member("file", parts.files[index])
    }
  }

  /// Writes an extent of the output. `source` is the range from which its bytes are copied, or `nil` for new bytes.
  private func write(_ range: ByteRange, from source: ByteRange?, to json: inout JSONWriter) {
    json.member("offset", range.offset)
    json.member("byteCount", range.count)
    let origin = source.map(origin)
    json.member("sourceFile", origin?.file)
    json.member("sourceOffset", origin?.offset)
  }
}

extension EditExecution {
  /// Returns the parts of a dry run. Returns `nil` for other runs, and for a movie that is too large for the default
  /// sizes. If the user requested files and `mayWrite` is true, also writes each part that must be sent into a file.
  func parts(of report: EditReport, mayWrite: Bool, _ context: Context) throws -> EditReport.Parts? {
    guard options.isDryRun, options.isJSON else { return nil }
    let plan = report.plan.outputPlan
    let parts: [OutputPlan.Part]
    do {
      parts = try plan.parts(options.upload.sizes ?? .s3)
    } catch {
      guard options.upload.sizes != nil || options.upload.folder != nil else { return nil }
      var error = ToolError(error, about: movie)
      error.hint = "raise --part-count, or the second size of --part-size"
      throw error
    }
    var result = EditReport.Parts(parts: parts)
    guard mayWrite, let folder = options.upload.folder else { return result }
    let source = try report.builder.edit.joinedSource()
    let (path, names) = try OutputFolder.create(folder)
    // A folder with parts of another plan is rejected. Otherwise, a program that uploads the folder could send old
    // parts.
    guard names?.contains(where: { $0.hasPrefix("part-") }) != true else {
      throw ToolError(
        .cannotCreate, code: FileError.Code.exists.rawValue, file: path,
        "the folder contains part files of an earlier plan; specify an empty or new folder")
    }
    var paths: [String] = []
    do {
      for (index, part) in parts.enumerated() where part.origin == .sent {
        let file = "\(path == "/" ? "" : path)/part-\(index + 1)"
        try NewFileSink(path: file, existing: .keep, synchronizes: false)
          .carryOut(plan.plan(of: part), from: source) { _, _ in try context.checkStop() }
        paths.append(file)
        result.files[index] = file
      }
    } catch {
      OutputFolder.remove(paths, folder: names == nil ? path : nil)
      throw error
    }
    return result
  }

  /// Throws if options for uploads contradict other options.
  func checkUpload(_ context: Context) throws(UsageError) {
    if options.upload.usesStoreLayout, layout.interleaving == .all {
      throw UsageError(
        .conflict, "--layout store keeps new samples together, but --interleave does not; use one option"
      )
    }
    guard let folder = options.upload.folder else { return }
    guard context.record == nil else { throw UsageError(.conflict, "--parts-to accepts only one movie") }
    if case .newFile(folder, _, _) = options.target {
      throw UsageError(.conflict, "--parts-to and -o specify the same path: \(folder)")
    }
  }
}
