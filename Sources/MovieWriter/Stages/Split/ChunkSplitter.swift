import MovieBox

/// Splits the chunks of a track that last longer than about a second.
///
/// The samples are not moved; only `stsc` and the chunk offsets get additional entries. A chunk is split at the first
/// sample that begins a second after the start of the chunk. It is split only if another sample begins a second and a
/// half after the start of the chunk. Therefore, splitting the result again changes nothing.
struct ChunkSplitter {
  private let tables: SampleTable
  private var pieces: [ChunkPlace] = []

  /// Splits the chunks of a track, or returns `nil` if no chunk is long or the track cannot be split.
  ///
  /// A track cannot be split if its tables contradict each other, or if `saio` has an entry for each chunk (ISO/IEC
  /// 14496-12 8.7.9). Makes a pass over the chunks and the runs of equal durations. Throws `.limit` if the tables would
  /// exceed the largest size of a movie atom.
  init?(_ track: Track, in tree: AtomTree, limits: MovieLimits) throws(MovieError) {
    tables = track.samples
    let second = UInt64(track.mediaHeader.timeScale)
    guard second > 0, let stbl = tree.sampleTable(ofTrack: track.atom) else { return nil }
    for saio in tree.children(of: stbl, "saio") {
      guard try tree.decode(AuxiliaryInformationOffsets.self, at: saio).count == 1 else { return nil }
    }
    guard !tables.inconsistencies().contains(where: { ["stsc", "co64"].contains($0.path) }) else { return nil }
    let locator = ChunkLocator(track)
    var cutter = SampleCutter(tables.timeToSample)
    for chunk in tables.chunks {
      var offset: UInt64? = chunk.offset
      var start = chunk.firstSample
      while let cut = cutter.cut(chunk, from: start, after: second, in: locator) {
        try append(start..<cut, at: offset, of: chunk, limits)
        let skipped = locator.byteCount(of: start..<cut, of: chunk, tables.sampleSizes)
        offset = offset.flatMap { offset in skipped.flatMap { ByteRange(offset: offset, count: $0)?.end } }
        start = cut
      }
      try append(start..<chunk.samples.upperBound, at: offset, of: chunk, limits)
    }
    if pieces.count == tables.chunkCount { return nil }
  }

  private mutating func append(
    _ samples: Range<Int>, at offset: UInt64?, of chunk: Chunk, _ limits: MovieLimits
  ) throws(MovieError) {
    guard let offset else { throw MovieError(.malformed, "the end of chunk \(chunk.index + 1) overflows 64 bits") }
    pieces.append(
      ChunkPlace(
        offset: offset, sampleCount: UInt32(clamping: samples.count),
        sampleDescriptionIndex: chunk.sampleDescriptionIndex))
    // A run of `stsc` occupies 12 bytes, and an offset occupies 8.
    guard UInt64(pieces.count) &* 20 <= Swift.min(limits.movieByteCount, UInt64(UInt32.max) / 2) else {
      throw MovieError(.limit, "split chunks would need tables of more than \(pieces.count * 20) bytes")
    }
  }
}

// MARK: - The tables

extension ChunkSplitter {
  /// The new `stsc`, with the old version, flags and bytes after the entries.
  var sampleToChunk: [UInt8] {
    let oldTable = tables.sampleToChunk
    return SampleTableAtoms.sampleToChunk(
      pieces, head: oldTable.payload.slice(at: 0, count: 4) ?? Bytes(),
      tail: oldTable.payload.dropFirst(8 + oldTable.count * 12))
  }

  /// The new chunk offsets. They have the width of the old offsets, or a larger width if necessary.
  var chunkOffsets: [UInt8] {
    let oldTable = tables.chunkOffsets
    return SampleTableAtoms.chunkOffsets(
      pieces.lazy.map(\.offset), isWide: oldTable.isWide, head: oldTable.payload.slice(at: 0, count: 4) ?? Bytes(),
      tail: oldTable.tail
    ).atom
  }
}

