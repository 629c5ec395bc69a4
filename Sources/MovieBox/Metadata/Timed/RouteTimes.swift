// Times of the points of a route: the delay of GoPro telemetry, and the clocks of GPS receivers.

/// The delay of GoPro telemetry, computed as in GoPro's own parser (gpmf-parser, `GetGPMFSampleRate`).
///
/// The total number of rows grows linearly with the number of payloads. A line is fitted to the totals of all payloads.
/// The delay is the time at which this line is zero.
struct TelemetryLatency {
  private var payloadCount = 0.0
  private var totalMicroseconds = 0.0
  private var (sum, count): (Double, Double) = (0, 0)
  private var (sumOfX, sumOfSquares, sumOfProducts): (Double, Double, Double) = (0, 0, 0)

  /// Adds a payload. `total` is the total number of rows after the payload, or `nil` if the payload does not contain
  /// the number.
  mutating func add(_ total: Double?, lasting range: Range<Int64>) {
    payloadCount += 1
    totalMicroseconds += Double(range.upperBound.subtractingClamped(range.lowerBound))
    guard let total, total.isFinite else { return }
    count += 1
    sum += total
    sumOfX += payloadCount
    sumOfSquares += payloadCount * payloadCount
    sumOfProducts += payloadCount * total
  }

  /// The delay in microseconds, or 0 if the delay is unknown or is at least as long as a payload.
  var microseconds: Int64 {
    let denominator = count * sumOfSquares - sumOfX * sumOfX
    guard count >= 2, denominator > 0 else { return 0 }
    let slope = (count * sumOfProducts - sumOfX * sum) / denominator
    guard slope > 0 else { return 0 }
    let payloads = -(sum - slope * sumOfX) / (count * slope)
    guard abs(payloads) < 1 else { return 0 }
    return Int64(exactly: (payloads * totalMicroseconds / payloadCount).rounded()) ?? 0
  }
}

/// Times of GPS receivers in camera motion metadata.
enum GPSTime {
  /// Returns the seconds since 1970. The specification counts from 1980 and without leap seconds, but some writers
  /// count from 1970. Returns the interpretation that is nearer to the creation date of the movie.
  static func secondsSince1970(_ seconds: Double, creation: Int64?) -> Double? {
    guard seconds.isFinite, seconds > 0, seconds < 1e11 else { return nil }
    let since1980 = seconds + 315_964_800
    let utc = since1980 - leapSeconds(at: since1980)
    guard let creation else { return utc }
    return abs(seconds - Double(creation)) < abs(utc - Double(creation)) ? seconds : utc
  }

  /// Returns the leap seconds between GPS time and UTC.
  private static func leapSeconds(at seconds: Double) -> Double {
    // Leap seconds were inserted at the ends of 2016, June 2015, June 2012, 2008, 2005 and 1998.
    let steps: [(Double, Double)] = [
      (1_483_228_800, 18), (1_435_708_800, 17), (1_341_100_800, 16), (1_230_768_000, 15), (1_136_073_600, 14),
      (915_148_800, 13),
    ]
    return steps.first { seconds >= $0.0 }?.1 ?? 0
  }
}
