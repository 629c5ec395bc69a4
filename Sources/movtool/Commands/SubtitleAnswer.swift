import MovieBox
import MovieWriter

/// What add-subtitle says of what it did, or would do.
struct SubtitleAnswer {
  /// The movie as it was named.
  let movie: String
  /// The file that has the new tracks.
  let output: String
  let work: SubtitleEdit
  /// The plan.
  let plan: Plan
  /// Everything that a person should know, `--json`'s version: each notice on its own.
  let warnings: [Warning]
  /// What the sink did; `nil` when nothing was written.
  var report: SinkReport?

  /// What is told of a plan.
  struct Plan {
    /// What is appended and which bytes change, or the whole new file.
    let extents: [RemuxPlan.Extent]
    let isInPlace: Bool
    /// Why the movie is not edited in place though nobody asked for a new file.
    let reason: String?
    let byteCountToWrite: UInt64
    let generatedByteCount: UInt64
    let deadByteCount: UInt64
    let outputByteCount: UInt64

    /// The plan that a writer has made.
    init(of writer: MovieFileWriter<some RandomAccessSource>) throws(MovieError) {
      switch writer.road {
      case .inPlace(let plan):
        extents = try plan.rendered().extents
        isInPlace = true
        reason = nil
      case .newFile(let plan, let why):
        extents = plan.extents
        isInPlace = false
        reason = why
      }
      byteCountToWrite = writer.byteCountToWrite
      generatedByteCount = writer.generatedByteCount
      deadByteCount = writer.deadByteCount
      outputByteCount = writer.outputByteCount
    }

    /// Whether the free space is worth telling: more than a tenth of the file.
    var hasMuchDeadSpace: Bool { deadByteCount > outputByteCount / 10 }
  }

  // MARK: - Text

  /// The lines for a person: a fact each. `isPlanned` for what would be done.
  func lines(isPlanned: Bool) -> [String] {
    var lines = work.added.map { (isPlanned ? "would add " : "added ") + line(of: $0) }
    lines.append(isPlanned ? plannedRoad : road)
    if plan.hasMuchDeadSpace {
      let share = plan.deadByteCount.scaled(by: 100, over: plan.outputByteCount) ?? 0
      lines.append(
        "\(Quantity.bytes(plan.deadByteCount)) of the \(Quantity.bytes(plan.outputByteCount)) of \(output)"
          + " (\(share) %) \(isPlanned ? "would be" : "are") free space that nothing uses")
    }
    return lines
  }

  /// `English SDH: track 5, 9 cues, group 2, not the default; audio track 2 is followed by it`.
  private func line(of added: SubtitleEdit.Added) -> String {
    guard let track = work.track(added) else { return "track \(added.trackID)" }
    let shown = track.shownCueCount ?? 0
    let cues =
      shown == added.cueCount ? Self.counted(shown, "cue") : "\(shown) of \(Self.counted(added.cueCount, "cue"))"
    var line = "\(track.name): track \(track.id), \(cues), group \(track.alternateGroup), "
    line += track.isEnabled ? "the default" : "not the default"
    for leader in referrers("folw", to: track.id) { line += "; audio track \(leader) is followed by it" }
    for regular in referrers("forc", to: track.id) { line += "; holds the forced subtitles of track \(regular)" }
    for forced in track.references["forc"] ?? [] { line += "; its forced subtitles are in track \(forced)" }
    return line
  }

  private func referrers(_ type: FourCC, to id: UInt32) -> [UInt32] {
    work.edit.tracks.filter { $0.references[type]?.contains(id) ?? false }.map(\.id)
  }

  private var road: String {
    let written = report?.bytesWritten ?? 0
    if plan.isInPlace { return "edited \(output) in place: \(Quantity.exactBytes(written)) written" }
    var bytes = "\(Quantity.exactBytes(plan.outputByteCount)), \(Quantity.bytes(plan.generatedByteCount)) of them new"
    if let cloned = report?.bytesCloned, cloned > 0 { bytes += ", \(Quantity.bytes(cloned)) shared with \(movie)" }
    guard let reason = plan.reason else { return "wrote \(output): \(bytes)" }
    return "wrote \(output) anew, because \(reason): \(bytes)"
  }

  private var plannedRoad: String {
    if plan.isInPlace {
      return "would edit \(output) in place: \(Quantity.exactBytes(plan.byteCountToWrite)) to write"
    }
    let copied = plan.byteCountToWrite - min(plan.byteCountToWrite, plan.generatedByteCount)
    let bytes = "\(Quantity.bytes(plan.generatedByteCount)) new, \(Quantity.bytes(copied)) copied"
    guard let reason = plan.reason else { return "would write \(output): \(bytes)" }
    return "would write \(output) anew, because \(reason): \(bytes)"
  }

