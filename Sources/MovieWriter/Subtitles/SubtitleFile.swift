/// What a subtitle file says, whatever its format.
public struct SubtitleFile: Hashable, Sendable {
  /// The cues in the order of the file, at least one.
  public var cues: [Cue]
  /// What was repaired, dropped or cannot be expressed, in the order of the file.
  public var notices: [SubtitleNotice]

  /// A file of these cues.
  public init(cues: [Cue], notices: [SubtitleNotice]) {
    self.cues = cues
    self.notices = notices
  }
}
