import MovieBox
import Subtitles

/// The subtitles of a movie, as its tracks say them: full, for the deaf, forced.
struct TextRenditions {
  private let streamed: StreamedMovie
  private let styles: [StreamOptions.Style]
  private let cueCountLimit: Int
  private var cueCount = 0
  private var names = UniqueNames(before: " ")
  private var hasDefault = false
  /// The language of the first sound that names a track as the subtitles to be shown with it, by the track.
  private let soundLanguages: [UInt32: LanguageTag?]
  private(set) var renditions: [TextRendition] = []
  private(set) var notices: [StreamPlan.Notice] = []

  /// Reads the text tracks of a movie, and nothing else of it.
  init(_ streamed: StreamedMovie, _ options: StreamOptions, _ limits: SubtitleLimits, _ budget: StreamBudget) throws {
    self.streamed = streamed
    styles = options.styles
    cueCountLimit = options.limits.cueCount
    let movie = streamed.movie
    soundLanguages = Dictionary(
      movie.tracks.filter { $0.mediaType == .audio }
        .flatMap { sound in sound.referenced("folw").map { ($0, sound.language) } }
    ) { first, _ in first }
    let tracks = movie.tracks.filter { TextTrackReader.canRead($0) && !movie.chapterTrackIDs.contains($0.id) }
    var files: [UInt32: SubtitleFile] = [:]
    let end = tracks.isEmpty ? nil : movie.endInMilliseconds(streamed.fragments)
    for track in tracks {
      let text: TextTrack
      do {
        if let samples = streamed.fragments.track(track.id) { try budget.takeText(samples) }
        text = try read(track, endingAt: end, limits)
      } catch let error as MovieError where [.malformed, .truncated, .unsupported].contains(error.code) {
        leaveOut(track, because: "track \(track.id): \(error.reason)")
        continue
      } catch {
        throw StreamRefusal.make(of: error, trackID: track.id)
      }
      try count(text.file)
      files[track.id] = text.file
      for notice in text.notices where notice.lostText != nil || notice.kind == .damagedSample {
        note("text", track, notice.message)
      }
    }
    cueCount = 0
    let regular = tracks.filter { !$0.containsOnlyForcedSubtitles }
    // The most general first (HLS Authoring Specification 9.17): plain, for the deaf, others.
    let ordered =
      regular.filter { $0.taggedCharacteristics.isEmpty } + regular.filter { !$0.taggedCharacteristics.isEmpty }
    let forcedParts = ForcedCueSets(among: tracks)
    let partners = ForcedPartners(among: tracks)
    let forced = Dictionary(
      grouping: tracks.indices.filter { tracks[$0].containsOnlyForcedSubtitles }, by: { tracks[$0].id })
    for track in ordered {
      guard let file = files[track.id] else { continue }
      let named = track.referenced("forc")
      let places =
        named.isEmpty
        ? partners.places(for: track) : named.withoutRepetition.flatMap { forced[$0] ?? [] }.sorted()
      try add(track, union(of: track, file, files, places.map { tracks[$0] }), isForced: false)
    }
    for track in tracks {
      guard let file = files[track.id] else { continue }
      if track.containsOnlyForcedSubtitles {
        try add(track, file, isForced: true)
      } else if let forced = forcedParts.part(of: file, track) {
        try add(track, forced, isForced: true)
      }
    }
  }

  private func read(_ track: Track, endingAt end: Int64?, _ limits: SubtitleLimits) throws -> TextTrack {
    if let known = streamed.texts[track.id] { return known }
    let reader: TextTrackReader
    do {
      reader = try TextTrackReader(
        track, of: streamed.movie, fragments: streamed.fragments, endingAt: end, limits: limits)
    } catch {
      throw StreamRefusal(error, trackID: track.id)
    }
    return try reader.read(from: streamed.source)
  }

  private mutating func note(_ code: String, _ track: Track, isWarning: Bool = true, _ message: String) {
    notices.append(
      StreamPlan.Notice(code, movieIndex: streamed.index, trackID: track.id, isWarning: isWarning, message))
  }

