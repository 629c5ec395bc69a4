/// What groups of samples have in common: the `sgpd` atom, versions 0 to 2 (ISO/IEC 14496-12 8.9.3).
///
/// It lies in `stbl`, or in `traf` with groups of one fragment. Version 2 is read as newer editions have it, with a
/// default length.
package struct SampleGroupDescriptions: AtomPayload {
  /// All bytes after the atom's header, descriptions and tail.
  package let payload: Bytes
  /// 0 to 2.
  package let version: UInt8
  /// The way of grouping, such as `roll` or `seig`.
  package let groupingType: FourCC
  /// The number of the description of samples that `sbgp` does not mention, counted from 1, 0 for none; `nil` below
  /// version 2.
  package let defaultIndex: UInt32?
  /// How many descriptions the atom claims.
  package let count: Int
  /// The descriptions. Version 0 does not say how long each is: they are equal shares of the bytes, and `nil` where the
  /// bytes cannot be shared so.
  package let entries: [Bytes]?

  /// Reads the descriptions; throws when the bytes end before them, and for versions above 2.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    version = try reader.readFullAtomHeader(upTo: 2).version
    groupingType = try reader.readFourCC()
    let length = version >= 1 ? try reader.read(UInt32.self) : nil
    defaultIndex = version >= 2 ? try reader.read() : nil
    // A description without any bytes is none: each takes at least one, or its length.
    count = try reader.readEntryCount(bitsPerEntry: length == 0 ? 32 : 8 * UInt64(length ?? 1))
    self.payload = payload
    guard let length else {
      let isShared = count > 0 && reader.remaining.isMultiple(of: count)
      entries = isShared ? try reader.readEntries(count, byteCount: reader.remaining / count) : count == 0 ? [] : nil
      return
    }
    entries = try reader.readEntries(count, byteCount: length == 0 ? nil : Int(length))
  }

  /// Writes the bytes that were read.
  package func write(to writer: inout ByteWriter) {
    writer.write(payload)
  }
}

extension ByteReader {
  /// Reads `count` descriptions of `byteCount` bytes each; `nil` means that each begins with its length.
  fileprivate mutating func readEntries(_ count: Int, byteCount: Int?) throws(MovieError) -> [Bytes] {
    var entries: [Bytes] = []
    for _ in 0..<count {
      let length = if let byteCount { byteCount } else { Int(try read(UInt32.self)) }
      entries.append(try readBytes(length))
    }
    return entries
  }
}
