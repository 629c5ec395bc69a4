import MovieBox

/// A track of chapters, made for a movie: titles in a language, links, or pictures.
///
/// Disabled, in no group and of no size, so that no player takes it for subtitles; what refers to it (`chap`) makes it a
/// list of chapters (QTFF "Chapter Lists").
struct ChapterTrack: MadeTrack {
  let id: UInt32
  let labels: TrackLabels
  private let media: ChapterMedia
  private let facts: NewTrackFacts

  init(_ media: ChapterMedia, language: LanguageTag?, in movie: Movie, id: UInt32) {
    self.id = id
    self.media = media
    labels = TrackLabels(language: language)
    // Rounded down, so that the track is never longer than the movie.
    let duration = media.duration.scaled(by: UInt64(movie.header.timeScale), over: UInt64(media.timeScale))
    facts = NewTrackFacts(movie, durationInMovieTicks: duration ?? movie.durationInMovieTicks)
  }

  /// What the samples are.
  var kind: ChapterList.Form.Kind { media.kind }
  var mediaType: MediaType { media.kind == .images ? .video : .text }
  var formats: [FourCC] { media.formats }
  var sampleData: [UInt8] { media.data }
  var durationInMovieTicks: UInt64 { facts.durationInMovieTicks }

  func trackAtom(as edited: OutputTrack, chunkOffset: UInt32, isInterleaved: Bool) -> [UInt8] {
    var header = facts.header(id, as: edited)
    (header.width, header.height) = (UInt32(media.pictureSize.width) << 16, UInt32(media.pictureSize.height) << 16)
    var writer = ByteWriter()
    writer.atom("trak") { trak in
      trak.write(header.atom("tkhd"))
      if !edited.references.isEmpty { trak.write(EncodedTrack.referencesAtom(edited.references)) }
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
