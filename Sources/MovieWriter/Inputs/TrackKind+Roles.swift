import MovieBox

extension TrackKind {
  /// The scheme that ISO files name roles in (ISO/IEC 23009-1 5.8.5.5).
  static let roleScheme = "urn:mpeg:dash:role:2011"

  /// What the tags of a track are called in ``roleScheme``, as far as players look for it.
  static func roles(of tags: [MediaCharacteristic]) -> [String] {
    var roles: [String] = []
    if MediaCharacteristic.areSDH(tags) { roles.append("caption") }
    if tags.contains(.describesVideo) { roles.append("description") }
    if tags.contains(.auxiliaryContent) { roles.append("commentary") }
    if tags.contains(.dubbedTranslation) { roles.append("dub") }
    return roles
  }
}
