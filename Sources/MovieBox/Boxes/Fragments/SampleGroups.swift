// Properties of samples outside the sample tables: sample groups and subsamples. `sgpd` describes the groups, `sbgp`
// assigns samples to them, and `subs` lists the subsamples.

/// The descriptions of sample groups: the `sgpd` atom, versions 0 to 2, in `stbl` or `traf` (ISO/IEC 14496-12 8.9.3).
///
/// Descriptions in `traf` apply to groups of one fragment. Version 2 is read as newer editions of the standard define
/// it, with a default length. Older editions omit the default length.
package struct SampleGroupDescriptions: AtomPayload {
  /// The bytes after the atom's header, including descriptions and tail.
  package let payload: Bytes
  /// The version, 0 to 2.
  package let version: UInt8
  /// The grouping type, such as `roll` or `seig`.
  package let groupingType: FourCC
  /// The number of the description for samples that `sbgp` does not cover, counted from 1, or 0 if these samples belong
  /// to no group. The value is `nil` in versions 0 and 1.
  package let defaultIndex: UInt32?
  /// The number of descriptions that the atom declares.
  package let count: Int
  /// The descriptions, or `nil` if their lengths are unknown. Version 0 stores no lengths, so the bytes are divided
  /// equally among the descriptions.
  package let entries: [Bytes]?

  /// Reads the descriptions. Throws if the bytes end before them, or for a version above 2.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    version = try reader.readFullAtomHeader(upToVersion: 2).version
    groupingType = try reader.readFourCC()
    let length = version >= 1 ? try reader.read(UInt32.self) : nil
    defaultIndex = version >= 2 ? try reader.read() : nil
    // A description has at least one byte, or four bytes if the atom stores its length. The size of the atom thus
    // limits the count.
    count = try reader.readEntryCount(bitsPerEntry: length == 0 ? 32 : 8 * UInt64(length ?? 1))
    self.payload = payload
    guard let length else {
      let isShared = count > 0 && reader.remaining.isMultiple(of: count)
      entries = isShared ? try reader.readEntries(count, byteCount: reader.remaining / count) : count == 0 ? [] : nil
      return
    }
    entries = try reader.readEntries(count, byteCount: length == 0 ? nil : Int(length))
  }

  package func write(to writer: inout ByteWriter) { writer.write(payload) }
}

extension ByteReader {
  /// Reads `count` descriptions of `byteCount` bytes each. If `byteCount` is `nil`, each description begins with its
  /// own length.
  fileprivate mutating func readEntries(_ count: Int, byteCount: Int?) throws(MovieError) -> [Bytes] {
    var entries: [Bytes] = []
    for _ in 0..<count {
      let length = if let byteCount { byteCount } else { Int(try read(UInt32.self)) }
      entries.append(try readBytes(length))
    }
    return entries
  }
}

/// The assignment of samples to groups, for one grouping type: the `sbgp` atom, versions 0 and 1, in `stbl` or `traf`
/// (ISO/IEC 14496-12 8.9.2).
///
/// The table is a view of the bytes: an entry is decoded when it is accessed. Samples after the last entry belong to
/// no group, or to the default group of `sgpd`.
package struct SampleToGroupTable: AtomPayload {
  /// A run of samples in one group.
  package struct Entry: Hashable, Sendable {
    package let sampleCount: UInt32
    /// The number of the group description as stored. The number is 0 for no group, and above 0x10000 for a
    /// description in the same fragment.
    package let descriptionIndex: UInt32

    /// The index of the description in the `sgpd` of the same fragment (8.9.4). The index is `nil` if the samples
    /// belong to no group or to a group that the movie's `sgpd` describes.
    package var fragmentDescriptionIndex: Int? {
      descriptionIndex > 0x1_0000 ? Int(descriptionIndex) - 0x1_0001 : nil
    }
  }

  /// The bytes after the atom's header, including entries and tail.
  package let payload: Bytes
  /// The grouping type, such as `roll` or `seig`.
  package let groupingType: FourCC
  /// The parameter that distinguishes groupings of one type, or `nil` in version 0.
  package let parameter: UInt32?
  package let count: Int

  private let entriesStart: Int

  /// Reads the table. Throws if the declared entries do not fit in the bytes, or for a version above 1.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upToVersion: 1)
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
    precondition(index >= 0 && index < count, "the index of the entry is outside the table")
    let offset = entriesStart &+ index &* 8  // The initializer checked that these bytes are available.
    return Entry(
      sampleCount: payload.entry(at: offset, as: UInt32.self),
      descriptionIndex: payload.entry(at: offset &+ 4, as: UInt32.self))
  }
}

/// A reader of the entries of a `subs` atom (ISO/IEC 14496-12 8.7.7). The entries divide samples into subsamples.
package struct SubsampleEntries {
  package struct Subsample: Equatable {
    package let byteCount: UInt32
    /// The priority, discardability and codec-specific parameters, in 6 bytes.
    package let properties: Bytes
  }

  /// The flags, which define the meaning of the subsamples.
  package let flags: UInt32
  /// Whether sizes have 32 bits instead of 16.
  package let isWide: Bool
  private var reader: ByteReader
  private var remainingCount: UInt32
  /// The number of the sample that the last entry describes, counted from 1.
  private var lastSampleNumber: Int

  /// Prepares to read a payload. The first sample delta is added to `firstSample`. Throws if the header is truncated.
  package init(_ payload: Bytes, firstSample: Int) throws(MovieError) {
    reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upToVersion: 1)
    (flags, isWide) = (header.flags, header.version == 1)
    remainingCount = try reader.read()
    lastSampleNumber = firstSample
  }

  /// Returns the number of the next sample, counted from 1, with its subsamples, or `nil` after the last sample.
  /// Throws if the bytes end too early.
  package mutating func next() throws(MovieError) -> (sampleNumber: Int, subsamples: [Subsample])? {
    guard remainingCount > 0 else { return nil }
    remainingCount -= 1
    lastSampleNumber += Int(try reader.read(UInt32.self))
    var subsamples: [Subsample] = []
    for _ in 0..<(try reader.read(UInt16.self)) {
      let byteCount = isWide ? try reader.read(UInt32.self) : UInt32(try reader.read(UInt16.self))
      subsamples.append(Subsample(byteCount: byteCount, properties: try reader.readBytes(6)))
    }
    return (lastSampleNumber, subsamples)
  }
}
