public import MovieBox
public import Subtitles

extension MovieEdit {
  /// Makes the movie one of another type, as the first thing of an edit: brands, handlers, sample descriptions, tables,
  /// languages and metadata become what files of that type have.
  ///
  /// Samples keep their bytes, but for text in a format that the type does not have: of that the characters and their
  /// styles stay. ``notes`` say what is described otherwise, and, as warnings, what the type has no place for. Tracks of a
  /// format that is not registered for it have to be removed: an edit that keeps one cannot be planned. Fragments go.
  ///
  ///     var edit = try MovieEdit(of: Movie(of: source), from: source)
  ///     try edit.convert(to: .mp4)
  ///     try MovieFileWriter(edit, to: .newFile("out.mp4", overwrites: false, synchronizes: false)).write()
  ///
  /// Reads samples of such text, and titles of chapters, and no others. Throws what the source throws,
  /// ``/MovieBox/MovieError`` `.invalidEdit` where something was edited before, and for tracks that cannot be told from
  /// one another.
  public mutating func convert(
    to type: MovieType, limits textLimits: SubtitleLimits = SubtitleLimits()
  ) throws {
    // A salvage removed the tracks of which nothing is left; they are removed again below.
    let removed = changesTracks ? emptyTracks : []
    let isUnchanged =
      tracks.map(\.id) == movie.tracks.map(\.id).filter { !removed.contains($0) }
      && !tracks.contains(where: \.hasChanged)
    guard isUnchanged, !changes.fixesNextTrackID, !changesMetadata, changes.sharing == nil, changes.media.files.isEmpty,
      changes.media.external.isEmpty,
      stages.converted == nil
    else { throw MovieError(.invalidEdit, "a movie is converted to another type before all other edits") }
    guard Set(movie.tracks.map(\.id)).count == movie.tracks.count else {
      throw MovieError(
        .malformed, at: movie.movieAtom.range.offset, in: "moov",
        "several tracks have the same ID; diff and validate list them")
    }
    flatten()
    if stages.flattened != nil {
      // Of most fragments of today positions count from the fragment, which files must not have that say to be of
      // brands from before `iso5`, such as these (ISO/IEC 14496-12 8.8.7.1).
      recordedNotices.append(
        EditNotice(
          .fragments,
          type.isQuickTime
            ? "QuickTime movies have no fragments"
            : "a conversion keeps no fragments: the brands of \(type.name) are for players from before them"))
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
      refusals: converter.refusals, notes: converter.notes, clearedFields: converter.clearedFields)
    pass(to: stages)
    let explicitlyGrouped = Set(tracks.lazy.filter(\.hasExplicitGroup).map(\.id))
    tracks = converted.tracks.map { EditedTrack($0) }
    for place in tracks.indices { tracks[place].hasExplicitGroup = explicitlyGrouped.contains(tracks[place].id) }
    guard converter.omittedTracks.count < converted.tracks.count else {
      throw MovieError(
        .unsupported, at: original.movieAtom.range.offset, in: "moov",
        "\(type.name) holds none of the tracks: \(converter.notes.last?.message ?? "")")
    }
    let duration = durationInMovieTicks
    let omitted = Set(converter.omittedTracks)
    removeTracks(omitted, isReported: false)  // The notices of the conversion report them.
    if !converter.omittedTracks.isEmpty { noteDuration(before: duration) }
    if !removed.isEmpty { removeTracks(removed, isReported: false) }
    convertMetadata(of: original)
    try convertChapters(of: original)
    guard !converter.recodedTracks.isEmpty else { return }
    let media = MemorySource(Bytes(converter.media.bytes))
    changes.media.files.append(OtherFile(contents: .media(media.identity()), source: media))
    for track in converted.tracks where converter.recodedTracks.contains(track.id) {
      var external = ExternalMedia()
      for entry in track.sampleDescriptions.entries {
        external.parts[Int(entry.dataReferenceIndex) - 1] = changes.media.files.count  // Stored from 1.
      }
      changes.media.external[track.id] = external
    }
  }

