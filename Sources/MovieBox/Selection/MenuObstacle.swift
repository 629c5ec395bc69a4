/// What keeps subtitles out of the menus of Apple's players (QTFF "Subtitle Media", "Closed Caption Media"; GPAC issues
/// 1573 and 1861).
enum MenuObstacle: Hashable, Sendable {
  /// The handler is that of text, with this format.
  case handler(FourCC)
  /// The samples are of the first format, and should be of one of the others.
  case format(FourCC, listed: [FourCC])

  /// What the track has.
  var description: String {
    switch self {
    case .handler(let format): "the handler \"text\" (entry \(format)), not \"sbtl\""
    case .format(let format, let listed):
      "samples of \(format), not \(listed.map(\.description).joined(separator: " or "))"
    }
  }
}

extension Track {
  /// What keeps the track out of the menu of subtitles; `nil` where nothing does, and for other tracks.
  var menuObstacle: MenuObstacle? {
    guard mediaType.isLegible, let format = sampleDescriptions.entries.first?.format else { return nil }
    if mediaType == .text, format == "tx3g" || format == "text" { return .handler(format) }
    let listed: [FourCC] = mediaType == .closedCaption ? ["c608", "c708"] : ["tx3g"]
    return listed.contains(format) ? nil : .format(format, listed: listed)
  }
}
