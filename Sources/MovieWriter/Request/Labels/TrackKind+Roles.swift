import MovieBox

extension TrackKind {
  /// The scheme that ISO files name roles in (ISO/IEC 23009-1 5.8.5.5).
  static let roleScheme = "urn:mpeg:dash:role:2011"

  /// What the tags of a track are called in ``roleScheme``, as far as players look for it; and that its subtitles are
  /// forced only, which is not a tag.
  static func roles(of tags: [MediaCharacteristic], isForcedOnly: Bool) -> Set<String> {
    var roles = Set(roleTable.filter { row in row.tags.allSatisfy(tags.contains) }.map(\.role))
    if isForcedOnly { roles.insert(forced) }
    return roles
  }

  /// Whether tags can say the role, or forcing.
  static func canBeTagged(_ role: String) -> Bool { role == forced || roleTable.contains { $0.role == role } }

  private static let forced = "forced-subtitle"

  private static let roleTable: [(role: String, tags: [MediaCharacteristic])] = [
    ("caption", MediaCharacteristic.sdh), ("description", [.describesVideo]), ("commentary", [.auxiliaryContent]),
    ("dub", [.dubbedTranslation]), ("easyreader", [.easyToRead]),
  ]
}
