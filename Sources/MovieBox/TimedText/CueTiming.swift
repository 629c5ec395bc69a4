package import Subtitles

/// The mapping of times in a subtitle file to the movie: (time − base) × scale + offset.
///
/// The movie's time 0 is the start of its presentation, after edit lists, priming and reordered frames.
///
///     let timing = CueTiming(baseMilliseconds: 3_600_000)  // the file starts at 01:00:00:00
public struct CueTiming: Hashable, Sendable {
  /// A factor that converts durations in the file to durations in the movie.
  public struct Scale: Hashable, Sendable {
    /// The numerator, above 0.
    public let numerator: UInt64
    /// The denominator, above 0.
    public let denominator: UInt64

    /// Creates a factor, or returns `nil` if a number is 0.
    public init?(_ numerator: UInt64, over denominator: UInt64) {
      guard numerator > 0, denominator > 0 else { return nil }
      self.numerator = numerator
      self.denominator = denominator
    }

    /// Creates the factor for subtitles that were made for `oldRate` frames per second, such as 23.976, if the film
    /// is played at `newRate`, such as 25. Returns `nil` unless both rates are between 1 and 1000.
    ///
    /// Rates near 24000/1001, 30000/1001 and their doubles are replaced by these exact rates.
    public init?(fromFrameRate oldRate: Double, toFrameRate newRate: Double) {
      guard let old = Self.ratio(ofFrameRate: oldRate), let new = Self.ratio(ofFrameRate: newRate) else { return nil }
      self.init(old.numerator * new.denominator, over: old.denominator * new.numerator)
    }

    private static func ratio(ofFrameRate rate: Double) -> (numerator: UInt64, denominator: UInt64)? {
      guard (1...1_000).contains(rate) else { return nil }
      for whole in [24, 30, 48, 60, 120] as [UInt64] where abs(rate - Double(whole) * 1_000 / 1_001) < 0.005 {
        return (whole * 1_000, 1_001)
      }
      let thousandths = UInt64((rate * 1_000).rounded())
      return thousandths % 1_000 == 0 ? (thousandths / 1_000, 1) : (thousandths, 1_000)
    }

    private init() {
      numerator = 1
      denominator = 1
    }

    /// The factor 1.
    public static let one = Scale()
  }

  /// The time in the file at which the movie begins, in milliseconds.
  public var baseMilliseconds: Int64
  /// The factor by which the difference between a time and the base is multiplied.
  public var scale: Scale
  /// The offset added after scaling, in milliseconds of the movie. A negative offset makes cues earlier.
  public var offsetMilliseconds: Int64

  /// Creates a mapping. The default leaves times unchanged.
  public init(baseMilliseconds: Int64 = 0, scale: Scale = .one, offsetMilliseconds: Int64 = 0) {
    self.baseMilliseconds = baseMilliseconds
    self.scale = scale
    self.offsetMilliseconds = offsetMilliseconds
  }

  /// Maps a time in the file to the movie, in milliseconds. The result is rounded to the nearest millisecond and
  /// clamped to 64 bits.
  public func movieMilliseconds(_ milliseconds: Int64) -> Int64 {
    let distance = milliseconds.addingClamped(baseMilliseconds == .min ? .max : -baseMilliseconds)
    guard scale != .one else { return distance.addingClamped(offsetMilliseconds) }
    let scaledDistance = distance.magnitude.scaledToNearest(by: scale.numerator, over: scale.denominator) ?? UInt64.max
    let magnitude = Int64(clamping: scaledDistance)
    return (distance < 0 ? -magnitude : magnitude).addingClamped(offsetMilliseconds)
  }

  /// The common conversions of frame rates, as pairs of an old and a new rate.
  private static let frameRateChanges = [
    ("23.976", "24", 23.976, 24), ("29.97", "30", 29.97, 30), ("23.976", "25", 23.976, 25), ("24", "25", 24, 25),
    ("24", "23.976", 24, 23.976), ("30", "29.97", 30, 29.97), ("25", "24", 25, 24), ("25", "23.976", 25, 23.976),
  ]

  /// Returns the conversion of frame rates that moves all cues to times before `end`, or `nil` if there is none. `end`
  /// is a time in the movie, in milliseconds.
  package func frameRateChange(bringing cues: [Cue], before end: Int64) -> (old: String, new: String)? {
    guard scale == .one else { return nil }
    for (old, new, oldRate, newRate) in Self.frameRateChanges {
      guard let scale = Scale(fromFrameRate: oldRate, toFrameRate: newRate) else { continue }
      var timing = self
      timing.scale = scale
      if cues.allSatisfy({ timing.movieMilliseconds($0.endMilliseconds) <= end }) { return (old, new) }
    }
    return nil
  }
}

extension CueTiming.Scale {
  /// Parses a factor such as `1.001`, or a ratio such as `25/23.976`. Returns `nil` if the text has another format, or
  /// if the factor is below 0.01 or above 100.
  public init?(_ text: String) {
    guard let ratio = DecimalRatio(fraction: text), (ratio.numerator - 1) / 100 < ratio.denominator,
      (ratio.denominator - 1) / 100 < ratio.numerator
    else { return nil }
    self.init(ratio.numerator, over: ratio.denominator)
  }
}
