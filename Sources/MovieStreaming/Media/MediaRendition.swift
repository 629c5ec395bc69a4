import MovieBox
import MovieWriter

/// The files of a video or audio track in a folder, and the playlists that refer to them.
///
/// A segment is a list of generated fragments and ranges of the source, so that media is neither read nor copied here.
/// It is either a separate file or a range of bytes in one file.
struct MediaRendition {
  /// A playlist with its path.
  struct Playlist {
    let path: String
    let playlist: MediaPlaylist
  }

  let streamed: StreamedTrack
  /// The files without references: initialization segment and segments, or one file with all of them.
  let files: [StreamPlan.File]
  let playlist: Playlist
  /// The duration of the longest segment in microseconds, without the time before the track starts.
  let longestPlayedDuration: UInt64
  /// The I-frame playlist, or `nil` for audio, and if no picture can be decoded without others.
  let trickPlay: Playlist?

  /// Creates the files of a track that was cut at the times of the presentation.
  init(
    _ streamed: StreamedTrack, cutTo segmented: SegmentedTrack, at times: PresentationTimeline, in folder: String,
    isSingleFile: Bool
  ) throws(MovieError) {
    self.streamed = streamed
    let durations = times.durations(of: segmented, streamed.timeline)
    let type = streamed.track.mediaType == .video ? "video/mp4" : "audio/mp4"
    let layout =
      isSingleFile
      ? try Layout(oneFileOf: segmented, in: folder, type) : Layout(filesOf: segmented, in: folder, type)
    files = layout.files
    let segments = segmented.segments.indices.map { index in
      MediaPlaylist.Segment(
        place: layout.places[index], byteCount: segmented.segments[index].byteCount, microseconds: durations[index])
    }
    playlist = Playlist(
      path: "\(folder)/playlist.m3u8",
      playlist: MediaPlaylist(
        .media(map: layout.map), segments: segments, startInMicroseconds: times.startInMicroseconds))
    let lateness = times.microseconds(streamed.timeline.start, scale: streamed.timeline.timeScale)
    let first = durations.first.map { $0 - min($0, lateness) }
    longestPlayedDuration = max(first ?? 0, durations.dropFirst().max() ?? 0)
    let totalDuration = durations.reduce(0, &+)
    if segmented.iFrames.isEmpty {
      trickPlay = nil
    } else {
      let starts = segmented.iFrames.map { times.microseconds($0.time, scale: streamed.timeline.timeScale) }
      let pictures = segmented.iFrames.enumerated().map { index, frame in
        let (start, end) = (
          index == 0 ? 0 : starts[index], index + 1 < starts.count ? starts[index + 1] : totalDuration
        )
        return MediaPlaylist.Segment(
          place: layout.places[frame.segment].part(frame.range), byteCount: frame.range.count,
          microseconds: end > start ? end - start : 0)
      }
      trickPlay = Playlist(
        path: "\(folder)/iframes.m3u8", playlist: MediaPlaylist(.iFrames(map: layout.map), segments: pictures))
    }
  }

  /// The files of a track, and the location of each segment in them.
  private struct Layout {
    let map: MediaPlaylist.Place
    var files: [StreamPlan.File] = []
    /// The location of each segment.
    var places: [MediaPlaylist.Place] = []

    /// Creates one file for each segment.
    init(filesOf segmented: SegmentedTrack, in folder: String, _ type: String) {
      map = MediaPlaylist.Place(path: "init.mp4")
      files.append(StreamPlan.File("\(folder)/\(map.path)", .initialization, type, segmented.initialization))
      for (index, segment) in segmented.segments.enumerated() {
        let name = "segment-\(index + 1).m4s"
        files.append(
          StreamPlan.File(
            "\(folder)/\(name)", .media, type, segmented.contents[segment.contents], byteCount: segment.byteCount,
            generatedByteCount: segment.generatedByteCount))
        places.append(MediaPlaylist.Place(path: name))
      }
    }

