/// The times and settings of a cue (WebVTT, clause 6.3), in the form `[HH:]MM:SS.mmm --> [HH:]MM:SS.mmm settings`.
struct WebVTTTiming {
  /// The start in milliseconds.
  let startMilliseconds: Int64
  /// The end in milliseconds.
  let endMilliseconds: Int64
  /// The range of the bytes after the times.
  let settings: Range<Int>
  /// Text after the times that is not a setting. It belongs to the cue. Players drop lines with this text.
  private(set) var text: Range<Int>?
  /// Whether the times do not conform to the specification. Players drop the cue in this case.
  let isUnusual: Bool

  /// Parses the times in `range` according to the specification. A comma before the milliseconds is accepted as well.
  init?(_ text: [UInt8], _ range: Range<Int>) {
    var reader = WebVTTTimeReader(text[range])
    reader.skipBlanks()
    guard let start = reader.readTime() else { return nil }
    reader.skipBlanks()
    guard reader.skip("-"), reader.skip("-"), reader.skip(">") else { return nil }
    reader.skipBlanks()
    guard let end = reader.readTime() else { return nil }
    startMilliseconds = start
    endMilliseconds = end
    settings = reader.rest.startIndex..<range.upperBound
    isUnusual = reader.hasComma
  }

  /// Parses the times in `range`. Accepts deviations that SubRip files contain, such as short fractions, single digits
  /// and surrounding signs. As players do, rejects negative times, and minutes or seconds of 60 or more.
  init?(lenient text: [UInt8], _ range: Range<Int>, _ fractions: FractionRule) {
    guard let timing = SubRipTiming(text, range), timing.hasUsualArrow, !timing.hasFieldAboveLimit,
      [timing.startTime, timing.endTime].allSatisfy({ !$0.isNegative && ($0.hasHours || $0.seconds < 3_600) })
    else { return nil }
    startMilliseconds = timing.startTime.milliseconds(fractions)
    endMilliseconds = timing.endTime.milliseconds(fractions)
    settings = timing.text == nil ? timing.rest : timing.rest.upperBound..<timing.rest.upperBound
    self.text = timing.text
    isUnusual = true
  }
}

struct WebVTTTimeReader {
  private(set) var rest: ArraySlice<UInt8>
  private(set) var hasComma = false

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  /// Parses a time ("collect a WebVTT timestamp") and returns it in milliseconds. The hours are optional and may have
  /// any number of digits.
  mutating func readTime() -> Int64? {
    guard let first = readNumber() else { return nil }
    var (hours, minutes, seconds) = (Int64(0), first.value, Int64(0))
    guard skip(":"), let second = readNumber(), second.digitCount == 2 else { return nil }
    seconds = second.value
    if first.digitCount != 2 || first.value > 59 || rest.first == UInt8(ascii: ":") {
      guard skip(":"), let third = readNumber(), third.digitCount == 2 else { return nil }
      (hours, minutes, seconds) = (first.value, second.value, third.value)
    }
    if !skip(".") {
      guard skip(",") else { return nil }
      hasComma = true
    }
    guard let fraction = readNumber(), fraction.digitCount == 3, minutes <= 59, seconds <= 59 else { return nil }
    // The sum cannot overflow, because the hours have at most twelve digits.
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000 + fraction.value
  }

  private mutating func readNumber() -> (value: Int64, digitCount: Int)? {
    let digits = rest.prefix(while: Ascii.isDigit)
    rest = rest.dropFirst(digits.count)
    // The bytes are digits, so the number is invalid only if it is empty or has more than twelve digits.
    let value = digits.drop { $0 == UInt8(ascii: "0") }
    guard !digits.isEmpty, value.count <= 12 else { return nil }
    return (value.reduce(0) { $0 * 10 + Int64($1 - 0x30) }, digits.count)
  }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard let first = rest.first, first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  mutating func skipBlanks() { rest = rest.drop { Ascii.isBlank($0) || $0 == Ascii.formFeed } }
}
