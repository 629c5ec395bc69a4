extension Track {
  /// The name in a player's menu: the language, "SDH" or "CC" where the tags say so, and the title.
  public var displayName: String {
    var name = language?.englishName ?? (mediaType == .video ? "Video" : "Unknown language")
    if isSDH {
      name += " SDH"
    } else if mediaType == .closedCaption {
      name += " CC"
    }
    if taggedCharacteristics.contains(.describesVideo) { name += ", audio description" }
    if let title, !title.isEmpty { name += " — " + title }
    return name
  }
}
