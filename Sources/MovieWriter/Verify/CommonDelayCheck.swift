import MovieBox

/// Computes the delay that new tracks must have because ffmpeg delayed all tracks of a movie.
///
/// The check is independent of ``/MovieBox/Movie/commonDelay(_:)``: it reads sample tables instead of samples.
struct CommonDelayCheck {
  /// The delay, or `nil` if new tracks need none.
  let delay: MediaTime?

  init(_ movie: Movie) {
    let sounds = movie.tracks.filter { $0.mediaType == .audio && ($0.editList?.entries ?? []).isEmpty }
    guard let picture = movie.mainPicture, (picture.editList?.entries ?? []).isEmpty, !sounds.isEmpty else {
      delay = nil
      return
    }
    let durations = Self.durations(of: picture, count: 32)
    var offsets: [Int64] = []
    if let table = picture.samples.compositionOffsets {
      for run in table where run.sampleCount > 0 {
        guard offsets.count < durations.count else { break }
        let count = Swift.min(durations.count - offsets.count, Int(clamping: run.sampleCount))
        offsets += repeatElement(Int64(run.offset), count: count)
      }
    }
    var (decodeTime, earliestTime) = (Int64(0), Int64.max)
    for (place, duration) in durations.enumerated() {
      earliestTime = Swift.min(earliestTime, decodeTime + (offsets.indices.contains(place) ? offsets[place] : 0))
      decodeTime += duration
    }
    let (scale, maximumSeconds) = (Int128(picture.mediaHeader.timeScale), Int128(10))
    guard earliestTime > 0, scale > 0, earliestTime != .max, Int128(earliestTime) < maximumSeconds * scale else {
      delay = nil
      return
    }
    let isCommon = sounds.contains { sound in
      let packets = Self.durations(of: sound, count: 3)
      guard packets.count == 3, packets[1] > 0, (packets[1] - packets[2]).magnitude <= 1 else { return false }
      let surplus = Int128(packets[0] - packets[1] - 1) * scale
      return packets[0] * 4 > packets[1] * 5 && surplus < Int128(earliestTime) * Int128(sound.mediaHeader.timeScale)
    }
    delay = isCommon ? MediaTime(ticks: earliestTime, timeScale: picture.mediaHeader.timeScale) : nil
  }

  /// Returns the durations of the first samples of a track.
  private static func durations(of track: Track, count: Int) -> [Int64] {
    var durations: [Int64] = []
    for run in track.samples.timeToSample {
      let more = Swift.min(count, track.samples.sampleCount) - durations.count
      guard more > 0 else { break }
      durations += repeatElement(Int64(run.duration), count: Swift.min(more, Int(clamping: run.sampleCount)))
    }
    return durations
  }

  // MARK: - Edit lists

  /// A part of the movie in which an imported track is shown, in ticks of the movie.
  private struct EditSegment: Equatable {
    var start: Int128
    /// The duration, or 0 if the part extends to the end of the media.
    var duration: Int128
    var mediaTime: Int128
    let rate: Int32

    /// Returns the parts that an edit list shows. Without an edit list, all media of a `duration` is shown.
    static func all(in list: EditList?, duration: UInt64) -> [EditSegment] {
      let entries = list?.entries ?? []
      guard !entries.isEmpty else {
        return [EditSegment(start: 0, duration: Int128(duration), mediaTime: 0, rate: 0x1_0000)]
      }
      var (time, parts): (Int128, [EditSegment]) = (0, [])
      for entry in entries {
        if !entry.isEmptyEdit {
          parts.append(
            EditSegment(
              start: time, duration: Int128(entry.knownDuration), mediaTime: Int128(entry.mediaTime),
              rate: entry.mediaRate))
        }
        time += Int128(entry.knownDuration)
      }
      return parts
    }
  }

  /// Whether an edit list presents the media of an imported track `shift` later than the old list does, to within a
  /// tick of the movie. Everything else must be equal. A negative `shift` first shortens the time before the media, and
  /// then the media.
  ///
  /// - Parameters:
  ///   - shift: the time in ticks of the edited movie.
  ///   - track: the track in its own movie.
  ///   - timeScales: the ticks per second of the track's own movie and of the edited movie.
  static func isShifted(
    _ new: EditList, by shift: Int64, from track: Track, timeScales: (old: UInt32, new: UInt32)
  ) -> Bool {
    guard timeScales.old > 0, timeScales.new > 0 else { return false }
    let (from, to) = (Int128(timeScales.old), Int128(timeScales.new))
    let duration = track.header.isDurationUnknown ? 0 : track.header.duration
    let oldParts = EditSegment.all(in: track.editList, duration: duration)
    let planned = EditSegment.all(in: new, duration: 0)
    let entries = track.editList?.entries ?? []
    let rates = Set(entries.filter(\.isEmptyEdit).map(\.mediaRate)).union([0x1_0000])
    guard new.flags == track.editList?.flags ?? 0, new.tail == track.editList?.tail ?? Bytes(),
      oldParts.count == planned.count, new.entries.allSatisfy({ !$0.isEmptyEdit || rates.contains($0.mediaRate) })
    else { return false }
    for (place, (oldParts, planned)) in zip(oldParts, planned).enumerated() {
      // Compare the times in units of 1/(old × new) seconds.
      var (start, duration) = (oldParts.start * to + Int128(shift) * from, oldParts.duration * to)
      var mediaTime = oldParts.mediaTime
      if start < 0 {
        guard place == 0 else { return false }  // Only the first part may lose its start.
        let cut = MediaTime(ticks: Int64(clamping: -start / from), timeScale: timeScales.new)
        mediaTime += Int128(cut?.ticks(of: track.mediaHeader.timeScale) ?? 0)
        if duration > -start { duration += start }
        start = 0
      }
      guard planned.rate == oldParts.rate, (planned.mediaTime - mediaTime).magnitude <= 1,
        (planned.start * from - start).magnitude <= from.magnitude,
        (planned.duration * from - duration).magnitude <= from.magnitude
      else { return false }
    }
    return true
  }
}
