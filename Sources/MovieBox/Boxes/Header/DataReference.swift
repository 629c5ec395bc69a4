/// The files with the media of a track: the `dref` atom (QTFF "Data Reference Atoms").
package struct DataReference {
  /// One place. It is never followed blindly: it may name any file.
  package struct Entry: Hashable, Sendable {
    /// `url `, `urn `, `alis` or `rsrc`.
    package var type: FourCC
    /// The version of the entry.
    package var version: UInt8
    /// 24 bits of flags; 0x1 says that the media lies in this file.
    package var flags: UInt32
    /// The URL or alias as it stands; empty for media in this file.
    package var data: Bytes

    /// An entry of these values.
    package init(type: FourCC, version: UInt8 = 0, flags: UInt32, data: Bytes = Bytes()) {
      self.type = type
      self.version = version
      self.flags = flags
      self.data = data
    }

    /// Whether the media lies in the file that the entry lies in.
    package var isSelfContained: Bool { flags & 0x1 != 0 }
  }

  package var version: UInt8 = 0
  package var flags: UInt32 = 0
  /// The places. Sample descriptions count them from 1.
  package var entries: [Entry]
  package var tail = Bytes()

  /// Whether the media of a sample description lies in another file; not where the description names no entry. Numbers
  /// of entries are stored from 1.
  package func isExternal(_ description: SampleEntry) -> Bool {
    let index = Int(description.dataReferenceIndex) - 1
    return entries.indices.contains(index) && !entries[index].isSelfContained
  }

  /// Whether an entry names another file.
  package var namesOtherFiles: Bool { entries.contains { !$0.isSelfContained } }

  /// The list of a track whose media lies in the file itself.
  package static let selfContained = DataReference(entries: [Entry(type: "url ", flags: 0x1)])
}

extension DataReference: AtomPayload {
  /// Parses `dref`. Throws when an entry is shorter than its header or leaves the atom, when there is no room for the
  /// entries that it claims, and for versions above 0.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upTo: 0)
    version = header.version
    flags = header.flags
    let declared = try reader.read(UInt32.self)
    entries = []
    for number in 1..<(try reader.checkedCount(declared, width: 12)) + 1 {
      var entry = try reader.readEntry(number, headerByteCount: 12)
      _ = try entry.read(UInt32.self)
      let type = try entry.readFourCC()
      let header = try entry.readFullAtomHeader()
      entries.append(Entry(type: type, version: header.version, flags: header.flags, data: entry.readRest()))
    }
    tail = reader.readRest()
  }

  /// Writes `dref`.
  package func write(to writer: inout ByteWriter) {
    writer.write(FullAtomHeader(version: version, flags: flags))
    writer.write(UInt32(clamping: entries.count))
    for entry in entries {
      writer.atom(entry.type) { writer in
        writer.write(FullAtomHeader(version: entry.version, flags: entry.flags))
        writer.write(entry.data)
      }
    }
    writer.write(tail)
  }
}
