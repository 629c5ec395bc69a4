import MovieBox
import Synchronization

/// Cuts tracks into segments, those of a long film on two threads.
extension StreamPlanner {
  /// Beside so many samples the start of a thread is not felt.
  private static let sampleCountForTwoThreads = 20_000

  /// A track, how it is cut, and the events in its segments.
  typealias CutTrack = (streamed: StreamedTrack, cutting: TrackSegmenter.Cutting, events: TimedEvents)

  /// The segments of tracks, in their order.
  func segment(_ tracks: [CutTrack], laterBy delay: StreamDelay) throws -> [SegmentedTrack] {
    let work = Work(tracks, of: self, laterBy: delay)
    if tracks.count > 1, tracks.contains(where: { $0.streamed.samples.sampleCount >= Self.sampleCountForTwoThreads }) {
      SecondThread.run(beside: { work.run() }) { work.run() }
    } else {
      work.run()
    }
    return try work.segmented { index, error in
      try explaining(tracks[index].streamed) { throw error }
    }
  }

  /// What two threads share that cut tracks: each takes the next.
  private final class Work: Sendable {
    private let tracks: [CutTrack]
    private let delay: StreamDelay
    private let movies: [StreamedMovie]
    private let budget: StreamBudget
    private let next = Atomic<Int>(0)
    private let results: Mutex<[Result<SegmentedTrack, MovieError>?]>

    init(_ tracks: [CutTrack], of planner: StreamPlanner, laterBy delay: StreamDelay) {
      self.tracks = tracks
      self.delay = delay
      movies = planner.movies
      budget = planner.budget
      results = Mutex(Array(repeating: nil, count: tracks.count))
    }

    /// Cuts tracks until none is left, or one could not be cut.
    func run() {
      while case let index = next.wrappingAdd(1, ordering: .relaxed).oldValue, index < tracks.count {
        let result = segment(tracks[index])
        if case .failure = result { next.store(tracks.count, ordering: .relaxed) }
        results.withLock { $0[index] = result }
      }
    }

    private func segment(_ track: CutTrack) -> Result<SegmentedTrack, MovieError> {
      let streamed = track.streamed
      var segmenter = TrackSegmenter(
        streamed, of: movies[streamed.movieIndex], delay: delay, cutting: track.cutting, events: track.events,
        budget: budget)
      do throws(MovieError) {
        return .success(try segmenter.run(streamed.samples))
      } catch {
        return .failure(error)
      }
    }

    /// The segments of all; calls `fail` with the first that could not be cut, and what kept it from that.
    func segmented(fail: (Int, MovieError) throws -> Void) throws -> [SegmentedTrack] {
      let results = results.withLock { $0 }
      var segmented: [SegmentedTrack] = []
      // One that was not begun follows one that failed, or is before it where the other thread was quicker.
      for (index, result) in results.enumerated() {
        if case .failure(let error)? = result { try fail(index, error) }
      }
      for case .success(let track)? in results { segmented.append(track) }
      return segmented
    }
  }
}
