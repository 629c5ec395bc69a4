package import Subtitles

/// Encodes cues as `wvtt` samples (ISO/IEC 14496-30, clause 7).
///
/// A sample covers the time between two changes and contains a box for each shown cue. Overlapping cues thus remain
/// separate cues.
package struct WebVTTEncoder {
  private let times: CueTimes
  private let source: WebVTTSource?
  /// For each span, the boxes that are equal in all its samples: `iden`, `sttg` and `payl`.
  private var boxes: [(identity: [UInt8], body: [UInt8])] = []
  private var samples: [EncodedSample] = []
  /// The number of samples that show each span.
  private var sampleCounts: [Int]
  /// For each span, whether a span with equal boxes directly precedes or follows it.
  private var hasEqualNeighbor: [Bool]
  private var byteCount = 0

  private struct EncodedSample {
    let start: UInt64
    let end: UInt64
    /// The indices of the spans, ordered by start.
    let shownIndices: [Int]
  }

  private var cues: [Cue] { times.cues }

  /// Encodes cues. If the source contains an equal number of cues, their text and settings are kept. Otherwise, text
  /// and settings are generated from the styled texts and placements.
  ///
  /// Throws the errors of ``CueTimeline``. Apart from sorting, the running time is proportional to the output.
  package static func encode(
    _ times: CueTimes, _ source: WebVTTSource?, geometry: SubtitleGeometry
  ) throws(SubtitleError) -> (media: SubtitleMedia, shownCueCount: Int) {
    var encoder = WebVTTEncoder(times, source?.cues.count == times.cues.count ? source : nil)
    try encoder.makeSamples()
    return (encoder.media(geometry), times.spans.count)
  }

  private init(_ times: CueTimes, _ source: WebVTTSource?) {
    self.times = times
    self.source = source
    sampleCounts = Array(repeating: 0, count: times.spans.count)
    hasEqualNeighbor = Array(repeating: false, count: times.spans.count)
    boxes = times.spans.map { boxes(of: $0.index) }
    findEqualNeighbors()
  }

  private mutating func findEqualNeighbors() {
    struct Change: Hashable {
      let time: UInt64
      let identity: [UInt8]
      let body: [UInt8]
    }
    func change(_ position: Int, at time: UInt64) -> Change {
      Change(time: time, identity: boxes[position].identity, body: boxes[position].body)
    }
    var ends: Set<Change> = []
    var starts: Set<Change> = []
    for (position, span) in times.spans.enumerated() {
      ends.insert(change(position, at: span.end))
      starts.insert(change(position, at: span.start))
    }
    for (position, span) in times.spans.enumerated() {
      hasEqualNeighbor[position] =
        ends.contains(change(position, at: span.start)) || starts.contains(change(position, at: span.end))
    }
  }

  private func boxes(of index: Int) -> (identity: [UInt8], body: [UInt8]) {
    var identity = ByteWriter()
    var body = ByteWriter()
    if let origin = source?.cues[index] {
      if !origin.identifier.isEmpty { identity.atom("iden") { $0.write(utf8: origin.identifier) } }
      let settings = WebVTTEncoder.trimmed(origin.settings)
      if !settings.isEmpty { body.atom("sttg") { $0.write(utf8: settings) } }
      body.atom("payl") { $0.write(utf8: origin.text) }
    } else {
      let settings = cues[index].placement.webVTTSettings
      if !settings.isEmpty { body.atom("sttg") { $0.write(utf8: String(settings.dropFirst())) } }
      body.atom("payl") { $0.write(cues[index].text.webVTT) }
    }
    return (identity.bytes, body.bytes)
  }

  private static func trimmed(_ settings: String) -> String {
    settings.split { $0 == " " || $0 == "\t" || $0 == "\u{C}" }.joined(separator: " ")
  }

  // MARK: - Cutting

  /// Divides the time of the movie at the starts and ends of cues.
  private mutating func makeSamples() throws(SubtitleError) {
    var changes = CueChanges(times.spans)
    var shownIndices: [Int] = []
    var currentTime: UInt64 = 0
    while let change = changes.next() {
      try add(shownIndices, from: currentTime, to: change.time)
      currentTime = change.time
      if !change.ended.isEmpty { shownIndices.removeAll { times.spans[$0].end == currentTime } }
      shownIndices += change.started
    }
    try add(shownIndices, from: currentTime, to: times.duration)
  }

  /// Adds samples that show the spans at `shownIndices`. Each sample lasts at most ``Sample/longestDuration``.
  private mutating func add(_ shownIndices: [Int], from start: UInt64, to end: UInt64) throws(SubtitleError) {
    var start = start
    while start < end {
      let next = min(end, start.addingReportingOverflow(UInt64(Sample.longestDuration)).partialValue)
      for position in shownIndices {
        sampleCounts[position] += 1
        byteCount += boxes[position].identity.count + boxes[position].body.count + WebVTTEncoder.boxOverhead
      }
      guard byteCount <= times.limits.sampleByteCount else {
        throw SubtitleError(
          .limit, line: shownIndices.first.map { cues[times.spans[$0].index].line },
          "too many cues overlap: the samples exceed \(times.limits.sampleByteCount) bytes")
      }
      samples.append(EncodedSample(start: start, end: next, shownIndices: shownIndices))
      start = next
    }
  }

  /// The size of a `vttc` header, and of the boxes `vsid` and `ctim`.
  private static let boxOverhead = 8 + 12 + 28

  // MARK: - Samples

  private func media(_ geometry: SubtitleGeometry) -> SubtitleMedia {
    var writer = ByteWriter()
    var sizes: [UInt32] = []
    var durations: [SampleDurationRun] = []
    for sample in samples {
      let start = writer.bytes.count
      if sample.shownIndices.isEmpty { writer.atom("vtte") { _ in } }
      for position in sample.shownIndices {
        writer.atom("vttc") { write(position, at: sample.start, to: &$0) }
      }
      sizes.append(UInt32(clamping: writer.bytes.count - start))
      durations.add(UInt32(clamping: sample.end - sample.start))
    }
    return SubtitleMedia(
      description: .webVTT(header: header), geometry: geometry.coveringWholePicture, data: writer.bytes,
      sampleSizes: sizes,
      durationRuns: durations, timeScale: times.timeScale, duration: times.duration, notices: notices)
  }

  private func write(_ position: Int, at start: UInt64, to writer: inout ByteWriter) {
    let index = times.spans[position].index
    // Write an ID only where readers need it: to recognize a cue that several samples repeat, or to distinguish equal
    // consecutive cues.
    if sampleCounts[position] > 1 || hasEqualNeighbor[position] {
      writer.atom("vsid") { $0.write(UInt32(clamping: position + 1)) }
    }
    writer.write(boxes[position].identity)
    if let origin = source?.cues[index], WebVTTEncoder.hasTimes(origin.text) {
      // Times in the text refer to the clock of the file. `ctim` declares the time of this clock at the start of the
      // sample.
      let cueStart = times.timing.movieMilliseconds(cues[index].startMilliseconds)
      let milliseconds = start.scaled(by: 1_000, over: UInt64(times.timeScale)) ?? .max
      let elapsed = Int64(clamping: milliseconds).subtractingReportingOverflow(cueStart).partialValue
      let current = origin.startMilliseconds.addingReportingOverflow(elapsed).partialValue
      writer.atom("ctim") { $0.write(utf8: timeText(milliseconds: max(0, current))) }
    }
    writer.write(boxes[position].body)
  }

  /// Whether the text contains a `<` followed by a digit.
  private static func hasTimes(_ text: String) -> Bool {
    var last: UInt8 = 0
    for byte in text.utf8 {
      if last == UInt8(ascii: "<"), Ascii.isDigit(byte) { return true }
      last = byte
    }
    return false
  }

  private var header: String { source?.header ?? WebVTTHeader(of: cues).text ?? "" }

  private var notices: [SubtitleNotice] {
    var notices = times.notices
    for cue in cues where cue.isForced {
      notices.add(.inexpressibleStyle, line: cue.line, "\(cue.text.excerpt) is forced, which WebVTT does not support")
    }
    return notices.finished
  }
}
