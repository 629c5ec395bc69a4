import MovieBox
import MovieWriter

/// A track of picture or sound as files of a folder, and the playlists that name them.
struct MediaRendition {
  /// A playlist, and where it is.
  struct Playlist {
    let path: String
    let playlist: MediaPlaylist
  }

  let streamed: StreamedTrack
  /// What refers to nothing: initialization segment and segments, or one file of all.
  let files: [StreamPlan.File]
  let playlist: Playlist
  /// The duration of the longest segment in microseconds, without the time before the track begins.
  let longestPlayed: UInt64
  /// The playlist of single pictures; `nil` for sound, and where no picture can be shown alone.
  let trickPlay: Playlist?

  /// The files of a track that was cut at the times of the programme.
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
    let late = times.microseconds(streamed.timeline.start, scale: streamed.timeline.timeScale)
    let first = durations.first.map { $0 - min($0, late) }
    longestPlayed = max(first ?? 0, durations.dropFirst().max() ?? 0)
    let own = durations.reduce(0, &+)
    if segmented.iFrames.isEmpty {
      trickPlay = nil
    } else {
      let starts = segmented.iFrames.map { times.microseconds($0.time, scale: streamed.timeline.timeScale) }
      let pictures = segmented.iFrames.enumerated().map { index, frame in
        let (start, end) = (index == 0 ? 0 : starts[index], index + 1 < starts.count ? starts[index + 1] : own)
        return MediaPlaylist.Segment(
          place: layout.places[frame.segment].part(frame.range), byteCount: frame.range.count,
          microseconds: end > start ? end - start : 0)
      }
      trickPlay = Playlist(
        path: "\(folder)/iframes.m3u8", playlist: MediaPlaylist(.iFrames(map: layout.map), segments: pictures))
    }
  }

  /// Where the bytes of a track go.
  private struct Layout {
    let map: MediaPlaylist.Place
    var files: [StreamPlan.File] = []
    /// Of each segment.
    var places: [MediaPlaylist.Place] = []

    /// A file for each segment.
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

    /// All in one file.
    init(oneFileOf segmented: SegmentedTrack, in folder: String, _ type: String) throws(MovieError) {
      let name = "media.mp4"
      var offset = UInt64(segmented.initialization.count)
      var generated = offset
      map = MediaPlaylist.Place(path: name, range: 0..<offset)
      for segment in segmented.segments {
        generated &+= segment.generatedByteCount  // In memory.
        let (end, overflow) = offset.addingReportingOverflow(segment.byteCount)
        guard !overflow else { throw MovieError(.limit, "a file of more than 2⁶⁴ bytes") }
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
  /// Some of the bytes of a segment.
  fileprivate func part(_ part: Range<UInt64>) -> MediaPlaylist.Place {
    let start = range?.lowerBound ?? 0
    return MediaPlaylist.Place(path: path, range: start + part.lowerBound..<start + part.upperBound)
  }
}
