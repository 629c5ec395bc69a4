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
    guard let average = Self.rate(UInt64(samples.sampleCount), scale, streamed.timeline.mediaDuration) else {
      return nil
    }
    let most =
      Self.hasLongRuns(samples) ? Self.rateOfFastestRun(samples, scale) : Self.rateOfBusiestSecond(samples, scale)
    let isVariable = most.map { $0 > average.addingClamped(average / 20) } ?? false
    framesPerThousandSeconds = isVariable ? most ?? average : average
  }

  /// Samples of so many last a second at least, on the average.
  private static let sampleCountOfLongRun = 64

  /// Whether samples of equal lengths follow one another so long that they need not be walked one by one.
  private static func hasLongRuns(_ samples: FragmentedTrack) -> Bool {
    !samples.hasFragmentSamples
      && samples.table.timeToSample.count <= max(1, samples.sampleCount / sampleCountOfLongRun)
  }

  /// Of the runs that last a second; `nil` for none.
  private static func rateOfFastestRun(_ samples: FragmentedTrack, _ scale: UInt64) -> UInt64? {
    let long = samples.table.timeToSample.lazy.filter {
      $0.duration > 0 && UInt64($0.sampleCount) * UInt64($0.duration) >= scale  // Of 32 bits each.
    }
    return long.map(\.duration).min().flatMap { rate(1, scale, UInt64($0)) }
  }

  private static func rate(_ count: UInt64, _ scale: UInt64, _ duration: UInt64) -> UInt64? {
    let product = count.multipliedFullWidth(by: scale * 1_000)  // A scale has 32 bits.
    guard duration > product.high else { return nil }
    let (quotient, rest) = duration.dividingFullWidth((product.high, product.low))
    let rate = quotient.addingClamped(rest >= duration - rest ? 1 : 0)
    return rate > 0 ? rate : nil
  }

  /// `nil` for less than a second.
  private static func rateOfBusiestSecond(_ samples: FragmentedTrack, _ scale: UInt64) -> UInt64? {
    var first = samples.samples.makeIterator()
    var (count, duration, most): (UInt64, UInt64, UInt64?) = (0, 0, nil)
    for sample in samples.samples {
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