/// Finds the samples at which to split chunks, in one pass over the runs of equal durations.
private struct SampleCutter {
  private var runs: RunLengthCursor
  /// The first sample of the run.
  private var firstSample = 0

  init(_ table: TimeToSampleTable) {
    runs = RunLengthCursor(table)
  }

  /// Returns the first sample of the next piece of a chunk, or `nil` if the piece that begins with `sample` is not
  /// split.
  ///
  /// In successive calls, `sample` must ascend.
  mutating func cut(_ chunk: Chunk, from sample: Int, after second: UInt64, in locator: ChunkLocator) -> Int? {
    guard chunk.byteCount > 0 else { return nil }
    while let run = runs.currentRun(), sample - firstSample >= Int(run.count) {
      firstSample += Int(run.count)  // The sum is at most `sample`.
      runs.skip(run.count)
    }
    let end = chunk.samples.upperBound
    guard let after = first(from: sample, lasting: second, before: end),
      first(from: sample, lasting: second + (second + 1) / 2, before: end) != nil
    else { return nil }
    let packet = locator.samplesPerPacket(of: chunk)
    // Both operands of the sum are below 2³². `sample` is the first sample of a packet.
    let packetStart = (UInt64(after - sample) + packet - 1) / packet * packet
    return packetStart < UInt64(end - sample) ? sample + Int(packetStart) : nil
  }

  /// Returns the first sample before `end` that is decoded at least `ticks` after `sample`, or `nil` if there is none.
  private func first(from sample: Int, lasting ticks: UInt64, before end: Int) -> Int? {
    var remainingTicks = ticks
    var sample = sample
    var runs = runs
    var runEnd = firstSample
    while sample < end, let run = runs.currentRun() {
      runEnd += Int(run.count)
      let count = runEnd - sample
      let duration = UInt64(run.value)
      if duration > 0 {
        let steps = (remainingTicks + duration - 1) / duration  // This is at least 1.
        if steps <= UInt64(count) { return sample + Int(steps) < end ? sample + Int(steps) : nil }
        remainingTicks -= UInt64(count) * duration  // Less than `remainingTicks`, because `steps` exceeds `count`.
      }
      sample = runEnd
      runs.skip(run.count)
    }
    return nil
  }
}

extension Movie {
  /// Returns the movie with long chunks split, or `nil` if no chunk is long. The order of atoms is unchanged.
  func splittingChunks() throws(MovieError) -> Movie? {
    var edits = AtomEdits()
    for track in tracks {
      guard let stbl = tree.sampleTable(ofTrack: track.atom), let stsc = tree.child(of: stbl, "stsc"),
        let offsets = tree.child(of: stbl, track.samples.chunkOffsets.isWide ? "co64" : "stco")
      else { continue }
      let splitter: ChunkSplitter?
      do throws(MovieError) {
        splitter = try ChunkSplitter(track, in: tree, limits: limits)
      } catch {
        throw error.offset == nil
          ? error.located(inside: tree.path(of: stbl), startingAt: tree.range(of: stbl).offset) : error
      }
      guard let splitter else { continue }
      edits.replace(stsc, with: splitter.sampleToChunk)
      edits.replace(offsets, with: splitter.chunkOffsets)
    }
    guard !edits.isEmpty else { return nil }
    var writer = ByteWriter()
    edits.draft(of: tree).write(to: &writer)
    return try replacingMovieAtom(with: Bytes(writer.take()))
  }
}

// MARK: - The stage of an edit

extension MovieEdit {
  /// Returns the edit of the movie with long chunks split, or the edit itself if no chunk is long. Added tracks are not
  /// split.
  func splittingChunks() throws(MovieError) -> MovieEdit {
    guard let split = try movie.splittingChunks() else { return self }
    var stages = stages
    stages.unsplit = movie
    stages.current = split
    var edit = self
    edit.replaceStages(with: stages)
    return edit
  }
}
