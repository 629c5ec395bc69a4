package import Subtitles

extension CueTiming {
  /// The frame rates of films that subtitles are made for beside that of the movie: old and new.
  private static let frameRateChanges = [
    ("23.976", "24", 23.976, 24), ("29.97", "30", 29.97, 30), ("23.976", "25", 23.976, 25), ("24", "25", 24, 25),
    ("24", "23.976", 24, 23.976), ("30", "29.97", 30, 29.97), ("25", "24", 25, 24), ("25", "23.976", 25, 23.976),
  ]

  /// The change of the frame rate by which all cues lie before `end`, a time of the movie in milliseconds, or `nil` if
  /// none does that.
  package func frameRateChange(bringing cues: [Cue], before end: Int64) -> (old: String, new: String)? {
    guard scale == .one else { return nil }
    for (old, new, oldRate, newRate) in Self.frameRateChanges {
      guard let scale = Scale(fromFrameRate: oldRate, toFrameRate: newRate) else { continue }
      var timing = self
      timing.scale = scale
      if cues.allSatisfy({ timing.movieMilliseconds($0.endMilliseconds) <= end }) { return (old, new) }
    }
    return nil
  }
}
