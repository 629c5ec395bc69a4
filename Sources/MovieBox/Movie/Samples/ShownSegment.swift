/// A segment of a track's media that the movie presents. It represents one edit of the edit list in exact numbers.
///
/// Results are in milliseconds of the movie's presentation, or in another unit that the caller requests. Each result is
/// rounded to the nearest unit independently, so rounding errors do not accumulate.
package struct ShownSegment: Sendable {
  /// The start in the movie, in movie ticks.
  private let startInMovieTicks: UInt64
  /// The duration of the segment, in movie ticks, or `nil` for the rest of the media.
  private let durationInMovieTicks: UInt64?
  /// The media time at the start of the segment, in media ticks.
  package let mediaStart: Int64
  /// The `media_rate`, as a 16.16 number. 2.0 doubles the speed, and 0 presents a single instant for the whole edit.
  private let rate: Int32
  private let movieTimeScale: UInt32
  private let mediaTimeScale: UInt32
  /// The number of units per second in results.
  private let unitsPerSecond: Int128

  /// Returns the range of movie times at which the segment presents the media from `start` to `end`, in the requested
  /// unit. Returns `nil` if the segment does not present any media between these times.
  ///
  /// If an edit ends less than a movie tick before the media, its writer rounded the duration down. Such an edit counts
  /// as ending with the media.
  package func shown(from start: Int64, to end: Int64) -> Range<Int64>? {
    guard rate != 0 else { return start <= mediaStart && mediaStart < end ? wholeEdit : nil }
    let first = playedTicks(Swift.max(start, mediaStart))
    let last = playedTicks(end)
    guard first < last else { return nil }
    if let duration = durationInMovieTicks {
      // The unit of both sides of the comparison is media ticks times movie ticks per second.
      let limit = Int128(duration) * Int128(mediaTimeScale)
      guard first * Int128(movieTimeScale) < limit else { return nil }
      if last * Int128(movieTimeScale) - limit >= Int128(mediaTimeScale) {
        return range(time(after: first), endOfEdit)
      }
    }
    return range(time(after: first), time(after: last))
  }

  /// Whether the segment presents nothing at or after `mediaTime`.
  package func hasEnded(at mediaTime: Int64) -> Bool {
    guard let duration = durationInMovieTicks, mediaTime >= mediaStart else { return false }
    if rate == 0 { return mediaTime > mediaStart }
    return playedTicks(mediaTime) * Int128(movieTimeScale) >= Int128(duration) * Int128(mediaTimeScale)
  }

  private var wholeEdit: Range<Int64>? {
    (durationInMovieTicks ?? 0) == 0 ? nil : range(time(after: 0), endOfEdit)
  }

  private var endOfEdit: Int64 {
    time(Int128(startInMovieTicks.addingClamped(durationInMovieTicks ?? 0)) * Int128(mediaTimeScale))
  }

  /// Returns `start..<end`. If the range is empty, it is extended to one unit. Returns `nil` if the range is empty and
  /// `start` is `Int64.max`.
  private func range(_ start: Int64, _ end: Int64) -> Range<Int64>? {
    start < end ? start..<end : start < Int64.max ? start..<start + 1 : nil
  }

  /// Returns the media ticks since the start of the edit, scaled by its rate.
  private func playedTicks(_ mediaTime: Int64) -> Int128 {
    let ticks = Int128(mediaTime) - Int128(mediaStart)
    return rate > 0 && rate != 0x1_0000 ? (ticks << 16) / Int128(rate) : ticks
  }

  private var scale: Int128 { Int128(movieTimeScale) * Int128(mediaTimeScale) }

  /// The sum cannot overflow. A time of at most 80 bits is multiplied by a time scale of 32 bits, so each product is
  /// below 2¹¹² and the sum is below 2¹¹⁴.
  private func time(after mediaTicks: Int128) -> Int64 {
    time(Int128(startInMovieTicks) * Int128(mediaTimeScale) + mediaTicks * Int128(movieTimeScale))
  }

  private func time(_ value: Int128) -> Int64 {
    if let time = narrowTime(value) { return time }
    let (seconds, rest) = value.quotientAndRemainder(dividingBy: scale)
    // The result is rounded to the nearest unit, with halves up. The value is at least 0, because media before the edit
    // is excluded.
    return Int64(clamping: seconds * unitsPerSecond + (rest * 2 * unitsPerSecond + scale) / (2 * scale))
  }

  /// Returns the result of ``time(_:)`` if 64 bits can express all intermediate results, or else `nil`. A division of
  /// 64 bits is several times faster, and the times of most movies fit.
  private func narrowTime(_ value: Int128) -> Int64? {
    guard let narrow = Int64(exactly: value), scale <= 1 << 36, unitsPerSecond <= 1 << 24 else { return nil }
    let (scale, units) = (Int64(truncatingIfNeeded: scale), Int64(truncatingIfNeeded: unitsPerSecond))
    let (seconds, rest) = narrow.quotientAndRemainder(dividingBy: scale)
    // The remainder is less than the scale, so the second term is less than 2⁶² and its quotient is at most 2²⁴.
    let (product, overflow) = seconds.multipliedReportingOverflow(by: units)
    return overflow ? nil : product.addingClamped((rest * 2 * units + scale) / (2 * scale))
  }
}

extension Track {
  /// Returns the segments of the media that the movie presents, in time order. The result contains a segment for each
  /// non-empty edit, or one segment for all media if there is no edit list.
  ///
  /// Throws if the track or the movie has a time scale of 0.
  ///
  /// - Parameter unitsPerSecond: the number of units per second in the results of the segments. By default, results are
  ///   in milliseconds.
  package func shownSegments(
    movieTimeScale: UInt32, unitsPerSecond: Int32 = 1_000
  ) throws(MovieError) -> [ShownSegment] {
    guard movieTimeScale > 0, mediaHeader.timeScale > 0 else {
      throw MovieError(.malformed, "track \(id) or the movie has a time scale of 0, so its times are undefined")
    }
    guard let list = editList, !list.entries.isEmpty else {
      return [
        ShownSegment(0, nil, mediaStart: 0, rate: 0x1_0000, movieTimeScale, mediaHeader.timeScale, unitsPerSecond)
      ]
    }
    var segments: [ShownSegment] = []
    var start: UInt64 = 0
    for (index, edit) in list.entries.enumerated() {
      if edit.mediaTime >= 0 {
        segments.append(
          ShownSegment(
            start, list.isOpen(at: index) ? nil : edit.knownDuration,
            mediaStart: edit.mediaTime, rate: edit.mediaRate, movieTimeScale, mediaHeader.timeScale, unitsPerSecond))
      }
      start = start.addingClamped(edit.knownDuration)
    }
    return segments
  }
}

extension ShownSegment {
  fileprivate init(
    _ start: UInt64, _ duration: UInt64?, mediaStart: Int64, rate: Int32, _ movieTimeScale: UInt32,
    _ mediaTimeScale: UInt32, _ unitsPerSecond: Int32
  ) {
    startInMovieTicks = start
    durationInMovieTicks = duration
    self.mediaStart = mediaStart
    self.rate = rate
    self.movieTimeScale = movieTimeScale
    self.mediaTimeScale = mediaTimeScale
    self.unitsPerSecond = Int128(unitsPerSecond)
  }
}
