import MovieBox
import MovieWriter

extension EditBuilder {
  /// A track that was copied from another movie.
  struct CopiedTrack {
    /// The path of the other movie as the user wrote it.
    let file: String
    /// The ID of the track in the other movie.
    let oldTrackID: UInt32
    let trackID: UInt32
    /// The position of the track among the other movie's audio tracks, from 0. `nil` if it is the only audio track or
    /// not an audio track.
    let soundIndex: Int?
  }

  /// Returns the single track of a movie, such as the audio of an `m4a`. Throws if there are several.
  private static func onlyTrack(_ tracks: [Track], _ file: String) throws(UsageError) -> Track {
    guard let only = tracks.first, tracks.count == 1 else {
      let list = tracks.map { EditedTrack($0) }.lines
      throw UsageError(.missingOperand, "specify a track of \(file) with --track SELECTOR; \(list)")
    }
    return only
  }

  /// Copies tracks of another movie: the tracks that the selectors match, or the only track if there are no selectors.
  /// Each copy is inserted after the tracks of the same media type.
  mutating func add(_ request: TrackRequest, in context: Context) throws {
    let source = try context.open(request.file)
    let other: Movie
    var chosenTracks: [Track] = []
    do {
      other = try Movie(of: source, limits: context.limits.movie)
      let tracks = other.tracks.filter { request.mediaType == nil || $0.mediaType == request.mediaType }
      if let type = request.mediaType, tracks.isEmpty, !other.tracks.isEmpty {
        throw ToolError(
          .badData, code: "no-such-track", file: request.file,
          "has no \(type.name) track: \(other.tracks.map { EditedTrack($0) }.lines)")
      }
      let candidates = tracks.map { EditedTrack($0) }
      if request.tracks.isEmpty { chosenTracks = [try Self.onlyTrack(tracks, request.file)] }
      let kind = request.mediaType.map { $0.name + " track" } ?? "track"
      for selector in request.tracks {
        let id = try selector.track(among: candidates, kind: kind, of: request.file, option: "track").id
        guard !chosenTracks.contains(where: { $0.id == id }) else { continue }
        if let track = other.track(id) { chosenTracks.append(track) }
      }
    } catch let error as UsageError {
      throw error
    } catch {
      var error = ToolError(error, about: request.file)
      let name = request.file.lowercased()
      if error.code == MovieError.Code.notAMovie.rawValue, [".gpx", ".json"].contains(where: name.hasSuffix),
        try source.signature() == .text
      {
        error.hint = "to write the timed metadata of this file, add --metadata"
      }
      throw error
    }
    if chosenTracks.contains(where: { $0.formats.contains("mebx") }) { try requireTypeWithTimedMetadata() }
    let ids = try edit.addTracks(chosenTracks.map(request.input), of: other, from: source) { [movie] error, ids in
      if ids.isEmpty { return ToolError(error, about: request.file) }
      let placed = zip(chosenTracks, ids).map { track, id in
        EnabledFlagRequest(
          trackID: id, subject: "track \(track.id) of \(request.file)", isEnabled: request.settings.isEnabled,
          isDefault: request.isDefault)
      }
      return Self.explanation(of: error, about: movie, placing: placed)
    }
    otherFiles.append(request.file)
    for (track, id) in zip(chosenTracks, ids) {
      let sounds = other.tracks.filter { $0.mediaType == .audio }
      let new = CopiedTrack(
        file: request.file, oldTrackID: track.id, trackID: id,
        soundIndex: sounds.count > 1 ? sounds.firstIndex { $0.id == track.id } : nil)
      importedTracks.append(new)
      do {
        try warn(of: new, request)
      } catch {
        throw ToolError(error, about: movie)
      }
    }
    try describe(request.referent)
  }

  /// Copies samples from other files in the movie's folder into the movie.
  mutating func makeSelfContained() throws {
    do {
      otherFiles += try edit.makeSelfContained(inFolderOf: movie)
    } catch {
      throw ToolError(error, about: movie)
    }
  }

  /// Returns the warnings among the edit's notices. A warning about the cut-off file of an imported track names that
  /// file.
  func warnings(of notices: [EditNotice]) -> [Warning] {
    let origins = Dictionary(importedTracks.map { ($0.trackID, $0) }) { first, _ in first }
    return notices.filter { $0.isWarning && $0.kind != .subtitles }.map { notice in
      if notice.kind == .cutOff, let message = notice.messageInOriginalMovie,
        let origin = notice.trackID.flatMap({ origins[$0] })
      {
        return Warning(
          code: notice.kind.rawValue, file: origin.file, trackID: origin.oldTrackID, message: message)
      }
      let hint = notice.kind == .externalMedia ? " (movtool remux --self-contained copies the media)" : ""
      return Warning(
        code: notice.kind.rawValue, file: movie, trackID: notice.trackID, message: notice.message + hint)
    }
  }

