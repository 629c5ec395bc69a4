// Properties of samples that no sample table has: groups (`sgpd` describes them, `sbgp` assigns samples) and the parts
// of samples (`subs`).

/// The descriptions of groups of samples: the `sgpd` atom, versions 0 to 2 (ISO/IEC 14496-12 8.9.3).
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
  /// The number of descriptions that the atom claims.
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
  package func write(to writer: inout ByteWriter) { writer.write(payload) }
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

/// The groups of samples, for one way of grouping: the `sbgp` atom, versions 0 and 1 (ISO/IEC 14496-12 8.9.2).
///
/// It lies in `stbl`, or in `traf`. A view: an entry is computed from the bytes when asked for. Samples past the last
/// entry are in no group, or in the default one of `sgpd`.
package struct SampleToGroupTable: AtomPayload {
  /// A run of samples in one group.
  package struct Entry: Hashable, Sendable {
    /// The number of samples in the run.
    package let sampleCount: UInt32
    /// The number of the group's description as stored: 0 is none, above 0x10000 one of the fragment's own.
    package let descriptionIndex: UInt32

    /// The place of the description in the `sgpd` of the same fragment, counted from 0; `nil` for none there (8.9.4).
    package var fragmentDescription: Int? {
      descriptionIndex > 0x1_0000 ? Int(descriptionIndex) - 0x1_0001 : nil
    }
  }

  /// All bytes after the atom's header, entries and tail.
  package let payload: Bytes
  /// The way of grouping, such as `roll` or `seig`.
  package let groupingType: FourCC
  /// The parameter that distinguishes groupings of one type; `nil` in version 0.
  package let parameter: UInt32?
  /// The number of entries.
  package let count: Int

  private let entriesStart: Int

  /// Reads the table; throws when the bytes have no room for the entries that it claims, and for versions above 1.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upTo: 1)
    groupingType = try reader.readFourCC()
    parameter = header.version == 1 ? try reader.read() : nil
    count = try reader.readEntryCount(bitsPerEntry: 64)
    entriesStart = reader.position
    self.payload = payload
  }
}

extension SampleToGroupTable: EntryTable {
  /// The entry at `index`, which must be below `count`.
  package subscript(index: Int) -> Entry {
    precondition(index >= 0 && index < count, "index of an entry outside the table")
    let offset = entriesStart &+ index &* 8  // count × 8 bytes are there: the initialiser checked.
    return Entry(
      sampleCount: payload.entry(at: offset, as: UInt32.self),
      descriptionIndex: payload.entry(at: offset &+ 4, as: UInt32.self))
  }
}

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
