extension Track {
  /// The number of samples, from the first, whose bytes are in the file: all that come before the first that reaches past
  /// its end. Media in other files counts as there.
  ///
  /// Costs one pass over the chunks.
  package func presentSampleCount(upTo fileEnd: UInt64) -> Int {
    let locator = ChunkLocator(self)
    var count = 0
    for chunk in samples.chunks {
      count = chunk.samples.upperBound
      guard chunk.byteCount > 0, !locator.isExternal(chunk) else { continue }
      if let range = locator.byteRange(of: chunk), range.end <= fileEnd { continue }
      let room = fileEnd - Swift.min(fileEnd, chunk.offset)
      return locator.presentSamples(of: chunk, within: room, samples.sampleSizes)
    }
    return count
  }
}

extension ChunkLocator {
  /// The end of the samples of a chunk that fit into its first bytes, in whole packets.
  fileprivate func presentSamples(of chunk: Chunk, within byteCount: UInt64, _ sizes: SampleSizeTable) -> Int {
    let packet = Int(clamping: Swift.max(1, samplesPerPacket(of: chunk)))
    func fits(_ count: Int) -> Bool {
      let end = chunk.firstSample + Swift.min(chunk.sampleCount, count)
      return (self.byteCount(of: chunk.firstSample..<end, of: chunk, sizes) ?? .max) <= byteCount
    }
    // By halves: a sum of sizes costs a pass over them.
    var (low, high) = (0, (chunk.sampleCount - 1) / packet + 1)
    while low < high {
      let middle = low + (high - low + 1) / 2
      if fits(middle.multipliedReportingOverflow(by: packet).partialValue) { low = middle } else { high = middle - 1 }
    }
    return chunk.firstSample + Swift.min(chunk.sampleCount, low.multipliedReportingOverflow(by: packet).partialValue)
  }
}

extension Movie {
  /// The samples of the movie atom that the end of the file cut off: of each track from the first missing sample on,
  /// those too that happen to lie further to the front.
  ///
  /// Costs one pass over the chunks, and over the samples of tracks that lost some.
  package func missingSamples() -> [MissingSamples] {
    tracks.compactMap { track in
      let present = track.presentSampleCount(upTo: layout.identity.byteCount)
      let count = track.samples.placedSampleCount - present
      guard count > 0 else { return nil }
      var start = Int64.max
      for sample in track.samples.samples.lazy.dropFirst(present) { start = Swift.min(start, sample.presentationTime) }
      let microseconds = track.clock(movieTimeScale: header.timeScale).microseconds(
        ofMediaTime: UInt64(clamping: start))
      return MissingSamples(
        trackID: track.id, startMilliseconds: Int64(clamping: microseconds / 1_000), sampleCount: count)
    }
  }
}
