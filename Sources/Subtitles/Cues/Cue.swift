/// A text and the time that it is shown for, as a subtitle file says it.
///
///     let cue = Cue(startMilliseconds: 1_000, endMilliseconds: 2_500, text: StyledText("Who is there?"))
public struct Cue: Hashable, Sendable {
  /// The time at which the text appears, in milliseconds; below 0 if the file has such a time.
  public var startMilliseconds: Int64
  /// The time at which the text disappears, in milliseconds.
  public var endMilliseconds: Int64
  /// The styled text.
  public var text: StyledText
  /// The place on the picture.
  public var placement: CuePlacement
  /// Whether it is shown although subtitles are off.
  public var isForced: Bool
  /// The line of the file that the times stand in, from 1; 0 where the cue is from no file.
  public var line: Int

  /// A cue with these values.
  public init(
    startMilliseconds: Int64, endMilliseconds: Int64, text: StyledText, placement: CuePlacement = .standard,
    isForced: Bool = false, line: Int = 0
  ) {
    self.startMilliseconds = startMilliseconds
    self.endMilliseconds = endMilliseconds
    self.text = text
    self.placement = placement
    self.isForced = isForced
    self.line = line
  }

  /// The cue without styles, in the standard place.
  public var plain: Cue {
    var cue = self
    cue.text = StyledText(text.text, checkedRuns: [])
    cue.placement = .standard
    return cue
  }
}

/// A time as `HH:MM:SS.mmm`, with `-` before a negative one.
package func timeText(milliseconds: Int64) -> String {
  let total = milliseconds.magnitude
  let clock = [total / 3_600_000, total / 60_000 % 60, total / 1_000 % 60].map { $0.padded(to: 2) }
  return (milliseconds < 0 ? "-" : "") + clock.joined(separator: ":") + "." + (total % 1_000).padded(to: 3)
}

extension [Cue] {
  /// The longest time that a cue is shown whose end is not known, in milliseconds.
  private static let assumedMilliseconds: Int64 = 1_000

  /// Extends cues that end when or before they start until a later cue starts, by a second at most, and reports each.
  /// Speech recognisers write such cues, whose text somebody said.
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

/// The place of a cue on the picture, as far as subtitle files declare it.
///
///     let sign = CuePlacement(vertical: .top)
public struct CuePlacement: Hashable, Sendable {
  /// A vertical position.
  public enum Vertical: Hashable, Sendable {
    /// Along the lower edge, where subtitles stand unless set otherwise.
    case bottom
    /// Half way up.
    case middle
    /// Along the upper edge.
    case top
    /// With its upper edge this far below that of the picture, in hundredths of a percent of the picture's height: 0 to
    /// 10 000.
    case below(hundredthsOfPercent: Int)
  }

  /// A side of the picture. Subtitle tracks of a movie have the centre only.
  public enum Horizontal: Hashable, Sendable {
    /// Along the left edge.
    case left
    /// In the middle.
    case center
    /// Along the right edge.
    case right
  }

  /// The vertical position.
  public var vertical: Vertical
  /// The side.
  public var horizontal: Horizontal

  /// A place; without arguments it is that of subtitles that nothing is said of.
  public init(vertical: Vertical = .bottom, horizontal: Horizontal = .center) {
    self.vertical = vertical
    self.horizontal = horizontal
  }

  /// In the middle of the lower edge.
  public static let standard = CuePlacement()

  /// The place that a number pad shows: 1 to 3 at the bottom from left to right, 7 to 9 at the top, as `{\an8}` counts.
  /// Fails for other numbers.
  public init?(keypad digit: Int) {
    guard (1...9).contains(digit) else { return nil }
    vertical = [.bottom, .middle, .top][(digit - 1) / 3]
    horizontal = [.left, .center, .right][(digit - 1) % 3]
  }
}

extension CuePlacement.Vertical {
  /// The distance from the picture's upper edge, in hundredths of a percent, for comparisons.
  package var depth: Int {
    switch self {
    case .top: 0
    case .below(let depth): depth
    case .middle: 5_000
    case .bottom: 10_001
    }
  }
}
