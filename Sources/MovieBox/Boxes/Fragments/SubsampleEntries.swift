/// Walks the entries of a `subs` atom, which say of what parts samples are (ISO/IEC 14496-12 8.7.7).
package struct SubsampleEntries {
  /// One part of a sample.
  package struct Part: Equatable {
    package let byteCount: UInt32
    /// Priority, whether it may be left out, what the codec says: 6 bytes.
    package let rest: Bytes
  }

  /// The meaning of the parts.
  package let flags: UInt32
  /// Whether sizes have 32 bits, else 16.
  package let isWide: Bool
  private var reader: ByteReader
  private var left: UInt32
  /// The sample of the last entry, from 1.
  private var number: Int

  /// The entries of a payload whose samples are counted on from `firstSample`. Throws for one that is too short.
  package init(_ payload: Bytes, firstSample: Int) throws(MovieError) {
    reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upTo: 1)
    (flags, isWide) = (header.flags, header.version == 1)
    left = try reader.read()
    number = firstSample
  }

  /// The next sample, counted from 1, and its parts; `nil` after the last. Throws where the bytes end before.
  package mutating func next() throws(MovieError) -> (number: Int, parts: [Part])? {
    guard left > 0 else { return nil }
    left -= 1
    number += Int(try reader.read(UInt32.self))
    var parts: [Part] = []
    for _ in 0..<(try reader.read(UInt16.self)) {
      let byteCount = isWide ? try reader.read(UInt32.self) : UInt32(try reader.read(UInt16.self))
      parts.append(Part(byteCount: byteCount, rest: try reader.readBytes(6)))
    }
    return (number, parts)
  }
}
