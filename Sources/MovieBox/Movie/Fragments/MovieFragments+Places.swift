extension MovieFragments {
  /// Samples of fragments that do not lie where samples can: past the end of the file, inside the movie atom or
  /// a `moof`, or where samples of another run lie.
  ///
  /// The first of each track and kind. Costs a sort of the runs; reads nothing. What `moov` says of samples is
  /// ``Movie/misplacedSamples()``.
  ///
  /// - Parameter movie: the movie that the fragments were read with.
  package func misplacedSamples(in movie: Movie) -> [MovieError] {
    let fileEnd = movie.layout.identity.byteCount
    var report = MisplacementReport(fragments: fragments)
    var pieces = ([movie.movieAtom.range] + fragments.map(\.range)).map { Piece(range: $0, trackID: nil, run: nil) }
    for (track, movieTrack) in zip(tracks, movie.tracks) {
      let locator = ChunkLocator(movieTrack)
      for run in track.runs where run.byteCount > 0 {
        if locator.isExternal(run.chunk) {
          // Where another file ends is not known.
          guard run.byteRange == nil else { continue }
          report.add(.malformed, track.trackID, run, "which is another one")
        } else if let range = run.byteRange, range.end <= fileEnd {
          pieces.append(Piece(range: range, trackID: track.trackID, run: run))
        } else {
          report.add(.truncated, track.trackID, run, "reaches past the end of the file at \(fileEnd)")
        }
      }
    }
    pieces.sort { $0.range.offset < $1.range.offset }  // In place: a copy of a million would be felt.
    pieces.forEachOverlap(by: { $0.range }) { piece, before in
      if let run = piece.run, let id = piece.trackID {
        report.add(.malformed, id, run, before.description)
      } else if let run = before.run, let id = before.trackID {
        report.add(.malformed, id, run, piece.description)
      }
    }
    return report.errors
  }

  /// The movie atom, a `moof` or a run in the file.
  private struct Piece {
    let range: ByteRange
    let trackID: UInt32?
    let run: FragmentRun?

    var description: String {
      guard let trackID else { return "reaches into the moov or moof atom at \(range.offset)" }
      return "shares bytes with samples of track \(trackID) at \(range.offset)"
    }
  }

  /// Gathers errors, one of a kind for each track.
  private struct MisplacementReport {
    let fragments: [MovieFragment]
    var errors: [MovieError] = []
    private var seen: Set<Kind> = []

    private struct Kind: Hashable {
      let code: MovieError.Code
      let trackID: UInt32
    }

    init(fragments: [MovieFragment]) {
      self.fragments = fragments
    }

    mutating func add(_ code: MovieError.Code, _ trackID: UInt32, _ run: FragmentRun, _ reason: String) {
      guard seen.insert(Kind(code: code, trackID: trackID)).inserted else { return }
      let place = run.offset.map { "at \($0)" } ?? "outside the file"
      errors.append(
        MovieError(
          code, at: fragments[run.fragmentIndex].range.offset, in: "moof",
          "run \(run.index + 1) of track \(trackID), \(run.byteCount) bytes \(place), \(reason)"))
    }
  }
}

extension FragmentRun {
  /// The run as a chunk of its track; one that lies nowhere begins at the largest offset.
  fileprivate var chunk: Chunk {
    Chunk(
      index: index, offset: offset ?? .max, byteCount: byteCount, firstSample: firstSample, sampleCount: sampleCount,
      sampleDescriptionIndex: sampleDescriptionIndex)
  }
}
