package import MovieBox
package import Subtitles

/// The data of a report with diagrams: the tracks and cues of a movie over time, the atoms of its file, and its bit
/// rate.
///
/// The diagrams have a fixed number of columns, so that the size of the page does not depend on the number of samples.
package struct PageReport: Sendable {
  /// The number of columns of a timeline. All cues within one column are drawn as one bar.
  private static let columnCount = 1_000
  /// The number of steps of the bit rate diagram.
  private static let stepCount = 200

  private struct Row {
    let name: String
    let formats: String
    let sampleCount: Int
    let byteCount: UInt64
    let isText: Bool
    /// Whether the track shows media in each column.
    let isShownInColumn: [Bool]
  }

  private let durationMilliseconds: Int64
  private let rows: [Row]
  /// The size of video and audio in each step of the bit rate diagram.
  private let byteCountsByStep: [UInt64]
  private let atoms: [FileLayout.TopLevelAtom]
  private let fileByteCount: UInt64
  private let findings: [Finding]

  /// Examines a movie. Reads its texts and iterates over all sample tables.
  ///
  /// - Parameter limits: the limits of a text track. The cue limit applies to all texts together.
  package init(
    _ movie: Movie, from source: some RandomAccessSource, limits: SubtitleLimits = SubtitleLimits()
  ) throws {
    let presented = try movie.includingFragments(from: source)
    let fragments = presented.fragments
    let duration = try movie.durationInMovieTicks(readingFragmentsOf: source)
    let milliseconds = duration.scaled(by: 1_000, over: UInt64(max(1, movie.timeScale))).map { Int64(clamping: $0) }
    let length = max(1, milliseconds ?? 1)
    var rows: [Row] = []
    var byteCountsByStep = [UInt64](repeating: 0, count: Self.stepCount)
    // Samples may overlap, so tables can declare more samples than the file has bytes. At most one sample is counted
    // for each byte, so that a hostile file cannot delay the report.
    var countedSamples = Int(clamping: movie.layout.identity.byteCount)
    var limits = limits
    // Computed once for all texts, because it costs a pass over all tracks.
    let end = presented.movie.endMilliseconds(fragments)
    for track in presented.movie.tracks {
      let fragmented = fragments?.track(track.id)
      let row = try Self.row(
        of: track, in: presented.movie, from: source, fragments, endingAt: end, &limits, during: length)
      let isMedia = track.mediaType == .video || track.mediaType == .audio
      let clock = track.clock(movieTimeScale: movie.timeScale)
      let origin = Int64(clamping: fragmented?.ticksBeforeStart ?? 0)
      var byteCount: UInt64 = 0
      func count(_ sample: Sample) {
        let presentationTime = sample.presentationTime.addingClamped(-origin)
        let size = sample.byteRange?.count ?? 0
        byteCount = byteCount.addingClamped(size)
        guard isMedia, track.mediaTimeScale > 0, presentationTime >= track.presentationStartInMediaTicks else {
          return
        }
        let time = clock.microseconds(ofMediaTime: UInt64(max(0, presentationTime)))
        let step = Int128(time) * Int128(Self.stepCount) / (Int128(length) * 1_000)
        if let index = Int(exactly: step), byteCountsByStep.indices.contains(index) {
          byteCountsByStep[index] = byteCountsByStep[index].addingClamped(size)
        }
      }
      let sampleCount = fragmented?.sampleCount ?? track.samples.sampleCount
      if let fragmented {
        for sample in fragmented.samples.prefix(countedSamples) { count(sample) }
      } else {
        for sample in track.samples.samples.prefix(countedSamples) { count(sample) }
      }
      countedSamples -= min(countedSamples, sampleCount)
      rows.append(
        Row(
          name: Self.name(of: track),
          formats: track.formats.map(\.description).joined(separator: ", "),
          sampleCount: sampleCount, byteCount: byteCount,
          isText: row.isText, isShownInColumn: row.isShownInColumn))
    }
    self.rows = rows
    self.byteCountsByStep = byteCountsByStep
    durationMilliseconds = length
    atoms = movie.layout.atoms
    fileByteCount = movie.layout.identity.byteCount
    findings = movie.findings.filter { $0.severity != .note }
  }

  /// Returns the label of a track: `7 subtitle, English, forced`.
  private static func name(of track: Track) -> String {
    let parts =
      ["\(track.id) \(track.mediaType.name)"]
      + (track.mediaType.isLegible ? [track.displayName] : [track.language?.englishName].compactMap(\.self))
      + (track.containsOnlyForcedSubtitles ? ["forced"] : [])
    return parts.joined(separator: ", ")
  }

  /// Returns the columns in which a track shows cues. For a track without cues, returns the columns in which its edits
  /// show media.
  private static func row(
    of track: Track, in movie: Movie, from source: some RandomAccessSource, _ fragments: MovieFragments?,
    endingAt end: Int64?, _ limits: inout SubtitleLimits, during duration: Int64
  ) throws -> (isText: Bool, isShownInColumn: [Bool]) {
    var isShownInColumn = [Bool](repeating: false, count: columnCount)
    func markShown(from start: Int64, to end: Int64) {
      let first = Int(clamping: Int128(max(0, start)) * Int128(columnCount) / Int128(duration))
      let last = Int(clamping: (Int128(max(0, end)) * Int128(columnCount) + Int128(duration) - 1) / Int128(duration))
      guard first < columnCount, first < last else { return }
      for index in first..<min(columnCount, last) { isShownInColumn[index] = true }
    }
    if TextTrackReader.canRead(track) {
      do {
        let text = try TextTrackReader(track, of: movie, fragments: fragments, endingAt: end, limits: limits).read(
          from: source)
        limits.cueCount -= min(limits.cueCount, text.cues.count)
        for cue in text.cues { markShown(from: cue.startMilliseconds, to: cue.endMilliseconds) }
        return (true, isShownInColumn)
      } catch let error as MovieError where error.code != .sourceChanged {
        return (true, isShownInColumn)  // The findings contain the error.
      }
    }
    let scale = UInt64(max(1, movie.timeScale))
    let start = track.presentationStartInMovieTicks.scaled(by: 1_000, over: scale) ?? 0
    let shownEnd = track.presentationEndInMovieTicks(movieTimeScale: movie.timeScale).scaled(by: 1_000, over: scale)
    markShown(from: Int64(clamping: start), to: fragments == nil ? Int64(clamping: shownEnd ?? 0) : duration)
    return (false, isShownInColumn)
  }
}

