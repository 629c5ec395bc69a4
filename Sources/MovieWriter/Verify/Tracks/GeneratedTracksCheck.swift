import MovieBox

/// Checks the tracks that the edit generates, such as subtitles and chapters, against the request.
///
/// Each track is encoded once more. It must have the same atoms, except for sample positions, and the same samples, which
/// must be new bytes.
struct GeneratedTracksCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  func check() throws {
    for (requestedTrack, track) in zip(resolved.requested.tracks, planned.tracks) {
      guard let generated = requestedTrack.generated else { continue }
      try checkAtoms(of: generated, as: requestedTrack, track)
      try checkSamples(of: generated, track)
    }
  }

  private func checkAtoms(
    of generated: any GeneratedTrack, as requestedTrack: EditedTrack, _ track: Track
  ) throws(MovieError) {
    let trak = generated.trackAtom(as: requestedTrack, chunkOffset: 0, isInterleaved: resolved.requested.isInterleaved)
    let tree = try AtomTree(Bytes(trak), at: 0, limits: resolved.movie.limits.withRoomForEdits)
    try AtomChangePolicy.positions.check(
      .init(tree, trackID: track.id), .init(planned.tree, at: track.atom, trackID: track.id))
  }

  /// Checks that the track contains the requested samples in order, and that their bytes are new.
  private func checkSamples(of generated: any GeneratedTrack, _ track: Track) throws {
    let expectedData = generated.sampleData
    var position = expectedData.startIndex
    for chunk in track.samples.chunks where chunk.byteCount > 0 {
      guard let range = chunk.byteRange, range.end <= plan.byteCount,
        plan.extents(in: range).allSatisfy({ $0.sourceRange == nil })
      else { throw failure("a new sample of track \(track.id) refers to old bytes or to no bytes", at: chunk.offset) }
      let end = position + Int(clamping: Swift.min(range.count, UInt64(expectedData.count)))
      guard end <= expectedData.endIndex, range.count <= expectedData.count,
        try output.readExactly(range).elementsEqual(expectedData[position..<end])
      else { throw failure("a new sample of track \(track.id) refers to unexpected bytes", at: chunk.offset) }
      position = end
    }
    guard position == expectedData.endIndex else {
      throw failure("track \(track.id) refers to \(position) of \(expectedData.count) bytes of its samples")
    }
  }
}
