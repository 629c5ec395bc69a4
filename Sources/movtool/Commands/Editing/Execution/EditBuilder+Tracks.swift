import MovieBox
import MovieWriter

extension EditBuilder {
  /// A movie that tracks are taken from, or a file with media that tracks name.
  struct OtherSource {
    /// As it was named; `nil` for samples that were made in memory.
    let file: String?
    let source: any RandomAccessSource
    let byteCount: UInt64
  }

  /// A track that came from another movie.
  struct ImportedTrackOfMovie {
    /// The other movie as it was named.
    let file: String
    /// The ID that the track has there.
    let oldTrackID: UInt32
    let trackID: UInt32
  }

  /// The track of a movie with no other, such as the sound of an `m4a`.
  private static func onlyTrack(_ tracks: [Track], _ file: String) throws(UsageError) -> Track {
    guard let only = tracks.first, tracks.count == 1 else {
      let list = tracks.map { EditedTrack($0) }.lines
      throw UsageError(.missingOperand, "which track of \(file)? --track SELECTOR; \(list)")
    }
    return only
  }

  /// Adds the tracks that the selectors match in the other movie, each beside those of its kind; without selectors the
  /// only one that it has.
  mutating func add(_ request: TrackRequest, in context: Context) throws {
    let source = try context.open(request.file)
    let other: Movie
    var chosen: [Track] = []
    do {
      other = try Movie(of: source, limits: context.limits.movie)
      let tracks = other.tracks.filter { request.mediaType == nil || $0.mediaType == request.mediaType }
      if let type = request.mediaType, tracks.isEmpty, !other.tracks.isEmpty {
        throw ToolError(
          .badData, code: "no-such-track", file: request.file,
          "has no \(type.name) track: \(other.tracks.map { EditedTrack($0) }.lines)")
      }
      let candidates = tracks.map { EditedTrack($0) }
      if request.tracks.isEmpty { chosen = [try Self.onlyTrack(tracks, request.file)] }
      let kind = request.mediaType.map { $0.name + " track" } ?? "track"
      for selector in request.tracks {
        let id = try selector.track(among: candidates, kind: "\(kind) of \(request.file)", option: "track").id
        guard !chosen.contains(where: { $0.id == id }) else { continue }
        if let track = other.track(id) { chosen.append(track) }
      }
    } catch let error as UsageError {
      throw error
    } catch {
      throw ToolError(error, about: request.file)
    }
    let ids = try edit.addTracks(chosen.map(request.addition), of: other, from: source) { [movie] error, ids in
      if ids.isEmpty { return ToolError(error, about: request.file) }
      let placed = zip(chosen, ids).map { track, id in
        PlacedTrack(
          trackID: id, subject: "track \(track.id) of \(request.file)", isEnabled: request.settings.isEnabled,
          isDefault: request.isDefault)
      }
      return Self.explanation(of: error, about: movie, placing: placed)
    }
    others.append(OtherSource(file: request.file, source: source, byteCount: other.layout.identity.byteCount))
    for (track, id) in zip(chosen, ids) {
      let new = ImportedTrackOfMovie(file: request.file, oldTrackID: track.id, trackID: id)
      imported.append(new)
      do {
        try warn(of: new, request)
      } catch {
        throw ToolError(error, about: movie)
      }
    }
  }

  /// Takes in the samples that lie in other files of the movie's folder.
  mutating func takeMediaIn() throws {
    do {
      let files = try edit.makeSelfContained { reference in
        try ExternalMediaFolder(of: movie).open(reference)
      }
      others += try files.map { file in
        OtherSource(file: file.name, source: file.source, byteCount: try file.source.identity().byteCount)
      }
    } catch {
      throw ToolError(error, about: movie)
    }
  }

  /// The warnings among notices of the edit. A warning that a file of an added track is cut off names that file.
  func warnings(of notices: [EditNotice]) -> [Warning] {
    let origins = Dictionary(imported.map { ($0.trackID, $0) }) { first, _ in first }
    return notices.filter { $0.isWarning && $0.kind != .subtitles }.map { notice in
      if notice.kind == .cutOff, let origin = notice.trackID.flatMap({ origins[$0] }) {
        return Warning(
          code: notice.kind.rawValue, file: origin.file, trackID: origin.oldTrackID,
          message: notice.message.replacing("in its own movie, ", with: "", maxReplacements: 1))
      }
      let hint = notice.kind == .externalMedia ? " (movtool remux --self-contained takes the media in)" : ""
      return Warning(
        code: notice.kind.rawValue, file: movie, trackID: notice.trackID, message: notice.message + hint)
    }
  }

  /// The new track, as the edit leaves it.
  func track(_ new: ImportedTrackOfMovie) -> EditedTrack? {
    edit.tracks.first { $0.id == new.trackID }
  }

  private mutating func warn(of new: ImportedTrackOfMovie, _ request: TrackRequest) throws {
    guard let track = track(new) else { return }
    if let warning = Warning(unregistered: request.language, new.file, trackID: new.trackID) {
      warnings.append(warning)
    }
    let isHeardOrRead = track.mediaType == .audio || track.mediaType.isLegible
    if isHeardOrRead, track.language == nil {
      warn("language-unknown", new, "the language of track \(new.trackID) is unknown; --language sets it")
    }
    if isHeardOrRead, request.title == nil {
      for like in try edit.tracksLike(new.trackID) {
        warn(
          EditNotice.Kind.sameLanguageAndRole.rawValue, new,
          "track \(like) has the same language and role; --title distinguishes them")
      }
    }
  }

  private mutating func warn(_ code: String, _ new: ImportedTrackOfMovie, _ message: String) {
    warnings.append(Warning(code: code, file: new.file, trackID: new.trackID, message: message))
  }
}
