/// Puts pieces of a movie one after another, so that a movie reads in Swift as it lies in the file.
///
///     let bad = movie { atom("moov") { atom("trak", claiming: 4) { } } }
@resultBuilder
package enum MovieBuilder {
  package static func buildExpression(_ bytes: [UInt8]) -> [UInt8] { bytes }
  package static func buildBlock(_ parts: [UInt8]...) -> [UInt8] { concatenated(parts) }
  package static func buildOptional(_ part: [UInt8]?) -> [UInt8] { part ?? [] }
  package static func buildEither(first part: [UInt8]) -> [UInt8] { part }
  package static func buildEither(second part: [UInt8]) -> [UInt8] { part }
  package static func buildArray(_ parts: [[UInt8]]) -> [UInt8] { concatenated(parts) }
}

/// One after another; unlike `joined()`, quick in debug builds too.
private func concatenated(_ parts: [[UInt8]]) -> [UInt8] {
  var bytes: [UInt8] = []
  for part in parts { bytes.append(contentsOf: part) }
  return bytes
}

/// The three ways in which a header can tell the size of its atom.
package enum HeaderForm: Sendable {
  /// Eight bytes, a 32-bit size.
  case ordinary
  /// Sixteen bytes: the size field is 1, a 64-bit size follows the type.
  case extended
  /// Eight bytes, the size field is 0: the atom reaches to the end of the file.
  case toTheEnd
}

/// A whole file, or any row of atoms.
package func movie(@MovieBuilder _ content: () -> [UInt8]) -> [UInt8] {
  content()
}

/// An atom. `claiming` writes that number as its size, whatever the true one is.
package func atom(
  _ type: String, claiming size: UInt64? = nil, header: HeaderForm = .ordinary,
  @MovieBuilder _ content: () -> [UInt8] = { [] }
) -> [UInt8] {
  let payload = content()
  return atomHeader(code(type), payloadByteCount: UInt64(payload.count), claiming: size, header) + payload
}

/// An atom whose type is a number, as the items of a QuickTime `ilst` have it.
package func atom(numbered number: Int, @MovieBuilder _ content: () -> [UInt8] = { [] }) -> [UInt8] {
  let payload = content()
  return atomHeader(u32(number), payloadByteCount: UInt64(payload.count), claiming: nil, .ordinary) + payload
}

/// An atom with a version and flags before its content.
package func fullAtom(
  _ type: String, version: Int = 0, flags: Int = 0, claiming size: UInt64? = nil, header: HeaderForm = .ordinary,
  @MovieBuilder _ content: () -> [UInt8] = { [] }
) -> [UInt8] {
  atom(type, claiming: size, header: header) {
    u32(version << 24 | flags)
    content()
  }
}

func atomHeader(_ type: [UInt8], payloadByteCount: UInt64, claiming size: UInt64?, _ form: HeaderForm) -> [UInt8] {
  switch form {
  case .ordinary: u32(Int(truncatingIfNeeded: size ?? payloadByteCount + 8)) + type
  case .extended: u32(1) + type + u64(size ?? payloadByteCount + 16)
  case .toTheEnd: u32(0) + type
  }
}

/// Numbers of one byte each; a negative one is written in two's complement.
package func u8(_ values: Int...) -> [UInt8] {
  values.map { UInt8(truncatingIfNeeded: $0) }
}

/// Big-endian numbers of two bytes each.
package func u16(_ values: Int...) -> [UInt8] {
  values.flatMap { value in bigEndian(UInt64(truncatingIfNeeded: value), byteCount: 2) }
}

/// Big-endian numbers of four bytes each.
package func u32(_ values: Int...) -> [UInt8] {
  values.flatMap { value in bigEndian(UInt64(truncatingIfNeeded: value), byteCount: 4) }
}

/// Big-endian numbers of eight bytes each.
package func u64(_ values: UInt64...) -> [UInt8] {
  values.flatMap { value in bigEndian(value, byteCount: 8) }
}

/// Bytes of zero.
package func zeros(_ count: Int) -> [UInt8] {
  [UInt8](repeating: 0, count: count)
}

/// A four-character code; `©` is the byte 0xA9, as are all characters up to U+00FF their own byte.
package func code(_ text: String) -> [UInt8] {
  let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  precondition(bytes.count == 4, "a code has four characters, \"\(text)\" has \(bytes.count)")
  return bytes
}

/// The UTF-8 bytes of a text, with nothing after them.
package func text(_ text: String) -> [UInt8] {
  Array(text.utf8)
}

/// A text with a zero byte at its end.
package func cString(_ text: String) -> [UInt8] {
  Array(text.utf8) + [0]
}

/// A text with its length in one byte before it.
package func pascalString(_ text: String) -> [UInt8] {
  precondition(text.utf8.count < 256, "a Pascal string holds at most 255 bytes")
  return [UInt8(text.utf8.count)] + Array(text.utf8)
}

private func bigEndian(_ value: UInt64, byteCount: Int) -> [UInt8] {
  (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (byteCount - 1 - $0))) }
}
