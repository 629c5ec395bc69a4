import MovieBox

extension TrackKind {
  /// The scheme that ISO files name roles in (ISO/IEC 23009-1 5.8.5.5).
  static let roleScheme = "urn:mpeg:dash:role:2011"

  /// What the tags of a track are called in ``roleScheme``, as far as players look for it.
  static func roles(of tags: [MediaCharacteristic]) -> [String] {
    roleTable.filter { row in row.tags.allSatisfy(tags.contains) }.map(\.role)
  }

  /// Whether tags can say the role.
  static func canBeTagged(_ role: String) -> Bool { roleTable.contains { $0.role == role } }

  private static let roleTable: [(role: String, tags: [MediaCharacteristic])] = [
    ("caption", MediaCharacteristic.sdh), ("description", [.describesVideo]), ("commentary", [.auxiliaryContent]),
    ("dub", [.dubbedTranslation]),
  ]
}
