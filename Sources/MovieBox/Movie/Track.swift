/// A track of a movie, read from its `trak` atom.
///
/// The stored properties equal the values in the file. Derived properties, such as the duration and the
/// characteristics, are in `Track+….swift`.
public struct Track: Sendable {
  /// A reference to other tracks: a child of `tref`.
  public struct Reference: Hashable, Sendable {
    /// The reference type, such as `folw` or `chap`.
    public let type: FourCC
    /// The IDs of the tracks. In QuickTime files, an ID of 0 is an unused slot.
    public let trackIDs: [UInt32]
    /// The index of the atom in the movie's tree.
    package let atom: Int
  }

  /// The index of the `trak` atom in the movie's tree.
  package let atom: Int
  /// The header, with the ID, flags, group, layer, matrix and size.
  package let header: TrackHeader
  /// The media header, with the time scale, duration and language code.
  package let mediaHeader: MediaHeader
  /// The media handler, or `nil` if the atom is missing.
  package let handler: HandlerReference?
  /// The extended language tag, or `nil` if there is none.
  package let extendedLanguage: ExtendedLanguage?
  /// The edit list, or `nil` if the media is presented from start to end.
  package private(set) var editList: EditList?
  /// The references to other tracks, in file order.
  public let references: [Reference]
  /// The files that contain the media, or `nil` if the atom is missing. In that case, this file contains the media.
  package let dataReferences: DataReference?
  package let sampleDescriptions: SampleDescriptions
  package let samples: SampleTable
  /// The distinct characteristics that the author set, in file order.
  public let taggedCharacteristics: [MediaCharacteristic]
  /// The roles that `kind` atoms declare.
  package let kinds: [TrackKind]
  /// Whether a player presents the track only if the user selects it (`txas`, QTFF "Track Exclude From
  /// Autoselection").
  public let isExcludedFromAutomaticSelection: Bool
  /// The language from `elng`, or else from `mdhd`, or `nil` if it is unspecified.
  public let language: LanguageTag?
  /// The title that a player shows: the first non-empty text of `tnam`, `titl`, `name` and `©nam`, or `nil` if there
  /// is none.
  public let title: String?

  /// Reads the track of a `trak` atom.
  init(at atom: Int, of tree: AtomTree) throws(MovieError) {
    let mdia = try tree.require("mdia", in: atom)
    let minf = try tree.require("minf", in: mdia)
    let stbl = try tree.require("stbl", in: minf)
    self.atom = atom
    header = try tree.decode(TrackHeader.self, required: "tkhd", in: atom)
    mediaHeader = try tree.decode(MediaHeader.self, required: "mdhd", in: mdia)
    handler = try tree.decode(HandlerReference.self, "hdlr", in: mdia)
    extendedLanguage = try tree.decode(ExtendedLanguage.self, "elng", in: mdia)
    language = MediaLanguage.resolve(mediaHeaderCode: mediaHeader.languageCode, extendedTag: extendedLanguage?.tag)
    editList = try tree.descendant(of: atom, "edts", "elst").map { index throws(MovieError) in
      try tree.decode(EditList.self, at: index)
    }
    dataReferences = try tree.descendant(of: minf, "dinf", "dref").map { index throws(MovieError) in
      try tree.decode(DataReference.self, at: index)
    }
    references = try Self.references(in: atom, of: tree)
    sampleDescriptions = try tree.decode(SampleDescriptions.self, required: "stsd", in: stbl)
    samples = try SampleTable(in: stbl, of: tree)
    let userData = try UserData(in: atom, of: tree)
    taggedCharacteristics = userData.characteristics
    kinds = userData.kinds
    isExcludedFromAutomaticSelection = tree.child(of: atom, "txas") != nil
    title = userData.title
  }

  /// The track's ID.
  public var id: UInt32 { header.trackID }
  /// Whether a player presents the track by default.
  public var isEnabled: Bool { header.isEnabled }
  /// The alternate group, or 0 for no group. A player presents one track of a group at a time.
  public var alternateGroup: UInt16 { header.alternateGroup }
  /// The media type.
  public var mediaType: MediaType { MediaType(rawValue: handler?.handlerType ?? FourCC(rawValue: 0)) }
  /// The formats of the sample descriptions, such as `avc1`.
  public var formats: [FourCC] { sampleDescriptions.entries.map(\.format) }
  /// The number of media ticks per second (`mdhd`).
  public var mediaTimeScale: UInt32 { mediaHeader.timeScale }

  /// Returns a copy of the track with the edit list `list`.
  func replacingEditList(_ list: EditList?) -> Track {
    var track = self
    track.editList = list
    return track
  }