    /// Creates one file for all segments.
    init(oneFileOf segmented: SegmentedTrack, in folder: String, _ type: String) throws(MovieError) {
      let name = "media.mp4"
      var offset = UInt64(segmented.initialization.count)
      var generated = offset
      map = MediaPlaylist.Place(path: name, range: 0..<offset)
      for segment in segmented.segments {
        generated &+= segment.generatedByteCount  // In memory.
        let (end, overflow) = offset.addingReportingOverflow(segment.byteCount)
        guard !overflow else { throw MovieError(.limit, "the file would exceed 2⁶⁴ bytes") }
        places.append(MediaPlaylist.Place(path: name, range: offset..<end))
        offset = end
      }
      files = [
        StreamPlan.File(
          "\(folder)/\(name)", .media, type, segmented.contents[...], byteCount: offset,
          generatedByteCount: generated)
      ]
    }
  }
}

extension MediaPlaylist.Place {
  /// Returns a part of a segment.
  fileprivate func part(_ part: Range<UInt64>) -> MediaPlaylist.Place {
    let start = range?.lowerBound ?? 0
    return MediaPlaylist.Place(path: path, range: start + part.lowerBound..<start + part.upperBound)
  }
}

/// Contents in groups of source ranges that are so close together that one read of a group is faster than one read of
/// each range.
struct ConcatenatedExtents: Sequence, IteratorProtocol {
  /// The largest gap that is read with its neighbors, as a call costs about as much as reading this many bytes.
  private static let largestGap: UInt64 = 16 << 10
  private static let largestSpan: UInt64 = 256 << 10

  struct Group {
    let range: Range<Int>
    /// The bytes to read, or `nil` if each range is read separately.
    let span: ByteRange?
  }

  private let contents: ArraySlice<OutputPlan.Content>
  private var position: Int

  init(_ contents: ArraySlice<OutputPlan.Content>) {
    self.contents = contents
    position = contents.startIndex
  }

  /// Calls a closure for each content, in order. If several ranges are read together, calls `read` for each range with
  /// the read bytes and the position of the range in them. Otherwise, calls `other`.
  func forEach(
    of source: some RandomAccessSource, read: (Bytes, Range<Int>) throws -> Void,
    other: (OutputPlan.Content) throws -> Void
  ) throws {
    for group in self {
      guard let span = group.span else {
        for content in contents[group.range] { try other(content) }
        continue
      }
      let bytes = try source.readExactly(span)
      for content in contents[group.range] {
        if case .source(let range) = content {
          let start = Int(range.offset - span.offset)  // The span contains all ranges of the group.
          try read(bytes, start..<start + Int(range.count))
        } else {
          try other(content)
        }
      }
    }
  }

  mutating func next() -> Group? {
    guard position < contents.endIndex else { return nil }
    let start = position
    var span: ByteRange?
    var rangeCount = 0
    while position < contents.endIndex {
      if case .source(let range) = contents[position] {
        if let known = span {
          guard let joined = known.joined(with: range, over: Self.largestGap, upTo: Self.largestSpan) else { break }
          span = joined
        } else {
          span = range
        }
        rangeCount += 1
      }
      position += 1
    }
    return Group(range: start..<position, span: rangeCount > 1 ? span : nil)
  }
}

extension PresentationTimeline {
  /// The duration of each segment of a track, in microseconds.
  ///
  /// If a track has no samples for a segment, the segment before it lasts longer. The last segment ends with the
  /// presentation, unless the track ends more than ``longestSilence`` earlier.
  func durations(of track: SegmentedTrack, _ timeline: TrackTimeline) -> [UInt64] {
    let ownEnd = microseconds(timeline.end, scale: timeline.timeScale)
    let end = microseconds(ofBoundary: segmentCount)
    let last = ownEnd.addingClamped(Self.longestSilence) < end ? ownEnd : end
    return track.segments.indices.map { index in
      let start = index == 0 ? 0 : microseconds(ofBoundary: track.segments[index].number)
      let isLast = index == track.segments.count - 1
      let stop = isLast ? last : microseconds(ofBoundary: track.segments[index + 1].number)
      return stop > start ? stop - start : 0
    }
  }
}