  /// What only shows when a file has been replaced: nobody could have acted on it before.
  var afterthoughts: [String] {
    guard let report else { return [] }
    var lines: [String] = []
    if report.otherHardLinks > 0 {
      lines.append(
        report.otherHardLinks == 1
          ? "another name of the movie (a hard link) still stands for the old one"
          : "\(report.otherHardLinks) other names of the movie (hard links) still stand for the old one")
    }
    if !report.lostAttributes.isEmpty {
      lines.append("not carried over from the old file: \(report.lostAttributes.joined(separator: ", "))")
    }
    return lines
  }

  /// The extents of the output, a line each.
  var extentLines: [String] {
    var table = TextTable([.init("offset", .right), .init("bytes", .right), .init("from")])
    for extent in plan.extents {
      table.add([String(extent.offset), String(extent.content.byteCount), words(extent)])
    }
    return table.lines
  }

  private func words(_ extent: RemuxPlan.Extent) -> String {
    switch extent.content {
    case .generated: "new"
    case .zeros: "zeros"
    case .source where plan.isInPlace: "stays"
    case .source(let range): "copied from byte \(range.offset) of \(movie)"
    }
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }
}

// MARK: - JSON

extension SubtitleAnswer {
  /// Writes the members of the answer; `Docs/json.md` has every one.
  func write(to json: inout JSONWriter, isDryRun: Bool) {
    json.member("file", movie)
    json.member("output", output)
    json.member("isDryRun", isDryRun)
    json.member("isWritten", report != nil)
    json.member("road", plan.isInPlace ? "in-place" : "new-file")
    json.member("reason", plan.reason)
    json.member("bytesWritten", report?.bytesWritten ?? 0)
    json.member("bytesGenerated", plan.generatedByteCount)
    json.member("bytesCopied", plan.byteCountToWrite - min(plan.byteCountToWrite, plan.generatedByteCount))
    json.member("bytesCloned", report?.bytesCloned ?? 0)
    json.member("bytesDead", plan.deadByteCount)
    json.member("fileByteCount", plan.outputByteCount)
    writeTracks(to: &json)
    json.array("notes") { json in
      for note in notes {
        json.object { json in
          json.member("code", note.kind.rawValue)
          json.member("track", note.trackID)
          json.member("message", note.message)
        }
      }
      for line in afterthoughts {
        json.object { json in
          json.member("code", "replaced-file")
          json.memberNull("track")
          json.member("message", line)
        }
      }
    }
    json.array("warnings") { json in for warning in warnings { json.object { warning.write(to: &$0) } } }
    guard isDryRun else { return json.memberNull("extents") }
    json.array("extents") { json in
      for extent in plan.extents {
        json.object { json in
          json.member("offset", extent.offset)
          json.member("byteCount", extent.content.byteCount)
          json.member("sourceOffset", extent.sourceRange?.offset)
        }
      }
    }
  }

  /// What the edit did besides; nobody has to act on it.
  var notes: [EditNote] { work.edit.notes.filter { !$0.isWarning } }

  private func writeTracks(to json: inout JSONWriter) {
    json.array("tracks") { json in
      for added in work.added {
        guard let track = work.track(added) else { continue }
        json.object { json in
          json.member("id", track.id)
          json.member("file", added.request.file)
          json.member("language", track.language?.description)
          json.member("languageOrigin", added.request.languageOrigin.rawValue)
          json.member("title", added.request.title)
          json.member("isSDH", track.isSDH)
          json.member("isForcedOnly", track.containsOnlyForcedSubtitles)
          json.member("isDefault", track.isEnabled)
          json.member("alternateGroup", track.alternateGroup)
          json.member("characteristics", track.taggedCharacteristics.map(\.rawValue))
          json.member("cueCount", added.cueCount)
          json.member("shownCueCount", track.shownCueCount)
          Self.write("followedAudioTracks", referrers("folw", to: track.id), to: &json)
          Self.write("regularTracks", referrers("forc", to: track.id), to: &json)
          json.member("forcedTrack", track.references["forc"]?.first)
        }
      }
    }
  }

  private static func write(_ name: String, _ ids: [UInt32], to json: inout JSONWriter) {
    json.array(name) { json in for id in ids { json.value(id) } }
  }
}
