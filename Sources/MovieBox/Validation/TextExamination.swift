/// What is odd about the samples of a movie's subtitles: the one pass over them that all rules on text share.
struct TextExamination {
  /// What a sample, or a whole track, may do wrong: the names of the rules.
  enum Oddity: String, CaseIterable {
    case unreadable = "text.unreadable"
    case encoding = "text.encoding"
    case trailingNewline = "text.trailing-newline"
    case styleRuns = "text.style-runs"
    case invisibleStyle = "text.invisible-style"
    case boxWithoutFlag = "text.box-without-flag"
    case flagWithoutBox = "text.flag-without-box"
    case boxPlace = "text.box-place"
    case forcedWithoutFlag = "text.forced-without-flag"
    case flagWithoutForced = "text.flag-without-forced"
    case noDuration = "text.no-duration"
    case unread = "text.unread"
  }

  /// One for each track and oddity, with the first sample and how many there are.
  private(set) var oddities: [Oddity: [MovieError]] = [:]

  /// Reads the subtitles of a movie, those in its fragments too, as far as its limits go. Throws what the source
  /// throws.
  init(of movie: Movie, _ fragments: MovieFragments?, in source: some RandomAccessSource) throws {
    var budget = Budget(byteCount: movie.limits.textByteCount, sampleCount: movie.limits.textSampleCount)
    let fileEnd = movie.layout.identity.byteCount
    let limit = movie.limits.defectCount
    var unread: (first: Track, count: Int)?
    for (place, track) in movie.tracks.enumerated() {
      guard track.mediaType.isLegible, !movie.chapterTrackIDs.contains(track.id),
        let description = track.tx3gDescriptions.first
      else { continue }
      guard oddities.values.allSatisfy({ $0.count < limit }) else {
        unread = (unread?.first ?? track, (unread?.count ?? 0) + 1)
        continue
      }
      var examiner = TextTrackExaminer(track, description)
      if let fragments, fragments.tracks.indices.contains(place) {
        try examiner.read(fragments.tracks[place].samples, of: source, fileEnd: fileEnd, &budget)
      } else {
        try examiner.read(track.samples.samples, of: source, fileEnd: fileEnd, &budget)
      }
      for (oddity, reason) in examiner.reasons { add(oddity, track, of: movie, reason) }
    }
    if let unread {
      add(.unread, unread.first, of: movie, "\(unread.count) tracks are skipped: \(limit) findings of one rule already")
    }
  }

  private mutating func add(_ oddity: Oddity, _ track: Track, of movie: Movie, _ reason: String) {
    let error = movie.tree.error(.malformed, at: track.atom, reason)
    oddities[oddity, default: []].append(error)
  }

  /// How much may still be read.
  struct Budget {
    var byteCount: UInt64
    var sampleCount: Int

    /// Whether there was room for one more sample.
    mutating func take(_ bytes: UInt64) -> Bool {
      guard bytes <= byteCount, sampleCount > 0 else { return false }
      byteCount -= bytes
      sampleCount -= 1
      return true
    }
  }
}
