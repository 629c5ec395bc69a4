import MovieBox

/// What a track says of itself to people, and to players that choose among tracks.
struct TrackLabels: Hashable, Sendable {
  /// The language; `nil` is undetermined.
  var language: LanguageTag?
  /// The title that a player shows; `nil` for none.
  var title: String?
  /// Whether the title is written in all its atoms though it is the one that the track has.
  var completesTitle = false
  /// Whether the language is rewritten though it is the one that the track has.
  var rewritesLanguage = false
  /// Whether tags with a NUL are rewritten though they are those that the track has.
  var rewritesTags = false
  /// The tags, in order, once each.
  private(set) var characteristics: [MediaCharacteristic]
  /// What ``TrackKind/roleScheme`` calls the track, as far as tags or forcing say the same.
  private(set) var roles: Set<String>
  /// Whether a player chooses the track only when a viewer picks it (`txas`).
  var isExcludedFromAutomaticSelection: Bool
  /// Whether the sample descriptions say that every sample is forced.
  private(set) var containsOnlyForcedSubtitles: Bool

  /// The labels of a track as it is.
  init(_ track: Track) {
    language = track.language
    title = track.title
    characteristics = track.taggedCharacteristics
    roles = []
    for kind in track.kinds where kind.schemeURI == TrackKind.roleScheme && TrackKind.canBeTagged(kind.value) {
      roles.insert(kind.value)
    }
    isExcludedFromAutomaticSelection = track.isExcludedFromAutomaticSelection
    containsOnlyForcedSubtitles = track.containsOnlyForcedSubtitles
  }

  /// The labels of a track of another movie, as they will be in this one.
  init(_ input: MovieTrackInput, in dialect: Dialect) {
    self.init(input.track)
    language = input.languageTag?.ifDetermined
    title = input.title
    setCharacteristics(input.mediaCharacteristics, in: dialect)
  }

  /// The labels of a track that has a language alone.
  init(language: LanguageTag?) {
    self.language = language
    (characteristics, roles) = ([], [])
    (isExcludedFromAutomaticSelection, containsOnlyForcedSubtitles) = (false, false)
  }

  /// The labels of a track made of cues.
  init(_ input: TrackInput, in dialect: Dialect) {
    language = input.languageTag?.ifDetermined
    title = input.title
    characteristics = input.mediaCharacteristics
    isExcludedFromAutomaticSelection = false
    containsOnlyForcedSubtitles = input.containsOnlyForcedSubtitles
    roles = []
    if dialect == .iso { roles = impliedRoles }
  }

  /// The code for `mdhd` and for titles.
  var languageCode: UInt16 { language.map { LanguageCode.packed(for: $0) } ?? LanguageCode.undetermined }

  /// Sets the tags. What says the same in other words follows: roles, in ISO files; for auxiliary content `txas`, which
  /// QTFF has both say ("Track Exclude From Autoselection").
  mutating func setCharacteristics(_ tags: [MediaCharacteristic], in dialect: Dialect) {
    let before = impliedRoles
    let (wasAuxiliary, isAuxiliary) = (characteristics.contains(.auxiliaryContent), tags.contains(.auxiliaryContent))
    if wasAuxiliary != isAuxiliary { isExcludedFromAutomaticSelection = isAuxiliary }
    characteristics = tags
    followRoles(from: before, in: dialect)
  }

  /// Says whether every sample is forced; the role follows, in ISO files.
  mutating func setForcedOnly(_ isForcedOnly: Bool, in dialect: Dialect) {
    let before = impliedRoles
    containsOnlyForcedSubtitles = isForcedOnly
    followRoles(from: before, in: dialect)
  }

  /// The roles that tags and forcing say.
  private var impliedRoles: Set<String> {
    TrackKind.roles(of: characteristics, isForcedOnly: containsOnlyForcedSubtitles)
  }

  /// Takes away the roles that are said no longer, and adds those that are said now.
  private mutating func followRoles(from before: Set<String>, in dialect: Dialect) {
    let after = impliedRoles
    roles.subtract(before.subtracting(after))
    if dialect == .iso { roles.formUnion(after.subtracting(before)) }
  }

  /// Makes the roles those that the tags say, neither more nor fewer; in QuickTime files none is added.
  mutating func setRolesByTags(in dialect: Dialect) {
    roles = dialect == .iso ? impliedRoles : roles.intersection(impliedRoles)
  }

  /// Adds the roles that the tags say, in ISO files.
  mutating func addRolesByTags(in dialect: Dialect) {
    if dialect == .iso { roles.formUnion(impliedRoles) }
  }

  /// A `txas` atom, which is empty.
  static var exclusionAtom: [UInt8] {
    var writer = ByteWriter()
    writer.atom("txas") { _ in }
    return writer.bytes
  }

  /// Whether two tracks say the same, however they say it.
  func isEquivalent(to other: TrackLabels) -> Bool {
    var (one, other) = (self, other)
    (one.completesTitle, other.completesTitle) = (false, false)
    (one.rewritesLanguage, other.rewritesLanguage) = (false, false)
    (one.rewritesTags, other.rewritesTags) = (false, false)
    return one == other
  }
}

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
