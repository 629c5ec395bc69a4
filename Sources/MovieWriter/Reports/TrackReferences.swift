package import MovieBox

/// The references between the tracks of a movie, read from both ends.
package struct TrackReferences {
  /// The tracks that name a track, in one way.
  package struct Incoming: Equatable, Sendable {
    package let type: FourCC
    package let trackIDs: [UInt32]
  }

  private let movie: Movie
  /// The first track of each ID.
  private let tracks: [UInt32: Track]
  /// The references to each ID: the types in the order of the file, and the tracks of each.
  private var referrers: [UInt32: (types: [FourCC], tracks: [FourCC: [UInt32]])] = [:]

  package init(_ movie: Movie) {
    self.movie = movie
    tracks = Dictionary(movie.tracks.map { ($0.id, $0) }) { first, _ in first }
    for track in movie.tracks {
      for reference in track.references {
        for id in Set(reference.trackIDs) where tracks[id] != nil {
          let isNew = referrers[id, default: ([], [:])].tracks[reference.type, default: []].isEmpty
          if isNew { referrers[id, default: ([], [:])].types.append(reference.type) }
          referrers[id, default: ([], [:])].tracks[reference.type, default: []].append(track.id)
        }
      }
    }
  }

  /// The tracks that refer to the track, by type of reference in the order of the file.
  ///
  /// Of several tracks with one ID the first has them all.
  package func incoming(_ track: Track) -> [Incoming] {
    guard tracks[track.id]?.atom == track.atom, let found = referrers[track.id] else { return [] }
    return found.types.map { Incoming(type: $0, trackIDs: found.tracks[$0] ?? []) }
  }

  /// A line for each track that refers to others or is referred to.
  package var lines: [String] {
    movie.tracks.compactMap { track in
      var parts: [String] = []
      for reference in track.references {
        let targets = reference.trackIDs.filter { $0 != 0 }
        if !targets.isEmpty {
          parts.append("\(TrackAssociation(rawValue: reference.type).phrase) \(names(targets)) (\(reference.type))")
        }
      }
      for reference in incoming(track) { parts.append(Self.incoming(reference.type, names(reference.trackIDs))) }
      return parts.isEmpty ? nil : "\(name(track.id)) \(parts.joined(separator: "; "))"
    }
  }

  private func names(_ ids: [UInt32]) -> String {
    ids.map(name).joined(separator: " and ")
  }

  private func name(_ id: UInt32) -> String {
    tracks[id].map { "\($0.kindName) \(id)" } ?? "track \(id), which is not there,"
  }

  /// What the others have from the track that they name.
  private static func incoming(_ type: FourCC, _ others: String) -> String {
    switch type {
    case "folw": "follows \(others)"
    case "forc": "holds the forced subtitles of \(others)"
    case "fall": "is the fallback of \(others)"
    case "chap": "holds the chapters of \(others)"
    case "tmcd": "is the time code of \(others)"
    case "cdsc": "is described by \(others)"
    default: "is referred to by \(others) (\(type))"
    }
  }
}
