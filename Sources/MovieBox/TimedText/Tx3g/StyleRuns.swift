// Styles by position in the text. `tx3g` counts code points, but some players count UTF-16 units. `StyleOffsets`
// prefers offsets that have an equal meaning in both units.

import Subtitles

/// Builds the style runs of a text from styled ranges that are added in order.
struct StyleRuns {
  /// The style of characters outside the added ranges.
  private let base: StyledText.Style
  private let count: Int
  private(set) var runs: [StyledText.Run] = []
  /// The end of the characters whose style is set.
  private var end = 0

  /// Creates runs for a text of `count` characters.
  init(count: Int, base: StyledText.Style) {
    self.count = count
    self.base = base
  }

  /// Adds a styled range, clipped to the text and to the characters after the previous ranges.
  mutating func add(_ range: Range<Int>, _ style: StyledText.Style) {
    let start = max(range.lowerBound, end)
    let stop = min(range.upperBound, count)
    guard start < stop else { return }
    runs.appendRun(end..<start, base)
    runs.appendRun(start..<stop, style)
    end = stop
  }

  /// Completes and returns the runs.
  mutating func finish() -> [StyledText.Run] {
    runs.appendRun(end..<count, base)
    end = count
    return runs
  }
}

/// Style runs whose offsets refer to the same letters in all players, if possible.
///
/// Offsets count code points (3GPP TS 26.245, clause 5.2), but some players count UTF-16 units. The units differ
/// after a character beyond U+FFFF. Styles are hardly visible on blanks, so a run may begin and end anywhere in the
/// blanks around its letters. If possible, each offset is a number that lies within these blanks in both units.
struct StyleOffsets {
  /// The ordered, disjoint runs, with offsets in code points.
  let runs: [StyledText.Run]
  /// Whether a run affects different letters in players that count UTF-16 units.
  let isAmbiguous: Bool

  /// Chooses the offsets for `runs`, which must be ordered, disjoint and within `text`.
  init(of runs: [StyledText.Run], in text: String) {
    guard !runs.isEmpty, text.utf8.contains(where: { $0 >= 0xF0 }) else {
      self.runs = runs
      isAmbiguous = false
      return
    }
    let map = ScalarMap(text)
    var chosenRuns: [StyledText.Run] = []
    var isAmbiguous = false
    for run in runs {
      let end = chosenRuns.last?.range.upperBound ?? 0
      let (range, isSame) = map.stretched(run.range, after: end, keepsBlanks: run.style.isUnderlined)
      if !isSame { isAmbiguous = true }
      if !range.isEmpty { chosenRuns.append(StyledText.Run(range, run.style)) }
    }
    self.runs = chosenRuns
    self.isAmbiguous = isAmbiguous
  }
}

/// The positions of letters, blanks and characters beyond U+FFFF in a text.
private struct ScalarMap {
  /// The number of characters beyond U+FFFF before each character and before the end.
  private var extraUnits: [Int] = [0]
  /// The end of the last letter before each character.
  private var letterEnds: [Int] = [0]
  /// The position of the first letter at or after each character.
  private var nextLetterPositions: [Int]

  init(_ text: String) {
    var isBlank: [Bool] = []
    for scalar in text.unicodeScalars {
      let blank = scalar.isBlank
      isBlank.append(blank)
      extraUnits.append((extraUnits.last ?? 0) + (scalar.value > 0xFFFF ? 1 : 0))
      letterEnds.append(blank ? letterEnds.last ?? 0 : isBlank.count)
    }
    nextLetterPositions = Array(repeating: isBlank.count, count: isBlank.count + 1)
    for index in isBlank.indices.reversed() {
      nextLetterPositions[index] = isBlank[index] ? nextLetterPositions[index + 1] : index
    }
  }

  /// Returns offsets for `range` that do not begin before `previousEnd`. Also returns whether the offsets style the
  /// same letters in both units.
  ///
  /// Each bound is chosen between the start of the blanks in UTF-16 units and the end of the blanks in code points. A
  /// number in this range is within the blanks in both units.
  func stretched(
    _ range: Range<Int>, after previousEnd: Int, keepsBlanks: Bool
  ) -> (range: Range<Int>, isSame: Bool) {
    let firstLetter = nextLetterPositions[range.lowerBound]
    let lastEnd = letterEnds[range.upperBound]
    guard firstLetter < lastEnd else {
      // A range of blanks needs a style only if the text is underlined, because no other style is visible on blanks.
      let kept = max(range.lowerBound, previousEnd)..<max(range.upperBound, previousEnd)
      return keepsBlanks ? (kept, extraUnits[range.upperBound] == 0) : (previousEnd..<previousEnd, true)
    }
    let lowestStart = letterEnds[firstLetter] + extraUnits[firstLetter]
    let lowestEnd = lastEnd + extraUnits[lastEnd]
    let highestEnd = nextLetterPositions[range.upperBound]
    guard lowestStart <= firstLetter, lowestEnd <= highestEnd else {
      return (max(range.lowerBound, previousEnd)..<range.upperBound, false)
    }
    let start = min(max(range.lowerBound, lowestStart, previousEnd), firstLetter)
    let end = min(max(range.upperBound, lowestEnd), highestEnd)
    return (start..<end, true)
  }
}

extension Unicode.Scalar {
  /// Whether the scalar has the property White_Space (Unicode, PropList.txt). The standard library determines this
  /// property more slowly, by looking it up in tables.
  fileprivate var isBlank: Bool {
    switch value {
    case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }
}
