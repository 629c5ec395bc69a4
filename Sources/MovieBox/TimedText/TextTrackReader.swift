public import Subtitles

/// Reads the cues of a text track: timed text (`tx3g`), QuickTime text, or WebVTT.
///
///     let movie = try Movie(of: source)
///     for track in movie.tracks where TextTrackReader.canRead(track) {
///     }
///
/// The edit list maps times to the movie's presentation clock. Consecutive samples with equal contents become one
/// cue. Only the samples are read, with one read for adjacent samples, so a film of any size requires reading only
/// some kilobytes. The fragments of a fragmented movie must be read first (``Movie/readFragments(of:)``).
package struct TextTrackReader: Sendable {
  private let track: Track
  private let path: String
  private let samples: [PlacedSample]
  private let decoders: [TextSampleDecoder?]
  private let segments: [ShownSegment]
  private let movieEndInMilliseconds: Int64
  private let limits: SubtitleLimits

  /// Whether at least some samples of the track have a supported text format.
  package static func canRead(_ track: Track) -> Bool {
    track.mediaType.isLegible && track.hasReadableText
  }

  /// Locates the samples of a track and their times without reading the samples. `fragments` are the fragments of the
  /// movie, if it has any.
  ///
  /// `end` is the value of ``Movie/endInMilliseconds(_:)`` if the caller has computed it. Computing the end requires
  /// a pass over all tracks, so callers with several tracks compute it only once.
  ///
  /// Throws ``MovieError``. The error is `.unsupported` for other formats and for samples in other files, `.limit` if
  /// `limits` are exceeded, and `.malformed` if the tables are inconsistent.
  package init(
    _ track: Track, of movie: Movie, fragments: MovieFragments? = nil, endingAt end: Int64? = nil,
    limits: SubtitleLimits = SubtitleLimits()
  ) throws(MovieError) {
    self.track = track
    self.limits = limits
    path = movie.tree.path(of: track.atom)
    var decoders: [TextSampleDecoder?] = []
    for entry in track.sampleDescriptions.entries {
      do throws(MovieError) {
        decoders.append(try TextSampleDecoder(entry, of: track))
      } catch {
        throw error.located(inside: path + "/mdia/minf/stbl/stsd", startingAt: 0).withoutOffset
      }
    }
    self.decoders = decoders
    guard decoders.contains(where: { $0 != nil }) else {
      let formats = track.formats.map(\.description).joined(separator: ", ")
      throw MovieError(
        .unsupported, in: path,
        "track \(track.id) has the format \(formats), which is not a "
          + "supported text format")
    }
    segments = try track.shownSegments(movieTimeScale: movie.header.timeScale)
    movieEndInMilliseconds = end ?? movie.endMilliseconds(fragments) ?? .max
    let sampleCount = track.sampleCount(in: fragments)
    guard sampleCount / 4 <= limits.cueCount else {
      throw MovieError(
        .limit, in: path,
        "the track has \(sampleCount) text samples: the limit is \(limits.cueCount) cues of 4 "
          + "samples each")
    }
    var byteCount: UInt64 = 0
    do throws(MovieError) {
      samples = try track.placedSamples(in: fragments, isRead: { decoders[$0] != nil }) { _, bytes throws(MovieError) in
        byteCount = byteCount.addingClamped(bytes.count)
        guard byteCount <= UInt64(limits.sampleByteCount) else {
          throw MovieError(.limit, "track \(track.id) has more than \(limits.sampleByteCount) bytes of text")
        }
      }
    } catch {
      throw MovieError(error.code, in: path, error.reason)
    }
  }

  /// Reads and decodes the samples.
  ///
  /// Throws the errors of the source and ``MovieError``. The error is `.truncated` for samples past the end of the
  /// file, and `.limit` if the limits are exceeded.
  package func read(from source: some RandomAccessSource) throws -> TextTrack {
    let fileByteCount = try source.identity().byteCount
    if let lost = samples.first(where: { $0.bytes.end > fileByteCount }) {
      throw MovieError(
        .truncated, at: lost.bytes.offset, in: path,
        "sample \(lost.index + 1) of \(lost.bytes.count) bytes extends past the end of the file at \(fileByteCount)")
    }
    let contents = try SampleBatch(samples.map(\.bytes)).read(from: source)
    var notices = NoticeList(limits)
    var joining = CueJoining()
    for (sample, bytes) in zip(samples, contents) {
      guard let decoder = decoders[sample.description] else { continue }
      let text = decoder.decode(bytes, atMilliseconds: mediaMilliseconds(sample.start))
      if let problem = text.problem {
        notices.add(.damagedSample, line: 0, "sample \(sample.index + 1) of track \(track.id): \(problem)")
      }
      if sample.start == sample.end, let first = text.shown.first {
        notices.add(
          .sampleNeverShown, line: 0, lostText: first.text.text,
          "sample \(sample.index + 1) of track \(track.id), \(first.text.excerpt), has no duration: it is omitted")
      } else {
        joining.add(text.shown, from: sample.start, to: sample.end)
      }
      guard joining.cues.count <= limits.cueCount else { throw tooManyCues }
    }
    var text = TextTrack(trackID: track.id, cues: [], notices: notices.finished)
    try addCues(joining.cues, to: &text)
    return text
  }

  private func mediaMilliseconds(_ ticks: Int64) -> Int64 {
    let scale = Int128(max(1, track.mediaHeader.timeScale))
    // The result is rounded to the nearest millisecond.
    return Int64(clamping: (Int128(ticks) * 2_000 + scale) / (2 * scale))
  }

  private var tooManyCues: MovieError {
    MovieError(.limit, in: path, "track \(track.id) has more than \(limits.cueCount) cues")
  }

  /// Adds the cues that result from mapping media times to times of the movie.
  private func addCues(_ media: [CueJoining.MediaCue], to text: inout TextTrack) throws(MovieError) {
    var cues: [Cue] = []
    var sources: [WebVTTSource.CueSource] = []
    var visitedCount = 0
    try segments.visit(media.map { ($0.start, $0.end) }, movieEnd: movieEndInMilliseconds) {
      index, segment, shown throws(MovieError) in
      visitedCount += 1
      guard cues.count < limits.cueCount, visitedCount / 64 <= limits.cueCount else { throw tooManyCues }
      guard let shown else { return }
      let cue = media[index]
      cues.append(
        Cue(
          startMilliseconds: shown.lowerBound, endMilliseconds: shown.upperBound, text: cue.shown.text,
          placement: cue.shown.placement, isForced: cue.shown.isForced))
      if var source = cue.shown.webVTT {
        let shownStart = mediaMilliseconds(max(cue.start, segment.mediaStart))
        source.startMilliseconds = source.startMilliseconds.addingClamped(shownStart)
        sources.append(source)
      }
    }
    text.cues = cues
    let headers = Set(decoders.map { $0?.webVTTHeader })
    if let header = headers.first ?? nil, headers.count == 1, sources.count == cues.count {
      text.webVTT = WebVTTSource(header: header, cues: sources)
      text.webVTT?.setReadCues(text.cues)
    } else if !sources.isEmpty, headers.contains(where: { $0 != nil }) {
      text.notices.append(
        SubtitleNotice(
          line: 0, kind: .ignoredSetting,
          message: "track \(track.id) has several WebVTT headers, or cues without WebVTT source: only the "
            + "placement and styles "
            + "are kept, but not identifiers, regions and other settings"))
    }
  }
}

