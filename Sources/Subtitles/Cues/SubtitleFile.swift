/// What a subtitle file says, whatever its format.
public struct SubtitleFile: Hashable, Sendable {
  /// The cues in the order of the file, at least one.
  public var cues: [Cue]
  /// How many further cues the file has that were dropped in reading: without text, or without times that make sense.
  public var droppedCueCount: Int
  /// What was repaired, dropped or cannot be expressed, in the order of the file.
  public var notices: [SubtitleNotice]
  /// The language that the header of a WebVTT file names (`Language: pt-BR`), as it stands there, or `nil` if it names
  /// none.
  public var language: String?
  /// The number of files that were put together into this one, each with a WebVTT header of its own.
  package var partCount = 1
  /// What a WebVTT file says of its cues in its own words; `nil` for a file of another format.
  package var webVTT: WebVTTSource?

  /// A file of these cues.
  public init(cues: [Cue], droppedCueCount: Int = 0, notices: [SubtitleNotice]) {
    self.cues = cues
    self.droppedCueCount = droppedCueCount
    self.notices = notices
  }
}
