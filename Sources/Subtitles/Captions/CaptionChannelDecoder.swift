/// Decodes the commands and characters of a channel into screens.
///
/// A pop-on caption appears at the command End Of Caption. Paint-on characters that arrive in consecutive frames become
/// one screen. The screen appears with its first character. Roll-up captions become one screen for each row. The screen
/// contains the complete row, and appears with its first character.
struct CaptionChannelDecoder {
  /// The screens of the channel, in order of their times.
  private(set) var screens: [CaptionScreen] = []
  /// Whether the channel carries captions.
  private(set) var hasCaptions = false
  /// Whether the channel carries characters of its text service.
  private(set) var hasText = false

  /// The characters that overwrote a character in the last column.
  private(set) var overwritten = CaptionFaults.Tally()

  private let limits: SubtitleLimits
  /// The number of bytes of text in all screens.
  private var textByteCount = 0
  /// The caption mode, or `nil` before the first command that selects a mode.
  private var mode: CaptionMode?
  private var isInTextMode = false
  private var shown = CaptionMemory()
  private var hidden = CaptionMemory()
  /// The cursor: a row from 0 to 14, and a column from 0 to 32. At column 32, a character overwrites the last column.
  private var row = CaptionArea.rowCount - 1
  private var column = 0
  private var style = CaptionStyle()
  /// The time and line of the first character that is not yet part of a screen.
  private var pending: (time: Int64, line: Int)?
  /// Whether a frame without data has followed the pending characters.
  private var isPaused = false

  init(_ limits: SubtitleLimits) {
    self.limits = limits
  }

  /// Applies a command.
  mutating func apply(_ command: CaptionCommand, _ time: Int64, _ line: Int) throws(SubtitleError) {
    switch command {
    case .resumeCaptionLoading: try select(.popOn)
    case .resumeDirectCaptioning: try select(.paintOn)
    case .rollUp(let depth): try selectRollUp(depth, time, line)
    case .textMode: isInTextMode = true
    case .eraseDisplayedMemory:
      try settle()
      if !shown.isEmpty {
        shown.clear()
        try record(time, line)
      }
    case .eraseNonDisplayedMemory: hidden.clear()
    case .endOfCaption:
      try select(.popOn)
      let hasChange = !shown.isEmpty || !hidden.isEmpty
      swap(&shown, &hidden)
      if hasChange { try record(time, line, isNew: !shown.isEmpty) }
    case _ where isInTextMode: break
    case .carriageReturn: try returnCarriage(time, line)
    case .backspace:
      if column > 0 {
        column -= 1
        try put(nil, time, line)
      }
    case .deleteToEndOfRow:
      if column < CaptionArea.columnCount { try changeMemory(time, line) { $0.clear(row: $1, from: $2) } }
    case .tab(let count): column = min(column + count, CaptionArea.columnCount - 1)
    case .preamble(let row, let column, let color, let isItalic, let isUnderlined):
      try move(to: row - 1)
      self.column = column
      style = CaptionStyle(color: color, isItalic: isItalic, isUnderlined: isUnderlined)
    case .midRow, .blackText, .background, .flashOn: try applyAttribute(command, time, line)
    case .special(let scalar): try write(scalar, time, line)
    case .extended(let scalar):
      // The extended character replaces the basic character before it. Old decoders show only the basic character
      // (CTA-608-E, tables 5 to 10).
      if column > 0 { column -= 1 }
      try write(scalar, time, line)
    case .ignored: break
    }
  }

  /// Writes a character, or a transparent cell for `nil`, and advances the cursor.
  mutating func write(_ scalar: Unicode.Scalar?, _ time: Int64, _ line: Int) throws(SubtitleError) {
    if isInTextMode {
      hasText = true
      return
    }
    guard mode != nil else { return }
    hasCaptions = true
    if column == CaptionArea.columnCount { overwritten.add(1, line) }
    try put(scalar, time, line)
    column = min(column + 1, CaptionArea.columnCount)
  }

  /// Records that a frame carries no data for the channel. Later paint-on characters begin another screen.
  mutating func pause() { isPaused = true }

  /// Records the pending characters as a screen.
  mutating func settle() throws(SubtitleError) {
    guard let pending else { return }
    self.pending = nil
    try record(pending.time, pending.line)
  }

  // MARK: - Modes

  private mutating func select(_ mode: CaptionMode) throws(SubtitleError) {
    isInTextMode = false
    // Each Resume Direct Captioning begins a caption, even if characters were written in the previous frame.
    guard self.mode != mode || mode == .paintOn else { return }
    try settle()
    self.mode = mode
  }

