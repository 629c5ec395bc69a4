/// The location of a track's chunks: the file that contains them, and their byte ranges.
///
/// The size of a chunk is usually the sum of its samples' sizes, but the sample description of old QuickTime audio
/// declares packets instead. The locator examines each sample description only once, so locating a chunk is cheap.
///
///     let locator = ChunkLocator(track)
///     for chunk in track.samples.chunks where !locator.isExternal(chunk) {
///       print(locator.byteRange(of: chunk))
///     }
package struct ChunkLocator: Sendable {
  /// The packets of old QuickTime audio. `stsz` declares a size of 1 byte for every sample, and the sample
  /// description declares the samples and bytes of a packet (QTFF "Sound Sample Descriptions").
  fileprivate struct Packet {
    let sampleCount: UInt64
    let byteCount: UInt64
  }

  private let externalDescriptions: [Bool]
  private let packets: [Packet?]

  /// Examines the sample descriptions and data references of `track`.
  package init(_ track: Track) {
    let entries = track.sampleDescriptions.entries
    externalDescriptions = track.externalDescriptions
    if track.mediaType == .audio, case .uniform(1) = track.samples.sampleSizes.layout {
      packets = entries.map { Packet($0) }
    } else {
      packets = []
    }
  }

  /// Returns the ranges of chunks in other files, among the first `count` chunks of the sample table at `stbl`. The
  /// ranges are ordered and neither touch nor overlap.
  ///
  /// The result agrees with ``isExternal(_:)``, but requires only the track's atoms. Makes a pass over `stsc` if
  /// there is a reference to another file.
  package static func externalChunks(
    of stbl: Int, in tree: AtomTree, count: Int
  ) throws(MovieError) -> [Range<Int>] {
    guard let minf = tree[stbl].parent, let dref = tree.descendant(of: minf, "dinf", "dref"),
      let stsd = tree.child(of: stbl, "stsd"), let stsc = tree.child(of: stbl, "stsc")
    else { return [] }
    let references = try tree.decode(DataReference.self, at: dref)
    guard references.refersToOtherFiles else { return [] }
    let externalDescriptions = try tree.decode(SampleDescriptions.self, at: stsd).entries.map(references.isExternal)
    return try chunks(of: stsc, in: tree, count: count) { description in
      externalDescriptions.indices.contains(description) && externalDescriptions[description]
    }
  }

  /// Returns the ranges of chunks whose sample description satisfies `isChosen`, among the first `count` chunks of
  /// `stsc`. `isChosen` receives the index of the sample description, from 0. The ranges are ordered and neither touch
  /// nor overlap. Makes a pass over `stsc`.
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

  /// Whether `stsz` alone determines the sizes of all chunks.
  package var hasNoLegacyAudioPackets: Bool { packets.isEmpty }

  /// Whether any sample description refers to another file.
  package var hasExternalChunks: Bool { externalDescriptions.contains(true) }

  /// Whether the chunk is in another file.
  package func isExternal(_ chunk: Chunk) -> Bool {
    isExternal(description: chunk.sampleDescriptionIndex)
  }

  /// Whether samples with a description, numbered from 1, are in another file.
  package func isExternal(description: UInt32) -> Bool {
    let index = Int(description) - 1
    return externalDescriptions.indices.contains(index) && externalDescriptions[index]
  }

  /// Returns the byte range of a chunk, or `nil` if its end overflows in a damaged file.
  package func byteRange(of chunk: Chunk) -> ByteRange? {
    let index = Int(chunk.sampleDescriptionIndex) - 1
    guard packets.indices.contains(index), let packet = packets[index] else { return chunk.byteRange }
    return packet.byteCount(ofSamples: UInt64(chunk.sampleCount)).flatMap { ByteRange(offset: chunk.offset, count: $0) }
  }

  /// Returns the number of samples in a packet of the chunk. Readers can only read whole packets.
  package func samplesPerPacket(of chunk: Chunk) -> UInt64 {
    let index = Int(chunk.sampleDescriptionIndex) - 1
    return packets.indices.contains(index) ? packets[index]?.sampleCount ?? 1 : 1
  }

  /// Returns the size of a range of a chunk's samples, or `nil` on overflow. The range must begin at the start of a
  /// packet.
  ///
  /// Makes a pass over the sizes, or requires constant time if all sizes are equal.
  package func byteCount(of samples: Range<Int>, of chunk: Chunk, _ sizes: SampleSizeTable) -> UInt64? {
    let index = Int(chunk.sampleDescriptionIndex) - 1
    guard packets.indices.contains(index), let packet = packets[index] else { return sizes.byteCount(of: samples) }
    return packet.byteCount(ofSamples: UInt64(samples.count))
  }
}

