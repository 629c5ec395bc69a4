/// Encodes cues as pop-on captions of channel CC1, at 29.97 pairs a second.
///
///     let pairs = CaptionEncoder.encode(cues).pairs
///
/// The byte pairs of a caption are sent before the caption appears, and the last pair directly precedes the start. If
/// the time after the previous caption is too short for the pairs, the caption appears later. A caption that could only
/// appear two seconds after its end is dropped. At most four rows are visible at a time.
package enum CaptionEncoder {
  /// The number of rows that receivers must be able to show (CTA-608-E; 47 CFR 79.101).
  static let visibleRowCount = 4

  /// The encoded captions.
  package struct Encoded {
    /// The byte pairs of the first field, in order of their frames.
    package var pairs: [TimedCaptionPair]
    /// Notices about cues that were moved, divided or dropped, and about characters and styles that CEA-608 lacks.
    package var notices: NoticeList
    /// The number of captions that were dropped.
    package var droppedCount: Int
  }

  /// Encodes cues in O(*n* log *n*) time for a text of length *n*.
  ///
  /// `endFrame` is the frame after the last frame of the movie, or `nil` if the captions are not for a movie. A caption
  /// that would appear in this frame or later is dropped with a notice.
  package static func encode(
    _ cues: [Cue], endFrame: Int64? = nil, limits: SubtitleLimits = SubtitleLimits()
  ) -> Encoded {
    var layout = CaptionLayout(NoticeList(limits))
    for cue in cues { layout.add(cue) }
    let screens = layout.screens()
    var schedule = CaptionSchedule(layout.notices, endFrame: endFrame)
    for (screen, next) in zip(screens, screens.dropFirst()) where !screen.rows.isEmpty {
      schedule.add(screen, until: next)
    }
    return Encoded(
      pairs: schedule.finishedPairs, notices: schedule.finishedNotices,
      droppedCount: layout.droppedCount + schedule.droppedCount)
  }
}

/// Arranges cues on the screen.
struct CaptionLayout {
  /// Rows of a cue that are shown at the same time.
  struct Part {
    var start: Int64
    var end: Int64
    var rows: [CaptionRowCells]
    var placement: Cue.Placement
    var line: Int
    var excerpt: String
  }

  /// A row and its position on the screen.
  struct PlacedRow {
    var row: Int
    var column: Int
    var cells: CaptionRowCells
  }

  /// A part that is on the screen, and the positions of its rows.
  struct Shown {
    /// The index among all parts.
    var index: Int
    var part: Part
    var rows: [PlacedRow]
  }

  /// The rows that are visible from a frame until the next screen.
  struct Screen {
    var frame: Int64
    var rows: [PlacedRow]
    /// The parts that contain the rows, in order of their starts.
    var captions: [Shown]
  }

  private var parts: [Part] = []
  private(set) var notices: NoticeList
  /// The number of captions that were dropped.
  private(set) var droppedCount = 0

  init(_ notices: NoticeList) {
    self.notices = notices
  }

  /// Adds a cue, divided into parts of at most four rows. Each part is shown for a time in proportion to its number of
  /// cells.
  mutating func add(_ cue: Cue) {
    let glyphs = CaptionGlyphs(cue.text)
    report(glyphs, of: cue)
    // Centered rows keep only the difference of their indents, because many files contain a superfluous space at the
    // start of each cue.
    let droppedIndent =
      switch cue.placement.horizontal {
      case .center, .centeredAt: glyphs.sharedIndent
      case .left, .right, .indented, .endingAt: 0
      }
    let rows = glyphs.lines.flatMap { CaptionRowCells.rows(of: $0, droppingIndent: droppedIndent) }
    let rate = CaptionFrameRate.line21
    let (start, end) = (
      rate.frame(atMilliseconds: cue.startMilliseconds), rate.frame(atMilliseconds: cue.endMilliseconds)
    )
    guard !rows.isEmpty, end > start else {
      droppedCount += 1
      notices.add(
        rows.isEmpty ? .emptyCue : .droppedCaption, line: cue.line, lostText: cue.text.text,
        rows.isEmpty
          ? "a cue has no text: it was dropped" : "\(cue.text.excerpt) is shorter than a frame: it was dropped")
      return
    }
    let size = CaptionEncoder.visibleRowCount
    if rows.count > size {
      notices.add(
        .dividedCue, line: cue.line,
        "\(cue.text.excerpt) has \(rows.count) rows of 32 characters: it is divided into cues of up to \(size) rows")
    }
    let total = Int64(rows.reduce(0) { $0 + $1.cells.count })
    var shown: Int64 = 0
    for first in stride(from: 0, to: rows.count, by: size) {
      let part = Array(rows[first..<min(first + size, rows.count)])
      let count = Int64(part.reduce(0) { $0 + $1.cells.count })
      parts.append(
        Part(
          start: start + Self.share(shown, of: total, end - start),
          end: start + Self.share(shown + count, of: total, end - start), rows: part,
          placement: cue.placement, line: cue.line, excerpt: cue.text.excerpt))
      shown += count
    }
  }

