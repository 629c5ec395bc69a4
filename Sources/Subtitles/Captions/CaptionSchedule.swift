/// Distributes the pairs of screens over frames.
struct CaptionSchedule {
  private var notices: NoticeList
  private var pairs: [TimedCaptionPair] = []
  /// The first frame after all pairs, except for the pairs of the pending erasure.
  private var firstFree: Int64 = 0
  /// The frame in which the last screen is to be erased, or `nil` if the next screen replaces it.
  private var erasure: Int64?
  /// The first frame in which the last screen may be erased. A late screen remains visible for its planned duration, or
  /// for a second if that is shorter. Only another screen may replace it earlier.
  private var earliestErasure: Int64 = 0
  /// The indices of the captions that are visible until the next screen. There are none if an erasure is pending.
  private var visible: Set<Int> = []
  /// The indices of the captions that were shown or dropped.
  private var finished: Set<Int> = []
  /// The number of captions that appear later than requested, the line of the first such caption, and the longest delay
  /// in frames.
  private var delays = (count: 0, firstLine: 0, longest: Int64(0))

  /// The number of frames after the end of a caption in which it may still appear. If captions contain more text than
  /// line 21 can carry, each caption delays the next captions. Dropping a caption after two seconds limits the delay.
  private static let toleratedFrameCount: Int64 = 60

  /// The last frame in which a caption may appear. Time codes count up to a day, and the erasure must fit before the
  /// end of the day.
  private static let lastFrameOfDay: Int64 = 2_589_408 - 8
  /// The frame after the last frame of the movie, or `nil` if the captions are not for a movie.
  private let endFrame: Int64?
  private var lastFrame: Int64 { min(Self.lastFrameOfDay, (endFrame ?? .max) - 1) }
  /// The number of captions that were dropped.
  private(set) var droppedCount = 0

  private static let loading = CaptionPair(code: 0x14, 0x20)
  private static let erasingLoaded = CaptionPair(code: 0x14, 0x2E)
  private static let erasingShown = CaptionPair(code: 0x14, 0x2C)
  private static let showing = CaptionPair(code: 0x14, 0x2F)

  init(_ notices: NoticeList, endFrame: Int64?) {
    self.notices = notices
    self.endFrame = endFrame
  }

  /// Adds a screen. It is visible until the next screen. If the next screen is empty, the screen is erased.
  mutating func add(_ screen: CaptionLayout.Screen, until next: CaptionLayout.Screen) {
    defer { if next.rows.isEmpty { erase(at: next.frame) } }
    let captions = Set(screen.captions.map(\.index))
    // If the previous screen was dropped, captions of an earlier screen may still be visible.
    guard captions != visible else { return }
    var units = [[Self.loading, Self.loading], [Self.erasingLoaded, Self.erasingLoaded]]
    for row in screen.rows { units += row.cells.units(row: row.row, column: row.column) }
    // An erasure less than two frames before the screen is omitted, because the screen replaces the old screen.
    let earliest = max(screen.frame, firstFree + Int64(units.joined().count))
    let erasureFrames = erasure.flatMap { $0 + 2 <= earliest ? $0..<$0 + 2 : nil }
    var frames = Self.forward(units, from: firstFree, around: erasureFrames)
    let start = max(screen.frame, frames.end)
    guard start <= lastFrame, start < next.frame + Self.toleratedFrameCount else {
      drop(screen, until: next, from: start, pairCount: units.joined().count)
      return
    }
    if let backward = Self.backward(units, to: start, around: erasureFrames, from: firstFree) {
      frames.starts = backward
    }
    for caption in screen.captions where finished.insert(caption.index).inserted && start > caption.part.start {
      if delays.count == 0 { delays.firstLine = caption.part.line }
      delays.count += 1
      delays.longest = max(delays.longest, start - caption.part.start)
    }
    if let erasureFrames { append([Self.erasingShown, Self.erasingShown], at: erasureFrames.lowerBound) }
    for (unit, frame) in zip(units, frames.starts) { append(unit, at: frame) }
    append([Self.showing, Self.showing], at: start)
    firstFree = start + 2
    (erasure, visible) = (nil, captions)
    earliestErasure = start + min(max(next.frame - screen.frame, 2), 30)
  }

