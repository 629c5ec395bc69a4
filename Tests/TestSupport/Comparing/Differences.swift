/// Returns the changes of an edit that are not allowed; empty if there are none.
///
/// Checks that every old track exists with equal samples, bytes and times; that every old atom at the top level, in
/// `moov` and in a file-level `meta` exists in the same order with equal bytes, except for file positions and sizes of
/// atoms around a change; that file positions refer to the same bytes; and that the media data is unchanged except for the
/// samples of added tracks. Reads media in parts of 1 MiB.
package func differences(
  old: SecondReader, new: SecondReader, allowing allowed: AllowedChanges = AllowedChanges()
) throws -> [String] {
  var comparison = Comparison(old: old, new: new, allowed: allowed)
  try comparison.compareTopLevel()
  try comparison.compareTracks()
  if !allowed.mediaDataRearranged, !allowed.flattened { try comparison.compareMediaData() }
  return comparison.found
}

/// Compares two files in memory.
package func differences(
  old: [UInt8], new: [UInt8], allowing allowed: AllowedChanges = AllowedChanges()
) throws -> [String] {
  try differences(old: SecondReader(old), new: SecondReader(new), allowing: allowed)
}

struct Comparison {
  let old: SecondReader
  let new: SecondReader
  let allowed: AllowedChanges
  var found: [String] = []

  static let window = 1 << 20

  /// Returns the first difference between two ranges of equal length, relative to their starts, or `nil` if they are equal.
  func firstDifference(_ a: UInt64, in one: ByteStore, _ b: UInt64, in other: ByteStore, count: UInt64) throws
    -> UInt64?
  {
    var done: UInt64 = 0
    while done < count {
      let part = Int(min(UInt64(Self.window), count - done))
      let left = try one.read(a + done, part)
      let right = try other.read(b + done, part)
      if !sameBytes(left, right) {
        // Binary search for the first different byte.
        var index = 0
        var size = part
        while size > 1 {
          let half = size / 2
          if sameBytes(Array(left[index..<index + half]), Array(right[index..<index + half])) {
            index += half
            size -= half
          } else {
            size = half
          }
        }
        return done + UInt64(index)
      }
      done += UInt64(part)
    }
    return nil
  }
}
