/// The payload of an atom whose type is known. It is parsed on demand.
///
/// Writing a parsed payload reproduces its bytes. An implementation therefore keeps bytes that it does not understand,
/// such as later fields, a tail or odd padding. Unknown versions are rejected as `.unsupported`.
package protocol AtomPayload: Hashable, Sendable {
  /// Parses the bytes after the atom's header. Offsets in errors count from the start of the payload.
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

/// The version and flags at the start of a full atom.
package struct FullAtomHeader: Hashable, Sendable {
  package var version: UInt8
  /// The flags, in the low 24 bits.
  package var flags: UInt32

  /// Creates a header with the low 24 bits of `flags`.
  package init(version: UInt8 = 0, flags: UInt32 = 0) {
    self.version = version
    self.flags = flags & 0xFF_FFFF
  }
}

extension ByteReader {
  /// Reads the version and flags.
  package mutating func readFullAtomHeader() throws(MovieError) -> FullAtomHeader {
    let word = try read(UInt32.self)
    return FullAtomHeader(version: UInt8(truncatingIfNeeded: word >> 24), flags: word)
  }

  /// Reads the version and flags. Throws `.unsupported` if the version is above `newestVersion`.
  package mutating func readFullAtomHeader(upToVersion newestVersion: UInt8) throws(MovieError) -> FullAtomHeader {
    let header = try readFullAtomHeader()
    guard header.version <= newestVersion else {
      throw MovieError(
        .unsupported, at: 0, "version \(header.version) is unknown: the newest known version is \(newestVersion)")
    }
    return header
  }
}

extension ByteWriter {
  /// Writes the version and flags.
  package mutating func write(_ header: FullAtomHeader) {
    write(UInt32(header.version) << 24 | header.flags)
  }
}
