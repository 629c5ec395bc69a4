// Where a cue stands, as the settings of WebVTT say it (WebVTT, clause 4.4).
extension WebVTTCueSettings {
  /// The place that the settings name. In a region that is shown, the region's.
  func placement(in region: WebVTTRegion?) -> CuePlacement {
    // Vertical text stands at the left or right edge, which nothing else here does.
    guard !isVertical else { return .standard }
    guard let region = shown(region) else { return CuePlacement(vertical: vertical.place, horizontal: horizontal) }
    return CuePlacement(vertical: region.vertical, horizontal: Self.side(region.center, alignment))
  }

  /// Whether the vertical place is one of several that players could choose.
  func isApproximated(in region: WebVTTRegion?) -> Bool {
    !isVertical && (shown(region) != nil || vertical.isApproximated)
  }

  /// What other formats than WebVTT have no word for, for notices.
  var inexpressible: [String] {
    if isVertical { return ["vertical writing cannot be expressed, written in lines"] }
    if size < 10_000 { return ["the width of a cue (size) cannot be expressed, ignored"] }
    return []
  }

  /// Cues that say their own place stand in no region.
  private func shown(_ region: WebVTTRegion?) -> WebVTTRegion? {
    line == nil && size == 10_000 && !isVertical ? region : nil
  }

  /// Lines are counted on a picture that has room for about 18, for WebVTT asks for a font of 5 % of its height, and
  /// some space is between lines. Subtitles stand in the last four.
  private var vertical: (place: CuePlacement.Vertical, isApproximated: Bool) {
    switch line {
    case nil: return (.bottom, false)
    case .number(0): return (.top, false)
    case .number(let number) where number >= 14 || (-4...(-1)).contains(number): return (.bottom, false)
    case .number(let number):
      let fromTop = number < 0 ? 18 + number : number
      return (fromTop > 0 ? .below(hundredthsOfPercent: fromTop * 10_000 / 18) : .top, true)
    case .percent(let percent):
      let place = place(percent)
      return (place, lineAnchor != .start && place != .middle && place != .bottom)
    }
  }

  private func place(_ percent: Int) -> CuePlacement.Vertical {
    switch lineAnchor {
    case _ where percent >= 9_000: return .bottom
    case .center where percent == 5_000: return .middle
    // Text takes about as much room as the strip that subtitles stand in.
    case .start: return percent == 0 ? .top : .below(hundredthsOfPercent: percent)
    case .center: return percent <= 750 ? .top : .below(hundredthsOfPercent: percent - 750)
    case .end: return percent <= 1_500 ? .top : .below(hundredthsOfPercent: percent - 1_500)
    }
  }

  private var horizontal: CuePlacement.Horizontal {
    switch alignment {
    case .start: return Self.side(position ?? 0, .center)
    case .end: return Self.side(position ?? 10_000, .center)
    case .center:
      let position = position ?? 5_000
      switch positionAnchor ?? .center {
      case .start: return Self.side(position + min(size, 10_000 - position) / 2, .center)
      case .center: return Self.side(position, .center)
      case .end: return Self.side(position - min(size, position) / 2, .center)
      }
    }
  }

  /// A third of the picture each; in the middle third, the alignment says which.
  private static func side(_ position: Int, _ alignment: Anchor) -> CuePlacement.Horizontal {
    if position < 3_400 { return .left }
    if position > 6_600 { return .right }
    switch alignment {
    case .start: return .left
    case .center: return .center
    case .end: return .right
    }
  }
}

extension CuePlacement.Vertical {
  /// The place in words, for notices.
  var description: String {
    switch self {
    case .bottom: "the bottom of the picture"
    case .middle: "the middle of the picture"
    case .top: "the top of the picture"
    case .below(let hundredths): "\(hundredths / 100) % below the top of the picture"
    }
  }
}
