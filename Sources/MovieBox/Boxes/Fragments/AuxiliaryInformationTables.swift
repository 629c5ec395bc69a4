// `saiz` and `saio` contain the sizes and offsets of auxiliary information about samples, such as encryption vectors.
// Both atoms begin with the same fields.

/// The type of auxiliary information. A sample may have information of several types (ISO/IEC 14496-12 8.7.8).
package struct AuxiliaryInformationType: Hashable, Sendable {
  /// The type, such as `cenc`.
  package let type: FourCC
  /// A parameter whose meaning the type defines.
  package let parameter: UInt32

  init(_ reader: inout ByteReader) throws(MovieError) {
    type = try reader.readFourCC()
    parameter = try reader.read()
  }
}

/// The first fields of an `saiz` or `saio` atom (ISO/IEC 14496-12 8.7.8 and 8.7.9).
package struct AuxiliaryInformationHead {
  package let version: UInt8
  /// The type of information, or `nil` if the sample description implies it.
  package let kind: AuxiliaryInformationType?

  /// The size of the first fields in bytes.
  package var byteCount: Int { kind == nil ? 4 : 12 }

  /// Reads the fields. Throws for a version above `newestVersion`.
  package init(_ reader: inout ByteReader, upToVersion newestVersion: UInt8 = .max) throws(MovieError) {
    let header = try reader.readFullAtomHeader(upToVersion: newestVersion)
    version = header.version
    kind = header.flags & 0x1 != 0 ? try AuxiliaryInformationType(&reader) : nil
  }
}

/// The sizes of the samples' auxiliary information: the `saiz` atom in `stbl` or `traf` (ISO/IEC 14496-12 8.7.8).
///
/// The table is a view of the bytes: a size is decoded when it is accessed. If all sizes are equal, the file stores
/// no table, so ``count`` is not limited by the size of the atom.
package struct AuxiliaryInformationSizes: AtomPayload {
  /// The bytes after the atom's header, including sizes and tail.
  package let payload: Bytes
  /// The type of information, or `nil` if the sample description implies it.
  package let kind: AuxiliaryInformationType?
  /// The size of the information of every sample, or 0 if the sizes differ.
  package let defaultSize: UInt8
  package private(set) var count: Int

  private let sizesStart: Int

  /// Reads the table. Throws if the declared sizes do not fit in the bytes, or for a version above 0.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    kind = try AuxiliaryInformationHead(&reader, upToVersion: 0).kind
    defaultSize = try reader.read()
    count = defaultSize == 0 ? try reader.readEntryCount(bitsPerEntry: 8) : Int(try reader.read(UInt32.self))
    sizesStart = reader.position
    self.payload = payload
  }

  /// Returns a table of the first `count` samples.
  func prefix(_ count: Int) -> AuxiliaryInformationSizes {
    var sizes = self
    sizes.count = Swift.min(self.count, Swift.max(0, count))
    return sizes
  }

  /// Returns the total size of the information of the samples in `range`, which must lie within `0..<count`.
  ///
  /// The sum cannot overflow: fewer than 2³² samples have less than 2⁸ bytes each.
  package func byteCount(of range: Range<Int>) -> UInt64 {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the range of samples is outside the table")
    if defaultSize != 0 { return UInt64(range.count) &* UInt64(defaultSize) }
    var sum: UInt64 = 0
    for index in range { sum &+= UInt64(self[index]) }
    return sum
  }
}

extension AuxiliaryInformationSizes: EntryTable {
  /// The size of the information of the sample at `index`, which must be below `count`.
  package subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count, "the index of the sample is outside the table")
    // The initializer checked that `count` bytes are available.
    return defaultSize != 0 ? defaultSize : payload.entry(at: sizesStart &+ index, as: UInt8.self)
  }
}

/// The positions of the samples' auxiliary information: the `saio` atom, versions 0 and 1 (ISO/IEC 14496-12 8.7.9).
///
/// In `stbl`, positions count from the start of the file. In `traf`, they count from the base of the fragment's data.
/// The atom stores one position for all samples, or one position for each chunk or run. The table is a view of the
/// bytes: a position is decoded when it is accessed.
package struct AuxiliaryInformationOffsets: AtomPayload {
  /// The bytes after the atom's header, including positions and tail.
  package let payload: Bytes
  /// The type of information, or `nil` if the sample description implies it.
  package let kind: AuxiliaryInformationType?
  /// Whether positions have 64 bits (version 1) instead of 32.
  package let isWide: Bool
  package let count: Int

  private let offsetsStart: Int

  /// Reads the table. Throws if the declared positions do not fit in the bytes, or for a version above 1.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let head = try AuxiliaryInformationHead(&reader, upToVersion: 1)
    isWide = head.version == 1
    kind = head.kind
    count = try reader.readEntryCount(bitsPerEntry: isWide ? 64 : 32)
    offsetsStart = reader.position
    self.payload = payload
  }
}

extension AuxiliaryInformationOffsets: EntryTable {
  /// The position at `index`, which must be below `count`.
  package subscript(index: Int) -> UInt64 {
    precondition(index >= 0 && index < count, "the index of the position is outside the table")
    // The initializer checked that `count` × width bytes are available.
    return isWide
      ? payload.entry(at: offsetsStart &+ index &* 8, as: UInt64.self)
      : UInt64(payload.entry(at: offsetsStart &+ index &* 4, as: UInt32.self))
  }
}
