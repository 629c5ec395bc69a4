// Conversion of screens to cues.

/// A frame rate of captions, as a fraction.
package struct CaptionFrameRate: Hashable, Sendable {
  /// The number of frames in `seconds` seconds.
  package let frames: Int64
  /// The number of seconds for `frames` frames.
  package let seconds: Int64

  /// Creates a rate of `frames` frames in `seconds` seconds, both positive and below 2¹⁶.
  init(frames: Int64, in seconds: Int64) {
    self.frames = frames
    self.seconds = seconds
  }

  /// The rate of line 21: 30 000 frames in 1001 seconds.
  package static let line21 = CaptionFrameRate(frames: 30_000, in: 1_001)

  /// Returns the start of a frame in milliseconds, rounded down. The result is limited to the range from 0 to
  /// `Int64.max`.
  package func milliseconds(ofFrame frame: Int64) -> Int64 {
    let (high, low) = frame.multipliedFullWidth(by: 1_000 * seconds)
    guard high == 0, low <= UInt64(Int64.max) else { return frame < 0 ? 0 : .max }
    return Int64(low) / frames
  }

  /// Returns the frame that is nearest to a time, limited to the range from 0 to 2⁵³.
  package func frame(atMilliseconds milliseconds: Int64) -> Int64 {
    let bounded = min(max(milliseconds, 0), 1 << 45)
    return (bounded * frames + 500 * seconds) / (1_000 * seconds)
  }
}

extension [CaptionScreen] {
  /// The time in milliseconds for which the last screen of a file remains visible if nothing erases it.
  ///
  /// Receivers that follow CTA-608-E erase captions after 16 seconds without a signal.
  package static let assumedMilliseconds: Int64 = 16_000

  /// Returns the cues of the screens. Each block of adjacent rows becomes a cue. The cue ends when the next screen
  /// appears.
  ///
  /// If no empty screen follows the last screen, its cues last 16 seconds, and a notice is added.
  package func cues(_ rate: CaptionFrameRate, _ notices: inout NoticeList) -> [Cue] {
    if let notice = noticeAboutEnd { notices.add(notice.kind, line: notice.line, notice.message) }
    return shownBlocks.map { block in
      let start = rate.milliseconds(ofFrame: block.start)
      let (assumedEnd, overflows) = start.addingReportingOverflow(Self.assumedMilliseconds)
      let end = block.end.map { rate.milliseconds(ofFrame: $0) } ?? (overflows ? .max : assumedEnd)
      return Cue(
        startMilliseconds: start, endMilliseconds: Swift.max(end, start), text: block.text, placement: block.placement,
        line: block.line)
    }
  }

  /// A block of consecutive rows, with the time for which it is visible.
  package struct ShownBlock {
    /// The time at which the rows appear, in the units of the pairs.
    package let start: Int64
    /// The time of the next change, or `nil` if no change follows.
    package let end: Int64?
    package let text: StyledText
    package let placement: Cue.Placement
    /// The line in the file, from 1, or 0 if the captions are not from a file.
    package let line: Int
  }

  /// The blocks of consecutive rows of all screens. A block is visible from its screen to the next screen.
  package var shownBlocks: [ShownBlock] {
    var shown: [ShownBlock] = []
    for (index, screen) in enumerated() where !screen.rows.isEmpty {
      let end = index + 1 < count ? self[index + 1].time : nil
      for block in Self.blocks(screen.rows) {
        let (text, placement) = Self.textAndPlacement(block)
        shown.append(
          ShownBlock(start: screen.time, end: end, text: text, placement: placement, line: screen.line))
      }
    }
    return shown
  }

  /// A notice that the file does not erase the last screen, or `nil` if it does.
  package var noticeAboutEnd: SubtitleNotice? {
    guard let last, let text = last.rows.first?.text else { return nil }
    return SubtitleNotice(
      line: last.line, kind: .endMoved,
      message: "nothing erases the last caption, \(text.excerpt): it is shown for \(Self.assumedMilliseconds / 1_000) s"
    )
  }

  /// Divides rows into blocks of adjacent rows.
  private static func blocks(_ rows: [CaptionRow]) -> [[CaptionRow]] {
    var blocks: [[CaptionRow]] = []
    for row in rows {
      if let last = blocks.last?.last, last.row + 1 == row.row {
        blocks[blocks.count - 1].append(row)
      } else {
        blocks.append([row])
      }
    }
    return blocks
  }

