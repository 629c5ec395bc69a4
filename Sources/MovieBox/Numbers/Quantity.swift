// Numbers and dates as text: sizes, durations, dates and decimal ratios.

import Subtitles

/// Formats numbers as text for the user.
package enum Quantity {
  /// Returns a number in hexadecimal, such as `0x15c7`.
  static func hexadecimal(_ value: UInt32) -> String { "0x" + String(value, radix: 16) }

  /// Returns a size, rounded down, such as `999 bytes`, `1.5 MB` or `23 GB`. The unit is the largest decimal unit that
  /// is not larger than the size.
  package static func bytes(_ count: UInt64) -> String {
    guard count >= 1000 else { return count == 1 ? "1 byte" : "\(count) bytes" }
    var unit: UInt64 = 1000
    var name = "kB"
    for larger in ["MB", "GB", "TB", "PB", "EB"] {
      guard count / unit >= 1000 else { break }
      unit *= 1000  // The unit is at most 10^18.
      name = larger
    }
    let wholePart = count / unit
    return wholePart >= 10 ? "\(wholePart) \(name)" : "\(wholePart).\(count % unit / (unit / 10)) \(name)"
  }

  /// Returns a time span in at most two units, rounded down, such as `9 s`, `2 min 5 s` or `3 h 10 min`.
  package static func seconds(_ seconds: UInt64) -> String {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    if hours > 0 { return "\(hours) h \(minutes) min" }
    return minutes > 0 ? "\(minutes) min \(seconds % 60) s" : "\(seconds) s"
  }

  /// Returns a time or duration, rounded down to milliseconds, such as `9.500 s`, `2:05.250` or `1:02:05.250`.
  /// Returns `nil` if the time scale is 0 or the value overflows.
  package static func duration(_ ticks: UInt64, timeScale: UInt32) -> String? {
    guard let milliseconds = ticks.scaled(by: 1000, over: UInt64(timeScale)) else { return nil }
    let seconds = milliseconds / 1000
    let fraction = (milliseconds % 1000).padded(to: 3)
    if seconds < 60 { return "\(seconds).\(fraction) s" }
    let tail = (seconds % 60).padded(to: 2) + "." + fraction
    if seconds < 3600 { return "\(seconds / 60):\(tail)" }
    return "\(seconds / 3600):\((seconds / 60 % 60).padded(to: 2)):\(tail)"
  }

  /// Returns the duration, or the number of ticks if the time scale is 0.
  package static func time(_ ticks: UInt64, timeScale: UInt32) -> String {
    duration(ticks, timeScale: timeScale) ?? "\(ticks) ticks"
  }

  /// Returns a size in a decimal unit and in bytes, such as `1.5 MB (1503238 bytes)`.
  package static func exactBytes(_ count: UInt64) -> String {
    count < 1000 ? bytes(count) : "\(bytes(count)) (\(count) bytes)"
  }

  /// Returns a date from a movie's headers, such as `2019-05-17 08:00:00 UTC`, or "not set" for 0.
  package static func date(secondsSince1904 seconds: UInt64) -> String {
    guard seconds > 0 else { return "not set" }
    let days = seconds / 86_400
    guard days < 3_000_000 else { return "\(seconds) s after the start of 1904" }  // The date is past the year 10000.
    let day = CalendarDay(daysSince1970: Int64(days) - 24_107)
    let date = "\(day.year)-\(day.month.padded(to: 2))-\(day.day.padded(to: 2))"
    let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { $0.padded(to: 2) }
    return date + " " + clock.joined(separator: ":") + " UTC"
  }
}

/// A positive decimal number or ratio, such as a frame rate or a factor. Examples are `25`, `23.976` and `1.001`.
public struct DecimalRatio: Hashable, Sendable {
  /// The numerator.
  public let numerator: UInt64
  /// The denominator. It is never 0.
  public let denominator: UInt64

  /// Parses a number with at most six digits on each side of the point. Returns `nil` for other texts. A rounded NTSC
  /// rate such as 23.976 is parsed as the exact rate 24000/1001.
  public init?(_ text: String) {
    let halves = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let digits = halves.joined()
    guard (1...6).contains(halves[0].utf8.count), halves.count == 1 || (1...6).contains(halves[1].utf8.count),
      let number = UInt64(digits: digits), number > 0
    else { return nil }
    if let exact = Self.ntsc[text] {
      (numerator, denominator) = (exact * 1_000, 1_001)
      return
    }
    numerator = number
    denominator = (0..<(halves.count == 2 ? halves[1].utf8.count : 0)).reduce(1) { power, _ in power * 10 }
  }

  /// Parses a number, or a fraction of two numbers such as `30000/1001`. Returns `nil` for other texts. Each number has
  /// the format that ``init(_:)`` parses.
  package init?(fraction text: String) {
    let halves = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map { Self(String($0)) }
    guard let first = halves[0], let second = halves.count == 2 ? halves[1] : Self("1") else { return nil }
    // The numerators are below 10^12 and the denominators are at most 10^6, so the products are below 10^18.
    (numerator, denominator) = (first.numerator * second.denominator, first.denominator * second.numerator)
  }

  /// The number of frames that a time code of this frame rate counts in each second. It is the rate, rounded up.
  package var framesPerSecond: UInt64 { (numerator + denominator - 1) / denominator }

  private static let ntsc: [String: UInt64] = [
    "23.976": 24, "23.98": 24, "29.97": 30, "47.952": 48, "47.95": 48, "59.94": 60, "119.88": 120,
  ]
}

/// A day in the Gregorian calendar.
package struct CalendarDay: Hashable, Sendable {
  package let year: Int
  /// The month, from 1.
  package let month: Int
  /// The day of the month, from 1.
  package let day: Int

  /// Creates the day that is `days` days after 1 January 1970 (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
  package init(daysSince1970 days: Int64) {
    // Count years from March. A leap day is then the last day of a year.
    let shiftedDays = Int(days) + 719_468
    let era = (shiftedDays >= 0 ? shiftedDays : shiftedDays - 146_096) / 146_097
    let dayOfEra = shiftedDays - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
  }

  /// Returns the number of days since 1 January 1970. This function is the inverse of ``init(daysSince1970:)``.
  ///
  /// The month must be from 1 to 12, and the year must not be negative.
  package static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear / 400  // The division rounds down, because years are not negative.
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
