/// A part of the picture that cues are shown in (WebVTT, clause 6.2). Percentages are in hundredths.
struct WebVTTRegion {
  let identifier: String
  private var lineCount = 3
  private var anchorY = 10_000
  private var viewportAnchorY = 10_000
  private(set) var viewportAnchorX = 0
  private(set) var anchorX = 0
  private(set) var width = 10_000

  /// The region that the lines of a REGION block define; fails without an `id`.
  init?(_ bytes: [UInt8]) {
    var identifier: String?
    for item in bytes.split(whereSeparator: { Ascii.isBlank($0) || $0 == Ascii.formFeed || $0 == Ascii.lineFeed }) {
      let halves = String(decoding: item, as: UTF8.self).split(separator: ":", maxSplits: 1)
      guard halves.count == 2 else { continue }
      let value = halves[1]
      switch halves[0] {
      case "id": identifier = String(value)
      case "width": width = WebVTTCueSettings.percent(value) ?? width
      case "lines": if value.utf8.allSatisfy(Ascii.isDigit) { lineCount = Int(value).map { min($0, 1_000) } ?? 1_000 }
      case "regionanchor": if let pair = Self.pair(value) { (anchorX, anchorY) = pair }
      case "viewportanchor": if let pair = Self.pair(value) { (viewportAnchorX, viewportAnchorY) = pair }
      default: break  // `scroll`: nothing scrolls.
      }
    }
    guard let identifier else { return nil }
    self.identifier = identifier
  }

  private static func pair(_ text: Substring) -> (Int, Int)? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let x = WebVTTCueSettings.percent(parts[0]), let y = WebVTTCueSettings.percent(parts[1])
    else { return nil }
    return (x, y)
  }

  /// How far the region's upper edge is below that of the picture; lines are 6 vh high at most, as players lay them out.
  private var top: Int { viewportAnchorY - lineCount * 533 * anchorY / 10_000 }

  /// How high the region stands. Its cues fill it from below.
  var vertical: CuePlacement.Vertical {
    if top <= 500 { return .top }
    return top + lineCount * 533 >= 9_000 ? .bottom : .below(hundredthsOfPercent: min(top, 10_000))
  }

  /// The middle of the region, from the left.
  var center: Int { viewportAnchorX - width * anchorX / 10_000 + width / 2 }
}
