package import Subtitles

/// An element of an XML document. It contains a name, text and children. Attributes are omitted.
struct XMLElement {
  let name: String
  /// The line in which the element begins, from 1.
  let line: Int
  var children: [XMLElement] = []
  /// The text directly inside the element.
  var text = ""

  /// Returns the first child with a name, or `nil` if there is none.
  func first(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  /// Returns the children with a name.
  func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  /// Parses the root element of a chapter list. See ``XMLReader``.
  init(document utf8: [UInt8]) throws(SubtitleError) {
    var reader = XMLReader(utf8, code: .chapterFormat)
    // The open elements. The first element stands for the document, so it has no name.
    var open = [XMLElement(name: "", line: 1)]
    while let event = try reader.next() {
      switch event {
      case .start:
        open.append(XMLElement(name: String(decoding: reader.name, as: UTF8.self), line: reader.elementLine))
      case .text(let text):
        open[open.count - 1].text += String(decoding: text, as: UTF8.self)
      case .end:
        let element = open.removeLast()
        open[open.count - 1].children.append(element)
      }
    }
    // The root element exists, because the reader throws for a document without one.
    self = open[0].children[0]
  }

  private init(name: String, line: Int) {
    (self.name, self.line) = (name, line)
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
