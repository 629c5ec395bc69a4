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
