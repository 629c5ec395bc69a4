/// A day of the Gregorian calendar.
package struct CalendarDay: Hashable, Sendable {
  package let year: Int
  /// From 1.
  package let month: Int
  /// Of the month, from 1.
  package let day: Int

  /// The day so many days after 1 January 1970 (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
  package init(daysSince1970 days: Int64) {
    // Years begin in March, so that the day which some have more is their last one.
    let shifted = Int(days) + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
  }

  /// The number of days from 1 January 1970 to a day; the inverse of ``init(daysSince1970:)``.
  ///
  /// The month is from 1 to 12, and the year is not negative.
  package static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear / 400  // Years are not negative; year 0 begins in March of the one before.
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
