/// Turns the lines of one cue with their tags into styled text.
///
/// Tags may be nested, crossed, and left open: each kind is counted for itself, and colours form a stack, so that
/// closing one brings back the colour before it. Overrides of SubStation Alpha and MicroDVD, which conversions leave
/// in the text, are switches beside them.
struct CueMarkup {
  let source: [UInt8]
  /// All lines of the cue.
  private(set) var cue = 0..<0
  private var output: [UInt8] = []
  /// How many characters the first `countedByteCount` bytes of the output are; counted only where styles change.
  private var scalarCount = 0
  private var countedByteCount = 0
  /// Whether there may be characters that ``StyledText`` takes out.
  private var mayNeedNormalizing = false
  private var runs: [StyledText.Run] = []
  private var style = TextStyle.plain
  private var runStart = 0
  var tags = OpenTags()
  /// What overrides in braces have switched on.
  var override = TextStyle.plain
  /// What MicroDVD's `{y:i}` has switched on for the line.
  var lineStyle = TextStyle.plain
  /// Whether drawing commands follow, not text.
  var isDrawing = false
  /// Where the cue stands, if it says so.
  var placement: CuePlacement?
  private var line = 0
  private var findings: [Finding] = []
  private static let largestFindingCount = 64
  /// How often what is lost was moved to where there is room for more.
  private(set) var lostTextReallocationCount = 0

  /// The tags that are open.
  struct OpenTags {
    var bold = 0
    var italic = 0
    var underline = 0
    var colors: [TextColor?] = []

    var count: Int { bold + italic + underline + colors.count }
  }

  /// Notices that are alike in this cue: reported once, counted.
  private struct Finding {
    var kind: SubtitleNotice.Kind
    var subject: String
    var line: Int
    var message: String
    /// What is shown nowhere because of all of them, blanks between; `nil` where nothing is lost.
    var lost: [UInt8]?
    var count = 1
  }

  /// The names that closing tags in the cue have; `nil` until someone asks.
  private var foundClosingNames: Set<String>?

  /// A parser of cues in `source`.
  init(_ source: [UInt8]) {
    self.source = source
  }

  /// Begins a cue whose lines lie in this range.
  mutating func begin(_ range: Range<Int>) {
    cue = range
    output.removeAll(keepingCapacity: true)
    (scalarCount, countedByteCount, runStart) = (0, 0, 0)
    mayNeedNormalizing = false
    (runs, findings) = ([], [])
    (style, override, lineStyle) = (.plain, .plain, .plain)
    tags = OpenTags()
    (placement, isDrawing) = (nil, false)
    foundClosingNames = nil
  }

  /// Parses one line of the cue.
  mutating func append(line range: Range<Int>, number: Int) {
    line = number
    breakLine()
    if lineStyle != .plain {
      lineStyle = .plain
      updateStyle()
    }
    var index = range.lowerBound
    while index < range.upperBound {
      let start = index
      while index < range.upperBound, !CueMarkup.beginsMarkup(source[index]) {
        // U+2028 and U+2029 begin so; others that are taken out were so before, or are references.
        if source[index] == 0xE2 { mayNeedNormalizing = true }
        index += 1
      }
      if !isDrawing || !takeDrawing(start..<index) { emit(source[start..<index]) }
      guard index < range.upperBound else { return }
      if let next = parseMarkup(at: index, end: range.upperBound) {
        index = next
      } else {
        output.append(source[index])
        index += 1
      }
    }
  }

  /// Closes what is open and gives the text, without blanks and line breaks at its end.
  mutating func finish(_ notices: inout NoticeList) -> StyledText {
    let open = tags.count
    if open > 0 { record(.unclosedTag) { _ in "\(counted(open, "tag")) closed at the end of the cue" } }
    if style != .plain { closeRun() }
    while let last = output.last, Ascii.isBlank(last) || last == Ascii.lineFeed { output.removeLast() }
    if !runs.isEmpty { clipRuns() }
    for finding in findings {
      let more = finding.count > 1 ? " (and \(finding.count - 1) more in this cue)" : ""
      notices.add(
        finding.kind, finding.subject, line: finding.line,
        lostText: finding.lost.map { String(decoding: $0, as: UTF8.self) },
        finding.message + more)
    }
    let text = String(decoding: output, as: UTF8.self)
    return mayNeedNormalizing
      ? StyledText(normalizing: text, runs: runs) : StyledText(text, checkedRuns: runs)
  }

  /// Takes off the runs what was taken off the text.
  private mutating func clipRuns() {
    // All of it ASCII.
    scalarCount -= max(0, countedByteCount - output.count)
    countedByteCount = min(countedByteCount, output.count)
    while let last = runs.last, last.range.upperBound > scalarCount {
      runs.removeLast()
      guard last.range.lowerBound < scalarCount else { continue }
      runs.append(StyledText.Run(last.range.lowerBound..<scalarCount, last.style))
    }
  }

