import MovieBox
import MovieWriter
import Subtitles

/// A text rendition: the cues of a track or a file as WebVTT segments.
///
/// Every segment must contain all cues that are shown during the segment (RFC 8216, 3.5), so several segments may
/// contain the same cue.
struct TextRendition: Sendable {
  /// The attributes of the rendition in the playlist, except its group and path.
  let rendition: MultivariantPlaylist.Rendition
  /// The ID of the cues' track, or `nil` for cues of a file.
  let trackID: UInt32?
  /// The words that form the name of the rendition's folder.
  let folderWords: [String?]
  /// The header of each segment, without the first line. All segments have the same header.
  private let header: String
  private let cues: [Block]

  /// The text of a cue. It has the same bytes in each segment that shows the cue, because players identify repeated
  /// cues by their text.
  private struct Block: Hashable, Sendable {
    let startMilliseconds: Int64
    let endMilliseconds: Int64
    let bytes: [UInt8]
  }

  /// Creates a rendition with the cues of a subtitle file.
  init(
    _ file: SubtitleFile, as rendition: MultivariantPlaylist.Rendition, folder words: [String?],
    styles: [StreamOptions.Style], trackID: UInt32? = nil
  ) {
    self.rendition = rendition
    self.trackID = trackID
    folderWords = words
    let source = file.webVTT.flatMap { $0.matching(file.cues) }.flatMap { $0.isValidInFile ? $0 : nil }
    let whole = source?.header ?? WebVTTHeader(of: file.cues).text ?? ""
    header =
      String(whole.drop { $0 != "\n" }.dropFirst())
      + styles.map { "\nSTYLE\n::cue(.\($0.name)) { \($0.declaration) }\n" }.joined()
    var seen: Set<Block> = []
    var identifiers: Set<String> = []
    var blocks: [Block] = []
    for (index, cue) in file.cues.enumerated() {
      // Cues that are never shown are omitted, because players mishandle them.
      guard cue.endMilliseconds > max(0, cue.startMilliseconds), !cue.text.isEmpty else { continue }
      var words =
        source?.cues[index]
        ?? WebVTTSource.CueSource(
          settings: String(cue.placement.webVTTSettings.dropFirst()),
          text: String(decoding: cue.text.webVTT, as: UTF8.self),
          startMilliseconds: cue.startMilliseconds)
      let identifier = words.identifier
      words.identifier = ""
      func block() -> Block {
        let written = WebVTTWriter.write([cue], WebVTTSource(header: "", cues: [words]))
        return Block(
          startMilliseconds: cue.startMilliseconds, endMilliseconds: cue.endMilliseconds, bytes: written.bytes)
      }
      let nameless = block()
      guard seen.insert(nameless).inserted else { continue }
      // If two cues have the same identifier, players drop the second cue. So only the first cue keeps the identifier.
      guard !identifier.isEmpty, identifiers.insert(identifier).inserted else {
        blocks.append(nameless)
        continue
      }
      words.identifier = identifier
      blocks.append(block())
    }
    cues = blocks.sorted { ($0.startMilliseconds, $0.endMilliseconds) < ($1.startMilliseconds, $1.endMilliseconds) }
  }

  /// Returns a notice about cues that end before the presentation begins, or `nil` if there are none.
  func earlyCuesNotice(_ times: PresentationTimeline) -> String? {
    let start = times.milliseconds(times.boundaries[0]).roundedDown
    let count = cues.count { $0.endMilliseconds <= start }
    guard count > 0 else { return nil }
    let owner = trackID.map { " of track \($0)" } ?? ""
    return "\(count) of \(cues.count) cues\(owner) end before the presentation begins, at "
      + "\(timeText(milliseconds: start)), and are never shown"
  }

  /// Returns a notice about cues that begin after video and audio end, or `nil` if there are none.
  func lateCuesNotice(_ times: PresentationTimeline) -> String? {
    guard let last = times.boundaries.last else { return nil }
    let end = times.milliseconds(last).roundedUp
    let count = cues.count { $0.startMilliseconds >= end }
    guard count > 0 else { return nil }
    let owner = trackID.map { " of track \($0)" } ?? ""
    return "\(count) of \(cues.count) cues\(owner) begin after the end of video and audio, at "
      + "\(timeText(milliseconds: end)), and are never shown"
  }

