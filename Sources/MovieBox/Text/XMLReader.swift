// The reader of XML. It returns a document as events, so a caller that needs a few elements of a large document creates
// no objects for the other elements. Names, attributes and texts are slices of the document.

import Subtitles

/// A reader of an XML document (XML 1.0).
///
/// The reader supports the XML in chapter lists, camera metadata and routes. Documents are untrusted, so the reader
/// rejects document type declarations that contain declarations, and skips others. It accepts only character references
/// and the five predefined entities. It never reads external resources, and entities cannot expand.
struct XMLReader {
  enum Event {
    /// The start of an element. An empty element has a start and an end too.
    case start
    /// Text directly inside the current element. Comments and child elements divide the text of an element.
    case text(ArraySlice<UInt8>)
    case end
  }

  /// The maximum nesting depth of elements.
  static let maximumDepth = 64
  /// The default of the maximum number of elements. The caller may create an object for each element.
  static let maximumCount = 500_000
  /// The maximum number of attributes of an element. Further attributes are skipped.
  static let maximumAttributeCount = 64

  /// The line in which the element that started last begins, from 1.
  private(set) var elementLine = 1
  /// The number of open elements. The root element has the depth 1.
  var depth: Int { open.count }

  private let utf8: [UInt8]
  private let code: SubtitleError.Code
  private let elementCountLimit: Int
  private var position = 0
  private var line = 1
  private var elementCount = 0
  /// The names of the open elements.
  private var open: [Range<Int>] = []
  /// The attributes of the element that started last, in document order. Most elements have few attributes, so a search
  /// is faster than a dictionary.
  private var attributes: [(name: Range<Int>, value: Range<Int>)] = []
  /// Whether the next event is the end of an empty element.
  private var isAtEmptyElement = false

  /// Creates a reader of a document, which may begin with a byte order mark. Errors in the document have the code
  /// `code`.
  init(_ utf8: [UInt8], code: SubtitleError.Code, elementCountLimit: Int = maximumCount) {
    (self.utf8, self.code, self.elementCountLimit) = (utf8, code, elementCountLimit)
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    if utf8.starts(with: byteOrderMark) { position = byteOrderMark.count }
  }

  /// The name of the current element, or an empty name outside the root element.
  var name: ArraySlice<UInt8> { open.last.map { utf8[$0] } ?? [] }

  /// Whether the current element has a name.
  func hasName(_ name: [UInt8]) -> Bool { open.last.map { isEqual($0, name) } ?? false }

  /// Returns the value of an attribute of the element that started last, or `nil` if there is none.
  func attribute(_ name: [UInt8]) throws(SubtitleError) -> ArraySlice<UInt8>? {
    guard let value = attributes.last(where: { isEqual($0.name, name) })?.value else { return nil }
    return try decoded(value)
  }

  private func isEqual(_ range: Range<Int>, _ text: [UInt8]) -> Bool {
    range.count == text.count && utf8[range].elementsEqual(text)
  }

  private func error(_ reason: String, _ limit: SubtitleError.Code? = nil) -> SubtitleError {
    SubtitleError(limit ?? code, line: line, at: UInt64(position), "XML: \(reason)")
  }

  private func string(_ range: Range<Int>) -> String { String(decoding: utf8[range], as: UTF8.self) }
}

// MARK: - Events

extension XMLReader {
  /// Moves to the next element at a depth, and skips deeper elements. Returns `false` at the end of the parent.
  mutating func nextElement(atDepth level: Int) throws(SubtitleError) -> Bool {
    while let event = try next() {
      switch event {
      case .start where depth == level: return true
      case .end where depth < level - 1: return false
      default: continue
      }
    }
    return false
  }

  /// Reads the rest of the current element, and returns the text directly inside it.
  mutating func elementText() throws(SubtitleError) -> ArraySlice<UInt8> {
    let level = depth
    var first: ArraySlice<UInt8> = []
    // Comments may divide the text into millions of pieces, so the pieces are appended to one array.
    var joined: [UInt8] = []
    while depth >= level, let event = try next() {
      guard case .text(let text) = event, depth == level else { continue }
      if first.isEmpty {
        first = text
      } else {
        if joined.isEmpty { joined = Array(first) }
        joined += text
      }
    }
    return joined.isEmpty ? first : joined[...]
  }

  /// Returns the next event, or `nil` after the end of the root element.
  mutating func next() throws(SubtitleError) -> Event? {
    if isAtEmptyElement {
      isAtEmptyElement = false
      open.removeLast()
      return .end
    }
    // The rest of the document is not read after the end of the root element.
    guard elementCount == 0 || !open.isEmpty else { return nil }
    while position < utf8.count {
      if utf8[position] != UInt8(ascii: "<") {
        let text = skip { $0 == UInt8(ascii: "<") }
        if !open.isEmpty { return .text(try decoded(text)) }
        guard utf8[text].allSatisfy({ $0 <= Ascii.space }) else {
          throw error("there is text outside the root element")
        }
        continue
      }
      switch position + 1 < utf8.count ? utf8[position + 1] : 0 {
      case UInt8(ascii: "!"), UInt8(ascii: "?"):
        if let text = try skipMarkup() { return .text(utf8[text]) }
      case UInt8(ascii: "/"):
        try readEndTag()
        return .end
      default:
        try readStartTag()
        return .start
      }
    }
    throw error(open.last.map { "<\(string($0))> is not closed" } ?? "the document has no element")
  }

