// Checks of the sample tables: misplaced samples and contradictory tables.

extension Movie {
  /// Returns errors for chunks at invalid positions. An invalid position is past the end of the file or in the movie
  /// atom.
  ///
  /// The result contains the first error of each track, and at most ``MovieLimits/defectCount`` errors. Makes one
  /// pass over the sample tables and reads nothing.
  package func misplacedSamples() -> [MovieError] {
    var errors: [MovieError] = []
    for track in tracks where errors.count < limits.defectCount {
      guard let stbl = tree.sampleTable(ofTrack: track.atom),
        let table = tree.child(of: stbl, "stco") ?? tree.child(of: stbl, "co64")
      else { continue }
      func isMisplaced(_ range: ByteRange?) -> Bool { misplacement(range) != nil }
      guard let (chunk, range) = track.firstChunk(inBlocksWhere: isMisplaced, where: isMisplaced),
        let reason = misplacement(range)
      else { continue }
      let byteCount = range?.count ?? chunk.byteCount
      errors.append(
        tree.error(
          .truncated, at: table,
          "chunk \(chunk.index + 1) (\(byteCount) bytes at \(chunk.offset)) reaches \(reason.description(self))"))
    }
    return errors
  }

  private enum Misplacement {
    case pastEnd
    case intoMovieAtom

    func description(_ movie: Movie) -> String {
      switch self {
      case .pastEnd: "past the end of the file at \(movie.layout.identity.byteCount)"
      case .intoMovieAtom: "into the movie atom"
      }
    }
  }

  private func misplacement(_ range: ByteRange?) -> Misplacement? {
    guard let range, range.end <= layout.identity.byteCount else { return .pastEnd }
    return range.overlaps(movieAtom.range) ? .intoMovieAtom : nil
  }

  /// Whether a chunk or an `mdat` in this file begins after `offset`, even if it is empty.
  package func hasMedia(after offset: UInt64) -> Bool { hasMedia { $0.upperBound > offset } }

  /// Whether a chunk or an `mdat` in this file begins before `offset`, even if it is empty.
  package func hasMedia(before offset: UInt64) -> Bool { hasMedia { $0.lowerBound < offset } }

  private func hasMedia(where isMatch: (ClosedRange<UInt64>) -> Bool) -> Bool {
    if layout.atoms.contains(where: { $0.type == "mdat" && isMatch($0.range.offset...$0.range.offset) }) { return true }
    return tracks.contains { track in
      let locator = ChunkLocator(track)
      return track.samples.chunks.first(whereOffsets: isMatch) { $0.byteCount > 0 && !locator.isExternal($0) } != nil
    }
  }

  /// The number of chunks from which on two threads examine the tables. Fewer chunks are examined faster than a thread
  /// starts.
  private static var chunkCountForTwoThreads: Int { 100_000 }

  /// Computes the facts about all sample tables in advance (``SampleTableFacts``), on two threads. Does nothing if the
  /// movie has few chunks.
  func computeTableFacts() {
    let tables = tracks.map(\.samples)
    guard tables.count > 1, tables.reduce(0, { $0 &+ $1.chunkCount }) >= Self.chunkCountForTwoThreads else { return }
    _ = SecondThread.share(tables.count, by: 1) { ranges throws(Never) in
      while let range = ranges.next() {
        for table in tables[range] { table.computeFacts() }
      }
      return true
    }
  }

  /// Returns the contradictions between sample tables, with their atoms. Players disagree about tracks with
  /// contradictory tables.
  ///
  /// Returns at most ``MovieLimits/defectCount`` errors. Makes one pass over the sample tables and reads nothing.
  package func inconsistencies() -> [MovieError] {
    var errors: [MovieError] = []
    for track in tracks where errors.count < limits.defectCount {
      guard let stbl = tree.sampleTable(ofTrack: track.atom) else { continue }
      let descriptions = track.sampleDescriptions.entries.count
      for error in track.samples.inconsistencies(sampleDescriptionCount: descriptions) {
        let table = FourCC(error.path).flatMap { tree.child(of: stbl, $0) } ?? stbl
        errors.append(tree.error(error.code, at: table, error.reason))
      }
    }
    return Array(errors.prefix(limits.defectCount))
  }
}
