/// The files that contain the media of a track: the `dref` atom (QTFF "Data Reference Atoms").
package struct DataReference {
  /// A reference to a file. The reference may name any file, so callers must check it before they open the file.
  package struct Entry: Hashable, Sendable {
    /// The type: `url `, `urn `, `alis` or `rsrc`.
    package var type: FourCC
    package var version: UInt8
    /// The 24 bits of flags. 0x1 means that the media is in the same file.
    package var flags: UInt32
    /// The URL or alias as stored. It is empty if the media is in the same file.
    package var data: Bytes

    package init(type: FourCC, version: UInt8 = 0, flags: UInt32, data: Bytes = Bytes()) {
      self.type = type
      self.version = version
      self.flags = flags
      self.data = data
    }

    /// Whether the media is in the same file as the entry.
    package var isSelfContained: Bool { flags & 0x1 != 0 }
  }

  package var version: UInt8 = 0
  package var flags: UInt32 = 0
  /// The references. Sample descriptions refer to them by number, from 1.
  package var entries: [Entry]
  package var tail = Bytes()

  /// Whether the media of a sample description is in another file. The result is `false` if the description refers to
  /// a missing entry.
  package func isExternal(_ description: SampleEntry) -> Bool {
    let index = Int(description.dataReferenceIndex) - 1
    return entries.indices.contains(index) && !entries[index].isSelfContained
  }

  /// Whether any entry refers to another file.
  package var refersToOtherFiles: Bool { entries.contains { !$0.isSelfContained } }

  /// The data references of a track whose media is in the same file.
  package static let selfContained = DataReference(entries: [Entry(type: "url ", flags: 0x1)])
}

extension DataReference: AtomPayload {
  /// Parses `dref`. Throws if an entry is shorter than its header or extends past the atom, if the declared entries
  /// do not fit, or if the version is above 0.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upToVersion: 0)
    version = header.version
    flags = header.flags
    let declaredCount = try reader.read(UInt32.self)
    entries = []
    for number in 1..<(try reader.checkedCount(declaredCount, width: 12)) + 1 {
      var entry = try reader.readEntry(number, headerByteCount: 12)
      _ = try entry.read(UInt32.self)
      let type = try entry.readFourCC()
      let header = try entry.readFullAtomHeader()
      entries.append(Entry(type: type, version: header.version, flags: header.flags, data: entry.readRest()))
    }
    tail = reader.readRest()
  }

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