  /// Skips a comment, an instruction or a declaration. Returns the text of a CDATA section.
  private mutating func skipMarkup() throws(SubtitleError) -> Range<Int>? {
    if starts(with: "<!--") {
      _ = try skip(past: "-->", of: "a comment")
    } else if starts(with: "<![CDATA["), !open.isEmpty {
      position += 9
      return try skip(past: "]]>", of: "a CDATA section")
    } else if starts(with: "<?") {
      _ = try skip(past: "?>", of: "an instruction")
    } else {
      let declaration = try skip(past: ">", of: "a declaration")
      guard !utf8[declaration].contains(UInt8(ascii: "[")) else {
        throw error("a document type declaration contains declarations, which are not supported")
      }
    }
    return nil
  }

  private mutating func readEndTag() throws(SubtitleError) {
    position += 2
    let name = skipName()
    guard let element = open.popLast(), utf8[element] == utf8[name] else {
      throw error("</\(string(name))> closes no element")
    }
    if position < utf8.count, utf8[position] == UInt8(ascii: ">") {
      position += 1
    } else {
      _ = try skip(past: ">", of: "</\(string(name))")
    }
  }

  private mutating func readStartTag() throws(SubtitleError) {
    elementLine = line
    position += 1
    let name = skipName()
    guard !name.isEmpty else { throw error("< is not followed by a name") }
    elementCount += 1
    guard depth < Self.maximumDepth else {
      throw error("elements are nested more than \(Self.maximumDepth) levels deep", .limit)
    }
    guard elementCount <= elementCountLimit else {
      throw error("the document has more than \(elementCountLimit) elements", .limit)
    }
    open.append(name)
    attributes.removeAll(keepingCapacity: true)
    var attribute: Range<Int>?
    while position < utf8.count {
      let byte = utf8[position]
      switch byte {
      case UInt8(ascii: ">"):
        isAtEmptyElement = utf8[position - 1] == UInt8(ascii: "/")
        position += 1
        return
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        position += 1
        let value = skip { $0 == byte }
        if let attribute, attributes.count < Self.maximumAttributeCount { attributes.append((attribute, value)) }
        attribute = nil
        position += 1
      case UInt8(ascii: "="), UInt8(ascii: "/"), ...UInt8(ascii: " "):
        if byte == Ascii.lineFeed { line += 1 }
        position += 1
      default:
        attribute = skip { byte in
          byte <= UInt8(ascii: " ") || byte == UInt8(ascii: "=") || byte == UInt8(ascii: "/")
            || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
        }
      }
    }
    throw error("<\(string(name))> has no end")
  }
}

// MARK: - Bytes

extension XMLReader {
  private func starts(with text: String) -> Bool { utf8[position...].starts(with: text.utf8) }

  private mutating func skipName() -> Range<Int> {
    skip { byte in
      byte <= UInt8(ascii: " ") || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/")
        || byte == UInt8(ascii: "=")
    }
  }

  /// Skips to a byte that satisfies `isEnd`, or to the end of the document. Returns the range of the skipped bytes.
  private mutating func skip(to isEnd: (UInt8) -> Bool) -> Range<Int> {
    var (end, lineCount) = (position, 0)
    let lineFeed = Ascii.lineFeed
    while end < utf8.count, !isEnd(utf8[end]) {
      if utf8[end] == lineFeed { lineCount += 1 }
      end += 1
    }
    let skipped = position..<end
    (position, line) = (end, line + lineCount)
    return skipped
  }

  /// Skips past the text `end`, and returns the range of the bytes before `end`.
  private mutating func skip(past end: String, of construct: String) throws(SubtitleError) -> Range<Int> {
    let start = position
    let mark = Array(end.utf8)
    while position + mark.count <= utf8.count {
      if utf8[position] == mark[0], utf8[position..<position + mark.count].elementsEqual(mark) {
        position += mark.count
        return start..<position - mark.count
      }
      if utf8[position] == Ascii.lineFeed { line += 1 }
      position += 1
    }
    throw error("\(construct) has no end")
  }

  private static let entities: [String: String] = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]

  /// Replaces references by their characters. Bytes without references are not copied.
  private func decoded(_ range: Range<Int>) throws(SubtitleError) -> ArraySlice<UInt8> {
    var rest = utf8[range]
    guard rest.contains(UInt8(ascii: "&")) else { return rest }
    var text: [UInt8] = []
    while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
      text += rest[..<mark]
      guard let end = rest[mark...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
        throw error("& does not begin an entity; write &amp;")
      }
      let name = string(mark + 1..<end)
      if let known = Self.entities[name] {
        text += known.utf8
      } else if name.hasPrefix("#"), let scalar = Self.scalar(name.dropFirst()) {
        text += String(scalar).utf8
      } else {
        throw error("the entity &\(name); is unknown")
      }
      rest = rest[(end + 1)...]
    }
    return text + rest
  }

  /// Returns the character with the code `number`, in decimal digits, or in hexadecimal digits after `x`. Returns
  /// `nil` if XML 1.0 does not permit the character.
  private static func scalar(_ number: Substring) -> Unicode.Scalar? {
    let isHexadecimal = number.hasPrefix("x")
    let value = UInt32(digits: isHexadecimal ? number.dropFirst() : number, radix: isHexadecimal ? 16 : 10)
    guard let value, value >= 0x20 || [0x09, 0x0A, 0x0D].contains(value), value & ~1 != 0xFFFE else { return nil }
    return Unicode.Scalar(value)
  }
}
