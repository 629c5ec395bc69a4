import Subtitles

/// Reads the samples of a chapter track: titles, links or pictures, each with the time at which it is shown.
///
/// Unlike subtitle cues, equal consecutive samples are separate chapters. A sample without text is not a chapter.
struct ChapterTrackReader {
  /// A title, link or picture with its time in the movie.
  struct Entry: Hashable {
    let start: Int64
    /// The end. It equals `start` for a chapter without duration.
    let end: Int64
    /// The text, or an empty string for a picture.
    var text = ""
    /// The URL of the text (`href`).
    var link: String?
    /// The location of the picture.
    var image: ByteRange?

    /// The URL of an entry in a list of links: its link, or its text if the entry has no link and the text is a URL.
    var url: String? { link ?? (text.isURL ? text : nil) }
  }

  struct Contents {
    var entries: [Entry] = []
    var notices: [ChapterList.Notice] = []

    /// Whether every entry has a link or a text that is a URL.
    var isLinkList: Bool { !entries.isEmpty && entries.allSatisfy { $0.url != nil } }

    /// Whether each text equals a text in `titles` that is shown at the same time.
    func repeatsTexts(of titles: Contents) -> Bool {
      let known = Set(titles.entries.map { TimedText(start: $0.start, text: $0.text) })
      return entries.allSatisfy { known.contains(TimedText(start: $0.start, text: $0.text)) }
    }

    private struct TimedText: Hashable {
      let start: Int64
      let text: String
    }
  }

  /// The number of samples and bytes that may still be read from the chapter tracks of a movie. A crafted file of a few
  /// bytes can declare 20 000 samples and edits that repeat them.
  struct Budget {
    var remainingSampleCount = ChapterLimits.sampleCount
    var remainingVisitCount = ChapterLimits.visitCount
    var remainingTextByteCount = ChapterLimits.textByteCount
  }

  let track: Track
  let movie: Movie
  let fragments: MovieFragments?

  /// Reads a text track. Throws `.limit` if the track exceeds the budget.
  func titles(from source: some RandomAccessSource, within budget: inout Budget) throws -> Contents {
    var contents = Contents()
    let decoders = try track.sampleDescriptions.entries.map { entry throws(MovieError) in
      try TextSampleDecoder(entry, of: track)
    }
    let samples = try placedSamples(within: &budget) { decoders[$0] != nil }
    let total = samples.reduce(UInt64(0)) { $0.addingClamped($1.bytes.count) }
    guard total <= budget.remainingTextByteCount else {
      throw MovieError(
        .limit,
        "track \(track.id) has \(total) bytes of titles: the limit for all tracks is "
          + "\(ChapterLimits.textByteCount)")
    }
    budget.remainingTextByteCount -= total
    let payloads = try SampleBatch(samples.map(\.bytes)).read(from: source)
    var texts: [(text: String, link: String?)] = []
    var (damagedCount, first) = (0, "")
    for (sample, bytes) in zip(samples, payloads) {
      let decoded = decoders[sample.description]?.decode(bytes, atMilliseconds: 0)
      if let problem = decoded?.problem {
        if damagedCount == 0 { first = "sample \(sample.index + 1) of track \(track.id): \(problem)" }
        damagedCount += 1
      }
      texts.append((decoded?.shown.first?.text.text ?? "", Self.link(in: bytes)))
    }
    if damagedCount > 0 {
      let others = damagedCount > 1 ? "; \(damagedCount - 1) more of its samples are damaged" : ""
      contents.notices.append(.init("damaged-chapter", trackID: track.id, first + others))
    }
    contents.entries = try shownEntries(samples, within: &budget) { position, start, end in
      let (text, link) = texts[position]
      return text.isEmpty && link == nil ? nil : Entry(start: start, end: end, text: text, link: link)
    }
    return contents
  }

  /// Locates the pictures of a track without reading them.
  func images(within budget: inout Budget) throws(MovieError) -> Contents {
    let samples = try placedSamples(within: &budget) { _ in true }
    return Contents(
      entries: try shownEntries(samples, within: &budget) { Entry(start: $1, end: $2, image: samples[$0].bytes) })
  }

