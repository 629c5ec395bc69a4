/// What a WebVTT file says of its cues in its own words, for tracks that hold WebVTT: more than cues of all formats have.
public struct WebVTTSource: Hashable, Sendable {
  /// The words of one cue.
  public struct CueSource: Hashable, Sendable {
    /// The line before its times; empty where there is none.
    public var identifier: String
    /// What stands behind its times.
    public var settings: String
    /// Its text, with tags.
    public var text: String
    /// When it begins on the clock that times in its text are of, in milliseconds.
    public var startMilliseconds: Int64
  }

  /// The first line, with what else the header says, and the blocks of styles and regions.
  public var header: String
  /// The cues, in the order of the file's.
  public var cues: [CueSource]
}

extension SubtitleFile {
  /// The notices that hold for a track of this format: in one of WebVTT, all is as the file says, and what players
  /// ignore in the file they ignore there.
  public func notices(for format: SubtitleTrackFormat) -> [SubtitleNotice] {
    guard format == .webVTT, webVTT != nil else { return notices }
    return notices.filter {
      switch $0.kind {
      case .approximatedPlacement, .strayTag, .unclosedTag: false
      case .ignoredSetting, .lateDefinition: true
      default: $0.kind.effect != .inexpressible
      }
    }
  }
}
