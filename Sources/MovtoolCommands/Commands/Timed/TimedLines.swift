import MovieBox
import Subtitles

/// The lines of the text output, one for each item. A gap is a single line.
///
/// A movie may have hundreds of thousands of items, so lines are written into one buffer instead of strings.
struct TimedLines {
  private var utf8: [UInt8] = []
  /// The beginning of the lines of the current group: its times and its track.
  private var prefix: [UInt8] = []
  /// The end of the last group, and this time as text. Most groups begin at the end of the previous group.
  private var end: (microseconds: Int64, utf8: [UInt8]) = (0, Array(TimedText.seconds(0).utf8))
  /// The track ID of the last group, and this ID as text.
  private var track: (id: UInt32?, utf8: [UInt8]) = (nil, Array("  event  ".utf8))
  private static let separator = Array(" to ".utf8)
  /// The identifiers of recent items. Most tracks have few identifiers.
  private var identifiers: [ShownIdentifier] = []
  /// The maximum number of ``identifiers``, because each item is compared with them.
  private static let identifierCount = 16

  private struct ShownIdentifier {
    let identifier: MetadataIdentifier
    let utf8: [UInt8]
    let phrase: TimedPhrase?

    init(_ identifier: MetadataIdentifier) {
      self.identifier = identifier
      utf8 = Array(TerminalText.sanitized(identifier.description + "  ").utf8)
      phrase = TimedPhrase(rawValue: identifier.key)
    }
  }

  /// Returns the lines that were added since the last call.
  mutating func takeBytes() -> [UInt8] {
    defer { utf8.removeAll(keepingCapacity: true) }
    return utf8
  }

  mutating func add(_ group: TimedMetadataGroup) {
    prefix.removeAll(keepingCapacity: true)
    if group.microseconds.lowerBound == end.microseconds {
      prefix.append(contentsOf: end.utf8)
    } else {
      TimedText.append(seconds: group.microseconds.lowerBound, to: &prefix)
    }
    prefix.append(contentsOf: Self.separator)
    end.microseconds = group.microseconds.upperBound
    end.utf8.removeAll(keepingCapacity: true)
    TimedText.append(seconds: end.microseconds, to: &end.utf8)
    prefix.append(contentsOf: end.utf8)
    if group.trackID != track.id {
      track = (group.trackID, Array((group.trackID.map { "  track \($0)  " } ?? "  event  ").utf8))
    }
    prefix.append(contentsOf: track.utf8)
    for index in group.items.indices {
      utf8.append(contentsOf: prefix)
      add(group.items[index], depth: 0)
    }
    guard group.problem != nil || group.items.isEmpty else { return }
    utf8.append(contentsOf: prefix)
    append(group.problem.map { "not read completely: " + $0 } ?? "gap")
    utf8.append(UInt8(ascii: "\n"))
  }

  /// Adds the rest of the item's line, and the lines of its nested items.
  private mutating func add(_ item: MetadataItem, depth: Int) {
    let identifier = indexOfShown(item.identifier)
    utf8.append(contentsOf: identifiers[identifier].utf8)
    appendValue(of: item, identifiers[identifier].phrase)
    if item.language != nil || !item.details.isEmpty { appendFacts(of: item) }
    utf8.append(UInt8(ascii: "\n"))
    for nestedItem in item.nestedItems {
      let indent = prefix.count + 2 * (depth + 1)
      utf8.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent))
      add(nestedItem, depth: depth + 1)
    }
  }

  /// Appends the language and the details of an item in parentheses.
  private mutating func appendFacts(of item: MetadataItem) {
    let facts =
      (item.language.map { ["language \($0)"] } ?? [])
      + Self.shownDetails.compactMap { name in item.details[name].map { "\(name) \($0)" } }
    if !facts.isEmpty { append("  (\(facts.joined(separator: ", ")))") }
  }

  /// Returns the index of an identifier in ``identifiers``, and adds the identifier if it is not there.
  private mutating func indexOfShown(_ identifier: MetadataIdentifier) -> Int {
    if let index = identifiers.firstIndex(where: { $0.identifier == identifier }) { return index }
    if identifiers.count == Self.identifierCount { identifiers.removeFirst() }
    identifiers.append(ShownIdentifier(identifier))
    return identifiers.count - 1
  }

  /// The names of the details that lines contain, in order.
  private static let shownDetails = [
    "name", "units", "count", "rate", "fix", "date", "framesPerSecond", "dropFrame", "id", "value",
    "description", "owner",
  ]

  private mutating func appendValue(of item: MetadataItem, _ phrase: TimedPhrase?) {
    if let words = phrase?.words(for: item) { return append(words) }
    if !item.nestedItems.isEmpty {
      return append(item.nestedItems.count == 1 ? "1 record" : "\(item.nestedItems.count) records")
    }
    // Append short plain ASCII texts directly, because most values are such texts.
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

/// The keys of the metadata items of iPhones. Values of these items are shown in words.
private enum TimedPhrase: String {
  case stillImageTime = "com.apple.quicktime.still-image-time"
  case videoOrientation = "com.apple.quicktime.video-orientation"
  case sceneIlluminance = "com.apple.quicktime.scene-illuminance"
  case livePhotoInfo = "com.apple.quicktime.live-photo-info"

  /// Returns the value in words, or `nil` if the item has a value of an unexpected type.
  func words(for item: MetadataItem) -> String? {
    switch self {
    case .stillImageTime: "the still image (\(item.stringValue ?? "-"))"
    case .videoOrientation: item.stringValue.map { $0 + (Self.orientations[$0].map { " (\($0))" } ?? "") }
    case .sceneIlluminance: item.numberValue.map { "\($0 / 1_000) lx" }
    case .livePhotoInfo:
      item.bytes.load(at: 0, as: UInt32.self).map { "version \($0.byteSwapped), \(item.bytes.count) bytes" }
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
    utf8.append(Ascii.space)
    utf8.append(UInt8(ascii: "s"))
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
