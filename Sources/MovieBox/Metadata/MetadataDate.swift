import Subtitles

/// A date as stored in metadata (ISO 8601): a year, a month, a day, or a time with or without a zone.
///
/// Metadata contains dates of any precision. A missing component is `nil`. It does not default to January, midnight or
/// UTC.
///
///     if let date = item.dateValue { print(date.year, date.secondsSince1970 ?? "no time, or no zone") }
public struct MetadataDate: Hashable, Sendable {
  /// The year in the proleptic Gregorian calendar.
  public let year: Int
  /// The month, from 1, or `nil` if only the year is known.
  public let month: Int?
  /// The day of the month, from 1, or `nil` if unknown.
  public let day: Int?
  /// The seconds since the start of the day, or `nil` if the time is unknown. The value is at least 86 400 in a leap
  /// second.
  public let secondsOfDay: Double?
  /// The offset of the zone from UTC in seconds, or `nil` if the zone is unknown.
  public let secondsFromUTC: Int?

  /// Parses ISO 8601 in its extended or basic format, such as `2026-01-09T18:32:07+0900`, `2026-01-09`, `2026` or
  /// `20260109T093207Z`. A blank may replace the `T`. Returns `nil` if the text has another format or the day does not
  /// exist.
  public init?(_ text: String) {
    let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
    var fields = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    if fields.count == 1, parts[0].utf8.count == 8 {
      fields = [parts[0].prefix(4), parts[0].dropFirst(4).prefix(2), parts[0].suffix(2)]
    }
    let numbers = zip(fields, [4, 2, 2]).compactMap { Self.number($0, digitCount: $1) }
    guard 1...3 ~= fields.count, numbers.count == fields.count else { return nil }
    var date: (year: Int, month: Int?, day: Int?) = (
      numbers[0], numbers.count > 1 ? numbers[1] : nil, numbers.count > 2 ? numbers[2] : nil
    )
    guard 1...12 ~= date.month ?? 1,
      1...Self.dayCount(ofMonth: date.month ?? 1, year: date.year) ~= date.day ?? 1
    else { return nil }
    guard parts.count == 2 else {
      (year, month, day) = date
      (secondsOfDay, secondsFromUTC) = (nil, nil)
      return
    }
    let zone = parts[1].firstIndex { "Z+-".contains($0) } ?? parts[1].endIndex
    guard let (month, day) = date.month.flatMap({ month in date.day.map { (month, $0) } }),
      var seconds = Self.seconds(of: parts[1][..<zone])
    else { return nil }
    if parts[1].hasPrefix("24") {  // Hour 24 is the end of a day, which is the start of the next day.
      let next = CalendarDay(
        daysSince1970: 1 + Int64(CalendarDay.daysSince1970(year: date.year, month: month, day: day)))
      guard next.year <= 9999, seconds == 86_400 else { return nil }
      (date, seconds) = ((next.year, next.month, next.day), 0)
    }
    (self.year, self.month, self.day) = date
    secondsOfDay = seconds
    guard zone != parts[1].endIndex else {
      secondsFromUTC = nil
      return
    }
    guard let offset = Self.offset(parts[1][zone...]) else { return nil }
    secondsFromUTC = offset
  }

  /// Creates a time in UTC from seconds since the start of 1970.
  package init(secondsSince1970 seconds: Int64) {
    let days = seconds >= 0 ? seconds / 86_400 : -((86_399 - seconds) / 86_400)
    let date = CalendarDay(daysSince1970: days)
    (year, month, day) = (date.year, date.month, date.day)
    secondsOfDay = Double(seconds - days * 86_400)
    secondsFromUTC = 0
  }

  /// The seconds since the start of 1970 in UTC, or `nil` if the time or the zone is unknown.
  public var secondsSince1970: Double? {
    guard let month, let day, let secondsOfDay, let secondsFromUTC else { return nil }
    return Double(CalendarDay.daysSince1970(year: year, month: month, day: day)) * 86_400 + secondsOfDay
      - Double(secondsFromUTC)
  }

