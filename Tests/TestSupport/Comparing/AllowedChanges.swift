/// What may differ between a movie and its edited copy. All else must be equal.
///
/// Paths name tracks by their ID: `moov/trak#2/udta/tagc`.
package struct AllowedChanges: Sendable {
  /// Tracks that the new movie must have and the old one must not. With any, `mvhd` may have another next track ID.
  package var addedTracks: Set<UInt32> = []
  /// Tracks that the new movie must not have any more.
  package var removedTracks: Set<UInt32> = []
  /// Tracks whose `tkhd` may have another enabled bit and another alternate group.
  package var regroupedTracks: Set<UInt32> = []
  /// Reference types that may come, change or go, by the track that carries them.
  package var references: [UInt32: Set<String>] = [:]
  /// Paths of atoms that may come, with all in them.
  package var addedAtoms: Set<String> = []
  /// Paths of atoms that may have other bytes.
  package var changedAtoms: Set<String> = []
  /// Paths of atoms that may be missing.
  package var removedAtoms: Set<String> = []
  /// `free`, `skip` and `wide` at the top level may come and go: what an edit in place leaves after.
  package var freeSpace = true
  /// `free` and `skip` inside of `moov` may go.
  package var spaceInMovieLeftOut = false
  /// `moov` may stand elsewhere among the atoms of the top level.
  package var movieMoved = false
  /// The media data need not be the old media data with the added tracks' samples put in, nor lie in as many atoms: the
  /// samples alone count.
  package var mediaDataRearranged = false
  /// The old movie is fragmented, and the new one is not: samples, and what is said of them, are the same, as
  /// ``ReadTrack/plainSamples`` has them; they are shown at the same times, to a tick of the movie.
  package var flattened = false
  /// The time on the clock of the old, fragmented movie at which the new one starts, in ticks of a scale.
  package var subtractedStart: (ticks: Int64, timeScale: Int64)?
  /// Chunks may be cut at the bounds of samples: `stsc` and the table of offsets may have more entries.
  package var chunksSplit = false
  /// The files in which samples of a track lay, by track and sample description, from 1, that the new movie must have
  /// itself.
  package var takenIn: [UInt32: [UInt32: ByteStore]] = [:]
  /// Bytes after the last atom that are not an atom may come and go.
  package var strayBytes = false

  /// Nothing but file positions and free space may differ.
  package init() {}

  /// A track was added.
  package static func adding(_ tracks: UInt32...) -> AllowedChanges {
    AllowedChanges().with { $0.addedTracks = Set(tracks) }
  }

  /// The same after a change.
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

  /// The tables that say of samples what fragments said.
  private static let tables: Set<String> = [
    "stts", "ctts", "cslg", "stsc", "stsz", "stz2", "stco", "co64", "stss", "sdtp", "padb", "stdp", "sbgp", "sgpd",
    "saiz", "saio", "subs",
  ]

  /// Whether an atom is not compared, but what it says of samples is.
  func isTable(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 6 && parts[4] == "stbl" && Self.tables.contains(String(parts[5])) && flattened
  }

  /// Whether a movie that loses its fragments may have other atoms of these paths in a track.
  private func isOfTrack(_ path: String, _ paths: [String]) -> Bool {
    flattened && path.hasPrefix("moov/trak#")
      && paths.contains { path.split(separator: "/").dropFirst(2).elementsEqual($0.split(separator: "/")) }
  }

  /// A reference atom that may change, or, if not `alone`, the `tref` around it.
  private func isReference(_ path: String, alone: Bool = false) -> Bool {
    references.contains { track, types in
      let tref = "moov/trak#\(track)/tref"
      return types.contains { path == "\(tref)/\($0)" } || (!alone && path == tref)
    }
  }
}