  /// Returns the lines of a block as one text, with its placement.
  ///
  /// If every row is centered, the text is centered. Otherwise, all rows keep their columns: the column of the leftmost
  /// row becomes the distance from the left edge, and rows further right begin with spaces.
  private static func textAndPlacement(_ rows: [CaptionRow]) -> (StyledText, Cue.Placement) {
    let isCentered = rows.allSatisfy { row in
      let margin = CaptionArea.columnCount - row.text.text.unicodeScalars.count
      return abs(2 * row.column - margin) <= 2
    }
    let left = isCentered ? 0 : rows.map(\.column).min() ?? 0
    let lines = rows.map { row in isCentered ? row.text : row.text.indented(by: row.column - left) }
    let placement = Cue.Placement(
      vertical: CaptionArea.vertical(from: rows.first?.row ?? 1, to: rows.last?.row ?? 1),
      horizontal: isCentered ? .center : .indented(hundredthsOfPercent: CaptionArea.hundredthsOfPercent(ofColumn: left))
    )
    return (StyledText.joined(lines), placement)
  }
}

extension CaptionArea {
  /// The caption area occupies the middle 80 % of the picture in both directions (47 CFR 79.101 (d)).
  private static let margin = 1_000
  private static let extent = 8_000

  /// Returns the distance from the left edge of the picture to a column. Columns count from 0.
  static func hundredthsOfPercent(ofColumn column: Int) -> Int { margin + column * extent / columnCount }

  /// Returns the distance from the upper edge of the picture to a row. Rows count from 1.
  static func hundredthsOfPercent(ofRow row: Int) -> Int { margin + (row - 1) * extent / rowCount }

  /// Returns the column at the given distance from the left edge of the picture.
  static func column(at hundredthsOfPercent: Int) -> Int {
    let offset = min(max(hundredthsOfPercent, margin), margin + extent) - margin
    return min((offset * columnCount + extent / 2) / extent, columnCount - 1)
  }

  /// Returns the first column of a text whose center has the given distance from the left edge of the picture.
  ///
  /// - Parameter count: the number of columns of the text.
  static func column(ofText count: Int, centeredAt hundredthsOfPercent: Int) -> Int {
    // Twice the distance of the center from the area's left edge, in columns, minus the width of the text.
    let offset = min(max(hundredthsOfPercent, margin), margin + extent) - margin
    return max(0, (2 * offset * columnCount / extent - count) / 2)
  }

  /// Returns the first column of a text whose right edge has the given distance from the left edge of the picture.
  ///
  /// - Parameter count: the number of columns of the text.
  static func column(ofText count: Int, endingAt hundredthsOfPercent: Int) -> Int {
    let offset = min(max(hundredthsOfPercent, margin), margin + extent) - margin
    return max(0, (offset * columnCount + extent / 2) / extent - count)
  }

  /// Returns the row, from 1, at the given distance from the upper edge of the picture.
  static func row(at hundredthsOfPercent: Int) -> Int {
    let offset = min(max(hundredthsOfPercent, margin), margin + extent) - margin
    return min((offset * rowCount + extent / 2) / extent, rowCount - 1) + 1
  }

  /// Returns the vertical placement of rows. It is the lower edge if they end in the last row of the screen, or the
  /// upper edge if they begin in the first row. Otherwise, it is the distance of the first row from the upper edge.
  static func vertical(from first: Int, to last: Int) -> Cue.Placement.Vertical {
    if last == rowCount { return .bottom }
    return first == 1 ? .top : .fromTop(hundredthsOfPercent: hundredthsOfPercent(ofRow: first))
  }
}

extension Cue.Placement.Vertical {
  /// Returns the placement of a caption without its first rows. The remaining rows keep their positions.
  func droppingRows(_ count: Int) -> Cue.Placement.Vertical {
    let first: Int
    switch self {
    case .top: first = 1
    case .fromTop(let hundredths): first = CaptionArea.row(at: hundredths)
    case .middle, .bottom: return self
    }
    guard count > 0 else { return self }
    let row = min(first + count, CaptionArea.rowCount)
    return .fromTop(hundredthsOfPercent: CaptionArea.hundredthsOfPercent(ofRow: row))
  }
}

extension StyledText {
  /// Returns the line with leading spaces.
  fileprivate func indented(by count: Int) -> StyledText {
    guard count > 0 else { return self }
    let moved = runs.map { Run($0.range.lowerBound + count..<$0.range.upperBound + count, $0.style) }
    return StyledText(String(repeating: " ", count: count) + text, checkedRuns: moved)
  }
}
