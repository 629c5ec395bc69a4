public import Subtitles

/// What a text track shows at any time, and all that it shows: after AVPlayerItemLegibleOutput.
///
///     let output = LegibleOutput(try movie.text(ofTrack: 4, from: source))
///     for text in output.texts(at: 62_500) { print(text.text, text.alignment, text.linePositionInPercent) }
///     for text in output { index(text.text, at: text.startMilliseconds) }
///
/// A collection of all texts, ordered by their start, for an index to search in.
public struct LegibleOutput: RandomAccessCollection, Sendable {
  private let cues: [Cue]
  /// The latest end of each cue and those before it.
  private let latestEnds: [Int64]

  /// The output of a track. Costs one pass over its cues.
  public init(_ track: TextTrack) {
    self.init(track.cues)
  }

  /// The output of cues, in any order.
  public init(_ cues: [Cue]) {
    let isOrdered = zip(cues, cues.dropFirst()).allSatisfy { $0.startMilliseconds <= $1.startMilliseconds }
    self.cues = isOrdered ? cues : LegibleOutput.ordered(cues)
    var ends: [Int64] = []
    ends.reserveCapacity(cues.count)
    for cue in self.cues { ends.append(Swift.max(ends.last ?? Int64.min, cue.endMilliseconds)) }
    latestEnds = ends
  }

  private static func ordered(_ cues: [Cue]) -> [Cue] {
    cues.enumerated().sorted {
      ($0.element.startMilliseconds, $0.offset) < ($1.element.startMilliseconds, $1.offset)
    }.map(\.element)
  }

  /// Zero.
  public var startIndex: Int { 0 }
  /// How many texts there are.
  public var endIndex: Int { cues.count }

  /// The text at `index`, which must be below ``endIndex``.
  public subscript(index: Int) -> LegibleText { LegibleText(cues[index]) }

  /// What is on the screen at a time, in milliseconds of the movie's presentation clock; what began first comes first.
  ///
  /// With `onlyForced`, what is there although subtitles are off. Costs two searches, and the cues between the first
  /// that lasts beyond the time and the last that begins before it.
  public func texts(at milliseconds: Int64, onlyForced: Bool = false) -> [LegibleText] {
    let first = latestEnds.partitioningIndex { $0 > milliseconds }
    return cues[first...].prefix { $0.startMilliseconds <= milliseconds }
      .filter { $0.endMilliseconds > milliseconds && ($0.isForced || !onlyForced) }.map { LegibleText($0) }
  }

  /// When the screen changes next after a time; `nil` where nothing changes any more. Costs as
  /// ``texts(at:onlyForced:)`` does.
  public func nextChange(after milliseconds: Int64) -> Int64? {
    let first = latestEnds.partitioningIndex { $0 > milliseconds }
    var next: Int64?
    for cue in cues[first...] {
      guard cue.startMilliseconds <= milliseconds else { return Swift.min(next ?? Int64.max, cue.startMilliseconds) }
      if cue.endMilliseconds > milliseconds { next = Swift.min(next ?? Int64.max, cue.endMilliseconds) }
    }
    return next
  }
}
