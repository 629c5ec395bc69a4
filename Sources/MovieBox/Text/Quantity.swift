import Subtitles

/// Numbers as a person reads them.
package enum Quantity {
  /// `0x15c7`.
  static func hexadecimal(_ value: UInt32) -> String { "0x" + String(value, radix: 16) }

  /// A number of bytes in the largest unit of 1000 that leaves a whole part: `999 bytes`, `1.5 MB`, `23 GB`.
  /// Rounded down.
  package static func bytes(_ count: UInt64) -> String {
    guard count >= 1000 else { return count == 1 ? "1 byte" : "\(count) bytes" }
    var unit: UInt64 = 1000
    var name = "kB"
    for larger in ["MB", "GB", "TB", "PB", "EB"] {
      guard count / unit >= 1000 else { break }
      unit *= 1000  // At most 10^18.
      name = larger
    }
    let whole = count / unit
    return whole >= 10 ? "\(whole) \(name)" : "\(whole).\(count % unit / (unit / 10)) \(name)"
  }

  /// A span of time in at most two units: `9 s`, `2 min 5 s`, `3 h 10 min`. Rounded down.
  package static func seconds(_ seconds: UInt64) -> String {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    if hours > 0 { return "\(hours) h \(minutes) min" }
    return minutes > 0 ? "\(minutes) min \(seconds % 60) s" : "\(seconds) s"
  }

  /// A moment or length of a movie: `9.500 s`, `2:05.250`, `1:02:05.250`. Rounded down to milliseconds; `nil` without
  /// a time scale, and past what 64 bits hold.
  package static func duration(_ ticks: UInt64, timeScale: UInt32) -> String? {
    guard let milliseconds = ticks.scaled(by: 1000, over: UInt64(timeScale)) else { return nil }
    let seconds = milliseconds / 1000
    let fraction = (milliseconds % 1000).padded(to: 3)
    if seconds < 60 { return "\(seconds).\(fraction) s" }
    let tail = (seconds % 60).padded(to: 2) + "." + fraction
    if seconds < 3600 { return "\(seconds / 60):\(tail)" }
    return "\(seconds / 3600):\((seconds / 60 % 60).padded(to: 2)):\(tail)"
  }

  /// The same, or the ticks where a time scale of 0 says nothing of them.
  package static func time(_ ticks: UInt64, timeScale: UInt32) -> String {
    duration(ticks, timeScale: timeScale) ?? "\(ticks) ticks"
  }

  /// A number of bytes in a large unit and to the byte: `1.5 MB (1503238 bytes)`.
  package static func exactBytes(_ count: UInt64) -> String {
    count < 1000 ? bytes(count) : "\(bytes(count)) (\(count) bytes)"
  }

  /// A date of a movie's headers: `2019-05-17 08:00:00 UTC`; "not set" for 0.
  package static func date(secondsSince1904 seconds: UInt64) -> String {
    guard seconds > 0 else { return "not set" }
    let days = seconds / 86_400
    guard days < 3_000_000 else { return "\(seconds) s after the start of 1904" }  // Past the year 10000.
    let day = CalendarDay(daysSince1970: Int64(days) - 24_107)
    let date = "\(day.year)-\(day.month.padded(to: 2))-\(day.day.padded(to: 2))"
    let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { $0.padded(to: 2) }
    return date + " " + clock.joined(separator: ":") + " UTC"
  }
}
