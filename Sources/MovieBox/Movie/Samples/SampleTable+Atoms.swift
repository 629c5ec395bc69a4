// Rarely used atoms of a sample table: descriptions, sample flags (`sdtp`, `padb`, `stdp`) and auxiliary information.
// Also computes the decoding requirements of H.263.

extension AtomTree {
  /// Returns the sample table (`stbl`) of a track, or `nil` if there is none.
  package func sampleTable(ofTrack trak: Int) -> Int? { descendant(of: trak, "mdia", "minf", "stbl") }

  package func sampleDescriptions(ofTrack trak: Int) -> [Int] {
    descendant(of: trak, "mdia", "minf", "stbl", "stsd").map { Array(children(of: $0)) } ?? []
  }

  /// Returns the payload of an atom in a sample description, or in its `wave` in QuickTime files. Returns `nil` if
  /// there is no such atom.
  package func configuration(_ type: FourCC, of entry: Int) -> Bytes? {
    (child(of: entry, type) ?? descendant(of: entry, "wave", type)).map(payload(of:))
  }
}

extension SampleTable {
  /// Reads the tables of an `stbl` atom.
  init(in stbl: Int, of tree: AtomTree) throws(MovieError) {
    let sizes: SampleSizeTable
    if let stsz = tree.child(of: stbl, "stsz") {
      sizes = try tree.locating(stsz) { bytes throws(MovieError) in try SampleSizeTable(payload: bytes) }
    } else {
      let stz2 = try tree.require("stz2", named: "stsz", in: stbl)
      sizes = try tree.locating(stz2) { bytes throws(MovieError) in try SampleSizeTable(compactPayload: bytes) }
    }
    let isWide = tree.child(of: stbl, "stco") == nil
    let offsets = try tree.require(isWide ? "co64" : "stco", named: "stco", in: stbl)
    self.init(
      timeToSample: try tree.decode(TimeToSampleTable.self, required: "stts", in: stbl),
      compositionOffsets: try tree.decode(CompositionOffsetTable.self, "ctts", in: stbl),
      sampleToChunk: try tree.decode(SampleToChunkTable.self, required: "stsc", in: stbl),
      sampleSizes: sizes,
      chunkOffsets: try tree.locating(offsets) { bytes throws(MovieError) in
        try ChunkOffsetTable(payload: bytes, isWide: isWide)
      },
      syncSamples: try tree.decode(SyncSampleTable.self, "stss", in: stbl))
  }
}

/// The flags of samples in `sdtp`, `padb` and `stdp`. Missing tables and entries are read as zeros.
package struct SampleFlagTables {
  private let dependencies: Bytes
  private let paddings: Bytes
  private let priorities: Bytes

  /// Reads the tables of an `stbl` atom.
  package init(in stbl: Int, of tree: AtomTree) {
    func fields(_ type: FourCC, after header: Int) -> Bytes {
      tree.child(of: stbl, type).map { tree.payload(of: $0).dropFirst(header) } ?? Bytes()
    }
    dependencies = fields("sdtp", after: 4)
    paddings = fields("padb", after: 8)
    priorities = fields("stdp", after: 4)
  }

  /// The number of samples with a field in any of the tables.
  package var sampleCount: Int { Swift.max(dependencies.count, paddings.count * 2, priorities.count / 2) }

  /// Returns the byte of a sample in `sdtp`. Samples are numbered from 0.
  package func dependencies(of sample: Int) -> UInt8 { dependencies.load(at: sample, as: UInt8.self) ?? 0 }

  /// Returns the number of padding bits at the end of a sample. A byte of `padb` describes two samples.
  package func padding(of sample: Int) -> UInt8 {
    let bits = paddings.load(at: sample / 2, as: UInt8.self) ?? 0
    return (sample % 2 == 0 ? bits >> 4 : bits) & 7
  }

  /// Returns the degradation priority of a sample in `stdp`.
  package func priority(of sample: Int) -> UInt16 { priorities.load(at: 2 * sample, as: UInt16.self) ?? 0 }
}

extension Track {
  /// A range of auxiliary information, such as encryption parameters.
  package struct AuxiliaryRange: Hashable, Sendable {
    package let range: ByteRange
    /// The index of the first sample with information in the range.
    package let firstSample: Int
  }

  /// Returns the ranges of the auxiliary information that `saiz` and `saio` in `stbl` describe (ISO/IEC
  /// 14496-12 8.7.8 and 8.7.9).
  ///
  /// Makes a pass over the chunks if each chunk has a position. Throws an error with the path and offset if the atoms
  /// are damaged, contradict each other or do not match the track.
  package func auxiliaryInformation(in tree: AtomTree) throws(MovieError) -> [AuxiliaryRange] {
    guard let stbl = tree.sampleTable(ofTrack: atom) else { return [] }
    var sizesByType: [AuxiliaryInformationType?: AuxiliaryInformationSizes] = [:]
    for saiz in tree.children(of: stbl, "saiz") {
      let sizes = try tree.decode(AuxiliaryInformationSizes.self, at: saiz)
      if sizesByType[sizes.kind] == nil { sizesByType[sizes.kind] = sizes }
    }
    var ranges: [AuxiliaryRange] = []
    for saio in tree.children(of: stbl, "saio") {
      let offsets = try tree.decode(AuxiliaryInformationOffsets.self, at: saio)
      guard let sizes = sizesByType[offsets.kind] else {
        throw Self.failure(saio, of: tree, "has no saiz of the same type, so the sizes are unknown")
      }
      guard offsets.count == 1 || offsets.count == samples.chunkCount else {
        throw Self.failure(
          saio, of: tree, "has \(offsets.count) positions, but the track has \(samples.chunkCount) chunks")
      }
      func append(_ offset: UInt64, _ samples: Range<Int>) throws(MovieError) {
        let clamped = samples.clamped(to: 0..<sizes.count)
        guard let range = ByteRange(offset: offset, count: sizes.byteCount(of: clamped)) else {
          throw Self.failure(
            saio, of: tree,
            "has the position \(offset), but the end of the information at this position exceeds 64 bits")
        }
        if range.count > 0 { ranges.append(AuxiliaryRange(range: range, firstSample: samples.lowerBound)) }
      }
      if offsets.count == 1 {
        // Ignore sizes for which the track has no samples.
        try append(offsets[0], 0..<Swift.min(sizes.count, samples.sampleCount))
        continue
      }
      for chunk in samples.chunks {
        try append(offsets[chunk.index], chunk.firstSample..<chunk.firstSample + chunk.sampleCount)
      }
    }
    return ranges
  }

  private static func failure(_ index: Int, of tree: AtomTree, _ reason: String) -> MovieError {
    tree.error(.malformed, at: index, reason)
  }

  /// Returns the average decoding requirements of an H.263 track, or `nil` if the track has no duration.
  package func h263Requirements(_ description: VideoDescription) -> H263Pictures.Requirements? {
    let ticks = samples.timeToSample.reduce(0.0) { $0 + Double($1.sampleCount) * Double($1.duration) }
    guard ticks > 0, mediaHeader.timeScale > 0 else { return nil }
    let seconds = ticks / Double(mediaHeader.timeScale)
    return H263Pictures.Requirements(
      width: Int(description.width), height: Int(description.height),
      picturesPerSecond: Double(samples.sampleCount) / seconds, bitsPerSecond: Double(mediaByteCount) * 8 / seconds)
  }
}
