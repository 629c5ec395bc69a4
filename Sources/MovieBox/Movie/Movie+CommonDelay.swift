// The common delay of all tracks in a movie that ffmpeg wrote without edit lists.
//
// If pictures are reordered, the first picture is decoded before time 0. An edit list can hide the negative time. If
// ffmpeg does not write edit lists (`-movflags empty_moov`, `-use_editlist 0`), it delays all tracks so that no decode
// time is negative. For two reordered pictures at 25 pictures a second, the delay is 80 ms. Players then show all
// tracks later, but the times in a subtitle file or a dub do not include the delay. ffmpeg extends the duration of the
// first audio packet, which starts at 0, up to the second packet. This longer duration distinguishes a common delay
// from a video track that begins late on its own.

extension Movie {
  /// Returns the delay that ffmpeg added to the times of all tracks, or `nil` if there is none.
  ///
  /// Reads the tables of the first samples of each audio track and of the main picture.
  ///
  /// - Parameter fragments: the fragments of a fragmented movie.
  package func commonDelay(_ fragments: MovieFragments? = nil) -> MediaTime? {
    ListPass.end(after: tracks.count)
    guard let picture = mainPicture, let pictures = firstSamples(of: picture, fragments, count: 32),
      let shown = pictures.map(\.presentationTime).min(), shown > 0,
      let delay = MediaTime(ticks: shown, timeScale: picture.mediaHeader.timeScale),
      delay.isWithin(seconds: 10, of: .zero)
    else { return nil }
    let isStretched = tracks.contains { track in
      guard track.mediaType == .audio, let packets = firstSamples(of: track, fragments, count: 3) else { return false }
      return Self.isFirstPacketExtended(of: packets, until: delay, timeScale: track.mediaHeader.timeScale)
    }
    return isStretched ? delay : nil
  }

  /// Returns the first samples of a track, or `nil` if the track has edits or does not start at 0.
  private func firstSamples(of track: Track, _ fragments: MovieFragments?, count: Int) -> [Sample]? {
    guard track.editList?.entries.isEmpty ?? true else { return nil }
    guard let fragments else { return Array(track.samples.samples.prefix(count)) }
    guard let fragmentedTrack = fragments.track(track.id), fragmentedTrack.ticksBeforeStart == 0,
      fragmentedTrack.startTime == 0
    else {
      return nil
    }
    return Array(fragmentedTrack.samples.prefix(count))
  }

  /// Whether the first packet ends near the delay and lasts longer than the next two packets. The durations of the next
  /// two packets must be equal. Because of priming, the first packet may end up to one packet after the delay.
  private static func isFirstPacketExtended(of packets: [Sample], until delay: MediaTime, timeScale: UInt32) -> Bool {
    let durations = packets.map { UInt64($0.duration) }
    guard durations.count == 3, durations[1] > 0 else { return false }
    // If a writer rounds times to milliseconds, the durations of neighboring samples may differ by a tick. Accept this
    // difference.
    let difference = max(durations[1], durations[2]) - min(durations[1], durations[2])
    guard difference <= 1, 4 * durations[0] > 5 * durations[1],
      let end = MediaTime(ticks: Int64(durations[0]) - Int64(durations[1]) - 1, timeScale: timeScale)
    else { return false }
    return end.isBefore(delay)
  }
}

extension Track {
  /// Returns the track with an edit list that presents its media earlier by `delay`.
  package func presented(earlierBy delay: MediaTime, movieTimeScale: UInt32) -> Track {
    let list = (editList ?? EditList(entries: [])).shifted(
      by: -delay.ticks(of: movieTimeScale), in: movieTimeScale, presenting: 0, mediaTimeScale: mediaHeader.timeScale)
    return replacingEditList(list)
  }
}

extension EditList {
  /// Returns an edit list that presents the media later than this list does, or earlier if `shift` is negative.
  ///
  /// - Parameters:
  ///   - shift: the delay of the presentation, in ticks of the movie.
  ///   - movieTimeScale: the time scale of the movie.
  ///   - duration: the duration of the media in ticks of the movie, or 0 if it is unknown. It is used if this list is
  ///     empty.
  ///   - mediaTimeScale: the time scale of the media.
  package func shifted(
    by shift: Int64, in movieTimeScale: UInt32, presenting duration: UInt64, mediaTimeScale: UInt32
  ) -> EditList {
    var edits = entries.isEmpty ? [Entry(segmentDuration: duration, mediaTime: 0)] : entries
    if shift > 0 {
      if edits[0].isEmptyEdit, !edits[0].hasUnknownDuration {
        edits[0].segmentDuration = edits[0].segmentDuration.addingClamped(shift.magnitude)
      } else {
        edits.insert(Entry(segmentDuration: shift.magnitude, mediaTime: -1), at: 0)
      }
    } else {
      var rest = shift.magnitude
      if edits[0].isEmptyEdit, !edits[0].hasUnknownDuration {
        let cut = min(rest, edits[0].segmentDuration)
        edits[0].segmentDuration -= cut
        rest -= cut
        if edits[0].segmentDuration == 0, edits.count > 1 { edits.removeFirst() }
      }
      if rest > 0, edits[0].mediaTime >= 0,
        let time = MediaTime(ticks: Int64(clamping: rest), timeScale: movieTimeScale)
      {
        edits[0].mediaTime = edits[0].mediaTime.addingClamped(time.ticks(of: mediaTimeScale))
        if edits[0].knownDuration > rest { edits[0].segmentDuration -= rest }
      }
    }
    // The initializer chooses the version that can contain the times.
    return EditList(version: version == 0 ? nil : version, flags: flags, entries: edits, tail: tail)
  }
}
