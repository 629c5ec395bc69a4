/// Locates the bytes of a track's chunks: their file and their number.
///
/// Made once a track: what the sample descriptions say is looked up once each, not once a chunk.
///
///     let locator = ChunkLocator(track)
///     for chunk in track.samples.chunks where !locator.isExternal(chunk) {
///       print(locator.byteRange(of: chunk))
///     }
package struct ChunkLocator: Sendable {
  /// Old QuickTime sound says in `stsz` that every sample takes 1 byte, whatever it takes (QTFF "Sound Sample
  /// Descriptions"): how many samples a packet has and how many bytes then stands in the sample description.
  fileprivate struct Packet {
    let sampleCount: UInt64
    let byteCount: UInt64
  }

  private let areExternal: [Bool]
  private let packets: [Packet?]

  /// Examines the sample descriptions and data references of `track`.
  package init(_ track: Track) {
    let entries = track.sampleDescriptions.entries
    areExternal = track.externalDescriptions
    if track.mediaType == .audio, case .uniform(1) = track.samples.sampleSizes.layout {
      packets = entries.map { Packet($0) }
    } else {
      packets = []
    }
  }

  /// Returns the chunks in other files, of the first `count` chunks of the sample table at `stbl`, in order; no two
  /// ranges touch.
  ///
  /// The same as ``isExternal(_:)`` says of a track's chunks, for those who only have its atoms. Costs the entries of
  /// `stsc` where there is a reference to another file.
  package static func externalChunks(
    of stbl: Int, in tree: AtomTree, count: Int
  ) throws(MovieError) -> [Range<Int>] {
    guard let minf = tree[stbl].parent, let dref = tree.descendant(of: minf, "dinf", "dref"),
      let stsd = tree.child(of: stbl, "stsd"), let stsc = tree.child(of: stbl, "stsc")
    else { return [] }
    let references = try tree.decode(DataReference.self, at: dref)
    guard references.namesOtherFiles else { return [] }
    let areExternal = try tree.decode(SampleDescriptions.self, at: stsd).entries.map(references.isExternal)
    return try chunks(of: stsc, in: tree, count: count) { description in
      areExternal.indices.contains(description) && areExternal[description]
    }
  }

  /// Returns the chunks with chosen descriptions, of the first `count` chunks of the `stsc` atom at an index, counted
  /// from 0; in order, and no two ranges touch. Costs its entries.
  package static func chunks(
    of stsc: Int, in tree: AtomTree, count: Int, whereDescription isChosen: (Int) -> Bool
  ) throws(MovieError) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    for run in ChunkRuns(try tree.decode(SampleToChunkTable.self, at: stsc), chunkCount: count) {
      guard !run.chunks.isEmpty, isChosen(Int(run.sampleDescriptionIndex) - 1) else { continue }
      if let last = ranges.last, last.upperBound == run.chunks.lowerBound {
        ranges[ranges.count - 1] = last.lowerBound..<run.chunks.upperBound
      } else {
        ranges.append(run.chunks)
      }
    }
    return ranges
  }

  /// Whether `stsz` alone tells how many bytes a chunk has.
  package var hasNoPackets: Bool { packets.isEmpty }

  /// Whether chunks may lie in other files.
  package var hasExternalChunks: Bool { areExternal.contains(true) }

  /// Whether the chunk lies in another file.
  package func isExternal(_ chunk: Chunk) -> Bool {
    isExternal(description: chunk.sampleDescriptionIndex)
  }

  /// Whether samples of this description, counted from 1 as stored, lie in another file.
  package func isExternal(description: UInt32) -> Bool {
    let index = Int(description) - 1
    return areExternal.indices.contains(index) && areExternal[index]
  }

  /// Returns the range of a chunk's bytes; `nil` if the end does not fit in 64 bits, which only happens in a broken
  /// file.
  package func byteRange(of chunk: Chunk) -> ByteRange? {
    let index = Int(chunk.sampleDescriptionIndex) - 1
    guard packets.indices.contains(index), let packet = packets[index] else { return chunk.byteRange }
    return packet.byteCount(ofSamples: UInt64(chunk.sampleCount)).flatMap { ByteRange(offset: chunk.offset, count: $0) }
  }

  /// Returns the number of samples of a chunk that form a packet, which is only read as a whole.
  package func samplesPerPacket(of chunk: Chunk) -> UInt64 {
    let index = Int(chunk.sampleDescriptionIndex) - 1
    return packets.indices.contains(index) ? packets[index]?.sampleCount ?? 1 : 1
  }

  /// Returns the number of bytes of a run of a chunk's samples, which begins at a packet; `nil` if it does not fit in
  /// 64 bits.
  ///
  /// Costs a pass over their sizes, or nothing where all are equal.
  package func byteCount(of samples: Range<Int>, of chunk: Chunk, _ sizes: SampleSizeTable) -> UInt64? {
    let index = Int(chunk.sampleDescriptionIndex) - 1
    guard packets.indices.contains(index), let packet = packets[index] else { return sizes.byteCount(of: samples) }
    return packet.byteCount(ofSamples: UInt64(samples.count))
  }
}

