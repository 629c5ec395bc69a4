import MovieBox
import Subtitles

/// Dates as HTTP writes them (RFC 9110, 5.6.7).
enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// `Sun, 06 Nov 1994 08:49:37 GMT`; times before 1970 count as its start.
  static func text(secondsSince1970: Int64) -> String {
    let seconds = max(0, secondsSince1970)
    let date = MetadataDate(secondsSince1970: seconds)
    let time = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60].map { $0.padded(to: 2) }.joined(separator: ":")
    // The first day was a Thursday.
    let day = days[Int(seconds / 86_400 % 7)]
    return "\(day), \((date.day ?? 1).padded(to: 2)) \(months[(date.month ?? 1) - 1]) \(date.year) \(time) GMT"
  }
}
