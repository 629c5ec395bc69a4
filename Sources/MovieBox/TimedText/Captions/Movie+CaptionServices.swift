// A search for closed captions in a limited number of bytes. Captions begin late in some movies, and the movie atom
// does not declare them.

extension Movie {
  /// Returns the services of closed captions that are found in some pictures of the main video track. Returns `nil` if
  /// the file contains no main video track with H.264 or HEVC pictures.
  ///
  /// Reads at most 64 KiB at the start, in the middle and at the end of the track, each with one read. Throws the
  /// errors of the source.
  package func captionServices(
    _ fragments: MovieFragments?, in source: some RandomAccessSource
  ) throws -> CaptionServices? {
    guard let track = mainPicture, PictureCaptionReader.canRead(track, of: self) else { return nil }
    var searches = tree.sampleDescriptions(ofTrack: track.atom)
      .map { PictureCaptions.Format($0, of: tree).map(PictureCaptions.init) }
    let areExternal = track.externalDescriptions
    var services = CaptionServices()
    for place in PicturePlaces.of(track, fragments?.track(track.id), endingAt: layout.identity.byteCount) {
      let block = try source.readExactly(place.range)
      for sample in place.samples {
        let description = sample.description
        guard searches.indices.contains(description), areExternal.indices.contains(description),
          !areExternal[description],
          let offset = Int(exactly: sample.range.offset - place.range.offset)
        else { continue }
        let count = min(block.count - offset, Int(clamping: sample.range.count))
        guard let bytes = block.slice(at: offset, count: count) else { continue }
        searches[description]?.removeAll()
        // Captions that follow later in the sample are not searched.
        _ = searches[description]?.search(bytes, ofByteCount: sample.range.count)
        for triple in searches[description]?.triples ?? [] { services.receive(triple) }
        services.finish()
      }
    }
    return services
  }
}

/// A place in a track's media that is searched for captions. It consists of a byte range and the samples that begin in
/// this range.
private struct PicturePlaces {
  private static let readByteCount: UInt64 = 64 << 10
  /// The maximum number of samples in a place. Pictures with captions have at least 64 bytes.
  private static let sampleCountLimit = Int(readByteCount) / 64
  /// The last place begins at most this number of chunks before the end of the track. If the track has few chunks, the
  /// number counts samples.
  private static let closingCount = 8

  /// The bytes to read.
  let range: ByteRange
  /// The samples that begin in the range, with the indices of their descriptions, from 0.
  let samples: [(range: ByteRange, description: Int)]

  /// Creates a place, or returns `nil` if there are no samples to read.
  private init?(_ samples: [(range: ByteRange, description: Int)]) {
    guard let first = samples.first, let last = samples.last else { return nil }
    let end = min(first.range.offset.addingClamped(Self.readByteCount), last.range.end)
    guard first.range.offset < end else { return nil }
    range = ByteRange(first.range.offset..<end)
    self.samples = samples
  }

  /// Returns the first, the middle and the last place of a track. Samples that extend past the end of the file are
  /// omitted.
  static func of(_ track: Track, _ fragmented: FragmentedTrack?, endingAt fileEnd: UInt64) -> [PicturePlaces] {
    var places: [PicturePlaces] = []
    for place in inTables(of: track, endingAt: fileEnd) + inRuns(fragmented?.runs ?? [], endingAt: fileEnd)
    where place.range != places.last?.range {
      places.append(place)
    }
    // A movie with samples in both tables and fragments has up to six places, but at most three are read.
    return places.count <= 3 ? places : [places[0], places[places.count / 2], places[places.count - 1]]
  }

