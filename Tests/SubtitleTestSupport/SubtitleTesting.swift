public import Subtitles

/// Reads SubRip from text.
public func readSubRip(_ text: String) throws(SubtitleError) -> SubtitleFile {
  try SubRipReader.read(Array(text.utf8))
}

/// Reads WebVTT from the blocks after its signature and a blank line.
public func readWebVTT(_ blocks: String) throws(SubtitleError) -> SubtitleFile {
  try readWebVTT(whole: "WEBVTT\n\n" + blocks)
}

/// Reads WebVTT from text.
public func readWebVTT(whole text: String) throws(SubtitleError) -> SubtitleFile {
  try WebVTTReader.read(Array(text.utf8))
}

extension SubRipReader {
  /// Reads a whole file.
  package static func read(
    _ bytes: [UInt8], limits: SubtitleLimits = SubtitleLimits()
  ) throws(SubtitleError) -> SubtitleFile {
    try read(SubtitleText(bytes, limits: limits), limits: limits)
  }
}

extension WebVTTReader {
  /// Reads a whole file.
  package static func read(
    _ bytes: [UInt8], limits: SubtitleLimits = SubtitleLimits()
  ) throws(SubtitleError) -> SubtitleFile {
    try read(SubtitleText(bytes, limits: limits), limits: limits)
  }
}

extension SubtitleFile {
  /// The texts of the cues.
  public var texts: [String] { cues.map(\.text.text) }
  /// The times of the cues.
  public var times: [[Int64]] { cues.map { [$0.startMilliseconds, $0.endMilliseconds] } }
  /// The distinct kinds of the notices, in the order of first occurrence.
  public var kinds: [SubtitleNotice.Kind] { notices.distinctKinds }
}

extension [SubtitleNotice] {
  /// The distinct kinds, in the order of first occurrence.
  public var distinctKinds: [SubtitleNotice.Kind] {
    reduce(into: []) { kinds, notice in
      if !kinds.contains(notice.kind) { kinds.append(notice.kind) }
    }
  }
}

/// Returns a plain cue.
public func cue(_ start: Int64, _ end: Int64, _ text: String, isForced: Bool = false, line: Int = 0) -> Cue {
  Cue(startMilliseconds: start, endMilliseconds: end, text: StyledText(text), isForced: isForced, line: line)
}

/// A SplitMix64 generator, which returns equal numbers for equal seeds on every system.
public struct SubtitleRandom {
  private var state: UInt64

  /// Creates a generator with this seed.
  public init(seed: UInt64) {
    state = seed
  }

  /// Returns the next number, below `bound`.
  public mutating func next(below bound: UInt64) -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return (value ^ (value >> 31)) % bound
  }
}
