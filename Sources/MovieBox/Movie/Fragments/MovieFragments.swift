/// The fragments of a movie: where the samples lie that `moov` does not have.
///
/// A value, made once by ``Movie/readFragments(of:)``.
///
///     let source = try FileSource(path: "recording.mp4")
///     let movie = try Movie(of: source)
///     let fragments = try movie.readFragments(of: source)
///     for track in fragments.tracks {
///       for sample in track.samples where sample.isSync { print(track.trackID, sample.decodeTime) }
///     }
package struct MovieFragments: Sendable {
  /// The duration of the movie with its fragments (`mehd`); mostly absent in live recordings.
  package let header: MovieExtendsHeader?
  /// What the samples of each track are where fragments do not say otherwise (`trex`), in the order of the file.
  package let extends: [TrackExtends]
  /// The fragments, in the order of the file.
  package let fragments: [MovieFragment]
  /// The tracks of the movie with all their samples, in the order of the movie.
  package let tracks: [FragmentedTrack]
  /// What is odd but does no harm to reading.
  package let defects: [MovieError]
  /// The samples that the end of the file cut off, a value for each track that lost some, in the order of the movie.
  /// ``tracks`` does not have them.
  package let missingSamples: [MissingSamples]

  /// The top-level atoms of a file that mean nothing without fragments. `emsg` stays: its events are somebody's data.
  package static let atomTypes: Set<FourCC> = ["moof", "mfra", "sidx", "ssix", "styp", "prft"]

  /// The position in ``tracks`` of the first track with each ID.
  private let positions: [UInt32: Int]

  init(
    header: MovieExtendsHeader?, extends: [TrackExtends], fragments: [MovieFragment], tracks: [FragmentedTrack],
    defects: [MovieError], missingSamples: [MissingSamples]
  ) {
    (self.header, self.extends, self.fragments, self.tracks) = (header, extends, fragments, tracks)
    (self.defects, self.missingSamples) = (defects, missingSamples)
    positions = Dictionary(tracks.indices.map { (tracks[$0].trackID, $0) }) { first, _ in first }
  }

  /// The samples of the track with this ID.
  package func track(_ id: UInt32) -> FragmentedTrack? {
    positions[id].map { tracks[$0] }
  }
}

extension Movie {
  /// Reads the fragments of the movie from the source that the movie was read from.
  ///
  /// Costs one read of each `moof`, and memory in proportion to them; reads no media. A movie without fragments has
  /// tracks here too, with the samples of `moov`. What the end of the file cuts off is left out and listed in
  /// ``MovieFragments/missingSamples``: a `moof`, and in the media of the last ones each sample that is not whole.
  ///
  /// Throws what the source throws, and ``MovieError``: `.sourceChanged` for another source than the movie's, `.limit`
  /// beyond ``MovieLimits``, `.malformed` or `.truncated` with path and offset for atoms that a fragment cannot do
  /// without.
  package func readFragments(of source: some RandomAccessSource) throws -> MovieFragments {
    guard try source.identity() == layout.identity else {
      throw MovieError(.sourceChanged, "the source is not the one that the movie was read from, or has changed")
    }
    var reader = try FragmentReader(self)
    for atom in layout.atoms where atom.type == "moof" {
      if let claimed = atom.claimedByteCount {
        reader.reportCut(atom, claiming: claimed)
        continue
      }
      try reader.makeRoom(for: atom.range)
      try reader.add(layout.read(atom.range, of: source), at: atom.range.offset)
    }
    return reader.finish()
  }
}
