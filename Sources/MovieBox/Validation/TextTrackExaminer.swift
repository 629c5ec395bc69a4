import Subtitles

/// An examiner of a text track's samples. It collects oddities. An oddity is a breach of a rule about samples.
///
/// All rules about samples share one pass over the samples. For each oddity, the examiner records only the first sample
/// and the number of samples, so a damaged track causes one finding per rule.
protocol SampleExaminer {
  var track: Track { get }
  var oddities: SampleOddities { get set }
  /// Whether the budget was exhausted before the last sample.
  var hasExhaustedBudget: Bool { get set }

  mutating func examine(_ payload: Bytes, of sample: Sample)
  /// Returns the oddities that concern all samples of the track. Called after the last sample has been examined.
  func trackOddities() -> [(oddity: TextExamination.Oddity, reason: String)]
}

/// The oddities of samples, each with its first sample and the number of samples.
struct SampleOddities {
  private struct Occurrences {
    let description: String
    var count: Int
  }

  private var occurrences: [TextExamination.Oddity: Occurrences] = [:]

  mutating func note(
    _ oddity: TextExamination.Oddity, _ sample: Sample, _ description: @autoclosure () -> String
  ) {
    guard occurrences[oddity] == nil else {
      occurrences[oddity]?.count += 1
      return
    }
    let offset = sample.byteRange.map { " at byte \($0.offset)" } ?? ""
    occurrences[oddity] = Occurrences(description: "sample \(sample.index + 1)\(offset): \(description())", count: 1)
  }

  /// The oddities. Each description is one sentence.
  var reasons: [(oddity: TextExamination.Oddity, reason: String)] {
    occurrences.map { oddity, position in
      (oddity: oddity, reason: position.description + (position.count > 1 ? ", and \(position.count - 1) more" : ""))
    }
  }
}

extension SampleExaminer {
  /// Reads the samples within the file, in windows, until `budget` is exhausted.
  mutating func read(
    _ samples: some Sequence<Sample>, of source: some RandomAccessSource, fileEnd: UInt64,
    _ budget: inout TextExamination.Budget
  ) throws {
    let areExternal = track.hasExternalMedia
    guard !areExternal else { return }
    var window = ByteRange(0..<0)
    var bytes = Bytes()
    for sample in samples {
      // Samples outside the file reduce the budget too, because a few bytes can declare billions of them.
      guard budget.spend(Swift.max(1, sample.byteRange?.count ?? 0)) else {
        hasExhaustedBudget = true
        return
      }
      guard let range = sample.byteRange, range.end <= fileEnd else { continue }
      if !window.contains(range) {
        // Read at least 4 KiB at once, so adjacent subtitles share one read. Don't read more, because subtitles may
        // also be scattered between the pictures.
        let end = Swift.min(fileEnd, range.offset + Swift.max(range.count, Self.windowByteCount))
        window = ByteRange(range.offset..<end)
        bytes = try source.readExactly(window)
      }
      guard let start = Int(exactly: range.offset - window.offset), let count = Int(exactly: range.count),
        let payload = bytes.slice(at: start, count: count)
      else { continue }
      examine(payload, of: sample)
    }
  }

  private static var windowByteCount: UInt64 { 4096 }

  /// The oddities of the track, each with its reason.
  var reasons: [(oddity: TextExamination.Oddity, reason: String)] {
    guard hasExhaustedBudget else { return oddities.reasons + trackOddities() }
    return oddities.reasons + [(.unread, "track \(track.id) has more samples than are examined")]
  }
}

struct TextTrackExaminer: SampleExaminer {
  private typealias Oddity = TextExamination.Oddity

  let track: Track
  var oddities = SampleOddities()
  var hasExhaustedBudget = false
  private let flags: Tx3gDisplayFlags
  private var boxCount = 0
  private var forcedCount = 0
  private var textCount = 0

  init(_ track: Track, _ description: Tx3gDescription) {
    self.track = track
    flags = description.displayFlags
  }

  func trackOddities() -> [(oddity: TextExamination.Oddity, reason: String)] {
    var reasons: [(oddity: TextExamination.Oddity, reason: String)] = []
    guard textCount > 0 else { return reasons }
    if boxCount == 0, flags.contains(.verticalPlacement) {
      reasons.append((.flagWithoutBox, "has the flag 0x20000000, but no sample has a text box (tbox)"))
    }
    if forcedCount == 0, flags.intersection(.forcedOnly) == .someSamplesForced {
      reasons.append((.flagWithoutForced, "has the flag 0x40000000, but no sample is forced (frcd)"))
    }
    return reasons
  }

  private mutating func note(_ oddity: Oddity, _ sample: Sample, _ description: @autoclosure () -> String) {
    oddities.note(oddity, sample, description())
  }

  mutating func examine(_ payload: Bytes, of sample: Sample) {
    let text: Tx3gSample
    do throws(MovieError) {
      text = try Tx3gSample(payload: payload)
    } catch {
      note(.unreadable, sample, error.reason)
      return
    }
    examineBoxes(of: text, sample)
    guard !text.isEmpty else { return }
    textCount += 1
    let string = text.string
    if string.unicodeScalars.last == "\n" { note(.trailingNewline, sample, "the text ends in a line break") }
    if UTF16ByteOrder(markOf: text.text) == nil, Array(string.utf8) != text.text.array {
      note(.encoding, sample, "the text is not valid UTF-8")
    }
    if sample.duration == 0 { note(.noDuration, sample, "has a text, but its duration is 0 ticks") }
    examineStyles(of: text, string, sample)
  }

