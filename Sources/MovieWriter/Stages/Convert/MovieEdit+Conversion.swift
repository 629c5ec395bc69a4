public import MovieBox
public import Subtitles

extension MovieEdit {
  /// Converts the movie to another file type: brands, handlers, sample descriptions, tables, languages and metadata.
  /// The conversion must be the first change of an edit.
  ///
  /// The bytes of samples do not change, with one exception. Text in a format that the type does not allow is
  /// re-encoded, and its characters and styles are kept. ``notices`` lists changed descriptions and, as warnings, data
  /// that the type cannot contain. The edit cannot be planned if it keeps a track whose format is not registered for
  /// the type, so remove such tracks. Fragments are removed.
  ///
  ///     var edit = try MovieEdit(of: Movie(of: source), from: source)
  ///     try edit.convert(to: .mp4)
  ///     try MovieFileWriter(edit, to: .newFile("out.mp4", overwrites: false, synchronizes: false)).write()
  ///
  /// Reads only the samples of text to be re-encoded, chapter titles, and the first picture of MPEG-1, MPEG-2 and H.263
  /// tracks. Throws errors of the source, and ``/MovieBox/MovieError``: `.invalidEdit` if the movie was edited before,
  /// and `.malformed` if several tracks have the same ID. If the function throws, the edit is unchanged.
  public mutating func convert(
    to type: MovieType, limits textLimits: SubtitleLimits = SubtitleLimits()
  ) throws {
    try atomically { edit in try edit.carryOutConversion(to: type, limits: textLimits) }
  }

  private mutating func carryOutConversion(to type: MovieType, limits textLimits: SubtitleLimits) throws {
    // Salvaging removed the tracks without samples. The conversion restores all tracks, so they are removed again
    // below.
    let removedTracks = changesTracks ? emptyTracks : []
    let isUnchanged =
      tracks.map(\.id) == movie.tracks.map(\.id).filter { !removedTracks.contains($0) }
      && !tracks.contains(where: \.hasChanged)
    guard isUnchanged, !changes.fixesNextTrackID, !changesMetadata, changes.sharing == nil, changes.media.files.isEmpty,
      changes.media.external.isEmpty,
      stages.converted == nil
    else { throw MovieError(.invalidEdit, "the movie was already edited: convert it before making other changes") }
    try requireDistinctTrackIDs()
    flatten()
    if stages.flattened != nil {
      // A converted movie cannot keep its fragments. Offsets in most fragments are relative to the fragment, but the
      // brands of the file types are older than `iso5` and do not allow relative offsets (ISO/IEC 14496-12 8.8.7.1).
      recordedNotices.append(
        EditNotice(
          .fragments,
          type.isQuickTime
            ? "the conversion removes the fragments: QuickTime movies cannot contain fragments"
            : "the conversion removes the fragments: the brands of \(type.name) do not allow fragments"))
    }
    let original = movie
    let converter = try MovieConverter(movie, to: type, from: source, limits: textLimits)
    let limits = movie.limits
    let converted = try Movie(
      layout: movie.layout, tree: converter.movieAtom, fileType: type.fileType, limits: limits)
    var stages = stages
    stages.current = converted
    stages.converted = ConvertedMovie(
      original: original, type: type, movie: converted, recodedTracks: converter.recodedTracks,
      removedTracks: Set(converter.omittedTracks), omittedTracks: Set(converter.omittedTracks),
      refusals: converter.refusals, notices: converter.notices, losses: converter.losses,
      clearedFields: converter.clearedFields)
    replaceStages(with: stages)
    let explicitlyGrouped = Set(tracks.lazy.filter(\.hasExplicitGroup).map(\.id))
    tracks = converted.tracks.map { EditedTrack($0) }
    for index in tracks.indices { tracks[index].hasExplicitGroup = explicitlyGrouped.contains(tracks[index].id) }
    guard converter.omittedTracks.count < converted.tracks.count else {
      throw MovieError(
        .unsupported, at: original.movieAtom.range.offset, in: "moov",
        "\(type.name) cannot contain any of the tracks: \(converter.lastOmission ?? "")")
    }
    let duration = durationInMovieTicks
    let omittedIDs = Set(converter.omittedTracks)
    removeTracks(omittedIDs, isReported: false)  // Notices of the conversion report these tracks.
    if !converter.omittedTracks.isEmpty { noteShorterMovie(oldDuration: duration) }
    if !removedTracks.isEmpty { removeTracks(removedTracks, isReported: false) }
    var metadata = MetadataConverter(changes.metadata, to: type)
    metadata.convert(original)
    changes.metadata = metadata.change
    self.stages.converted?.metadata = metadata.change.edits
    self.stages.converted?.reportedItems = metadata.reportedItems
    recordedNotices += metadata.notices
    try convertChapters(of: original)
    guard !converter.recodedTracks.isEmpty else { return }
    let media = MemorySource(Bytes(converter.media.bytes))
    changes.media.files.append(OtherFile(contents: .media(media.identity()), source: media))
    for track in converted.tracks where converter.recodedTracks.contains(track.id) {
      var external = ExternalMedia()
      for entry in track.sampleDescriptions.entries {
        external.parts[Int(entry.dataReferenceIndex) - 1] = changes.media.files.count  // Stored indices begin at 1.
      }
      changes.media.external[track.id] = external
    }
  }