  /// Whether both dates can represent the same moment. A time agrees with an equal time in another zone, and with a
  /// day that contains the time.
  package func agrees(with other: MetadataDate) -> Bool {
    if let seconds = secondsSince1970, let otherSeconds = other.secondsSince1970 {
      return abs(seconds - otherSeconds) < 1
    }
    func isSame<Field: Equatable>(_ left: Field?, _ right: Field?) -> Bool {
      left == nil || right == nil || left == right
    }
    return year == other.year && isSame(month, other.month) && isSame(day, other.day)
      && isSame(secondsOfDay?.rounded(.down), other.secondsOfDay?.rounded(.down))
  }

  /// The period that the date covers, in seconds since 1970. A date without a zone is interpreted as UTC.
  var coveredSeconds: ClosedRange<Double> {
    let first = CalendarDay.daysSince1970(year: year, month: month ?? 1, day: day ?? 1)
    let start = Double(first) * 86_400 - Double(secondsFromUTC ?? 0)
    if let secondsOfDay { return start + secondsOfDay...start + secondsOfDay }
    let last = CalendarDay.daysSince1970(
      year: year, month: month ?? 12, day: day ?? Self.dayCount(ofMonth: month ?? 12, year: year))
    return start...Double(last + 1) * 86_400
  }

  // MARK: - Reading

  /// Parses a number with a fixed count of digits.
  private static func number(_ word: some StringProtocol, digitCount: Int) -> Int? {
    word.utf8.count == digitCount ? Int(digits: word) : nil
  }

  private static func dayCount(ofMonth month: Int, year: Int) -> Int {
    let isLeap = year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Parses `18`, `18:32`, `18:32:07`, `18:32:07.25` or `183207`.
  private static func seconds(of time: Substring) -> Double? {
    let wholeDigits = time.prefix { $0 != "." && $0 != "," }
    let fraction = time[wholeDigits.endIndex...].dropFirst()
    guard
      wholeDigits.endIndex == time.endIndex || !fraction.isEmpty && fraction.utf8.allSatisfy(Ascii.isDigit),
      let numbers = clock(wholeDigits, hasNoFraction: wholeDigits.endIndex == time.endIndex),
      numbers[0] < 24 || numbers == [24, 0, 0]
    else { return nil }
    return Double(numbers[0] * 3600 + numbers[1] * 60 + numbers[2]) + (Double("0." + fraction) ?? 0)
  }

  /// Parses `Z`, `+01`, `+0100` or `-03:30`.
  private static func offset(_ zone: Substring) -> Int? {
    if zone == "Z" { return 0 }
    guard let numbers = clock(zone.dropFirst(), hasNoFraction: true), numbers[0] < 24, numbers[2] == 0 else {
      return nil
    }
    return (numbers[0] * 3600 + numbers[1] * 60) * (zone.first == "-" ? -1 : 1)
  }

  /// Parses hours, minutes and seconds, with or without colons. A fraction requires seconds.
  private static func clock(_ word: Substring, hasNoFraction: Bool) -> [Int]? {
    var fields = word.split(separator: ":", omittingEmptySubsequences: false)
    if fields.count == 1, word.utf8.count == word.count {
      fields = stride(from: 0, to: word.count, by: 2).map { word.dropFirst($0).prefix(2) }
    }
    let numbers = fields.compactMap { number($0, digitCount: 2) }
    guard numbers.count == fields.count, hasNoFraction ? 1...3 ~= numbers.count : numbers.count == 3,
      numbers[0] <= 24, numbers.dropFirst().allSatisfy({ $0 < 60 }) || numbers.dropFirst() == [59, 60]
    else { return nil }
    return numbers + [Int](repeating: 0, count: 3 - numbers.count)
  }
}
