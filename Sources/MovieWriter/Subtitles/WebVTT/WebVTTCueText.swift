import MovieBox

/// Turns the text of a WebVTT cue with its tags into styled text (WebVTT, clause 6.4, "cue text parsing rules").
struct WebVTTCueText {
  private let source: [UInt8]
  private var output: [UInt8] = []
  private var scalarCount = 0
  private var runs: [StyledText.Run] = []
  private var runStart = 0
  private var style = TextStyle.plain
  /// The tags that are open, with the style outside of them.
  private var open: [(name: String, outside: TextStyle)] = []

  /// The styled text of a cue. Never fails: what is no tag is text, and tags are closed with the cue.
  static func parse(_ text: String) -> StyledText {
    var parser = WebVTTCueText(source: Array(text.utf8))
    parser.run()
    return StyledText(normalizing: String(decoding: parser.output, as: UTF8.self), runs: parser.runs)
  }

  private init(source: [UInt8]) {
    self.source = source
  }

  private mutating func run() {
    var index = 0
    while index < source.count {
      switch source[index] {
      case UInt8(ascii: "&"):
        guard let reference = CharacterReference(source, at: index, end: source.count) else { break }
        emit(Array(String(reference.scalar).utf8)[...])
        index += reference.byteCount
        continue
      case UInt8(ascii: "<"):
        // Without its end, a tag reaches to the end of the cue.
        let end = source[index...].firstIndex(of: UInt8(ascii: ">")) ?? source.count
        apply(tag: String(decoding: source[index + 1..<end], as: UTF8.self))
        index = min(end + 1, source.count)
        continue
      default: break
      }
      emit(source[index...index])
      index += 1
    }
    closeRun()
  }

  private mutating func emit(_ bytes: ArraySlice<UInt8>) {
    output.append(contentsOf: bytes)
    for byte in bytes where byte & 0xC0 != 0x80 { scalarCount += 1 }
  }

  private mutating func change(to new: TextStyle) {
    guard new != style else { return }
    closeRun()
    style = new
  }

  private mutating func closeRun() {
    defer { runStart = scalarCount }
    guard style != .plain, runStart < scalarCount else { return }
    if let last = runs.last, last.style == style, last.range.upperBound == runStart {
      runs[runs.count - 1].range = last.range.lowerBound..<scalarCount
    } else {
      runs.append(StyledText.Run(runStart..<scalarCount, style))
    }
  }

  // MARK: - Tags

  private mutating func apply(tag: String) {
    if tag.hasPrefix("/") { return close(String(tag.dropFirst())) }
    let words = tag.split(maxSplits: 1, omittingEmptySubsequences: false) { " \t\n\u{C}".contains($0) }
    let parts = (words.first ?? "").split(separator: ".", omittingEmptySubsequences: false)
    let name = parts.first.map(String.init) ?? ""
    // A time in a cue (`<00:00:01.000>`) says when the rest is sung: nothing here shows that.
    guard Self.names.contains(name), open.count < Self.depthLimit else { return }
    open.append((name, style))
    var new = style
    switch name {
    case "b": new.isBold = true
    case "i": new.isItalic = true
    case "u": new.isUnderlined = true
    case "v":
      let voice = words.count > 1 ? WebVTTCueText.parse(String(words[1])).text : ""
      let collapsed = voice.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      new.voice = collapsed.isEmpty ? nil : collapsed
    case "rt": emit(Array("(".utf8)[...])  // What is written above the line stands behind the word.
    default: break
    }
    for name in parts.dropFirst() { new.apply(webVTTClass: String(name)) }
    change(to: new)
  }

  private mutating func close(_ name: String) {
    // An end of `ruby` closes the `rt` in it; any other end without its start is dropped.
    if name == "ruby", open.last?.name == "rt" { close("rt") }
    guard let last = open.last, last.name == name else { return }
    if name == "rt" { emit(Array(")".utf8)[...]) }
    open.removeLast()
    change(to: last.outside)
  }

  private static let names: Set<String> = ["c", "i", "b", "u", "v", "ruby", "rt", "lang"]
  /// No cue nests deeper; one that does would cost its square.
  private static let depthLimit = 100
}

extension TextStyle {
  /// Takes on what a class says: the colours that players know without a style sheet (WebVTT, clause 5.1), and those
  /// that ``WebVTTWriter`` names after their numbers.
  mutating func apply(webVTTClass name: String) {
    if let color = TextColor(webVTTClass: name) {
      self.color = color
    } else if name.hasPrefix("bg_"), let color = TextColor(webVTTClass: String(name.dropFirst(3))) {
      backgroundColor = color
    }
  }
}

extension TextColor {
  /// The eight colours that have a class of their own.
  private static let webVTTClasses: [(name: String, color: TextColor)] = [
    ("white", .white), ("lime", TextColor(red: 0, green: 255, blue: 0)),
    ("cyan", TextColor(red: 0, green: 255, blue: 255)), ("red", TextColor(red: 255, green: 0, blue: 0)),
    ("yellow", TextColor(red: 255, green: 255, blue: 0)), ("magenta", TextColor(red: 255, green: 0, blue: 255)),
    ("blue", TextColor(red: 0, green: 0, blue: 255)), ("black", TextColor(red: 0, green: 0, blue: 0)),
  ]

  init?(webVTTClass name: String) {
    if let known = Self.webVTTClasses.first(where: { $0.name == name }) {
      self = known.color
      return
    }
    let digits = name.dropFirst()
    guard name.first == "x", digits.utf8.count == 8, let word = UInt32(digits, radix: 16) else { return nil }
    self.init(
      red: UInt8(truncatingIfNeeded: word >> 24), green: UInt8(truncatingIfNeeded: word >> 16),
      blue: UInt8(truncatingIfNeeded: word >> 8), alpha: UInt8(truncatingIfNeeded: word))
  }
}