  /// Returns the URL of a text sample (3GPP TS 26.245 "href"). QuickTime samples contain an identical box.
  private static func link(in sample: Bytes) -> String? {
    let boxes = Tx3gSample.reading(damaged: sample).sample.boxes
    guard let href = boxes.first(where: { $0.type == "href" })?.payload,
      let length = href.load(at: 4, as: UInt8.self), length > 0, let url = href.slice(at: 5, count: Int(length))
    else { return nil }
    return String(decoding: url, as: UTF8.self)
  }

  // MARK: - Times

  /// Returns the samples sorted by time.
  private func placedSamples(
    within budget: inout Budget, _ isRead: (Int) -> Bool
  ) throws(MovieError) -> [PlacedSample] {
    let count = track.sampleCount(in: fragments)
    guard count <= ChapterLimits.count + 1 else {  // One extra sample covers the time before the first chapter.
      throw MovieError(.limit, "chapter track \(track.id) has \(count) samples: the limit is \(ChapterLimits.count)")
    }
    guard count <= budget.remainingSampleCount else {
      throw MovieError(
        .limit,
        "chapter track \(track.id) has \(count) samples: the limit for all tracks is \(ChapterLimits.sampleCount)")
    }
    budget.remainingSampleCount -= count
    return try track.placedSamples(in: fragments, isRead: isRead) { sample, bytes throws(MovieError) in
      guard bytes.end <= movie.layout.identity.byteCount else {
        throw MovieError(
          .truncated, "sample \(sample.index + 1) of chapter track \(track.id) is past the end of the file")
      }
    }
  }

  /// Maps the samples to times of the movie through the edit list.
  private func shownEntries(
    _ samples: [PlacedSample], within budget: inout Budget, _ entry: (Int, Int64, Int64) -> Entry?
  ) throws(MovieError) -> [Entry] {
    var entries: [Entry] = []
    let segments = try track.shownSegments(movieTimeScale: movie.header.timeScale)
    let movieEnd = movie.endMilliseconds(fragments) ?? .max
    func visit(
      _ times: [(start: Int64, end: Int64)], _ body: (Int, Range<Int64>) -> Entry?
    ) throws(MovieError) {
      try segments.visit(times, movieEnd: movieEnd) { position, _, shown throws(MovieError) in
        guard budget.remainingVisitCount > 0, entries.count < ChapterLimits.count else {
          throw MovieError(
            .limit,
            "the edits of chapter track \(track.id) show more than \(ChapterLimits.count) chapters or repeat "
              + "them too often")
        }
        budget.remainingVisitCount -= 1
        if let shown, let entry = body(position, shown) { entries.append(entry) }
      }
    }
    // A sample without duration is a chapter too. An edit would never show it, so it is assigned a duration of one
    // tick.
    var unshownIndices = Set(samples.indices.filter { samples[$0].hasNoDuration })
    let times = samples.map { ($0.start, $0.end <= $0.start ? $0.start.addingClamped(1) : $0.end) }
    try visit(times) { position, shown in
      unshownIndices.remove(position)
      let hasNoDuration =
        samples[position].hasNoDuration && (samples[position].end < .max || shown.lowerBound >= movieEnd)
      return entry(position, shown.lowerBound, hasNoDuration ? shown.lowerBound : shown.upperBound)
    }
    guard !unshownIndices.isEmpty else { return entries }
    // Some programs write a sample without a duration at the end of the media. Its chapter begins where the preceding
    // sample ends.
    let last = unshownIndices.sorted()
    try visit(last.map { (samples[$0].start.addingClamped(-1), samples[$0].start) }) { position, shown in
      entry(last[position], shown.upperBound, shown.upperBound)
    }
    return entries.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
  }
}

extension PlacedSample {
  /// Whether the sample has no duration, or no known end.
  fileprivate var hasNoDuration: Bool { end <= start || end == .max }
}

extension String {
  /// Whether the whole text is a URL.
  fileprivate var isURL: Bool {
    guard let colon = firstIndex(of: ":"), !contains(" "), !contains("\n") else { return false }
    let scheme = self[..<colon]
    return scheme.utf8.count >= 3 && scheme.utf8.allSatisfy { Ascii.isLetter($0) }
      && self[colon...].hasPrefix("://") || hasPrefix("mailto:")
  }
}