  /// Returns the IDs of the tracks to which this track has references of a type.
  public func referenced(_ type: FourCC) -> [UInt32] {
    references.filter { $0.type == type }.flatMap(\.trackIDs).filter { $0 != 0 }
  }

  static func references(in atom: Int, of tree: AtomTree) throws(MovieError) -> [Reference] {
    var references: [Reference] = []
    for tref in tree.children(of: atom, "tref") {
      for child in tree.children(of: tref) {
        let payload = try tree.decode(TrackReference.self, at: child)
        references.append(Reference(type: tree[child].type, trackIDs: payload.trackIDs, atom: child))
      }
    }
    return references
  }
}

extension Track {
  /// The name in a player's menu. It consists of the language, "SDH" or "CC" if it applies, and the title.
  public var displayName: String {
    var name = language?.englishName ?? (mediaType == .video ? "Video" : "Unknown language")
    if mediaType == .closedCaption {
      name += " CC"
    } else if isSDH {
      name += " SDH"
    }
    if taggedCharacteristics.contains(.describesVideo) { name += ", audio description" }
    if let title, !title.isEmpty { name += " — " + title }
    return name
  }

  /// The roles and names in a track's user data.
  ///
  /// User data may contain arbitrary items. If an item cannot be parsed, it is ignored here and kept in the file.
  struct UserData {
    var characteristics: [MediaCharacteristic] = []
    private var knownCharacteristics: Set<MediaCharacteristic> = []
    var kinds: [TrackKind] = []
    var title: String?

    init(in trak: Int, of tree: AtomTree) throws(MovieError) {
      var titles: [FourCC: String] = [:]
      for udta in tree.children(of: trak, "udta") {
        for item in tree.children(of: udta) {
          do throws(MovieError) {
            try read(item, of: tree, titles: &titles)
          } catch {
            continue
          }
        }
      }
      title = (["tnam", "titl", "name", "©nam"] as [FourCC]).lazy.compactMap { titles[$0] }.first { !$0.isEmpty }
    }

    private mutating func read(_ item: Int, of tree: AtomTree, titles: inout [FourCC: String]) throws(MovieError) {
      let type = tree[item].type
      // Only the first item of a type is used, so later items of the type are not decoded.
      func keep(_ title: () throws(MovieError) -> String) throws(MovieError) {
        if titles[type] == nil { titles[type] = try title() }
      }
      switch type {
      case "tagc":
        let tag = try tree.decode(TaggedCharacteristic.self, at: item)
        let characteristic = MediaCharacteristic(rawValue: tag.value)
        if knownCharacteristics.insert(characteristic).inserted { characteristics.append(characteristic) }
      case "kind": kinds.append(try tree.decode(TrackKind.self, at: item))
      case "tnam": try keep { () throws(MovieError) in try tree.decode(LocalizedTrackName.self, at: item).text }
      case "titl": try keep { () throws(MovieError) in try tree.decode(TrackTitle.self, at: item).text }
      case "name": try keep { () throws(MovieError) in try tree.decode(TrackName.self, at: item).text }
      case "©nam": try keep { () throws(MovieError) in try tree.decode(UserDataText.self, at: item).text() ?? "" }
      default: break
      }
    }
  }

  /// A title in one language.
  package struct LocalizedTitle: Hashable, Sendable {
    /// The language, or `und` if it is unspecified.
    package let language: String
    /// The title.
    package let text: String
  }

  /// Returns the distinct non-empty titles with a language (`tnam`, `titl`), in file order.
  ///
  /// - Parameter tree: the movie's tree.
  package func localizedTitles(in tree: AtomTree) -> [LocalizedTitle] {
    var titles: [LocalizedTitle] = []
    var seenTitles: Set<LocalizedTitle> = []
    for item in tree.children(of: atom, "udta").flatMap({ Array(tree.children(of: $0)) }) {
      guard let (code, text) = Self.title(at: item, of: tree), !text.isEmpty else { continue }
      let language = MediaLanguage.resolve(mediaHeaderCode: code, extendedTag: nil)
      let title = LocalizedTitle(language: language?.description ?? "und", text: text)
      if seenTitles.insert(title).inserted { titles.append(title) }
    }
    return titles
  }

  /// Returns the language code and text of a title, or `nil` if the item is not a title or cannot be parsed.
  private static func title(at item: Int, of tree: AtomTree) -> (code: UInt16, text: String)? {
    do throws(MovieError) {
      switch tree[item].type {
      case "tnam":
        let name = try tree.decode(LocalizedTrackName.self, at: item)
        return (name.languageCode, name.text)
      case "titl":
        let name = try tree.decode(TrackTitle.self, at: item)
        return (name.languageCode, name.text)
      default: return nil
      }
    } catch {
      return nil
    }
  }
}