  /// Returns the state of an imported track after the edit.
  func track(_ new: CopiedTrack) -> EditedTrack? {
    edit.tracks.first { $0.id == new.trackID }
  }

  private mutating func warn(of new: CopiedTrack, _ request: TrackRequest) throws {
    guard let track = track(new) else { return }
    if let warning = Warning(unregistered: request.language, new.file, trackID: new.trackID) {
      warnings.append(warning)
    }
    let isHeardOrRead = track.mediaType == .audio || track.mediaType.isLegible
    if isHeardOrRead, track.language == nil {
      warn("language-unknown", new, "the language of track \(new.trackID) is unknown; --language sets it")
    }
    if isHeardOrRead, request.title == nil {
      for like in try edit.tracks(matching: new.trackID) {
        guard let advice = advice(onSimilarTrack: like, for: track) else { continue }
        warn(
          EditNotice.Kind.sameLanguageAndRole.rawValue, new,
          "track \(like) of \(origin(ofTrack: like)) has the same language and role; \(advice)")
      }
    }
  }

  /// Returns advice about two tracks with the same language and role. Returns `nil` if the menu of a presentation shows
  /// both tracks as one entry.
  private func advice(onSimilarTrack like: UInt32, for new: EditedTrack) -> String? {
    let titleAdvice = "--title distinguishes them"
    guard new.mediaType == .audio, let old = edit.tracks.first(where: { $0.id == like }), old.formats != new.formats
    else { return titleAdvice }
    // In a presentation, audio of one language in two codecs is a single menu entry, and each codec has its own
    // rendition group.
    guard !edit.isForReadingOnly else { return nil }
    let dolby: Set<FourCC> = ["ac-3", "ec-3"]
    guard !dolby.isDisjoint(with: old.formats) else { return titleAdvice }
    return "if this is the same audio in another codec, movtool link --fallback id:\(like)=id:\(new.id) makes it the "
      + "fallback; otherwise, distinguish the tracks with --title"
  }

  /// Returns the file that contains a track: the movie, or the file from which the track is added.
  func origin(ofTrack id: UInt32) -> String {
    importedTracks.first { $0.trackID == id }?.file ?? addedSubtitles.first { $0.trackID == id }?.request.file ?? movie
  }

  private mutating func warn(_ code: String, _ new: CopiedTrack, _ message: String) {
    warnings.append(Warning(code: code, file: new.file, trackID: new.trackID, message: message))
  }
}

// Removes tracks, and searches the file for removed values that it still contains.

extension EditBuilder {
  /// A track that the edit removes.
  struct RemovedTrack {
    let track: EditedTrack
    /// The references to the removed track in tracks that are kept.
    let references: [TrackLink]
  }

  /// Removes tracks. With `all`, removes every track that a selector matches. Otherwise, each selector must match
  /// exactly one track.
  mutating func remove(_ selectors: [TrackSelector], all: Bool, option: String) throws {
    var ids: Set<UInt32> = []
    let candidates = edit.tracksIncludingUnsupported
    if all { ids = try TrackSelector.ids(of: selectors, among: candidates, option: option) }
    for selector in selectors where !all {
      do throws(UsageError) {
        ids.insert(try selector.track(among: candidates, kind: "track", option: option).id)
      } catch {
        guard error.code == .ambiguous else { throw error }
        throw UsageError(.ambiguous, error.message + "; --all removes all of them")
      }
    }
    try removeTracks(ids)
  }

