/// What several payloads share: widths that follow the version, and fields of a fixed size that are kept raw.
enum PayloadVersion {
  /// The version, 0 or 1, whose fields hold all these values.
  static func holding(_ values: UInt64...) -> UInt8 {
    values.allSatisfy { $0 <= UInt64(UInt32.max) } ? 0 : 1
  }

  /// Whether a duration is all ones, which says that nobody knows it (ISO/IEC 14496-12 "Movie Header Box").
  static func isUnknown(_ duration: UInt64, version: UInt8) -> Bool {
    duration == (version == 0 ? UInt64(UInt32.max) : UInt64.max)
  }
}

extension ByteReader {
  /// Checks that `count` entries of `width` bytes each are there, and gives the count as an index can use it.
  func checkedCount(_ count: UInt32, width: Int) throws(MovieError) -> Int {
    let room = remaining / width
    guard let wanted = Int(exactly: count), wanted <= room else {
      throw failure(.malformed, "claims \(count) entries, room for \(room)")
    }
    return wanted
  }
}

extension ByteWriter {
  /// Writes a field that the format gives `count` bytes.
  mutating func write(_ field: Bytes, count: Int) {
    precondition(field.count == count, "a field of \(count) bytes has \(field.count)")
    write(field)
  }
}

extension Bytes {
  /// `count` zeros.
  static func zeros(_ count: Int) -> Bytes {
    Bytes([UInt8](repeating: 0, count: count))
  }
}