// MARK: - Pictures

extension PageReport {
  /// Returns the diagrams of movies as HTML, together with text alternatives and tables. Names of tracks and findings
  /// are in English, as in `inspect` and `validate`.
  package static func html(of reports: [(title: String, report: PageReport)], in texts: PageTexts) -> String {
    let parts = reports.map { title, report in
      let heading = reports.count > 1 ? "<h3 dir=\"auto\">" + Markup.escaped(title) + "</h3>" : ""
      return heading + report.timeline(texts) + report.bitRate(texts) + report.layout(texts) + report.findingList(texts)
    }
    return "<section id=\"report\" aria-labelledby=\"report-title\"><h2 id=\"report-title\">"
      + Markup.escaped(texts["report"]) + "</h2>" + parts.joined() + "</section>"
  }

  private static func heading(_ name: String, _ texts: PageTexts) -> String {
    "<h3>" + Markup.escaped(texts["report." + name]) + "</h3>"
  }

  /// Returns a table, scrollable if it is wider than the page. `numbers` are the columns with right-aligned numbers.
  private static func table(
    _ name: String, _ columns: [String], numbers: Set<String>, _ texts: PageTexts, end: String = "", body: String
  ) -> String {
    let head = columns.map { column in
      let text = texts["report." + column].replacing("{end}", with: end)
      return "<th scope=\"col\"" + (numbers.contains(column) ? " class=\"number\"" : "") + ">" + Markup.escaped(text)
        + "</th>"
    }
    return "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"" + Markup.escaped(texts["report." + name])
      + "\"><table><thead><tr>" + head.joined() + "</tr></thead><tbody>" + body + "</tbody></table></div>"
  }

