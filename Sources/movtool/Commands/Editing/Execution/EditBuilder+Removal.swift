import MovieBox
import MovieWriter

extension EditBuilder {
  /// A track that goes.
  struct RemovedTrack {
    let track: OutputTrack
    /// Those of tracks that stay.
    let references: [TrackLink]
  }

  /// Takes out the one track that each selector matches, or all that it does.
  mutating func remove(_ selectors: [TrackSelector], all: Bool, option: String) throws {
    var ids: Set<UInt32> = []
    let candidates = edit.tracksWithThoseLeftOut
    if all { ids = try TrackSelector.ids(of: selectors, among: candidates, option: option) }
    for selector in selectors where !all {
      do throws(UsageError) {
        ids.insert(try selector.track(among: candidates, kind: "track", option: option).id)
      } catch {
        guard error.code == .ambiguous else { throw error }
        throw UsageError(.ambiguous, error.message + "; --all removes them all")
      }
    }
    try remove(ids)
  }

  /// Takes out the tracks that none of the selectors matches; each may match several. Chapters of pictures and sound that
  /// stay do too, and those that a conversion made a track of: the movie has no such track to be chosen.
  mutating func keepOnly(_ selectors: [TrackSelector], option: String) throws {
    let leftOut = edit.tracksLeftOut
    var kept = try TrackSelector.ids(of: selectors, among: edit.tracksWithThoseLeftOut, option: option)
    let chapters = edit.chapterTracks(of: kept)
    let others = chapters.own.subtracting(kept).sorted()
    if !others.isEmpty {
      let list = others.prefix(9).map { "track \($0)" }.joined(separator: ", ") + (others.count > 9 ? ", …" : "")
      notes.append(EditNotice(.chapters, "the chapters stay: \(list); movtool chapters --remove takes them out"))
    }
    kept.formUnion(chapters.own)
    for id in chapters.shared where !kept.contains(id) {
      warnings.append(
        Warning(
          code: "chapters-left-out", file: movie, trackID: id,
          message: "track \(id) is listed as chapters and goes; --\(option) id:\(id) keeps it"))
    }
    let ids = Set(edit.tracks.filter { $0.old != nil }.map(\.id)).subtracting(kept)
    // Who chooses what stays knows that no picture or sound does.
    if !ids.isEmpty { try remove(ids, reportsLostKinds: false) }
    edit.omitNotes(ofTracks: Set(leftOut.map(\.id)).subtracting(kept))
  }

  /// Takes tracks out; those that a conversion leaves out are gone, and need no word more.
  private mutating func remove(_ all: Set<UInt32>, reportsLostKinds: Bool = true) throws {
    let leftOut = edit.tracksLeftOut.filter { all.contains($0.id) }
    removed += leftOut.map { RemovedTrack(track: $0, references: []) }
    edit.omitNotes(ofTracks: all)
    let ids = all.subtracting(leftOut.map(\.id))
    guard !ids.isEmpty else { return }
    let staying = edit.tracks.filter { !ids.contains($0.id) }
    guard !staying.isEmpty else { throw UsageError(.conflict, "all tracks would go, and a movie needs one") }
    let references = Dictionary(grouping: staying.references(to: ids), by: \.target)
    for track in edit.tracks where ids.contains(track.id) {
      removed.append(RemovedTrack(track: track, references: references[track.id] ?? []))
    }
    do {
      try edit.remove(ids, reportsLostKinds: reportsLostKinds)
    } catch {
      throw ToolError(error, about: movie)
    }
  }
}

extension Arguments {
  /// The selectors that were given for an option; without any, `question` is what is asked.
  func selectors(_ name: String, orAsk question: String? = nil) throws(UsageError) -> [TrackSelector] {
    var selectors: [TrackSelector] = []
    for occurrence in occurrences where occurrence.name == name {
      selectors.append(try TrackSelector(occurrence.value ?? "", option: name))
    }
    if selectors.isEmpty, let question { throw UsageError(.missingOperand, question) }
    return selectors
  }
}
