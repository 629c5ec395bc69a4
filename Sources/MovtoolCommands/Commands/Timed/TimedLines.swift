import MovieBox

/// The lines of the text output, one for each item. A gap is a single line.
///
/// A movie may have hundreds of thousands of items, so lines are written into one buffer instead of strings.
struct TimedLines {
  private var utf8: [UInt8] = []
  /// The beginning of the lines of the current group: its times and its track.
  private var prefix: [UInt8] = []

  /// Returns the lines that were added since the last call.
  mutating func takeBytes() -> [UInt8] {
    defer { utf8.removeAll(keepingCapacity: true) }
    return utf8
  }

  mutating func add(_ group: TimedMetadataGroup) {
    prefix.removeAll(keepingCapacity: true)
    TimedText.append(seconds: group.microseconds.lowerBound, to: &prefix)
    prefix.append(contentsOf: " to ".utf8)
    TimedText.append(seconds: group.microseconds.upperBound, to: &prefix)
    if let trackID = group.trackID {
      prefix.append(contentsOf: "  track ".utf8)
      prefix.append(decimal: UInt64(trackID))
      prefix.append(contentsOf: "  ".utf8)
    } else {
      prefix.append(contentsOf: "  event  ".utf8)
    }
    for item in group.items {
      utf8.append(contentsOf: prefix)
      add(item, depth: 0)
    }
    guard group.problem != nil || group.items.isEmpty else { return }
    utf8.append(contentsOf: prefix)
    append(group.problem.map { "not read completely: " + $0 } ?? "gap")
    utf8.append(UInt8(ascii: "\n"))
  }

  /// Adds the rest of the item's line, and the lines of its nested items.
  private mutating func add(_ item: MetadataItem, depth: Int) {
    append(item.identifier.space.rawValue)
    utf8.append(UInt8(ascii: "/"))
    append(item.identifier.key)
    utf8.append(contentsOf: "  ".utf8)
    appendValue(of: item)
    var facts = item.language.map { ["language \($0)"] } ?? []
    if !item.details.isEmpty {
      facts += Self.shownDetails.compactMap { name in item.details[name].map { "\(name) \($0)" } }
    }
    if !facts.isEmpty { append("  (\(facts.joined(separator: ", ")))") }
    utf8.append(UInt8(ascii: "\n"))
    for nestedItem in item.nestedItems {
      let indent = prefix.count + 2 * (depth + 1)
      utf8.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent))
      add(nestedItem, depth: depth + 1)
    }
  }

  /// The names of the details that lines contain, in order.
  private static let shownDetails = [
    "name", "units", "count", "rate", "fix", "date", "framesPerSecond", "dropFrame", "id", "value",
  ]

  private mutating func appendValue(of item: MetadataItem) {
    if let words = item.timedWords {
      append(words)
      return
    }
    // Most values are short texts in ASCII.
    if case .text(let text) = item.value, text.utf8.count <= MetadataItem.shownLength, item.valueName == nil {
      let start = utf8.count
      utf8.append(contentsOf: text.utf8)
      if TerminalText.isPlain(utf8[start...]) { return }
      utf8.removeLast(utf8.count - start)
    }
    append(item.shownValue)
  }

  /// Appends text with control characters escaped.
  private mutating func append(_ text: String) {
    let start = utf8.count
    utf8.append(contentsOf: text.utf8)
    guard !TerminalText.isPlain(utf8[start...]) else { return }
    utf8.removeLast(utf8.count - start)
    utf8.append(contentsOf: TerminalText.sanitized(text).utf8)
  }
}

extension MetadataItem {
  /// The value in words, for the items of iPhones and for structured values, or `nil` for other values.
  fileprivate var timedWords: String? {
    switch identifier.key {
    case "com.apple.quicktime.still-image-time": return "the still image (\(stringValue ?? "-"))"
    case "com.apple.quicktime.video-orientation":
      return stringValue.map { $0 + (Self.orientations[$0].map { " (\($0))" } ?? "") }
    case "com.apple.quicktime.scene-illuminance": return numberValue.map { "\($0 / 1_000) lx" }
    case "com.apple.quicktime.live-photo-info":
      return bytes.load(at: 0, as: UInt32.self).map { "version \($0.byteSwapped), \(bytes.count) bytes" }
    default:
      guard !nestedItems.isEmpty else { return nil }
      return nestedItems.count == 1 ? "1 record" : "\(nestedItems.count) records"
    }
  }

  /// The names of orientations, in the order of EXIF.
  private static let orientations = [
    "1": "upright", "2": "mirrored", "3": "rotated by 180°", "4": "mirrored, rotated by 180°",
    "5": "mirrored, rotated by 270° clockwise", "6": "rotated by 90° clockwise",
    "7": "mirrored, rotated by 90° clockwise", "8": "rotated by 270° clockwise",
  ]
}

/// Times of timed metadata as text.
enum TimedText {
  /// Formats seconds with three decimals, or with six decimals if three are not exact.
  static func seconds(_ microseconds: Int64) -> String {
    var utf8: [UInt8] = []
    append(seconds: microseconds, to: &utf8)
    return String(decoding: utf8, as: UTF8.self)
  }

  /// Formats seconds as ``seconds(_:)``, without the unit.
  static func numberOfSeconds(_ microseconds: Int64) -> String {
    var utf8: [UInt8] = []
    appendNumber(ofSeconds: microseconds, to: &utf8)
    return String(decoding: utf8, as: UTF8.self)
  }

  /// Appends the text of ``seconds(_:)``.
  static func append(seconds microseconds: Int64, to utf8: inout [UInt8]) {
    appendNumber(ofSeconds: microseconds, to: &utf8)
    utf8.append(contentsOf: " s".utf8)
  }

  /// Appends the text of ``numberOfSeconds(_:)``.
  static func appendNumber(ofSeconds microseconds: Int64, to utf8: inout [UInt8]) {
    let (whole, rest) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    if microseconds < 0 { utf8.append(UInt8(ascii: "-")) }
    utf8.append(decimal: whole)
    utf8.append(UInt8(ascii: "."))
    if rest.isMultiple(of: 1_000) {
      utf8.append(decimal: rest / 1_000, digitCount: 3)
    } else {
      utf8.append(decimal: rest, digitCount: 6)
    }
  }
}
