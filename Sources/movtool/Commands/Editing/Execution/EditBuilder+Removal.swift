// Tracks that an edit removes, and a search for removed values that remain elsewhere in the file.

import MovieBox
import MovieWriter

extension EditBuilder {
  /// A track that the edit removes.
  struct RemovedTrack {
    let track: EditedTrack
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

/// Looks for values that were taken out in bytes that stay.
///
/// Short values and those of equal bytes are not looked for: they stand anywhere. Of long ones the start is.
struct RemovedValueSearch {
  private static let shortest = 5
  private static let longest = 64

  /// The values by their first two bytes.
  private var values: [UInt16: [[UInt8]]] = [:]
  /// How much is looked through yet: such space is as large as a few movie atoms.
  private(set) var unreadByteCount: UInt64 = 16 << 20
  /// How often a value is compared yet, so that hostile bytes cost no more than others.
  private var comparisonCount = 4 << 20

  init(_ removed: [Bytes]) {
    let starts = Set(removed.lazy.filter { $0.count >= Self.shortest }.map { Array($0.prefix(Self.longest)) })
    for value in starts where value.contains(where: { $0 != value[0] }) {
      values[UInt16(value[0]) << 8 | UInt16(value[1]), default: []].append(value)
    }
  }

  /// Whether there is nothing to look for.
  var isEmpty: Bool { values.isEmpty }

  /// Whether one of the values stands there; `false` too where so much was looked through already.
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
