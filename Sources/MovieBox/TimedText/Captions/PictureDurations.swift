/// The durations of pictures, from which the frame rate of captions is determined.
///
/// A cut or a lost picture changes the duration of a few pictures. The average duration then indicates another rate.
/// For example, if one picture in a thousand is lost at 30 frames a second, the average rate is 29.97. The predominant
/// duration does not change.
struct PictureDurations {
  private var counts: [UInt32: UInt64] = [:]

  /// Adds the duration of a picture, in ticks.
  mutating func add(_ duration: UInt32) { counts[duration, default: 0] += 1 }

  /// The number of pictures with the predominant duration, and the sum of their durations. If fewer than nine of ten
  /// pictures have the same duration, all pictures are counted.
  ///
  /// Durations that differ by a tick count as equal, because a time scale of 1000 rounds the durations of most rates.
  var predominant: (count: UInt64, duration: UInt64) {
    let all = total { _ in true }
    guard let (mode, _) = counts.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { return all }
    let near = total { duration in
      let (shorter, longer) = (min(duration, mode), max(duration, mode))
      return longer - shorter <= 1 && UInt64(longer) * 2 < UInt64(shorter) * 3
    }
    return near.count * 10 >= all.count * 9 ? near : all
  }

  private func total(where isCounted: (UInt32) -> Bool) -> (count: UInt64, duration: UInt64) {
    var total: (count: UInt64, duration: UInt64) = (0, 0)
    for (duration, count) in counts where isCounted(duration) {
      total.count += count
      let (product, overflows) = UInt64(duration).multipliedReportingOverflow(by: count)
      total.duration = total.duration.addingClamped(overflows ? .max : product)
    }
    return total
  }
}
