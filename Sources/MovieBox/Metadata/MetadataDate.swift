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

  /// The times that ISO 8601 expresses with years of four digits, in seconds since 1970: the years 1 to 9999.
  package static let secondsSince1970Limits: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// Parses ISO 8601 in its extended or basic format, such as `2026-01-09T18:32:07+0900`, `2026-01-09`, `2026` or
  /// `20260109T093207Z`. A blank may replace the `T`. Returns `nil` if the text has another format or the day does not
  /// exist.
  public init?(_ text: String) {
    self.init(utf8: Array(text.utf8)[...])
  }

  /// Parses a date in UTF-8. See ``init(_:)``.
  init?(utf8: ArraySlice<UInt8>) {
    var rest = DateScanner(utf8)
    guard let year = rest.number(ofDigits: 4) else { return nil }
    var date: (year: Int, month: Int?, day: Int?) = (year, nil, nil)
    let isExtended = rest.skip("-")
    if isExtended || rest.isAtDigit {
      guard let month = rest.number() else { return nil }
      date.month = month
      if isExtended ? rest.skip("-") : true {
        guard let day = rest.number() else { return nil }
        date.day = day
      }
    }
    guard 1...12 ~= date.month ?? 1,
      1...Self.dayCount(ofMonth: date.month ?? 1, year: date.year) ~= date.day ?? 1
    else { return nil }
    guard !rest.isEmpty else {
      (self.year, month, day) = date
      (secondsOfDay, secondsFromUTC) = (nil, nil)
      return
    }
    guard rest.skip("T") || rest.skip(" "), let month = date.month, let day = date.day, let time = rest.time() else {
      return nil
    }
    var seconds = time
    if rest.hasHour24 {  // Hour 24 is the end of a day, which is the start of the next day.
      let next = CalendarDay(
        daysSince1970: 1 + Int64(CalendarDay.daysSince1970(year: date.year, month: month, day: day)))
      guard next.year <= 9999, seconds == 86_400 else { return nil }
      (date, seconds) = ((next.year, next.month, next.day), 0)
    }
    (self.year, self.month, self.day) = date
    secondsOfDay = seconds
    guard !rest.isEmpty else {
      secondsFromUTC = nil
      return
    }
    guard let offset = rest.offset(), rest.isEmpty else { return nil }
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

  private static func dayCount(ofMonth month: Int, year: Int) -> Int {
    let isLeap = year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }
}

// MARK: - Reading

/// A scanner for the fields of a date. It reads bytes, because a route contains a date for each point.
private struct DateScanner {
  private let utf8: ArraySlice<UInt8>
  private var position: Int
  /// Whether the time has the hour 24.
  private(set) var hasHour24 = false

  init(_ utf8: ArraySlice<UInt8>) {
    self.utf8 = utf8
    position = utf8.startIndex
  }

  var isEmpty: Bool { position == utf8.endIndex }

  var isAtDigit: Bool { !isEmpty && Ascii.isDigit(utf8[position]) }

  /// Skips a character. Returns `false` if the text continues with another character.
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard !isEmpty, utf8[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Parses a number with a fixed count of digits.
  mutating func number(ofDigits digitCount: Int = 2) -> Int? {
    guard utf8.endIndex - position >= digitCount else { return nil }
    var number = 0
    for byte in utf8[position..<position + digitCount] {
      guard Ascii.isDigit(byte) else { return nil }
      number = number * 10 + Int(byte & 0xF)
    }
    position += digitCount
    return number
  }

  /// Parses `18`, `18:32`, `18:32:07`, `18:32:07.25` or `183207`, and returns the seconds of the day.
  mutating func time() -> Double? {
    guard let clock = clock() else { return nil }
    var fraction = 0.0
    if skip(".") || skip(",") {
      guard clock.fieldCount == 3, let digits = fractionOfSecond() else { return nil }
      fraction = digits
    }
    hasHour24 = clock.hours == 24
    guard !hasHour24 || clock.minutes == 0 && clock.seconds == 0 else { return nil }
    return Double(clock.hours * 3600 + clock.minutes * 60 + clock.seconds) + fraction
  }

  /// Parses `Z`, `+01`, `+0100` or `-03:30`, and returns seconds.
  mutating func offset() -> Int? {
    if skip("Z") { return 0 }
    let isWest = skip("-")
    guard isWest || skip("+"), let clock = clock(), clock.hours < 24, clock.seconds == 0 else { return nil }
    return (clock.hours * 3600 + clock.minutes * 60) * (isWest ? -1 : 1)
  }

  /// Parses hours, minutes and seconds, with or without colons. Also returns the number of fields.
  private mutating func clock() -> (hours: Int, minutes: Int, seconds: Int, fieldCount: Int)? {
    guard let hours = number(), hours <= 24 else { return nil }
    let hasColons = skip(":")
    guard hasColons || isAtDigit else { return (hours, 0, 0, 1) }
    guard let minutes = number(), minutes < 60 else { return nil }
    guard hasColons ? skip(":") : isAtDigit else { return (hours, minutes, 0, 2) }
    // Accept 60 as the second in the last minute of an hour, because a leap second may follow that minute.
    guard let seconds = number(), seconds < 60 || seconds == 60 && minutes == 59 else { return nil }
    return (hours, minutes, seconds, 3)
  }

  /// Parses the digits of a fraction. Digits after the first 60 do not affect the value.
  private mutating func fractionOfSecond() -> Double? {
    let start = position
    while isAtDigit { position += 1 }
    let digits = utf8[start..<position]
    guard digits.count > Double.exactDigitCount else {
      return Double(decimal: digits).map { $0 / Double.powersOfTen[digits.count] }
    }
    return Double(decimal: [UInt8(ascii: ".")] + digits.prefix(60))
  }
}
