/// The identifier of a metadata item: a key in the key space of one vocabulary, written `space/key` as in AVFoundation.
///
///     let title = MetadataIdentifier("udta/©nam")
///     print(title!.description)  // udta/%A9nam
public struct MetadataIdentifier: Hashable, Sendable {
  /// A vocabulary, and so a form in which items stand in a file. Open: raw values are what identifiers begin with.
  public struct Space: RawRepresentable, Hashable, Sendable {
    /// The name, such as `mdta`.
    public let rawValue: String

    /// A space of this name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// QuickTime metadata: keys in reverse domain notation (`meta` with the handler `mdta`).
    public static let quickTimeMetadata = Space(rawValue: "mdta")
    /// QuickTime user data: four-character codes, most with `©` (`udta`).
    public static let quickTimeUserData = Space(rawValue: "udta")
    /// User data of ISO and 3GPP files: four-character codes (`udta`).
    public static let isoUserData = Space(rawValue: "uiso")
    /// iTunes metadata: four-character codes (`meta` with the handler `mdir` in `udta`).
    public static let iTunes = Space(rawValue: "itsk")
    /// iTunes metadata with names of their own (`----`): keys are `mean.name`.
    public static let iTunesLongForm = Space(rawValue: "itlk")
    /// Frames of ID3 version 2 (`ID32`).
    public static let id3 = Space(rawValue: "id3")
    /// Packets of XMP, as a whole.
    public static let xmp = Space(rawValue: "xmp")
    /// Windows' items (`Xtra`).
    public static let windows = Space(rawValue: "xtra")
    /// Facts of Sony's cameras, in an XML document beside the movie atom (`meta` with the handler `nrtm`).
    public static let sonyXML = Space(rawValue: "nrtm")
    /// Other XML documents beside the movie atom, as a whole.
    public static let xml = Space(rawValue: "xml")
    /// The merged view of facts that several spaces know; nothing is stored in it.
    public static let common = Space(rawValue: "common")

    /// Whether keys are four bytes.
    var hasFourByteKeys: Bool { [.quickTimeUserData, .isoUserData, .iTunes, .id3].contains(self) }
  }

  /// The vocabulary.
  public let space: Space
  /// The key. Where keys are four bytes, bytes other than letters, digits, `-`, `.`, `_` and `~` are written `%` and
  /// two hexadecimal digits.
  public let key: String

  /// An identifier of a key as it is written after the slash.
  package init(_ space: Space, key: String) {
    self.space = space
    self.key = key
  }

  /// An identifier of a four-character code.
  init(_ space: Space, _ type: FourCC) {
    self.space = space
    key = Self.escaped(type)
  }

  /// Reads `space/key`; `©` stands for its byte in a key of four. `nil` where a part is empty, or a key of a space of
  /// four-byte keys has another length.
  public init?(_ text: some StringProtocol) {
    guard let slash = text.firstIndex(of: "/") else { return nil }
    let space = Space(rawValue: String(text[..<slash]))
    let key = String(text[text.index(after: slash)...])
    guard !space.rawValue.isEmpty, !key.isEmpty else { return nil }
    guard space.hasFourByteKeys else {
      self.init(space, key: key)
      return
    }
    guard let bytes = Self.unescaped(key), bytes.count == 4 else { return nil }
    self.init(space, FourCC(rawValue: bytes.reduce(0) { $0 << 8 | UInt32($1) }))
  }

  /// The four-character code of a space that has them.
  package var type: FourCC? {
    guard space.hasFourByteKeys, let bytes = Self.unescaped(key), bytes.count == 4 else { return nil }
    return FourCC(rawValue: bytes.reduce(0) { $0 << 8 | UInt32($1) })
  }

  /// Whether the identifier matches a pattern such as `mdta/com.apple.*`, in which `*` stands for any text.
  public func matches(_ pattern: String) -> Bool {
    let wanted = MetadataIdentifier(pattern)?.description ?? pattern  // `©nam` in the spelling of identifiers.
    return Self.matches(Array(description.utf8)[...], Array(wanted.utf8))
  }

  /// One pass, which goes back to the last `*` where the text does not go on as the pattern does.
  private static func matches(_ text: ArraySlice<UInt8>, _ pattern: [UInt8]) -> Bool {
    var (position, place) = (text.startIndex, 0)
    var star: (place: Int, position: Int)?
    while position < text.endIndex {
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        star = (place, position)
        place += 1
      } else if place < pattern.count, pattern[place] == text[position] {
        position += 1
        place += 1
      } else if let last = star {
        star = (last.place, last.position + 1)
        (position, place) = (last.position + 1, last.place + 1)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
  }

  private static func escaped(_ type: FourCC) -> String {
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: type.rawValue >> ($0 as UInt32)) }
    return PercentEncoding.encoded(bytes, where: PercentEncoding.isUnreserved)
  }

  private static func unescaped(_ key: String) -> [UInt8]? {
    let scalars = key.unicodeScalars
    guard scalars.count <= 12, scalars.allSatisfy({ $0.isASCII || $0 == "©" }) else { return nil }
    return PercentEncoding.decoded(scalars.map { UInt8(truncatingIfNeeded: $0.value) })
  }
}

extension MetadataIdentifier: CustomStringConvertible {
  /// `space/key`.
  public var description: String { space.rawValue + "/" + key }
}

extension MetadataIdentifier {
  /// The same fact in the vocabulary that all others share, such as `common/title`; `nil` for a fact that only some
  /// have (WWDC14 "Harnessing Metadata in Audiovisual Media").
  public var common: MetadataIdentifier? {
    if space == .common { return self }
    return Self.commonKeys[self].map { MetadataIdentifier(.common, key: $0) }
  }

