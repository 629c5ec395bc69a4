import MovieBox

/// The labels of a track: its language, title, tags and roles, and its settings for automatic selection.
///
/// Tags (`tagc`), roles (`kind`), `txas` and the display flags of sample descriptions express the same properties for
/// different players. Setting a property updates all of its representations.
struct TrackLabels: Hashable, Sendable {
  /// The language, or `nil` if undetermined.
  var language: LanguageTag?
  /// The title that players show, or `nil` if there is none.
  var title: String?
  /// Whether an unchanged title is written to all title atoms.
  var completesTitle = false
  /// Whether an unchanged language is rewritten.
  var rewritesLanguage = false
  /// Whether unchanged tags with a trailing NUL are rewritten.
  var rewritesTags = false
  /// The tags, in order, without duplicates.
  private(set) var characteristics: [MediaCharacteristic]
  /// The roles in ``TrackKind/roleScheme`` that tags or the forced flag can express.
  private(set) var roles: Set<String>
  /// Whether players select the track only at the viewer's request (`txas`).
  var isExcludedFromAutomaticSelection: Bool
  /// Whether the sample descriptions declare every sample as forced.
  private(set) var containsOnlyForcedSubtitles: Bool

  /// Reads the labels of an existing track.
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

  /// Creates the labels of an imported track.
  init(_ input: TrackInput, in dialect: Dialect) {
    self.init(input.track)
    language = input.language?.ifDetermined
    title = input.title
    setCharacteristics(input.mediaCharacteristics, in: dialect)
  }

  /// Creates labels with only a language.
  init(language: LanguageTag?) {
    self.language = language
    (characteristics, roles) = ([], [])
    (isExcludedFromAutomaticSelection, containsOnlyForcedSubtitles) = (false, false)
  }

  /// Creates the labels of a new subtitle track.
  init(_ input: SubtitleInput, in dialect: Dialect) {
    language = input.language?.ifDetermined
    title = input.title
    characteristics = input.mediaCharacteristics
    isExcludedFromAutomaticSelection = false
    containsOnlyForcedSubtitles = input.containsOnlyForcedSubtitles
    roles = []
    if dialect == .iso { roles = impliedRoles }
  }

  /// The language code for `mdhd` and titles.
  var languageCode: UInt16 { language.map { LanguageCode.packed(for: $0) } ?? LanguageCode.undetermined }

  /// Sets the tags and updates the roles in ISO files. Also updates `txas` for auxiliary content, because QTFF requires
  /// `txas` in addition to the tag ("Track Exclude From Autoselection").
  mutating func setCharacteristics(_ tags: [MediaCharacteristic], in dialect: Dialect) {
    let before = impliedRoles
    let (wasAuxiliary, isAuxiliary) = (characteristics.contains(.auxiliaryContent), tags.contains(.auxiliaryContent))
    if wasAuxiliary != isAuxiliary { isExcludedFromAutomaticSelection = isAuxiliary }
    characteristics = tags
    updateRoles(from: before, in: dialect)
  }

  /// Sets whether every sample is forced, and updates the role in ISO files.
  mutating func setForcedOnly(_ isForcedOnly: Bool, in dialect: Dialect) {
    let before = impliedRoles
    containsOnlyForcedSubtitles = isForcedOnly
    updateRoles(from: before, in: dialect)
  }

  /// The roles that the tags and the forced flag imply.
  private var impliedRoles: Set<String> {
    TrackKind.roles(of: characteristics, isForcedOnly: containsOnlyForcedSubtitles)
  }

  /// Removes the roles that are no longer implied, and adds the newly implied roles.
  private mutating func updateRoles(from before: Set<String>, in dialect: Dialect) {
    let after = impliedRoles
    roles.subtract(before.subtracting(after))
    if dialect == .iso { roles.formUnion(after.subtracting(before)) }
  }

  /// Sets the roles to exactly the implied roles. Adds no role in QuickTime files.
  mutating func setRolesByTags(in dialect: Dialect) {
    roles = dialect == .iso ? impliedRoles : roles.intersection(impliedRoles)
  }

  /// Adds the implied roles in ISO files.
  mutating func addRolesByTags(in dialect: Dialect) {
    if dialect == .iso { roles.formUnion(impliedRoles) }
  }

  /// An empty `txas` atom.
  static var exclusionAtom: [UInt8] {
    var writer = ByteWriter()
    writer.atom("txas") { _ in }
    return writer.bytes
  }

  /// Whether two tracks have the same labels, regardless of how atoms store them.
  func isEquivalent(to other: TrackLabels) -> Bool {
    var (one, other) = (self, other)
    (one.completesTitle, other.completesTitle) = (false, false)
    (one.rewritesLanguage, other.rewritesLanguage) = (false, false)
    (one.rewritesTags, other.rewritesTags) = (false, false)
    return one == other
  }
}

