import MovieBox

/// A generated chapter track: titles in one language, links, or pictures.
///
/// The track is disabled, belongs to no alternate group and has no size, so players do not offer it as subtitles. The
/// `chap` references of other tracks make it a chapter list (QTFF "Chapter Lists").
struct ChapterTrack: GeneratedTrack {
  let id: UInt32
  let labels: TrackLabels
  private let media: ChapterMedia
  var facts: NewTrackFacts
  /// The edit list that delays the first picture, or `nil` if the first chapter has a picture.
  let edits: EditList?

  /// Creates a chapter track for the movie of `template`.
  ///
  /// Throws `.invalidEdit` if the chapters before the first picture are shorter than a tick of the movie.
  init(_ media: ChapterMedia, language: LanguageTag?, as template: TrackTemplate, id: UInt32) throws(MovieError) {
    let movie = template.movie
    self.id = id
    self.media = media
    labels = TrackLabels(language: language)
    let (scale, mediaScale) = (UInt64(movie.header.timeScale), UInt64(media.timeScale))
    // Round down, because the track must not be longer than the movie.
    let end = media.start.addingClamped(media.duration).scaled(by: scale, over: mediaScale)
    facts = template.facts
    facts.durationInMovieTicks = end ?? movie.durationInMovieTicks
    edits = try media.start > 0 ? Self.edits(media, until: facts.durationInMovieTicks, scale) : nil
  }

  /// Returns an empty edit followed by the media.
  ///
  /// The media begins at the first movie tick at or after the start of its chapter. The edit skips the difference at
  /// the start of the media, so that later pictures are on time.
  private static func edits(
    _ media: ChapterMedia, until end: UInt64, _ scale: UInt64
  ) throws(MovieError) -> EditList {
    let mediaScale = UInt64(media.timeScale)
    guard let delay = media.start.scaledUp(by: scale, over: mediaScale), delay < end,
      let shown = delay.scaledToNearest(by: mediaScale, over: scale), shown >= media.start,
      shown < media.firstChapterEnd
    else {
      throw MovieError(
        .invalidEdit,
        "the movie's time scale of \(scale) is too coarse to delay the first picture until \(media.start) ms")
    }
    return EditList(entries: [
      .init(segmentDuration: delay, mediaTime: -1),
      .init(segmentDuration: end - delay, mediaTime: Int64(clamping: shown - media.start)),
    ])
  }

  /// The kind of the samples: titles, links or pictures.
  var kind: ChapterList.Form.Kind { media.kind }
  var mediaType: MediaType { media.kind == .images ? .video : .text }
  var formats: [FourCC] { media.formats }
  var sampleData: [UInt8] { media.data }
  var contents: String { "chapters" }

  func applyPlacement(to header: inout TrackHeader) {
    (header.width, header.height) = (UInt32(media.pictureSize.width) << 16, UInt32(media.pictureSize.height) << 16)
  }

  func media(at chunkOffset: UInt32, isInterleaved: Bool) -> NewTrackMedia {
    NewTrackMedia(
      timeScale: media.timeScale, duration: media.duration, informationHeader: informationHeader,
      sampleEntries: media.sampleEntries, sampleSizes: media.sampleSizes, durationRuns: media.durationRuns,
      chunks: chunks(from: chunkOffset))
  }

  /// `vmhd` for pictures, or the `gmhd` by which QuickTime recognizes text.
  private var informationHeader: [UInt8] {
    guard kind != .images else { return VideoMediaHeader().atom("vmhd") }
    var writer = ByteWriter()
    writer.atom("gmhd") { gmhd in
      gmhd.write(BaseMediaInfo().atom("gmin"))
      gmhd.write(TextMediaInfo().atom("text"))
    }
    return writer.bytes
  }

  /// Returns one chunk with all titles, or one chunk for each picture.
  ///
  /// A player reads all titles before it starts, but reads a picture only when its chapter begins.
  private func chunks(from start: UInt32) -> [ChunkPlace] {
    guard kind == .images else {
      return [ChunkPlace(offset: UInt64(start), sampleCount: UInt32(clamping: media.sampleSizes.count))]
    }
    var offset = UInt64(start)
    return zip(media.sampleSizes, media.descriptionIndices).map { size, description in
      defer { offset &+= UInt64(size) }  // Generated samples have fewer than 4 GiB.
      return ChunkPlace(offset: offset, sampleCount: 1, sampleDescriptionIndex: description)
    }
  }
}

extension EditedTrack {
  /// The kind of chapters in the track if the edit generates it, or `nil` for any other track.
  var chapterKind: ChapterList.Form.Kind? { (planned as? ChapterTrack)?.kind }

  /// The name of a chapter track in reports: `pictures`, `links`, or for a track of titles, its language (`titles` if the
  /// language is unknown).
  package var chapterName: String {
    if chapterKind == .links { return "links" }
    return mediaType == .video ? "pictures" : language?.englishName ?? "titles"
  }

  /// Whether the track contains only chapters. Such a track contains text or still pictures, and only `chap` references
  /// refer to it.
  ///
  /// - Parameter referenced: the tracks to which other tracks refer for purposes other than chapters.
  func containsOnlyChapters(_ referenced: Set<UInt32>) -> Bool {
    guard !referenced.contains(id), references["chap"] == nil else { return false }
    switch mediaType {
    case .text: return alternateGroup == 0
    case .subtitle: return alternateGroup == 0 && !isEnabled
    case .video: return chapterKind != nil || old?.hasStillPictures ?? false
    default: return false
    }
  }
}

extension [EditedTrack] {
  /// Returns the tracks that refer to the chapters.
  ///
  /// These are the video and audio tracks that are enabled or already refer to chapters. If there is no such track,
  /// returns all video and audio tracks. Excludes chapter tracks and `exceptions`.
  func chapterReferrers(except exceptions: Set<UInt32> = []) -> Set<UInt32> {
    let lists = chapterTrackIDs.union(exceptions)
    let mediaTracks = filter { ($0.mediaType == .video || $0.mediaType == .audio) && !lists.contains($0.id) }
    let playedTracks = mediaTracks.filter { $0.isEnabled || $0.references["chap"] != nil }
    return Set((playedTracks.isEmpty ? mediaTracks : playedTracks).map(\.id))
  }

  /// The tracks to which other tracks refer for purposes other than chapters.
  var tracksReferencedForOtherPurposes: Set<UInt32> {
    reduce(into: []) { ids, track in
      for (type, targets) in track.references where type != "chap" { ids.formUnion(targets) }
    }
  }

  /// Returns the tracks that contain chapters of these kinds. If a track could not be read, its media type determines
  /// the kind.
  func chapterTracks(of kinds: Set<ChapterList.Form.Kind>, in old: ChapterList) -> Set<UInt32> {
    let read = Dictionary(old.forms.compactMap { form in form.trackID.map { ($0, form.kind) } }) { first, _ in first }
    let chapterIDs = chapterTrackIDs
    return Set(
      lazy.filter { chapterIDs.contains($0.id) }.filter { track in
        if let kind = track.chapterKind ?? read[track.id] { return kinds.contains(kind) }
        return kinds.contains(track.mediaType == .video ? .images : .titles)
      }.map(\.id))
  }
}