  /// Whether it says something of the place beside the place itself.
  package var isDetailOfPlace: Bool {
    common == nil && ["location.", "direction."].contains { key.hasPrefix("com.apple.quicktime." + $0) }
  }

  /// The spellings of a fact in each vocabulary, for an identifier of ``Space/common``; new items get the first
  /// spelling of a space.
  package var spellings: [MetadataIdentifier] {
    Self.table.first { space == .common && $0.key == key }?.spellings.compactMap { MetadataIdentifier($0) } ?? []
  }

  /// The keys of ``Space/common``.
  package static var commonNames: [String] { table.map(\.key) }

  private static let commonKeys: [MetadataIdentifier: String] = {
    // Sony's document is never written.
    var keys: [MetadataIdentifier: String] = [
      MetadataIdentifier(.sonyXML, key: "Device.manufacturer"): "make",
      MetadataIdentifier(.sonyXML, key: "Device.modelName"): "model",
      MetadataIdentifier(.sonyXML, key: "CreationDate"): "creationDate",
    ]
    for (key, spellings) in table {
      for spelling in spellings {
        if let identifier = MetadataIdentifier(spelling) { keys[identifier] = key }
      }
    }
    return keys
  }()

  /// The spellings of each fact in the vocabularies.
  private static let table: [(key: String, spellings: [String])] = [
    (
      "title",
      ["mdta/com.apple.quicktime.title", "mdta/com.apple.quicktime.displayname", "udta/©nam", "itsk/©nam", "uiso/titl"]
        + ["id3/TIT2"]
    ),
    ("creator", ["id3/TCOM"]),
    ("subject", ["id3/TIT1"]),
    (
      "description",
      ["mdta/com.apple.quicktime.description", "udta/©des", "itsk/desc", "itsk/©des", "uiso/dscp", "id3/TIT3"]
    ),
    ("publisher", ["mdta/com.apple.quicktime.publisher", "udta/©pub", "itsk/©pub", "id3/TPUB"]),
    ("contributor", ["id3/TOPE"]),
    (
      "creationDate",
      ["mdta/com.apple.quicktime.creationdate", "udta/©day", "itsk/©day", "uiso/date", "uiso/yrrc", "id3/TDRC"]
    ),
    ("type", ["mdta/com.apple.quicktime.genre", "udta/©gen", "itsk/©gen", "itsk/gnre", "uiso/gnre", "id3/TCON"]),
    ("identifier", ["mdta/com.apple.quicktime.content.identifier"]),
    ("location", ["mdta/com.apple.quicktime.location.ISO6709", "udta/©xyz", "uiso/loci", "itsk/©xyz"]),
    ("copyrights", ["mdta/com.apple.quicktime.copyright", "udta/©cpy", "itsk/cprt", "uiso/cprt", "id3/TCOP"]),
    ("albumName", ["mdta/com.apple.quicktime.album", "udta/©alb", "itsk/©alb", "uiso/albm", "id3/TALB"]),
    ("author", ["mdta/com.apple.quicktime.author", "udta/©aut", "uiso/auth", "id3/TEXT"]),
    ("artist", ["mdta/com.apple.quicktime.artist", "udta/©ART", "itsk/©ART", "uiso/perf", "id3/TPE1"]),
    ("artwork", ["mdta/com.apple.quicktime.artwork", "itsk/covr", "uiso/thmb", "id3/APIC"]),
    ("make", ["mdta/com.apple.quicktime.make", "udta/©mak", "uiso/manu"]),
    ("model", ["mdta/com.apple.quicktime.model", "udta/©mod", "uiso/modl"]),
    ("software", ["mdta/com.apple.quicktime.software", "udta/©swr", "itsk/©too"]),
    // Facts that AVFoundation has no common word for.
    ("comment", ["mdta/com.apple.quicktime.comment", "udta/©cmt", "itsk/©cmt", "id3/COMM"]),
    ("composer", ["mdta/com.apple.quicktime.composer", "udta/©com", "itsk/©wrt"]),
    ("director", ["mdta/com.apple.quicktime.director", "udta/©dir", "itsk/©dir"]),
    ("keywords", ["mdta/com.apple.quicktime.keywords", "udta/©key", "itsk/keyw", "uiso/kywd", "id3/TKWD"]),
    ("producer", ["mdta/com.apple.quicktime.producer", "udta/©prd", "itsk/©prd"]),
    ("accessibilityDescription", ["mdta/com.apple.quicktime.accessibility.description", "udta/©ade", "uiso/ades"]),
  ]
}

extension [MetadataItem] {
  /// The items whose identifier matches a pattern such as `udta/*` or `common/title`; of the latter all spellings.
  public func matching(_ pattern: String) -> [MetadataItem] {
    filter { $0.identifier.matches(pattern) || $0.identifier.common?.matches(pattern) ?? false }
  }

  /// The items by preferred languages, those of the best one first; those of other languages are left out, those
  /// without a language come last.
  ///
  /// A preferred tag finds itself and what begins with it, then each shorter one, as RFC 4647 "Lookup" has it.
  public func preferring(_ languages: [LanguageTag]) -> [MetadataItem] {
    var chosen: [MetadataItem] = []
    var taken: Set<Int> = []
    func take(_ condition: (MetadataItem) -> Bool) {
      for (index, item) in enumerated() where !taken.contains(index) && condition(item) {
        taken.insert(index)
        chosen.append(item)
      }
    }
    for range in languages.flatMap(\.lookupRanges) { take { $0.language?.isIn(range) == true } }
    take { $0.language == nil }
    return chosen
  }
}
