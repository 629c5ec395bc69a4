/// Writes one JSON value (RFC 8259) as UTF-8, member by member, in the order of the calls.
///
/// Control characters, DEL, the C1 controls and the marks that turn the direction of writing come out as `\u` escapes,
/// so that a string from a movie cannot steer a terminal; so do U+2028 and U+2029, which JavaScript takes for line
/// ends. Integers come out exactly, at any size.
///
/// Whatever the order of the calls, JSON comes out: a member of an array is written without its name, a value in an
/// object gets an empty one, and a second value at the top begins on a line of its own.
///
///     var json = JSONWriter()
///     json.object {
///       $0.member("schema", 1)
///       $0.array("languages") { $0.value("en") }
///     }
package struct JSONWriter: Sendable {
  /// The layout of values.
  package enum Style: Sendable {
    /// One member or element a line, two blanks an indentation.
    case pretty
    /// No blanks at all.
    case compact
  }

  private struct Container {
    let isObject: Bool
    var count = 0
    var hasOpenKey = false
  }

  private let style: Style
  private var containers: [Container] = []
  /// The bytes that were written and not taken; one whole value after the outermost call.
  package private(set) var bytes: [UInt8] = []

  /// A writer that has written nothing.
  package init(_ style: Style = .pretty) {
    self.style = style
  }

  /// Returns the bytes that were written since the last call, so that a long value is passed on in parts.
  package mutating func takeBytes() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  /// Writes a string.
  package mutating func value(_ string: String) {
    beginValue()
    writeQuoted(string)
  }

  /// Writes `true` or `false`.
  package mutating func value(_ flag: Bool) {
    beginValue()
    bytes += (flag ? "true" : "false").utf8
  }

  /// Writes an integer, all digits of it.
  package mutating func value(_ number: some FixedWidthInteger) {
    beginValue()
    bytes += String(number).utf8
  }

  /// Writes the shortest decimal that reads back as `number`; `null` for infinities and NaN, which JSON has not.
  package mutating func value(_ number: Double) {
    beginValue()
    bytes += (number.isFinite ? number.description : "null").utf8
  }

  /// Writes `null`.
  package mutating func null() {
    beginValue()
    bytes += "null".utf8
  }

  /// Writes an object whose members `body` writes.
  package mutating func object<Failure: Error>(
    _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    try container(isObject: true, body)
  }

  /// Writes an array whose elements `body` writes.
  package mutating func array<Failure: Error>(
    _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    try container(isObject: false, body)
  }

  /// Writes the name of the member whose value is written next; outside of objects there are no names.
  private mutating func key(_ name: String) {
    guard let last = containers.indices.last, containers[last].isObject else { return }
    separate(last)
    writeQuoted(name)
    bytes += (style == .pretty ? ": " : ":").utf8
    containers[last].hasOpenKey = true
  }
}

// MARK: - Members

extension JSONWriter {
  /// Writes a member that is `null`.
  package mutating func memberNull(_ name: String) {
    key(name)
    null()
  }

  /// Writes a member that is a string, or `null`.
  package mutating func member(_ name: String, _ string: String?) {
    key(name)
    if let string { value(string) } else { null() }
  }

  /// Writes a member that is `true`, `false` or `null`.
  package mutating func member(_ name: String, _ flag: Bool?) {
    key(name)
    if let flag { value(flag) } else { null() }
  }

  /// Writes a member that is an integer, or `null`.
  package mutating func member<Number: FixedWidthInteger>(_ name: String, _ number: Number?) {
    key(name)
    if let number { value(number) } else { null() }
  }

  /// Writes a member that is an integer.
  package mutating func member(_ name: String, _ number: Int) {
    key(name)
    value(number)
  }

  /// Writes a member that is a number, spelled as it is to stand there.
  package mutating func member(_ name: String, number text: String) {
    key(name)
    beginValue()
    bytes += text.utf8
  }

  /// Writes a member that is a decimal number, or `null`.
  package mutating func member(_ name: String, _ number: Double?) {
    key(name)
    if let number { value(number) } else { null() }
  }

  /// Writes a member that is an array of strings.
  package mutating func member(_ name: String, _ strings: [String]) {
    array(name) { for string in strings { $0.value(string) } }
  }

  /// Writes a member that is an array of integers.
  package mutating func member<Number: FixedWidthInteger>(_ name: String, _ numbers: some Sequence<Number>) {
    array(name) { for number in numbers { $0.value(number) } }
  }

  /// Writes a member that is an object whose members `body` writes.
  package mutating func object<Failure: Error>(
    _ name: String, _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    key(name)
    try object(body)
  }

  /// Writes a member that is an object whose members `body` writes of a value, or `null` without one.
  package mutating func object<Value>(
    _ name: String, of value: Value?, _ body: (Value, inout JSONWriter) -> Void
  ) {
    guard let value else { return memberNull(name) }
    object(name) { body(value, &$0) }
  }

  /// Writes a member that is an array whose elements `body` writes.
  package mutating func array<Failure: Error>(
    _ name: String, _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    key(name)
    try array(body)
  }

  /// Writes a member that is an array of objects, one for each element, whose members `body` writes.
  package mutating func objects<Element>(
    _ name: String, of elements: some Sequence<Element>, _ body: (Element, inout JSONWriter) -> Void
  ) {
    array(name) { json in for element in elements { json.object { body(element, &$0) } } }
  }
}

// MARK: - Bytes

extension JSONWriter {
  private mutating func container<Failure: Error>(
    isObject: Bool, _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    beginValue()
    bytes += (isObject ? "{" : "[").utf8
    containers.append(Container(isObject: isObject))
    try body(&self)
    if let closed = containers.popLast(), closed.count > 0 { breakLine() }
    bytes += (isObject ? "}" : "]").utf8
  }

  /// Writes what stands between a value and whatever came before it.
  private mutating func beginValue() {
    guard let last = containers.indices.last else {
      if !bytes.isEmpty { bytes += "\n".utf8 }
      return
    }
    if containers[last].isObject {
      if !containers[last].hasOpenKey { key("") }
      containers[last].hasOpenKey = false
    } else {
      separate(last)
    }
  }

  private mutating func separate(_ container: Int) {
    if containers[container].count > 0 { bytes += ",".utf8 }
    containers[container].count += 1
    breakLine()
  }

  private mutating func breakLine() {
    guard style == .pretty else { return }
    bytes += "\n".utf8
    bytes += repeatElement(UInt8(ascii: " "), count: 2 * containers.count)
  }

  private mutating func writeQuoted(_ string: String) {
    bytes += "\"".utf8
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": bytes += "\\\"".utf8
      case "\\": bytes += "\\\\".utf8
      case "\n": bytes += "\\n".utf8
      case "\r": bytes += "\\r".utf8
      case "\t": bytes += "\\t".utf8
      case _ where scalar.isTerminalControl:
        bytes += "\\u".utf8
        bytes += Hexadecimal.digits(scalar.value, atLeast: 4).utf8
      default: bytes += UTF8.encode(scalar).map(Array.init) ?? []
      }
    }
    bytes += "\"".utf8
  }
}
