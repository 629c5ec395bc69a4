/// One sample description: its format, and the fields that belong to the kind of media as bytes.
///
/// ``VideoDescription`` and ``SoundDescription`` read those.
package struct SampleEntry: Hashable, Sendable {
  /// The format of the samples, such as `avc1`, `mp4a` or `tx3g`.
  package var format: FourCC
  package var reserved: Bytes
  /// The entry of ``DataReference`` with the file of the samples, counted from 1.
  package var dataReferenceIndex: UInt16
  /// The bytes after the 16 of size, format, reserved and index.
  package var body: Bytes

  /// A description of these values.
  package init(format: FourCC, dataReferenceIndex: UInt16 = 1, body: Bytes) {
    self.format = format
    self.reserved = .zeros(6)
    self.dataReferenceIndex = dataReferenceIndex
    self.body = body
  }

  /// The bytes before the body.
  static let headerByteCount = 16

  /// Reads an entry from a reader that holds nothing else; its size was checked.
  package init(reading reader: inout ByteReader) throws(MovieError) {
    _ = try reader.read(UInt32.self)
    format = try reader.readFourCC()
    reserved = try reader.readBytes(6)
    dataReferenceIndex = try reader.read()
    body = reader.readRest()
  }

  /// Writes the entry with its size.
  package func write(to writer: inout ByteWriter) {
    writer.atom(format) { writer in
      writer.write(reserved, count: 6)
      writer.write(dataReferenceIndex)
      writer.write(body)
    }
  }
}

extension ByteReader {
  /// Reads the entry of a list whose entries begin with their size; the reader that it gives begins with the size.
  ///
  /// Throws when the size is below that of the entry's header or leaves the list.
  mutating func readEntry(_ number: Int, headerByteCount: Int) throws(MovieError) -> ByteReader {
    guard let declared = bytes.load(at: position, as: UInt32.self) else {
      throw failure(.truncated, "entry \(number) needs \(headerByteCount) bytes, \(remaining) left")
    }
    guard let byteCount = Int(exactly: declared), byteCount >= headerByteCount, byteCount <= remaining else {
      throw failure(
        .malformed, "entry \(number) claims \(declared) bytes, at least \(headerByteCount) and at most \(remaining) fit"
      )
    }
    return ByteReader(try readBytes(byteCount))
  }
}

/// The formats of a track's samples: the `stsd` atom (QTFF "Sample Description Atoms").
package struct SampleDescriptions {
  /// 0; 1 in ISO files whose sound descriptions are of version 1.
  package var version: UInt8 = 0
  package var flags: UInt32 = 0
  /// The descriptions. Chunks count them from 1.
  package var entries: [SampleEntry]
  package var tail = Bytes()
}

extension SampleDescriptions: AtomPayload {
  /// Parses `stsd`. Throws when an entry is shorter than its header or leaves the atom, when there is no room for the
  /// entries that it claims, and for versions above 1.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upTo: 1)
    version = header.version
    flags = header.flags
    let declared = try reader.read(UInt32.self)
    entries = []
    for number in 1..<(try reader.checkedCount(declared, width: SampleEntry.headerByteCount)) + 1 {
      var entry = try reader.readEntry(number, headerByteCount: SampleEntry.headerByteCount)
      entries.append(try SampleEntry(reading: &entry))
    }
    tail = reader.readRest()
  }

  /// Writes `stsd`.
  package func write(to writer: inout ByteWriter) {
    writer.write(FullAtomHeader(version: version, flags: flags))
    writer.write(UInt32(clamping: entries.count))
    for entry in entries { entry.write(to: &writer) }
    writer.write(tail)
  }
}

/// The atoms at the end of a sample description, such as `esds` and `colr`, one after the other.
package struct SampleEntryAtoms: Hashable, Sendable {
  package struct Atom: Hashable, Sendable {
    /// The type.
    package let type: FourCC
    /// The bytes after the header.
    package let payload: Bytes
    /// Whether the size has 64 bits.
    package let hasWideSize: Bool

    /// An atom of these bytes.
    package init(_ type: FourCC, _ payload: Bytes, hasWideSize: Bool = false) {
      self.type = type
      self.payload = payload
      self.hasWideSize = hasWideSize
    }

    /// Writes header and payload.
    package func write(to writer: inout ByteWriter) {
      writer.write(AtomHeader.bytes(UInt64(payload.count) + (hasWideSize ? 16 : 8), type, isWide: hasWideSize))
      writer.write(payload)
    }
  }

  /// The atoms, in order; one of type 0, which ends some lists, is not among them.
  package let atoms: [Atom]
  /// The bytes after the atoms that form no atom; empty if they are zeros, which end some lists (QTFF "Sample
  /// Description Atoms").
  package let rest: Bytes

  /// Reads the bytes after the known fields of a sample description, or those in one of its atoms.
  package init(_ bytes: Bytes) {
    var list = AtomList(bytes)
    var atoms: [Atom] = []
    while let atom = list.next() {
      if atom.type.rawValue != 0 { atoms.append(Atom(atom.type, atom.payload, hasWideSize: atom.hasWideSize)) }
    }
    self.atoms = atoms
    let left = list.rest
    rest = left.allSatisfy { $0 == 0 } ? Bytes() : left
  }

  /// The payload of the first atom of a type.
  package subscript(type: FourCC) -> Bytes? { atoms.first { $0.type == type }?.payload }
}
