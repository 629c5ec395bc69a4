package import Subtitles

/// An element of an XML document (XML 1.0). It contains a name, text and children. Attributes are parsed only on
/// request.
///
/// The parser supports the XML in chapter lists, camera metadata and routes. Documents are untrusted, so the parser
/// rejects a document type declaration that contains other declarations. It skips a simple document type declaration.
/// It accepts only character references and the five predefined entities. It never reads external resources, and
/// entities cannot expand.
struct XMLElement {
  let name: String
  /// The line in which the element begins, from 1.
  let line: Int
  var children: [XMLElement] = []
  /// The text directly inside the element.
  var text = ""
  /// The attributes, in document order. The array is empty unless the caller requests attributes. Most elements have few
  /// attributes, so a search is faster than a dictionary.
  private var attributes: [(name: String, value: String)] = []

  /// The maximum nesting depth of elements.
  static let maximumDepth = 64
  /// The maximum number of elements.
  static let maximumCount = 500_000
  /// The maximum number of attributes of an element. Further attributes are skipped.
  static let maximumAttributeCount = 64

  /// The name without its prefix.
  var localName: Substring { name.split(separator: ":").last ?? "" }

  /// Returns the value of an attribute, or `nil` if there is none.
  func attribute(_ name: String) -> String? { attributes.last { $0.name == name }?.value }

