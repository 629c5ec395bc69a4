import MovieBox

/// The attributes of a tag, in the order in which they are written (RFC 8216, 4.2).
package struct PlaylistAttributes: Hashable, Sendable {
  private(set) var parts: [String] = []

  package init() {}

  /// An enumerated string or a number.
  package mutating func add(_ name: String, _ value: String?) {
    if let value { parts.append("\(name)=\(value)") }
  }

  /// A quoted string, as ``quotable(_:)`` makes it.
  package mutating func add(_ name: String, quoted value: String?) {
    if let value { parts.append("\(name)=\"\(Self.quotable(value))\"") }
  }

  /// A text as a quoted string can hold it: an apostrophe stands for a quotation mark, and a blank for what ends lines,
  /// for some readers, and for other controls.
  package static func quotable(_ text: String) -> String {
    var quotable = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: quotable += " "
      default: quotable.unicodeScalars.append(scalar == "\"" ? "'" : scalar)
      }
    }
    return quotable
  }

  /// `YES` or `NO`.
  package mutating func add(_ name: String, _ flag: Bool) {
    parts.append("\(name)=\(flag ? "YES" : "NO")")
  }

  /// A tag with these attributes.
  package func line(_ tag: String) -> String { "#\(tag):" + parts.joined(separator: ",") }
}

/// The name of a file as a playlist writes it: percent-encoded where a URI cannot have it (RFC 3986, 2.1 and 3.3).
package func uriReference(_ path: String) -> String {
  PercentEncoding.encoded(path.utf8) { $0 == UInt8(ascii: "/") || PercentEncoding.isUnreserved($0) }
}
