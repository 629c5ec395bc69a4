extension Track {
  /// Where the bytes of a chunk lie; `nil` when their end would not fit in 64 bits, which only a broken file asks for.
  ///
  /// Old QuickTime sound says in `stsz` that every sample takes 1 byte, whatever it takes (QTFF "Sound Sample
  /// Descriptions"): how many samples a packet has and how many bytes then stands in the sample description.
  public func byteRange(of chunk: Chunk) -> ByteRange? {
    guard let packet = soundPacket(of: chunk) else { return chunk.byteRange }
    let packets = UInt64(chunk.sampleCount).addingReportingOverflow(packet.sampleCount - 1).partialValue
    let (byteCount, overflow) = (packets / packet.sampleCount).multipliedReportingOverflow(by: packet.byteCount)
    return overflow ? nil : ByteRange(offset: chunk.offset, count: Swift.max(byteCount, chunk.byteCount))
  }

  /// Whether the chunk lies in another file.
  public func isExternal(_ chunk: Chunk) -> Bool {
    guard let references = dataReferences, let entry = sampleEntry(of: chunk) else { return false }
    let reference = Int(entry.dataReferenceIndex) - 1  // Stored from 1.
    guard references.entries.indices.contains(reference) else { return false }
    return !references.entries[reference].isSelfContained
  }

  private func sampleEntry(of chunk: Chunk) -> SampleEntry? {
    let index = Int(chunk.sampleDescriptionIndex) - 1  // Stored from 1.
    return sampleDescriptions.entries.indices.contains(index) ? sampleDescriptions.entries[index] : nil
  }

  /// How many samples and bytes a packet has, where `stsz` leaves that to the sample description; both above 0.
  private func soundPacket(of chunk: Chunk) -> (sampleCount: UInt64, byteCount: UInt64)? {
    guard mediaType == .audio, case .uniform(1) = samples.sampleSizes.layout, let entry = sampleEntry(of: chunk) else {
      return nil
    }
    let sound: SoundDescription
    do throws(MovieError) {
      sound = try SoundDescription(payload: entry.body)
    } catch {
      return nil
    }
    let packet: (samples: UInt32, bytes: UInt32)
    switch sound.extra {
    case .packets(let fields): packet = (fields.samplesPerPacket, fields.bytesPerFrame)
    case .highResolution(let fields): packet = (fields.framesPerPacket, fields.bytesPerPacket)
    case .none where Self.uncompressed.contains(entry.format):
      packet = (1, sound.channelCount.multipliedReportingOverflow(by: sound.sampleSize / 8).partialValue)
    case .none: return nil
    }
    guard packet.samples > 0, packet.bytes > 0 else { return nil }
    return (UInt64(packet.samples), UInt64(packet.bytes))
  }

  private static let uncompressed: Set<FourCC> = ["raw ", "twos", "sowt", "NONE"]
}
