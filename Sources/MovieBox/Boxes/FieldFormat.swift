import Subtitles

/// The encoding of a field in the file, and the field's text for the user.
///
/// The closures of number formats capture no variables, so creating a number format allocates nothing. This matters
/// because a fragmented movie contains a hundred thousand fields.
package struct FieldFormat<Value> {
  let read: (inout ByteReader) throws(MovieError) -> Value
  let write: (Value, inout ByteWriter) -> Void
  var text: (Value) -> String

  /// Returns a format that stores the value in the same way, but shows it to the user as the text that `text` returns.
  func withText(_ text: @escaping (Value) -> String) -> FieldFormat {
    var format = self
    format.text = text
    return format
  }
}

extension FieldFormat where Value: FixedWidthInteger & BitwiseCopyable {
  /// A big-endian integer.
  static var number: FieldFormat {
    FieldFormat(
      read: { reader throws(MovieError) in try reader.read() }, write: { $1.write($0) }, text: { "\($0)" })
  }

  /// A fixed-point number with 8 fractional bits.
  static var fixed8: FieldFormat { number.withText { FieldText.fixedPoint($0, 8) } }

  /// A fixed-point number with 16 fractional bits.
  static var fixed16: FieldFormat { number.withText { FieldText.fixedPoint($0, 16) } }
}

extension FieldFormat<UInt32> {
  static var hexadecimal: FieldFormat { number.withText(Quantity.hexadecimal) }
}

extension FieldFormat<UInt64> {
  /// An integer of 32 bits in version 0 and 64 bits in version 1.
  static func versioned(_ version: UInt8) -> FieldFormat {
    version == 0
      ? FieldFormat(
        read: { reader throws(MovieError) in try reader.readVersioned(0) }, write: { $1.writeVersioned($0, 0) },
        text: { "\($0)" })
      : FieldFormat(
        read: { reader throws(MovieError) in try reader.readVersioned(1) }, write: { $1.writeVersioned($0, 1) },
        text: { "\($0)" })
  }

  /// A time in seconds since the start of 1904.
  static func date(_ version: UInt8) -> FieldFormat {
    versioned(version).withText { Quantity.date(secondsSince1904: $0) }
  }

  /// A duration in ticks, or all ones if it is unknown.
  static func duration(_ version: UInt8) -> FieldFormat {
    version == 0
      ? versioned(0).withText { PayloadVersion.isUnknown($0, version: 0) ? "unknown" : "\($0)" }
      : versioned(1).withText { PayloadVersion.isUnknown($0, version: 1) ? "unknown" : "\($0)" }
  }
}

extension FieldFormat<FourCC> {
  static var code: FieldFormat {
    FieldFormat(
      read: { reader throws(MovieError) in try reader.readFourCC() }, write: { $1.write($0) },
      text: { $0.rawValue == 0 ? "0" : $0.description })
  }
}

extension FieldFormat<Bytes> {
  /// A field of `count` bytes.
  static func bytes(_ count: Int) -> FieldFormat {
    FieldFormat(
      read: { reader throws(MovieError) in try reader.readBytes(count) }, write: { $1.write($0, count: count) },
      text: { Quantity.bytes(UInt64($0.count)) })
  }

  /// The bytes up to the end of the atom.
  static var rest: FieldFormat {
    FieldFormat(
      read: { reader throws(MovieError) in reader.readRest() }, write: { $1.write($0) },
      text: { Quantity.bytes(UInt64($0.count)) })
  }
}

extension FieldFormat<TerminatedString> {
  static var string: FieldFormat {
    FieldFormat(
      read: { reader throws(MovieError) in try reader.readTerminatedString() }, write: { $1.write($0) },
      text: { $0.text })
  }
}

extension FieldFormat<UInt16> {
  /// The language code of an `mdhd` atom or of user data.
  static var language: FieldFormat {
    number.withText { code in
      let tag = MediaLanguage.resolve(mediaHeaderCode: code, extendedTag: nil)?.description ?? "none"
      return "\(tag) (\(Quantity.hexadecimal(UInt32(code))))"
    }
  }
}

extension FieldFormat<Matrix> {
  static var matrix: FieldFormat {
    FieldFormat(
      read: { reader throws(MovieError) in try reader.readMatrix() }, write: { $1.write($0) }, text: FieldText.matrix)
  }
}

extension FieldFormat<SampleFlags> {
  static var sampleFlags: FieldFormat {
    FieldFormat(
      read: { reader throws(MovieError) in SampleFlags(rawValue: try reader.read()) },
      write: { $1.write($0.rawValue) }, text: { Quantity.hexadecimal($0.rawValue) })
  }
}

/// Formats numbers of fields as text.
enum FieldText {
  /// Returns a fixed-point number with `bits` fractional bits as an exact decimal number.
  static func fixedPoint(_ value: some BinaryInteger, _ bits: Int) -> String {
    // The number has at most 48 bits, so the conversion is exact.
    let number = Double(Int64(value)) / Double(1 << bits)
    return number == number.rounded() ? "\(Int64(number))" : "\(number)"
  }

  static func matrix(_ matrix: Matrix) -> String {
    if matrix == .identity { return "identity" }
    let rows = [
      [fixedPoint(matrix.a, 16), fixedPoint(matrix.b, 16), fixedPoint(matrix.u, 30)],
      [fixedPoint(matrix.c, 16), fixedPoint(matrix.d, 16), fixedPoint(matrix.v, 30)],
      [fixedPoint(matrix.x, 16), fixedPoint(matrix.y, 16), fixedPoint(matrix.w, 30)],
    ]
    return rows.map { $0.joined(separator: " ") }.joined(separator: " / ")
  }
}

/// Rules that depend on the version of an atom, such as the widths of its fields and the value of an unknown duration.
enum PayloadVersion {
  /// Returns version 0 if 32 bits can store each of `values`, or version 1 otherwise.
  static func lowestVersion(for values: UInt64...) -> UInt8 {
    values.allSatisfy { $0 <= UInt64(UInt32.max) } ? 0 : 1
  }

  /// Whether all bits of a duration are set. Such a duration is unknown (ISO/IEC 14496-12 "Movie Header Box").
  static func isUnknown(_ duration: UInt64, version: UInt8) -> Bool {
    duration == (version == 0 ? UInt64(UInt32.max) : UInt64.max)
  }
}

extension ByteReader {
  /// Returns `count` as an `Int`. Throws if fewer than `count` entries of `width` bytes remain.
  func checkedCount(_ count: UInt32, width: Int) throws(MovieError) -> Int {
    let room = remaining / width
    guard let entryCount = Int(exactly: count), entryCount <= room else {
      throw failure(.malformed, "declares \(count) entries, but has room for only \(room)")
    }
    return entryCount
  }
}

extension ByteWriter {
  /// Writes a field that must have `count` bytes.
  mutating func write(_ field: Bytes, count: Int) {
    precondition(field.count == count, "a field of \(count) bytes has a value of \(field.count) bytes")
    write(field)
  }
}

extension Bytes {
  static func zeros(_ count: Int) -> Bytes { Bytes([UInt8](repeating: 0, count: count)) }
}
