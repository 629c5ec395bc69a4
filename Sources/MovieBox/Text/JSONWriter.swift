/// A writer of JSON values (RFC 8259) in UTF-8. Members are written in call order.
///
/// Control characters (C0, DEL and C1) and marks of writing direction are written as `\u` escapes, so text from a movie
/// cannot control a terminal. U+2028 and U+2029 are escaped too, because JavaScript treats them as line ends. Integers
/// of any size are written exactly.
///
/// Any sequence of calls produces valid JSON. In an array, names are ignored. In an object, a value that is written
/// without a name gets an empty name. A second top-level value begins on a new line.
///
///     var json = JSONWriter()
///     json.object {
///       $0.member("schema", 1)
///       $0.array("languages") { $0.value("en") }
///     }
package struct JSONWriter: Sendable {
  /// The layout of values.
  package enum Style: Sendable {
    /// A line for each member or element, indented by two spaces.
    case pretty
    /// No whitespace.
    case compact
  }

  private struct Container {
    let isObject: Bool
    var count = 0
    var hasOpenKey = false
  }

  private let style: Style
  private var containers: [Container] = []
  /// The written bytes that ``takeBytes()`` has not returned yet. They end with a complete value, except during a call
  /// that writes an object or array.
  package private(set) var bytes: [UInt8] = []

  package init(_ style: Style = .pretty) {
    self.style = style
  }

  /// Returns the bytes that were written since the last call of this method. Callers use it to send a long value before
  /// the value is complete.
  package mutating func takeBytes() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  package mutating func value(_ string: String) {
    beginValue()
    writeQuoted(string)
  }

  package mutating func value(_ flag: Bool) {
    beginValue()
    bytes += (flag ? "true" : "false").utf8
  }

  /// Writes an integer exactly.
  @inlinable package mutating func value(_ number: some FixedWidthInteger) {
    value(number: String(number))
  }

  /// Writes a number in JSON syntax.
  @usableFromInline package mutating func value(number text: String) {
    beginValue()
    bytes += text.utf8
  }

  /// Writes the shortest decimal number that reads back as `number`. Writes `null` for infinities and NaN, because JSON
  /// does not support them.
  package mutating func value(_ number: Double) {
    value(number: number.isFinite ? number.description : "null")
  }

  /// Writes a complete JSON value that another writer made.
  package mutating func value(json: some Collection<UInt8>) {
    beginValue()
    bytes += json
  }

  @usableFromInline package mutating func null() {
    beginValue()
    bytes += "null".utf8
  }

  /// Writes an object with the members that `body` writes.
  @usableFromInline package mutating func object<Failure: Error>(
    _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    try container(isObject: true, body)
  }

  /// Writes an array with the elements that `body` writes.
  package mutating func array<Failure: Error>(
    _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    try container(isObject: false, body)
  }

  /// Writes a member's name. Does nothing outside of objects.
  @usableFromInline package mutating func key(_ name: String) {
    guard let last = containers.indices.last, containers[last].isObject else { return }
    beginValue(in: last)
    writeQuoted(name)
    bytes.append(UInt8(ascii: ":"))
    if style == .pretty { bytes.append(UInt8(ascii: " ")) }
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
  @inlinable package mutating func member<Number: FixedWidthInteger>(_ name: String, _ number: Number?) {
    key(name)
    if let number { value(number) } else { null() }
  }

  /// Writes a member that is an integer.
  package mutating func member(_ name: String, _ number: Int) {
    key(name)
    value(number)
  }

  /// Writes a member that is a number. `text` is the number in JSON syntax.
  package mutating func member(_ name: String, number text: String) {
    key(name)
    value(number: text)
  }

  /// Writes a member that is a complete JSON value from another writer.
  package mutating func member(_ name: String, json: some Collection<UInt8>) {
    key(name)
    value(json: json)
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

  /// Writes a member that is an object with the members that `body` writes.
  package mutating func object<Failure: Error>(
    _ name: String, _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    key(name)
    try object(body)
  }

  /// Writes a member that is an object with the members that `body` writes. Writes `null` if the value is `nil`.
  package mutating func object<Value>(
    _ name: String, of value: Value?, _ body: (Value, inout JSONWriter) -> Void
  ) {
    guard let value else { return memberNull(name) }
    object(name) { body(value, &$0) }
  }

  /// Writes a member that is an array with the elements that `body` writes.
  @usableFromInline package mutating func array<Failure: Error>(
    _ name: String, _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    key(name)
    try array(body)
  }

  /// Writes a member that is an array of objects, with the members that `body` writes for each element.
  @inlinable package mutating func objects<Element>(
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
    bytes.append(UInt8(ascii: isObject ? "{" : "["))
    containers.append(Container(isObject: isObject))
    try body(&self)
    if let closed = containers.popLast(), closed.count > 0 { breakLine() }
    bytes.append(UInt8(ascii: isObject ? "}" : "]"))
  }

  /// Writes the separator before a value.
  private mutating func beginValue() {
    guard let last = containers.indices.last else {
      if !bytes.isEmpty { bytes += "\n".utf8 }
      return
    }
    if containers[last].isObject {
      if !containers[last].hasOpenKey { key("") }
      containers[last].hasOpenKey = false
    } else {
      beginValue(in: last)
    }
  }

  /// Begins an array element or an object member: writes a comma if one is needed, and breaks the line.
  private mutating func beginValue(in container: Int) {
    if containers[container].count > 0 { bytes.append(UInt8(ascii: ",")) }
    containers[container].count += 1
    breakLine()
  }

  private mutating func breakLine() {
    guard style == .pretty else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes += repeatElement(UInt8(ascii: " "), count: 2 * containers.count)
  }

  private mutating func writeQuoted(_ string: String) {
    bytes.append(UInt8(ascii: "\""))
    defer { bytes.append(UInt8(ascii: "\"")) }
    let start = bytes.count
    bytes += string.utf8
    // Return if no character needs an escape. Most texts contain only ASCII characters without escapes.
    guard !bytes[start...].allSatisfy({ $0 &- 0x20 < 0x5F && $0 != 0x22 && $0 != 0x5C }) else { return }
    bytes.removeLast(bytes.count - start)
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
      default: if let encoded = UTF8.encode(scalar) { bytes.append(contentsOf: encoded) }
      }
    }
  }
}