extension Track {
  /// Whether media of the track may lie in other files.
  package var hasExternalMedia: Bool { dataReferences?.namesOtherFiles ?? false }

  /// Whether the media lies in another file, for each sample description.
  package var externalDescriptions: [Bool] {
    sampleDescriptions.entries.map { dataReferences?.isExternal($0) ?? false }
  }

  /// The first chunk with bytes in the file itself that `isFound` by where these lie; `nil` stands for bytes whose end
  /// would not fit in 64 bits.
  ///
  /// `mayBeFound` is asked first, of all that chunks at some offsets can reach, whatever they hold: most are out of
  /// reach of what is looked for. Walks the chunks only as far as the last block of interest.
  package func firstChunk(
    reaching mayBeFound: (ByteRange) -> Bool, where isFound: (ByteRange?) -> Bool
  ) -> (chunk: Chunk, range: ByteRange?)? {
    let locator = ChunkLocator(self)
    let bound = locator.hasNoPackets ? samples.chunkByteCountBound : nil
    let found = samples.chunks.first { offsets in
      guard let bound, let reach = ByteRange(offsets, reaching: bound) else { return true }
      return mayBeFound(reach)
    } _: { chunk in
      chunk.byteCount > 0 && !locator.isExternal(chunk) && isFound(locator.byteRange(of: chunk))
    }
    return found.map { ($0, locator.byteRange(of: $0)) }
  }

  /// The bytes that the track's samples take in this file; bytes that two tracks share count for both.
  ///
  /// Costs a pass over the sample sizes, or over the chunks where they tell more.
  package var mediaByteCount: UInt64 {
    let locator = ChunkLocator(self)
    if locator.hasNoPackets, !hasExternalMedia { return samples.totalByteCount }
    return samples.chunks.reduce(0) { sum, chunk in
      locator.isExternal(chunk) ? sum : sum.addingClamped(locator.byteRange(of: chunk)?.count ?? 0)
    }
  }
}

extension ChunkLocator.Packet {
  /// The packets that hold so many samples; `nil` where their bytes would not fit in 64 bits.
  fileprivate func byteCount(ofSamples count: UInt64) -> UInt64? {
    let rounded = count.addingClamped(sampleCount - 1)
    let (byteCount, overflow) = (rounded / sampleCount).multipliedReportingOverflow(by: byteCount)
    return overflow ? nil : byteCount
  }

  /// Bytes of a sample of one channel, for formats whose name says so.
  private static let byteCounts: [FourCC: UInt32] = [
    "ulaw": 1, "alaw": 1, "in24": 3, "in32": 4, "fl32": 4, "fl64": 8,
  ]
  /// The uncompressed sample descriptions.
  private static let uncompressed: Set<FourCC> = ["raw ", "twos", "sowt", "NONE"]
  /// Samples of a packet, and its bytes for one channel (QTFF "Sound Media": MACE 3:1 and 6:1, IMA 4:1).
  private static let compressed: [FourCC: (sampleCount: UInt32, byteCount: UInt32)] = [
    "MAC3": (6, 2), "MAC6": (6, 1), "ima4": (64, 34),
  ]

  /// The packets of a sound description; `nil` where it leaves their size to `stsz`.
  fileprivate init?(_ entry: SampleEntry) {
    let sound: SoundDescription
    do throws(MovieError) {
      sound = try SoundDescription(payload: entry.body)
    } catch {
      return nil
    }
    switch sound.extra {
    case .packets where sound.compressionID == -2: return nil  // Packets of any size, each of them a sample.
    case .packets(let fields): self.init(fields.samplesPerPacket, fields.bytesPerFrame)
    case .highResolution(let fields): self.init(fields.framesPerPacket, fields.bytesPerPacket)
    case .none:
      let (samples, bytes) =
        Self.compressed[entry.format]
        ?? (1, Self.byteCounts[entry.format] ?? (Self.uncompressed.contains(entry.format) ? sound.sampleSize / 8 : 0))
      self.init(samples, sound.channelCount.multipliedReportingOverflow(by: bytes).partialValue)
    }
  }

  private init?(_ sampleCount: UInt32, _ byteCount: UInt32) {
    guard sampleCount > 0, byteCount > 0 else { return nil }
    self.init(sampleCount: UInt64(sampleCount), byteCount: UInt64(byteCount))
  }
}