  /// Removes all tracks that no selector matches, except the chapters of kept video and audio tracks. A selector may
  /// match several tracks.
  ///
  /// Selectors may match tracks that a conversion drops. The chapters that the conversion makes from these tracks are
  /// then kept.
  mutating func keepOnly(_ selectors: [TrackSelector], option: String) throws {
    let droppedTracks = edit.unsupportedTracks
    var keptIDs = try TrackSelector.ids(of: selectors, among: edit.tracksIncludingUnsupported, option: option)
    let chapters = edit.chapterTracks(of: keptIDs)
    let otherChapterTracks = chapters.own.subtracting(keptIDs).sorted()
    if !otherChapterTracks.isEmpty {
      let list =
        otherChapterTracks.prefix(9).map { "track \($0)" }.joined(separator: ", ")
        + (otherChapterTracks.count > 9 ? ", …" : "")
      notes.append(EditNotice(.chapters, "the chapters are kept: \(list); movtool chapters --remove removes them"))
    }
    keptIDs.formUnion(chapters.own)
    for id in chapters.shared where !keptIDs.contains(id) {
      warnings.append(
        Warning(
          code: "chapters-left-out", file: movie, trackID: id,
          message: "track \(id) is removed, because it is a chapter track; --\(option) id:\(id) keeps it"))
    }
    let ids = Set(edit.tracks.filter { $0.old != nil }.map(\.id)).subtracting(keptIDs)
    // The user chose which tracks to keep, so there is no warning if no audio or no video is left.
    if !ids.isEmpty { try removeTracks(ids, reportsLostKinds: false) }
    edit.dropNotices(ofTracks: Set(droppedTracks.map(\.id)).subtracting(keptIDs))
  }

  /// Removes tracks. Tracks that a conversion has already dropped are only reported.
  mutating func removeTracks(_ all: Set<UInt32>, reportsLostKinds: Bool = true) throws {
    let droppedTracks = edit.unsupportedTracks.filter { all.contains($0.id) }
    removedTracks += droppedTracks.map { RemovedTrack(track: $0, references: []) }
    edit.dropNotices(ofTracks: all)
    let ids = all.subtracting(droppedTracks.map(\.id))
    guard !ids.isEmpty else { return }
    let staying = edit.tracks.filter { !ids.contains($0.id) }
    guard !staying.isEmpty else { throw UsageError(.conflict, "cannot remove every track: a movie needs at least one") }
    let references = Dictionary(grouping: staying.references(to: ids), by: \.target)
    for track in edit.tracks where ids.contains(track.id) {
      removedTracks.append(RemovedTrack(track: track, references: references[track.id] ?? []))
    }
    do {
      try edit.remove(ids, reportsLostKinds: reportsLostKinds)
    } catch {
      throw ToolError(error, about: movie)
    }
  }
}

extension Arguments {
  /// Returns the selectors of an option. Throws an error with the message `question` if there are none.
  func selectors(_ name: String, orAsk question: String? = nil) throws(UsageError) -> [TrackSelector] {
    var selectors: [TrackSelector] = []
    for occurrence in occurrences where occurrence.name == name {
      selectors.append(try TrackSelector(occurrence.value ?? "", option: name))
    }
    if selectors.isEmpty, let question { throw UsageError(.missingOperand, question) }
    return selectors
  }
}

/// A search for removed metadata values in bytes that are kept, such as free space.
///
/// Values that are shorter than 5 bytes or repeat a single byte are ignored, because free space may contain them by
/// chance. Only the first 64 bytes of a longer value are searched for. The numbers of bytes and of comparisons are
/// limited, so that a hostile file cannot slow the search down.
struct RemovedValueSearch {
  private static let minimumByteCount = 5
  private static let searchedByteCount = 64

  /// The values, by their first two bytes.
  private var values: [UInt16: [[UInt8]]] = [:]
  /// The remaining number of bytes to search. The limit is the size of a few large movie atoms.
  private(set) var unreadByteCount: UInt64 = 16 << 20
  /// The remaining number of comparisons.
  private var comparisonCount = 4 << 20

  init(_ removed: [Bytes]) {
    let starts = Set(
      removed.lazy.filter { $0.count >= Self.minimumByteCount }.map { Array($0.prefix(Self.searchedByteCount)) })
    for value in starts where value.contains(where: { $0 != value[0] }) {
      values[UInt16(value[0]) << 8 | UInt16(value[1]), default: []].append(value)
    }
  }

  /// Whether there are no values to search for.
  var isEmpty: Bool { values.isEmpty }

  /// Returns whether a value occurs in the bytes, or `false` if a limit is reached.
  mutating func isFound(in space: Bytes) -> Bool {
    guard UInt64(space.count) <= unreadByteCount else { return false }
    unreadByteCount -= UInt64(space.count)
    let bytes = space.array
    var start: UInt16 = 0
    for (index, byte) in bytes.enumerated() {
      start = start << 8 | UInt16(byte)
      guard index > 0, let candidates = values[start] else { continue }
      for value in candidates {
        guard comparisonCount > 0 else { return false }
        comparisonCount -= 1
        if bytes[(index - 1)...].starts(with: value) { return true }
      }
    }
    return false
  }
}