  /// Selects roll-up captions. Erases the captions of another mode and the rows beyond the depth.
  private mutating func selectRollUp(_ depth: Int, _ time: Int64, _ line: Int) throws(SubtitleError) {
    isInTextMode = false
    if case .rollUp(let oldDepth)? = mode {
      guard oldDepth != depth else { return }
      try settle()
      mode = .rollUp(depth: depth)
      if depth < oldDepth, !shown.isEmpty {
        for offset in depth..<oldDepth where row - offset >= 0 { shown.clear(row: row - offset) }
        try record(time, line)
      }
      row = max(row, depth - 1)
      return
    }
    try settle()
    mode = .rollUp(depth: depth)
    (row, column, style) = (CaptionArea.rowCount - 1, 0, CaptionStyle())
    hidden.clear()
    guard !shown.isEmpty else { return }
    shown.clear()
    try record(time, line)
  }

  private mutating func returnCarriage(_ time: Int64, _ line: Int) throws(SubtitleError) {
    guard case .rollUp(let depth)? = mode else { return }
    try settle()
    shown.rollUp(from: max(0, row - depth + 1), to: row)
    column = 0
    style = CaptionStyle()
  }

  /// Moves the cursor to a row. Visible roll-up rows move with the cursor. If they do not fit above the row, the cursor
  /// moves to the highest row that leaves enough rows above it.
  private mutating func move(to target: Int) throws(SubtitleError) {
    guard case .rollUp(let depth)? = mode else {
      row = target
      return
    }
    let base = max(target, depth - 1)
    guard base != row else { return }
    if !shown.isEmpty {
      try settle()
      shown.move(depth: depth, from: row, to: base)
    }
    row = base
  }

  private mutating func applyAttribute(
    _ command: CaptionCommand, _ time: Int64, _ line: Int
  ) throws(SubtitleError) {
    switch command {
    case .midRow(let color, let isUnderlined):
      // A code that changes the style occupies a cell, which becomes a space without style. Styles then cover the
      // words, but not the spaces around them.
      if mode != nil { try putSpace(time, line) }
      if let color { (style.color, style.isItalic) = (color, false) } else { style.isItalic = true }
      style.isUnderlined = isUnderlined
    case .flashOn:
      if mode != nil { try putSpace(time, line) }
    case .background(let color, let alpha):
      (style.background, style.backgroundAlpha) = (color, alpha)
    case .blackText(let isUnderlined):
      (style.color, style.isItalic, style.isUnderlined) = (.black, false, isUnderlined)
    default: break
    }
  }

  private mutating func putSpace(_ time: Int64, _ line: Int) throws(SubtitleError) {
    let kept = style
    style = CaptionStyle()
    try put(" ", time, line)
    style = kept
    column = min(column + 1, CaptionArea.columnCount)
  }

  // MARK: - Memory

  /// Writes a character at the cursor.
  private mutating func put(_ scalar: Unicode.Scalar?, _ time: Int64, _ line: Int) throws(SubtitleError) {
    let style = style
    try changeMemory(time, line) { memory, row, column in
      memory.write(scalar, style, row: row, column: min(column, CaptionArea.columnCount - 1))
    }
  }

  /// Changes the memory of the current mode. A change of visible memory becomes part of the next screen.
  private mutating func changeMemory(
    _ time: Int64, _ line: Int, _ change: (inout CaptionMemory, Int, Int) -> Void
  ) throws(SubtitleError) {
    switch mode {
    case nil: return
    case .popOn?:
      change(&hidden, row, column)
      return
    case .paintOn?:
      if isPaused { try settle() }
    case .rollUp?: break
    }
    isPaused = false
    if pending == nil { pending = (time, line) }
    change(&shown, row, column)
  }

  /// Adds the visible rows as a screen. If they equal the rows of the last screen, a screen is added only if `isNew` is
  /// `true`.
  private mutating func record(_ time: Int64, _ line: Int, isNew: Bool = false) throws(SubtitleError) {
    let rows = shown.isEmpty ? [] : shown.rows
    let screen = CaptionScreen(time: time, rows: rows, mode: mode ?? .popOn, line: line)
    if !isNew, let last = screens.last, last.rows == rows { return }
    if screens.isEmpty, rows.isEmpty { return }
    // If a frame has two screens, replace the first with the second, because viewers never see the first.
    if let last = screens.last, last.time == time { screens.removeLast() }
    guard screens.count < limits.cueCount else {
      throw SubtitleError(.limit, line: line > 0 ? line : nil, "the limit of \(limits.cueCount) captions is exceeded")
    }
    textByteCount += rows.reduce(0) { $0 + $1.text.text.utf8.count + 32 }
    guard textByteCount <= limits.sampleByteCount else {
      throw SubtitleError(
        .limit, line: line > 0 ? line : nil, "the captions exceed the limit of \(limits.sampleByteCount) bytes")
    }
    screens.append(screen)
  }
}