  private mutating func leaveOut(_ track: Track, because reason: String) {
    notices.append(StreamPlan.Notice(leftOut: track.id, ofMovie: streamed.index, because: reason))
  }

  /// The cues of a track with those of its forced partners, which a viewer of the full subtitles must see too
  /// (HLS Authoring Specification 5.8).
  private mutating func union(
    of track: Track, _ file: SubtitleFile, _ files: [UInt32: SubtitleFile], _ partners: [Track]
  ) -> SubtitleFile {
    guard !partners.isEmpty else { return file }
    var file = file
    var known = Set(file.cues.map { ShownCue($0) })
    var added = 0
    for partner in partners {
      for (index, cue) in (files[partner.id]?.cues ?? []).enumerated() where known.insert(ShownCue(cue)).inserted {
        file.cues.append(cue)
        added += 1
        guard file.webVTT != nil else { continue }
        let words = files[partner.id]?.webVTT.flatMap { $0.cues.indices.contains(index) ? $0.cues[index] : nil }
        file.webVTT?.cues.append(
          words
            ?? .init(text: String(decoding: cue.text.webVTT, as: UTF8.self), startMilliseconds: cue.startMilliseconds))
      }
    }
    if added > 0 {
      note(
        "forced-cues-added", track, isWarning: false,
        "track \(track.id) shows \(added == 1 ? "the forced cue" : "the \(added) forced cues") of track "
          + "\(partners.map { "\($0.id)" }.joined(separator: ", ")) too, as players want it of full subtitles")
    }
    return file
  }

  /// Counts what is read, and then what is written: neither may pass the limit.
  private mutating func count(_ file: SubtitleFile) throws(MovieError) {
    cueCount += file.cues.count
    guard cueCount <= cueCountLimit else {
      throw MovieError(
        .limit, "more than \(cueCountLimit) cues in all renditions, with forced ones in the full subtitles too")
    }
  }

  private mutating func add(_ track: Track, _ file: SubtitleFile, isForced: Bool) throws(MovieError) {
    try count(file)
    let tags = track.taggedCharacteristics
    if tags.contains(.describesVideo) {
      return leaveOut(track, because: "track \(track.id) describes the picture in text, which HLS has no form for")
    }
    let halves = MediaCharacteristic.sdh.filter(tags.contains)
    if halves.count == 1 {
      note(
        "half-sdh", track,
        "track \(track.id) has one of the two tags of subtitles for the deaf, \(halves[0].rawValue): players do not take it for captions"
      )
    }
    let name = names.name(RenditionName.of(track, isForced: isForced))
    let rendition = MultivariantPlaylist.Rendition(
      kind: .subtitles, group: "subtitles", name: name, language: track.language?.description ?? "und",
      associatedLanguage: followedLanguage(of: track),
      isDefault: track.isEnabled && !isForced && !track.isSDH && !track.isAuxiliary
        && !hasDefault,
      isAutomaticallySelected: isForced || !track.isAuxiliary, isForced: isForced,
      // Never written as a tag: FORCED says it.
      characteristics: tags.filter { $0 != .containsOnlyForcedSubtitles }.map(\.rawValue), path: nil)
    let words = [
      "subtitles", track.language?.description ?? "und", track.isSDH ? "sdh" : nil, isForced ? "forced" : nil,
    ]
    if rendition.isDefault { hasDefault = true }
    renditions.append(TextRendition(file, as: rendition, folder: words, styles: styles, trackID: track.id))
  }

  /// The language of the sound that names these subtitles as those to be shown with it, where it is another.
  private func followedLanguage(of track: Track) -> String? {
    guard let language = soundLanguages[track.id] ?? nil, let own = track.language, language.language != own.language
    else {
      return nil
    }
    return language.description
  }
}

/// What a viewer sees of a cue.
private struct ShownCue: Hashable {
  let start: Int64
  let end: Int64
  let text: StyledText

  init(_ cue: Cue) {
    (start, end, text) = (cue.startMilliseconds, cue.endMilliseconds, cue.text)
  }
}
