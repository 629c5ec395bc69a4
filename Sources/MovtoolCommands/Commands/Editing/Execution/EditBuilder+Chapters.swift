import MovieBox
import MovieWriter
import Subtitles

extension EditBuilder {
  /// The changes of a movie's chapters, for the report.
  struct ChangedChapters {
    /// The number of chapters after the edit, or 0 if all are removed.
    let count: Int
    /// The added tracks, each with its ``EditedTrack/chapterName``.
    let added: [(id: UInt32, name: String)]
    /// The removed tracks, named in the same way as ``added``.
    let removed: [(id: UInt32, name: String)]
    /// Whether the edit writes the chapter list in user data (`chpl`), or removes it together with all chapters.
    let hasNero: Bool
  }

  /// Replaces the movie's chapters with the chapters of the requested files.
  mutating func setChapters(_ request: ChapterRequest, _ source: any RandomAccessSource, in context: Context) throws {
    let rate = edit.movie.tracks.lazy.compactMap { ChapterFrameRate(of: $0) }.first
    var list = try request.chapters(frameRate: rate, until: edit.endMilliseconds, in: context, &warnings)
    if let template = request.images { try list.readPictures(template, for: movie, in: context, &warnings) }
    let before = edit.tracks
    let added: [UInt32]
    do {
      added = try edit.setChapters(list.chapters, writesNero: request.writesNero)
    } catch {
      throw ToolError(error, about: movie)
    }
    let removedIDs = Set(before.map(\.id)).subtracting(edit.tracks.map(\.id))
    chapters = ChangedChapters(
      count: edit.chapterCount, added: Self.names(of: Set(added), among: edit.tracks),
      removed: Self.names(of: removedIDs, among: before), hasNero: edit.writesNeroChapters)
  }

  mutating func removeChapters() throws {
    let hadNero = edit.writesNeroChapters
    let before = edit.tracks
    let hadTracks = before.contains { $0.references["chap"] != nil }
    let removedTracks = try edit.removeChapters()
    guard hadTracks || hadNero else { return }  // A notice of the edit reports that there are none.
    chapters = ChangedChapters(
      count: 0, added: [], removed: Self.names(of: Set(removedTracks), among: before), hasNero: hadNero)
  }

  private static func names(of ids: Set<UInt32>, among tracks: [EditedTrack]) -> [(id: UInt32, name: String)] {
    tracks.filter { ids.contains($0.id) }.map { ($0.id, $0.chapterName) }
  }
}

extension EditBuilder.ChangedChapters {
  /// Returns a line such as `set 12 chapters: track 4 (English), list in user data (chpl); removed track 3`.
  func line(isPlanned: Bool) -> String {
    let tracks = removed.map { "track \($0.id) (\($0.name))" }.joined(separator: ", ")
    guard count > 0 else {
      let parts = [tracks, hasNero ? "the list in user data (chpl)" : ""].filter { !$0.isEmpty }
      let rest = parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
      return "\(isPlanned ? "would remove" : "removed") the chapters\(rest)"
    }
    var parts = added.map { "track \($0.id) (\($0.name))" }
    if hasNero { parts.append("the list in user data (chpl)") }
    let line = "\(isPlanned ? "would set" : "set") \(counted(count, "chapter")): \(parts.joined(separator: ", "))"
    return removed.isEmpty ? line : line + "; \(isPlanned ? "would remove" : "removed") \(tracks)"
  }
}

extension EditBuilder.ChangedChapters? {
  /// Writes the `chapters` member of an answer.
  func write(to json: inout JSONWriter) {
    guard let chapters = self else { return json.memberNull("chapters") }
    json.object("chapters") { json in
      json.member("count", chapters.count)
      json.objects("addedTracks", of: chapters.added) { track, json in
        json.member("id", track.id)
        json.member("name", track.name)
      }
      json.member("removedTracks", chapters.removed.map(\.id))
      json.member("hasNeroList", chapters.count > 0 && chapters.hasNero)
    }
  }
}