  /// Returns `duration` × `part` / `total` without overflow.
  private static func share(_ part: Int64, of total: Int64, _ duration: Int64) -> Int64 {
    let (quotient, remainder) = duration.quotientAndRemainder(dividingBy: max(1, total))
    return quotient * part + remainder * part / max(1, total)
  }

  private mutating func report(_ glyphs: CaptionGlyphs, of cue: Cue) {
    if glyphs.foldedCount > 0 {
      notices.add(
        .foldedCharacters, "similar", line: cue.line,
        "\(cue.text.excerpt): replaced \(counted(glyphs.foldedCount, "character")) that CEA-608 lacks by similar characters"
      )
    }
    if !glyphs.unknown.isEmpty {
      var lost = String.UnicodeScalarView()
      lost.append(contentsOf: glyphs.unknown)
      notices.add(
        .foldedCharacters, "unknown", line: cue.line, lostText: String(lost),
        "\(cue.text.excerpt): replaced \(counted(glyphs.unknown.count, "character")) that CEA-608 lacks by question marks"
      )
    }
    let lost = glyphs.lostStyles + (cue.isForced ? ["the mark of forced cues"] : [])
    guard !lost.isEmpty else { return }
    let list = lost.joined(separator: ", ")
    notices.add(
      .inexpressibleStyle, list, line: cue.line,
      "\(cue.text.excerpt) has \(list), which CEA-608 captions do not support")
  }

  // MARK: - Screens

  /// Returns the screens in order, ending with an empty screen.
  mutating func screens() -> [Screen] {
    var screens: [Screen] = []
    var shown: [Shown] = []
    var now: Int64 = 0
    func record(_ frame: Int64) {
      if screens.last?.frame == frame { screens.removeLast() }
      let rows = shown.flatMap(\.rows).sorted { $0.row < $1.row }
      screens.append(Screen(frame: frame, rows: rows, captions: shown))
    }
    /// Removes the parts with the earliest end. Returns that end, or `nil` if no part ends by the limit.
    func removeEnded(by limit: Int64) -> Int64? {
      guard let end = shown.map(\.part.end).min(), end <= limit else { return nil }
      shown.removeAll { $0.part.end == end }
      record(end)
      return end
    }
    let order = parts.indices.sorted { (parts[$0].start, $0) < (parts[$1].start, $1) }
    for index in order {
      var part = parts[index]
      let start = max(part.start, now)
      now = start
      while removeEnded(by: start) != nil {}
      while shown.reduce(0, { $0 + $1.rows.count }) + part.rows.count > CaptionEncoder.visibleRowCount,
        let end = removeEnded(by: .max)
      {
        now = end
      }
      guard now < part.end else {
        droppedCount += 1
        notices.add(
          .droppedCaption, line: part.line,
          lostText: part.excerpt, "\(part.excerpt) was dropped: captions shown at the same time leave no room for it")
        continue
      }
      if now > part.start {
        let delay = CaptionFrameRate.line21.milliseconds(ofFrame: now - part.start)
        notices.add(
          .delayedCaptions, "overlap", line: part.line,
          "\(part.excerpt) appears \(delay) ms late, because four rows are visible until then")
      }
      part.start = now
      shown.append(Shown(index: index, part: part, rows: Self.placed(part, avoiding: shown.flatMap(\.rows))))
      record(now)
    }
    while removeEnded(by: .max) != nil {}
    return screens
  }

  /// Places the rows of a part at its position, or in the nearest free rows if another part occupies that position.
  private static func placed(_ part: Part, avoiding others: [PlacedRow]) -> [PlacedRow] {
    let count = part.rows.count
    let last = CaptionArea.rowCount - count + 1
    let wanted =
      switch part.placement.vertical {
      case .bottom: last
      case .top: 1
      case .middle: (last + 1) / 2
      case .fromTop(let hundredths): min(CaptionArea.row(at: hundredths), last)
      }
    let occupied = Set(others.map(\.row))
    let free = (1...last).filter { first in (first..<first + count).allSatisfy { !occupied.contains($0) } }
    let first = free.min { abs($0 - wanted) < abs($1 - wanted) } ?? wanted
    return part.rows.enumerated().map { index, cells in
      PlacedRow(row: first + index, column: column(of: cells, part), cells: cells)
    }
  }

  private static func column(of row: CaptionRowCells, _ part: Part) -> Int {
    let count = row.columnCount
    let room = max(0, CaptionArea.columnCount - count)
    let column =
      switch part.placement.horizontal {
      case .left: 0
      case .center: room / 2
      case .right: room
      case .indented(let hundredths): min(CaptionArea.column(at: hundredths), room)
      case .centeredAt(let hundredths): min(CaptionArea.column(ofText: count, centeredAt: hundredths), room)
      case .endingAt(let hundredths): min(CaptionArea.column(ofText: count, endingAt: hundredths), room)
      }
    return column + row.indent
  }
}
