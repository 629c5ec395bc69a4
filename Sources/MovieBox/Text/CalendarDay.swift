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
}
