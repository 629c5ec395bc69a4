import MovieBox

/// The policy for a movie that is shared with others. It is an allow list of contents that players need or that are
/// known to be harmless.
///
/// An allow list also protects against unforeseen contents, because unknown items and atoms are removed.
struct SharingPolicy: Hashable, Sendable {
  /// Patterns of identifiers to keep even if the allow list does not contain them.
  var keptPatterns: [String] = []
  /// Patterns of identifiers to remove even if the allow list contains them. They override ``keptPatterns``.
  var droppedPatterns: [String] = []
  /// Whether to keep the dates in the headers of the movie and its tracks.
  var keepsDates = false
  /// Whether any samples are encrypted. The information about the keys of encrypted samples is kept.
  var hasEncryptedTracks = false
  /// The types of children that atoms may keep, by the type of the parent.
  var allowedAtoms = Self.allowedChildren

  // MARK: - Items

  /// Returns whether a metadata item with this content is kept, and the reason.
  func decision(
    on identifier: MetadataIdentifier, content: MetadataContent, isCameraOriginal: Bool
  ) -> (isKept: Bool, reason: String) {
    func matches(_ patterns: [String]) -> Bool { Self.matches(identifier, patterns) }
    if matches(droppedPatterns) { return (false, "requested") }
    if matches(keptPatterns) { return (true, "requested") }
    for (reason, patterns) in Self.privatePatterns where matches(patterns) { return (false, reason) }
    if matches(["common/creationDate"]) {
      let text = content.value(of: identifier).stringValue ?? ":"  // An unreadable value is rejected.
      return !isCameraOriginal && Self.isDateWithoutTime(text)
        ? (true, "the date of a work") : (false, "reveals the time of recording")
    }
    if isCameraOriginal, matches(Self.ownerEnteredKeys) { return (false, "typed by the owner of the camera") }
    for (reason, patterns) in Self.harmlessPatterns where matches(patterns) { return (true, reason) }
    if matches(Self.playbackPatterns), Self.hasExpectedForm(content, of: identifier) {
      return (true, "needed for playback")
    }
    return (false, "unknown")
  }