extension Track {
  /// Whether any data reference of the track refers to another file.
  package var hasExternalMedia: Bool { dataReferences?.refersToOtherFiles ?? false }

  /// Whether the media of each sample description is in another file.
  package var externalDescriptions: [Bool] {
    sampleDescriptions.entries.map { dataReferences?.isExternal($0) ?? false }
  }

  /// Returns the first non-empty chunk in this file whose byte range satisfies `isFound`, with its range. The range
  /// is `nil` if its end overflows.
  ///
  /// `mayBeFound` is called with the maximum range of each block of chunks. If it returns `false`, the block is
  /// skipped.
  package func firstChunk(
    inBlocksWhere mayBeFound: (ByteRange) -> Bool, where isFound: (ByteRange?) -> Bool
  ) -> (chunk: Chunk, range: ByteRange?)? {
    let locator = ChunkLocator(self)
    let byteCountBound = locator.hasNoLegacyAudioPackets ? samples.maximumChunkByteCount : nil
    let firstMatch = samples.chunks.first { offsets in
      guard let byteCountBound, let reach = ByteRange(offsets, extendedBy: byteCountBound) else { return true }
      return mayBeFound(reach)
    } _: { chunk in
      chunk.byteCount > 0 && !locator.isExternal(chunk) && isFound(locator.byteRange(of: chunk))
    }
    return firstMatch.map { ($0, locator.byteRange(of: $0)) }
  }

  /// The number of bytes of the track's samples in this file. Bytes shared by several tracks are counted for each of
  /// the tracks.
  ///
  /// Makes a pass over the sample sizes, or over the chunks if sizes depend on packets or other files.
  package var mediaByteCount: UInt64 {
    let locator = ChunkLocator(self)
    if locator.hasNoLegacyAudioPackets, !hasExternalMedia { return samples.totalByteCount }
    return samples.chunks.reduce(0) { sum, chunk in
      locator.isExternal(chunk) ? sum : sum.addingClamped(locator.byteRange(of: chunk)?.count ?? 0)
    }
  }
}

extension ChunkLocator.Packet {
  /// Returns the size of the packets that contain `count` samples, or `nil` on overflow.
  fileprivate func byteCount(ofSamples count: UInt64) -> UInt64? {
    let rounded = count.addingClamped(sampleCount - 1)
    let (byteCount, overflow) = (rounded / sampleCount).multipliedReportingOverflow(by: byteCount)
    return overflow ? nil : byteCount
  }

  /// The number of bytes in a sample of one channel, for formats with a fixed sample size.
  private static let byteCounts: [FourCC: UInt32] = [
    "ulaw": 1, "alaw": 1, "in24": 3, "in32": 4, "fl32": 4, "fl64": 8,
  ]
  /// The uncompressed formats whose sample size is declared in the description.
  private static let uncompressedFormats: Set<FourCC> = ["raw ", "twos", "sowt", "NONE"]
  /// The number of samples in a packet, and the number of bytes in a packet of one channel (QTFF "Sound Media": MACE
  /// 3:1 and 6:1, IMA 4:1).
  private static let compressedPackets: [FourCC: (sampleCount: UInt32, byteCount: UInt32)] = [
    "MAC3": (6, 2), "MAC6": (6, 1), "ima4": (64, 34),
  ]

  /// Reads the packets of a sound description. Returns `nil` if `stsz` contains the sizes.
  fileprivate init?(_ entry: SampleEntry) {
    let sound: SoundDescription
    do throws(MovieError) {
      sound = try SoundDescription(payload: entry.body)
    } catch {
      return nil
    }
    switch sound.extra {
    case .packets where sound.compressionID == -2: return nil  // Each packet is a sample with its own size.
    case .packets(let fields): self.init(fields.samplesPerPacket, fields.bytesPerFrame)
    case .highResolution(let fields): self.init(fields.framesPerPacket, fields.bytesPerPacket)
    case .none:
      let (samples, bytes) =
        Self.compressedPackets[entry.format]
        ?? (
          1,
          Self.byteCounts[entry.format] ?? (Self.uncompressedFormats.contains(entry.format) ? sound.sampleSize / 8 : 0)
        )
      self.init(samples, sound.channelCount.multipliedReportingOverflow(by: bytes).partialValue)
    }
  }

  private init?(_ sampleCount: UInt32, _ byteCount: UInt32) {
    guard sampleCount > 0, byteCount > 0 else { return nil }
    self.init(sampleCount: UInt64(sampleCount), byteCount: UInt64(byteCount))
  }
}
