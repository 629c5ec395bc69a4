/// Styled text in the making: characters, of which those that are added after a change of style have the new one.
struct StyledTextBuilder {
  /// The characters so far.
  private(set) var utf8: [UInt8] = []
  /// How many characters the first `countedByteCount` bytes are; counted only where styles change.
  private var scalarCount = 0
  private var countedByteCount = 0
  private var runs: [StyledText.Run] = []
  private var runStart = 0
  /// How the next characters look.
  var style = TextStyle.plain {
    willSet { if newValue != style { closeRun() } }
  }

  /// Begins a new text, of plain style.
  mutating func removeAll() {
    style = .plain
    utf8.removeAll(keepingCapacity: true)
    (scalarCount, countedByteCount, runStart) = (0, 0, 0)
    runs = []
  }

  mutating func append(_ bytes: some Sequence<UInt8>) { utf8.append(contentsOf: bytes) }

  mutating func append(_ byte: UInt8) { utf8.append(byte) }

  /// Adds a line break, unless nothing stands before it. Blanks before it are taken off, as they are at the ends of
  /// lines.
  mutating func breakLine() {
    removeLast(while: Ascii.isBlank)
    if !utf8.isEmpty { utf8.append(Ascii.lineFeed) }
  }

  /// Takes off blanks and line breaks at the end. Without `normalizing`, the text has no character that ``StyledText``
  /// takes out.
  mutating func finish(normalizing: Bool = true) -> StyledText {
    style = .plain
    removeLast { Ascii.isBlank($0) || $0 == Ascii.lineFeed }
    let text = String(decoding: utf8, as: UTF8.self)
    return normalizing ? StyledText(normalizing: text, runs: runs) : StyledText(text, checkedRuns: runs)
  }

  /// Takes characters off the end, all of them ASCII, and off the runs.
  private mutating func removeLast(while isRemoved: (UInt8) -> Bool) {
    while let last = utf8.last, isRemoved(last) { utf8.removeLast() }
    guard utf8.count < countedByteCount else { return }
    scalarCount -= countedByteCount - utf8.count
    countedByteCount = utf8.count
    runStart = min(runStart, scalarCount)
    while let last = runs.last, last.range.upperBound > scalarCount {
      runs.removeLast()
      runs.appendRun(min(last.range.lowerBound, scalarCount)..<scalarCount, last.style)
    }
  }

  private mutating func closeRun() {
    for byte in utf8[countedByteCount...] where byte & 0xC0 != 0x80 { scalarCount += 1 }
    countedByteCount = utf8.count
    runs.appendRun(runStart..<scalarCount, style)
    runStart = scalarCount
  }
}

extension [StyledText.Run] {
  /// Adds a run after the others, unless it is empty or plain; the last one grows where it has the same style and ends
  /// there.
  package mutating func appendRun(_ range: Range<Int>, _ style: TextStyle) {
    guard !range.isEmpty, style != .plain else { return }
    if let last, last.style == style, last.range.upperBound == range.lowerBound {
      self[count - 1].range = last.range.lowerBound..<range.upperBound
    } else {
      append(StyledText.Run(range, style))
    }
  }
}
