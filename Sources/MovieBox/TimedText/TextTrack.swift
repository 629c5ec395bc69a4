public import Subtitles

/// The text of a track.
public struct TextTrack: Hashable, Sendable {
  /// The track's ID.
  public let trackID: UInt32
  /// The cues, ordered by start. The array is empty if the track has no text.
  public internal(set) var cues: [Cue]
  /// Notices about text that could not be decoded completely.
  public internal(set) var notices: [SubtitleNotice]
  /// The source of a WebVTT track, or `nil` for other formats.
  package internal(set) var webVTT: WebVTTSource?
  /// The channel of closed captions, or `nil` if the track contains other text or shows no captions.
  package internal(set) var captionChannel: CaptionChannel?
  /// The byte pairs of closed captions, or `nil` if the track contains other text or the pairs were not requested.
  package internal(set) var captions: CaptionSource?

  /// Notices about WebVTT features that cues do not support, such as ruby and times within cues.
  package var inexpressibleNotices: [SubtitleNotice] { webVTT?.inexpressibleNotices ?? [] }

  /// The text as a subtitle file. The file can be written in any subtitle format.
  ///
  ///     let captions = try movie.text(ofTrack: 4, from: source).file.written(as: .webVTT).bytes
  public var file: SubtitleFile {
    var file = SubtitleFile(cues: cues, notices: notices)
    file.webVTT = webVTT
    file.captions = captions
    return file
  }
}

extension Movie {
  /// Reads the cues of a text track: timed text (`tx3g`), QuickTime text, WebVTT, or closed captions (`c608`, `c708`).
  ///
  /// The edit list maps times to the movie's presentation clock. Consecutive samples with equal contents become one
  /// cue. Only the fragments and the samples are read, with one read for adjacent samples, so a film of any size
  /// requires reading only some kilobytes. The times of a fragmented movie start at the start of its earliest track or,
  /// if `keepingStart` is `true`, at the time that the file declares.
  ///
  /// Throws the errors of the source and ``MovieError``. The error is `.sourceChanged` if the source does not contain
  /// this movie. It is `.unsupported` if the track does not exist, has no readable format (``Track/hasReadableText``)
  /// or is stored in another file. It is `.limit` if `limits` are exceeded, and `.truncated` or `.malformed` if samples
  /// are missing.
  ///
  /// The captions of a track have up to four channels. `captionChannel` selects a channel. By default, the first
  /// channel that shows captions is read. The pairs of a caption sample are transmitted at 29.97 frames a second or, if
  /// `usesVideoFrameRate` is `true`, at the frame rate of the video.
  ///
  ///     let movie = try Movie(of: source)
  ///     let text = try movie.text(ofTrack: 4, from: source)
  ///     for cue in text.cues { print(cue.startMilliseconds, cue.text.text) }
  public func text(
    ofTrack id: UInt32, from source: some RandomAccessSource, limits: SubtitleLimits = SubtitleLimits(),
    keepingStart: Bool = false, captionChannel: CaptionChannel? = nil, usesVideoFrameRate: Bool = false
  ) throws -> TextTrack {
    try reading(source) {
      let presented = try includingFragments(from: source, keepingStart: keepingStart)
      guard let track = presented.movie.track(id) else {
        throw MovieError(.unsupported, "the movie has no track \(id)")
      }
      var reader = try TextTrackReader(track, of: presented.movie, fragments: presented.fragments, limits: limits)
      reader.captionChannel = captionChannel
      reader.includesCaptionPairs = true
      if usesVideoFrameRate { reader.setVideoFrameRate(of: presented.movie, presented.fragments) }
      return try reader.read(from: source)
    }
  }
}

extension TextTrack {
  /// Removes the notices for which `isKept` returns `false`.
  package mutating func keepNotices(_ isKept: (SubtitleNotice) -> Bool) {
    notices.removeAll { !isKept($0) }
  }

  /// Removes the caption pairs of all channels except `channel`, and converts the remaining pairs to pairs of CC1.
  package mutating func limitCaptions(to channel: CaptionChannel) {
    captions = captions?.limited(to: channel)
  }
}
