import Subtitles

/// A JSON value (RFC 8259), parsed from the package's own output or from chapter lists.
///
/// Numbers are stored as text, so no precision is lost.
package enum JSONValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  /// A number as written.
  case number(String)
  case string(String)
  case array([JSONValue])
  /// An object. If a name is repeated, the last member is used, unless the caller refuses repeated names.
  case object([String: JSONValue])

  /// The maximum nesting depth of values.
  package static let depthLimit = 64

  /// Parses a text. Throws `.malformed` with the byte offset if the text is not JSON, or `.limit` if it is nested
  /// more than ``depthLimit`` levels deep. Also throws `.malformed` if an object repeats a name that must not be repeated.
  package init(_ bytes: Bytes, allowsRepeatedMembers: Bool = true) throws(MovieError) {
    var reader = Reader(bytes: bytes, allowsRepeatedMembers: allowsRepeatedMembers)
    self = try reader.readValue(depth: 0)
    reader.skipBlanks()
    guard reader.position == bytes.count else { throw reader.error("there is text after the value") }
  }

  /// The member of an object, or `nil` if it is missing or `null`.
  package subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self, let member = members[name], member != .null else { return nil }
    return member
  }

  /// The string, or `nil` if the value is not a string.
  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number as a 32-bit integer, or `nil` if the value is not a number or does not fit.
  package var word: UInt32? { wholeNumber.flatMap { UInt32(exactly: $0) } }

  /// The exact whole number, or `nil` for other values and for numbers with more than 38 digits. The numbers `72`,
  /// `72.0` and `7.2e1` are equal.
  package var wholeNumber: Int128? {
    guard case .number(let text) = self else { return nil }
    let parts = text.split(maxSplits: 1) { $0 == "e" || $0 == "E" }
    guard let halves = parts.first?.split(separator: ".", maxSplits: 1), !halves.isEmpty else { return nil }
    let fraction = halves.count == 2 ? halves[1] : ""
    var digits = String((halves[0].drop { $0 == "-" } + fraction).drop { $0 == "0" })
    guard !digits.isEmpty else { return 0 }
    guard let power = parts.count == 2 ? Int64(parts[1]) : 0 else { return nil }
    // The number is the digits times a power of ten. Trailing zeros of the digits are moved to the power.
    let zeroCount = digits.utf8.reversed().prefix { $0 == UInt8(ascii: "0") }.count
    digits.removeLast(zeroCount)
    let exponent = power.addingClamped(Int64(zeroCount - fraction.utf8.count))
    guard exponent >= 0, exponent.addingClamped(Int64(digits.utf8.count)) <= 38 else { return nil }
    return Int128((text.first == "-" ? "-" : "") + digits + String(repeating: "0", count: Int(exponent)))
  }

  /// The number as written, or `nil` if the value is not a number.
  package var number: String? {
    if case .number(let text) = self { text } else { nil }
  }

  /// The Boolean value, or `nil` if the value is not a Boolean.
  package var boolean: Bool? {
    if case .boolean(let flag) = self { flag } else { nil }
  }

  /// The array, or `nil` if the value is not an array.
  package var array: [JSONValue]? {
    if case .array(let values) = self { values } else { nil }
  }

  private struct Reader {
    let bytes: Bytes
    let allowsRepeatedMembers: Bool
    var position = 0

    func error(_ reason: String, _ code: MovieError.Code = .malformed) -> MovieError {
      MovieError(code, at: UInt64(position), in: "JSON", reason)
    }

    mutating func skipBlanks() {
      while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
    }

    /// Skips whitespace and returns the next byte without consuming it.
    private mutating func peek() throws(MovieError) -> UInt8 {
      skipBlanks()
      guard position < bytes.count else { throw error("the text ends within a value") }
      return bytes[position]
    }

    private mutating func readLiteral(_ text: StaticString, _ value: JSONValue) throws(MovieError) -> JSONValue {
      for byte in String(describing: text).utf8 {
        guard position < bytes.count, bytes[position] == byte else { throw error("the value is not valid JSON") }
        position += 1
      }
      return value
    }

    mutating func readValue(depth: Int) throws(MovieError) -> JSONValue {
      guard depth < JSONValue.depthLimit else {
        throw error("the value is nested more than \(JSONValue.depthLimit) levels deep", .limit)
      }
      switch try peek() {
      case UInt8(ascii: "{"): return .object(try readMembers(depth))
      case UInt8(ascii: "["): return .array(try readValues(depth))
      case UInt8(ascii: "\""): return .string(try readText())
      case UInt8(ascii: "t"): return try readLiteral("true", .boolean(true))
      case UInt8(ascii: "f"): return try readLiteral("false", .boolean(false))
      case UInt8(ascii: "n"): return try readLiteral("null", .null)
      default: return .number(try readNumber())
      }
    }

    private mutating func readMembers(_ depth: Int) throws(MovieError) -> [String: JSONValue] {
      var members: [String: JSONValue] = [:]
      try readList(upTo: UInt8(ascii: "}")) { reader throws(MovieError) in
        guard try reader.peek() == UInt8(ascii: "\"") else { throw reader.error("a member has no name") }
        let name = try reader.readText()
        guard reader.allowsRepeatedMembers || members[name] == nil else {
          throw reader.error("the member \(excerpt(name.utf8)) is repeated")
        }
        guard try reader.peek() == UInt8(ascii: ":") else { throw reader.error("a member has no value") }
        reader.position += 1
        members[name] = try reader.readValue(depth: depth + 1)
      }
      return members
    }

    private mutating func readValues(_ depth: Int) throws(MovieError) -> [JSONValue] {
      var values: [JSONValue] = []
      try readList(upTo: UInt8(ascii: "]")) { reader throws(MovieError) in
        values.append(try reader.readValue(depth: depth + 1))
      }
      return values
    }

    private mutating func readList(
      upTo end: UInt8, _ element: (inout Reader) throws(MovieError) -> Void
    ) throws(MovieError) {
      position += 1
      if try peek() == end {
        position += 1
        return
      }
      while true {
        try element(&self)
        let next = try peek()
        guard next == end || next == UInt8(ascii: ",") else { throw error("there is no comma between two values") }
        position += 1
        if next == end { return }
      }
    }

    private mutating func readNumber() throws(MovieError) -> String {
      let start = position
      while position < bytes.count, "+-.0123456789eE".utf8.contains(bytes[position]) { position += 1 }
      let text = String(decoding: bytes.slice(at: start, count: position - start)?.array ?? [], as: UTF8.self)
      guard Self.isNumber(text), Double(text) != nil else { throw error("the value is not valid JSON") }
      return text
    }

    /// Whether a text is a valid JSON number (RFC 8259, 6).
    private static func isNumber(_ text: String) -> Bool {
      let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
      let mantissa = parts[0].drop { $0 == "-" }
      let halves = mantissa.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      let exponent =
        parts.count == 2 ? parts[1].first.map { "+-".contains($0) } == true ? parts[1].dropFirst() : parts[1] : "0"
      return parts[0].count - mantissa.count <= 1
        && (halves + [exponent]).allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Ascii.isDigit) }
        && (halves[0] == "0" || halves[0].first != "0")
    }

    private mutating func readText() throws(MovieError) -> String {
      position += 1
      var units: [UInt8] = []
      while position < bytes.count {
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""):
          guard let text = String(validating: units, as: UTF8.self) else { throw error("a string is not UTF-8") }
          return text
        case UInt8(ascii: "\\"): units += try readEscape()
        case ..<0x20: throw error("a string contains a control character")
        default: units.append(byte)
        }
      }
      throw error("a string has no end")
    }

    /// Returns the character of an escape as UTF-8.
    private mutating func readEscape() throws(MovieError) -> [UInt8] {
      guard position < bytes.count else { throw error("a string has no end") }
      let letter = bytes[position]
      position += 1
      switch letter {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter]
      case UInt8(ascii: "b"): return [0x08]
      case UInt8(ascii: "f"): return [0x0C]
      case UInt8(ascii: "n"): return [0x0A]
      case UInt8(ascii: "r"): return [0x0D]
      case UInt8(ascii: "t"): return [0x09]
      case UInt8(ascii: "u"):
        var units = [try readHexadecimal()]
        if UTF16.isLeadSurrogate(units[0]), bytes.slice(at: position, count: 2)?.array == Array("\\u".utf8) {
          position += 2
          units.append(try readHexadecimal())
        }
        guard let text = String(validating: units, as: UTF16.self) else {
          throw error("a string contains half of a surrogate pair")
        }
        return Array(text.utf8)
      default: throw error("a string contains an unknown escape")
      }
    }

    private mutating func readHexadecimal() throws(MovieError) -> UInt16 {
      guard let digits = bytes.slice(at: position, count: 4), let unit = Hexadecimal.bytes(digits) else {
        throw error("four hexadecimal digits are missing after \\u")
      }
      position += 4
      return UInt16(unit[0]) << 8 | UInt16(unit[1])
    }
  }
}
