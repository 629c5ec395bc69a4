import MovieBox

/// A track of chapters, made for a movie: titles in a language, links, or pictures.
///
/// Disabled, in no group and of no size, so that no player takes it for subtitles; what refers to it (`chap`) makes it a
/// list of chapters (QTFF "Chapter Lists").
struct ChapterTrack: GeneratedTrack {
  let id: UInt32
  let labels: TrackLabels
  private let media: ChapterMedia
  private var facts: NewTrackFacts
  /// What shows nothing until the first chapter that has a picture; `nil` where that is the first of all.
  private let edits: EditList?

  /// A track for a movie. Throws `.invalidEdit` where the movie counts time in units so large that it cannot tell a
  /// chapter with a picture from those before it.
  init(_ media: ChapterMedia, language: LanguageTag?, as template: TrackTemplate, id: UInt32) throws(MovieError) {
    let movie = template.movie
    self.id = id
    self.media = media
    labels = TrackLabels(language: language)
    let (scale, mediaScale) = (UInt64(movie.header.timeScale), UInt64(media.timeScale))
    // Rounded down, so that the track is never longer than the movie.
    let end = media.start.addingClamped(media.duration).scaled(by: scale, over: mediaScale)
    facts = template.facts
    facts.durationInMovieTicks = end ?? movie.durationInMovieTicks
    edits = try media.start > 0 ? Self.edits(media, until: facts.durationInMovieTicks, scale) : nil
  }

  /// An empty edit, and then the media. It begins with a tick of the movie, never before its chapter; what it is late by
  /// is cut off, so that the pictures after the first are not late too.
  private static func edits(
    _ media: ChapterMedia, until end: UInt64, _ scale: UInt64
  ) throws(MovieError) -> EditList {
    let mediaScale = UInt64(media.timeScale)
    guard let delay = media.start.scaledUp(by: scale, over: mediaScale), delay < end,
      let shown = delay.scaledToNearest(by: mediaScale, over: scale), shown >= media.start,
      shown < media.firstEnd
    else {
      throw MovieError(
        .invalidEdit,
        "the movie counts time in units of 1/\(scale) s, which are longer than the chapter at \(media.start) ms is, "
          + "the first with a picture")
    }
    return EditList(entries: [
      .init(segmentDuration: delay, mediaTime: -1),
      .init(segmentDuration: end - delay, mediaTime: Int64(clamping: shown - media.start)),
    ])
  }

  /// The track without dates.
  var undated: ChapterTrack {
    var track = self
    track.facts.modificationTime = 0
    return track
  }

  /// What the samples are.
  var kind: ChapterList.Form.Kind { media.kind }
  var mediaType: MediaType { media.kind == .images ? .video : .text }
  var formats: [FourCC] { media.formats }
  var sampleData: [UInt8] { media.data }
  var durationInMovieTicks: UInt64 { facts.durationInMovieTicks }

  func trackAtom(as edited: EditedTrack, chunkOffset: UInt32, isInterleaved: Bool) -> [UInt8] {
    var header = facts.header(id, as: edited)
    (header.width, header.height) = (UInt32(media.pictureSize.width) << 16, UInt32(media.pictureSize.height) << 16)
    var writer = ByteWriter()
    writer.atom("trak") { trak in
      trak.write(header.atom("tkhd"))
      if let edits { trak.atom("edts") { $0.write(edits.atom("elst")) } }
      if !edited.references.isEmpty { trak.write(GeneratedSubtitleTrack.referencesAtom(edited.references)) }
      NewTrackMedia(
        facts: facts, mediaType: mediaType, labels: edited.labels, timeScale: media.timeScale, duration: media.duration,
        informationHeader: informationHeader, sampleEntries: media.sampleEntries, sampleSizes: media.sampleSizes,
        durationRuns: media.durationRuns, chunks: chunks(from: chunkOffset)
      ).write(to: &trak)
    }
    return writer.bytes
  }

  /// `vmhd`, or `gmhd` with where text is drawn, by which QuickTime knows text.
  private var informationHeader: [UInt8] {
    guard kind != .images else { return VideoMediaHeader().atom("vmhd") }
    var writer = ByteWriter()
    writer.atom("gmhd") { gmhd in
      gmhd.write(BaseMediaInfo().atom("gmin"))
      gmhd.write(TextMediaInfo().atom("text"))
    }
    return writer.bytes
  }

  /// All titles in one chunk, which belongs to the start of the movie: a player on a network reads the whole list before
  /// it plays. Pictures each in a chunk, which is wanted when its chapter begins.
  private func chunks(from start: UInt32) -> [ChunkPlace] {
    guard kind == .images else {
      return [ChunkPlace(offset: UInt64(start), sampleCount: UInt32(clamping: media.sampleSizes.count))]
    }
    var offset = UInt64(start)
    return zip(media.sampleSizes, media.descriptionIndices).map { size, description in
      defer { offset &+= UInt64(size) }  // The samples of an edit are fewer bytes than 4 GiB.
      return ChunkPlace(offset: offset, sampleCount: 1, sampleDescriptionIndex: description)
    }
  }
}