  /// Returns the segments for a timeline, each as a complete file. Each segment contains the cues that are shown during
  /// the segment. The first segment also contains earlier cues, and the last segment also contains later cues.
  ///
  /// - Parameters:
  ///   - times: the timeline of the presentation, or the timeline of a few segments.
  ///   - delay: the difference between media times and movie times, in ticks of 90 kHz.
  ///   - limit: the number of bytes left. The size of the segments is subtracted.
  func segments(_ times: PresentationTimeline, delay: UInt64, limit: inout Int) throws(MovieError) -> [Bytes] {
    let innerBoundaries = times.boundaries.dropFirst().dropLast().map { times.milliseconds($0) }
    var cuesBySegment: [[Int]] = Array(repeating: [], count: times.segmentCount)
    for (index, cue) in cues.enumerated() {
      var number = innerBoundaries.partitioningIndex { $0.roundedUp > cue.startMilliseconds }
      cuesBySegment[number].append(index)
      while number < innerBoundaries.count, cue.endMilliseconds > innerBoundaries[number].roundedDown {
        number += 1
        cuesBySegment[number].append(index)
        try consume(cue.bytes.count, from: &limit)
      }
    }
    let start = "WEBVTT\n\(TimestampMap.line(from: delay))\n" + header
    var segments: [Bytes] = []
    for indices in cuesBySegment {
      var bytes = Array(start.utf8)
      for index in indices { bytes += cues[index].bytes }
      // GStreamer needs a blank line after a cue, even at the end of a segment.
      bytes.append(UInt8(ascii: "\n"))
      try consume(bytes.count, from: &limit)
      segments.append(Bytes(bytes))
    }
    return segments
  }

  /// Returns the segments as files of a folder, and the media playlist that lists them.
  func files(
    in folder: String, _ times: PresentationTimeline, delay: UInt64, limit: inout Int
  ) throws(MovieError) -> (files: [StreamPlan.File], playlist: MediaPlaylist) {
    var files: [StreamPlan.File] = []
    var segments: [MediaPlaylist.Segment] = []
    for (index, bytes) in try self.segments(times, delay: delay, limit: &limit).enumerated() {
      let name = "segment-\(index + 1).vtt"
      files.append(StreamPlan.File("\(folder)/\(name)", .text, "text/vtt", bytes))
      segments.append(
        MediaPlaylist.Segment(
          fileRange: MediaPlaylist.FileRange(path: name), byteCount: UInt64(bytes.count),
          microseconds: times.microseconds(ofBoundary: index + 1) - times.microseconds(ofBoundary: index)))
    }
    return (files, MediaPlaylist(.text, segments: segments))
  }

  private func consume(_ byteCount: Int, from limit: inout Int) throws(MovieError) {
    limit -= byteCount
    guard limit >= 0 else {
      throw MovieError(.limit, "the text segments exceed the size limit, because cues last too long")
    }
  }
}

/// The text renditions of a movie: full subtitles, subtitles for the deaf, and forced subtitles.
struct TextRenditions {
  private let streamed: StreamedMovie
  private let styles: [StreamOptions.Style]
  private let cueCountLimit: Int
  private var cueCount = 0
  private var names = UniqueNames(numberSeparator: " ")
  private var hasDefault = false
  /// For each subtitle track ID, the language of the first audio track whose `folw` reference points to the track.
  private let soundLanguages: [UInt32: LanguageTag?]
  private(set) var renditions: [TextRendition] = []
  private(set) var notices: [StreamPlan.Notice] = []

  /// Creates the renditions. Reads only the text tracks of the movie.
  init(_ streamed: StreamedMovie, _ options: StreamOptions, _ limits: SubtitleLimits, _ budget: StreamBudget)
    throws
  {
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
    let end = tracks.isEmpty ? nil : movie.endMilliseconds(streamed.fragments)
    for track in tracks {
      let text: TextTrack
      do {
        if let samples = streamed.fragments.track(track.id) { try budget.consumeText(samples) }
        text = try read(track, endingAt: end, limits)
      } catch let error as MovieError where [.malformed, .truncated, .unsupported].contains(error.code) {
        leaveOut(track, because: "track \(track.id): \(error.reason)")
        continue
      } catch {
        throw StreamRefusal.addingTrack(track.id, to: error)
      }
      if track.hasClosedCaptions, text.cues.isEmpty {
        leaveOut(track, because: text.notices.last?.message ?? "track \(track.id) shows no captions")
        continue
      }
      try countCues(of: text.file)
      files[track.id] = text.file
      let reportedKinds: [SubtitleNotice.Kind] = [.damagedSample, .damagedPacket, .otherServices]
      for notice in text.notices where notice.lostText != nil || reportedKinds.contains(notice.kind) {
        note("text", track, notice.message)
      }
    }
    cueCount = 0
    let regular = tracks.filter { !$0.containsOnlyForcedSubtitles }
    // The playlist lists plain subtitles first, because they are the most general (HLS Authoring Specification 9.17).
    let ordered =
      regular.filter { $0.renditionCharacteristics.isEmpty } + regular.filter { !$0.renditionCharacteristics.isEmpty }
    let forcedParts = ForcedCueSets(among: tracks)
    let partners = ForcedPartners(among: tracks)
    let forcedTracks = Dictionary(
      grouping: tracks.indices.filter { tracks[$0].containsOnlyForcedSubtitles }, by: { tracks[$0].id })
    for track in ordered {
      guard let file = files[track.id] else { continue }
      let named = track.referenced("forc")
      let indices =
        named.isEmpty
        ? partners.partnerIndices(of: track) : named.withoutRepetition.flatMap { forcedTracks[$0] ?? [] }.sorted()
      try add(track, cuesWithForcedPartners(of: track, file, files, indices.map { tracks[$0] }), isForced: false)
    }
    for track in tracks {
      guard let file = files[track.id] else { continue }
      if track.containsOnlyForcedSubtitles {
        try add(track, file, isForced: true)
      } else if let forcedTracks = forcedParts.forcedCues(of: file, track) {
        try add(track, forcedTracks, isForced: true)
      }
    }
  }

