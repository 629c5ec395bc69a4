import MovieBox
import MovieWriter

/// The samples of a movie that no edit may change, by track.
struct KeptSamples {
  private let tracks: [(track: Track, samples: [Sample], places: [ByteRange?])]

  /// Reads the samples of the tracks with the given IDs from the sample tables, or from the fragments of a fragmented
  /// movie.
  init(of movie: Movie, in source: MeteredSource, tracks kept: Set<UInt32>) {
    let fragments = movie.isFragmented ? attempt("fragments", { try movie.readFragments(of: source) }) : nil
    tracks = movie.tracks.enumerated().filter { kept.contains($0.element.id) }.map { index, track in
      let samples =
        if let fragments { Array(fragments.tracks[index].samples.prefix(sampleLimit)) } else {
          Array(track.samples.samples.prefix(sampleLimit))
        }
      let locator = ChunkLocator(track)
      let isWhole = track.dataReferences?.entries.allSatisfy(\.isSelfContained) ?? true
      // The bytes of samples in other files are not available. The samples of old compressed audio have no byte ranges
      // of their own, because `stsz` declares one byte per sample although a packet contains several samples.
      var chunks: [ByteRange?] = []
      for chunk in track.samples.chunks.prefix(sampleLimit) {
        let isPlaced = !locator.isExternal(chunk) && locator.samplesPerPacket(of: chunk) == 1
        chunks.append(isPlaced ? locator.byteRange(of: chunk) : nil)
      }
      let places = samples.map { sample -> ByteRange? in
        guard let range = sample.byteRange, range.count > 0, range.end <= UInt64(source.bytes.count) else { return nil }
        // Samples of fragments have no chunk that determines their file.
        guard sample.chunkIndex < track.samples.chunkCount else { return isWhole ? range : nil }
        guard chunks.indices.contains(sample.chunkIndex), let chunk = chunks[sample.chunkIndex] else { return nil }
        return chunk.contains(range) ? range : nil
      }
      return (track, samples, places)
    }
  }

  /// Compares the planned movie with the old movie. The old tracks must precede new tracks, and the number, sizes,
  /// kinds and bytes of their samples must be equal.
  func check(_ plan: OutputPlan, of source: MeteredSource) { check(plan, of: source, reading: source) }

  /// Compares the planned movie with the old movie if the plan also copies bytes of other sources. In `joined`, these
  /// sources follow the source of the movie.
  func check(_ plan: OutputPlan, of source: MeteredSource, reading joined: some RandomAccessSource) {
    let output = require("rendering") { try PlannedSource(plan, of: joined).read(ByteRange(0..<plan.byteCount)) }
    let movie = require("reading a planned movie") { try Movie(of: MemorySource(output)) }
    guard movie.tracks.count >= tracks.count else { fault("\(movie.tracks.count) tracks of \(tracks.count)") }
    // The movie remains fragmented if only the header changes.
    let fragments =
      movie.isFragmented
      ? require("reading planned fragments") { try movie.readFragments(of: MemorySource(output)) } : nil
    for (index, (old, new)) in zip(tracks, movie.tracks).enumerated() {
      guard old.track.id == new.id else { fault("track \(old.track.id) became \(new.id)") }
      let samples =
        if let fragments { Array(fragments.tracks[index].samples.prefix(sampleLimit)) } else {
          Array(new.samples.samples.prefix(sampleLimit))
        }
      guard samples.count == old.samples.count else {
        fault("track \(new.id) has \(samples.count) samples of \(old.samples.count)")
      }
      for (index, sample) in samples.enumerated() {
        let before = old.samples[index]
        // All samples of text are sync samples. If fragments declare otherwise, this is corrected in the sample tables.
        let isSync = before.isSync || old.track.mediaType.isText && sample.isSync
        guard sample.byteRange?.count == before.byteRange?.count, sample.isSync == isSync else {
          fault("sample \(index) of track \(new.id) was \(before), is \(sample)")
        }
        guard let place = old.places[index] else { continue }
        guard let range = sample.byteRange, let bytes = output.slice(range), bytes == source.bytes.slice(place) else {
          fault("sample \(index) of track \(new.id) has other bytes: was \(before), is \(sample)")
        }
      }
    }
  }
}

extension Bytes {
  /// Returns the bytes of a range, or `nil` if the range is out of bounds.
  func slice(_ range: ByteRange) -> Bytes? {
    guard let offset = Int(exactly: range.offset), let count = Int(exactly: range.count) else { return nil }
    return slice(at: offset, count: count)
  }
}
