/// A part of a track's media and when the movie shows it: one edit of its edit list, in exact numbers.
///
/// Times come out in milliseconds of the movie's presentation clock, each rounded for itself to the nearest, so that
/// nothing adds up.
package struct ShownSegment: Sendable {
  /// The start in the movie, in movie ticks.
  private let start: UInt64
  /// The duration of the segment, in movie ticks; `nil` for all the media that is left.
  private let duration: UInt64?
  /// The first moment of the media that is shown, in media ticks.
  package let mediaStart: Int64
  /// The `media_rate`, 16.16: at 2.0 media plays twice as fast; 0 shows one moment for the whole edit.
  private let rate: Int32
  private let movieTimeScale: UInt32
  private let mediaTimeScale: UInt32

  /// Returns the shown part of the media from `start` to `end`, in milliseconds; `nil` if none is shown.
  ///
  /// An edit that ends less than one movie tick before the media does was rounded down by its writer: it cuts nothing.
  package func shown(from start: Int64, to end: Int64) -> Range<Int64>? {
    guard rate != 0 else { return start <= mediaStart && mediaStart < end ? wholeEdit : nil }
    let first = played(Swift.max(start, mediaStart))
    let last = played(end)
    guard first < last else { return nil }
    if let duration {
      // Both sides count in media ticks times movie ticks a second.
      let limit = Int128(duration) * Int128(mediaTimeScale)
      guard first * Int128(movieTimeScale) < limit else { return nil }
      if last * Int128(movieTimeScale) - limit >= Int128(mediaTimeScale) {
        return range(milliseconds(after: first), endOfEdit)
      }
    }
    return range(milliseconds(after: first), milliseconds(after: last))
  }

  /// Whether nothing of the media from this time on is shown.
  package func isOver(at mediaTime: Int64) -> Bool {
    guard let duration, mediaTime >= mediaStart else { return false }
    if rate == 0 { return mediaTime > mediaStart }
    return played(mediaTime) * Int128(movieTimeScale) >= Int128(duration) * Int128(mediaTimeScale)
  }

  private var wholeEdit: Range<Int64>? {
    (duration ?? 0) == 0 ? nil : range(milliseconds(after: 0), endOfEdit)
  }

  private var endOfEdit: Int64 {
    Self.milliseconds(
      Int128(start.addingClamped(duration ?? 0)) * Int128(mediaTimeScale), scale: scale)
  }

  /// Returns the range in milliseconds, at least one.
  private func range(_ start: Int64, _ end: Int64) -> Range<Int64>? {
    start < end ? start..<end : start < Int64.max ? start..<start + 1 : nil
  }

  /// Media ticks from the start of the edit on, at the speed that it runs.
  private func played(_ mediaTime: Int64) -> Int128 {
    let ticks = Int128(mediaTime) - Int128(mediaStart)
    return rate > 0 && rate != 0x1_0000 ? (ticks << 16) / Int128(rate) : ticks
  }

  private var scale: Int128 { Int128(movieTimeScale) * Int128(mediaTimeScale) }

  /// The sum of a time in movie ticks and one in media ticks stays below 2¹¹⁴ when it is brought to the product of both
  /// scales: times have 64 bits, played ones up to 80, scales 32.
  private func milliseconds(after mediaTicks: Int128) -> Int64 {
    Self.milliseconds(
      Int128(start) * Int128(mediaTimeScale) + mediaTicks * Int128(movieTimeScale), scale: scale)
  }

  private static func milliseconds(_ value: Int128, scale: Int128) -> Int64 {
    let (seconds, rest) = value.quotientAndRemainder(dividingBy: scale)
    // To the nearest, halves up. Media before the edit is never asked for, so nothing is negative.
    return Int64(clamping: seconds * 1_000 + (rest * 2_000 + scale) / (2 * scale))
  }
}

extension Track {
  /// Returns the segments of the media that the movie shows, in the order of time: the edits with media, or all media
  /// without an edit list.
  ///
  /// Throws where the track or the movie has a time scale of 0.
  package func shownSegments(movieTimeScale: UInt32) throws(MovieError) -> [ShownSegment] {
    guard movieTimeScale > 0, mediaHeader.timeScale > 0 else {
      throw MovieError(.malformed, "track \(id) has a time scale of 0, its times mean nothing")
    }
    guard let list = editList, !list.entries.isEmpty else {
      return [ShownSegment(0, nil, mediaStart: 0, rate: 0x1_0000, movieTimeScale, mediaHeader.timeScale)]
    }
    var segments: [ShownSegment] = []
    var start: UInt64 = 0
    for (index, edit) in list.entries.enumerated() {
      if edit.mediaTime >= 0 {
        segments.append(
          ShownSegment(
            start, list.isOpen(at: index) ? nil : edit.knownDuration,
            mediaStart: edit.mediaTime, rate: edit.mediaRate, movieTimeScale, mediaHeader.timeScale))
      }
      start = start.addingClamped(edit.knownDuration)
    }
    return segments
  }
}

extension ShownSegment {
  fileprivate init(
    _ start: UInt64, _ duration: UInt64?, mediaStart: Int64, rate: Int32, _ movieTimeScale: UInt32,
    _ mediaTimeScale: UInt32
  ) {
    self.start = start
    self.duration = duration
    self.mediaStart = mediaStart
    self.rate = rate
    self.movieTimeScale = movieTimeScale
    self.mediaTimeScale = mediaTimeScale
  }
}
