/// The bytes of a file that the samples of some tracks name, counted once each.
///
/// Costs the chunks of the tracks, and a sort. What lies in other files is left out, and what is named otherwise than
/// by a chunk: items of metadata, auxiliary information.
///
///     let named = MediaRanges(movie.tracks)
///     for atom in movie.layout.atoms where atom.type == "mdat" {
///       print(atom.payloadRange.count - named.byteCount(in: atom.payloadRange), "bytes that no sample names")
///     }
public struct MediaRanges: Hashable, Sendable {
  /// In the order of the file; they neither touch nor share bytes.
  public let ranges: [ByteRange]

  /// The ranges that the chunks of `tracks` name.
  public init(_ tracks: some Sequence<Track>) {
    var named: [ByteRange] = []
    for track in tracks {
      let locator = ChunkLocator(track)
      for chunk in track.samples.chunks where chunk.byteCount > 0 && !locator.isExternal(chunk) {
        if let range = locator.byteRange(of: chunk) { named.append(range) }
      }
    }
    named.sort { $0.offset < $1.offset }
    var merged: [ByteRange] = []
    for range in named {
      if let last = merged.last, range.offset <= last.end {
        merged[merged.count - 1] = ByteRange(last.offset..<Swift.max(last.end, range.end))
      } else {
        merged.append(range)
      }
    }
    ranges = merged
  }

  /// How many bytes are named.
  public var byteCount: UInt64 {
    ranges.reduce(0) { $0 &+ $1.count }  // They share no bytes, so the sum fits where the last end does.
  }

  /// How many bytes of `range` are named.
  public func byteCount(in range: ByteRange) -> UInt64 {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = low + (high - low) / 2
      if ranges[middle].end <= range.offset { low = middle + 1 } else { high = middle }
    }
    var count: UInt64 = 0
    for named in ranges[low...] {
      guard named.offset < range.end else { break }
      count &+= Swift.min(named.end, range.end) &- Swift.max(named.offset, range.offset)  // They overlap.
    }
    return count
  }
}
