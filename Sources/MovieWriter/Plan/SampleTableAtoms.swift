package import MovieBox

/// Encodes the atoms of sample tables. There is one encoder for each atom, regardless of the origin of the track.
///
/// The parameter `head` is the version and flags, and `tail` is the bytes after the entries.
package enum SampleTableAtoms {
  /// Version 0 without flags.
  static let head = Bytes([0, 0, 0, 0])

  /// Returns `stts` with one entry for each run of samples of equal duration (ISO/IEC 14496-12 8.6.1.2).
  static func timeToSample(_ runs: some Collection<(count: Int, duration: UInt32)>) -> [UInt8] {
    table("stts", pairs: runs.lazy.map { (count: $0.count, value: $0.duration) })
  }

  /// Returns `ctts` with one entry for each run of samples with equal offsets. Version 1 has signed offsets (8.6.1.3).
  static func compositionOffsets(_ runs: some Collection<(count: Int, offset: Int32)>) -> [UInt8] {
    let isSigned = runs.contains { $0.offset < 0 }
    return table(
      "ctts", head: isSigned ? Bytes([1, 0, 0, 0]) : head,
      pairs: runs.lazy.map { (count: $0.count, value: UInt32(bitPattern: $0.offset)) })
  }

  /// Returns `stsc` with one entry for each run of chunks with equal sample counts and descriptions (8.7.4).
  static func sampleToChunk(_ chunks: [ChunkPlace], head: Bytes = head, tail: Bytes = Bytes()) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom("stsc") { stsc in
      stsc.write(head)
      let start = stsc.bytes.count
      stsc.write(UInt32(0))
      var entryCount: UInt32 = 0
      var last: ChunkPlace?
      for (index, chunk) in chunks.enumerated() {
        if let last, last.sampleCount == chunk.sampleCount,
          last.sampleDescriptionIndex == chunk.sampleDescriptionIndex
        {
          continue
        }
        last = chunk
        entryCount += 1
        stsc.write(UInt32(clamping: index + 1))
        stsc.write(chunk.sampleCount)
        stsc.write(chunk.sampleDescriptionIndex)
      }
      stsc.patch(entryCount, at: start)
      stsc.write(tail)
    }
    return writer.take()
  }

  /// Returns `stsz` for samples of one size. The size must not be 0, because 0 means that a list of sizes follows
  /// (8.7.3.2).
  static func sampleSizes(_ size: UInt32, ofAll count: Int) -> [UInt8] {
    fullAtom("stsz") { stsz in
      stsz.write(size)
      stsz.write(UInt32(clamping: count))
    }
  }

  /// Returns `stsz` with a list of sizes.
  static func sampleSizes(bigEndianWords sizes: [UInt32]) -> [UInt8] {
    fullAtom("stsz") { stsz in
      stsz.write(UInt32(0))
      stsz.write(UInt32(clamping: sizes.count))
      stsz.reserve(sizes.count * 4)
      stsz.write(bigEndian: sizes)
    }
  }

  /// Returns `co64` if it is requested or an offset requires it, and `stco` otherwise (8.7.5).
  static func chunkOffsets(
    _ offsets: some Collection<UInt64>, isWide isWanted: Bool = false, head: Bytes = head, tail: Bytes = Bytes()
  ) -> (type: FourCC, atom: [UInt8]) {
    let isWide = isWanted || offsets.contains { $0 > UInt64(UInt32.max) }
    let type: FourCC = isWide ? "co64" : "stco"
    return (
      type,
      table(type, head: head, count: offsets.count, tail: tail) { table in
        if isWide {
          table.write(bigEndian: offsets.map(\.bigEndian))
        } else {
          table.write(words: offsets.map { UInt32(truncatingIfNeeded: $0) })
        }
      }
    )
  }

  /// Returns `stss`, which lists the numbers of the sync samples, counted from 1 (8.6.2).
  static func syncSamples(_ runs: some Sequence<(count: Int, isSync: Bool)>) -> [UInt8] {
    var numbers: [UInt32] = []
    var first = 1
    for run in runs {
      if run.isSync { for number in first..<first + run.count { numbers.append(UInt32(clamping: number)) } }
      first += run.count
    }
    return syncSamples(numbers, as: "stss")
  }

  /// Returns `stss` or `stps` with these sample numbers.
  static func syncSamples(_ numbers: [UInt32], as type: FourCC) -> [UInt8] {
    table(type, count: numbers.count) { $0.write(words: numbers) }
  }

  /// Returns `sbgp` with one entry for each run of samples in one group. Version 1 has the grouping parameter (8.9.2).
  package static func sampleGroups(
    _ type: FourCC, parameter: UInt32? = nil, _ runs: some Collection<(count: Int, group: UInt32)>
  ) -> [UInt8] {
    fullAtom("sbgp", version: parameter == nil ? 0 : 1) { sbgp in
      sbgp.write(type)
      if let parameter { sbgp.write(parameter) }
      sbgp.write(UInt32(clamping: runs.count))
      for run in runs {
        sbgp.write(UInt32(clamping: run.count))
        sbgp.write(run.group)
      }
    }
  }

  /// Returns `sgpd` with the descriptions of the groups. Version 2 has a default description (8.9.3).
  static func groupDescriptions(
    _ type: FourCC, version: UInt8 = 1, defaultIndex: UInt32 = 0, _ entries: [Bytes]
  ) -> [UInt8] {
    let length = entries.allSatisfy { $0.count == entries.first?.count } ? entries.first?.count ?? 0 : 0
    return fullAtom("sgpd", version: version) { sgpd in
      sgpd.write(type)
      sgpd.write(UInt32(clamping: length))
      if version >= 2 { sgpd.write(defaultIndex) }
      sgpd.write(UInt32(clamping: entries.count))
      for entry in entries {
        if length == 0 { sgpd.write(UInt32(clamping: entry.count)) }
        sgpd.write(entry)
      }
    }
  }

  /// Returns an atom with version and flags.
  static func fullAtom(
    _ type: FourCC, version: UInt8 = 0, flags: UInt32 = 0, _ body: (inout ByteWriter) -> Void
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom(type) { atom in
      atom.write(FullAtomHeader(version: version, flags: flags))
      body(&atom)
    }
    return writer.take()
  }

  /// Returns a table whose entries are a count and a value.
  private static func table(
    _ type: FourCC, head: Bytes = head, pairs: some Collection<(count: Int, value: UInt32)>
  ) -> [UInt8] {
    // The words are written in bulk, because a table may have a million entries.
    var words: [UInt32] = []
    words.reserveCapacity(pairs.count * 2)
    for pair in pairs {
      words.append(UInt32(clamping: pair.count))
      words.append(pair.value)
    }
    return table(type, head: head, count: pairs.count) { $0.write(words: words) }
  }

  /// Returns a table that contains the number of entries before the entries.
  private static func table(
    _ type: FourCC, head: Bytes = head, count: Int, tail: Bytes = Bytes(), _ writeEntries: (inout ByteWriter) -> Void
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom(type) { atom in
      atom.write(head)
      atom.write(UInt32(clamping: count))
      writeEntries(&atom)
      atom.write(tail)
    }
    return writer.take()
  }
}

/// A chunk as the sample tables describe it.
struct ChunkPlace: Hashable, Sendable {
  /// The offset of the first sample in the old file.
  let offset: UInt64
  var sampleCount: UInt32
  /// The index of the sample description, counted from 1.
  let sampleDescriptionIndex: UInt32

  /// Creates a chunk. By default, its samples have the first description.
  init(offset: UInt64, sampleCount: UInt32, sampleDescriptionIndex: UInt32 = 1) {
    self.offset = offset
    self.sampleCount = sampleCount
    self.sampleDescriptionIndex = sampleDescriptionIndex
  }
}
