/// Numbers as a person reads them.
enum Quantity {
  /// A number of bytes in the largest unit of 1000 that leaves a whole part: `999 bytes`, `1.5 MB`, `23 GB`.
  /// Rounded down.
  static func bytes(_ count: UInt64) -> String {
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
  static func seconds(_ seconds: UInt64) -> String {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    if hours > 0 { return "\(hours) h \(minutes) min" }
    return minutes > 0 ? "\(minutes) min \(seconds % 60) s" : "\(seconds) s"
  }
}