  /// Drops a screen that cannot be loaded before frame `start`. Its captions are dropped unless another screen shows
  /// them.
  private mutating func drop(
    _ screen: CaptionLayout.Screen, until next: CaptionLayout.Screen, from start: Int64, pairCount: Int
  ) {
    // If the dropped screen contains all captions of the visible screen, the visible screen remains.
    if !visible.isSubset(of: screen.captions.map(\.index)) { erase(at: screen.frame) }
    let later = Set(next.captions.map(\.index))
    for caption in screen.captions where !later.contains(caption.index) && finished.insert(caption.index).inserted {
      droppedCount += 1
      let (kind, reason): (SubtitleNotice.Kind, String) =
        if start > Self.lastFrameOfDay {
          (.droppedPastEnd, "it begins after 24 hours, the limit of time codes")
        } else if start > lastFrame {
          (.droppedPastEnd, "its \(pairCount) pairs cannot be sent before the movie ends")
        } else {
          (.droppedCaption, "its \(pairCount) pairs cannot be sent before it ends")
        }
      notices.add(
        kind, kind == .droppedCaption ? "load" : "", line: caption.part.line, lostText: caption.part.excerpt,
        "\(caption.part.excerpt) was dropped because \(reason)")
    }
  }

  /// Erases the visible captions in the first possible frame from `frame` on.
  private mutating func erase(at frame: Int64) {
    guard !visible.isEmpty else { return }
    (erasure, visible) = (min(max(frame, earliestErasure), Self.lastFrameOfDay + 4), [])
  }

  /// All pairs in the order of their frames.
  var finishedPairs: [TimedCaptionPair] {
    var all = self
    if let erasure { all.append([Self.erasingShown, Self.erasingShown], at: max(erasure, firstFree)) }
    return all.pairs.sorted { $0.time < $1.time }
  }

  /// All notices. One notice reports the longest delay.
  var finishedNotices: NoticeList {
    var notices = notices
    guard delays.count > 0 else { return notices }
    let milliseconds = CaptionFrameRate.line21.milliseconds(ofFrame: delays.longest)
    let isSingle = delays.count == 1
    notices.add(
      .delayedCaptions, "load", line: delays.firstLine,
      "\(counted(delays.count, "caption")) \(isSingle ? "appears" : "appear") up to \(milliseconds) ms late, because "
        + (isSingle ? "its pairs cannot be sent before it starts" : "their pairs cannot be sent before they start"))
    return notices
  }

  private mutating func append(_ unit: [CaptionPair], at frame: Int64) {
    for (index, pair) in unit.enumerated() { pairs.append(TimedCaptionPair(time: frame + Int64(index), pair)) }
  }

  /// Returns the first frame of each unit and the frame after the last unit. The units are sent one after another from
  /// frame `first` on. No unit overlaps `erasureFrames`.
  private static func forward(
    _ units: [[CaptionPair]], from first: Int64, around erasureFrames: Range<Int64>?
  ) -> (starts: [Int64], end: Int64) {
    var next = first
    var starts: [Int64] = []
    for unit in units {
      if let erasureFrames, next < erasureFrames.upperBound, next + Int64(unit.count) > erasureFrames.lowerBound {
        next = erasureFrames.upperBound
      }
      starts.append(next)
      next += Int64(unit.count)
    }
    return (starts, next)
  }

  /// Returns the first frame of each unit if the units are sent one after another and the last unit ends directly
  /// before `end`. Returns `nil` if the first unit would begin before `first`.
  private static func backward(
    _ units: [[CaptionPair]], to end: Int64, around erasureFrames: Range<Int64>?, from first: Int64
  ) -> [Int64]? {
    var next = end
    var starts: [Int64] = []
    for unit in units.reversed() {
      next -= Int64(unit.count)
      if let erasureFrames, next < erasureFrames.upperBound, next + Int64(unit.count) > erasureFrames.lowerBound {
        next = erasureFrames.lowerBound - Int64(unit.count)
      }
      starts.append(next)
    }
    return next >= first ? starts.reversed() : nil
  }
}
