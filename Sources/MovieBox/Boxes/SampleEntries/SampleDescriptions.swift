/// How the samples of a track are to be read: the `stsd` atom (QTFF "Sample Description Atoms").
package struct SampleDescriptions {
  /// 0; 1 in ISO files whose sound descriptions are of version 1.
  package var version: UInt8 = 0
  /// 24 bits of flags; 0.
  package var flags: UInt32 = 0
  /// The descriptions. Chunks count them from 1.
  package var entries: [SampleEntry]
  /// What follows the last entry.
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
