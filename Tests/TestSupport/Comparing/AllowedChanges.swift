/// The allowed differences between a movie and its edited copy. Everything else must be equal.
///
/// Paths contain track IDs: `moov/trak#2/udta/tagc`.
package struct AllowedChanges: Sendable {
  /// Tracks that the edit must add. If there are any, the next track ID in `mvhd` may change.
  package var addedTracks: Set<UInt32> = []
  /// Tracks that the edit must remove.
  package var removedTracks: Set<UInt32> = []
  /// Tracks whose enabled flag and alternate group may change.
  package var regroupedTracks: Set<UInt32> = []
  /// Reference types that may be added, changed or removed, by the track that contains them.
  package var references: [UInt32: Set<String>] = [:]
  /// Paths of atoms that may be added with all their children.
  package var addedAtoms: Set<String> = []
  /// Paths of atoms whose bytes may change.
  package var changedAtoms: Set<String> = []
  /// Paths of atoms that may be removed.
  package var removedAtoms: Set<String> = []
  /// Whether top-level `free`, `skip` and `wide` may be added and removed, as edits in place do.
  package var freeSpace = true
  /// Whether `free` and `skip` inside `moov` may be removed.
  package var spaceInMovieLeftOut = false
  /// Whether `moov` may move among the top-level atoms.
  package var movieMoved = false
  /// Whether media data may be rearranged and distributed over other `mdat` atoms. Only samples are then compared.
  package var mediaDataRearranged = false
  /// Whether the edit removes the fragments. Samples and their properties must equal ``ReadTrack/plainSamples``, and their
  /// presentation times must be equal to within a movie tick.
  package var flattened = false
  /// The start time on the old movie's clock that was subtracted, in ticks of a time scale.
  package var subtractedStart: (ticks: Int64, timeScale: Int64)?
  /// Whether chunks may be split between samples, so that `stsc` and the chunk offset table may grow.
  package var chunksSplit = false
  /// The external files whose samples the new movie must contain itself, by track and sample description (from 1).
  package var takenIn: [UInt32: [UInt32: ByteStore]] = [:]
  /// Whether bytes after the last atom may be added and removed.
  package var strayBytes = false

  /// Allows changes of file positions and free space only.
  package init() {}

  /// Returns the changes allowed for added tracks.
  package static func adding(_ tracks: UInt32...) -> AllowedChanges {
    AllowedChanges().with { $0.addedTracks = Set(tracks) }
  }

  /// Returns a modified copy.
  package func with(_ change: (inout AllowedChanges) -> Void) -> AllowedChanges {
    var copy = self
    change(&copy)
    return copy
  }

  func mayAdd(_ path: String) -> Bool {
    addedAtoms.contains(path) || isReference(path)
      || isOfTrack(path, ["edts", "edts/elst", "senc", "mdia/minf/stbl/uuid"]) || flattened && path == "moov/pssh"
      || addedTracks.contains { path == "moov/trak#\($0)" }
  }

  func mayChange(_ path: String) -> Bool {
    changedAtoms.contains(path) || isReference(path, alone: true) || isOfTrack(path, ["edts/elst"])
  }

  func mayRemove(_ path: String) -> Bool {
    removedAtoms.contains(path) || isReference(path, alone: true)
      || spaceInMovieLeftOut && path.hasPrefix("moov/") && ["/free", "/skip"].contains { path.hasSuffix($0) }
      || flattened && ["moov/mvex", "moof", "mfra", "sidx", "ssix", "styp", "prft"].contains(path)
      || removedTracks.contains { path == "moov/trak#\($0)" }
  }

  /// The tables that replace properties of samples in fragments.
  private static let tables: Set<String> = [
    "stts", "ctts", "cslg", "stsc", "stsz", "stz2", "stco", "co64", "stss", "sdtp", "padb", "stdp", "sbgp", "sgpd",
    "saiz", "saio", "subs",
  ]

  /// Whether an atom is not compared itself because its effect on samples is.
  func isTable(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 6 && parts[4] == "stbl" && Self.tables.contains(String(parts[5])) && flattened
  }

  /// Whether the path is one of these paths in a track, and the movie loses its fragments.
  private func isOfTrack(_ path: String, _ paths: [String]) -> Bool {
    flattened && path.hasPrefix("moov/trak#")
      && paths.contains { path.split(separator: "/").dropFirst(2).elementsEqual($0.split(separator: "/")) }
  }

  /// Whether a reference atom may change, or, unless `alone`, the `tref` around it.
  private func isReference(_ path: String, alone: Bool = false) -> Bool {
    references.contains { track, types in
      let tref = "moov/trak#\(track)/tref"
      return types.contains { path == "\(tref)/\($0)" } || (!alone && path == tref)
    }
  }
}
