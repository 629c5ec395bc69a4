/// A text and the time at which it is shown, as in a subtitle file.
///
///     let cue = Cue(startMilliseconds: 1_000, endMilliseconds: 2_500, text: StyledText("Who is there?"))
public struct Cue: Hashable, Sendable {
  /// The time at which the text appears, in milliseconds. The time is negative if the file contains a negative time.
  public var startMilliseconds: Int64
  /// The time at which the text disappears, in milliseconds.
  public var endMilliseconds: Int64
  /// The styled text.
  public var text: StyledText
  /// The placement on the picture.
  public var placement: Cue.Placement
  /// Whether players show the cue even if subtitles are off.
  public var isForced: Bool
  /// The line number of the cue's times in the file, from 1, or 0 if the cue is not from a file.
  public var line: Int

  /// Creates a cue.
  public init(
    startMilliseconds: Int64, endMilliseconds: Int64, text: StyledText, placement: Cue.Placement = .standard,
    isForced: Bool = false, line: Int = 0
  ) {
    self.startMilliseconds = startMilliseconds
    self.endMilliseconds = endMilliseconds
    self.text = text
    self.placement = placement
    self.isForced = isForced
    self.line = line
  }

  /// A copy of the cue without styles, in the standard placement.
  public var plain: Cue {
    var cue = self
    cue.text = StyledText(text.text, checkedRuns: [])
    cue.placement = .standard
    return cue
  }
}

/// Formats a time as `HH:MM:SS.mmm`, with a leading `-` if it is negative.
package func timeText(milliseconds: Int64) -> String {
  let total = milliseconds.magnitude
  let clock = [total / 3_600_000, total / 60_000 % 60, total / 1_000 % 60].map { $0.padded(to: 2) }
  return (milliseconds < 0 ? "-" : "") + clock.joined(separator: ":") + "." + (total % 1_000).padded(to: 3)
}

extension [Cue] {
  /// The maximum duration that a cue with an unknown end receives, in milliseconds.
  private static let assumedMilliseconds: Int64 = 1_000

  /// Extends each cue that does not end after its start, and adds a notice. The cue lasts until the next cue starts,
  /// but at most a second. Speech recognizers write such cues for spoken text.
  mutating func extendCuesWithoutDuration(at indices: [Int], _ notices: inout NoticeList) {
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
        "ends at \(timeText(milliseconds: end)), not after its start: it is shown until "
          + "\(timeText(milliseconds: newEnd)): "
          + self[index].text.excerpt)
    }
  }
}

extension [Int64] {
  /// Returns the index of the first number above `value` in a sorted array, or `nil` if there is no such number.
  fileprivate func firstIndex(above value: Int64) -> Int? {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle] > value { high = middle } else { low = middle + 1 }
    }
    return low < endIndex ? low : nil
  }
}

extension Cue {
  /// The placement of a cue on the picture.
  ///
  ///     let sign = Cue.Placement(vertical: .top)
  public struct Placement: Hashable, Sendable {
    /// A vertical position.
    public enum Vertical: Hashable, Sendable {
      /// Along the lower edge. This is the default for subtitles.
      case bottom
      /// At half the height.
      case middle
      /// Along the upper edge.
      case top
      /// Below the upper edge of the picture. The distance is measured between the upper edge of the picture and the
      /// upper edge of the text. It is in hundredths of a percent of the picture's height, from 0 to 10 000.
      case fromTop(hundredthsOfPercent: Int)
    }

    /// A horizontal position. Subtitle tracks of movies support only the center.
    public enum Horizontal: Hashable, Sendable {
      /// Along the left edge.
      case left
      /// In the middle.
      case center
      /// Along the right edge.
      case right
      /// Right of the left edge of the picture, as in captions. The distance is measured between the left edge of the
      /// picture and the left edge of the text. It is in hundredths of a percent of the picture's width, from 0 to 10
      /// 000.
      case indented(hundredthsOfPercent: Int)
      /// Centered at a point other than the middle. The distance of the point from the left edge of the picture is in
      /// hundredths of a percent of the picture's width, from 0 to 10 000.
      case centeredAt(hundredthsOfPercent: Int)
      /// Aligned at a right edge within the picture. The distance of the text's right edge from the left edge of the
      /// picture is in hundredths of a percent of the picture's width, from 0 to 10 000.
      case endingAt(hundredthsOfPercent: Int)
    }

    /// The vertical position.
    public var vertical: Vertical
    /// The horizontal position.
    public var horizontal: Horizontal

    /// Creates a placement. The default is the standard placement.
    public init(vertical: Vertical = .bottom, horizontal: Horizontal = .center) {
      self.vertical = vertical
      self.horizontal = horizontal
    }

    /// Centered along the lower edge.
    public static let standard = Cue.Placement()

    /// Creates the placement for a key on a numeric keypad, as in `{\an8}`. Keys 1 to 3 are at the lower edge from left
    /// to right, and keys 7 to 9 are at the upper edge. Returns `nil` if `digit` is not from 1 to 9.
    public init?(keypad digit: Int) {
      guard (1...9).contains(digit) else { return nil }
      vertical = [.bottom, .middle, .top][(digit - 1) / 3]
      horizontal = [.left, .center, .right][(digit - 1) % 3]
    }
  }
}

extension Cue.Placement.Vertical {
  /// The approximate distance from the upper edge, in hundredths of a percent. It is used to compare placements.
  package var depth: Int {
    switch self {
    case .top: 0
    case .fromTop(let depth): depth
    case .middle: 5_000
    case .bottom: 10_001
    }
  }
}
