import MovieBox
import MovieWriter

/// The samples of a movie, track by track, which no edit may change.
struct KeptSamples {
  private let tracks: [(track: Track, samples: [Sample], places: [ByteRange?])]

  /// Those of the tracks with these IDs: of the sample tables, or of fragments where there are any.
  init(of movie: Movie, in source: MeteredSource, tracks kept: Set<UInt32>) {
    let fragments = movie.isFragmented ? attempt("fragments", { try movie.readFragments(of: source) }) : nil
    tracks = movie.tracks.enumerated().filter { kept.contains($0.element.id) }.map { index, track in
      let samples =
        if let fragments { Array(fragments.tracks[index].samples.prefix(sampleLimit)) } else {
          Array(track.samples.samples.prefix(sampleLimit))
        }
      let locator = ChunkLocator(track)
      let isWhole = track.dataReferences?.entries.allSatisfy(\.isSelfContained) ?? true
      // Samples in other files have no place here, and those of old compressed sound none of their own: `stsz` counts
      // a byte for each, where several lie in a packet.
      var chunks: [ByteRange?] = []
      for chunk in track.samples.chunks.prefix(sampleLimit) {
        let isPlaced = !locator.isExternal(chunk) && locator.samplesPerPacket(of: chunk) == 1
        chunks.append(isPlaced ? locator.byteRange(of: chunk) : nil)
      }
      let places = samples.map { sample -> ByteRange? in
        guard let range = sample.byteRange, range.count > 0, range.end <= UInt64(source.bytes.count) else { return nil }
        // Of fragments' samples no chunk tells which file they are in.
        guard sample.chunkIndex < track.samples.chunkCount else { return isWhole ? range : nil }
        guard chunks.indices.contains(sample.chunkIndex), let chunk = chunks[sample.chunkIndex] else { return nil }
        return chunk.contains(range) ? range : nil
      }
      return (track, samples, places)
    }
  }

  /// Holds the planned movie against the old one: the same tracks first, their samples the same in number, length,
  /// kind and bytes.
  func check(_ plan: OutputPlan, of source: MeteredSource) { check(plan, of: source, reading: source) }

  /// The same for a plan that takes bytes from other sources too, which `joined` has after the movie's.
  func check(_ plan: OutputPlan, of source: MeteredSource, reading joined: some RandomAccessSource) {
    let output = require("rendering") { try PlannedSource(plan, of: joined).read(ByteRange(0..<plan.byteCount)) }
    let movie = require("reading a planned movie") { try Movie(of: MemorySource(output)) }
    guard movie.tracks.count >= tracks.count else { fault("\(movie.tracks.count) tracks of \(tracks.count)") }
    // Fragments stay where only the header changes.
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
        // Text needs no other samples; what fragments say otherwise is put right where they become tables.
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
  /// The bytes of a range; `nil` where it does not lie in them.
  func slice(_ range: ByteRange) -> Bytes? {
    guard let offset = Int(exactly: range.offset), let count = Int(exactly: range.count) else { return nil }
    return slice(at: offset, count: count)
  }
}