extension TrackKind {
  /// The scheme of roles in ISO files (ISO/IEC 23009-1 5.8.5.5).
  static let roleScheme = "urn:mpeg:dash:role:2011"

  /// Returns the roles in ``roleScheme`` that players use and that correspond to the tags of a track or to forced
  /// subtitles.
  static func roles(of tags: [MediaCharacteristic], isForcedOnly: Bool) -> Set<String> {
    var roles = Set(roleTable.filter { row in row.tags.allSatisfy(tags.contains) }.map(\.role))
    if isForcedOnly { roles.insert(forced) }
    return roles
  }

  /// Whether a tag or the forced flag expresses the role.
  static func canBeTagged(_ role: String) -> Bool { role == forced || roleTable.contains { $0.role == role } }

  private static let forced = "forced-subtitle"

  private static let roleTable: [(role: String, tags: [MediaCharacteristic])] = [
    ("caption", MediaCharacteristic.sdh), ("description", [.describesVideo]), ("commentary", [.auxiliaryContent]),
    ("dub", [.dubbedTranslation]), ("easyreader", [.easyToRead]),
  ]
}

/// The atoms that contain the title of a track. Players read different atoms, so each title is written to several
/// atoms.
struct TrackTitleAtoms {
  /// The types of the atoms that are written for a title, in the order of the file. MediaInfo shows the last title that
  /// it finds, but cannot read `titl`. Therefore, `titl` is the first.
  static let types: [FourCC] = ["titl", "name", "tnam"]
  /// The types of all atoms that may contain a title. Classic QuickTime's atom is rewritten only if the track already
  /// contains it.
  static let allTypes: [FourCC] = types + ["©nam"]

  /// The atoms by type.
  let atoms: [FourCC: [UInt8]]

  /// Creates the atoms of a title in a new track.
  init(_ title: String, languageCode: UInt16, _ dialect: Dialect) {
    var atoms: [FourCC: [UInt8]] = [
      "name": TrackName(title).atom("name"),
      "tnam": LocalizedTrackName(title, languageCode: languageCode).atom("tnam"),
    ]
    if dialect == .iso { atoms["titl"] = TrackTitle(title, languageCode: languageCode).atom("titl") }
    self.atoms = atoms
  }

  /// Creates the title atoms of an existing track. There are none if the track has no title.
  init(_ labels: TrackLabels, of track: Track, in tree: AtomTree, _ dialect: Dialect) {
    guard let title = labels.title else {
      atoms = [:]
      return
    }
    var atoms = TrackTitleAtoms(title, languageCode: labels.languageCode, dialect).atoms
    let text = Bytes(Array(title.utf8))
    if text.count <= Int(UInt16.max), tree.userDataItems(of: track.atom).contains(where: { tree[$0].type == "©nam" }) {
      atoms["©nam"] = UserDataText(entries: [.init(language: labels.languageCode, text: text)]).atom("©nam")
    }
    self.atoms = atoms
  }

  /// Whether a track has exactly these atoms for its title.
  func areTitleAtoms(of track: Track, in tree: AtomTree) -> Bool {
    let items = tree.userDataItems(of: track.atom).filter { Self.allTypes.contains(tree[$0].type) }
    return items.count == atoms.count && items.allSatisfy { tree.bytes(of: $0).array == atoms[tree[$0].type] }
  }
}

extension AtomTree {
  /// Returns the items in the user data of an atom.
  func userDataItems(of parent: Int) -> [Int] {
    children(of: parent, "udta").flatMap { Array(children(of: $0)) }
  }
}

extension [MediaCharacteristic] {
  /// Returns the tags in order and without repetitions. Throws `.invalidEdit` for a tag that cannot be written.
  func written() throws(MovieError) -> [MediaCharacteristic] {
    var distinct: [MediaCharacteristic] = []
    for characteristic in self where !distinct.contains(characteristic) {
      guard characteristic.isWellFormed else {
        throw MovieError(
          .invalidEdit,
          "\"\(characteristic.rawValue)\" is not a media characteristic; use public. or a domain, followed by letters, "
            + "digits and -._~")
      }
      // AVFoundation infers from the sample descriptions that a track contains only forced subtitles. A tag could
      // contradict the sample descriptions.
      guard characteristic != .containsOnlyForcedSubtitles else {
        throw MovieError(
          .invalidEdit,
          "\(characteristic.rawValue) is never written as a tag; set containsOnlyForcedSubtitles instead")
      }
      distinct.append(characteristic)
    }
    return distinct
  }
}
