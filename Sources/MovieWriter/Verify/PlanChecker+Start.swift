import MovieBox

// The start of a recording's clock, which is subtracted from all times of a movie that loses its fragments.
extension PlanChecker {
  /// Checks the time that is subtracted: the start of the earliest track, or none if the clock is kept or already
  /// starts at 0. Tracks of another movie use the edited movie's start if both recordings share a clock.
  ///
  /// The start is worked out here from samples and edits, not by the code that planned with it.
  func checkStart(of flattenedMovie: FlattenedMovie, ofPart part: Int) throws(MovieError) {
    var expected = revision.requested.keepsStart ? nil : Self.earliestStart(of: flattenedMovie)
    if part > 0, !revision.requested.keepsStart {
      let edited = revision.stages.flattened?.start
      if (expected ?? .zero).isWithin(seconds: 10, of: edited ?? .zero) { expected = edited }
    }
    let isSame =
      switch (flattenedMovie.start, expected) {
      case (nil, nil): true
      case (let start?, let expected?): !start.isBefore(expected) && !expected.isBefore(start)
      default: false
      }
    guard isSame else {
      throw failure(
        "\(flattenedMovie.start?.text ?? "nothing") is subtracted from all times, not \(expected?.text ?? "nothing")")
    }
  }

  /// The start of the earliest track, or `nil` if it is not after 0.
  private static func earliestStart(of flattenedMovie: FlattenedMovie) -> MediaTime? {
    let tracks = zip(flattenedMovie.original.tracks, flattenedMovie.fragments.tracks).filter { $1.sampleCount > 0 }
    let isAllText = tracks.allSatisfy { track, _ in track.hasReadableText }
    var starts: [MediaTime] = []
    for (track, fragmented) in tracks {
      // A track with samples in the movie atom starts at 0, whatever those show.
      guard fragmented.tableSampleCount == 0 else { return nil }
      // A sample of text with no more bytes than a length of 0, or an empty WebVTT cue, shows nothing.
      let emptyByteCount: UInt64? =
        isAllText || !track.hasReadableText ? nil : track.formats.contains("wvtt") ? 8 : 2
      var samples = fragmented.samples.makeIterator()
      var next = samples.next()
      while let sample = next, let count = emptyByteCount, sample.byteRange?.count ?? 0 <= count {
        next = samples.next()
      }
      guard let first = next else { continue }
      // What is shown first of the first chunk or run, after the part that the first edit leaves out.
      let origin = Int64(clamping: fragmented.ticksBeforeStart)
      let decoded = Int64(clamping: first.decodeTime).addingClamped(-origin)
      var shown = first.presentationTime.addingClamped(-origin)
      while let sample = next, sample.chunkIndex == first.chunkIndex {
        shown = Swift.min(shown, sample.presentationTime.addingClamped(-origin))
        next = samples.next()
      }
      let shownEdit = (track.editList?.entries ?? []).enumerated().first { index, edit in
        edit.mediaTime >= 0 && (edit.knownDuration > 0 || index + 1 == track.editList?.entries.count)
      }
      let omitted = shownEdit?.element.mediaTime ?? 0
      let isShownAtOnce = omitted >= decoded
      let ticks = isShownAtOnce ? 0 : Swift.min(decoded, Swift.max(shown, decoded).addingClamped(-omitted))
      guard let start = MediaTime(ticks: ticks, timeScale: track.mediaHeader.timeScale) else { continue }
      starts.append(start)
    }
    guard let earliest = starts.min(by: { $0.isBefore($1) }), earliest.ticks > 0 else { return nil }
    return earliest
  }

  /// The time of an event that is to be moved with the clock of the movie; `nil` for any other atom.
  func movedEvent(_ atom: FileLayout.TopLevelAtom) throws -> EventTime? {
    guard revision.stages.flattened?.start != nil else { return nil }
    return try EventTime(of: atom, in: source)
  }

  /// Whether an event has its old bytes but for its time, which is earlier by the start of the movie.
  func isMoved(_ event: EventTime, of old: FileLayout.TopLevelAtom, to new: FileLayout.TopLevelAtom) throws -> Bool {
    let output = PlannedSource(plan, of: source)
    guard let start = revision.stages.flattened?.start, old.type == new.type,
      old.payloadRange.count == new.payloadRange.count, old.payloadRange.count <= revision.movie.limits.movieByteCount
    else { return false }
    let (before, after) = (try source.readExactly(old.payloadRange), try output.readExactly(new.payloadRange))
    let shift = Int128(start.ticks) * Int128(event.timeScale)
    // The time that is subtracted, to half a tick of the event's scale.
    guard let time = after.load(at: 8, as: UInt64.self),
      case let moved = Int128(event.ticks) - Int128(time),
      case let error = 2 * (moved * Int128(start.timeScale) - shift),
      error.magnitude <= Int128(start.timeScale).magnitude || time == 0 && error < 0
    else { return false }
    return before.slice(at: 0, count: 8) == after.slice(at: 0, count: 8) && before.dropFirst(16) == after.dropFirst(16)
  }
}
