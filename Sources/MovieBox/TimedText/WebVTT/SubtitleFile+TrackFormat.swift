public import Subtitles

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
