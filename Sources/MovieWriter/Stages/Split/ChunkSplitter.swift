import MovieBox

/// Cuts the chunks of a track that last longer than about a second: after a second of media, at the bounds of samples.
///
/// The samples stay where they are; only `stsc` and the table of offsets say more of them. What it leaves it would not
/// cut again: a piece is cut where samples begin one second after its first, if some begin a second and a half after
/// it.
struct ChunkSplitter {
  private let tables: SampleTable
  private var pieces: [ChunkPlace] = []

  /// The chunks of a track, cut; `nil` where none is long, and for tracks that cannot be cut: tables contradict one
  /// another, or something else than `stsc` counts chunks (`saio`, ISO/IEC 14496-12 8.7.9).
  ///
  /// Costs the chunks and the runs of equal durations. Throws `.limit` where the tables would be larger than a movie
  /// atom may be.
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
    guard let offset else { throw MovieError(.malformed, "chunk \(chunk.index + 1) ends beyond 64 bits") }
    pieces.append(
      ChunkPlace(
        offset: offset, sampleCount: UInt32(clamping: samples.count),
        sampleDescriptionIndex: chunk.sampleDescriptionIndex))
    // 12 bytes a run of `stsc`, 8 an offset.
    guard UInt64(pieces.count) &* 20 <= Swift.min(limits.movieByteCount, UInt64(UInt32.max) / 2) else {
      throw MovieError(.limit, "split chunks would need tables of more than \(pieces.count * 20) bytes")
    }
  }
}

// MARK: - The tables

extension ChunkSplitter {
  /// The changed `stsc`: version, flags and what follows its entries are as they were.
  var sampleToChunk: [UInt8] {
    let old = tables.sampleToChunk
    return SampleTableAtoms.sampleToChunk(
      pieces, head: old.payload.slice(at: 0, count: 4) ?? Bytes(), tail: old.payload.dropFirst(8 + old.count * 12))
  }

  /// The changed table of offsets, as wide as the old one or as it must be.
  var chunkOffsets: [UInt8] {
    let old = tables.chunkOffsets
    return SampleTableAtoms.chunkOffsets(
      pieces.lazy.map(\.offset), isWide: old.isWide, head: old.payload.slice(at: 0, count: 4) ?? Bytes(), tail: old.tail
    ).atom
  }
}

/// Finds where chunks are to be cut: one pass over the runs of equal durations, for chunks in their order.
private struct SampleCutter {
  private var runs: RunLengthCursor
  /// The first sample of the run.
  private var firstSample = 0

  init(_ table: TimeToSampleTable) {
    runs = RunLengthCursor(table)
  }

  /// The first sample of the next piece of a chunk, where the piece that begins with `sample` is to be cut. Asked for
  /// samples that ascend.
  mutating func cut(_ chunk: Chunk, from sample: Int, after second: UInt64, in locator: ChunkLocator) -> Int? {
    guard chunk.byteCount > 0 else { return nil }
    while let run = runs.run(), sample - firstSample >= Int(run.count) {
      firstSample += Int(run.count)  // At most `sample`.
      runs.skip(run.count)
    }
    let end = chunk.samples.upperBound
    guard let after = first(from: sample, lasting: second, before: end),
      first(from: sample, lasting: second + (second + 1) / 2, before: end) != nil
    else { return nil }
    let packet = locator.samplesPerPacket(of: chunk)
    // Both are below 2³²; `sample` begins a packet.
    let place = (UInt64(after - sample) + packet - 1) / packet * packet
    return place < UInt64(end - sample) ? sample + Int(place) : nil
  }

  /// The first sample before `end` that is decoded so many ticks after `sample` or later.
  private func first(from sample: Int, lasting ticks: UInt64, before end: Int) -> Int? {
    var left = ticks
    var sample = sample
    var runs = runs
    var runEnd = firstSample
    while sample < end, let run = runs.run() {
      runEnd += Int(run.count)
      let count = runEnd - sample
      let duration = UInt64(run.value)
      if duration > 0 {
        let steps = (left + duration - 1) / duration  // At least 1.
        if steps <= UInt64(count) { return sample + Int(steps) < end ? sample + Int(steps) : nil }
        left -= UInt64(count) * duration  // Less than `left`: more steps are to go than samples.
      }
      sample = runEnd
      runs.skip(run.count)
    }
    return nil
  }
}

extension MovieEdit {
  /// The same edit of the movie with long chunks split; the edit itself where none is long.
  ///
  /// Positions of atoms in the movie atom change, their order does not. Tracks that are added are split as they are
  /// made, or not at all.
  func splittingChunks() throws(MovieError) -> MovieEdit {
    var edits = AtomEdits()
    let tree = movie.tree
    for track in movie.tracks {
      guard let stbl = tree.sampleTable(ofTrack: track.atom), let stsc = tree.child(of: stbl, "stsc"),
        let offsets = tree.child(of: stbl, track.samples.chunkOffsets.isWide ? "co64" : "stco")
      else { continue }
      let splitter: ChunkSplitter?
      do throws(MovieError) {
        splitter = try ChunkSplitter(track, in: tree, limits: movie.limits)
      } catch {
        throw error.offset == nil ? error.inside(tree.path(of: stbl), startingAt: tree.range(of: stbl).offset) : error
      }
      guard let splitter else { continue }
      edits.replace(stsc, with: splitter.sampleToChunk)
      edits.replace(offsets, with: splitter.chunkOffsets)
    }
    guard !edits.isEmpty else { return self }
    var writer = ByteWriter()
    edits.draft(of: tree).write(to: &writer)
    var edit = self
    var split = stages
    split.unsplit = movie
    split.current = try movie.replacingMovieAtom(with: Bytes(writer.take()))
    edit.pass(to: split)
    return edit
  }
}
