/// The metadata items that are valid for a time range of a movie.
///
/// A group without items is a gap: no value is valid during its time range.
public struct TimedMetadataGroup: Sendable {
  /// The time range in the movie, in microseconds. A group without its own end lasts until the next group of its track,
  /// or until the end of the movie.
  public let microseconds: Range<Int64>
  /// The items, in file order.
  public let items: [MetadataItem]
  /// The ID of the track that contains the group, or `nil` for an event between fragments (`emsg`).
  public let trackID: UInt32?
  /// The reason why the sample was not read completely, or `nil` if it was.
  public let problem: String?

  /// Creates a group that is written to a movie.
  ///
  /// A group that ends at `Int64.max` lasts until the next group begins, or until the end of the movie.
  ///
  /// - Parameters:
  ///   - microseconds: the time range in the movie, in microseconds.
  ///   - items: the items, or an empty array for a gap.
  public init(microseconds: Range<Int64>, items: [MetadataItem]) {
    self.init(microseconds: microseconds, items: items, trackID: nil, problem: nil)
  }

  init(microseconds: Range<Int64>, items: [MetadataItem], trackID: UInt32?, problem: String?) {
    (self.microseconds, self.items, self.trackID, self.problem) = (microseconds, items, trackID, problem)
  }
}

/// The timed metadata of a movie, in the order of time.
///
/// Samples are read in batches as the groups are requested. The sequence mirrors two types of AVFoundation:
///
/// | AVFoundation | here |
/// |---|---|
/// | `AVAssetReaderOutputMetadataAdaptor.nextTimedMetadataGroup()` | the iterator's `next()` |
/// | `AVPlayerItemMetadataOutput(identifiers:)` | the parameter `identifiers` |
/// | `AVAssetReader.timeRange` | the parameter `range` |
/// | `AVTimedMetadataGroup.timeRange`, `items` | ``TimedMetadataGroup/microseconds``, ``TimedMetadataGroup/items`` |
/// | a group without items | a gap |
///
///     for try await group in try movie.timedMetadata(from: source) {
///       print(group.microseconds.lowerBound, group.items.map(\.identifier))
///     }
public struct TimedMetadataSequence: AsyncSequence, Sendable {
  fileprivate let reader: TimedMetadataReader

  /// An iterator over the groups.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var reader: TimedMetadataReader
    private var groups: ArraySlice<TimedMetadataGroup> = []

    fileprivate init(_ reader: TimedMetadataReader) {
      self.reader = reader
    }

    /// Returns the next group, or `nil` after the last. Throws the errors of the source.
    public mutating func next() async throws -> TimedMetadataGroup? {
      while groups.isEmpty {
        let current = reader
        let (reader, batch) = try await BlockingWork.run { _ in
          var reader = current
          let batch = try reader.nextGroups()
          return (reader, batch)
        }
        self.reader = reader
        guard let batch else { return nil }
        groups = batch[...]
      }
      return groups.popFirst()
    }
  }

  /// Returns an iterator at the first group.
  public func makeAsyncIterator() -> Iterator { Iterator(reader) }
}

extension Movie {
  /// Returns the groups of timed metadata in the order of time. Groups of several tracks are merged.
  ///
  /// Reads the fragments of the movie and no samples. The sequence reads the samples in batches. It reads only the
  /// samples of the requested tracks, identifiers and times.
  ///
  /// Throws the errors of the source and ``MovieError``. The error is `.limit` for too many samples, and `.malformed`
  /// for a time scale of 0.
  ///
  /// - Parameters:
  ///   - trackIDs: the IDs of the tracks, or `nil` for all tracks and for the events between fragments.
  ///   - identifiers: patterns, such as `mdta/com.apple.*`. If the array is empty, all items are returned.
  ///   - range: the time range in microseconds, or `nil` for the whole movie.
  ///   - source: the source of the movie.
  public func timedMetadata(
    in trackIDs: Set<UInt32>? = nil, identifiers: [String] = [], range: Range<Int64>? = nil,
    from source: some RandomAccessSource
  ) throws -> TimedMetadataSequence {
    TimedMetadataSequence(
      reader: try TimedMetadataReader(self, in: trackIDs, identifiers: identifiers, range: range, from: source))
  }
}
