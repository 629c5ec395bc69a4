package import MovieBox

extension MovieReport {
  /// What the samples of the movie name of the media data.
  package struct MediaUse {
    private let trackIDs: [UInt32]
    private let all: MediaRanges
    /// The places of the tracks that have samples in an atom, by the atom's offset.
    private var users: [UInt64: Set<Int>] = [:]

    init(_ movie: Movie) {
      trackIDs = movie.tracks.map(\.id)
      all = MediaRanges(movie.tracks)
      let media = movie.layout.atoms.filter { $0.type == "mdat" }
      for (index, track) in movie.tracks.enumerated() {
        for atom in media where track.hasSamples(in: atom.payloadRange) {
          users[atom.range.offset, default: []].insert(index)
        }
      }
    }

    /// The tracks that have samples in the atom, in the order of the movie.
    package func trackIDs(in atom: FileLayout.TopLevelAtom) -> [UInt32] {
      (users[atom.range.offset] ?? []).sorted().map { trackIDs[$0] }
    }

    /// How many bytes of the atom, its header aside, no sample refers to.
    package func unreferencedByteCount(in atom: FileLayout.TopLevelAtom) -> UInt64 {
      atom.payloadRange.count - all.byteCount(in: atom.payloadRange)
    }
  }

  /// The use of the media data; `nil` where samples lie in fragments too, or the movie cannot be read. Costs a walk
  /// over all chunks.
  package var mediaUse: MediaUse? {
    movie.flatMap { $0.isFragmented ? nil : MediaUse($0) }
  }

  /// How far apart lies what is played at the same time; `nil` where ``mediaUse`` is.
  package var interleaving: InterleavingDistance? {
    movie.flatMap { $0.isFragmented ? nil : $0.interleavingDistance() }
  }
}