  /// What a person can do where the type does not hold a track of an edit.
  package struct ConversionAdvice: Equatable, Sendable {
    /// The old tracks that are worth keeping without those that the type does not hold.
    package let tracks: [UInt32]
    /// Whether these are the sound of the movie, all of it.
    package let isAllSound: Bool
    /// A type that holds all tracks, if one is known.
    package let type: MovieType?
  }

  /// What a person can do where the type does not hold a track of the edit; `nil` where it holds all.
  package var conversionAdvice: ConversionAdvice? {
    guard let conversion = stages.converted else { return nil }
    let refused = tracks.filter { conversion.refusals[$0.id] != nil }
    guard !refused.isEmpty else { return nil }
    let kept = tracksWorthKeeping(without: Set(refused.map(\.id)))
    let sound = tracks.filter { $0.mediaType == .audio }.map(\.id)
    let isHeldByMP4 = conversion.type != .mp4 && refused.allSatisfy { conversion.isHeldByMP4($0.id) }
    return ConversionAdvice(
      tracks: kept, isAllSound: !kept.isEmpty && kept == sound,
      type: isHeldByMP4 ? .mp4 : conversion.original.dialect == .quickTime ? .quickTime : nil)
  }

  /// The old tracks that say something without others: where no picture is left, the sound, with which its chapters stay
  /// unasked; else all but time code and timed metadata of those others alone.
  private func tracksWorthKeeping(without refused: Set<UInt32>) -> [UInt32] {
    let held = tracks.filter { $0.old != nil && !refused.contains($0.id) }
    let lists = tracks.chapterTrackIDs
    let sound = held.filter { $0.mediaType == .audio }
    if !sound.isEmpty, !held.contains(where: { $0.mediaType == .video && !lists.contains($0.id) }) {
      return sound.map(\.id)
    }
    return held.filter { track in
      let timed = tracks.filter { $0.references["tmcd"]?.contains(track.id) ?? false }.map(\.id)
      let described = timed + (track.references["cdsc"] ?? [])
      return described.isEmpty || !refused.isSuperset(of: described)
    }.map(\.id)
  }
}

extension ConvertedMovie {
  /// Whether an MP4 file holds a track of the old movie; pictures whose number only their samples say are not asked.
  fileprivate func isHeldByMP4(_ id: UInt32) -> Bool {
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

// Chapters: QuickTime movies have them in tracks, and in MP4 files most players read the list of Nero's programs (`chpl`).
extension MovieEdit {
  /// Gives the movie its chapters in the form that its new type has, beside the tracks of chapters, which are converted
  /// like others: a track in place of a list in user data that is all there is; in ISO files a list beside the track.
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
      recordedNotices += writeNero(list.chapters)
      recordedNotices.append(.chaptersAreListed)
    } else if hasTitles {
      let differs = list.forms.contains { $0.kind == .nero && $0.differs }
      noteNero(
        isLost: differs,
        differs
          ? "is left out, which QuickTime does not know; it differs from the chapter track, which stays"
          : "is left out, which QuickTime does not know; the chapter track has the same chapters")
    } else {
      try makeChapterTrack(of: list)
    }
  }

  private mutating func makeChapterTrack(of list: ChapterList) throws {
    guard !list.chapters.isEmpty else {
      return noteNero(isLost: true, "is left out, which QuickTime does not know; it has no chapters that can be read")
    }
    do {
      let new = try setChapters(list.chapters, writesNero: false)
      recordedNotices.append(
        EditNotice(
          .converted, trackID: new.first,
          "the list of chapters of Nero (chpl) is a track of chapters, as QuickTime movies have it: track "
            + "\(new.first ?? 0)"))
    } catch let error as MovieError where [.invalidEdit, .limit].contains(error.code) {
      noteNero(isLost: true, "is left out, which QuickTime does not know: \(error.reason)")
    }
  }

  private mutating func noteNero(isLost: Bool, _ what: String) {
    recordedNotices.append(
      EditNotice(
        isLost ? .leftOut : .converted, atom: "chpl", isWarning: isLost,
        "the list of chapters of Nero (chpl) \(what)"))
  }
}