  /// Whether a date is a year, month or day without a time of day. A time of day could also reveal a time zone.
  private static func isDateWithoutTime(_ text: String) -> Bool {
    let digits = text.utf8.count { (0x30...0x39).contains($0) }
    return (1...8).contains(digits) && text.utf8.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) }
  }

  private static func matches(_ identifier: MetadataIdentifier, _ patterns: [String]) -> Bool {
    patterns.contains { identifier.matches($0) || identifier.common?.matches($0) ?? false }
  }

  /// Returns the content of a kept item without file names, without the embedded metadata of a cover, and without bytes
  /// after a chapter list. If the caller requested covers, the metadata in the covers is kept as well.
  ///
  /// Returns `nil` for an unreadable cover or chapter list, because it might contain private data.
  func removingPrivateData(_ content: MetadataContent, _ identifier: MetadataIdentifier) -> MetadataContent? {
    var content = content
    if identifier.isChapterList {
      do throws(MovieError) {
        let list = try NeroChapters(payload: content.bytes)
        content.bytes = content.bytes.slice(at: 0, count: content.bytes.count - list.trailingByteCount) ?? content.bytes
      } catch {
        return nil
      }
    }
    guard content.typeCode != nil else { return content }
    content.details["name"] = nil
    if identifier.common?.key == "artwork", !Self.matches(identifier, keptPatterns) {
      guard let picture = PictureFormat.removingPrivateData(content.bytes) else { return nil }
      content.bytes = picture
    }
    return content
  }

  /// Whether a value that players need has its expected form, such as a number or a short code, and cannot contain
  /// other text.
  private static func hasExpectedForm(_ content: MetadataContent, of identifier: MetadataIdentifier) -> Bool {
    let text = content.value(of: identifier).stringValue ?? ":"  // An unreadable value is rejected.
    switch identifier.description {
    case "itlk/com.apple.iTunes.iTunSMPB":
      return text.utf8.count <= 200 && text.utf8.allSatisfy { $0 == 0x20 || Character(Unicode.Scalar($0)).isHexDigit }
    case "udta/SelO", "udta/AllF": return content.bytes.count == 1
    case "udta/WLOC", "udta/LOOP": return content.bytes.count == 4
    case "udta/ptv%20": return content.bytes.count == 8
    default:
      switch content.value(of: identifier) {
      case .integer, .unsignedInteger, .number, .numbers: return true
      case .text: return text.utf8.count <= 16 && text.utf8.allSatisfy { (0x2B...0x39).contains($0) }  // +,-./0–9
      case .part, .data: return false
      }
    }
  }

  /// Whether a movie comes from a camera. The owner of the camera is assumed to have typed the text in such a movie.
  static func isCameraOriginal(_ identifiers: [MetadataIdentifier]) -> Bool {
    let patterns =
      ["common/make", "common/model", "common/identifier", "common/location", "mdta/com.android.*"]
      // Serial numbers and settings of cameras.
      + ["CAME", "FIRM", "LENS", "GPMF", "SDLN", "TAGS"].map { "*/" + $0 }
    return identifiers.contains { matches($0, patterns) }
  }

  private static let privatePatterns: [(reason: String, patterns: [String])] = [
    ("reveals the place of recording", ["common/location", "mdta/*location*", "mdta/*direction*", "*/*GPS*"]),
    (
      "identifies the software or device",
      [
        "common/make", "common/model", "common/software", "mdta/*.camera.*", "mdta/com.android.*", "itsk/©enc",
        "udta/©enc",
      ]
    ),
    (
      "identifies other files of the same person",
      ["common/identifier", "mdta/*live-photo*", "mdta/*variation-identifier*", "mdta/*segment-identifier*"]
    ),
    (
      "personal notes",
      ["common/comment", "common/keywords", "mdta/*rating.user", "mdta/*collection.user", "uiso/urat", "uiso/coll"]
    ),
    ("may contain copies of removed data", ["xmp/*", "uiso/thmb", "uiso/clsf"]),
    ("ID3 tag: kept only if requested by identifier", ["id3/*"]),
    ("Windows tag: kept only if requested by identifier", ["xtra/*"]),
  ]

  private static let ownerEnteredKeys = [
    "common/description", "common/author", "common/artist", "common/creator", "common/director", "common/producer",
    "common/composer", "mdta/*.displayname", "itsk/ldes", "itsk/sdes", "itsk/©lyr", "udta/©inf",
    "itsk/aART", "itsk/soar", "itsk/soaa", "itsk/soco", "itsk/©com", "itsk/©prf", "udta/©prf", "udta/©wrt",
    "mdta/com.apple.quicktime.performer",
  ]

  private static let harmlessPatterns: [(reason: String, patterns: [String])] = [
    (
      "rights and commerce",
      [
        "common/copyrights", "common/publisher", "udta/©phg", "itsk/©phg", "mdta/com.apple.quicktime.phonogramrights",
        "uiso/rtng",
        "itlk/com.apple.iTunes.iTunEXTC",
      ]
        + ["purd", "apID", "plID", "cnID", "akID", "sfID", "atID", "geID", "cmID", "xid ", "ownr", "flvr", "rtng"]
        .map { "itsk/" + $0.replacing(" ", with: "%20") }
    ),
    (
      "about the work",
      [
        "title", "artist", "albumName", "type", "description", "artwork", "author", "creator", "composer", "director",
        "producer",
      ].map { "common/" + $0 }
        + ["uiso/perf", "uiso/gnre", "uiso/albm", "udta/©prf", "udta/©wrt", "udta/©trk"]
        + ["mdta/com.apple.quicktime.performer"]
        + [
          "trkn", "disk", "aART", "ldes", "sdes", "©lyr", "stik", "hdvd", "tmpo", "cpil", "pgap", "pcst", "tvnn",
          "tvsh", "tven", "tvsn", "tves", "©mvn", "©mvi", "©mvc", "©wrk", "shwm", "catg", "purl", "egid", "©com",
          "©prf", "©grp", "sonm", "soar", "soaa", "soal", "soco", "sosn",
        ].map { "itsk/" + $0 }
    ),
    ("accessibility", ["common/accessibilityDescription"]),
  ]

  private static let playbackPatterns =
    ["itlk/com.apple.iTunes.iTunSMPB"]
    + [
      "preferred-affine-transform", "video-orientation", "player.*", "full-frame-rate-playback-intent", "spatial.*",
      "scene-illuminance",
    ].map { "mdta/com.apple.quicktime." + $0 }
    + ["WLOC", "SelO", "AllF", "LOOP", "ptv%20"].map { "udta/" + $0 }

  // MARK: - Tracks

  /// Returns the reason to remove a track, or `nil` to keep it.
  func refusal(of track: Track) -> String? {
    switch track.mediaType {
    case .video, .audio, .subtitle, .isoSubtitle, .subpicture, .text, .closedCaption, .timecode: return nil
    default: break
    }
    guard let handler = track.handler?.handlerType else { return "unknown media type" }
    if Self.otherMediaHandlers.contains(handler) { return nil }
    guard handler == "meta", track.formats.allSatisfy({ $0 == "mebx" }) else {
      guard handler == "meta" else { return "unknown media type (\(handler))" }
      // No samples are read, and the samples of these formats may contain places and devices.
      let formats = track.formats.filter { $0.rawValue != 0 }.map(\.description).withoutRepetition
      let names = formats.map { (TimedMetadataTrack.name(ofFormat: $0).map { $0 + ", " } ?? "") + $0 }
      return "timed metadata whose samples may be private (\(names.joined(separator: "; ")))"
    }
    let keys = track.sampleDescriptions.entries.flatMap(\.timedMetadataKeys).map(\.identifier)
    let allowedPatterns = Self.harmlessPatterns.flatMap(\.patterns) + Self.playbackPatterns
    let refusedKey = keys.first { key in
      func matches(_ patterns: [String]) -> Bool { patterns.contains { key.matches($0) } }
      if matches(droppedPatterns) { return true }
      // The samples are not read, so text that the owner typed cannot be recognized.
      let refusals = Self.privatePatterns.flatMap(\.patterns) + Self.ownerEnteredKeys
      return !matches(keptPatterns) && (matches(refusals) || !matches(allowedPatterns))
    }
    if let refusedKey { return "timed metadata: \(refusedKey)" }
    return keys.isEmpty ? "timed metadata without keys" : nil
  }

  /// The handlers of other visible or audible media: pictures, sprites, panoramas, and music of classic QuickTime.
  private static let otherMediaHandlers: Set<FourCC> = [
    "auxv", "pict", "hint", "sprt", "musi", "MPEG", "twen", "qd3d", "flsh", "qtvr", "STpn", "obje", "pano",
  ]

  // MARK: - Atoms

  /// Whether to remove an atom of the movie atom that is not an item: free space, or an atom that playback does not
  /// need.
  ///
  /// - Parameter items: the identifiers of list items, by atom.
  func drops(_ index: Int, in tree: AtomTree, _ items: [Int: MetadataIdentifier]) -> Bool {
    guard let parent = tree[index].parent else { return false }
    let type = tree[index].type
    if tree[parent].parent.map({ tree[$0].type == "ilst" }) ?? false, Self.mayLose(tree[parent].parent ?? 0, in: tree) {
      // A `name` atom next to a picture contains a file name.
      let isNamed = tree[parent].type == "----"
      return !(isNamed ? ["data", "mean", "name"] : ["data"]).contains(type)
        || type == "data" && tree.payload(of: index).count < 8
    }
    guard Self.mayLose(parent, in: tree) else { return false }
    switch type {
    case "free", "skip", "wide": return true
    case "uuid":
      let userType = tree.payload(of: index).slice(at: 0, count: 16)
      if userType == Self.protectionType { return !hasEncryptedTracks }
      return !Self.neededTypes.contains { userType == $0 }
    case "pssh": return !hasEncryptedTracks
    case "trgr": return !Self.isListOfNumbers(trackGroups: tree.payload(of: index))
    // `Xtra`, XMP and ID3 packets may contain copies of removed data, so remove them completely.
    case "Xtra": return !keptPatterns.contains { $0.hasPrefix("xtra/") }
    case "XMP_": return !keptPatterns.contains { $0.hasPrefix("xmp/") }
    case "ID32": return !keptPatterns.contains { $0.hasPrefix("id3/") }
    case "hnti", "hinf", "hinv", "strk": return tree[parent].type == "udta"
    default: break
    }
    if tree[parent].type == "ilst" {
      return items[index] == nil || !tree.children(of: index, "data").contains { tree.payload(of: $0).count >= 8 }
    }
    return allowedAtoms[tree[parent].type].map { !$0.contains(type) } ?? false
  }

  /// Whether children of an atom may be removed. The children of sample descriptions and data references must be kept.
  static func mayLose(_ index: Int, in tree: AtomTree) -> Bool {
    tree.types(to: index).allSatisfy(containers.contains)
  }

  /// Whether all track groups in a list consist of numbers. Such groups contain tracks of one source, stereoscopic
  /// pairs, or single tracks of one picture (ISO/IEC 14496-12 8.3.4, 8.15.4). Other groups may contain anything.
  private static func isListOfNumbers(trackGroups payload: Bytes) -> Bool {
    var list = AtomList(payload)
    while let atom = list.next() {
      switch atom.type {
      case "msrc", "cstg": guard atom.payload.count == 8 else { return false }
      case "ster": guard atom.payload.count == 12 else { return false }
      default: return false
      }
    }
    return list.rest.isEmpty
  }

  /// Returns the reason to remove an atom.
  static func reason(toDrop type: FourCC) -> String {
    switch type {
    case "pssh": "no track is encrypted"
    // Download rates of the old file, palettes of 256 colors, and MPEG-4 Systems descriptors. No current player reads
    // them.
    case "pdin", "ctab", "iods": "not needed for playback"
    case "XMP_", "Xtra", "ID32": "may contain copies of removed data"
    default: "unknown"
    }
  }

  /// Whether to remove a top-level atom.
  func drops(_ atom: FileLayout.TopLevelAtom) -> Bool {
    !["ftyp", "moov", "mdat", "wide"].contains(atom.type) || atom.type == "wide" && atom.payloadRange.count > 0
  }

  /// The PIFF atom with the information about the keys of encrypted samples.
  private static let protectionType = Bytes([
    0xD0, 0x8A, 0x4F, 0x18, 0x10, 0xF3, 0x4A, 0x82, 0xB6, 0xC8, 0x32, 0xD8, 0xAB, 0xA1, 0x83, 0xD3,
  ])

  /// The types of `uuid` atoms that playback needs: sample encryption and its keys (PIFF), and the projection of
  /// spherical video.
  static let neededTypes: [Bytes] = [
    SampleEncryption.userType, protectionType,
    Bytes([0xFF, 0xCC, 0x82, 0x63, 0xF8, 0x55, 0x4A, 0x93, 0x88, 0x14, 0x58, 0x7A, 0x02, 0x52, 0x1F, 0xDD]),
  ]

  static let containers: Set<FourCC> = [
    "trak", "mdia", "minf", "stbl", "udta", "meta", "ilst", "edts", "clip", "dinf", "mvex",
  ]

  /// The allowed children, by the type of the parent.
  private static let allowedChildren: [FourCC: Set<FourCC>] = [
    "moov": [
      "mvhd", "trak", "mvex", "udta", "meta", "pssh", "clip", "cmov",
    ],
    "trak": [
      "tkhd", "mdia", "edts", "tref", "udta", "meta", "tapt", "clip", "matt", "load", "txas", "trgr", "imap", "kmat",
      "senc",
    ],
    "mdia": ["mdhd", "hdlr", "minf", "elng", "meta", "udta"],
    "minf": ["vmhd", "smhd", "hmhd", "nmhd", "sthd", "gmhd", "hdlr", "dinf", "stbl"],
    "stbl": [
      "stsd", "stts", "ctts", "cslg", "stsc", "stsz", "stz2", "stco", "co64", "stss", "stps", "stsh", "sdtp", "padb",
      "stdp", "sbgp", "csgp", "csgm", "sgpd", "saiz", "saio", "senc", "subs",
    ],
    "meta": ["hdlr", "keys", "ilst", "ID32"], "edts": ["elst"], "clip": ["crgn"], "dinf": ["dref"],
    "mvex": ["mehd", "trex", "leva", "trep"],
  ]
}