  /// Returns the first child with a name, or `nil` if there is none.
  func first(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  /// Returns the children with a name.
  func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  /// Parses the root element of a document. The document may begin with a byte order mark. Errors in the document have
  /// the code `code`.
  init(
    document utf8: [UInt8], keepsAttributes: Bool = false, code: SubtitleError.Code = .chapterFormat
  ) throws(SubtitleError) {
    var parser = Parser(utf8: utf8, keepsAttributes: keepsAttributes, code: code)
    self = try parser.root()
  }

  private init(name: String, line: Int) {
    (self.name, self.line) = (name, line)
  }

  private struct Parser {
    let utf8: [UInt8]
    let keepsAttributes: Bool
    let code: SubtitleError.Code
    var position = 0
    var line = 1
    var open: [XMLElement] = []
    var elementCount = 0

    init(utf8: [UInt8], keepsAttributes: Bool, code: SubtitleError.Code) {
      (self.utf8, self.keepsAttributes, self.code) = (utf8, keepsAttributes, code)
      let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
      if utf8.starts(with: byteOrderMark) { position = byteOrderMark.count }
    }

    func error(_ reason: String, _ limit: SubtitleError.Code? = nil) -> SubtitleError {
      SubtitleError(limit ?? code, line: line, at: UInt64(position), "XML: \(reason)")
    }

    mutating func root() throws(SubtitleError) -> XMLElement {
      while position < utf8.count {
        if utf8[position] != UInt8(ascii: "<") {
          let text = skip { $0 == UInt8(ascii: "<") }
          if !open.isEmpty {
            open[open.count - 1].text += try decoded(text)
          } else if text.contains(where: { $0 > Ascii.space }) {
            throw error("there is text outside the root element")
          }
          continue
        }
        switch position + 1 < utf8.count ? utf8[position + 1] : 0 {
        case UInt8(ascii: "!"), UInt8(ascii: "?"): try skipMarkup()
        case UInt8(ascii: "/"):
          position += 2
          let name = name()
          guard let element = open.popLast(), element.name == name else { throw error("</\(name)> closes no element") }
          if position < utf8.count, utf8[position] == UInt8(ascii: ">") {
            position += 1
          } else {
            _ = try skip(past: ">", of: "</\(name)")
          }
          guard !open.isEmpty else { return element }
          open[open.count - 1].children.append(element)
        default:
          if let whole = try openElement() { return whole }
        }
      }
      throw error(open.last.map { "<\($0.name)> is not closed" } ?? "the document has no element")
    }

    /// Skips a comment, an instruction or a declaration, or adds the text of a CDATA section.
    private mutating func skipMarkup() throws(SubtitleError) {
      if starts(with: "<!--") {
        _ = try skip(past: "-->", of: "a comment")
      } else if starts(with: "<![CDATA["), !open.isEmpty {
        position += 9
        open[open.count - 1].text += String(decoding: try skip(past: "]]>", of: "a CDATA section"), as: UTF8.self)
      } else if starts(with: "<?") {
        _ = try skip(past: "?>", of: "an instruction")
      } else {
        let declaration = try skip(past: ">", of: "a declaration")
        guard !declaration.contains(UInt8(ascii: "[")) else {
          throw error("a document type declaration contains declarations, which are not supported")
        }
      }
    }

    /// Parses a start tag. Returns the element if it is the root and has no content.
    private mutating func openElement() throws(SubtitleError) -> XMLElement? {
      position += 1
      var element = XMLElement(name: name(), line: line)
      guard !element.name.isEmpty else { throw error("< is not followed by a name") }
      elementCount += 1
      guard open.count < XMLElement.maximumDepth else {
        throw error("elements are nested more than \(XMLElement.maximumDepth) levels deep", .limit)
      }
      guard elementCount <= XMLElement.maximumCount else {
        throw error("the document has more than \(XMLElement.maximumCount) elements", .limit)
      }
      var isEmpty = false
      var attribute: Range<Int>?
      while true {
        guard position < utf8.count else { throw error("<\(element.name) has no end") }
        let byte = utf8[position]
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
          position += 1
          let value = skip { $0 == byte }
          if keepsAttributes, let attribute, element.attributes.count < XMLElement.maximumAttributeCount {
            element.attributes.append((String(decoding: utf8[attribute], as: UTF8.self), try decoded(value)))
          }
          attribute = nil
        } else if byte == UInt8(ascii: ">") {
          position += 1
          break
        }
        isEmpty = byte == UInt8(ascii: "/")
        if keepsAttributes, byte > Ascii.space, byte != UInt8(ascii: "="), byte != UInt8(ascii: "/"),
          byte != UInt8(ascii: "\""), byte != UInt8(ascii: "'")
        {
          // If this byte does not directly follow the last byte of a name, it begins a new name.
          let start = attribute.flatMap { $0.upperBound == position ? $0.lowerBound : nil } ?? position
          attribute = start..<position + 1
        }
        if byte == Ascii.lineFeed { line += 1 }
        position += 1
      }
      guard isEmpty else {
        open.append(element)
        return nil
      }
      guard !open.isEmpty else { return element }
      open[open.count - 1].children.append(element)
      return nil
    }

    private func starts(with text: String) -> Bool { utf8[position...].starts(with: text.utf8) }

    private mutating func name() -> String {
      let bytes = skip { byte in
        byte <= Ascii.space || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/")
          || byte == UInt8(ascii: "=")
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// Skips to a byte that satisfies `isEnd`, and returns the skipped bytes.
    private mutating func skip(to isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
      let start = position
      while position < utf8.count, !isEnd(utf8[position]) {
        if utf8[position] == Ascii.lineFeed { line += 1 }
        position += 1
      }
      return utf8[start..<position]
    }

    /// Skips past the text `end`, and returns the bytes before `end`.
    private mutating func skip(past end: String, of construct: String) throws(SubtitleError) -> ArraySlice<UInt8> {
      let start = position
      let mark = Array(end.utf8)
      while position + mark.count <= utf8.count {
        if utf8[position] == mark[0], utf8[position..<position + mark.count].elementsEqual(mark) {
          position += mark.count
          return utf8[start..<position - mark.count]
        }
        if utf8[position] == Ascii.lineFeed { line += 1 }
        position += 1
      }
      throw error("\(construct) has no end")
    }

    private static let entities: [String: String] = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]

    private func decoded(_ bytes: ArraySlice<UInt8>) throws(SubtitleError) -> String {
      guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
      var text = ""
      var rest = bytes
      while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
        text += String(decoding: rest[..<mark], as: UTF8.self)
        guard let end = rest[mark...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
          throw error("& does not begin an entity; write &amp;")
        }
        let name = String(decoding: rest[(mark + 1)..<end], as: UTF8.self)
        if let known = Self.entities[name] {
          text += known
        } else if name.hasPrefix("#"), let scalar = Self.scalar(name.dropFirst()) {
          text.unicodeScalars.append(scalar)
        } else {
          throw error("the entity &\(name); is unknown")
        }
        rest = rest[(end + 1)...]
      }
      return text + String(decoding: rest, as: UTF8.self)
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
}

extension SubtitleError.Code {
  /// A chapter list in an unknown or invalid format.
  package static let chapterFormat = SubtitleError.Code(rawValue: "chapter-format")
}

extension String {
  /// The text with the characters of markup escaped, and without the control characters that XML does not allow.
  var escapedInXML: String {
    var escaped = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case let scalar where scalar.value < 0x20 && scalar != "\t" && scalar != "\n": escaped.append("?")
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