  /// A suggestion for an edit with tracks that the type cannot contain.
  package struct ConversionAdvice: Equatable, Sendable {
    /// The IDs of the old tracks that are useful without the rejected tracks.
    package let tracks: [UInt32]
    /// Whether ``tracks`` contains every audio track of the movie and nothing else.
    package let areExactlyAudioTracks: Bool
    /// A type that can contain all tracks, or `nil` if none is known.
    package let type: MovieType?
  }

  /// The suggestion for tracks that the type cannot contain, or `nil` if it can contain all tracks of the edit.
  package var conversionAdvice: ConversionAdvice? {
    guard let conversion = stages.converted else { return nil }
    let refusedTracks = tracks.filter { conversion.refusals[$0.id] != nil }
    guard !refusedTracks.isEmpty else { return nil }
    let keptTracks = tracksWorthKeeping(afterRejecting: Set(refusedTracks.map(\.id)))
    let sound = tracks.filter { $0.mediaType == .audio }.map(\.id)
    let isAllowedInMP4 = conversion.type != .mp4 && refusedTracks.allSatisfy { conversion.isAllowedInMP4($0.id) }
    return ConversionAdvice(
      tracks: keptTracks, areExactlyAudioTracks: !keptTracks.isEmpty && keptTracks == sound,
      type: isAllowedInMP4 ? .mp4 : conversion.original.dialect == .quickTime ? .quickTime : nil)
  }

  /// Returns the IDs of the old tracks that are useful without the rejected tracks.
  ///
  /// If no video remains, these are the audio tracks. An edit that keeps them also keeps their chapters. Otherwise,
  /// these are all tracks, except time code and timed metadata tracks that belong only to rejected tracks.
  private func tracksWorthKeeping(afterRejecting refused: Set<UInt32>) -> [UInt32] {
    let keptTracks = tracks.filter { $0.old != nil && !refused.contains($0.id) }
    let lists = tracks.chapterTrackIDs
    let sound = keptTracks.filter { $0.mediaType == .audio }
    if !sound.isEmpty, !keptTracks.contains(where: { $0.mediaType == .video && !lists.contains($0.id) }) {
      return sound.map(\.id)
    }
    return keptTracks.filter { track in
      let timed = tracks.filter { $0.references["tmcd"]?.contains(track.id) ?? false }.map(\.id)
      let described = timed + (track.references["cdsc"] ?? [])
      return described.isEmpty || !refused.isSuperset(of: described)
    }.map(\.id)
  }
}

extension ConvertedMovie {
  /// Whether an MP4 file can contain a track of the old movie. Reads no samples, even for formats that depend on the
  /// first picture.
  fileprivate func isAllowedInMP4(_ id: UInt32) -> Bool {
    guard let track = original.track(id) else { return false }
    var converter = TrackConverter(track, of: original, to: .mp4, sampleFacts: .unknown)
    var edits = AtomEdits()
    do throws(MovieError) {
      try converter.convert(into: &edits)
      return converter.refusal == nil
    } catch {
      return false
    }
  }
}

// QuickTime movies store chapters in tracks. In MP4 files, most players read Nero's chapter list (`chpl`).
extension MovieEdit {
  /// Adds the chapters in the form that players of the new type support. Chapter tracks are converted like other
  /// tracks.
  ///
  /// If a QuickTime movie has no chapter track, a new chapter track replaces the list in user data. An ISO file gets
  /// such a list in addition to its chapter track.
  mutating func convertChapters(of original: Movie) throws {
    guard let type = stages.converted?.type else { return }
    let hasNero = original.tree.children(of: original.tree.root, "udta").contains {
      original.tree.child(of: $0, "chpl") != nil
    }
    guard type.isQuickTime ? hasNero : !hasNero && original.dialect == .quickTime && !original.chapterTrackIDs.isEmpty
    else { return }
    let list = try stages.presented.readChapters(from: source)
    let hasTitles = list.forms.contains { $0.kind == .titles }
    if !type.isQuickTime {
      guard hasTitles, !list.chapters.isEmpty else { return }
      recordedNotices += changes.metadata.writeNero(list.chapters)
      recordedNotices.append(.chaptersAreListed)
    } else if hasTitles {
      let differs = list.forms.contains { $0.kind == .nero && $0.differs }
      noteNeroList(
        isLost: differs,
        differs
          ? "is dropped: QuickTime ignores it; it differs from the chapter track, which is kept"
          : "is dropped: QuickTime ignores it; the chapter track has the same chapters")
    } else {
      try makeChapterTrack(of: list)
    }
  }

  private mutating func makeChapterTrack(of list: ChapterList) throws {
    guard !list.chapters.isEmpty else {
      return noteNeroList(isLost: true, "is dropped: QuickTime ignores it, and it contains no readable chapters")
    }
    do {
      let new = try setChapters(list.chapters, writesNero: false)
      recordedNotices.append(
        EditNotice(
          .converted, trackID: new.first, describing: .track,
          "Nero's chapter list (chpl) is converted to a chapter track, as QuickTime movies require: track "
            + "\(new.first ?? 0)"))
    } catch let error as MovieError where [.invalidEdit, .limit].contains(error.code) {
      noteNeroList(
        isLost: true, "is dropped: QuickTime ignores it, and no chapter track could be created: \(error.reason)")
    }
  }

  private mutating func noteNeroList(isLost: Bool, _ what: String) {
    if isLost { stages.converted?.omitsChapterList = true }
    recordedNotices.append(
      EditNotice(
        isLost ? .leftOut : .converted, isWarning: isLost,
        "Nero's chapter list (chpl) \(what)"))
  }
}
