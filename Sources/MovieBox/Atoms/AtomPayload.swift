/// The payload of an atom of a known type. It is parsed on demand, and written back to the same bytes.
///
/// Parsing and writing round-trip for every payload that parses: whatever an implementation does not
/// understand (later fields, a tail, odd padding) it keeps. A version that it does not know is `.unsupported`.
package protocol AtomPayload: Hashable, Sendable {
  /// Parses the bytes after the atom's header. Offsets in errors count from the first of those bytes.
  init(payload: Bytes) throws(MovieError)

  /// Writes the bytes after the atom's header.
  func write(to writer: inout ByteWriter)
}

extension AtomPayload {
  /// The bytes after the atom's header.
  package var payloadBytes: [UInt8] {
    var writer = ByteWriter()
    write(to: &writer)
    return writer.bytes
  }
}

/// The version and flags that begin a full atom.
package struct FullAtomHeader: Hashable, Sendable {
  /// The version of the layout.
  package var version: UInt8
  /// 24 bits of flags.
  package var flags: UInt32

  /// A header with these values; `flags` keeps its low 24 bits.
  package init(version: UInt8 = 0, flags: UInt32 = 0) {
    self.version = version
    self.flags = flags & 0xFF_FFFF
  }
}

extension ByteReader {
  /// Reads version and flags.
  package mutating func readFullAtomHeader() throws(MovieError) -> FullAtomHeader {
    let word = try read(UInt32.self)
    return FullAtomHeader(version: UInt8(truncatingIfNeeded: word >> 24), flags: word)
  }

  /// Reads version and flags, and refuses a version above `newest`.
  package mutating func readFullAtomHeader(upTo newest: UInt8) throws(MovieError) -> FullAtomHeader {
    let header = try readFullAtomHeader()
    guard header.version <= newest else {
      throw MovieError(.unsupported, at: 0, "version \(header.version), newest known is \(newest)")
    }
    return header
  }
}

extension ByteWriter {
  /// Writes version and flags.
  package mutating func write(_ header: FullAtomHeader) {
    write(UInt32(header.version) << 24 | header.flags)
  }
}
