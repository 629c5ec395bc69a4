extension [Cue] {
  /// The longest time that a cue is shown whose end is not known, in milliseconds.
  private static let assumedMilliseconds: Int64 = 1_000

  /// Lets cues that end when or before they start be shown until a later cue starts, for a second at most, and reports
  /// each. Speech recognisers write such cues, whose text somebody said.
  mutating func giveLengths(toCuesAt indices: [Int], _ notices: inout NoticeList) {
    guard !indices.isEmpty else { return }
    let starts = map(\.startMilliseconds).sorted()
    for index in indices {
      let (start, end) = (self[index].startMilliseconds, self[index].endMilliseconds)
      let next = starts.firstIndex(above: start).map { starts[$0] }
      let (sum, overflows) = start.addingReportingOverflow(Self.assumedMilliseconds)
      let limit = overflows ? Int64.max : sum
      let newEnd = Swift.min(limit, next ?? limit)
      self[index].endMilliseconds = newEnd
      notices.add(
        .endMoved, line: self[index].line,
        "ends at \(timeText(milliseconds: end)), not after its start; shown until \(timeText(milliseconds: newEnd)): "
          + self[index].text.excerpt)
    }
  }
}

extension [Int64] {
  /// The position of the first number above another in an ordered array, or `nil` if there is none.
  fileprivate func firstIndex(above value: Int64) -> Int? {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle] > value { high = middle } else { low = middle + 1 }
    }
    return low < endIndex ? low : nil
  }
}