  private func read(_ track: Track, endingAt end: Int64?, _ limits: SubtitleLimits) throws -> TextTrack {
    if let readTrack = streamed.texts[track.id] { return readTrack }
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

  /// Returns the cues of a full subtitle track, and of the forced-only tracks that belong to it. Viewers of full
  /// subtitles must see forced cues too (HLS Authoring Specification 5.8).
  private mutating func cuesWithForcedPartners(
    of track: Track, _ file: SubtitleFile, _ files: [UInt32: SubtitleFile], _ partners: [Track]
  ) -> SubtitleFile {
    guard !partners.isEmpty else { return file }
    var file = file
    var knownCues = Set(file.cues.map { ShownCue($0) })
    var addedCount = 0
    for partner in partners {
      for (index, cue) in (files[partner.id]?.cues ?? []).enumerated() where knownCues.insert(ShownCue(cue)).inserted {
        file.cues.append(cue)
        addedCount += 1
        guard file.webVTT != nil else { continue }
        let words = files[partner.id]?.webVTT.flatMap { $0.cues.indices.contains(index) ? $0.cues[index] : nil }
        file.webVTT?.cues.append(
          words
            ?? .init(text: String(decoding: cue.text.webVTT, as: UTF8.self), startMilliseconds: cue.startMilliseconds))
      }
    }
    if addedCount > 0 {
      note(
        "forced-cues-added", track, isWarning: false,
        "track \(track.id) shows \(addedCount == 1 ? "the forced cue" : "the \(addedCount) forced cues") of track "
          + "\(partners.map { "\($0.id)" }.joined(separator: ", ")) too, as players expect of full subtitles")
    }
    return file
  }

  /// Adds the cues of a file to the number of cues. Throws if the number exceeds the limit. The number is set to 0
  /// after the tracks are read, because the renditions are counted separately.
  private mutating func countCues(of file: SubtitleFile) throws(MovieError) {
    cueCount += file.cues.count
    guard cueCount <= cueCountLimit else {
      throw MovieError(
        .limit,
        "the renditions contain more than \(cueCountLimit) cues (forced cues added to full subtitles count again)")
    }
  }

  private mutating func add(_ track: Track, _ file: SubtitleFile, isForced: Bool) throws(MovieError) {
    try countCues(of: file)
    let tags = track.renditionCharacteristics
    let isForDeafViewers = MediaCharacteristic.areSDH(tags)
    if tags.contains(.describesVideo) {
      return leaveOut(track, because: "track \(track.id) describes the video in text, which HLS does not support")
    }
    let sdhTags = MediaCharacteristic.sdh.filter(tags.contains)
    if sdhTags.count == 1 {
      note(
        "half-sdh", track,
        "track \(track.id) has only one of the two SDH tags, \(sdhTags[0].rawValue), so players do not list it as "
          + "captions"
      )
    }
    let name = names.name(RenditionName.name(of: track, isForced: isForced))
    let rendition = MultivariantPlaylist.Rendition(
      kind: .subtitles, group: "subtitles", name: name, language: track.language?.description ?? "und",
      associatedLanguage: followedLanguage(of: track),
      isDefault: track.isEnabled && !isForced && !isForDeafViewers && !track.isAuxiliary && !hasDefault,
      isAutomaticallySelected: isForced || !track.isAuxiliary, isForced: isForced,
      // The attribute FORCED replaces the characteristic of forced-only subtitles.
      characteristics: tags.filter { $0 != .containsOnlyForcedSubtitles }.map(\.rawValue), path: nil)
    let words = [
      "subtitles", track.language?.description ?? "und", track.isSDH ? "sdh" : isForDeafViewers ? "cc" : nil,
      isForced ? "forced" : nil,
    ]
    if rendition.isDefault { hasDefault = true }
    if track.isEnabled, isForDeafViewers {
      note(
        "not-default", track, isWarning: false,
        "track \(track.id) is enabled, but \(track.isSDH ? "SDH" : "captions") cannot be the default of a presentation; "
          + "players show it if the viewer prefers captions")
    }
    renditions.append(TextRendition(file, as: rendition, folder: words, styles: styles, trackID: track.id))
  }

  /// Returns the language of the audio track that refers to these subtitles. Returns `nil` if both tracks have the same
  /// language, or if the language of one of them is unknown.
  private func followedLanguage(of track: Track) -> String? {
    guard let language = soundLanguages[track.id] ?? nil, let own = track.language, language.language != own.language
    else {
      return nil
    }
    return language.description
  }
}

/// The times and the text of a cue, to recognize cues that two tracks have in common.
private struct ShownCue: Hashable {
  let start: Int64
  let end: Int64
  let text: StyledText

  init(_ cue: Cue) {
    (start, end, text) = (cue.startMilliseconds, cue.endMilliseconds, cue.text)
  }
}