  // MARK: - Text

  private static func beginsMarkup(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "<") || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "\\")
  }

  /// Reads markup; gives the position after it, or `nil` when the character is one like others.
  private mutating func parseMarkup(at index: Int, end: Int) -> Int? {
    switch source[index] {
    case UInt8(ascii: "<"): return parseTag(at: index, end: end)
    case UInt8(ascii: "{"): return parseBrace(at: index, end: end)
    case UInt8(ascii: "&"):
      guard let reference = CharacterReference(source, at: index, end: end) else { return nil }
      mayNeedNormalizing = true
      emit(Array(String(reference.scalar).utf8)[...])
      return index + reference.byteCount
    default: return parseEscape(at: index, end: end)
    }
  }

  mutating func emit(_ bytes: ArraySlice<UInt8>) {
    output.append(contentsOf: bytes)
  }

  /// How many characters there are so far.
  private mutating func countScalars() -> Int {
    for byte in output[countedByteCount...] {
      if byte & 0xC0 != 0x80 { scalarCount += 1 }
    }
    countedByteCount = output.count
    return scalarCount
  }

  /// A line break, unless nothing stands before it. Blanks before it are taken off, as they are at the ends of lines.
  mutating func breakLine() {
    while let last = output.last, Ascii.isBlank(last) { output.removeLast() }
    if output.count < countedByteCount {
      clipRuns()
      runStart = min(runStart, scalarCount)
    }
    if !output.isEmpty { output.append(Ascii.lineFeed) }
  }

  mutating func updateStyle() {
    var new = TextStyle.plain
    new.isBold = tags.bold > 0 || override.isBold || lineStyle.isBold
    new.isItalic = tags.italic > 0 || override.isItalic || lineStyle.isItalic
    new.isUnderlined = tags.underline > 0 || override.isUnderlined || lineStyle.isUnderlined
    new.color = lineStyle.color ?? override.color ?? tags.colors.last ?? nil
    guard new != style else { return }
    closeRun()
    style = new
  }

  private mutating func closeRun() {
    let start = runStart
    runStart = countScalars()
    guard style != .plain, start < runStart else { return }
    if let last = runs.last, last.style == style, last.range.upperBound == start {
      runs[runs.count - 1].range = last.range.lowerBound..<runStart
    } else {
      runs.append(StyledText.Run(start..<runStart, style))
    }
  }

  // MARK: - Findings

  /// Tells what was found, the first of those that say the same; `lost` is what is shown nowhere because of it.
  mutating func record(
    _ kind: SubtitleNotice.Kind, _ subject: String = "", lost: Range<Int>? = nil, _ message: (CueMarkup) -> String
  ) {
    // The tag or override that a notice is about comes from the file, and can be a new one every five bytes: beyond a
    // few, notices are merged into one.
    let subject = findings.count < Self.largestFindingCount ? subject : ""
    let known = findings.firstIndex { $0.kind == kind && $0.subject == subject }
    if let known { findings[known].count += 1 }
    let index = known ?? findings.count
    if known == nil { findings.append(Finding(kind: kind, subject: subject, line: line, message: message(self))) }
    guard let lost else { return }
    // Appended where it is: a copy for each of many tags would cost their number squared.
    let room = findings[index].lost?.capacity
    if findings[index].lost == nil { findings[index].lost = [] } else { findings[index].lost?.append(Ascii.space) }
    findings[index].lost?.append(contentsOf: source[lost])
    if findings[index].lost?.capacity != room { lostTextReallocationCount += 1 }
  }

  /// A tag or override as it stands, cut when it is long.
  func text(_ range: Range<Int>) -> String {
    let shown = String(decoding: source[range.prefix(40)], as: UTF8.self)
    return range.count > 40 ? shown + "…" : shown
  }

  /// The names that closing tags in the cue have. Costs one pass over the cue, once.
  mutating func closingNames() -> Set<String> {
    if let foundClosingNames { return foundClosingNames }
    var names: Set<String> = []
    var index = cue.lowerBound
    while index + 1 < cue.upperBound {
      defer { index += 1 }
      guard source[index] == UInt8(ascii: "<"), source[index + 1] == UInt8(ascii: "/") else { continue }
      let name = source[index + 2..<cue.upperBound].prefix { Ascii.isLetter($0) || Ascii.isDigit($0) }
      names.insert(String(decoding: name, as: UTF8.self).lowercased())
    }
    foundClosingNames = names
    return names
  }
}
