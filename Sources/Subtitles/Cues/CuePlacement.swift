/// Where a cue stands on the picture, as far as subtitle files say.
///
///     let sign = CuePlacement(vertical: .top)
public struct CuePlacement: Hashable, Sendable {
  /// How high.
  public enum Vertical: Hashable, Sendable {
    /// Along the lower edge, where subtitles stand unless set otherwise.
    case bottom
    /// Half way up.
    case middle
    /// Along the upper edge.
    case top
    /// With its upper edge this far below that of the picture, in hundredths of a percent of the picture's height: 0 to
    /// 10 000.
    case below(hundredthsOfPercent: Int)
  }

  /// Which side. Subtitle tracks of a movie know the centre only.
  public enum Horizontal: Hashable, Sendable {
    /// Along the left edge.
    case left
    /// In the middle.
    case center
    /// Along the right edge.
    case right
  }

  /// How high.
  public var vertical: Vertical
  /// Which side.
  public var horizontal: Horizontal

  /// A place; without arguments it is that of subtitles that nothing is said of.
  public init(vertical: Vertical = .bottom, horizontal: Horizontal = .center) {
    self.vertical = vertical
    self.horizontal = horizontal
  }

  /// In the middle of the lower edge.
  public static let standard = CuePlacement()

  /// The place that a number pad shows: 1 to 3 at the bottom from left to right, 7 to 9 at the top, as `{\an8}` counts.
  /// Fails for other numbers.
  public init?(keypad digit: Int) {
    guard (1...9).contains(digit) else { return nil }
    vertical = [.bottom, .middle, .top][(digit - 1) / 3]
    horizontal = [.left, .center, .right][(digit - 1) % 3]
  }
}

extension CuePlacement.Vertical {
  /// How far below the picture's upper edge, in hundredths of a percent, for comparing places.
  package var depth: Int {
    switch self {
    case .top: 0
    case .below(let depth): depth
    case .middle: 5_000
    case .bottom: 10_001
    }
  }
}