/// The text of a track.
public struct TextTrack: Hashable, Sendable {
  /// The track's ID.
  public let trackID: UInt32
  /// The cues, ordered by start. The array is empty if the track has no text.
  public fileprivate(set) var cues: [Cue]
  /// Notices about text that could not be decoded completely.
  public fileprivate(set) var notices: [SubtitleNotice]
  /// The source of a WebVTT track, or `nil` for other formats.
  package fileprivate(set) var webVTT: WebVTTSource?

  /// Notices about WebVTT features that cues do not support, such as ruby and times within cues.
  package var inexpressibleNotices: [SubtitleNotice] { webVTT?.inexpressibleNotices ?? [] }

  /// The text as a subtitle file. The file can be written in any subtitle format.
  ///
  ///     let captions = try movie.text(ofTrack: 4, from: source).file.written(as: .webVTT).bytes
  public var file: SubtitleFile {
    var file = SubtitleFile(cues: cues, notices: notices)
    file.webVTT = webVTT
    return file
  }
}

extension Movie {
  /// Reads the cues of a text track: timed text (`tx3g`), QuickTime text, or WebVTT.
  ///
  /// The edit list maps times to the movie's presentation clock. Consecutive samples with equal contents become one
  /// cue. Only the fragments and the samples are read, with one read for adjacent samples, so a film of any size
  /// requires reading only some kilobytes. The times of a fragmented movie start at the start of its earliest track or,
  /// if `keepingStart` is `true`, at the time that the file declares.
  ///
  /// Throws the errors of the source and ``MovieError``. The error is `.sourceChanged` if the source does not contain
  /// this movie. It is `.unsupported` if the track does not exist, has another format (``Track/hasReadableText``) or
  /// is stored in another file. It is `.limit` if `limits` are exceeded, and `.truncated` or `.malformed` if samples
  /// are missing.
  ///
  ///     let movie = try Movie(of: source)
  ///     let text = try movie.text(ofTrack: 4, from: source)
  ///     for cue in text.cues { print(cue.startMilliseconds, cue.text.text) }
  public func text(
    ofTrack id: UInt32, from source: some RandomAccessSource, limits: SubtitleLimits = SubtitleLimits(),
    keepingStart: Bool = false
  ) throws -> TextTrack {
    try reading(source) {
      let presented = try includingFragments(from: source, keepingStart: keepingStart)
      guard let track = presented.movie.track(id) else {
        throw MovieError(.unsupported, "the movie has no track \(id)")
      }
      return try TextTrackReader(track, of: presented.movie, fragments: presented.fragments, limits: limits)
        .read(from: source)
    }
  }
}

extension MovieError {
  /// The error without its offset, which is relative to a payload and not to the file.
  fileprivate var withoutOffset: MovieError { MovieError(code, in: path, reason) }
}
