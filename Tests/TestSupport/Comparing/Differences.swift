/// What an edit changed that it should not have; empty when the new movie is the old one but for what is allowed.
///
/// Holds that every old track is there with the same samples, bytes and times; that every old atom, at the top level,
/// in `moov` and in a file-level `meta`, at every depth, is there with the same bytes in the same order, sizes of atoms
/// around a change and file positions excepted; that what file positions point at is the same; and that the media data
/// is the old media data, with the samples of added tracks put in. Reads media in parts of 1 MiB.
package func differences(
  old: SecondReader, new: SecondReader, allowing allowed: AllowedChanges = AllowedChanges()
) throws -> [String] {
  var comparison = Comparison(old: old, new: new, allowed: allowed)
  try comparison.compareTopLevel()
  try comparison.compareTracks()
  if !allowed.mediaDataRearranged, !allowed.flattened { try comparison.compareMediaData() }
  return comparison.found
}

/// The same for two files in memory.
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

  /// Compares two ranges of the same length; the first place where they differ, counted from their starts.
  func firstDifference(_ a: UInt64, in one: ByteStore, _ b: UInt64, in other: ByteStore, count: UInt64) throws
    -> UInt64?
  {
    var done: UInt64 = 0
    while done < count {
      let part = Int(min(UInt64(Self.window), count - done))
      let left = try one.read(a + done, part)
      let right = try other.read(b + done, part)
      if !sameBytes(left, right) {
        // Halves until the first byte that differs is alone.
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
