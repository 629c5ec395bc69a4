import Subtitles

/// Samples that a track lists and the file does not have, because its end was cut off.
///
///     for missing in try movie.missingSamples(readingFragmentsOf: source) { print(missing) }
public struct MissingSamples: Hashable, Sendable, CustomStringConvertible {
  /// The track's ID.
  public let trackID: UInt32
  /// The time from which the track is incomplete, in milliseconds from the start of the movie. A recording starts with
  /// its earliest track, whatever time its clock shows then.
  public let startMilliseconds: Int64
  /// The number of samples that are listed but missing, or `nil` if the list itself is cut off.
  public let sampleCount: Int?

  /// `track 2 is missing from 00:00:10.520 on: 12 samples are cut off`.
  public var description: String {
    let loss =
      switch sampleCount {
      case nil: "the fragment that lists its samples is cut off"
      case 1: "1 sample is cut off"
      case let count?: "\(count) samples are cut off"
      }
    return "track \(trackID) is missing from \(timeText(milliseconds: startMilliseconds)) on: \(loss)"
  }
}

extension Movie {
  /// The samples that the end of the file cut off, a value for each track that lost some, in the order of the movie.
  ///
  /// Of a file whose last atom is whole, reads nothing, and returns none. Of a cut-off recording, reads the headers of
  /// all fragments; of a plain movie, costs a pass over the chunks. Throws what the source throws, and ``MovieError``
  /// for fragments that are broken.
  public func missingSamples(readingFragmentsOf source: some RandomAccessSource) throws -> [MissingSamples] {
    guard layout.cutOffset != nil else { return [] }
    guard isFragmented else { return missingSamples() }
    return try readFragments(of: source).missingSamples
  }
}
