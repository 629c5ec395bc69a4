import MovieBox

/// A tag of a file's bytes (`ETag`; RFC 9110, 8.8.3): 64 bits that differ where what went into them does, by FNV-1a.
///
/// A tag, not a proof.
struct EntityTag {
  private var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  mutating func add(_ number: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      value = (value ^ (number >> shift & 0xFF)) &* 0x100_0000_01B3
    }
  }

  /// What a source looks like; of a joined one, its parts.
  mutating func add(_ source: SourceIdentity) {
    for part in source.parts.isEmpty ? [source] : source.parts {
      add(part.byteCount)
      add(part.tag.utf8)
    }
  }

  /// With its quotation marks.
  var text: String {
    let digits = String(value, radix: 16)
    return "\"" + String(repeating: "0", count: 16 - digits.count) + digits + "\""
  }
}