  private func timeline(_ texts: PageTexts) -> String {
    let body = rows.map { row in
      "<tr><th scope=\"row\" dir=\"auto\" lang=\"en\">" + Markup.escaped(row.name) + "</th><td class=\"time\">"
        + "<svg viewBox=\"0 0 \(Self.columnCount) 16\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
        + "<path class=\"\(row.isText ? "text" : "media")\" d=\"" + Self.bars(row.isShownInColumn)
        + "\"/></svg></td><td>"
        + Markup.escaped(row.formats) + "</td><td class=\"number\">\(row.sampleCount)</td><td class=\"number\">"
        + Quantity.bytes(row.byteCount) + "</td></tr>"
    }
    let end = Quantity.duration(UInt64(clamping: durationMilliseconds), timeScale: 1_000) ?? ""
    return Self.heading("tracksInTime", texts)
      + Self.table(
        "tracks", ["track", "span", "format", "samples", "bytes"], numbers: ["samples", "bytes"], texts, end: end,
        body: body.joined())
  }

  /// Returns an SVG path with a bar for each run of columns.
  private static func bars(_ isShownInColumn: [Bool]) -> String {
    var path = ""
    var start: Int?
    for (index, isShown) in (isShownInColumn + [false]).enumerated() {
      if isShown, start == nil { start = index }
      if !isShown, let first = start {
        path += "M\(first) 0H\(index)V16H\(first)z"
        start = nil
      }
    }
    return path
  }

  private func bitRate(_ texts: PageTexts) -> String {
    let seconds = Double(durationMilliseconds) / 1_000 / Double(Self.stepCount)
    let rates = byteCountsByStep.map { Double($0) * 8 / seconds }
    guard let highestRate = rates.max(), highestRate > 0 else { return "" }
    let mean = rates.reduce(0, +) / Double(rates.count)
    var path = "M0 100"
    for (index, rate) in rates.enumerated() {
      let height = Self.tenths(100 - 100 * rate / highestRate)
      path += "V" + height + "H\(index + 1)"
    }
    let words = Markup.escaped(
      texts["report.rates"].replacing("{mean}", with: Self.rate(mean)).replacing(
        "{highest}", with: Self.rate(highestRate)))
    return Self.heading("bitRate", texts)
      + "<svg class=\"rate\" viewBox=\"0 0 \(Self.stepCount) 100\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\""
      + words + "\"><path class=\"media\" d=\"" + path + "V100z\"/></svg><p>" + words + "</p>"
  }

  private static func rate(_ bitsPerSecond: Double) -> String {
    bitsPerSecond < 1e6 ? "\(Int(bitsPerSecond / 1e3)) kbit/s" : tenths(min(bitsPerSecond / 1e6, 1e9)) + " Mbit/s"
  }

  private static func tenths(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  private func layout(_ texts: PageTexts) -> String {
    let size = Double(max(1, fileByteCount))
    var bars = ""
    // Draw and list at most a hundred atoms, because fragmented movies have thousands of atoms.
    for atom in atoms.prefix(100) {
      let start = Self.tenths(1_000 * Double(atom.range.offset) / size)
      let width = Self.tenths(max(2, 1_000 * Double(atom.range.count) / size))
      let kind =
        ["moov", "mdat", "free", "skip", "moof"].contains(atom.type.description) ? atom.type.description : "other"
      bars += "<rect class=\"\(kind)\" x=\"\(start)\" y=\"0\" width=\"\(width)\" height=\"24\"/>"
    }
    let lines = atoms.prefix(100).map { atom in
      "<tr><th scope=\"row\">" + Markup.escaped(atom.type.description)
        + "</th><td class=\"number\">\(atom.range.offset)</td>"
        + "<td class=\"number\">" + Quantity.bytes(atom.range.count) + "</td></tr>"
    }
    let moreAtoms = texts["report.more"].replacing("{count}", with: "\(atoms.count - 100)")
    return Self.heading("layout", texts)
      + "<svg class=\"layout\" viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\""
      + Markup.escaped(texts["report.layoutLabel"]) + "\">" + bars + "</svg>"
      + Self.table(
        "atoms", ["atom", "start", "size"], numbers: ["start", "size"], texts, body: lines.joined())
      + (atoms.count > 100 ? "<p>" + Markup.escaped(moreAtoms) + "</p>" : "")
  }

  private func findingList(_ texts: PageTexts) -> String {
    let lines = findings.prefix(100).map { "<li dir=\"auto\">" + Markup.escaped($0.description) + "</li>" }
    return Self.heading("findings", texts)
      + (lines.isEmpty
        ? "<p>" + Markup.escaped(texts["report.none"]) + "</p>" : "<ul lang=\"en\">" + lines.joined() + "</ul>")
  }
}
