import MovieBox
import TestSupport
import Testing

/// A fragmented test movie after reading.
struct ReadFragments {
  let movie: Movie
  let fragments: MovieFragments
  let bytes: Bytes

  init(_ bytes: [UInt8], limits: MovieLimits = MovieLimits()) throws {
    self.bytes = Bytes(bytes)
    let source = MemorySource(self.bytes)
    movie = try Movie(of: source, limits: limits)
    fragments = try movie.readFragments(of: source)
  }

  /// Returns the samples of a track after checking their number.
  func samples(_ id: UInt32, at location: SourceLocation = #_sourceLocation) throws -> [Sample] {
    let track = try #require(fragments.track(id), sourceLocation: location)
    let samples = Array(track.samples)
    #expect(samples.map(\.index) == Array(0..<track.sampleCount), sourceLocation: location)
    return samples
  }

  /// Returns the bytes of each sample.
  func contents(_ samples: [Sample]) -> [[UInt8]] {
    samples.map { sample in
      guard let range = sample.byteRange, let offset = Int(exactly: range.offset), let count = Int(exactly: range.count)
      else { return [] }
      return bytes.slice(at: offset, count: count)?.array ?? []
    }
  }
}

/// Returns the contents of a track's test samples, numbered from `first`.
func contents(_ samples: [TestSample], track: UInt32, from first: Int = 1) -> [[UInt8]] {
  samples.enumerated().map { TestFragment.content($1, track: track, number: first + $0) }
}

/// A movie without samples in its header: video 1, audio 2.
let initialMovie = TestMovie.simple.initial.with { $0.dialect = .iso }
