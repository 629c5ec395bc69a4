/// A time of a timing line, as it is written.
///
/// A fraction alone can mean two things: `,91` is 910 ms, or 91 ms of a program that leaves out leading zeros. Only the
/// file as a whole tells, so that the digits are kept until all timing lines are known.
struct SubRipTime: Hashable {
  /// The whole seconds.
  var seconds: Int64 = 0
  /// Whether a minus sign stands before the time.
  var isNegative = false
  /// Whether the time has hours.
  var hasHours = false
  /// The number that the first three digits of the fraction make, or the first digits if there are fewer.
  var fraction: Int64 = 0
  /// The number of digits in the fraction.
  var fractionDigitCount = 0
  /// Whether a digit beyond milliseconds is not 0.
  var hasFinerDigits = false

  /// Whether the fraction is `1000`, to which two programs round .9995.
  var hasThousandMilliseconds: Bool { fractionDigitCount == 4 && fraction == 100 && !hasFinerDigits }

  /// Whether the fraction has one or two digits.
  var hasShortFraction: Bool { fractionDigitCount == 1 || fractionDigitCount == 2 }

  /// The time in milliseconds; digits beyond are dropped: `,5` is 500, `,0019` is 1.
  func milliseconds(_ fractions: FractionReading = FractionReading()) -> Int64 {
    var value = fraction
    if hasThousandMilliseconds, fractions.thousandIsNextSecond {
      value = 1_000
    } else if !fractions.shortIsMilliseconds {
      for _ in min(fractionDigitCount, 3)..<3 { value *= 10 }
    }
    // Nine digits at most in each part: far below what 64 bits hold.
    let milliseconds = seconds * 1_000 + value
    return isNegative ? -milliseconds : milliseconds
  }
}

/// The meaning of fractions in a file.
struct FractionReading: Hashable {
  /// Whether fractions of one and two digits are milliseconds without leading zeros.
  var shortIsMilliseconds = false
  /// Whether `,1000` is the next second. In a file that writes four digits everywhere it is a tenth.
  var thousandIsNextSecond = true
  /// The line of the first cue that shows that short fractions are milliseconds.
  var evidenceLine = 0
}

/// Finds out from all timing lines of a file what its fractions mean.
struct FractionSurvey {
  private var hasThreeDigits = false
  private var hasFourDigits = false
  /// The number of cues that end before they start only if short fractions are fractions.
  private var millisecondCount = 0
  /// The number of cues that end before they start only if short fractions are milliseconds.
  private var fractionCount = 0
  private var evidenceLine = 0

  /// Adds the times of a cue.
  mutating func add(_ start: SubRipTime, _ end: SubRipTime, line: Int) {
    var hasShort = false
    for time in [start, end] {
      hasThreeDigits = hasThreeDigits || time.fractionDigitCount == 3
      hasFourDigits = hasFourDigits || time.fractionDigitCount == 4 && !time.hasThousandMilliseconds
      hasShort = hasShort || time.hasShortFraction
    }
    guard hasShort else { return }
    let asFractions = FractionReading()
    let asMilliseconds = FractionReading(shortIsMilliseconds: true)
    let isBackward = end.milliseconds(asFractions) < start.milliseconds(asFractions)
    let staysBackward = end.milliseconds(asMilliseconds) < start.milliseconds(asMilliseconds)
    if isBackward, !staysBackward {
      if millisecondCount == 0 { evidenceLine = line }
      millisecondCount += 1
    } else if !isBackward, staysBackward {
      fractionCount += 1
    }
  }

  /// The meaning that the lines show. Overlaps show nothing, because two people may speak at once.
  var reading: FractionReading {
    let isMilliseconds = hasThreeDigits && millisecondCount > fractionCount
    return FractionReading(
      shortIsMilliseconds: isMilliseconds, thousandIsNextSecond: !hasFourDigits,
      evidenceLine: isMilliseconds ? evidenceLine : 0)
  }
}
