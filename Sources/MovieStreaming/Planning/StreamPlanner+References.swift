import MovieBox

// Players switch between variants at segment boundaries. Therefore, the reference tracks of all variants are cut at the
// same times: at their own key pictures if these agree, or else at key pictures that they have in common.
extension StreamPlanner {
  /// Returns the reference tracks. The segments of all of them begin at the same times.
  mutating func referenceTracks(of tracks: StreamedTracks) throws -> [ReferenceTrack] {
    func makeReferenceTrack(_ streamed: StreamedTrack, _ cuts: SegmentCuts? = nil) throws -> ReferenceTrack {
      try explaining(streamed) {
        try ReferenceTrack(streamed, of: tracks, in: movies[streamed.movieIndex].movie, options, cuts: cuts)
      }
    }
    let references = try tracks.references.map { try makeReferenceTrack($0) }
    let first = references[0]
    for other in references.dropFirst() {
      try locatingErrors(inMovie: other.streamed.movieIndex) {
        try other.requireSameStart(as: first, options)
        try other.requireSameEnd(as: first, options)
      }
    }
    guard let (other, segment) = Self.firstMismatch(in: references) else { return references }
    let commonPictures = try CommonKeyPictures(references)
    let cut = try commonPictures.cutReferenceTracks(options) { try makeReferenceTrack($0.streamed, $1) }
    if let cut, Self.firstMismatch(in: cut) == nil {
      notices.append(commonCutsNote(cut[0], commonPictures))
      return cut
    }
    let advice =
      commonPictures.shortestUsableSegmentDuration.map { "a segment duration of \($0) s suits both movies" }
      ?? "encode both movies with key frames at the same times"
    throw explain(
      StreamRefusal(
        other.refusal(ofSegment: segment, unlike: first, options, advice: advice),
        remedy: commonPictures.shortestUsableSegmentDuration.map { .segmentDuration(milliseconds: $0 * 1_000) }),
      other.streamed.movieIndex)
  }

  /// Returns the first variant whose segments start at different times than the segments of variant 0, and the index of
  /// its first segment that differs.
  private static func firstMismatch(in references: [ReferenceTrack]) -> (track: ReferenceTrack, segment: Int)? {
    for reference in references.dropFirst() {
      if let segment = reference.firstMismatchedSegment(with: references[0]) { return (reference, segment) }
    }
    return nil
  }

  private func commonCutsNote(_ reference: ReferenceTrack, _ common: CommonKeyPictures) -> StreamPlan.Notice {
    let longestSegment = reference.longestSegmentInMilliseconds
    let shorter = common.bestSegmentDuration.flatMap { duration, milliseconds in
      milliseconds < longestSegment ? duration : nil
    }
    let advice = shorter.map { "; with a segment duration of \($0) s, segments would be shorter" } ?? ""
    return StreamPlan.Notice(
      "common-key-pictures", isWarning: false, remedy: shorter.map { .segmentDuration(milliseconds: $0 * 1_000) },
      "the movies have key pictures at different times, so segments last up to \(longestSegment) ms" + advice)
  }
}
