import MovieBox
import MovieWriter

/// The report of a command that edits: the changes that it made, or would make.
struct EditReport {
  /// The edited file; `-` is standard output.
  let output: String
  let builder: EditBuilder
  /// The plan.
  let plan: Plan
  /// How far apart was, and will be, what is played at the same time; `nil` where nobody asked for another order.
  let interleaving: Interleaving?
  /// Everything that a person should know, `--json`'s version: each notice on its own.
  let warnings: [Warning]
  /// What the sink did; `nil` when nothing was written.
  var report: SinkReport?
  /// Whether nothing was to be done, and nothing was.
  var isIdle = false
  /// What `validate --fix` leaves to a person; `nil` where nobody asked.
  var remaining: Validation?

  /// The movie as it was named.
  var movie: String { builder.movie }
  /// What a person calls the output.
  var outputName: String { output == "-" ? "standard output" : output }

  /// What is reported of a plan.
  struct Plan {
    /// The whole output.
    let whole: OutputPlan
    let isInPlace: Bool
    /// Why the movie is not edited in place though nobody asked for a new file.
    let reason: String?
    let byteCountToWrite: UInt64
    let generatedByteCount: UInt64
    let unusedByteCount: UInt64
    let removedMediaByteCount: UInt64
    /// Whether the output is fragmented.
    let isFragmented: Bool
    /// What the edit did besides, warnings included.
    let notes: [EditNotice]

    /// The plan that a writer has made.
    init(of writer: MovieFileWriter<some RandomAccessSource>) {
      switch writer.verifiedPlan {
      case .inPlace:
        isInPlace = true
        reason = nil
      case .newFile(let why):
        isInPlace = false
        reason = why
      }
      whole = writer.plan
      byteCountToWrite = writer.byteCountToWrite
      generatedByteCount = writer.generatedByteCount
      unusedByteCount = writer.unusedByteCount
      removedMediaByteCount = writer.removedMediaByteCount
      isFragmented = writer.isFragmented
      notes = writer.notes
    }

    /// A movie that stays as it is.
    init(unchanged edit: MovieEdit) throws(MovieError) {
      let layout = edit.movie.layout
      whole = try OutputPlan(of: layout.identity, [.source(ByteRange(0..<layout.identity.byteCount))])
      isInPlace = true
      reason = nil
      byteCountToWrite = 0
      generatedByteCount = 0
      unusedByteCount = edit.unusedByteCount(in: layout)
      removedMediaByteCount = 0
      isFragmented = edit.movie.isFragmented
      notes = edit.notes
    }

    var outputByteCount: UInt64 { whole.byteCount }

    /// How many of the planned bytes are copied from the movie.
    var copiedByteCount: UInt64 { byteCountToWrite - min(byteCountToWrite, generatedByteCount) }
  }

  /// The interleaving of a movie before and after.
  struct Interleaving {
    let before: InterleavingDistance
    let after: InterleavingDistance
    /// Whether players on a network would wait for what lies far apart though chunks are in order, because they are long.
    let needsSplitting: Bool

    init(_ before: Movie, _ after: Movie, splitsChunks: Bool) {
      self.before = before.interleavingDistance()
      self.after = after.interleavingDistance(afterEditing: before, with: self.before)
      let bearable: UInt64 = 3_000_000  // Microseconds. Chunks of a second and those beside them come to about two.
      needsSplitting = !splitsChunks && self.after.byteCount > 0 && self.after.microseconds > bearable
    }
  }

  /// Whether what nothing uses is worth reporting: tracks were to go and their media stays, or it is more than a tenth
  /// of the file.
  var reportsUnusedBytes: Bool {
    !builder.removed.isEmpty && plan.removedMediaByteCount > 0 || plan.unusedByteCount > plan.outputByteCount / 10
  }

  /// What the edit did besides; nobody has to act on it.
  var notes: [EditNotice] { (plan.notes + builder.notes).filter { !$0.isWarning } }

  /// The notes that the summary does not have: references and removed tracks stand there.
  var notesBesideSummary: [EditNotice] {
    let removed = Set(builder.removed.map(\.track.id) + builder.retimed.map(\.old.id))
    return notes.filter { note in
      note.kind != .association && !(note.kind == .removed && note.trackID.map(removed.contains) ?? false)
    }
  }

  /// The file that a range of the source lies in, as it was named, and where.
  func origin(of range: ByteRange) -> (file: String, offset: UInt64) {
    var start = builder.edit.movie.layout.identity.byteCount
    if range.offset < start { return (movie, range.offset) }
    for other in builder.others {
      if range.offset - start < other.byteCount { return (other.file ?? movie, range.offset - start) }
      start += other.byteCount
    }
    return (movie, range.offset)
  }

  /// The tracks that refer to a track in this way.
  func referrers(_ type: FourCC, to id: UInt32) -> [UInt32] {
    builder.edit.tracks.filter { $0.references[type]?.contains(id) ?? false }.map(\.id)
  }

  /// What only shows when a file has been replaced: nobody could have acted on it before.
  var notesAfterWriting: [String] {
    guard let report else { return [] }
    var lines: [String] = []
    if report.otherHardLinks > 0 {
      lines.append(
        report.otherHardLinks == 1
          ? "another hard link still leads to the old movie"
          : "\(report.otherHardLinks) other hard links still lead to the old movie")
    }
    if !report.lostAttributes.isEmpty {
      lines.append("not carried over from the old file: \(report.lostAttributes.joined(separator: ", "))")
    }
    return lines
  }
}

/// The outcome of an edit for one of many movies. The raw value is the name that `--json` shows.
enum EditOutcome: String, CaseIterable, Sendable {
  case edited
  case unchanged
  /// No subtitle file is named after it.
  case withoutSubtitles = "no-subtitles"
  case failed

  /// The outcome of an edit; one that `--strict` refuses has failed.
  init(_ report: EditReport, isRefused: Bool) {
    self = isRefused ? .failed : report.isIdle ? .unchanged : .edited
  }
}
