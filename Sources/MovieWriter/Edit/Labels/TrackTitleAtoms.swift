import MovieBox

/// The atoms that contain the title of a track. Players read different atoms, so each title is written to several atoms.
struct TrackTitleAtoms {
  /// The types of the atoms that are written for a title, in the order of the file. `titl` is the first, because
  /// MediaInfo uses the last atom that it knows and cannot read `titl`.
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
