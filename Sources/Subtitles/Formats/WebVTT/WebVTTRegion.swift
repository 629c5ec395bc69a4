/// A part of the picture that cues are shown in (WebVTT, clause 6.2). Percentages are in hundredths.
struct WebVTTRegion {
  private(set) var identifier = ""
  private var lineCount = 3
  private var anchorY = 10_000
  private var viewportAnchorY = 10_000
  private(set) var viewportAnchorX = 0
  private(set) var anchorX = 0
  private(set) var width = 10_000
  /// What is not understood, or cannot be done, as it stands there.
  private(set) var ignored: [String] = []

  /// The region that the lines of a REGION block define; fails without an `id`.
  init?(_ bytes: [UInt8]) {
    ignored = WebVTTCueSettings.read(bytes) { take($0, $1) }
    guard !identifier.isEmpty else { return nil }
  }

  private mutating func take(_ name: String, _ value: Substring) -> Bool {
    switch name {
    case "id": identifier = String(value)
    case "width":
      guard let percent = WebVTTCueSettings.percent(value) else { return false }
      width = percent
    case "lines":
      guard value.utf8.allSatisfy(Ascii.isDigit) else { return false }
      lineCount = Int(value).map { min($0, 1_000) } ?? 1_000
    case "regionanchor":
      guard let pair = Self.pair(value) else { return false }
      (anchorX, anchorY) = pair
    case "viewportanchor":
      guard let pair = Self.pair(value) else { return false }
      (viewportAnchorX, viewportAnchorY) = pair
    default: return false  // `scroll` too: nothing scrolls.
    }
    return true
  }

  private static func pair(_ text: Substring) -> (Int, Int)? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let x = WebVTTCueSettings.percent(parts[0]), let y = WebVTTCueSettings.percent(parts[1])
    else { return nil }
    return (x, y)
  }

  /// How far the region's upper edge is below that of the picture; a line is taken for 5.33 % of the
  /// picture's height.
  private var top: Int { viewportAnchorY - lineCount * 533 * anchorY / 10_000 }

  /// How high the region stands. Its cues fill it from below.
  var vertical: CuePlacement.Vertical {
    if top <= 500 { return .top }
    return top + lineCount * 533 >= 9_000 ? .bottom : .below(hundredthsOfPercent: min(top, 10_000))
  }

  /// The middle of the region, from the left.
  var center: Int { viewportAnchorX - width * anchorX / 10_000 + width / 2 }
}
