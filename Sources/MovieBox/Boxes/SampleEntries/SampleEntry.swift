/// A sample description with its format. The fields that depend on the media are kept as undecoded bytes, for
/// ``VideoDescription`` and ``SoundDescription``.
package struct SampleEntry: Hashable, Sendable {
  /// The format, such as `avc1`, `mp4a` or `tx3g`.
  package var format: FourCC
  package var reserved: Bytes
  /// The number of the ``DataReference`` entry for the file that contains the samples, from 1.
  package var dataReferenceIndex: UInt16
  /// The bytes after size, format, reserved bytes and data reference index.
  package var body: Bytes

  package init(format: FourCC, dataReferenceIndex: UInt16 = 1, body: Bytes) {
    self.format = format
    self.reserved = .zeros(6)
    self.dataReferenceIndex = dataReferenceIndex
    self.body = body
  }

  /// The size of the fields before ``body``.
  static let headerByteCount = 16

  /// Reads an entry from a reader that contains only this entry. The caller has checked the size.
  package init(reading reader: inout ByteReader) throws(MovieError) {
    _ = try reader.read(UInt32.self)
    format = try reader.readFourCC()
    reserved = try reader.readBytes(6)
    dataReferenceIndex = try reader.read()
    body = reader.readRest()
  }

  /// Writes the entry, including its size.
  package func write(to writer: inout ByteWriter) {
    writer.atom(format) { writer in
      writer.write(reserved, count: 6)
      writer.write(dataReferenceIndex)
      writer.write(body)
    }
  }
}

extension ByteReader {
  /// Reads an entry that begins with its size. Returns a reader of the entry's bytes, including the size.
  ///
  /// Throws if the size is below `headerByteCount` or the entry extends past the list.
  mutating func readEntry(_ number: Int, headerByteCount: Int) throws(MovieError) -> ByteReader {
    guard let declaredByteCount = bytes.load(at: position, as: UInt32.self) else {
      throw failure(.truncated, "entry \(number) needs \(headerByteCount) bytes, but has room for only \(remaining)")
    }
    guard let byteCount = Int(exactly: declaredByteCount), byteCount >= headerByteCount, byteCount <= remaining else {
      throw failure(
        .malformed,
        "entry \(number) declares \(declaredByteCount) bytes; valid sizes are \(headerByteCount) to \(remaining)"
      )
    }
    return ByteReader(try readBytes(byteCount))
  }
}

/// The sample descriptions of a track: the `stsd` atom (QTFF "Sample Description Atoms").
package struct SampleDescriptions {
  /// The version. It is 0, or 1 in an ISO file if a sound description has version 1.
  package var version: UInt8 = 0
  package var flags: UInt32 = 0
  /// The descriptions. Chunks refer to them by number, from 1.
  package var entries: [SampleEntry]
  package var tail = Bytes()
}

extension SampleDescriptions: AtomPayload {
  /// Parses `stsd`. Throws if an entry is shorter than its header or extends past the atom, if the declared entries
  /// do not fit, or if the version is above 1.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upToVersion: 1)
    version = header.version
    flags = header.flags
    let declaredCount = try reader.read(UInt32.self)
    entries = []
    for number in 1..<(try reader.checkedCount(declaredCount, width: SampleEntry.headerByteCount)) + 1 {
      var entry = try reader.readEntry(number, headerByteCount: SampleEntry.headerByteCount)
      entries.append(try SampleEntry(reading: &entry))
    }
    tail = reader.readRest()
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(FullAtomHeader(version: version, flags: flags))
    writer.write(UInt32(clamping: entries.count))
    for entry in entries { entry.write(to: &writer) }
    writer.write(tail)
  }
}

/// The atoms at the end of a sample description, such as `esds` and `colr`.
package struct SampleEntryAtoms: Hashable, Sendable {
  package struct Atom: Hashable, Sendable {
    package let type: FourCC
    package let payload: Bytes
    /// Whether the size field has 64 bits.
    package let hasWideSize: Bool

    package init(_ type: FourCC, _ payload: Bytes, hasWideSize: Bool = false) {
      self.type = type
      self.payload = payload
      self.hasWideSize = hasWideSize
    }

    /// Writes the atom with its header.
    package func write(to writer: inout ByteWriter) {
      writer.write(AtomHeader.bytes(UInt64(payload.count) + (hasWideSize ? 16 : 8), type, isWide: hasWideSize))
      writer.write(payload)
    }
  }

  /// The atoms in file order, without the zero-type terminator at the end of some lists.
  package let atoms: [Atom]
  /// The bytes after the last atom that do not form an atom. Zeros that terminate the list are omitted (QTFF "Sample
  /// Description Atoms").
  package let rest: Bytes

  /// Parses the bytes after the known fields of a sample description, or the payload of an atom that contains atoms.
  package init(_ bytes: Bytes) {
    var list = AtomList(bytes)
    var atoms: [Atom] = []
    while let atom = list.next() {
      if atom.type.rawValue != 0 { atoms.append(Atom(atom.type, atom.payload, hasWideSize: atom.hasWideSize)) }
    }
    self.atoms = atoms
    let trailingBytes = list.rest
    rest = trailingBytes.allSatisfy { $0 == 0 } ? Bytes() : trailingBytes
  }

  /// The payload of the first atom of a type, or `nil` if no atom has the type.
  package subscript(type: FourCC) -> Bytes? { atoms.first { $0.type == type }?.payload }
}
