// `saiz` and `saio` contain the sizes and the offsets of information beside the samples, such as encryption vectors.
// Both begin with the same fields.

/// The kind of auxiliary information, of which the same samples may have several (ISO/IEC 14496-12 8.7.8).
package struct AuxiliaryInformationType: Hashable, Sendable {
  /// The type, such as `cenc`.
  package let type: FourCC
  /// A number that means what the type says.
  package let parameter: UInt32

  init(_ reader: inout ByteReader) throws(MovieError) {
    type = try reader.readFourCC()
    parameter = try reader.read()
  }
}

/// The first fields of an `saiz` or `saio` atom (ISO/IEC 14496-12 8.7.8 and 8.7.9).
package struct AuxiliaryInformationHead {
  /// The version of the atom.
  package let version: UInt8
  /// The kind of information; `nil` if the sample description implies it.
  package let kind: AuxiliaryInformationType?

  /// The number of bytes of these fields.
  package var byteCount: Int { kind == nil ? 4 : 12 }

  /// Reads it; throws for versions above `newestVersion`.
  package init(_ reader: inout ByteReader, upTo newestVersion: UInt8 = .max) throws(MovieError) {
    let header = try reader.readFullAtomHeader(upTo: newestVersion)
    version = header.version
    kind = header.flags & 0x1 != 0 ? try AuxiliaryInformationType(&reader) : nil
  }
}

/// The sizes of the samples' auxiliary information: the `saiz` atom (ISO/IEC 14496-12 8.7.8).
///
/// It lies in `stbl`, or in `traf`. A view: a size is computed from the bytes when asked for. Where all sizes are equal
/// the file stores no table, so that ``count`` is then not backed by table entries.
package struct AuxiliaryInformationSizes: AtomPayload {
  /// All bytes after the atom's header, sizes and tail.
  package let payload: Bytes
  /// The kind of information: its type and parameter; `nil` if the sample description implies it.
  package let kind: AuxiliaryInformationType?
  /// The size of all, where they are equal; 0 where each sample has its own.
  package let defaultSize: UInt8
  /// The number of samples.
  package private(set) var count: Int

  private let sizesStart: Int

  /// Reads the table; throws when the bytes have no room for the sizes that it claims, and for versions above 0.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    kind = try AuxiliaryInformationHead(&reader, upTo: 0).kind
    defaultSize = try reader.read()
    count = defaultSize == 0 ? try reader.readEntryCount(bitsPerEntry: 8) : Int(try reader.read(UInt32.self))
    sizesStart = reader.position
    self.payload = payload
  }

  /// The sizes of the first samples, at most `count` of them.
  func prefix(_ count: Int) -> AuxiliaryInformationSizes {
    var sizes = self
    sizes.count = Swift.min(self.count, Swift.max(0, count))
    return sizes
  }

  /// The size of the information of the samples of `range` together; the range must lie within `0..<count`.
  ///
  /// Less than 2³² samples of less than 2⁸ bytes: it cannot overflow.
  package func byteCount(of range: Range<Int>) -> UInt64 {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range of samples outside the table")
    if defaultSize != 0 { return UInt64(range.count) &* UInt64(defaultSize) }
    var sum: UInt64 = 0
    for index in range { sum &+= UInt64(self[index]) }
    return sum
  }
}

extension AuxiliaryInformationSizes: EntryTable {
  /// The size of the information of the sample at `index`, which must be below `count`.
  package subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count, "index of a sample outside the table")
    // count bytes are there: the initialiser checked.
    return defaultSize != 0 ? defaultSize : payload.entry(at: sizesStart &+ index, as: UInt8.self)
  }
}

/// The positions of the samples' auxiliary information: the `saio` atom, versions 0 and 1 (ISO/IEC 14496-12 8.7.9).
///
/// In `stbl` positions count from the start of the file, in `traf` from the base of the fragment's data; there is one
/// for all samples, or one for each chunk or run. A view: a position is computed from the bytes when asked for.
package struct AuxiliaryInformationOffsets: AtomPayload {
  /// All bytes after the atom's header, positions and tail.
  package let payload: Bytes
  /// The kind of information: its type and parameter; `nil` if the sample description implies it.
  package let kind: AuxiliaryInformationType?
  /// Whether positions have 64 bits (version 1), not 32.
  package let isWide: Bool
  /// The number of positions.
  package let count: Int

  private let offsetsStart: Int

  /// Reads the table; throws when the bytes have no room for the positions that it claims, and for versions above 1.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let head = try AuxiliaryInformationHead(&reader, upTo: 1)
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
    precondition(index >= 0 && index < count, "index of a position outside the table")
    // count × width bytes are there: the initialiser checked.
    return isWide
      ? payload.entry(at: offsetsStart &+ index &* 8, as: UInt64.self)
      : UInt64(payload.entry(at: offsetsStart &+ index &* 4, as: UInt32.self))
  }
}
