import MovieBox

/// The time of an event message (`emsg`, version 1) on the clock of the movie; ISO/IEC 23009-1, 5.10.3.3.
///
/// Times of version 0 count from the start of a segment, so a change of the movie's clock leaves them as they are.
struct EventTime: Sendable {
  /// The bytes of the time in the file.
  let range: ByteRange
  let ticks: UInt64
  let timeScale: UInt32

  /// The time of an atom, or `nil` if it is no event with a time on the clock of the movie. Reads 16 bytes.
  init?(of atom: FileLayout.TopLevelAtom, in source: some RandomAccessSource) throws {
    guard atom.type == "emsg", !atom.isTruncated, atom.payloadRange.count >= 16,
      let head = ByteRange(offset: atom.payloadRange.offset, count: 16),
      let range = ByteRange(offset: atom.payloadRange.offset &+ 8, count: 8)  // Inside the atom.
    else { return nil }
    let bytes = try source.readExactly(head)
    guard bytes.load(at: 0, as: UInt8.self) == 1, let timeScale = bytes.load(at: 4, as: UInt32.self), timeScale > 0,
      let ticks = bytes.load(at: 8, as: UInt64.self)
    else { return nil }
    self.range = range
    self.ticks = ticks
    self.timeScale = timeScale
  }

  /// The time with the start of the movie subtracted, to the nearest tick; 0 for an event before the start.
  func ticks(from start: MediaTime) -> UInt64 {
    let shift = UInt64(clamping: start.ticks(of: timeScale))
    return ticks - Swift.min(ticks, shift)
  }
}
