import MovieBox

/// How many pictures a second a track has at most (RFC 8216, 4.3.4.2).
struct FrameRate: Hashable, Sendable {
  let framesPerThousandSeconds: UInt64

  /// That of a track of pictures; `nil` where its times say none.
  ///
  /// The rate of the whole track, but where some second has more by a twentieth: that of the second then. Times are
  /// rounded to ticks, so that two pictures alone say little. Costs a walk over the samples of a track whose times vary all
  /// the time.
  init?(of streamed: StreamedTrack) {
    let (samples, scale) = (streamed.samples, UInt64(streamed.timeline.timeScale))
    let numbers = streamed.timeline.samples
    guard let average = Self.rate(UInt64(numbers.count), scale, streamed.timeline.mediaDuration) else {
      return nil
    }
    let isWhole = numbers == 0..<samples.sampleCount
    let fastest = isWhole ? Self.rateOfFastestRun(samples, scale) : nil
    let most = fastest ?? Self.rateOfBusiestSecond(numbers, of: samples, scale)
    let isVariable = most.map { $0 > average.addingClamped(average / 20) } ?? false
    framesPerThousandSeconds = isVariable ? most ?? average : average
  }

  /// That of the run with the shortest samples, where it lasts a second: no second has more of them then, and none has to
  /// be walked. `nil` where it is shorter.
  private static func rateOfFastestRun(_ samples: FragmentedTrack, _ scale: UInt64) -> UInt64? {
    guard !samples.hasFragmentSamples else { return nil }
    var left = UInt64(samples.tableSampleCount)
    var fastest = (duration: UInt64.max, lastsSecond: false)
    for run in samples.table.timeToSample where left > 0 {
      let (count, duration) = (min(UInt64(run.sampleCount), left), UInt64(run.duration))
      left -= count
      guard count > 0, duration <= fastest.duration else { continue }
      let lastsSecond = count * duration >= scale  // Of 32 bits each.
      fastest = (duration, lastsSecond || duration == fastest.duration && fastest.lastsSecond)
    }
    return left == 0 && fastest.lastsSecond ? rate(1, scale, fastest.duration) : nil
  }

  private static func rate(_ count: UInt64, _ scale: UInt64, _ duration: UInt64) -> UInt64? {
    let product = count.multipliedFullWidth(by: scale * 1_000)  // A scale has 32 bits.
    guard duration > product.high else { return nil }
    let (quotient, rest) = duration.dividingFullWidth((product.high, product.low))
    let rate = quotient.addingClamped(rest >= duration - rest ? 1 : 0)
    return rate > 0 ? rate : nil
  }

  /// `nil` for less than a second.
  private static func rateOfBusiestSecond(
    _ numbers: Range<Int>, of samples: FragmentedTrack, _ scale: UInt64
  ) -> UInt64? {
    var first = samples.samples.lazy.filter { numbers.contains($0.index) }.makeIterator()
    var (count, duration, most): (UInt64, UInt64, UInt64?) = (0, 0, nil)
    for sample in samples.samples where numbers.contains(sample.index) {
      count &+= 1
      duration &+= UInt64(sample.duration)  // Of samples that last a second, and one more.
      while duration >= scale, let start = first.next() {
        most = max(most ?? 0, rate(count, scale, duration) ?? 0)
        count &-= 1
        duration &-= UInt64(start.duration)
      }
    }
    return most
  }
}
