/// A result builder that concatenates pieces of a movie, so that the code mirrors the structure of the file.
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

/// Concatenates the parts. Unlike `joined()`, this is fast in debug builds.
private func concatenated(_ parts: [[UInt8]]) -> [UInt8] {
  var bytes: [UInt8] = []
  for part in parts { bytes.append(contentsOf: part) }
  return bytes
}

/// The three encodings of an atom's size.
package enum HeaderForm: Sendable {
  /// An 8-byte header with a 32-bit size.
  case ordinary
  /// A 16-byte header: the size field is 1, and a 64-bit size follows the type.
  case extended
  /// An 8-byte header with size 0: the atom extends to the end of the file.
  case toTheEnd
}

/// Returns a file, or any sequence of atoms.
package func movie(@MovieBuilder _ content: () -> [UInt8]) -> [UInt8] {
  content()
}

/// Returns an atom. `claiming` replaces the true size in the header.
package func atom(
  _ type: String, claiming size: UInt64? = nil, header: HeaderForm = .ordinary,
  @MovieBuilder _ content: () -> [UInt8] = { [] }
) -> [UInt8] {
  let payload = content()
  return atomHeader(code(type), payloadByteCount: UInt64(payload.count), claiming: size, header) + payload
}

/// Returns an atom whose type is a number, as in a QuickTime `ilst`.
package func atom(numbered number: Int, @MovieBuilder _ content: () -> [UInt8] = { [] }) -> [UInt8] {
  let payload = content()
  return atomHeader(u32(number), payloadByteCount: UInt64(payload.count), claiming: nil, .ordinary) + payload
}

/// Returns an atom whose content begins with version and flags.
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

/// Returns one-byte numbers; negative ones in two's complement.
package func u8(_ values: Int...) -> [UInt8] {
  values.map { UInt8(truncatingIfNeeded: $0) }
}

/// Returns big-endian two-byte numbers.
package func u16(_ values: Int...) -> [UInt8] {
  values.flatMap { value in bigEndian(UInt64(truncatingIfNeeded: value), byteCount: 2) }
}

/// Returns big-endian four-byte numbers.
package func u32(_ values: Int...) -> [UInt8] {
  values.flatMap { value in bigEndian(UInt64(truncatingIfNeeded: value), byteCount: 4) }
}

/// Returns big-endian eight-byte numbers.
package func u64(_ values: UInt64...) -> [UInt8] {
  values.flatMap { value in bigEndian(value, byteCount: 8) }
}

/// Returns zero bytes.
package func zeros(_ count: Int) -> [UInt8] {
  [UInt8](repeating: 0, count: count)
}

/// Returns a four-character code. Each character up to U+00FF becomes the byte of its number, such as 0xA9 for `©`.
package func code(_ text: String) -> [UInt8] {
  let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  precondition(bytes.count == 4, "a code has four characters, \"\(text)\" has \(bytes.count)")
  return bytes
}

/// Returns the UTF-8 bytes of a text, without a terminator.
package func text(_ text: String) -> [UInt8] {
  Array(text.utf8)
}

/// Returns a text with a zero byte at its end.
package func cString(_ text: String) -> [UInt8] {
  Array(text.utf8) + [0]
}

/// Returns a text after its one-byte length.
package func pascalString(_ text: String) -> [UInt8] {
  precondition(text.utf8.count < 256, "a Pascal string holds at most 255 bytes")
  return [UInt8(text.utf8.count)] + Array(text.utf8)
}

private func bigEndian(_ value: UInt64, byteCount: Int) -> [UInt8] {
  (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (byteCount - 1 - $0))) }
}