  private mutating func examineBoxes(of text: Tx3gSample, _ sample: Sample) {
    if text.isForced {
      forcedCount += 1
      if !flags.contains(.someSamplesForced) {
        note(.forcedWithoutFlag, sample, "is forced (frcd), but 0x40000000 is not set")
      }
    }
    guard let box = text.textBox else { return }
    boxCount += 1
    if !flags.contains(.verticalPlacement) {
      note(.boxWithoutFlag, sample, "has a text box (tbox), but 0x20000000 is not set")
    }
    let (width, height) = (Int64(track.header.width >> 16), Int64(track.header.height >> 16))
    if box.left != 0 || Int64(box.right) != width || box.top < 0 || Int64(box.bottom) > height || box.top >= box.bottom
    {
      note(
        .boxPosition, sample,
        "the text box has top \(box.top), left \(box.left), bottom \(box.bottom), right \(box.right) on a track of \(width) × \(height)"
      )
    }
  }

  private mutating func examineStyles(of text: Tx3gSample, _ string: String, _ sample: Sample) {
    let records = text.styleRecords
    guard !records.isEmpty else { return }
    // Accept offsets up to the number of UTF-16 units. Offsets should count code points, but half of the writers count
    // UTF-16 units. A text never has fewer UTF-16 units than code points.
    let length = string.utf16.count
    var end = 0
    for record in records {
      if Int(record.start) < end || record.end < record.start || Int(record.end) > length {
        note(
          .styleRuns, sample,
          "a style record for characters \(record.start) to \(record.end) begins before the end of the previous "
            + "record, \(end), or "
            + "extends past the end of the text, \(length)")
        break
      }
      end = Int(record.end)
    }
    if let record = records.first(where: { $0.fontSize == 0 || $0.color.alpha == 0 }) {
      note(.invisibleStyle, sample, record.fontSize == 0 ? "a style has the size 0" : "a style is transparent")
    }
  }
}

/// The results of one pass over a movie's subtitle samples, shared by all text rules.
struct TextExamination {
  /// An oddity of a sample or a track. The raw values are rule IDs.
  enum Oddity: String, CaseIterable {
    case unreadable = "text.unreadable"
    case encoding = "text.encoding"
    case trailingNewline = "text.trailing-newline"
    case styleRuns = "text.style-runs"
    case invisibleStyle = "text.invisible-style"
    case boxWithoutFlag = "text.box-without-flag"
    case flagWithoutBox = "text.flag-without-box"
    case boxPosition = "text.box-place"
    case forcedWithoutFlag = "text.forced-without-flag"
    case flagWithoutForced = "text.flag-without-forced"
    case noDuration = "text.no-duration"
    case unreadableCaptions = "caption.unreadable"
    case shortCaptionSample = "caption.short-sample"
    case captionParity = "caption.parity"
    case unknownMetadataID = "timed.unknown-id"
    case overlongMetadataItem = "timed.item-past-sample"
    case emptyMetadataSample = "timed.empty-sample"
    case unread = "text.unread"
  }

  /// An error for each oddity of each track, with the first sample and the number of samples.
  private(set) var oddities: [Oddity: [MovieError]] = [:]

  /// Reads the subtitles of a movie and its fragments up to the movie's limits. Throws the errors of the source.
  init(of movie: Movie, _ fragments: MovieFragments?, in source: some RandomAccessSource) throws {
    var budget = Budget(
      remainingByteCount: movie.limits.textByteCount, remainingSampleCount: movie.limits.textSampleCount)
    let fileEnd = movie.layout.identity.byteCount
    let limit = movie.limits.defectCount
    var unread: (first: Track, count: Int)?
    for (position, track) in movie.tracks.enumerated() {
      guard track.mediaType.isLegible || track.mediaType == .metadata, !movie.chapterTrackIDs.contains(track.id),
        let examiner = Self.examiner(of: track)
      else { continue }
      guard oddities.values.allSatisfy({ $0.count < limit }) else {
        unread = (unread?.first ?? track, (unread?.count ?? 0) + 1)
        continue
      }
      func read(_ examiner: some SampleExaminer) throws -> [(oddity: Oddity, reason: String)] {
        var examiner = examiner
        if let fragments, fragments.tracks.indices.contains(position) {
          try examiner.read(fragments.tracks[position].samples, of: source, fileEnd: fileEnd, &budget)
        } else {
          try examiner.read(track.samples.samples, of: source, fileEnd: fileEnd, &budget)
        }
        return examiner.reasons
      }
      for (oddity, reason) in try read(examiner) { add(oddity, track, of: movie, reason) }
    }
    if let unread {
      add(
        .unread, unread.first, of: movie,
        "\(unread.count) tracks are skipped: one rule has \(limit) findings "
          + "already")
    }
  }

  /// Returns the examiner of a track, or `nil` for tracks of other formats.
  private static func examiner(of track: Track) -> (any SampleExaminer)? {
    if let description = track.tx3gDescriptions.first { return TextTrackExaminer(track, description) }
    return CaptionTrackExaminer(track) ?? TimedMetadataExaminer(track)
  }

  private mutating func add(_ oddity: Oddity, _ track: Track, of movie: Movie, _ reason: String) {
    let error = movie.tree.error(.malformed, at: track.atom, reason)
    oddities[oddity, default: []].append(error)
  }

  /// The numbers of bytes and samples that may still be read.
  struct Budget {
    var remainingByteCount: UInt64
    var remainingSampleCount: Int

    /// Reduces the budget by one sample. Returns `false` if the budget is exhausted.
    mutating func spend(_ byteCount: UInt64) -> Bool {
      guard byteCount <= remainingByteCount, remainingSampleCount > 0 else { return false }
      remainingByteCount -= byteCount
      remainingSampleCount -= 1
      return true
    }
  }
}
