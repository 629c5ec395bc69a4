/// Knows for the chunks of a track which file their bytes lie in, and how many there are.
///
/// Made once a track: what the sample descriptions say is looked up once each, not once a chunk.
///
///     let locator = ChunkLocator(track)
///     for chunk in track.samples.chunks where !locator.isExternal(chunk) {
///       print(locator.byteRange(of: chunk))
///     }
public struct ChunkLocator: Sendable {
  /// Old QuickTime sound says in `stsz` that every sample takes 1 byte, whatever it takes (QTFF "Sound Sample
  /// Descriptions"): how many samples a packet has and how many bytes then stands in the sample description.
  fileprivate struct Packet {
    let sampleCount: UInt64
    let byteCount: UInt64
  }

  private let areExternal: [Bool]
  private let packets: [Packet?]

  /// Looks up the sample descriptions and data references of `track`.
  public init(_ track: Track) {
    let entries = track.sampleDescriptions.entries
    areExternal = Self.areExternal(entries, track.dataReferences)
    if track.mediaType == .audio, case .uniform(1) = track.samples.sampleSizes.layout {
      packets = entries.map { Packet($0) }
    } else {
      packets = []
    }
  }

  private static func areExternal(_ entries: [SampleEntry], _ references: DataReference?) -> [Bool] {
    let references = references?.entries ?? []
    return entries.map { entry in
      let reference = Int(entry.dataReferenceIndex) - 1  // Stored from 1.
      return references.indices.contains(reference) && !references[reference].isSelfContained
    }
  }

  /// Which of the first `count` chunks of the sample table at `stbl` lie in other files, in order; no two ranges touch.
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
    guard references.entries.contains(where: { !$0.isSelfContained }) else { return [] }
    let areExternal = areExternal(try tree.decode(SampleDescriptions.self, at: stsd).entries, references)
    var ranges: [Range<Int>] = []
    for run in ChunkRuns(try tree.decode(SampleToChunkTable.self, at: stsc), chunkCount: count) {
      let description = Int(run.sampleDescriptionIndex) - 1
      guard !run.chunks.isEmpty, areExternal.indices.contains(description), areExternal[description] else { continue }
      if let last = ranges.last, last.upperBound == run.chunks.lowerBound {
        ranges[ranges.count - 1] = last.lowerBound..<run.chunks.upperBound
      } else {
        ranges.append(run.chunks)
      }
    }
    return ranges
  }

  /// Whether `stsz` alone tells how many bytes a chunk has.
  package var hasPlainSizes: Bool { packets.isEmpty }

  /// Whether the chunk lies in another file.
  public func isExternal(_ chunk: Chunk) -> Bool {
    let index = Int(chunk.sampleDescriptionIndex) - 1  // Stored from 1.
    return areExternal.indices.contains(index) && areExternal[index]
  }

  /// Where the bytes of a chunk lie; `nil` when their end would not fit in 64 bits, which only a broken file asks for.
  public func byteRange(of chunk: Chunk) -> ByteRange? {
    let index = Int(chunk.sampleDescriptionIndex) - 1
    guard packets.indices.contains(index), let packet = packets[index] else { return chunk.byteRange }
    let samples = UInt64(chunk.sampleCount).addingReportingOverflow(packet.sampleCount - 1).partialValue
    let (byteCount, overflow) = (samples / packet.sampleCount).multipliedReportingOverflow(by: packet.byteCount)
    return overflow ? nil : ByteRange(offset: chunk.offset, count: Swift.max(byteCount, chunk.byteCount))
  }
}

extension Track {
  /// The bytes that the track's samples take in this file; bytes that two tracks share count for both.
  ///
  /// Costs a pass over the sample sizes, or over the chunks where they tell more.
  package var mediaByteCount: UInt64 {
    let locator = ChunkLocator(self)
    let isAllHere = dataReferences?.entries.allSatisfy(\.isSelfContained) ?? true
    if locator.hasPlainSizes, isAllHere { return samples.totalByteCount }
    return samples.chunks.reduce(0) { sum, chunk in
      locator.isExternal(chunk) ? sum : sum.addingClamped(locator.byteRange(of: chunk)?.count ?? 0)
    }
  }
}

extension ChunkLocator.Packet {
  private static let uncompressed: Set<FourCC> = ["raw ", "twos", "sowt", "NONE"]

  /// The packets of a sound description; `nil` where it leaves their size to `stsz`.
  fileprivate init?(_ entry: SampleEntry) {
    let sound: SoundDescription
    do throws(MovieError) {
      sound = try SoundDescription(payload: entry.body)
    } catch {
      return nil
    }
    switch sound.extra {
    case .packets(let fields): self.init(fields.samplesPerPacket, fields.bytesPerFrame)
    case .highResolution(let fields): self.init(fields.framesPerPacket, fields.bytesPerPacket)
    case .none where Self.uncompressed.contains(entry.format):
      self.init(1, sound.channelCount.multipliedReportingOverflow(by: sound.sampleSize / 8).partialValue)
    case .none: return nil
    }
  }

  private init?(_ sampleCount: UInt32, _ byteCount: UInt32) {
    guard sampleCount > 0, byteCount > 0 else { return nil }
    self.init(sampleCount: UInt64(sampleCount), byteCount: UInt64(byteCount))
  }
}
