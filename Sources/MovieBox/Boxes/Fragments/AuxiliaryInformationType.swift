/// What distinguishes several kinds of auxiliary information about the same samples (ISO/IEC 14496-12 8.7.8).
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

/// What an `saiz` or `saio` atom begins with (ISO/IEC 14496-12 8.7.8 and 8.7.9).
package struct AuxiliaryInformationHead {
  /// The version of the atom.
  package let version: UInt8
  /// Which information it is about; `nil` where the sample description implies it.
  package let kind: AuxiliaryInformationType?

  /// How many bytes it has.
  package var byteCount: Int { kind == nil ? 4 : 12 }

  /// Reads it; throws for versions above `newestVersion`.
  package init(_ reader: inout ByteReader, upTo newestVersion: UInt8 = .max) throws(MovieError) {
    let header = try reader.readFullAtomHeader(upTo: newestVersion)
    version = header.version
    kind = header.flags & 0x1 != 0 ? try AuxiliaryInformationType(&reader) : nil
  }
}
