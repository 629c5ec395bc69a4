package import Subtitles

/// Reads the cues of a text track: timed text (`tx3g`), QuickTime text, WebVTT, or closed captions (`c608`, `c708`).
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
  private let fragments: MovieFragments?
  /// The samples of all formats except captions. Captions are read in batches.
  private let samples: [PlacedSample]
  private let decoders: [TextSampleDecoder?]
  private let presentation: CuePresentation
  private let limits: SubtitleLimits
  /// The channel of closed captions, or `nil` for the first channel that shows captions.
  package var captionChannel: CaptionChannel?
  /// Whether the text contains the pairs of closed captions. Caption files and caption tracks can store these pairs
  /// without a loss.
  package var includesCaptionPairs = false
  /// The time between the pairs in a sample of closed captions.
  private var captionInterval = CaptionInterval.line21

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
  /// Throws ``MovieError``. The error is `.unsupported` if the track has no supported text format or is stored in
  /// another file. It is `.limit` if `limits` are exceeded, and `.malformed` if the tables are inconsistent.
  package init(
    _ track: Track, of movie: Movie, fragments: MovieFragments? = nil, endingAt end: Int64? = nil,
    limits: SubtitleLimits = SubtitleLimits()
  ) throws(MovieError) {
    self.track = track
    self.fragments = fragments
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
    presentation = try CuePresentation(
      track, of: movie, endingAt: end ?? movie.endMilliseconds(fragments) ?? .max, limits: limits)
    let sampleCount = track.sampleCount(in: fragments)
    // Captions often have a sample for each picture, so permit more samples for each cue.
    let sampleCountPerCue = track.hasClosedCaptions ? 16 : 4
    guard sampleCount / sampleCountPerCue <= limits.cueCount else {
      throw MovieError(
        .limit, in: path,
        "the track has \(sampleCount) text samples: the limit is \(limits.cueCount) cues of \(sampleCountPerCue) "
          + "samples each")
    }
    guard !track.hasClosedCaptions else {
      samples = []
      return
    }
    var budget = ByteBudget(track, limits)
    do throws(MovieError) {
      samples = try track.placedSamples(in: fragments, isRead: { decoders[$0] != nil }) { _, bytes throws(MovieError) in
        try budget.spend(bytes)
      }
    } catch {
      throw MovieError(error.code, in: path, error.reason)
    }
  }

  /// The number of sample bytes that may still be read.
  private struct ByteBudget {
    private let trackID: UInt32
    private let limit: Int
    private var byteCount: UInt64 = 0

    init(_ track: Track, _ limits: SubtitleLimits) {
      (trackID, limit) = (track.id, limits.sampleByteCount)
    }

    mutating func spend(_ bytes: ByteRange) throws(MovieError) {
      byteCount = byteCount.addingClamped(bytes.count)
      guard byteCount <= UInt64(limit) else {
        throw MovieError(.limit, "track \(trackID) has more than \(limit) bytes of text")
      }
    }
  }

  /// Reads and decodes the samples.
  ///
  /// Throws the errors of the source and ``MovieError``. The error is `.truncated` for samples past the end of the
  /// file, and `.limit` if the limits are exceeded.
  package func read(from source: some RandomAccessSource) throws -> TextTrack {
    let fileByteCount = try source.identity().byteCount
    var notices = NoticeList(limits)
    guard !track.hasClosedCaptions else { return try captions(from: source, fileByteCount, notices) }
    try requireInFile(samples, fileByteCount)
    let contents = try SampleBatch(samples.map(\.bytes)).read(from: source)
    var joining = CueJoining()
    for (sample, bytes) in zip(samples, contents) {
      guard let decoder = decoders[sample.description] else { continue }
      let text = decoder.decode(bytes, atMilliseconds: presentation.mediaMilliseconds(sample.start))
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
      guard joining.cues.count <= limits.cueCount else { throw presentation.tooManyCues }
    }
    var text = TextTrack(trackID: track.id, cues: [], notices: notices.finished)
    try addCues(joining.cues, to: &text)
    return text
  }

  private func requireInFile(_ samples: [PlacedSample], _ fileByteCount: UInt64) throws(MovieError) {
    guard let lost = samples.first(where: { $0.bytes.end > fileByteCount }) else { return }
    throw MovieError(
      .truncated, at: lost.bytes.offset, in: path,
      "sample \(lost.index + 1) (\(lost.bytes.count) bytes) extends past the end of the file at \(fileByteCount)")
  }

  private func captions(
    from source: some RandomAccessSource, _ fileByteCount: UInt64, _ notices: NoticeList
  ) throws -> TextTrack {
    var reader = CaptionSampleReader(captionInterval, of: track, notices)
    var budget = ByteBudget(track, limits)
    let areRead = decoders.map { $0 != nil }
    do {
      try track.forEachBatch(of: Self.captionSampleCount, in: fragments, isRead: { areRead[$0] }) { samples in
        for sample in samples { try budget.spend(sample.bytes) }
        try requireInFile(samples, fileByteCount)
        try SampleBatch(samples.map(\.bytes)).forEach(from: source) { reader.add($1, at: $2, samples[$0]) }
      }
    } catch let error as MovieError where error.path.isEmpty && error.offset == nil {
      throw MovieError(error.code, in: path, error.reason)
    }
    let notices = reader.finishedNotices
    return try reader.takeCaptions().decoded(presentation, limits)
      .text(of: captionChannel, notices, pairsIn: includesCaptionPairs ? .line21 : nil)
  }

  /// The number of caption samples that are read at a time.
  private static let captionSampleCount = 16_384

  /// Sets the time between the pairs in a caption sample to the duration of the first picture of the film.
  package mutating func setVideoFrameRate(of movie: Movie, _ fragments: MovieFragments?) {
    if let interval = CaptionInterval(pictureOf: movie, fragments) { captionInterval = interval }
  }

  /// Maps the times of cues from the media to the movie, and adds the cues to `text`.
  private func addCues(_ media: [CueJoining.MediaCue], to text: inout TextTrack) throws(MovieError) {
    let (cues, sources) = try presentation.cues(media)
    text.cues = cues
    let headers = Set(decoders.map { $0?.webVTTHeader })
    if let header = headers.first ?? nil, headers.count == 1, sources.count == cues.count {
      text.webVTT = WebVTTSource(header: header, cues: sources)
      text.webVTT?.setReadCues(text.cues)
    } else if !sources.isEmpty, headers.contains(where: { $0 != nil }) {
      text.notices.append(
        SubtitleNotice(
          line: 0, kind: .ignoredSetting,
          message: "track \(track.id) has several WebVTT headers, or cues without WebVTT source: only placement and "
            + "styles are kept; identifiers, regions and other settings are dropped"))
    }
  }
}

extension MovieError {
  /// The error without its offset. The offset counts from the start of a payload and not of the file.
  fileprivate var withoutOffset: MovieError { MovieError(code, in: path, reason) }
}