  /// Returns the places among the chunks of the movie atom.
  private static func inTables(of track: Track, endingAt fileEnd: UInt64) -> [PicturePlaces] {
    let count = track.samples.chunkCount
    var finder = ChunkSequence.Finder(track.samples.chunks)
    guard count > 2 else {
      // In a track with one or two chunks, the places begin inside the chunks.
      let chunks = (0..<count).compactMap { finder.chunk(at: $0) }
      guard let first = chunks.first, let last = chunks.last else { return [] }
      let middle = chunks.count == 1 ? first.sampleCount / 2 : 0
      let starts = [(first, 0), (last, middle), (last, max(middle, last.sampleCount - closingCount))]
      return starts.compactMap { chunk, skippedCount in
        var samples = SampleRun(endingAt: fileEnd)
        samples.add(chunk, of: track.samples, from: skippedCount)
        return PicturePlaces(samples.samples)
      }
    }
    var places: [PicturePlaces] = []
    var chunk = finder.chunk(at: 0)
    for index in [0, count / 2, closingChunk(track.samples.chunkOffsets)] {
      var samples = SampleRun(endingAt: fileEnd)
      // The finder cannot return to a chunk, so the chunk after the previous place is kept.
      if let found = chunk, found.index < index { chunk = finder.chunk(at: index) }
      while let near = chunk, samples.canContain(near.offset) {
        samples.add(near, of: track.samples)
        chunk = finder.chunk(at: near.index + 1)
      }
      if let place = PicturePlaces(samples.samples) { places.append(place) }
    }
    return places
  }

  /// Returns the places among the runs of fragments.
  private static func inRuns(_ runs: [FragmentRun], endingAt fileEnd: UInt64) -> [PicturePlaces] {
    (runs.isEmpty ? [] : [0, runs.count / 2, runs.count - 1].withoutRepetition).compactMap { index in
      var samples = SampleRun(endingAt: fileEnd)
      var cursor = FragmentRunCursor(runs[index], chunkCount: 0)
      while let sample = cursor.nextSample(), let range = sample.byteRange,
        samples.add(range, sample.sampleDescriptionIndex)
      {}
      return PicturePlaces(samples.samples)
    }
  }

  /// Returns the index of the chunk at which the last place begins. The place may contain several chunks that are near
  /// each other, because a chunk may contain a single picture.
  private static func closingChunk(_ offsets: ChunkOffsetTable) -> Int {
    let last = offsets.count - 1
    var index = last
    while index > 0, last - index < closingCount, offsets[index - 1] <= offsets[last],
      offsets[last] - offsets[index - 1] <= readByteCount / 2
    {
      index -= 1
    }
    return index
  }

  /// Samples that begin near each other in the file.
  private struct SampleRun {
    let fileEnd: UInt64
    var samples: [(range: ByteRange, description: Int)] = []

    init(endingAt fileEnd: UInt64) {
      self.fileEnd = fileEnd
    }

    /// Whether a sample at an offset begins in the bytes that will be read.
    func canContain(_ offset: UInt64) -> Bool {
      guard samples.count < sampleCountLimit else { return false }
      guard let start = samples.first?.range.offset else { return true }
      return offset >= start && offset - start < readByteCount
    }

    /// Adds the samples of a chunk after the first `skippedCount` samples. Stops at a sample that is too far from the
    /// run.
    mutating func add(_ chunk: Chunk, of table: SampleTable, from skippedCount: Int = 0) {
      let first = chunk.firstSample + min(max(skippedCount, 0), chunk.sampleCount)
      var offset = chunk.offset.addingClamped(table.sampleSizes.byteCount(of: chunk.firstSample..<first))
      for index in first..<chunk.samples.upperBound {
        guard let range = ByteRange(offset: offset, count: UInt64(table.sampleSizes.size(at: index))),
          add(range, chunk.sampleDescriptionIndex)
        else { return }
        offset = range.end
      }
    }

    /// Adds a sample. Returns `false` if the sample is too far from the run or extends past the end of the file.
    mutating func add(_ range: ByteRange, _ sampleDescriptionIndex: UInt32) -> Bool {
      guard canContain(range.offset), range.end <= fileEnd else { return false }
      // Convert the index of the sample description, which the file counts from 1.
      samples.append((range, Int(sampleDescriptionIndex) - 1))
      return true
    }
  }
}
